/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.algorithm;

import io.dayu.schedule.choice.LeastLoadedSources;
import io.dayu.schedule.rates.ProgressiveFilling;
import io.dayu.sim.algorithm.Algorithm;
import io.dayu.sim.algorithm.Algorithms;
import io.dayu.sim.algorithm.RivalProvider;
import io.dayu.sim.engine.LoadReports;
import io.dayu.sim.engine.Refinements;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Other systems' ways to choose nodes, as algorithms of the simulator. Stateless. */
public final class PaperRivals implements RivalProvider {
  /** Timeslots for which a client goes by what a probe told it: a minute in the rhythm of the paper. */
  private static final int PROBE_AGE = 4;

  /**
   * A node that needs no central scheduler acts as soon as it is free. The simulation checks this every 100 ms. Such a
   * node knows the foreground of its own links like an agent of the product.
   */
  private static final Algorithm.Rhythm CHOOSY = new Algorithm.Rhythm(100, 100,
      new LoadReports(100, Algorithms.REPORT_WINDOW_MS, 0, false), 0, Refinements.NONE);

  @Override
  public List<Algorithm> algorithms() {
    List<Algorithm> all = new ArrayList<>();
    for (ClientChoices.Policy policy : ClientChoices.Policy.values()) {
      all.add(choices(policy, "", 0));
    }
    all.add(choices(ClientChoices.Policy.LATENCY, "-aged", PROBE_AGE));
    all.add(choices(ClientChoices.Policy.JOURNAL, "-aged", PROBE_AGE));
    all.add(choosy("choosy",
        "reservation without a centre: each source asks three targets for a time of their own and renegotiates late "
            + "ones",
        true));
    all.add(choosy("choosy-once", "the same, but a source takes the first bids", false));
    return all;
  }

  private static Algorithm choices(ClientChoices.Policy policy, String suffix, int maxAge) {
    String word = policy.name().toLowerCase(Locale.ROOT);
    return new Algorithm("CC-" + word + suffix + "+W",
        "the better of two random targets by " + word + " (client choices), least loaded source"
            + (maxAge == 0 ? "" : "; sources go by what probes told them for " + maxAge + " timeslots"),
        Algorithms.PAPER, (horizonMs, seed) -> new ClientChoices(policy, maxAge,
            new LeastLoadedSources(), new ProgressiveFilling(), seed));
  }

  private static Algorithm choosy(String name, String description, boolean renegotiates) {
    return new Algorithm(name, description, CHOOSY, (horizonMs, seed) -> new ChoosyInitiator(renegotiates, seed))
        .keepingRhythm();
  }
}
