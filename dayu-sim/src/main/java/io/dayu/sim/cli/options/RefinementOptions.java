/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.cli.options;

import io.dayu.schedule.choice.TieBreak;
import io.dayu.schedule.forecast.ForegroundForecast;
import io.dayu.sim.engine.LinkPhysics;
import io.dayu.sim.engine.Refinements;
import io.dayu.sim.engine.Shaping;
import picocli.CommandLine.Option;

import java.util.function.Supplier;

/**
 * The options for what an algorithm has beyond rates granted for a fixed timeslot, and for links. Filled by picocli;
 * single-threaded.
 */
public final class RefinementOptions {

  @Option(names = "--forecast", paramLabel = "NAME",
      description = "Foreground that is planned with: last (the last report) or recent (between the mean of about the "
          + "last four periods and the last report, as traffic turns out to last; default: the algorithm's own).")
  private String forecast;

  @Option(names = "--widen-horizon", negatable = true,
      description = "Widen the horizon where only a few blocks fit into a node's share of it (default: the algorithm's "
          + "own).")
  private Boolean widensHorizon;

  @Option(names = "--plan-early", negatable = true,
      description = "End a timeslot when half of what it had is done (default: the algorithm's own).")
  private Boolean plansEarly;

  @Option(names = "--peak", paramLabel = "X",
      description = "Each end of a transfer lets recovery and clients fill its link up to this share at a moment, and "
          + "to alpha on average (default: the algorithm's own; algorithms without it send at the rates granted).")
  private Double peak;

  @Option(names = "--credit", paramLabel = "TIME", converter = TimeSpan.Converter.class,
      description = "With --peak: what was not used of alpha is kept for this time (default: the algorithm's own, or "
          + "0s).")
  private TimeSpan credit;

  @Option(names = "--sharing", paramLabel = "WHAT", defaultValue = "priority",
      converter = SharingOption.Converter.class,
      description = "Who gets a full link: priority (clients first, recovery what they leave) or fair (as TCP flows "
          + "share it; default: ${DEFAULT-VALUE}).")
  private SharingOption sharing;

  @Option(names = "--foreground-flows", paramLabel = "X",
      description = "With --sharing fair: flows that clients have on a link that they fill (default: 10).")
  private Double foregroundFlows;

  @Option(names = "--tie-break", paramLabel = "WHAT",
      description = "Which of the equally loaded nodes of a bucket becomes the target: none (any), space (the most "
          + "free room), latency (the least foreground) or journal (the fewest bytes on their way to it; default: the "
          + "algorithm's own).")
  private String tieBreak;

  /** What the user says, else the algorithm's own. */
  public Refinements refinements(Refinements own) {
    return new Refinements(forecast != null ? forecast() : own.forecast(),
        widensHorizon != null ? widensHorizon : own.widensHorizon(),
        plansEarly != null ? plansEarly : own.plansEarly(),
        shaping(own.shaping()), tieBreak != null ? tieBreak() : own.tieBreak());
  }

  private Supplier<? extends ForegroundForecast> forecast() {
    return switch (forecast) {
      case "last" -> Refinements.LAST;
      case "recent" -> Refinements.RECENT;
      default -> throw new BadInputException(
          "no forecast of foreground '" + forecast + "'; known are recent, last");
    };
  }

  private TieBreak tieBreak() {
    if (!TieBreak.names().contains(tieBreak)) {
      throw new BadInputException("--tie-break = " + tieBreak + ", expected one of " + String.join(", ",
          TieBreak.names()));
    }
    return TieBreak.named(tieBreak);
  }

  private Shaping shaping(Shaping own) {
    if (peak == null && credit == null) {
      return own;
    }
    if (peak == null && own == null) {
      throw new BadInputException("--credit needs --peak with an algorithm that sends at the rates granted");
    }
    Shaping base = own == null ? Shaping.withinAlpha() : own;
    return base.with(peak == null ? base.peak() : peak, credit == null ? base.creditSec() : credit.millis() / 1000.0);
  }

  public LinkPhysics physics() {
    if (foregroundFlows == null) {
      return sharing.physics(LinkPhysics.PRIORITY.foregroundFlows());
    }
    if (sharing != SharingOption.FAIR) {
      throw new BadInputException("--foreground-flows needs --sharing fair");
    }
    return sharing.physics(foregroundFlows);
  }
}
