/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.NodeTable;
import io.dayu.rules.RemainingWork;
import io.dayu.schedule.choice.NodeLoads;

/**
 * The time within which a straggler must end on its nodes, or else leave them. It is the horizon, as in ATC'19 §4.4,
 * until the end of a recovery is near; then it shrinks with the work left. Not thread-safe.
 *
 * <p><b>Goal.</b> No straggler ends long after all others: one that needs 14 of 15 s on a slow node is never moved by
 * the paper's rule, though the others may be done in two.
 *
 * <p><b>Algorithm.</b> Near the end a straggler has the time that all work left takes at the full bandwidth of all
 * nodes, times the eviction factor. A straggler that would take longer goes to a better source if there is one, but not
 * for less than {@link #MIN_SOURCE_MS}. A new target costs it its progress: the next timeslot (see {@link
 * RemainingWork#timeslotMs}), the lead, and the whole block on the best target that the block may have. It is moved
 * only if that is faster.
 */
final class EvictionHorizon {
  /** Below this remaining time a change of source gains nothing, since it takes a new connection. */
  static final long MIN_SOURCE_MS = 1000;

  private NodeTable nodes;
  private long horizonMs;
  private double remainingWorkMs;
  /** Time until a block that is evicted now can be under way again. */
  private long delayMs;
  private long sourceMs;

  /** Begins a plan; its stragglers' targets are still to receive and to write so many bytes. */
  void find(ClusterSnapshot snapshot, long receivedBytes, long writtenBytes) {
    nodes = snapshot.nodes();
    horizonMs = snapshot.parameters().horizonMs();
    double factor = snapshot.parameters().evictionFactor();
    remainingWorkMs = Double.POSITIVE_INFINITY;
    sourceMs = horizonMs;
    if (factor == 0) {
      return;
    }
    remainingWorkMs = factor * RemainingWork.millis(snapshot, receivedBytes, writtenBytes);
    sourceMs = (long) Math.min(horizonMs, Math.max(MIN_SOURCE_MS, remainingWorkMs));
    delayMs = RemainingWork.timeslotMs(snapshot) + snapshot.leadMs();
  }

  /** Whether the end is so near that stragglers must end before the horizon. */
  boolean shrinks() {
    return remainingWorkMs < horizonMs;
  }

  /** Bytes that the source may have to send. */
  long bytesOut(int source) {
    return NodeLoads.bytesIn(nodes.recoverOutBytesPerSec()[source], sourceMs);
  }

  /** Whether the target may have so many bytes to receive, and to write. */
  boolean allows(int target, long receivedBytes, long writtenBytes) {
    long targetMs = (long) Math.min(horizonMs, remainingWorkMs);
    return receivedBytes <= NodeLoads.bytesIn(nodes.recoverInBytesPerSec()[target], targetMs)
        && (nodes.writeBytesPerSec() == null
            || writtenBytes <= NodeLoads.bytesIn(nodes.writeBytesPerSec()[target], targetMs));
  }

  /** Time until the source has sent these bytes. */
  double sendMs(int source, long bytes) {
    return 1000.0 * bytes / nodes.recoverOutBytesPerSec()[source];
  }

  /** Time until the target has received and written so many bytes. */
  double receiveMs(int target, long receivedBytes, long writtenBytes) {
    double receiveMs = 1000.0 * receivedBytes / nodes.recoverInBytesPerSec()[target];
    return nodes.writeBytesPerSec() == null ? receiveMs
        : Math.max(receiveMs, 1000.0 * writtenBytes / nodes.writeBytesPerSec()[target]);
  }

  /**
   * Time until the block is complete if it begins anew on a target that has other blocks to receive, too.
   *
   * @param sendMs time in which its sources send all of it
   * @param receivedBytes all that the target then receives
   * @param writtenBytes all that it writes
   */
  double restartMs(double sendMs, int target, long receivedBytes, long writtenBytes) {
    return delayMs + Math.max(sendMs, receiveMs(target, receivedBytes, writtenBytes));
  }
}
