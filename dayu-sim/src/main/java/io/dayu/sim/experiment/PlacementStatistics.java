/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.sim.experiment;

import io.dayu.sim.SeedMix;
import io.dayu.sim.engine.SimulationSettings;
import io.dayu.sim.foreground.ForegroundHistory;
import io.dayu.sim.placement.LostBlocks;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.IntConsumer;

/**
 * What the paper publishes of failures and of where replicas lie (ATC'19 §2.2, §4.1), measured on an experiment. Immutable.
 *
 * @param idealTimeSec ideal recovery time: mean over the failures
 * @param idealDeviationSec and its standard deviation
 * @param commonCov coefficient of variation of SC over the nodes that have something in common with the failed one: 5th, 50th and 95th
 *     percentile over the failures
 * @param trafficCorrelation correlation of SC with what each node sends if sources are drawn by chance: mean over the failures
 * @param blocksPerNode blocks that each node takes part in recovering as the source, on average
 * @param tasksPerSlot blocks that B_recover carries in one slot of the foreground, mean over the failures
 * @param shareOfTasks these as a share of all blocks
 */
public record PlacementStatistics(double idealTimeSec, double idealDeviationSec, double[] commonCov, double trafficCorrelation,
    double blocksPerNode, double tasksPerSlot, double shareOfTasks) {

  /** Looks at the first {@code failures} failures; progress is told how many are done. */
  public static PlacementStatistics of(Experiment experiment, SimulationSettings settings, int failures, IntConsumer progress) {
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
      boolean[] sharing = new boolean[common.length];
      for (int node = 0; node < common.length; node++) {
        sharing[node] = common[node] > 0;
      }
      double[] x = pick(common, sharing);
      cov[i] = deviation(x) / mean(x);
      correlation += correlation(x, pick(sent, sharing)) / failures;
      tasks += slotVolume(experiment, failure, settings) / experiment.chunkBytes() / failures;
      progress.accept(i + 1);
    }
    Arrays.sort(cov);
    double[] percentiles = {cov[(int) (0.05 * (failures - 1))], cov[(failures - 1) / 2], cov[(int) (0.95 * (failures - 1))]};
    return new PlacementStatistics(mean(ideal), deviation(ideal), percentiles, correlation,
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

  private static double[] pick(long[] values, boolean[] kept) {
    double[] picked = new double[values.length];
    int count = 0;
    for (int i = 0; i < values.length; i++) {
      if (kept[i]) {
        picked[count++] = values[i];
      }
    }
    return Arrays.copyOf(picked, count);
  }

  private static double mean(double[] values) {
    return Arrays.stream(values).average().orElse(Double.NaN);
  }

  private static double deviation(double[] values) {
    double mean = mean(values);
    return Math.sqrt(Arrays.stream(values).map(x -> (x - mean) * (x - mean)).average().orElse(Double.NaN));
  }

  private static double correlation(double[] x, double[] y) {
    double meanX = mean(x);
    double meanY = mean(y);
    double sum = 0;
    for (int i = 0; i < x.length; i++) {
      sum += (x[i] - meanX) * (y[i] - meanY);
    }
    return sum / x.length / deviation(x) / deviation(y);
  }
}
