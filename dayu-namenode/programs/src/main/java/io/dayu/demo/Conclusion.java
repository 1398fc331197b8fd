/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What the run has shown: for each mode one sentence on the recovery's time, beside that of Dayu, and one on
 * the clients' latencies meanwhile; and two sentences on all of them. Stateless.
 */
final class Conclusion {
  /** Two times differ if one is longer than the other by more than this. */
  private static final double SAME_TIME = 0.05;

  /** How Dayu's time stands beside that of another mode. */
  private record Comparison(boolean isSlower, String text) {
  }

  private Conclusion() {
  }

  /** One line for each mode, in their order. */
  static List<String> lines(List<ModeSummary> modes) {
    double dayuSec = modes.stream().filter(mode -> mode.mode() == Mode.DAYU && !mode.cutOff())
        .mapToDouble(mode -> mode.value("recoveryTimeSec")).findFirst().orElse(Double.NaN);
    return modes.stream().map(mode -> line(mode, dayuSec)).toList();
  }

  /** That of one mode alone. */
  static String line(ModeSummary mode) {
    return line(mode, Double.NaN);
  }

  private static String line(ModeSummary mode, double dayuSec) {
    String title = mode.mode().title() + (mode.failedRuns() > 0 ? " (failed)" : "") + ": ";
    if (mode.values().isEmpty()) {
      return title + "nothing was measured.";
    }
    return title + recovery(mode, dayuSec) + String.format(Locale.ROOT,
        " The p90 of clients' latencies was %.0f ms meanwhile and %.0f ms before.", mode.value("foregroundP90DuringMs"),
        mode.value("foregroundP90BeforeMs"));
  }

  private static String recovery(ModeSummary mode, double dayuSec) {
    if (!mode.mode().recovers()) {
      return "the lost replicas are still missing.";
    }
    double recoverySec = mode.value("recoveryTimeSec");
    String time = String.format(Locale.ROOT,
        mode.cutOff() ? "not all replicas back after %.1f s" : "all replicas back after %.1f s", recoverySec);
    if (mode.mode() == Mode.DAYU || Double.isNaN(dayuSec)) {
      return time + ".";
    }
    return time + String.format(Locale.ROOT,
        mode.cutOff() ? ", over %.1f times Dayu's time." : ", %.1f times Dayu's time.", recoverySec / dayuSec);
  }

  /**
   * Two sentences on all modes: Dayu's time beside those of stock HDFS, and what clients noticed of each. They say only
   * what was measured: nothing of a mode that failed, and a bound where one was cut off.
   */
  static String inShort(List<ModeSummary> modes) {
    Optional<ModeSummary> found = modes.stream().filter(mode -> mode.mode() == Mode.DAYU).findFirst();
    String begin = modes.stream().anyMatch(mode -> mode.runs() > 1) ? "In short, by medians: " : "In short: ";
    if (found.isEmpty()) {
      return begin + "Dayu was not among the modes, so there is nothing to compare.";
    }
    ModeSummary dayu = found.get();
    double dayuSec = dayu.value("recoveryTimeSec");
    List<ModeSummary> stock =
        modes.stream().filter(mode -> mode.mode() != Mode.DAYU && mode.mode().recovers()).toList();
    if (dayu.cutOff()) {
      return begin + String.format(Locale.ROOT, "Dayu had not brought all lost replicas back after %.1f s", dayuSec)
          + stock.stream().map(Conclusion::besideUnfinished).collect(Collectors.joining()) + ".";
    }
    if (dayu.failedRuns() > 0) {
      return begin + "Dayu's run failed, so no figure here speaks for Dayu.";
    }
    return begin + String.format(Locale.ROOT, "Dayu brought all lost replicas back in %.1f s", dayuSec)
        + (stock.isEmpty() ? "" : ", " + joined(stock.stream().map(mode -> compared(mode, dayuSec)).toList()))
        + latencies(modes) + ".";
  }

  private static String besideUnfinished(ModeSummary mode) {
    double sec = mode.value("recoveryTimeSec");
    return "; " + mode.mode().phrase() + (mode.cutOff() ? String.format(Locale.ROOT, " had not after %.1f s", sec)
        : mode.failedRuns() > 0 ? " failed"
        : String.format(Locale.ROOT, " had after %.1f s", sec));
  }

  private static Comparison compared(ModeSummary mode, double dayuSec) {
    String name = mode.mode().phrase();
    double sec = mode.value("recoveryTimeSec");
    double factor = sec / dayuSec;
    if (mode.failedRuns() > 0 || Double.isNaN(sec)) {
      return new Comparison(false, "not to be compared with " + name + " (failed)");
    }
    if (mode.cutOff()) {
      String after = String.format(Locale.ROOT, " (not done after %.1f s)", sec);
      return new Comparison(false, factor > 1 + SAME_TIME
          ? String.format(Locale.ROOT, "over %.1f times as fast as ", factor) + name + after
          : "not to be compared with " + name + after);
    }
    String seconds = String.format(Locale.ROOT, " (%.1f s)", sec);
    if (factor < 1 - SAME_TIME) {
      return new Comparison(true,
          String.format(Locale.ROOT, "%.1f times as slow as ", 1 / factor) + name + seconds);
    }
    return new Comparison(false,
        (factor > 1 + SAME_TIME ? String.format(Locale.ROOT, "%.1f times as fast as ", factor) : "about as fast as ")
            + name + seconds);
  }

  private static String joined(List<Comparison> comparisons) {
    boolean differ = comparisons.stream().map(Comparison::isSlower).distinct().count() > 1;
    return comparisons.stream().map(Comparison::text).collect(Collectors.joining(differ ? " but " : " and "));
  }

  private static String latencies(List<ModeSummary> modes) {
    List<String> each = new ArrayList<>();
    for (ModeSummary mode : modes) {
      double growth = mode.value("foregroundP90Growth");
      if (mode.failedRuns() == 0 && !Double.isNaN(growth)) {
        each.add(String.format(Locale.ROOT, "%.1f times%s with %s", growth,
            each.isEmpty() ? " that before the failure" : "", mode.mode().phrase()));
      }
    }
    return each.isEmpty() ? "" : ". The p90 of clients' latencies was " + enumerated(each);
  }

  private static String enumerated(List<String> texts) {
    int last = texts.size() - 1;
    return last == 0 ? texts.get(0) : String.join(", ", texts.subList(0, last)) + " and " + texts.get(last);
  }
}
