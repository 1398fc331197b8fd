/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.study;

import io.dayu.sim.engine.IdealRecovery;
import io.dayu.sim.engine.Knowledge;
import io.dayu.sim.engine.RecoveryOutcome;
import io.dayu.sim.engine.RecoverySimulation;
import io.dayu.sim.engine.SimulationSettings;
import io.dayu.sim.engine.SlotOutcome;
import io.dayu.sim.experiment.Experiment;
import io.dayu.sim.placement.LostBlocks;

import java.util.List;

/**
 * How much data a cluster recovers in a given time when tasks never run out and the time of planning counts (ATC'19
 * §5.2, Fig. 7).
 *
 * @param recoveredBytes moved, without what was moved for transfers that were given up
 * @param idealBytes all of B_recover used
 * @param planMillisMedian what a call of the scheduler took, on one thread
 * @param planMillisMax the longest
 * @param plans calls of the scheduler
 */
public record Throughput(double recoveredBytes, double idealBytes, double planMillisMedian, double planMillisMax,
    double plans, double interferencePercent) {

  /** Columns of a store with these results. */
  public static final List<String> COLUMNS =
      List.of("recoveredBytes", "idealBytes", "planMillisMedian", "planMillisMax", "plans", "interferencePercent");

  /**
   * Blocks that wait for each node of the cluster, which is what the loss of one node of the paper's trace leaves:
   * 250,000 / 3,500.
   */
  public static final double WAITING_PER_NODE = 250_000 / 3500.0;

  /**
   * What is measured. Immutable.
   *
   * @param scenario with as many chunks as always wait
   * @param spanMs simulated time
   * @param planningThreads that share the time of planning
   */
  public record Spec(SyntheticCluster scenario, Variant variant, long seed, long spanMs, int planningThreads) {

    public static Spec of(int nodes, String algorithm, Knowledge knowledge, long seed, long spanMs,
        int planningThreads) {
      return new Spec(SyntheticCluster.ofSize(nodes, (int) Math.ceil(WAITING_PER_NODE * nodes)),
          Variant.of(algorithm, knowledge), seed, spanMs, planningThreads);
    }

    /** All options in one line, by which a result is found again. */
    public String options() {
      return (this + " " + settings()).replace(',', ';');
    }

    private SimulationSettings settings() {
      return variant.settings(scenario.bandwidthBytesPerSec(), spanMs, planningThreads);
    }

    /** Measures; nothing else should run on the machine meanwhile. */
    public Throughput run() {
      Experiment experiment = scenario.experiment(seed);
      SimulationSettings settings = settings();
      Experiment.Failure failure = experiment.failure(0);
      LostBlocks lost = failure.lost();
      RecoveryOutcome outcome =
          new RecoverySimulation(experiment.cluster(), experiment.foreground(), failure.firstSlot(), lost,
              settings, variant.scheduler().factory().create(settings.planning().horizonMs(), seed),
              scenario.placement(seed).renewal(lost, seed)).run();
      double moved = outcome.slots().stream().mapToDouble(SlotOutcome::movedBytes).sum();
      int plans = outcome.slots().size();
      return new Throughput(moved - outcome.copies().wastedBytes(),
          IdealRecovery.bytes(experiment.cluster(), experiment.foreground(), failure.firstSlot(), lost.failedNode(),
              spanMs, settings),
          plans == 0 ? spanMs : outcome.planMillisMedian(),
          outcome.slots().stream().mapToDouble(SlotOutcome::planMillis).max().orElse(spanMs), plans,
          outcome.interference().percent());
    }
  }

  /** Of an algorithm that plans for longer than the whole span, on a smaller cluster already: nothing is recovered. */
  static Throughput none(long spanMs) {
    return new Throughput(0, Double.NaN, spanMs, spanMs, 0, 0);
  }

  public static Throughput of(double[] values) {
    return new Throughput(values[0], values[1], values[2], values[3], values[4], values[5]);
  }

  public double[] values() {
    return new double[] {recoveredBytes, idealBytes, planMillisMedian, planMillisMax, plans, interferencePercent};
  }
}
