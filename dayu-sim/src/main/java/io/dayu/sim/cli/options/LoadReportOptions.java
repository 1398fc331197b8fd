/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.cli.options;

import io.dayu.sim.engine.LoadReports;
import picocli.CommandLine.Option;

/** The options that say how the foreground becomes known. Filled by picocli; single-threaded. */
public final class LoadReportOptions {

  @Option(names = "--report-interval", paramLabel = "TIME", converter = TimeSpan.Converter.class,
      description = "Nodes report their foreground every so often (default: the algorithm's own, or the timeslot if "
          + "that is given).")
  private TimeSpan interval;

  @Option(names = "--report-window", paramLabel = "TIME", converter = TimeSpan.Converter.class,
      description = "A report is the mean over this time (default: the algorithm's own, or the interval if that or the "
          + "timeslot is given).")
  private TimeSpan window;

  @Option(names = "--report-delay", paramLabel = "TIME", converter = TimeSpan.Converter.class,
      description = "How long a report is under way (default: the algorithm's own, or 0 if the interval or the "
          + "timeslot is given).")
  private TimeSpan delay;

  @Option(names = "--report-spread", negatable = true,
      description = "Nodes report at different moments of the interval, or all at once with --no-report-spread "
          + "(default: the algorithm's own, or at once if the interval or the timeslot is given).")
  private Boolean spread;

  /** What the user says, else the algorithm's own, unless the user has changed its rhythm. */
  public LoadReports reports(LoadReports own, TimeSpan timeslot) {
    boolean changed = interval != null || timeslot != null;
    long intervalMs = interval != null ? interval.millis() : timeslot != null ? timeslot.millis() : own.intervalMs();
    return new LoadReports(intervalMs,
        window != null ? window.millis() : changed ? intervalMs : own.windowMs(),
        delay != null ? delay.millis() : changed ? 0 : own.delayMs(),
        spread != null ? spread : !changed && own.spread());
  }
}
