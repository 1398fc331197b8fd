/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.sim.cli;

import io.dayu.sim.engine.Refinements;
import picocli.CommandLine.Option;

/** The options that add to snapshot and plan what the paper does not have. Filled by picocli; single-threaded. */
final class RefinementOptions {

  @Option(names = "--forecast", paramLabel = "NAME",
      description = "Foreground that is planned with: last (the last report), recent (between the mean of about the last four "
          + "periods and the last report, as traffic turns out to last) or mean (the last report, drawn towards the node's "
          + "longer mean; default: the algorithm's own).")
  private String forecast;

  @Option(names = "--agents-yield", negatable = true,
      description = "Agents slow transfers down when foreground grows within a timeslot, to not less than half of the rates granted "
          + "(default: the algorithm's own).")
  private Boolean agentsYield;

  @Option(names = "--agents-use-surplus", negatable = true,
      description = "Agents speed transfers up while both ends have bandwidth left that no plan gave away (default: the algorithm's own).")
  private Boolean agentsUseSurplus;

  @Option(names = "--queue", paramLabel = "TIME", converter = TimeSpan.Converter.class,
      description = "Plan so far beyond the horizon transfers that agents begin when there is bandwidth left (default: the algorithm's own).")
  private TimeSpan queue;

  @Option(names = "--split-last", negatable = true,
      description = "Pull what a block lacks from two sources once no block waits any more (default: the algorithm's own).")
  private Boolean splitsLast;

  @Option(names = "--widen-horizon", negatable = true,
      description = "Widen the horizon where only a few blocks fit into a node's share of it (default: the algorithm's own).")
  private Boolean widensHorizon;

  /** What the user says, else the algorithm's own. */
  Refinements refinements(Refinements own) {
    return new Refinements(forecast != null ? forecast : own.forecast(),
        agentsYield != null ? agentsYield : own.agentsYield(),
        agentsUseSurplus != null ? agentsUseSurplus : own.agentsUseSurplus(),
        queue != null ? queue.millis() : own.queueMs(),
        splitsLast != null ? splitsLast : own.splitsLast(),
        widensHorizon != null ? widensHorizon : own.widensHorizon());
  }
}
