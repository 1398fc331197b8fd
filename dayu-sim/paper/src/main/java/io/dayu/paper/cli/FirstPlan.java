/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.cli;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.NodeTable;
import io.dayu.model.TimeslotPlan;
import io.dayu.schedule.TimeslotScheduler;

/**
 * How an algorithm plans the first timeslot of a recovery, when nothing is under way yet: the problem that algorithms
 * can be compared on without one's choices becoming the next one's input. Immutable.
 *
 * @param seconds wall time of the call
 * @param blocks that it planned
 * @param plannedBytes of these
 * @param volumeBytes S of equation 2
 * @param latestSec when the busiest node, by c/B of ATC'19 §4.1, would end
 */
public record FirstPlan(double seconds, int blocks, long plannedBytes, long volumeBytes, double latestSec) {

  /** Plans once. */
  public static FirstPlan of(ClusterSnapshot snapshot, TimeslotScheduler scheduler) {
    long startedNs = System.nanoTime();
    TimeslotPlan plan = scheduler.plan(snapshot);
    double seconds = (System.nanoTime() - startedNs) / 1e9;
    NodeTable nodes = snapshot.nodes();
    double[] in = new double[nodes.count()];
    double[] out = new double[nodes.count()];
    long bytes = 0;
    for (int i = 0; i < plan.count(); i++) {
      long size = snapshot.tasks().sizeBytes()[plan.task()[i]];
      bytes += size;
      out[plan.source()[i]] += size;
      in[plan.target()[i]] += size;
    }
    double latest = 0;
    double volumeIn = 0;
    double volumeOut = 0;
    for (int node = 0; node < nodes.count(); node++) {
      latest = Math.max(latest, in[node] == 0 ? 0 : in[node] / nodes.recoverInBytesPerSec()[node]);
      latest = Math.max(latest, out[node] == 0 ? 0 : out[node] / nodes.recoverOutBytesPerSec()[node]);
      volumeIn += nodes.recoverInBytesPerSec()[node];
      volumeOut += nodes.recoverOutBytesPerSec()[node];
    }
    double volume = Math.min(volumeIn, volumeOut) * snapshot.parameters().horizonMs() / 1000;
    return new FirstPlan(seconds, plan.count(), bytes, (long) volume, latest);
  }
}
