/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.hosts;

import com.google.common.math.Stats;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.model.PlanningParameters;
import io.dayu.schedule.TimeslotScheduler;
import io.dayu.sim.SeedMix;
import io.dayu.sim.algorithm.Algorithm;
import io.dayu.sim.algorithm.Algorithms;
import io.dayu.sim.algorithm.StockHdfs;
import io.dayu.sim.engine.Knowledge;
import io.dayu.sim.engine.LinkPhysics;
import io.dayu.sim.engine.LoadReports;
import io.dayu.sim.engine.LostTime;
import io.dayu.sim.engine.RecoveryOutcome;
import io.dayu.sim.engine.RecoverySimulation;
import io.dayu.sim.engine.Refinements;
import io.dayu.sim.engine.SimulationSettings;
import io.dayu.sim.placement.LostBlocks;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;

/**
 * How long a recovery of the benchmark on emulated hosts takes by the simulator, from its foreground, its placement and
 * its settings. It does not read the measured time. The model is fitted to runs of seeds 1 and 2: clients' bursts,
 * stock's queues and the flows that wait are in it because these runs show them (docs/simulator-results.md,
 * "Held against emulated hosts"). When bursts begin within a second, and what stock HDFS draws, is chance: the recovery
 * is simulated {@link #DRAWS} times, from fixed seeds. Immutable.
 *
 * @param recoverySec mean of those that finished; NaN if none did
 * @param deviationSec their standard deviation
 * @param unfinished how many did not
 * @param lost where those that finished lost time against the ideal, their mean; null if none did
 */
public record HostsPrediction(double recoverySec, double deviationSec, int unfinished, LostTime lost) {
  public static final int DRAWS = 20;
  /** Clients' reads and writes that are on a link at once when it is full and nothing waits. */
  private static final double CLIENT_FLOWS = 1;
  /** Agents of clusters of this size report twice per interval and receive a plan within this time. */
  private static final int REPORTS_PER_INTERVAL = 2;
  private static final long LEAD_MS = 200;
  private static final long LIMIT_MS = 3_600_000;
  /** What the benchmark's modes set: work multiplier and streams of stock HDFS. */
  private static final Map<String, int[]> STOCK = Map.of("stock-default", new int[] {2, 2}, "stock-mid",
      new int[] {10, 8}, "stock-streams-20", new int[] {2, 20}, "stock-fast", new int[] {50, 50});
  /** The benchmark's hosts send a heartbeat each second. */
  private static final long STOCK_HEARTBEAT_MS = 1000;

  /**
   * The prediction of a run. It is empty for a mode that the simulator does not know, and if the file has no run
   * without recovery of the same seed.
   */
  public static Optional<HostsPrediction> of(HostsResultFile file, HostsResultFile.Run run) {
    Optional<HostsResultFile.Run> none = file.none(run.seed());
    if (none.isEmpty() || !run.mode().equals("dayu") && !STOCK.containsKey(run.mode())) {
      return Optional.empty();
    }
    LostBlocks lost =
        file.data().lost(run.seed(), run.victim(), run.lostBytes(), LinkPhysics.WIRE_BYTES_PER_BLOCK_BYTE);
    List<RecoveryOutcome> finished = LongStream.range(0, DRAWS)
        .mapToObj(draw -> recover(file, run, none.get(), lost, draw)).filter(RecoveryOutcome::finished).toList();
    if (finished.isEmpty()) {
      return Optional.of(new HostsPrediction(Double.NaN, Double.NaN, DRAWS, null));
    }
    List<Double> times = finished.stream().map(RecoveryOutcome::recoveryTimeSec).toList();
    return Optional.of(new HostsPrediction(Stats.meanOf(times),
        times.size() < 2 ? 0 : Stats.of(times).sampleStandardDeviation(), DRAWS - times.size(),
        LostTime.mean(finished.stream().map(RecoveryOutcome::lost).toList())));
  }

  private static RecoveryOutcome recover(HostsResultFile file, HostsResultFile.Run run, HostsResultFile.Run none,
      LostBlocks lost,
      long draw) {
    boolean dayu = run.mode().equals("dayu");
    SimulationSettings settings = (dayu ? dayu(file.linkBytesPerSec()) : stock(file.linkBytesPerSec()))
        .with(new LinkPhysics(true, CLIENT_FLOWS, file.clientBytes()));
    long seed = SeedMix.seed(run.seed(), draw);
    int[] limits = STOCK.get(run.mode());
    TimeslotScheduler scheduler =
        dayu ? Algorithms.named("dayu").factory().create(settings.planning().horizonMs(), seed)
            : new StockHdfs(limits[0], limits[1], STOCK_HEARTBEAT_MS, seed);
    return new RecoverySimulation(file.cluster(), file.foreground(none, seed), file.firstSlot(none), lost, settings,
        scheduler).run();
  }

  private static SimulationSettings dayu(long linkBytesPerSec) {
    Algorithm algorithm = Algorithms.named("dayu");
    Algorithm.Rhythm rhythm = algorithm.rhythm();
    Settings product = Settings.defaults();
    PlanningParameters planning =
        new PlanningParameters(rhythm.timeslotMs(), rhythm.horizonMs(), product.bytesPerSec(Setting.BUCKET_BANDWIDTH),
            product.ratio(Setting.UNDEREMPLOYED_RATIO), true, algorithm.evictionFactor(), algorithm.minTimeslotMs());
    return settings(planning, linkBytesPerSec, rhythm.reportIntervalMs() / REPORTS_PER_INTERVAL,
        rhythm.reports().windowMs(), LEAD_MS).with(rhythm.refinements());
  }

  private static SimulationSettings stock(long linkBytesPerSec) {
    return settings(new PlanningParameters(StockHdfs.CALL_MS, StockHdfs.CALL_MS, 0, 0), linkBytesPerSec,
        StockHdfs.CALL_MS, StockHdfs.CALL_MS, StockHdfs.LEAD_MS);
  }

  private static SimulationSettings settings(PlanningParameters planning, long linkBytesPerSec, long reportMs,
      long windowMs, long leadMs) {
    Settings product = Settings.defaults();
    return new SimulationSettings(planning,
        new SimulationSettings.Limits(product.ratio(Setting.MAX_UTILIZATION),
            Math.round(product.minBytesPerSec(linkBytesPerSec)), true),
        Knowledge.LAST_REPORT, new LoadReports(reportMs, windowMs, 0, true),
        new SimulationSettings.Execution(leadMs, 0, Integer.MAX_VALUE, LIMIT_MS), Refinements.NONE,
        LinkPhysics.PRIORITY);
  }
}
