/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.replay;

import io.dayu.sim.foreground.ForegroundModel;
import io.dayu.sim.foreground.ForegroundStream;

import java.util.List;

/**
 * Foreground as agents reported it, from the begin of a recovery, which is slot 0. Before the first report of a node it
 * is as in that; after the end of the recovery's records the recorded traffic starts over. Immutable once made, and
 * thread-safe.
 */
final class RecordedForeground implements ForegroundModel {
  static final long SLOT_MS = 500;
  /** The mean age of what an agent's report says: reports are smoothed. */
  private static final long REPORT_AGE_MS = 1_000;

  private final List<RecordedNode> nodes;
  private final int silentNodes;
  private final long beginMs;
  private final long slots;

  /**
   * @param nodes those of the simulated cluster, in its order
   * @param silentNodes further nodes without traffic
   * @param endMs what was recorded up to then is used
   */
  RecordedForeground(List<RecordedNode> nodes, int silentNodes, long beginMs, long endMs) {
    this.nodes = List.copyOf(nodes);
    this.silentNodes = silentNodes;
    this.beginMs = beginMs;
    this.slots = Math.max(1, (endMs - beginMs) / SLOT_MS);
  }

  /** Nodes without traffic. */
  int silent() {
    return silentNodes;
  }

  @Override
  public int nodes() {
    return nodes.size() + silentNodes;
  }

  @Override
  public long slotMs() {
    return SLOT_MS;
  }

  @Override
  public long slots() {
    return slots;
  }

  @Override
  public ForegroundStream open(long firstSlot) {
    long[] slot = {firstSlot};
    return (inBytesPerSec, outBytesPerSec) -> {
      long at = slot[0] < slots ? slot[0] : slot[0] % slots;
      slot[0]++;
      for (int node = 0; node < nodes.size(); node++) {
        RecordedNode recorded = nodes.get(node);
        long atMs = beginMs + at * SLOT_MS + REPORT_AGE_MS;
        inBytesPerSec[node] = Math.min(recorded.bytesPerSec(), recorded.inBytesPerSec(atMs));
        outBytesPerSec[node] = Math.min(recorded.bytesPerSec(), recorded.outBytesPerSec(atMs));
      }
      for (int node = nodes.size(); node < nodes(); node++) {
        inBytesPerSec[node] = 0;
        outBytesPerSec[node] = 0;
      }
    };
  }
}
