/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.planning;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.IntRows;
import io.dayu.model.NodeTable;
import io.dayu.model.RunningTable;
import io.dayu.model.TaskTable;
import io.dayu.model.TimeslotPlan;
import io.dayu.schedule.choice.NodeLoads;

import java.util.Arrays;
import java.util.function.IntToLongFunction;

/**
 * What a plan leaves of one direction of all links for further blocks: a transfer begins only if it ends within the
 * horizon, so a link that carries 7.8 blocks until then is full with seven. What is left counts in multiples of a small
 * waiting block, one of the tenth with the fewest bytes: where there are many of those, they fill what others leave.
 * Not thread-safe.
 */
final class UnusedVolume {
  /** At least so many of the waiting blocks tell how long they are, if there are as many. */
  private static final int SAMPLE = 1_000;
  /** One in so many is a small one. */
  private static final int SMALL_PART = 10;

  private final long[] bytesPerSec;
  private final int[] maxStreams;
  private final long[] usedBytes;
  private final int[] streams;

  private UnusedVolume(long[] bytesPerSec, int[] maxStreams) {
    this.bytesPerSec = bytesPerSec;
    this.maxStreams = maxStreams;
    this.usedBytes = new long[bytesPerSec.length];
    this.streams = new int[bytesPerSec.length];
  }

  /**
   * How many bytes of further blocks the nodes could receive, and other nodes send them: what is left beside the new
   * transfers of a plan and the running ones that it keeps.
   */
  static long bytes(ClusterSnapshot snapshot, TimeslotPlan plan) {
    NodeTable nodes = snapshot.nodes();
    TaskTable tasks = snapshot.tasks();
    RunningTable running = snapshot.running();
    UnusedVolume in = new UnusedVolume(nodes.recoverInBytesPerSec(), nodes.maxIncoming());
    UnusedVolume out = new UnusedVolume(nodes.recoverOutBytesPerSec(), nodes.maxOutgoing());
    for (int i = 0; i < plan.count(); i++) {
      int task = plan.task()[i];
      in.add(plan.target()[i], tasks.receivedBytes(task));
      out.add(plan.source()[i], tasks.sizeBytes()[task]);
      out.addAll(plan.furtherSources(), i, tasks.sizeBytes()[task]);
    }
    for (int r = 0; r < running.count(); r++) {
      int task = running.task()[r];
      long leftBytes = plan.runningRateBytesPerSec()[r] > 0 ? tasks.sizeBytes()[task] - running.doneBytes()[r] : 0;
      if (plan.runningSource()[r] != TimeslotPlan.EVICTED) {
        in.add(running.target()[r], tasks.width(task) * leftBytes);
      }
      if (plan.runningSource()[r] >= 0) {
        out.add(plan.runningSource()[r], leftBytes);
        out.addAll(plan.runningFurtherSources(), r, leftBytes);
      }
    }
    int waiting = tasks.count() - running.count();
    long horizonMs = snapshot.parameters().horizonMs();
    return Math.min(in.leftBytes(smallBytes(waiting, tasks::receivedBytes), horizonMs, nodes.acceptsTransfers()),
        out.leftBytes(smallBytes(waiting, task -> tasks.sizeBytes()[task]), horizonMs, null));
  }

  /**
   * The bytes of a small one of the waiting blocks, which come first in the table; at least 1.
   *
   * @param bytes by row
   */
  private static long smallBytes(int waiting, IntToLongFunction bytes) {
    int step = Math.max(1, waiting / SAMPLE);
    long[] sample = new long[(waiting + step - 1) / step];
    for (int i = 0; i < sample.length; i++) {
      sample[i] = bytes.applyAsLong(i * step);
    }
    Arrays.sort(sample);
    return sample.length == 0 ? 1 : Math.max(1, sample[sample.length / SMALL_PART]);
  }

  private void add(int node, long bytes) {
    usedBytes[node] += bytes;
    streams[node]++;
  }

  /** @param nodes in rows; null if no transfer of the plan has any */
  private void addAll(IntRows nodes, int row, long bytes) {
    if (nodes == null) {
      return;
    }
    for (int i = nodes.start(row); i < nodes.end(row); i++) {
      if (nodes.values()[i] >= 0) {
        add(nodes.values()[i], bytes);
      }
    }
  }

  /** @param counts the nodes that count; null for all */
  private long leftBytes(long blockBytes, long horizonMs, boolean[] counts) {
    long sum = 0;
    for (int node = 0; node < usedBytes.length; node++) {
      if (streams[node] < maxStreams[node] && (counts == null || counts[node])) {
        long left = NodeLoads.bytesIn(bytesPerSec[node], horizonMs) - usedBytes[node];
        // A node's only transfer may be of any size.
        sum += left >= blockBytes ? left - left % blockBytes : usedBytes[node] == 0 ? left : 0;
      }
    }
    return sum;
  }
}
