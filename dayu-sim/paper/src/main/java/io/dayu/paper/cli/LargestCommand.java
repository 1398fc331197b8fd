/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.cli;

import io.dayu.conf.Settings;
import io.dayu.model.ClusterSnapshot;
import io.dayu.model.PlanningParameters;
import io.dayu.model.TimeslotPlan;
import io.dayu.schedule.DayuScheduler;
import io.dayu.schedule.TimeslotScheduler;
import io.dayu.sim.Cluster;
import io.dayu.sim.SeedMix;
import io.dayu.sim.algorithm.Algorithm;
import io.dayu.sim.algorithm.Algorithms;
import io.dayu.sim.cli.Main;
import io.dayu.sim.cli.options.BadInputException;
import io.dayu.sim.cli.options.ByteCount;
import io.dayu.sim.cli.options.TimeSpan;
import io.dayu.sim.cli.options.TrafficOptions;
import io.dayu.sim.engine.Knowledge;
import io.dayu.sim.engine.LoadReports;
import io.dayu.sim.engine.SimulationSettings;
import io.dayu.sim.experiment.Experiment;
import io.dayu.sim.foreground.ForegroundModel;
import io.dayu.sim.foreground.SyntheticForeground;
import io.dayu.sim.placement.EpochPlacement;
import io.dayu.sim.placement.LostBlocks;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;

/** {@code largest}: up to which size an algorithm can plan a timeslot in time. Filled by picocli; single-threaded. */
@Command(name = "largest", mixinStandardHelpOptions = true, sortOptions = false,
    description = "Looks for the largest cluster whose first timeslot each algorithm plans in time; needs a quiet "
        + "machine.")
final class LargestCommand implements Callable<Integer> {
  private static final int REPLICAS = 3;
  private static final int MIN_RACKS = 10;
  private static final int LARGEST_RACK = 40;
  @Spec
  private CommandSpec spec;

  @Option(names = "--algorithm", paramLabel = "A[,B...]", defaultValue = "dayu-paper", split = ",",
      description = "Algorithms (default: ${DEFAULT-VALUE}); milp and mcmf are in a jar of their own, see "
          + "docs/simulator-model.md.")
  private List<String> algorithms;

  @Option(names = "--nodes", paramLabel = "N[,M...]", split = ",",
      defaultValue = "10,20,30,40,60,80,120,160,240,320,480,640,960,1280,1920,2560,3500,5000,7000,10000",
      description = "Sizes to try, in this order, until one is too large (default: ${DEFAULT-VALUE}).")
  private List<Integer> sizes;

  @Option(names = "--blocks-per-node", paramLabel = "X", defaultValue = "71.4",
      description = "Lost blocks, for each node of the cluster (default: ${DEFAULT-VALUE}: 250,000 for 3,500).")
  private double blocksPerNode;

  @Option(names = "--blocks", paramLabel = "N", description = "Lost blocks, whatever the size of the cluster.")
  private Integer blocks;

  @Option(names = "--chunk-size", paramLabel = "BYTES", defaultValue = "64MB", converter = ByteCount.class,
      description = "Size of a block (default: ${DEFAULT-VALUE}).")
  private long chunkSize;

  @Option(names = "--uneven", description = "Blocks of all sizes up to that of a block, instead of one.")
  private boolean uneven;

  @Option(names = "--within", paramLabel = "TIME", defaultValue = "15s", converter = TimeSpan.Converter.class,
      description = "The timeslot: what is planned for, and the time to plan it in (default: ${DEFAULT-VALUE}).")
  private TimeSpan within;

  @Option(names = "--bandwidth", paramLabel = "BYTES", defaultValue = "250MB", converter = ByteCount.class,
      description = "B_total of a node each way, a second (default: ${DEFAULT-VALUE}).")
  private long bandwidth;

