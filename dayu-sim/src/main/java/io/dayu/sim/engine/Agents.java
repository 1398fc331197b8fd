/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

import io.dayu.conf.Settings;
import io.dayu.shaping.PhantomQueue;
import io.dayu.shaping.TransferLimit;
import io.dayu.sim.Cluster;
import io.dayu.sim.foreground.ForegroundHistory;
import io.dayu.sim.foreground.ForegroundModel;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;

/**
 * The product's agents, as far as rates go: which of the transfers granted run, and what each end of a link lets pass.
 * The queues and the limits are the product's own, on simulated time; {@code io.dayu.datanode.transfer.LinkShaper} asks
 * the same queues packet by packet. Rebuilds of groups without a spare internal block go before others, as there.
 * Copies of blocks with one replica do not, unlike there. Not thread-safe; arrays are sized once.
 *
 * <p>Links 0 to nodes - 1 are what the nodes send, the next ones what they receive.
 */
final class Agents {
  /** From this use on a link counts as full, as a share of what it could take. */
  private static final double FULL = 0.97;

  private final Shaping shaping;
  private final IntPredicate atHighestRisk;
  private final int nodes;
  /** By link. */
  private final double[] linkBytesPerSec;
  /** All traffic of the link: keeps α as a mean. */
  private final PhantomQueue[] mean;
  /** Recovery's traffic: gives it B_min as a mean. */
  private final PhantomQueue[] guarantee;
  /** Bytes of the last step that were left unused by transfers which ended in it. */
  private final double[] unusedBytes;
  private final double[] allowed;
  /** By node, transfers that run, and those of them that rebuild. */
  private final int[] running;
  private final int[] rebuilds;
  /** Of these, those at the highest risk. */
  private final int[] firstRebuilds;
  private final TransferLimit[] limit;
  /** Transfers that are granted to a node and do not run. */
  private final int[] waiting;
  /** By node, for how long its inbound link has had room. */
  private final long[] roomMs;
  private long nowMs;

  /** @param atHighestRisk which blocks, and groups, the next loss may be the end of */
  Agents(SimulationSettings settings, Cluster cluster, IntPredicate atHighestRisk) {
    this.atHighestRisk = atHighestRisk;
    shaping = settings.refinements().shaping();
    nodes = cluster.nodes();
    linkBytesPerSec = new double[2 * nodes];
    mean = new PhantomQueue[2 * nodes];
    guarantee = new PhantomQueue[2 * nodes];
    for (int link = 0; link < 2 * nodes; link++) {
      linkBytesPerSec[link] = cluster.bandwidthBytesPerSec(link % nodes);
      double alphaBytesPerSec = settings.limits().alpha() * linkBytesPerSec[link];
      double minBytesPerSec = Math.min(alphaBytesPerSec, settings.minBytesPerSec(cluster, link % nodes));
      mean[link] = new PhantomQueue(alphaBytesPerSec, shaping.creditSec(), Settings.MEAN_DEBT_SEC, 0);
      guarantee[link] =
          new PhantomQueue(minBytesPerSec, Settings.GUARANTEE_CREDIT_SEC, Settings.GUARANTEE_DEBT_SEC, 0);
    }
    unusedBytes = new double[2 * nodes];
    allowed = new double[2 * nodes];
    running = new int[nodes];
    rebuilds = new int[nodes];
    firstRebuilds = new int[nodes];
    limit = new TransferLimit[nodes];
    Arrays.setAll(limit, node -> new TransferLimit(shaping.minRunning(), 0));
    waiting = new int[nodes];
    roomMs = new long[nodes];
    Arrays.fill(roomMs, Settings.FILL_AFTER_MS);
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
    Arrays.fill(rebuilds, 0);
    Arrays.fill(firstRebuilds, 0);
    Arrays.fill(waiting, 0);
    for (int flow = 0; flow < flows.count(); flow++) {
      boolean runs = flows.started[flow] && flows.hasSources(flow);
      running[flows.target[flow]] += runs ? 1 : 0;
      // One that a plan has stopped keeps no place of another rebuild.
      if (runs && isRebuild(flows, flow) && flows.grantBytesPerSec[flow] > 0) {
        countRebuild(flows, flow);
      }
    }
    for (int flow = 0; flow < flows.count(); flow++) {
      int target = flows.target[flow];
      if (!flows.started[flow] && flows.hasSources(flow)) {
        if (hasPlace(flows, flow)) {
          flows.started[flow] = true;
          running[target]++;
          if (isRebuild(flows, flow)) {
            countRebuild(flows, flow);
          }
        } else {
          waiting[target]++;
        }
      }
    }
    for (int flow = 0; flow < flows.count(); flow++) {
      boolean moves = flows.started[flow] && flows.hasSources(flow);
      double linkShare = shaping.peak() * linkBytesPerSec[flows.target[flow]] / flows.width(flow);
      flows.allowedBytesPerSec[flow] = moves ? weight(flows, flow) * linkShare : 0;
    }
  }

