/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.sim.engine;

import java.util.Arrays;

/**
 * What agents do between plans: from the rates granted and the foreground of the moment, which they see on their own links, they make the
 * rates that they allow. Not thread-safe; arrays are sized once and reused.
 */
final class AgentRates {
  /** Agents slow a transfer down to not less than this share of its grant. */
  private static final double LEAST_SHARE = 0.5;
  /** Rounds in which surplus is handed out; what is left after them is little. */
  private static final int SURPLUS_ROUNDS = 3;

  private final SimulationSettings settings;
  private final int nodes;
  private final double[] room;
  private final double[] load;

  /** Links 0 to nodes - 1 are what the nodes send, the next ones what they receive. */
  AgentRates(SimulationSettings settings, int nodes) {
    this.settings = settings;
    this.nodes = nodes;
    room = new double[2 * nodes];
    load = new double[2 * nodes];
  }

  /** Sets what is allowed to each flow. */
  void allow(Flows flows, long totalBytesPerSec, long[] foregroundIn, long[] foregroundOut) {
    for (int flow = 0; flow < flows.count(); flow++) {
      flows.allowedBytesPerSec[flow] = flows.source[flow] < 0 ? 0 : flows.grantBytesPerSec[flow];
    }
    Refinements refinements = settings.refinements();
    if (!refinements.agentsYield() && !refinements.agentsUseSurplus() && refinements.queueMs() == 0) {
      return;
    }
    for (int node = 0; node < nodes; node++) {
      room[node] = settings.recoverBytesPerSec(totalBytesPerSec, foregroundOut[node]);
      room[nodes + node] = settings.recoverBytesPerSec(totalBytesPerSec, foregroundIn[node]);
    }
    if (refinements.agentsYield()) {
      slowDown(flows);
    }
    addUp(flows);
    if (refinements.agentsUseSurplus()) {
      for (int round = 0; round < SURPLUS_ROUNDS; round++) {
        useSurplus(flows);
        addUp(flows);
      }
    }
  }

  private void addUp(Flows flows) {
    Arrays.fill(load, 0);
    for (int flow = 0; flow < flows.count(); flow++) {
      double allowed = flows.allowedBytesPerSec[flow];
      if (allowed > 0) {
        load[flows.source[flow]] += allowed;
        load[nodes + flows.target[flow]] += allowed;
      }
    }
  }

  private void slowDown(Flows flows) {
    addUp(flows);
    for (int flow = 0; flow < flows.count(); flow++) {
      if (flows.allowedBytesPerSec[flow] > 0) {
        int out = flows.source[flow];
        int in = nodes + flows.target[flow];
        double share = Math.min(room[out] / load[out], room[in] / load[in]);
        flows.allowedBytesPerSec[flow] *= Math.max(LEAST_SHARE, Math.min(1, share));
      }
    }
  }

  /** Hands out what both ends of a transfer have left, on each link in proportion to the rates. */
  private void useSurplus(Flows flows) {
    for (int flow = 0; flow < flows.count(); flow++) {
      if (flows.allowedBytesPerSec[flow] > 0) {
        int out = flows.source[flow];
        int in = nodes + flows.target[flow];
        double share = Math.min(room[out] / load[out], room[in] / load[in]);
        flows.allowedBytesPerSec[flow] *= Math.max(1, share);
      }
    }
  }

  /** What a transfer from one node to another could use beyond what is allowed to the others, bytes/s, as of the last {@link #allow}. */
  double spare(int source, int target) {
    return Math.min(room[source] - load[source], room[nodes + target] - load[nodes + target]);
  }

  /** Counts a transfer that an agent begins at such a rate. */
  void begin(int source, int target, double bytesPerSec) {
    load[source] += bytesPerSec;
    load[nodes + target] += bytesPerSec;
  }
}
