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

  @Option(names = "--forecast", paramLabel = "NAME", defaultValue = "last",
      description = "Foreground that is planned with: last (the last report) or mean (that, drawn towards the node's longer mean; "
          + "default: ${DEFAULT-VALUE}).")
  private String forecast;

  @Option(names = "--agents-yield",
      description = "Agents slow transfers down when foreground grows within a timeslot, to not less than half of the rates granted.")
  private boolean agentsYield;

  @Option(names = "--agents-use-surplus",
      description = "Agents speed transfers up while both ends have bandwidth left that no plan gave away.")
  private boolean agentsUseSurplus;

  @Option(names = "--queue", paramLabel = "TIME", defaultValue = "0s", converter = TimeSpan.Converter.class,
      description = "Plan so far beyond the horizon transfers that agents begin when there is bandwidth left (default: ${DEFAULT-VALUE}).")
  private TimeSpan queue;

  @Option(names = "--split-last", description = "Pull what a block lacks from two sources once no block waits any more.")
  private boolean splitsLast;

  Refinements refinements() {
    return new Refinements(forecast, agentsYield, agentsUseSurplus, queue.millis(), splitsLast);
  }
}