  /** One at the highest risk needs no free place, unless one that has taken such a place runs. */
  private boolean hasPlace(Flows flows, int flow) {
    int target = flows.target[flow];
    boolean first = goesFirst(flows, flow);
    int more = first && firstRebuilds[target] == 0 ? 1 : 0;
    return running[target] < limit[target].get() + more
        && (!isRebuild(flows, flow) || (first ? firstRebuilds : rebuilds)[target] < Settings.MAX_REBUILDS);
  }

  private void countRebuild(Flows flows, int flow) {
    rebuilds[flows.target[flow]]++;
    firstRebuilds[flows.target[flow]] += goesFirst(flows, flow) ? 1 : 0;
  }

  private boolean goesFirst(Flows flows, int flow) {
    return isRebuild(flows, flow) && atHighestRisk.test(flows.block[flow]);
  }

  /** What a flow weighs on a full link. Those at the highest risk share their weight, by how many their target runs. */
  private double weight(Flows flows, int flow) {
    return goesFirst(flows, flow)
        ? Math.max(1, (double) Settings.HIGHEST_RISK_WEIGHT / Math.max(1, firstRebuilds[flows.target[flow]])) : 1;
  }

  private static boolean isRebuild(Flows flows, int flow) {
    return flows.width(flow) > 1;
  }

  /** Limits each link to what its shaper lets pass in the next step. */
  void shape(double[] left, long[] foregroundIn, long[] foregroundOut, double seconds) {
    for (int link = 0; link < 2 * nodes; link++) {
      double foreground = link < nodes ? foregroundOut[link] : foregroundIn[link - nodes];
      double byPeak = shaping.peak() * linkBytesPerSec[link] - foreground;
      double byMean = mean[link].rateUntilEmpty(foreground, seconds);
      double guaranteed = Math.max(0, guarantee[link].rateUntilEmpty(0, seconds));
      allowed[link] = Math.max(guaranteed, Math.min(byPeak, byMean));
      left[link] = Math.min(left[link], allowed[link] + unusedBytes[link] / seconds);
    }
  }

  /** Notes what was moved in a step, by node, and raises or lowers how many transfers each target may run. */
  void moved(double[] movedIn, double[] movedOut, long[] foregroundIn, long[] foregroundOut, double seconds) {
    long stepMs = Math.round(1000 * seconds);
    nowMs += stepMs;
    for (int node = 0; node < nodes; node++) {
      count(node, movedOut[node], foregroundOut[node], seconds);
      count(nodes + node, movedIn[node], foregroundIn[node], seconds);
      boolean full = movedIn[node] + unusedBytes[nodes + node] >= FULL * allowed[nodes + node] * seconds;
      roomMs[node] = full ? 0 : roomMs[node] + stepMs;
      limit[node].look(roomMs[node] >= Settings.FILL_AFTER_MS, running[node], waiting[node] > 0,
          TimeUnit.MILLISECONDS.toNanos(nowMs));
    }
  }

  private void count(int link, double recoveryBytes, double foregroundBytesPerSec, double seconds) {
    mean[link].pass(seconds, recoveryBytes, foregroundBytesPerSec * seconds);
    guarantee[link].pass(0, 0, recoveryBytes);
    guarantee[link].pass(seconds, 0, 0);
  }

  /**
   * The part of a step that transfers which ended in it left unused, for the next step; set by {@link Transfers#move}.
   */
  double[] unusedBytes() {
    return unusedBytes;
  }
}
