/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.algorithm;

import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.schedule.AlgorithmRegistry;
import io.dayu.schedule.DayuScheduler;
import io.dayu.schedule.PlanningAlgorithm;
import io.dayu.schedule.Stragglers;
import io.dayu.schedule.TimeslotScheduler;
import io.dayu.sim.engine.LoadReports;
import io.dayu.sim.engine.Refinements;
import io.dayu.sim.engine.Shaping;
import io.dayu.sim.rival.Rivals;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.function.Supplier;

/** All algorithms by name, those of {@link RivalProvider} included. Immutable and thread-safe. */
public final class Algorithms {
  private static final Settings DEFAULTS = Settings.defaults();
  /**
   * What agents report is smoothed with a time constant of 1 s, which is about as old as a mean over 2 s. As
   * DelaysIT measures on an embedded cluster, a report is 0.04 s under way.
   */
  public static final long REPORT_WINDOW_MS = 2000;
  private static final long REPORT_DELAY_MS = 50;
  /** From a snapshot until an agent that reports each second hears of the plan, on average. */
  private static final long LEAD_MS = 500;
  private static final Refinements PRODUCT_RULES =
      new Refinements(Refinements.RECENT, true, true, Shaping.product());

  /** The paper: everything every 15 s; its simulator's delays are not told. */
  public static final Algorithm.Rhythm PAPER = new Algorithm.Rhythm(15_000, 15_000, 15_000, 0);

  /** Threads that the paper gives random choices (§5.2); the greedy ones plan on one. */
  private static final int RANDOM_THREADS = 16;

  private static final Algorithm.Rhythm HDFS =
      new Algorithm.Rhythm(StockHdfs.CALL_MS, StockHdfs.CALL_MS, StockHdfs.CALL_MS, StockHdfs.LEAD_MS);
  /** {@code dfs.heartbeat.interval} is 3 s. */
  private static final long HDFS_HEARTBEAT_MS = 3000;

  private static final Map<String, Algorithm> BY_NAME = new LinkedHashMap<>();

  static {
    add(product("dayu", "the product with its defaults", PRODUCT_RULES, DayuScheduler::new));
    add(product("dayu-alpha", "the same, but agents keep to alpha at every moment rather than on average",
        PRODUCT_RULES.with(Shaping.withinAlpha()), DayuScheduler::new));
    add(product("dayu-granted", "the same, but transfers go at the rates of the plan, all at once",
        PRODUCT_RULES.with((Shaping) null), DayuScheduler::new));
    add(new Algorithm("dayu-paper",
        "the same scheduler in the rhythm of the paper: timeslot, horizon and reports of 15 s", PAPER,
        (horizonMs, seed) -> new DayuScheduler()));
    for (String rates : List.of("W", "WSS", "DA")) {
      addPaper("C", "hull", "target by the bucketed convex hull", rates, 1);
      addPaper("G1", "fullscan", "target by a scan of all nodes", rates, 1);
      addPaper("G2", "redblacktree", "least loaded target", rates, 1);
      addPaper("R", "random", "random source and target", rates, RANDOM_THREADS);
      addPaper("B2R", "bestoftwo", "better of two random sources and targets", rates, RANDOM_THREADS);
      addPaper("WR", "weightedrandom", "random source and target weighted by bandwidth", rates, RANDOM_THREADS);
    }
    add(new Algorithm("C+W-A",
        "as C+W, but transfers that do not end in time keep the source and the target of their original plan", PAPER,
        (horizonMs, seed) -> Rivals.scheduler("hull", "filling", Stragglers.KEEP)));
    addPangu("pangu-slow", 30);
    addPangu("pangu-mid", 90);
    addPangu("pangu-fast", 150);
    addHdfs("hdfs", 2, 2);
    addHdfs("hdfs-20", 2, 20);
    addHdfs("hdfs-fast", 50, 50);
    addRebuilds("selectiveec",
        "batches of rebuilds that load all nodes alike (HotStorage'20), as fast as links let them",
        SelectiveEc::new);
    addRebuilds("repairboost", "rebuilds balanced by the number of uploads and downloads (ATC'21), one at a target",
        RepairBoost::new);
    ServiceLoader.load(RivalProvider.class).forEach(more -> more.algorithms().forEach(Algorithms::add));
  }

