/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.rules;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.NodeTable;
import io.dayu.model.TaskTable;

/**
 * Widens the horizon where blocks are large for the bandwidth that there is. Static methods only, hence thread-safe.
 *
 * <p><b>Goal.</b> Nodes get whole blocks. If only a few fit into a node's share of the horizon, a large part of the
 * share is left over, and not on the nodes where the other end of a transfer could use it. So bandwidth stays idle. 128
 * MB blocks on nodes with 20 MB/s to spare are such a case, or the paper's 64 MB blocks with a horizon of 3 s.
 *
 * <p><b>Algorithm.</b> The horizon is the one that is set, or the time in which a mean node can receive {@link #BLOCKS}
 * blocks of the byte-weighted mean size, Σs² ÷ Σs, if that is longer; but never more than {@link #MAX_FACTOR}
 * times what is set. Of a group that is rebuilt a node receives several internal blocks for each that it makes: all of
 * them count as one block. Where disks are a limit of their own, the time to write counts, too. Blocks that are under
 * way count as well as those that wait, so that the horizon does not shrink when the last ones have been planned.
 *
 * <p><b>Example.</b> Set are 6 s. Blocks of 64 MB, nodes with 90 MB/s: 7 · 64 ÷ 90 = 5 s, so 6 s. Blocks of 256 MB: 20
 * s.
 */
public final class WidenedHorizon {
  private static final int BLOCKS = 7;
  private static final int MAX_FACTOR = 10;

  private WidenedHorizon() {
  }

  /** The snapshot with a horizon that suits its blocks. */
  public static ClusterSnapshot widen(ClusterSnapshot snapshot) {
    return widen(snapshot, snapshot.parameters().horizonMs());
  }

  /**
   * The same for a snapshot whose horizon may have been widened before.
   *
   * @param setMs the horizon that is set
   */
  public static ClusterSnapshot widen(ClusterSnapshot snapshot, long setMs) {
    NodeTable nodes = snapshot.nodes();
    TaskTable tasks = snapshot.tasks();
    double wholeMs = wholeMs(tasks, true, nodes, nodes.recoverInBytesPerSec());
    if (nodes.writeBytesPerSec() != null) {
      wholeMs = Math.max(wholeMs, wholeMs(tasks, false, nodes, nodes.writeBytesPerSec()));
    }
    long wantedMs = (long) Math.min((double) MAX_FACTOR * setMs, wholeMs);
    return wantedMs <= snapshot.parameters().horizonMs() ? snapshot
        : new ClusterSnapshot(snapshot.parameters().withHorizonMs(wantedMs),
            snapshot.leadMs(), nodes, tasks, snapshot.running(), snapshot.unselected());
  }

  /** In which a mean target receives, or writes, {@link #BLOCKS} blocks; 0 if there are no blocks or no targets. */
  private static double wholeMs(TaskTable tasks, boolean received, NodeTable nodes, long[] nodeBytesPerSec) {
    double bytes = 0;
    double squares = 0;
    for (int task = 0; task < tasks.count(); task++) {
      long blockBytes = received ? tasks.receivedBytes(task) : tasks.sizeBytes()[task];
      bytes += blockBytes;
      squares += (double) blockBytes * blockBytes;
    }
    double bytesPerSec = 0;
    int targets = 0;
    for (int node = 0; node < nodes.count(); node++) {
      if (nodes.acceptsTransfers()[node]) {
        bytesPerSec += nodeBytesPerSec[node];
        targets++;
      }
    }
    return bytes == 0 || bytesPerSec == 0 ? 0 : 1000 * BLOCKS * (squares / bytes) / (bytesPerSec / targets);
  }
}
