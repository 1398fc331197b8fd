/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.protocol.DayuProtos.FinishedTransferProto;
import io.dayu.protocol.DayuProtos.RunningTransferProto;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The transfers of one block pool: those that run or wait to be started, how the others ended, and which of these ends
 * the active NameNode has acknowledged. Not thread-safe: {@link TransferRegistry} calls it under its own monitor.
 */
final class PoolTransfers {
  /** Ended attempts that are remembered: to be reported, and so that no late grant starts one again. */
  private static final int MAX_REMEMBERED = 4096;
  private static final int MAX_FINISHED_PER_REPORT = 1024;

  private final Map<Long, TransferHandle> running = new LinkedHashMap<>();
  private final Set<Long> acknowledged = new HashSet<>();
  private final Map<Long, FinishedTransferProto> ended = new LinkedHashMap<>() {
    @Override
    protected boolean removeEldestEntry(Map.Entry<Long, FinishedTransferProto> eldest) {
      if (size() <= MAX_REMEMBERED) {
        return false;
      }
      acknowledged.remove(eldest.getKey());
      return true;
    }
  };

  void add(TransferHandle transfer) {
    running.put(transfer.attempt(), transfer);
  }

  /** The running transfer of this attempt, or null. */
  TransferHandle running(long attempt) {
    return running.get(attempt);
  }

  /** A copy: a transfer that is stopped may leave the pool at once. */
  List<TransferHandle> running() {
    return List.copyOf(running.values());
  }

  boolean isIdle() {
    return running.isEmpty();
  }

  boolean hasEnded(long attempt) {
    return ended.containsKey(attempt);
  }

  /** An attempt has ended, or could not begin. */
  void end(FinishedTransferProto end) {
    running.remove(end.getAttempt());
    ended.put(end.getAttempt(), end);
  }

  void acknowledge(Collection<Long> attempts) {
    for (Long attempt : attempts) {
      if (ended.containsKey(attempt)) {
        acknowledged.add(attempt);
      }
    }
  }

  /** What a report says of the running ones. */
  List<RunningTransferProto> runningReports() {
    List<RunningTransferProto> reports = new ArrayList<>();
    for (TransferHandle transfer : running.values()) {
      reports.add(transfer.report());
    }
    return reports;
  }

  /** The ends that the active NameNode has not acknowledged, as many as a report may have. */
  List<FinishedTransferProto> unacknowledged() {
    return ended.values().stream().filter(end -> !acknowledged.contains(end.getAttempt()))
        .limit(MAX_FINISHED_PER_REPORT).toList();
  }

  /** Whether one of the running ones has been told to stop and has not ended yet. */
  boolean isStopping() {
    return running.values().stream().anyMatch(TransferHandle::isStopping);
  }
}
