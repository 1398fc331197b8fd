/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.demo;

import java.util.List;
import java.util.Locale;

/**
 * What a reader should take home: for each mode one sentence on the recovery's time, beside that of Dayu, and one on
 * the clients' latencies meanwhile. Stateless.
 */
final class Conclusion {
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
}
