/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.admin.AdminException;
import io.dayu.admin.ExitCode;

import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What an admin's {@code -pause} asks for. Immutable.
 *
 * @param millis after this time recovery resumes by itself
 * @param all whether blocks of the highest risk wait, too
 * @param note what the admin said; may be empty
 */
public record PauseRequest(long millis, boolean all, String note) {
  static final long DEFAULT_MS = TimeUnit.HOURS.toMillis(1);
  public static final long MAX_MS = TimeUnit.HOURS.toMillis(24);
  private static final Pattern TIME = Pattern.compile("(?<count>[1-9][0-9]{0,5})(?<unit>[smh])");
  private static final Pattern OPTION = Pattern.compile("-(?<name>for|all)(?: +(?<value>\\S+))?(?= |$)");

  /**
   * Reads a command's argument: {@code -for <time>} and {@code -all}, in any order, and then the note.
   *
   * @throws AdminException if the time is malformed or too long
   */
  public static PauseRequest parse(String argument) throws AdminException {
    long millis = DEFAULT_MS;
    boolean all = false;
    String rest = argument.trim();
    for (Matcher option = OPTION.matcher(rest); option.lookingAt(); option = OPTION.matcher(rest)) {
      if (option.group("name").equals("all")) {
        all = true;
        rest = rest.substring("-all".length()).trim();
      } else {
        millis = millis(option.group("value") == null ? "" : option.group("value"));
        rest = rest.substring(option.end()).trim();
      }
    }
    return new PauseRequest(millis, all, rest);
  }

  private static long millis(String text) throws AdminException {
    Matcher time = TIME.matcher(text);
    long millis = !time.matches() ? 0 : Long.parseLong(time.group("count")) * switch (time.group("unit")) {
      case "s" -> TimeUnit.SECONDS.toMillis(1);
      case "m" -> TimeUnit.MINUTES.toMillis(1);
      default -> TimeUnit.HOURS.toMillis(1);
    };
    if (millis == 0 || millis > MAX_MS) {
      throw new AdminException(ExitCode.REFUSED,
          "-for needs a time up to 24h, such as 90s, 30m or 2h, but there is '" + text + "'");
    }
    return millis;
  }
}
