/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.optimum;

import io.dayu.model.NodeTable;
import io.dayu.model.RunningTable;
import io.dayu.model.TimeslotPlan;
import io.dayu.schedule.rates.ProgressiveFilling;
import io.dayu.schedule.rates.TransferLinks;

import java.util.Arrays;

/**
 * What a solver chose, made into a plan: choices that do not fit are left out, and rates are production's own. Not
 * thread-safe; used once.
 */
final class Choices {
  private final TimeslotProblem problem;
  private final long[] outLeft;
  private final long[] inLeft;
  private final int[] outStreams;
  private final int[] inStreams;
  private final int[] task;
  private final int[] source;
  private final int[] target;
  private int count;
  private long plannedBytes;

  Choices(TimeslotProblem problem) {
    this.problem = problem;
    int nodes = problem.nodes();
    outLeft = new long[nodes];
    inLeft = new long[nodes];
    outStreams = new int[nodes];
    inStreams = new int[nodes];
    for (int node = 0; node < nodes; node++) {
      outLeft[node] = problem.outBytes(node);
      inLeft[node] = problem.inBytes(node);
      outStreams[node] = problem.outStreams(node);
      inStreams[node] = problem.inStreams(node);
    }
    task = new int[problem.rows().length];
    source = new int[task.length];
    target = new int[task.length];
  }

  /** Adds a transfer if both ends can still carry it. */
  void add(int row, int from, int to) {
    long bytes = problem.tasks().sizeBytes()[row];
    if (outLeft[from] >= bytes && inLeft[to] >= bytes && outStreams[from] > 0 && inStreams[to] > 0) {
      outLeft[from] -= bytes;
      inLeft[to] -= bytes;
      outStreams[from]--;
      inStreams[to]--;
      task[count] = row;
      source[count] = from;
      target[count++] = to;
      plannedBytes += bytes;
    }
  }

  TimeslotPlan plan() {
    NodeTable nodes = problem.snapshot().nodes();
    RunningTable running = problem.snapshot().running();
    int nodeCount = nodes.count();
    TransferLinks links = new TransferLinks();
    links.reset(2 * nodeCount);
    double in = 0;
    double out = 0;
    for (int node = 0; node < nodeCount; node++) {
      links.setCapacity(node, nodes.recoverOutBytesPerSec()[node]);
      links.setCapacity(nodeCount + node, nodes.recoverInBytesPerSec()[node]);
      in += nodes.recoverInBytesPerSec()[node];
      out += nodes.recoverOutBytesPerSec()[node];
    }
    int[] runningSource = new int[running.count()];
    for (int r = 0; r < running.count(); r++) {
      runningSource[r] = running.source()[r] < 0 ? TimeslotPlan.NO_SOURCE : running.source()[r];
      if (runningSource[r] >= 0) {
        long left = problem.tasks().sizeBytes()[running.task()[r]] - running.doneBytes()[r];
        add(links, left, runningSource[r], nodeCount + running.target()[r]);
        plannedBytes += left;
      }
    }
    for (int i = 0; i < count; i++) {
      add(links, problem.tasks().sizeBytes()[task[i]], source[i], nodeCount + target[i]);
    }
    long[] rates = new long[links.count()];
    new ProgressiveFilling().allocate(links, rates);
    long[] runningRate = new long[running.count()];
    int next = 0;
    for (int r = 0; r < running.count(); r++) {
      runningRate[r] = runningSource[r] >= 0 ? rates[next++] : 0;
    }
    long volumeBytes = (long) (Math.min(in, out) * problem.snapshot().parameters().horizonMs() / 1000);
    return new TimeslotPlan(Arrays.copyOf(task, count), Arrays.copyOf(source, count), Arrays.copyOf(target, count),
        Arrays.copyOfRange(rates, next, next + count), runningSource, runningRate, plannedBytes, volumeBytes);
  }

  private static void add(TransferLinks links, long bytes, int out, int in) {
    links.add(Math.max(1, bytes));
    links.crosses(out);
    links.crosses(in);
  }
}
