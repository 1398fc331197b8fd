/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness.scenario;

import com.fasterxml.jackson.annotation.JsonCreator;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * When a fault is made. Immutable. In a scenario one of: {@code at once}, {@code after 2 s},
 * {@code after 30 % recovered}, {@code when transfers run}, {@code when decommissioned}, {@code when in maintenance};
 * each as seen once the step before is done, the last two of the node that the fault is about.
 */
public record Moment(Kind kind, int amount) {
  private static final Pattern AFTER_SECONDS = Pattern.compile("after (\\d{1,3}) s");
  private static final Pattern AFTER_PERCENT = Pattern.compile("after (\\d{1,3}) % recovered");

  /** What is waited for; {@code AFTER_SECONDS} and {@code AFTER_PERCENT} have an amount. */
  enum Kind {
    AT_ONCE, AFTER_SECONDS, AFTER_PERCENT, TRANSFERS_RUN, DECOMMISSIONED, IN_MAINTENANCE
  }

  @JsonCreator
  static Moment of(String text) {
    Matcher seconds = AFTER_SECONDS.matcher(text);
    if (seconds.matches()) {
      return new Moment(Kind.AFTER_SECONDS, Integer.parseInt(seconds.group(1)));
    }
    Matcher percent = AFTER_PERCENT.matcher(text);
    if (percent.matches() && Integer.parseInt(percent.group(1)) <= 100) {
      return new Moment(Kind.AFTER_PERCENT, Integer.parseInt(percent.group(1)));
    }
    return new Moment(switch (text) {
      case "at once" -> Kind.AT_ONCE;
      case "when transfers run" -> Kind.TRANSFERS_RUN;
      case "when decommissioned" -> Kind.DECOMMISSIONED;
      case "when in maintenance" -> Kind.IN_MAINTENANCE;
      default -> throw new IllegalArgumentException("no such moment: '" + text + "'");
    }, 0);
  }
}
