/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.study;

import io.dayu.conf.Settings;
import io.dayu.model.PlanningParameters;
import io.dayu.sim.algorithm.Algorithm;
import io.dayu.sim.algorithm.Algorithms;
import io.dayu.sim.engine.Knowledge;
import io.dayu.sim.engine.LinkPhysics;
import io.dayu.sim.engine.SimulationSettings;

/**
 * A way to recover: an algorithm in its own rhythm, the settings that the paper varies, and else the defaults of
 * {@code recover}. Immutable.
 *
 * @param algorithm a name that {@link Algorithms} knows
 * @param alpha α of equation 1
 * @param beta β of §4.2; 0 is without P
 * @param knowledge which foreground the scheduler is told
 */
public record Variant(String algorithm, double alpha, double beta, Knowledge knowledge) {
  public static final double PAPER_ALPHA = 0.75;
  public static final double PAPER_BETA = 0.05;
  private static final long BUCKET_BYTES_PER_SEC = 1_000_000;
  private static final long LIMIT_MS = 6 * 3600 * 1000L;

  /** With the paper's settings. */
  public static Variant of(String algorithm, Knowledge knowledge) {
    return new Variant(algorithm, PAPER_ALPHA, PAPER_BETA, knowledge);
  }

  public Algorithm scheduler() {
    return Algorithms.named(algorithm);
  }

  /** For nodes of such a bandwidth; the time of planning is not counted. */
  public SimulationSettings settings(long bandwidthBytesPerSec) {
    return settings(bandwidthBytesPerSec, LIMIT_MS, 0);
  }

  public SimulationSettings settings(long bandwidthBytesPerSec, long limitMs, int planningThreads) {
    Algorithm.Rhythm rhythm = scheduler().rhythm();
    return new SimulationSettings(
        new PlanningParameters(rhythm.timeslotMs(), rhythm.horizonMs(), BUCKET_BYTES_PER_SEC, beta, true,
            scheduler().evictionFactor(), scheduler().minTimeslotMs()),
        new SimulationSettings.Limits(alpha, Math.round(Settings.DEFAULT_MIN_RATIO * bandwidthBytesPerSec), true),
        knowledge, rhythm.reports(),
        new SimulationSettings.Execution(rhythm.leadMs(), planningThreads, Integer.MAX_VALUE, limitMs),
        rhythm.refinements(), LinkPhysics.PRIORITY);
  }
}
