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
import io.dayu.sim.incident.Incident;
import io.dayu.sim.placement.LostBlocks;
import io.dayu.sim.placement.RackRule;

import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.ToDoubleFunction;

/**
 * The ideal recovery time, to which every result is compared: all of B_recover is used at every moment, with perfect
 * knowledge of the foreground (ATC'19 Observation 2). Static methods only, hence thread-safe.
 *
 * <p>In each slot the direction with the smaller sum counts, and B_recover is that of equation 1 with the floor under
 * B_min. The ideals of measured runs are other formulas: {@code MeasuredIdeal} of the demo and {@code IdealTime} of the
 * benchmark on hosts give each direction a time of its own and count the longer one. So compare a time only with the
 * ideal of its own report.
 */
public final class IdealRecovery {
  private static final int MAX_SLOTS = 1_000_000;

  private IdealRecovery() {
  }

  /** Seconds until {@code bytes} are moved at min(ΣB_recover_in, ΣB_recover_out) over the surviving nodes. */
  public static double seconds(Cluster cluster, ForegroundModel foreground, long firstSlot, int failedNode, long bytes,
      SimulationSettings settings) {
    return seconds(cluster, foreground, firstSlot, failedNode, bytes, settings, now -> Double.POSITIVE_INFINITY);
  }

  /**
   * Seconds until all blocks are moved; where all must go to another rack, not faster than the uplinks carry beside
   * the foreground.
   */
  public static double seconds(Cluster cluster, ForegroundModel foreground, long firstSlot, LostBlocks lost,
      SimulationSettings settings) {
    boolean allCross = cluster.uplinks().bounded()
        && !lost.kinds().any(kind -> kind.rackRule() != RackRule.ALL_DISTINCT);
    return seconds(cluster, foreground, firstSlot, lost.failedNode(), lost.movedBytes(), settings,
        now -> allCross ? acrossRacks(cluster, now) : Double.POSITIVE_INFINITY);
  }

  /**
   * Seconds until all that a list of events loses is moved, at all of B_recover of the remaining nodes. Neither copies
   * that a later event destroys nor the blocks of a node that comes back are counted, so this is a lower bound.
   */
  public static double seconds(Cluster cluster, ForegroundModel foreground, long firstSlot, Incident incident,
      SimulationSettings settings) {
    Replicas replicas = new Replicas(incident, cluster.nodes());
    ForegroundHistory now = new ForegroundHistory(foreground, firstSlot);
    double left = 0;
    double endSec = 0;
    for (long ms = 0; left > 0 || replicas.hasEvents();) {
      long before = replicas.lackingBytes();
      replicas.advance(ms);
      left = Math.max(0, left + replicas.lackingBytes() - before);
      double bytesPerSec = bytesPerSec(cluster, now, replicas::isDown, settings);
      long until = Math.min(now.endMs(), replicas.nextEventMs());
      double moved = bytesPerSec * (until - ms) / 1000;
      endSec = left == 0 ? endSec : ms / 1000.0 + Math.min(1, left / moved) * (until - ms) / 1000;
      left = Math.max(0, left - moved);
      ms = until;
      if (ms == now.endMs()) {
        now.advance();
      }
      if (ms / foreground.slotMs() > MAX_SLOTS) {
        throw new IllegalArgumentException(
            "the foreground leaves nothing to recover with: " + left + " bytes are left after " + MAX_SLOTS + " slots");
      }
    }
    return endSec;
  }

  private static double acrossRacks(Cluster cluster, ForegroundHistory now) {
    long[] capacity = cluster.uplinks().bytesPerSec();
    double[] up = new double[capacity.length];
    double[] down = new double[capacity.length];
    for (int node = 0; node < cluster.nodes(); node++) {
      up[cluster.rack(node)] += cluster.uplinks().foregroundShare() * now.out()[node];
      down[cluster.rack(node)] += cluster.uplinks().foregroundShare() * now.in()[node];
    }
    double leftUp = 0;
    double leftDown = 0;
    for (int rack = 0; rack < capacity.length; rack++) {
      leftUp += Math.max(0, capacity[rack] - up[rack]);
      leftDown += Math.max(0, capacity[rack] - down[rack]);
    }
    return Math.min(leftUp, leftDown);
  }

  private static double seconds(Cluster cluster, ForegroundModel foreground, long firstSlot, int failedNode, long bytes,
      SimulationSettings settings, ToDoubleFunction<ForegroundHistory> maxBytesPerSec) {
    ForegroundHistory now = new ForegroundHistory(foreground, firstSlot);
    double slotSeconds = foreground.slotMs() / 1000.0;
    double left = bytes;
    for (int slot = 0; slot < MAX_SLOTS; slot++) {
      double bytesPerSec = Math.min(bytesPerSec(cluster, now, node -> node == failedNode, settings),
          maxBytesPerSec.applyAsDouble(now));
      if (bytesPerSec * slotSeconds >= left) {
        return slot * slotSeconds + left / bytesPerSec;
      }
      left -= bytesPerSec * slotSeconds;
      now.advance();
    }
    throw new IllegalArgumentException(
        "the foreground leaves nothing to recover with: " + left + " bytes are left after " + MAX_SLOTS + " slots");
  }

  /** Seconds until these bytes are moved at the sum of B_recover, of one direction, of nodes that are not outside. */
  static double seconds(Cluster cluster, ForegroundModel foreground, long firstSlot, double bytes, boolean[] outside,
      Function<ForegroundHistory, long[]> direction, SimulationSettings settings) {
    ForegroundHistory now = new ForegroundHistory(foreground, firstSlot);
    double slotSeconds = foreground.slotMs() / 1000.0;
    double left = bytes;
    for (int slot = 0; slot < MAX_SLOTS; slot++) {
      double bytesPerSec = 0;
      for (int node = 0; node < outside.length; node++) {
        bytesPerSec += outside[node] ? 0 : settings.recoverBytesPerSec(cluster, node, direction.apply(now)[node]);
      }
      if (bytesPerSec * slotSeconds >= left) {
        return slot * slotSeconds + (left == 0 ? 0 : left / bytesPerSec);
      }
      left -= bytesPerSec * slotSeconds;
      now.advance();
    }
    return Double.POSITIVE_INFINITY;
  }

  /** Bytes that can be moved in the first {@code spanMs} from the begin of {@code firstSlot}. */
  public static double bytes(Cluster cluster, ForegroundModel foreground, long firstSlot, int failedNode, long spanMs,
      SimulationSettings settings) {
    ForegroundHistory now = new ForegroundHistory(foreground, firstSlot);
    double bytes = 0;
    for (long ms = 0; ms < spanMs; ms = now.endMs()) {
      if (ms > 0) {
        now.advance();
      }
      bytes += bytesPerSec(cluster, now, node -> node == failedNode, settings)
          * (Math.min(spanMs, now.endMs()) - ms) / 1000;
    }
    return bytes;
  }

  private static double bytesPerSec(Cluster cluster, ForegroundHistory now, IntPredicate down,
      SimulationSettings settings) {
    double in = 0;
    double out = 0;
    for (int node = 0; node < cluster.nodes(); node++) {
      if (!down.test(node)) {
        in += settings.recoverBytesPerSec(cluster, node, now.in()[node]);
        out += settings.recoverBytesPerSec(cluster, node, now.out()[node]);
      }
    }
    return Math.min(in, out);
  }
}
