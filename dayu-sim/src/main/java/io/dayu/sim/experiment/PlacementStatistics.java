/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.experiment;

import com.google.common.math.PairedStatsAccumulator;
import com.google.common.math.Quantiles;
import com.google.common.math.Stats;
import io.dayu.sim.SeedMix;
import io.dayu.sim.engine.SimulationSettings;
import io.dayu.sim.foreground.ForegroundHistory;
import io.dayu.sim.placement.LostBlocks;

import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.IntConsumer;

/**
 * What the paper publishes of failures and of where replicas lie (ATC'19 §2.2, §4.1), measured on an experiment.
 * Immutable.
 *
 * @param idealTimeSec ideal recovery time: mean over the failures
 * @param idealDeviationSec and its standard deviation
 * @param commonCov coefficient of variation of SC over the nodes that have something in common with the failed one:
 *     5th, 50th and 95th percentile over the failures
 * @param trafficCorrelation correlation of SC with what each node sends if sources are drawn by chance: mean over the
 *     failures
 * @param blocksPerNode blocks that each node takes part in recovering as the source, on average
 * @param tasksPerSlot blocks that B_recover carries in one slot of the foreground, mean over the failures
 * @param shareOfTasks these as a share of all blocks
 */
public record PlacementStatistics(double idealTimeSec, double idealDeviationSec, double[] commonCov,
    double trafficCorrelation, double blocksPerNode, double tasksPerSlot, double shareOfTasks) {

  /** Measures the first {@code failures} failures; progress receives the number done. */
  public static PlacementStatistics of(Experiment experiment, SimulationSettings settings, int failures,
      IntConsumer progress) {
    double[] ideal = new double[failures];
    double[] cov = new double[failures];
    double correlation = 0;
    double tasks = 0;
    for (int i = 0; i < failures; i++) {
      Experiment.Failure failure = experiment.failure(i);
      LostBlocks lost = failure.lost();
      ideal[i] = experiment.idealSeconds(failure, settings);
      long[] common = lost.commonBytes(experiment.cluster().nodes());
      long[] sent = new long[common.length];
      SplittableRandom random = new SplittableRandom(SeedMix.seed(experiment.seed(), i));
      for (int block = 0; block < lost.count(); block++) {
        sent[lost.holder(block, random.nextInt(lost.holderCount(block)))] += lost.sizeBytes()[block];
      }
      PairedStatsAccumulator pairs = new PairedStatsAccumulator();
      for (int node = 0; node < common.length; node++) {
        if (common[node] > 0) {
          pairs.add(common[node], sent[node]);
        }
      }
      Stats sizes = pairs.xStats();
      cov[i] = sizes.populationStandardDeviation() / sizes.mean();
      boolean vary = sizes.populationVariance() > 0 && pairs.yStats().populationVariance() > 0;
      correlation += vary ? pairs.pearsonsCorrelationCoefficient() / failures : Double.NaN;
      tasks += slotVolume(experiment, failure, settings) / experiment.chunkBytes() / failures;
      progress.accept(i + 1);
    }
    Map<Integer, Double> covs = Quantiles.percentiles().indexes(5, 50, 95).compute(cov);
    Stats times = Stats.of(ideal);
    return new PlacementStatistics(times.mean(), times.populationStandardDeviation(),
        new double[] {covs.get(5), covs.get(50), covs.get(95)}, correlation,
        (double) experiment.chunks() / (experiment.cluster().nodes() - 1), tasks, tasks / experiment.chunks());
  }

  /** S of equation 2 for the slot at whose begin the failure happens. */
  private static double slotVolume(Experiment experiment, Experiment.Failure failure, SimulationSettings settings) {
    ForegroundHistory now = new ForegroundHistory(experiment.foreground(), failure.firstSlot());
    double in = 0;
    double out = 0;
    for (int node = 0; node < experiment.cluster().nodes(); node++) {
      if (node != failure.lost().failedNode()) {
        in += settings.recoverBytesPerSec(experiment.cluster(), node, now.in()[node]);
        out += settings.recoverBytesPerSec(experiment.cluster(), node, now.out()[node]);
      }
    }
    return Math.min(in, out) * experiment.foreground().slotMs() / 1000;
  }
}
