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
import io.dayu.model.PlanningParameters;
import io.dayu.model.RunningTable;
import io.dayu.model.TaskTable;

/**
 * How near the end of a recovery is: the time that the work of a snapshot would take if all nodes that take part in it
 * could use their bandwidth to the end. Static methods only, hence thread-safe.
 */
public final class RemainingWork {
  /** The next plan is made after this share of the time left. */
  private static final double TIMESLOT_SHARE = 0.5;

  private RemainingWork() {
  }

  /**
   * When to plan next after this snapshot, ms: after T, but near the end sooner (see
   * {@link PlanningParameters#minTimeslotMs}). Without work there is no end to be near.
   */
  public static long timeslotMs(ClusterSnapshot snapshot) {
    RunningTable running = snapshot.running();
    long receivedBytes = 0;
    long writtenBytes = 0;
    for (int r = 0; r < running.count(); r++) {
      int task = running.task()[r];
      long left = snapshot.tasks().sizeBytes()[task] - running.doneBytes()[r];
      receivedBytes += snapshot.tasks().width(task) * left;
      writtenBytes += left;
    }
    PlanningParameters parameters = snapshot.parameters();
    double workMs = millis(snapshot, receivedBytes, writtenBytes);
    if (workMs == 0) {
      return parameters.timeslotMs();
    }
    long share = (long) (TIMESLOT_SHARE * workMs);
    return Math.min(parameters.timeslotMs(), Math.max(parameters.minTimeslotMs(), share));
  }

  /**
   * Time for the waiting blocks and for what the targets of running ones are still to receive and to write; infinite if
   * nothing new can be sent or received.
   */
  public static double millis(ClusterSnapshot snapshot, long runningReceivedBytes, long runningWrittenBytes) {
    TaskTable tasks = snapshot.tasks();
    double received = runningReceivedBytes + snapshot.unselected().copyBytes();
    double written = runningWrittenBytes + snapshot.unselected().copyBytes();
    for (int task = 0; task < tasks.count(); task++) {
      received += (double) tasks.copies()[task] * tasks.receivedBytes(task);
      written += (double) tasks.copies()[task] * tasks.sizeBytes()[task];
    }
    NodeTable nodes = snapshot.nodes();
    double in = 0;
    double out = 0;
    double write = nodes.writeBytesPerSec() == null ? Double.POSITIVE_INFINITY : 0;
    for (int node = 0; node < nodes.count(); node++) {
      boolean receives = nodes.acceptsTransfers()[node] && nodes.maxIncoming()[node] > 0;
      in += receives ? nodes.recoverInBytesPerSec()[node] : 0;
      write += receives && nodes.writeBytesPerSec() != null ? nodes.writeBytesPerSec()[node] : 0;
      out += nodes.maxOutgoing()[node] > 0 ? nodes.recoverOutBytesPerSec()[node] : 0;
    }
    return in == 0 || out == 0 || write == 0 ? Double.POSITIVE_INFINITY
        : Math.max(1000 * received / Math.min(in, out), 1000 * written / write);
  }
}
