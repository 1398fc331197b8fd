/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.optimum;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.NodeTable;
import io.dayu.model.RunningTable;
import io.dayu.model.TaskTable;

import java.util.Arrays;

/**
 * What is to be decided in a timeslot: for each block whether it is copied, from which holder, and to which node, so
 * that no node sends or receives more than B_recover × horizon (goals 1 and 2 of ATC'19 §3). Running transfers go on
 * and take their share first. One copy of a block; room is no concern, nor is risk: what the simulator asks. Immutable.
 */
final class TimeslotProblem {
  private final ClusterSnapshot snapshot;
  private final long[] outBytes;
  private final long[] inBytes;
  private final int[] outStreams;
  private final int[] inStreams;
  private final int[] rows;

  TimeslotProblem(ClusterSnapshot snapshot) {
    this.snapshot = snapshot;
    NodeTable nodes = snapshot.nodes();
    long horizonMs = snapshot.parameters().horizonMs();
    outBytes = new long[nodes.count()];
    inBytes = new long[nodes.count()];
    outStreams = nodes.maxOutgoing().clone();
    inStreams = nodes.maxIncoming().clone();
    for (int node = 0; node < nodes.count(); node++) {
      outBytes[node] = (long) (nodes.recoverOutBytesPerSec()[node] / 1000.0 * horizonMs);
      inBytes[node] =
          nodes.acceptsTransfers()[node] ? (long) (nodes.recoverInBytesPerSec()[node] / 1000.0 * horizonMs) : 0;
    }
    RunningTable running = snapshot.running();
    for (int r = 0; r < running.count(); r++) {
      inStreams[running.target()[r]]--;
      if (running.source()[r] >= 0) {
        long left = snapshot.tasks().sizeBytes()[running.task()[r]] - running.doneBytes()[r];
        outStreams[running.source()[r]]--;
        outBytes[running.source()[r]] = Math.max(0, outBytes[running.source()[r]] - left);
        inBytes[running.target()[r]] = Math.max(0, inBytes[running.target()[r]] - left);
      }
    }
    int count = 0;
    int[] wanted = new int[snapshot.tasks().count()];
    for (int row = 0; row < wanted.length; row++) {
      if (snapshot.tasks().copies()[row] > 0) {
        wanted[count++] = row;
      }
    }
    rows = Arrays.copyOf(wanted, count);
  }

  ClusterSnapshot snapshot() {
    return snapshot;
  }

  TaskTable tasks() {
    return snapshot.tasks();
  }

  int nodes() {
    return outBytes.length;
  }

  /** The blocks, by row of the task table; not to be written to. */
  int[] rows() {
    return rows;
  }

  /** Bytes that the node can still send within the horizon. */
  long outBytes(int node) {
    return outBytes[node];
  }

  long inBytes(int node) {
    return inBytes[node];
  }

  /** Transfers that the node can still begin to serve. */
  int outStreams(int node) {
    return Math.max(0, outStreams[node]);
  }

  int inStreams(int node) {
    return Math.max(0, inStreams[node]);
  }

  /** Whether a block may go to a node, as far as racks and replicas say. */
  boolean mayReceive(int row, int node) {
    return snapshot.nodes().acceptsTransfers()[node]
        && !tasks().forbiddenFaultDomains().contains(row, snapshot.nodes().rack()[node])
        && !tasks().excludedTargets().contains(row, node) && !tasks().sources().contains(row, node);
  }
}
