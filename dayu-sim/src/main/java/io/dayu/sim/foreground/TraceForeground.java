/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.foreground;

import com.google.common.math.StatsAccumulator;
import io.dayu.sim.Cluster;
import io.dayu.sim.SeedMix;

import java.util.List;
import java.util.stream.IntStream;

/**
 * Traffic from a trace. It starts over when it ends. Immutable and thread-safe.
 *
 * <p>A cluster as large as the trace gets it row by row; for any other size every node gets the rows of a node of the
 * trace drawn by chance, as the paper does beyond its own cluster (ATC'19 §5.2). Or the caller says which row is whose.
 */
public final class TraceForeground implements ForegroundModel {
  private final Cluster cluster;
  private final Trace trace;
  private final double bytesPerUnit;
  private final long slotMs;
  private final int[] rowOfNode;

  /** @param bytesPerUnit bytes/s for a value of 1; what then exceeds the bandwidth of a node is cut off */
  public TraceForeground(Cluster cluster, Trace trace, double bytesPerUnit, long slotMs, long seed) {
    this(cluster, trace, bytesPerUnit, slotMs, rows(cluster.nodes(), trace.nodes().size(), seed));
  }

  /** @param rowOfNode by node, which node of the trace it is */
  public TraceForeground(Cluster cluster, Trace trace, double bytesPerUnit, long slotMs, int[] rowOfNode) {
    this.cluster = cluster;
    this.trace = trace;
    this.bytesPerUnit = bytesPerUnit;
    this.slotMs = slotMs;
    this.rowOfNode = rowOfNode;
  }

  private static int[] rows(int nodes, int rows, long seed) {
    return rows == nodes ? IntStream.range(0, nodes).toArray() : drawn(nodes, rows, seed);
  }

  /** A row for each node, drawn by chance. */
  public static int[] drawn(int nodes, int rows, long seed) {
    int[] rowOfNode = new int[nodes];
    long state = SeedMix.seed(seed, rows);
    for (int node = 0; node < nodes; node++) {
      state = SeedMix.next(state);
      rowOfNode[node] = SeedMix.below(state, rows);
    }
    return rowOfNode;
  }

  /**
   * What exceeds the bandwidth of nodes and is cut off.
   *
   * @param values that are cut
   * @param allValues cut or not
   * @param meanBytesPerSec mean of all before
   * @param leftBytesPerSec and after
   */
  public record Cut(long values, long allValues, double meanBytesPerSec, double leftBytesPerSec) {
  }

  /** Of the whole trace, both directions. */
  public Cut cut() {
    long cut = 0;
    StatsAccumulator before = new StatsAccumulator();
    StatsAccumulator after = new StatsAccumulator();
    for (int node = 0; node < rowOfNode.length; node++) {
      for (float[][] direction : List.of(trace.in(), trace.out())) {
        for (float value : direction[rowOfNode[node]]) {
          long left = scaled(node, value);
          before.add(value * bytesPerUnit);
          after.add(left);
          cut += Math.round(value * bytesPerUnit) > left ? 1 : 0;
        }
      }
    }
    return new Cut(cut, before.count(), before.mean(), after.mean());
  }

  @Override
  public int nodes() {
    return cluster.nodes();
  }

  @Override
  public long slotMs() {
    return slotMs;
  }

  @Override
  public long slots() {
    return trace.slots();
  }

  @Override
  public ForegroundStream open(long firstSlot) {
    long[] slot = {firstSlot};
    return (inBytesPerSec, outBytesPerSec) -> {
      int at = (int) Math.floorMod(slot[0]++, (long) trace.slots());
      for (int node = 0; node < rowOfNode.length; node++) {
        inBytesPerSec[node] = scaled(node, trace.in()[rowOfNode[node]][at]);
        outBytesPerSec[node] = scaled(node, trace.out()[rowOfNode[node]][at]);
      }
    };
  }

  private long scaled(int node, float value) {
    return Math.min(cluster.bandwidthBytesPerSec(node), Math.round(value * bytesPerUnit));
  }
}
