/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

import io.dayu.conf.Settings;
import io.dayu.sim.Cluster;
import io.dayu.sim.foreground.ForegroundHistory;
import io.dayu.sim.foreground.ForegroundModel;

import java.util.Arrays;

/**
 * The product's agents, as far as rates go: which of the transfers granted run, and what each end of a link lets pass.
 * A fluid form of the three phantom queues of {@code io.dayu.datanode.transfer.LinkShaper} and of {@code TransferLimit}
 * there. Not thread-safe; arrays are sized once.
 *
 * <p>Links 0 to nodes - 1 are what the nodes send, the next ones what they receive.
 */
final class Agents {
  /** From this use on a link counts as full, as a share of what it could take. */
  private static final double FULL = 0.97;

  private final Shaping shaping;
  private final int nodes;
  /** By link. */
  private final double[] linkBytesPerSec;
  private final double[] alphaBytesPerSec;
  private final double[] minBytesPerSec;
  /** Above 0 a debt, below a credit. */
  private final double[] slowQueueBytes;
  /** What recovery had more than B_min of late; below 0: less. */
  private final double[] guaranteeBytes;
  /** Bytes of the last step that were left unused by transfers which ended in it. */
  private final double[] unusedBytes;
  private final double[] allowed;
  private final int[] running;
  private final int[] limit;
  /** Transfers that are granted to a node and do not run. */
  private final int[] waiting;
  /** By node: how long its inbound link has had room, and how long it has been full. */
  private final long[] roomMs;
  private final long[] fullMs;
  /** For how long its limit has not risen. */
  private final long[] raisedMs;

  Agents(SimulationSettings settings, Cluster cluster) {
    shaping = settings.refinements().shaping();
    nodes = cluster.nodes();
    linkBytesPerSec = new double[2 * nodes];
    alphaBytesPerSec = new double[2 * nodes];
    minBytesPerSec = new double[2 * nodes];
    for (int link = 0; link < 2 * nodes; link++) {
      linkBytesPerSec[link] = cluster.bandwidthBytesPerSec(link % nodes);
      alphaBytesPerSec[link] = settings.alpha() * linkBytesPerSec[link];
      minBytesPerSec[link] = Math.min(alphaBytesPerSec[link], settings.minBytesPerSec(cluster, link % nodes));
    }
    slowQueueBytes = new double[2 * nodes];
    guaranteeBytes = new double[2 * nodes];
    unusedBytes = new double[2 * nodes];
    allowed = new double[2 * nodes];
    running = new int[nodes];
    limit = new int[nodes];
    waiting = new int[nodes];
    fullMs = new long[nodes];
    roomMs = new long[nodes];
    Arrays.fill(roomMs, Settings.FILL_AFTER_MS);
    raisedMs = new long[nodes];
    Arrays.fill(raisedMs, Settings.FILL_AFTER_MS);
    Arrays.fill(limit, shaping.minRunning());
  }

  /** Lets links save up what foreground left of α before the failure. */
  void saveUp(ForegroundHistory history, ForegroundModel model) {
    long slotMs = model.slotMs();
    for (long fromMs = -ForegroundHistory.reachMs(model); fromMs < 0; fromMs += slotMs) {
      for (int node = 0; node < nodes; node++) {
        count(node, 0, history.meanOut(node, fromMs, fromMs + slotMs), slotMs / 1000.0);
        count(nodes + node, 0, history.meanIn(node, fromMs, fromMs + slotMs), slotMs / 1000.0);
      }
    }
  }

  /** Starts queued transfers, in the order of their grants, and sets the maximum rate of each that runs. */
  void start(Flows flows) {
    Arrays.fill(running, 0);
    Arrays.fill(waiting, 0);
    for (int flow = 0; flow < flows.count(); flow++) {
      running[flows.target[flow]] += flows.started[flow] ? 1 : 0;
    }
    for (int flow = 0; flow < flows.count(); flow++) {
      int target = flows.target[flow];
      if (!flows.started[flow] && flows.hasSources(flow)) {
        if (running[target] < limit[target]) {
          flows.started[flow] = true;
          running[target]++;
        } else {
          waiting[target]++;
        }
      }
      boolean moves = flows.started[flow] && flows.hasSources(flow);
      flows.allowedBytesPerSec[flow] = moves ? shaping.peak() * linkBytesPerSec[target] / flows.width(flow) : 0;
    }
  }

  /** Limits each link to what its shaper lets pass in the next step. */
  void shape(double[] left, long[] foregroundIn, long[] foregroundOut, double seconds) {
    for (int link = 0; link < 2 * nodes; link++) {
      double foreground = link < nodes ? foregroundOut[link] : foregroundIn[link - nodes];
      double byPeak = shaping.peak() * linkBytesPerSec[link] - foreground;
      double byMean = alphaBytesPerSec[link] - foreground - slowQueueBytes[link] / seconds;
      double guaranteed = Math.max(0, minBytesPerSec[link] - guaranteeBytes[link] / seconds);
      allowed[link] = Math.max(guaranteed, Math.min(byPeak, byMean));
      left[link] = Math.min(left[link], allowed[link] + unusedBytes[link] / seconds);
    }
  }

  /** Notes what was moved in a step, by node, and raises or lowers how many transfers each target may run. */
  void moved(double[] movedIn, double[] movedOut, long[] foregroundIn, long[] foregroundOut, double seconds) {
    for (int node = 0; node < nodes; node++) {
      count(node, movedOut[node], foregroundOut[node], seconds);
      count(nodes + node, movedIn[node], foregroundIn[node], seconds);
      boolean full = movedIn[node] + unusedBytes[nodes + node] >= FULL * allowed[nodes + node] * seconds;
      limit(node, full, Math.round(1000 * seconds));
    }
  }

  private void limit(int node, boolean full, long stepMs) {
    roomMs[node] = full ? 0 : roomMs[node] + stepMs;
    fullMs[node] += stepMs;
    raisedMs[node] += stepMs;
    if (waiting[node] == 0) {
      limit[node] = Math.max(shaping.minRunning(), Math.min(limit[node], running[node]));
    }
    if (roomMs[node] >= Settings.FILL_AFTER_MS) {
      fullMs[node] = 0;
      if (waiting[node] > 0 && running[node] >= limit[node] && raisedMs[node] >= Settings.FILL_AFTER_MS) {
        limit[node] = running[node] + 1;
        raisedMs[node] = 0;
      }
    } else if (fullMs[node] >= Settings.LOWER_AFTER_MS) {
      limit[node] = Math.max(shaping.minRunning(), limit[node] - 1);
      fullMs[node] = 0;
    }
  }

  private void count(int link, double recoveryBytes, double foregroundBytesPerSec, double seconds) {
    double own = slowQueueBytes[link] + recoveryBytes - alphaBytesPerSec[link] * seconds;
    double all =
        Math.max(own, Math.min(Settings.MEAN_DEBT_SEC * alphaBytesPerSec[link], own + foregroundBytesPerSec * seconds));
    slowQueueBytes[link] = Math.max(-shaping.creditSec() * alphaBytesPerSec[link], all);
    double more = Math.min(Settings.GUARANTEE_DEBT_SEC * minBytesPerSec[link], guaranteeBytes[link] + recoveryBytes)
        - minBytesPerSec[link] * seconds;
    guaranteeBytes[link] = Math.max(-Settings.GUARANTEE_CREDIT_SEC * minBytesPerSec[link], more);
  }

  /**
   * The part of a step that transfers which ended in it left unused, for the next step; set by {@link Transfers#move}.
   */
  double[] unusedBytes() {
    return unusedBytes;
  }
}
