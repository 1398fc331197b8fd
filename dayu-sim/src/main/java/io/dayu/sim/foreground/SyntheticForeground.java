/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.foreground;

import io.dayu.sim.Cluster;
import io.dayu.sim.SeedMix;

/**
 * Foreground traffic with the statistics that the paper publishes of its trace (ATC'19 §2.2, Fig. 1c, d, h). Immutable
 * and thread-safe.
 *
 * <p>For each node and direction x = B·sigmoid(μ(t) + σ·z) with z = √c·s + √(1−c)·y. s is the node's own and never
 * changes. y is an AR(1) process that is drawn anew with some probability in each slot (the rare great jumps of
 * Observation 5); its innovations are correlated between in and out. μ(t) follows the hour, the weekday and a slow
 * drift of the whole cluster. A change from one slot to the next is limited to two thirds of B, the largest that the
 * paper saw.
 *
 * <p>Each {@link #open} is a realisation of its own, by seed and first slot: s is common to all, y begins in its
 * stationary state.
 */
public final class SyntheticForeground implements ForegroundModel {
  /** Slot of the paper's trace. */
  public static final long SLOT_MS = 15_000;
  /** One week. */
  public static final long SLOTS = 7 * 24 * 3600 * 1000L / SLOT_MS;

  /**
   * Chosen so that the ideal recovery takes as long as the paper's; the other parameters fit the shape of the traffic.
   */
  public static final double MEAN_LEVEL = -0.46;
  private static final double SIGMA = 0.92;
  private static final double RHO = 0.974;
  private static final double JUMP_PROBABILITY = 0.077;
  private static final double NODE_SHARE = 0.03;
  private static final double IN_OUT_CORRELATION = 0.5;
  private static final double LARGEST_CHANGE = 2 / 3.0;
  private static final double DAY_AMPLITUDE = 0.35;
  private static final double WEEK_AMPLITUDE = 0.10;
  private static final double DRIFT_AMPLITUDE = 0.10;
  private static final double DRIFT_RHO = Math.exp(-SLOT_MS / (2 * 3600 * 1000.0));

  private final Cluster cluster;
  private final long seed;
  private final double meanLevel;

  /** @param meanLevel μ0: the higher, the more traffic; see {@link #MEAN_LEVEL} */
  public SyntheticForeground(Cluster cluster, long seed, double meanLevel) {
    this.cluster = cluster;
    this.seed = seed;
    this.meanLevel = meanLevel;
  }

  @Override
  public int nodes() {
    return cluster.nodes();
  }

  @Override
  public long slotMs() {
    return SLOT_MS;
  }

  @Override
  public long slots() {
    return SLOTS;
  }

  @Override
  public ForegroundStream open(long firstSlot) {
    return new Stream(firstSlot, 0, cluster.nodes());
  }

  /** As {@link #open(long)} for nodes {@code from} to {@code to} - 1 only, which the stream counts from 0. */
  ForegroundStream open(long firstSlot, int from, int to) {
    return new Stream(firstSlot, from, to);
  }

  private final class Stream implements ForegroundStream {
    private final Normals[] normals;
    private final Normals driftNormals;
    private final double[] nodeLevel;
    private final double[] yIn;
    private final double[] yOut;
    private final double[] shareIn;
    private final double[] shareOut;
    private double drift;
    private long slot;
    private boolean started;

    Stream(long firstSlot, int from, int to) {
      slot = firstSlot;
      normals = new Normals[to - from];
      nodeLevel = new double[to - from];
      yIn = new double[to - from];
      yOut = new double[to - from];
      shareIn = new double[to - from];
      shareOut = new double[to - from];
      long streamSeed = SeedMix.seed(seed, firstSlot);
      driftNormals = new Normals(SeedMix.seed(streamSeed, -1));
      drift = driftNormals.first();
      for (int node = 0; node < normals.length; node++) {
        Normals own = new Normals(SeedMix.seed(SeedMix.seed(seed, Long.MIN_VALUE), from + node));
        nodeLevel[node] = Math.sqrt(NODE_SHARE) * own.first();
        normals[node] = new Normals(SeedMix.seed(streamSeed, from + node));
        yIn[node] = normals[node].first();
        yOut[node] = correlated(normals[node]);
      }
    }

    /** A normal that is correlated with the first of the pair. */
    private static double correlated(Normals pair) {
      return IN_OUT_CORRELATION * pair.first() + Math.sqrt(1 - IN_OUT_CORRELATION * IN_OUT_CORRELATION) * pair.second();
    }

    @Override
    public void next(long[] inBytesPerSec, long[] outBytesPerSec) {
      if (started) {
        move();
      }
      double level = meanLevel + cycle();
      for (int node = 0; node < normals.length; node++) {
        shareIn[node] = share(level + SIGMA * (nodeLevel[node] + Math.sqrt(1 - NODE_SHARE) * yIn[node]), shareIn[node]);
        shareOut[node] =
            share(level + SIGMA * (nodeLevel[node] + Math.sqrt(1 - NODE_SHARE) * yOut[node]), shareOut[node]);
        inBytesPerSec[node] = Math.round(shareIn[node] * cluster.bandwidthBytesPerSec(node));
        outBytesPerSec[node] = Math.round(shareOut[node] * cluster.bandwidthBytesPerSec(node));
      }
      started = true;
      slot++;
    }

    private void move() {
      driftNormals.draw();
      drift = DRIFT_RHO * drift + Math.sqrt(1 - DRIFT_RHO * DRIFT_RHO) * driftNormals.first();
      double innovation = Math.sqrt(1 - RHO * RHO);
      for (int node = 0; node < normals.length; node++) {
        Normals own = normals[node];
        own.draw();
        double in = own.first();
        double out = correlated(own);
        yIn[node] = own.uniform() < JUMP_PROBABILITY ? in : RHO * yIn[node] + innovation * in;
        yOut[node] = own.uniform() < JUMP_PROBABILITY ? out : RHO * yOut[node] + innovation * out;
      }
    }

    private double cycle() {
      double seconds = slot * (SLOT_MS / 1000.0);
      return DAY_AMPLITUDE * Math.sin(2 * Math.PI * seconds / (24 * 3600))
          + WEEK_AMPLITUDE * Math.sin(2 * Math.PI * seconds / (7 * 24 * 3600)) + DRIFT_AMPLITUDE * drift;
    }

    private double share(double logit, double before) {
      double share = 1 / (1 + Math.exp(-logit));
      return started ? Math.max(before - LARGEST_CHANGE, Math.min(before + LARGEST_CHANGE, share)) : share;
    }
  }
}
