/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

import io.dayu.sim.Cluster;
import io.dayu.sim.foreground.ForegroundHistory;
import io.dayu.sim.foreground.ForegroundModel;
import io.dayu.sim.placement.LostBlocks;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * A lower bound of the recovery time that follows from the placement of replicas: blocks whose every holder is in a
 * set of nodes must be sent by that set, however they are shared among it. Of a group that needs k sources, a set must
 * send what the holders outside it cannot: k internal blocks less the number of these. Static methods only.
 *
 * <p>Any set gives a bound; the ones looked at are made so that it is high. Blocks are spread over their holders as
 * evenly as goes, by bandwidth, in a few passes; then the nodes are taken in the order of how loaded they are for their
 * bandwidth, and each beginning of that order is a set. All nodes that hold anything is the last one. All of a set's
 * B_recover_out is used at every moment.
 */
public final class PlacementBound {
  private static final int PASSES = 4;

  private PlacementBound() {
  }

  /** @param idealSec the bound that does not look at the placement; never less is returned */
  public static double seconds(Cluster cluster, ForegroundModel foreground, long firstSlot, LostBlocks lost,
      SimulationSettings settings, double idealSec) {
    double[] capacity = capacities(cluster, foreground, firstSlot, settings, idealSec);
    int[] order = byFallingLoad(cluster.nodes(), capacity, lost);
    int[] rank = new int[order.length];
    for (int i = 0; i < order.length; i++) {
      rank[order[i]] = i;
    }
    double[] bytesWithin = new double[order.length];
    for (int block = 0; block < lost.count(); block++) {
      int[] ranks = new int[lost.holderCount(block)];
      for (int replica = 0; replica < ranks.length; replica++) {
        ranks[replica] = rank[lost.holder(block, replica)];
      }
      Arrays.sort(ranks);
      for (int i = ranks.length - lost.width(); i < ranks.length; i++) {
        bytesWithin[ranks[i]] += lost.sizeBytes()[block];
      }
    }
    double bytes = 0;
    double carried = 0;
    double worst = 0;
    int worstCount = 0;
    double worstBytes = 0;
    for (int i = 0; i < order.length; i++) {
      bytes += bytesWithin[i];
      carried += capacity[order[i]];
      if (bytes > worst * carried && carried > 0) {
        worst = bytes / carried;
        worstCount = i + 1;
        worstBytes = bytes;
      }
    }
    boolean[] outside = new boolean[order.length];
    Arrays.stream(order, worstCount, order.length).forEach(node -> outside[node] = true);
    return Math.max(idealSec,
        IdealRecovery.sendingSeconds(cluster, foreground, firstSlot, worstBytes, outside, settings));
  }

  /** Bytes that each node can send until the ideal time. */
  private static double[] capacities(Cluster cluster, ForegroundModel foreground, long firstSlot,
      SimulationSettings settings, double idealSec) {
    double[] bytes = new double[cluster.nodes()];
    ForegroundHistory now = new ForegroundHistory(foreground, firstSlot);
    for (double from = 0; from < idealSec; from = now.endMs() / 1000.0) {
      if (from > 0) {
        now.advance();
      }
      double seconds = Math.min(idealSec, now.endMs() / 1000.0) - from;
      for (int node = 0; node < bytes.length; node++) {
        bytes[node] += settings.recoverBytesPerSec(cluster, node, now.out()[node]) * seconds;
      }
    }
    return bytes;
  }

  private static int[] byFallingLoad(int nodes, double[] capacity, LostBlocks lost) {
    double[] load = new double[nodes];
    int width = lost.width();
    int[] sender = new int[lost.count() * width];
    Arrays.fill(sender, -1);
    for (int pass = 0; pass < PASSES; pass++) {
      for (int block = 0; block < lost.count(); block++) {
        for (int i = block * width; i < (block + 1) * width; i++) {
          if (sender[i] >= 0) {
            load[sender[i]] -= lost.sizeBytes()[block];
            sender[i] = -1;
          }
        }
        for (int i = block * width; i < (block + 1) * width; i++) {
          sender[i] = leastLoaded(lost, block, load, capacity, sender);
          load[sender[i]] += lost.sizeBytes()[block];
        }
      }
    }
    return IntStream.range(0, nodes).boxed()
        .sorted(Comparator.comparingDouble(node -> capacity[node] == 0 ? 0 : -load[node] / capacity[node]))
        .mapToInt(node -> node).toArray();
  }

  /** The holder of the block that is none of its senders yet and would be done first with one more block. */
  private static int leastLoaded(LostBlocks lost, int block, double[] load, double[] capacity, int[] sender) {
    long size = lost.sizeBytes()[block];
    int best = -1;
    for (int replica = 0; replica < lost.holdersPerBlock() && lost.holder(block, replica) >= 0; replica++) {
      int node = lost.holder(block, replica);
      boolean taken = false;
      for (int i = block * lost.width(); i < (block + 1) * lost.width(); i++) {
        taken |= sender[i] == node;
      }
      if (!taken && (best < 0 || (load[node] + size) * capacity[best] < (load[best] + size) * capacity[node])) {
        best = node;
      }
    }
    return best;
  }
}
