/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

import io.dayu.model.NodeTable;
import io.dayu.sim.Cluster;

/** Compares what each step moves with all of B_recover at that time. Not thread-safe. */
final class LostTimeMeter {
  private final Cluster cluster;
  private final SimulationSettings settings;
  private final Replicas replicas;
  private LostTime total = LostTime.NONE;
  private LostTime sinceTaken = LostTime.NONE;
  /** That of the plan in effect, bytes/s; below 0 before the first. */
  private double plannedBytesPerSec = -1;
  private double grantedBytesPerSec;
  private boolean nothingWaits;
  private double allowedBytes;

  LostTimeMeter(Cluster cluster, SimulationSettings settings, Replicas replicas) {
    this.cluster = cluster;
    this.settings = settings;
    this.replicas = replicas;
  }

  /** A plan takes effect; these are the nodes of its snapshot. */
  void planned(NodeTable nodes) {
    plannedBytesPerSec = Math.min(sum(nodes.recoverInBytesPerSec()), sum(nodes.recoverOutBytesPerSec()));
  }

  private static double sum(long[] values) {
    double sum = 0;
    for (long value : values) {
      sum += value;
    }
    return sum;
  }

  /** A step begins. */
  void begin(Flows flows, int waitingCount) {
    nothingWaits = waitingCount == 0;
    grantedBytesPerSec = 0;
    for (int flow = 0; flow < flows.count(); flow++) {
      grantedBytesPerSec += flows.hasSources(flow) ? granted(flows, flow) : 0;
    }
  }

  /** Stock HDFS grants no rate: then it is what the links carry. */
  private double granted(Flows flows, int flow) {
    int width = flows.width(flow);
    long links = cluster.bandwidthBytesPerSec(flows.target[flow]);
    for (int i = 0; i < width; i++) {
      links = Math.min(links, width * cluster.bandwidthBytesPerSec(flows.source(flow, i)));
    }
    return Math.min(links, width * flows.grantBytesPerSec[flow]);
  }

  /** And ends. */
  void end(double[] movedOut, long[] foregroundIn, long[] foregroundOut, double seconds) {
    double in = 0;
    double out = 0;
    double moved = 0;
    for (int node = 0; node < movedOut.length; node++) {
      moved += movedOut[node];
      if (!replicas.isDown(node)) {
        in += settings.recoverBytesPerSec(cluster, node, foregroundIn[node]);
        out += settings.recoverBytesPerSec(cluster, node, foregroundOut[node]);
      }
    }
    double bytesPerSec = Math.min(in, out);
    allowedBytes += bytesPerSec * seconds;
    if (bytesPerSec > 0 && seconds > 0) {
      add(bytesPerSec, moved, seconds);
    }
  }

  private void add(double bytesPerSec, double moved, double seconds) {
    double lost = seconds - moved / bytesPerSec;
    LostTime step =
        plannedBytesPerSec < 0 ? new LostTime(lost, 0, 0, 0, 0) : nothingWaits ? new LostTime(0, 0, 0, 0, lost)
            : new LostTime(0, (bytesPerSec - plannedBytesPerSec) / bytesPerSec * seconds,
                (plannedBytesPerSec - grantedBytesPerSec) / bytesPerSec * seconds,
                (grantedBytesPerSec * seconds - moved) / bytesPerSec, 0);
    total = total.plus(step);
    sinceTaken = sinceTaken.plus(step);
  }

  /** What all of B_recover would have let pass. */
  double allowedBytes() {
    return allowedBytes;
  }

  LostTime total() {
    return total;
  }

  /** What was lost since the last call. */
  LostTime take() {
    LostTime taken = sinceTaken;
    sinceTaken = LostTime.NONE;
    return taken;
  }
}
