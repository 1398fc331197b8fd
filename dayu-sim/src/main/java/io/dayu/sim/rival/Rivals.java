/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.rival;

import io.dayu.schedule.DayuScheduler;
import io.dayu.schedule.Stragglers;
import io.dayu.schedule.choice.BucketScan;
import io.dayu.schedule.choice.BucketTournament;
import io.dayu.schedule.choice.LeastLoadedSources;
import io.dayu.schedule.choice.TargetSelector;
import io.dayu.schedule.paper.HullSelector;
import io.dayu.schedule.paper.IterativeWss;
import io.dayu.schedule.rates.ProgressiveFilling;
import io.dayu.schedule.rates.RateAllocator;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * All ways to choose targets and rates that a {@link DayuScheduler} can be put together from, by name; of each kind
 * Dayu's is the first, and the paper's the second. Stateless.
 */
public final class Rivals {
  private static final Map<String, Supplier<TargetSelector>> TARGETS = new LinkedHashMap<>();
  /** Sources of the target selectors that have ones of their own; all others use the least loaded sources. */
  private static final Map<String, Supplier<RandomSources>> SOURCES = new LinkedHashMap<>();
  private static final Map<String, Supplier<RateAllocator>> RATES = new LinkedHashMap<>();

  static {
    TARGETS.put("tournament", BucketTournament::new);
    TARGETS.put("hull", HullSelector::new);
    TARGETS.put("bucketscan", BucketScan::new);
    TARGETS.put("redblacktree", RedBlackTree::new);
    TARGETS.put("fullscan", FullScan::new);

    for (RandomTargets.Kind kind : RandomTargets.Kind.values()) {
      String name = new RandomTargets(kind).name();
      TARGETS.put(name, () -> new RandomTargets(kind));
      SOURCES.put(name, () -> new RandomSources(kind));
    }

    RATES.put("filling", ProgressiveFilling::new);
    RATES.put("iterativewss", () -> new IterativeWss(IterativeWss.PAPER_ITERATIONS));
    RATES.put("timelywss", () -> new IterativeWss(IterativeWss.PAPER_ITERATIONS, true));
    RATES.put("wss", () -> new IterativeWss(1));
    RATES.put("deadline", DeadlineRates::new);
  }

  private Rivals() {
  }

  /** Names for {@link #targetSelector}. */
  public static List<String> targetSelectors() {
    return List.copyOf(TARGETS.keySet());
  }

  /** Names for {@link #rateAllocator}. */
  public static List<String> rateAllocators() {
    return List.copyOf(RATES.keySet());
  }

  public static TargetSelector targetSelector(String name) {
    return create("target selector", TARGETS, name);
  }

  public static RateAllocator rateAllocator(String name) {
    return create("rate allocator", RATES, name);
  }

  /** A scheduler put together by the names of its targets and rates; sources are random if the targets are. */
  public static DayuScheduler scheduler(String targets, String rates) {
    return scheduler(targets, rates, Stragglers.RESCHEDULE);
  }

  public static DayuScheduler scheduler(String targets, String rates, Stragglers stragglers) {
    String name = "dayu(" + targets + ", " + rates + ")";
    Supplier<RandomSources> random = SOURCES.get(targets);
    if (random == null) {
      return new DayuScheduler(name, targetSelector(targets), new LeastLoadedSources(), rateAllocator(rates),
          stragglers);
    }
    RandomSources sources = random.get();
    return new DayuScheduler(name, targetSelector(targets), sources, sources, rateAllocator(rates), stragglers);
  }

  private static <T> T create(String kind, Map<String, Supplier<T>> known, String name) {
    Supplier<T> supplier = known.get(name);
    if (supplier == null) {
      throw new IllegalArgumentException(
          "no " + kind + " '" + name + "'; known are " + String.join(", ", known.keySet()));
    }
    return supplier.get();
  }
}
