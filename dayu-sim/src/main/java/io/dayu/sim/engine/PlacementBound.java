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
import io.dayu.sim.placement.PossibleTargets;

import java.util.Arrays;
import java.util.Comparator;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/**
 * A lower bound of the recovery time that follows from the placement of replicas: blocks whose every holder is in a
 * set of nodes must be sent by that set, however they are shared among it. Of a group that needs k sources, a set must
 * send what the holders outside it cannot: k internal blocks less the number of these. Likewise a set must receive
 * what no other node may; that is looked at on small clusters only, since on large ones nearly all nodes may.
 *
 * <p>Any set gives a bound; the ones looked at are made so that it is high. Blocks are spread over their nodes as
 * evenly as goes, by bandwidth, in a few passes; then the nodes are taken in the order of how loaded they are for their
 * bandwidth, and each beginning of that order is a set. All nodes that occur are the last one. All of a set's B_recover
 * is used at every moment.
 */
public final class PlacementBound {
  private static final int PASSES = 4;
  /** Larger clusters have so many possible targets for each block that no set of them is pressed. */
  private static final int MAX_NODES_FOR_TARGETS = 64;

  private final Cluster cluster;
  private final ForegroundModel foreground;
  private final long firstSlot;
  private final LostBlocks lost;
  private final SimulationSettings settings;
  private final double idealSec;

  private PlacementBound(Cluster cluster, ForegroundModel foreground, long firstSlot, LostBlocks lost,
      SimulationSettings settings, double idealSec) {
    this.cluster = cluster;
    this.foreground = foreground;
    this.firstSlot = firstSlot;
    this.lost = lost;
    this.settings = settings;
    this.idealSec = idealSec;
  }

  /** @param idealSec the bound that does not look at the placement; never less is returned */
  public static double seconds(Cluster cluster, ForegroundModel foreground, long firstSlot, LostBlocks lost,
      SimulationSettings settings, double idealSec) {
    PlacementBound bound = new PlacementBound(cluster, foreground, firstSlot, lost, settings, idealSec);
    double sending =
        bound.seconds(new Side(lost::width, block -> 1, ForegroundHistory::out, block -> holders(lost, block)));
    double receiving = cluster.nodes() > MAX_NODES_FOR_TARGETS ? 0 : bound.seconds(
        new Side(block -> 1, lost::width, ForegroundHistory::in, block -> PossibleTargets.of(lost, block, cluster)));
    return Math.max(idealSec, Math.max(sending, receiving));
  }

  private static int[] holders(LostBlocks lost, int block) {
    return IntStream.range(0, lost.holderCount(block)).map(replica -> lost.holder(block, replica)).toArray();
  }

  /**
   * What one direction of the links must carry.
   *
   * @param width nodes that move a block, by block
   * @param factor sizes of the block that each of them moves, by block
   * @param foreground by node, of this direction
   * @param among nodes that can, by block
   */
  private record Side(IntUnaryOperator width, IntUnaryOperator factor,
      Function<ForegroundHistory, long[]> foreground, IntFunction<int[]> among) {
    int width(int block) {
      return width.applyAsInt(block);
    }

    /** Bytes of the block that each of its nodes moves. */
    long bytes(LostBlocks lost, int block) {
      return factor.applyAsInt(block) * lost.sizeBytes()[block];
    }
  }

  private double seconds(Side side) {
    int[][] among = IntStream.range(0, lost.count()).mapToObj(side.among).toArray(int[][]::new);
    double[] capacity = capacities(side);
    int[] order = byFallingLoad(side, among, capacity);
    int[] rank = new int[order.length];
    for (int i = 0; i < order.length; i++) {
      rank[order[i]] = i;
    }
    double[] bytesWithin = new double[order.length];
    for (int block = 0; block < among.length; block++) {
      int[] ranks = IntStream.of(among[block]).map(node -> rank[node]).sorted().toArray();
      for (int i = Math.max(0, ranks.length - side.width(block)); i < ranks.length; i++) {
        bytesWithin[ranks[i]] += side.bytes(lost, block);
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
    return IdealRecovery.seconds(cluster, foreground, firstSlot, worstBytes, outside, side.foreground, settings);
  }

  /** Bytes that each node can move until the ideal time. */
  private double[] capacities(Side side) {
    double[] bytes = new double[cluster.nodes()];
    ForegroundHistory now = new ForegroundHistory(foreground, firstSlot);
    for (double from = 0; from < idealSec; from = now.endMs() / 1000.0) {
      if (from > 0) {
        now.advance();
      }
      double seconds = Math.min(idealSec, now.endMs() / 1000.0) - from;
      long[] clients = side.foreground.apply(now);
      for (int node = 0; node < bytes.length; node++) {
        bytes[node] += settings.recoverBytesPerSec(cluster, node, clients[node]) * seconds;
      }
    }
    return bytes;
  }

  private int[] byFallingLoad(Side side, int[][] among, double[] capacity) {
    double[] load = new double[capacity.length];
    int[][] movers = new int[among.length][];
    for (int pass = 0; pass < PASSES; pass++) {
      for (int block = 0; block < among.length; block++) {
        long size = side.bytes(lost, block);
        for (int node : movers[block] == null ? new int[0] : movers[block]) {
          load[node] -= size;
        }
        movers[block] = new int[Math.min(side.width(block), among[block].length)];
        Arrays.fill(movers[block], -1);
        for (int i = 0; i < movers[block].length; i++) {
          int mover = leastLoaded(among[block], size, load, capacity, movers[block]);
          movers[block][i] = mover;
          load[mover] += size;
        }
      }
    }
    return IntStream.range(0, load.length).boxed()
        .sorted(Comparator.comparingDouble(node -> capacity[node] == 0 ? 0 : -load[node] / capacity[node]))
        .mapToInt(node -> node).toArray();
  }

  /** The node that does not move the block yet and would be done first with one more block. */
  private static int leastLoaded(int[] among, long size, double[] load, double[] capacity, int[] movers) {
    int best = -1;
    for (int node : among) {
      if (!contains(movers, node)
          && (best < 0 || (load[node] + size) * capacity[best] < (load[best] + size) * capacity[node])) {
        best = node;
      }
    }
    return best;
  }

  private static boolean contains(int[] few, int value) {
    for (int one : few) {
      if (one == value) {
        return true;
      }
    }
    return false;
  }
}
