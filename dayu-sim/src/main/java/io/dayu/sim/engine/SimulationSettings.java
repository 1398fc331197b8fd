/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

import io.dayu.model.PlanningParameters;
import io.dayu.rules.RecoveryBandwidth;
import io.dayu.sim.Cluster;
import io.dayu.sim.foreground.ForegroundHistory;
import io.dayu.sim.foreground.ForegroundModel;

/**
 * How one recovery is run. Immutable.
 *
 * @param planning settings of the scheduler; its timeslot is the planning period
 * @param limits what recovery may use of a link
 * @param knowledge which foreground the scheduler is told
 * @param reports how it becomes known
 * @param execution how long planning takes, and how much may happen at once
 * @param refinements what an algorithm has beyond rates granted for a fixed timeslot
 * @param physics how links are shared
 */
public record SimulationSettings(PlanningParameters planning, Limits limits, Knowledge knowledge, LoadReports reports,
    Execution execution, Refinements refinements, LinkPhysics physics) {

  /**
   * Equation 1.
   *
   * @param alpha α
   * @param minBytesPerSec B_min of a usual node; that of others is in proportion to their bandwidth
   * @param minYields whether B_min is never more than the foreground leaves of the link, nor less than 4 % of it
   *     ({@link RecoveryBandwidth}); equation 1 knows no such bound
   */
  public record Limits(double alpha, long minBytesPerSec, boolean minYields) {
    public Limits {
      new RecoveryBandwidth(alpha, minYields); // Checks alpha.
      check("minimum bandwidth", minBytesPerSec, 0);
    }
  }

  /**
   * How long planning takes, and how much may happen at once.
   *
   * @param leadMs from the snapshot that a plan is made of until the plan takes effect: planning, commit, and the way
   *     to the agents
   * @param planningThreads number of threads that share the time of a call of the scheduler evenly. A call that takes
   *     longer than the lead delays the plan; results then depend on the machine. 0 = the time of planning is not
   *     counted
   * @param maxStreams transfers that a node sends at once, and receives at once
   * @param limitMs the simulation ends after this time, finished or not
   */
  public record Execution(long leadMs, int planningThreads, int maxStreams, long limitMs) {
    public Execution {
      check("lead", leadMs, 0);
      check("planning threads", planningThreads, 0);
      check("maximum streams", maxStreams, 1);
      check("limit", limitMs, 1);
    }
  }

  /** Above this share of B_total traffic counts as overload, whatever α is (equation 3). */
  public static final double OVERLOAD_SHARE = 0.75;

  /** Without refinements. */
  public SimulationSettings(PlanningParameters planning, Limits limits, Knowledge knowledge, LoadReports reports,
      Execution execution) {
    this(planning, limits, knowledge, reports, execution, Refinements.NONE, LinkPhysics.PRIORITY);
  }

  /** These settings with other refinements. */
  public SimulationSettings with(Refinements others) {
    return new SimulationSettings(planning, limits, knowledge, reports, execution, others, physics);
  }

  /** These settings with other physics of links. */
  public SimulationSettings with(LinkPhysics others) {
    return new SimulationSettings(planning, limits, knowledge, reports, execution, refinements, others);
  }

  private static void check(String what, long value, long least) {
    if (value < least) {
      throw new IllegalArgumentException(what + " = " + value + ", expected at least " + least);
    }
  }

  /** These settings, if the past of such a model reaches back far enough for its reports. */
  public SimulationSettings forSlotsOf(ForegroundModel model) {
    long wantedMs = reports.intervalMs() + reports.windowMs() + reports.delayMs();
    if (wantedMs > ForegroundHistory.reachMs(model)) {
      throw new IllegalArgumentException("report interval = " + reports.intervalMs() + " ms, window = "
          + reports.windowMs() + " ms and delay = " + reports.delayMs() + " ms, expected at most "
          + ForegroundHistory.reachMs(model)
          + " ms together for a foreground with slots of " + model.slotMs() + " ms");
    }
    return this;
  }

  /** B_recover of a node with this foreground (equation 1). */
  public long recoverBytesPerSec(Cluster cluster, int node, long foregroundBytesPerSec) {
    return new RecoveryBandwidth(limits.alpha, limits.minYields).bytesPerSec(cluster.bandwidthBytesPerSec(node),
        foregroundBytesPerSec, minBytesPerSec(cluster, node));
  }

  /** B_min of a node. */
  public long minBytesPerSec(Cluster cluster, int node) {
    long usual = cluster.bandwidthBytesPerSec();
    long own = cluster.bandwidthBytesPerSec(node);
    return own == usual ? limits.minBytesPerSec : Math.round((double) limits.minBytesPerSec * own / usual);
  }
}