  @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "Seed (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Override
  public Integer call() {
    if (!(blocksPerNode > 0 && blocksPerNode <= 1e6) || blocks != null && blocks < 1 || chunkSize < 1
        || within.millis() < 1) {
      throw new BadInputException("--blocks-per-node = " + blocksPerNode + ", --blocks = " + blocks
          + ", --chunk-size = " + chunkSize + " and --within = " + within + ", expected above 0");
    }
    BadInputException.checkNotEmpty("--nodes", sizes);
    sizes.forEach(TrafficOptions::checkNodes);
    BadInputException.checkEachOnce("--algorithm", algorithms.stream().map(String::trim).toList());
    Map<String, Algorithm> left = new LinkedHashMap<>();
    algorithms.forEach(name -> left.put(name.trim(), BadInputException.check(() -> Algorithms.named(name.trim()))));
    Map<String, String> largest = new LinkedHashMap<>();
    left.keySet().forEach(name -> largest.put(name, "none of these sizes"));
    PrintWriter out = spec.commandLine().getOut();
    out.printf(Locale.ROOT, "%7s %9s %-12s %10s %9s %8s %8s%n", "nodes", "blocks", "algorithm", "time", "planned",
        "of S", "latest");
    for (int nodes : sizes) {
      if (left.isEmpty()) {
        break;
      }
      ClusterSnapshot snapshot = BadInputException.check(() -> snapshot(nodes));
      left.values().removeIf(algorithm -> {
        FirstPlan plan = FirstPlan.of(snapshot, algorithm.factory().create(within.millis(), seed));
        boolean inTime = plan.seconds() * 1000 <= within.millis();
        out.printf(Locale.ROOT, "%7d %9d %-12s %8.3f s %9d %6.2f %% %6.2f s%s%n", nodes, snapshot.tasks().count(),
            algorithm.name(), plan.seconds(), plan.blocks(), 100.0 * plan.plannedBytes() / plan.volumeBytes(),
            plan.latestSec(), inTime ? "" : "  too late");
        out.flush();
        if (inTime) {
          largest.put(algorithm.name(), nodes + " nodes, " + snapshot.tasks().count() + " blocks");
        }
        return !inTime;
      });
    }
    out.println("largest within " + within + ":");
    largest.forEach((name, size) -> out.printf("  %-12s %s%s%n", name, size,
        left.containsKey(name) ? " (the last that was tried)" : ""));
    out.flush();
    return Main.SUCCESS;
  }

  /** What a scheduler would be asked at the moment of a failure. */
  private ClusterSnapshot snapshot(int nodes) {
    Cluster cluster = new Cluster(nodes, Math.max(1, Math.min(LARGEST_RACK, nodes / MIN_RACKS)), bandwidth);
    int count = blocks != null ? blocks : (int) Math.max(1, Math.round(blocksPerNode * nodes));
    ForegroundModel foreground = new SyntheticForeground(cluster, seed, SyntheticForeground.MEAN_LEVEL);
    Experiment experiment = new Experiment(cluster, foreground,
        new EpochPlacement(cluster, REPLICAS, EpochPlacement.PAPER_SKEW, seed), count, chunkSize, seed);
    Experiment.Failure failure = experiment.failure(0);
    LostBlocks lost = failure.lost();
    if (uneven) {
      long state = SeedMix.seed(seed, nodes);
      for (int block = 0; block < lost.count(); block++) {
        state = SeedMix.next(state);
        lost.sizeBytes()[block] = 1 + (long) (SeedMix.uniform(state) * (chunkSize - 1));
      }
    }
    SimulationSettings settings =
        new SimulationSettings(new PlanningParameters(within.millis(), within.millis(), 1_000_000, 0.05),
            new SimulationSettings.Limits(0.75, Math.round(Settings.DEFAULT_MIN_RATIO * bandwidth), false),
            Knowledge.LAST_REPORT, LoadReports.every(SyntheticForeground.SLOT_MS),
            new SimulationSettings.Execution(0, 0, Integer.MAX_VALUE, 1));
    Listener listener = new Listener();
    experiment.recover(failure, settings, listener);
    return listener.first;
  }

  /** Hears what a scheduler is asked first. Not thread-safe. */
  private static final class Listener implements TimeslotScheduler {
    private final TimeslotScheduler inner = new DayuScheduler();
    private ClusterSnapshot first;

    @Override
    public String name() {
      return inner.name();
    }

    @Override
    public TimeslotPlan plan(ClusterSnapshot snapshot) {
      first = first == null ? snapshot : first;
      return inner.plan(snapshot);
    }
  }
}
