/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.blocks.BlockManagement;
import io.dayu.blocks.CommitResult;
import io.dayu.blocks.LiveNode;
import io.dayu.conf.Settings;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.planning.BlockHistory;
import io.dayu.namenode.planning.TimeslotDecision;
import io.dayu.namenode.planning.TimeslotPlanner;
import io.dayu.namenode.transfers.ClockStart;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Production's timeslots over some block management, one after the other as fast as they go: each as if what the one
 * before has planned were done. Not thread-safe.
 */
public final class TimeslotDriver {
  /** How long the parts of a timeslot took, in nanoseconds, and what it planned. */
  public record Timeslot(long decideNs, long commitNs, int planned, int committed) {
  }

  private final BlockManagement blocks;
  private final TimeslotPlanner timeslots;
  private final Map<String, NodeLoad> loads;
  private long nowNs = ClockStart.NS;

  /** @param loads what agents report, by UUID */
  public TimeslotDriver(BlockManagement blocks, Settings settings, Map<String, NodeLoad> loads) {
    this.blocks = blocks;
    this.loads = loads;
    this.timeslots =
        new TimeslotPlanner(blocks, settings, NameNodeRuntime.algorithm(settings), new BlockHistory(),
            System::nanoTime);
    timeslots.begin(nowNs);
  }

  /** Plans and commits one timeslot. */
  public Timeslot next() {
    nowNs += 2_000_000_000L;
    long startNs = System.nanoTime();
    Map<String, LiveNode> nodes = new HashMap<>();
    blocks.liveNodes().forEach(node -> nodes.put(node.uuid(), node));
    TimeslotDecision decision = timeslots.plan(nodes, loads, List.of(), nowNs);
    long decidedNs = System.nanoTime();
    List<CommitResult> results = blocks.commit(decision.requests(), () -> true);
    long committedNs = System.nanoTime();
    timeslots.carriedOut(decision, results, 0);
    int committed = (int) results.stream().filter(CommitResult::committed).count();
    return new Timeslot(decidedNs - startNs, committedNs - decidedNs, results.size(), committed);
  }
}
