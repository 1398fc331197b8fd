/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.monitor;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dayu.namenode.monitor.RecoveryProgress.Progress;
import io.dayu.namenode.status.DayuStatus;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What happened lately, for the web page: samples of the last half hour, timeslots, past recoveries, changes of state.
 * Bounded. Thread-safe.
 */
public final class RecoveryHistory {
  private static final ObjectMapper JSON = new ObjectMapper();

  static final long SAMPLE_NS = TimeUnit.SECONDS.toNanos(2);
  private static final int MAX_SAMPLES = 900;
  private static final int MAX_TIMESLOTS = 200;
  private static final int MAX_RECOVERIES = 50;
  private static final int MAX_CHANGES = 50;

  /**
   * All nodes together at one moment.
   *
   * @param recoveredBytes of the present or last recovery, with those of transfers under way
   */
  record Sample(long timeMs, long waitingBlocks, long runningTransfers, long recoveryBytesPerSec,
      long recoveredBytes, long foregroundInBytesPerSec, long foregroundOutBytesPerSec, long capacityBytesPerSec) {
  }

  private record Change(long timeMs, String state, String reason) {
  }

  private record TimedSlot(long timeMs, @JsonUnwrapped DayuStatus.Timeslot slot) {
  }

  private final Deque<Sample> samples = new ArrayDeque<>();
  private final Deque<TimedSlot> timeslots = new ArrayDeque<>();
  private final Deque<Progress> recoveries = new ArrayDeque<>();
  private final Deque<Change> changes = new ArrayDeque<>();

  synchronized void add(Sample sample) {
    addBounded(samples, sample, MAX_SAMPLES);
  }

  /** Records the state; does nothing if it is the same as the last one. */
  synchronized void state(long sinceMs, String state, String reason) {
    if (changes.isEmpty() || changes.peekLast().timeMs != sinceMs) {
      addBounded(changes, new Change(sinceMs, state, reason), MAX_CHANGES);
    }
  }

  /** Records the last timeslot; does nothing if it is recorded already. */
  synchronized void timeslot(DayuStatus.Timeslot last, long nowMs) {
    if (last != DayuStatus.Timeslot.NONE && (timeslots.isEmpty() || timeslots.peekLast().slot != last)) {
      addBounded(timeslots, new TimedSlot(nowMs, last), MAX_TIMESLOTS);
    }
  }

  /** Records how far a recovery is, in place of its earlier record. */
  synchronized void recovery(Progress progress) {
    if (!recoveries.isEmpty() && recoveries.peekLast().number() == progress.number()) {
      recoveries.removeLast();
    }
    addBounded(recoveries, progress, MAX_RECOVERIES);
  }

  private static <T> void addBounded(Deque<T> entries, T entry, int limit) {
    entries.addLast(entry);
    if (entries.size() > limit) {
      entries.removeFirst();
    }
  }

  /** As JSON has it: samples by column, so that half an hour is some tens of kilobytes. */
  public synchronized Map<String, Object> view() {
    Map<String, Object> view = new LinkedHashMap<>();
    view.put("timeMs", samples.stream().map(Sample::timeMs).toList());
    view.put("waitingBlocks", samples.stream().map(Sample::waitingBlocks).toList());
    view.put("runningTransfers", samples.stream().map(Sample::runningTransfers).toList());
    view.put("recoveryBytesPerSec", samples.stream().map(Sample::recoveryBytesPerSec).toList());
    view.put("recoveredBytes", samples.stream().map(Sample::recoveredBytes).toList());
    view.put("foregroundInBytesPerSec", samples.stream().map(Sample::foregroundInBytesPerSec).toList());
    view.put("foregroundOutBytesPerSec", samples.stream().map(Sample::foregroundOutBytesPerSec).toList());
    view.put("capacityBytesPerSec", samples.stream().map(Sample::capacityBytesPerSec).toList());
    view.put("timeslots", List.copyOf(timeslots));
    view.put("recoveries", recoveries.stream().map(RecoveryHistory::past).toList());
    view.put("states", List.copyOf(changes));
    return view;
  }

  /** Without what only a recovery in progress has. */
  private static Map<String, Object> past(Progress one) {
    Map<String, Object> view = JSON.convertValue(one, new TypeReference<LinkedHashMap<String, Object>>() {
    });
    view.keySet().removeAll(List.of("bytesLeft", "bytesPerSec", "etaSeconds", "firstEndMs"));
    return view;
  }
}
