/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.monitor;

import io.dayu.blocks.BlockInspection;
import io.dayu.blocks.WaitReason;
import io.dayu.namenode.loop.RecoveryController;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.LongStream;

/**
 * Blocks that wait, by risk: since when there have been any, and how many wait for which reason. The recovery loop
 * calls {@link #follow}; what it has found may be read by all threads.
 */
final class WaitingByRisk {
  private final RecoveryController controller;
  private final BlockInspection inspection;
  /** By reason, how many blocks wait for it, by risk. */
  private volatile Map<WaitReason, long[]> waitReasons = Map.of();
  /** When the queue of each risk was last empty, highest first. */
  private final AtomicLongArray emptyNs = new AtomicLongArray(BlockInspection.RISKS);

  WaitingByRisk(RecoveryController controller, BlockInspection inspection, long nowNs) {
    this.controller = controller;
    this.inspection = inspection;
    for (int risk = 0; risk < BlockInspection.RISKS; risk++) {
      emptyNs.set(risk, nowNs);
    }
  }

  /** @param standby whether this NameNode is not active, and so keeps no queues */
  void follow(boolean standby, long nowNs) {
    waitReasons = standby ? Map.of() : countWaiting();
    for (int risk = 0; risk < BlockInspection.RISKS; risk++) {
      if (standby || inspection.waitingBlocks(risk) == 0) {
        emptyNs.set(risk, nowNs);
      }
    }
  }

  /** What waits by reason and risk: each block for one reason. */
  private Map<WaitReason, long[]> countWaiting() {
    Map<WaitReason, long[]> counts = new EnumMap<>(WaitReason.class);
    for (int risk = 0; risk < BlockInspection.RISKS; risk++) {
      long left = inspection.waitingBlocks(risk);
      WaitReason all = controller.waits().waitReason(risk);
      if (all == null) {
        for (Map.Entry<WaitReason, long[]> unplanned : controller.waits().unplanned().entrySet()) {
          left -= count(counts, unplanned.getKey(), risk, Math.min(left, unplanned.getValue()[risk]));
        }
      }
      count(counts, all == null ? WaitReason.TURN : all, risk, left);
    }
    return counts;
  }

  private static long count(Map<WaitReason, long[]> counts, WaitReason reason, int risk, long number) {
    if (number > 0) {
      counts.computeIfAbsent(reason, key -> new long[BlockInspection.RISKS])[risk] += number;
    }
    return number;
  }

  /** By reason, how many blocks wait for it, by risk; without reasons that none waits for. Not to be changed. */
  Map<WaitReason, long[]> waitReasons() {
    return waitReasons;
  }

  /** How many blocks wait for this reason. */
  long waiting(WaitReason reason) {
    return LongStream.of(waitReasons.getOrDefault(reason, new long[0])).sum();
  }

  /** Since when the queue of each risk has not been empty, highest first: no block of it has waited longer. */
  long[] secondsSinceEmpty(long nowNs) {
    long[] seconds = new long[BlockInspection.RISKS];
    for (int risk = 0; risk < seconds.length; risk++) {
      seconds[risk] = TimeUnit.NANOSECONDS.toSeconds(Math.max(0, nowNs - emptyNs.get(risk)));
    }
    return seconds;
  }
}