  private Algorithms() {
  }

  private static Algorithm product(String name, String description, Refinements rules,
      Supplier<? extends TimeslotScheduler> schedulers) {
    Algorithm.Rhythm rhythm =
        new Algorithm.Rhythm(DEFAULTS.millis(Setting.TIMESLOT_INTERVAL), DEFAULTS.millis(Setting.TIMESLOT_HORIZON),
            new LoadReports(DEFAULTS.millis(Setting.HEARTBEAT_INTERVAL), REPORT_WINDOW_MS, REPORT_DELAY_MS, true),
            LEAD_MS, rules);
    return new Algorithm(name, description, rhythm, (horizonMs, seed) -> schedulers.get(),
        DEFAULTS.ratio(Setting.EVICTION_FACTOR), DEFAULTS.millis(Setting.TIMESLOT_MIN_INTERVAL), 1, false);
  }

  private static Algorithm provided(String name, PlanningAlgorithm algorithm) {
    return product(name, "the product with an algorithm of another jar",
        new Refinements(algorithm.forecasts(), true, true, algorithm.holdsRates() ? null : Shaping.product()),
        algorithm.schedulers());
  }

  private static void add(Algorithm algorithm) {
    BY_NAME.put(algorithm.name(), algorithm);
  }

  /** An algorithm of the paper's comparison: by the names of {@link Rivals}. */
  private static void addPaper(String name, String targets, String description, String rates, int threads) {
    add(new Algorithm(name + "+" + rates, description + ", rates by " + describe(rates), PAPER,
        (horizonMs, seed) -> scheduler(targets, rates), 0, Long.MAX_VALUE, threads, false));
  }

  private static TimeslotScheduler scheduler(String targets, String rates) {
    String allocator = switch (rates) {
      case "W" -> "filling";
      case "WSS" -> "wss";
      default -> "deadline";
    };
    return Rivals.scheduler(targets, allocator);
  }

  private static void addPangu(String name, int megabytesPerSec) {
    add(new Algorithm(name,
        "random source and target, " + megabytesPerSec + " MB/s on every node whatever the foreground", PAPER,
        (horizonMs, seed) -> new StaticBandwidth(scheduler("random", "W"), megabytesPerSec * 1_000_000L)));
  }

  private static void addHdfs(String name, int blocksPerNode, int maxStreams) {
    add(new Algorithm(name, "stock HDFS with work multiplier " + blocksPerNode + " and max-streams " + maxStreams, HDFS,
        (horizonMs, seed) -> new StockHdfs(blocksPerNode, maxStreams, HDFS_HEARTBEAT_MS, seed)).keepingRhythm());
  }

  private static void addRebuilds(String name, String description, Supplier<? extends TimeslotScheduler> schedulers) {
    add(new Algorithm(name, description, HDFS, (horizonMs, seed) -> schedulers.get()).keepingRhythm());
  }

  private static String describe(String rates) {
    return switch (rates) {
      case "W" -> "iterative WSS to exhaustion";
      case "WSS" -> "one pass of WSS";
      default -> "deadline";
    };
  }

  /** In the order in which they are listed to people. */
  public static Collection<Algorithm> all() {
    return BY_NAME.values();
  }

  /** The algorithm, planned when another one is planned; one whose rhythm is a part of it keeps its own. */
  public static Algorithm inRhythmOf(Algorithm other, Algorithm algorithm) {
    return algorithm.keepsRhythm() ? algorithm : algorithm.inRhythmOf(other);
  }

  /**
   * The algorithm of this name. That of an {@link io.dayu.schedule.AlgorithmProvider} is run as the product would, by
   * the full name of the class.
   *
   * @throws IllegalArgumentException naming the known ones, if there is none of this name
   */
  public static Algorithm named(String name) {
    if (name.contains(".")) {
      return provided(name, AlgorithmRegistry.named(name, Algorithms.class.getClassLoader()));
    }
    Algorithm algorithm = BY_NAME.get(name);
    if (algorithm == null) {
      throw new IllegalArgumentException(
          "unknown algorithm " + name + "; known: " + String.join(", ", BY_NAME.keySet()));
    }
    return algorithm;
  }
}
