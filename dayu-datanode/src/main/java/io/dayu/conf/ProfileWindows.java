/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.conf;

import java.time.DayOfWeek;
import java.time.ZonedDateTime;
import java.time.format.TextStyle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Windows of the week in which profiles hold, such as {@code Mon-Fri 08:00-20:00 gentle; Sat,Sun fast}. A window that
 * ends at an earlier time than it begins goes on to the next day. No two windows overlap. Immutable.
 */
public final class ProfileWindows {
  private static final String FORM = "expected none, or windows such as Mon-Fri 08:00-20:00 gentle; Sat,Sun fast";
  private static final Pattern WINDOW =
      Pattern.compile("(?<days>[A-Za-z][A-Za-z,\\- ]*?)(\\s+(?<from>\\S+:\\S+?)\\s*-\\s*(?<to>\\S+:\\S+))?"
          + "\\s+(?<profile>[A-Za-z]+)");
  private static final Pattern TIME = Pattern.compile("(\\d{1,2}):(\\d{2})");
  private static final int MINUTES_PER_DAY = 24 * 60;
  private static final int MINUTES_PER_WEEK = 7 * MINUTES_PER_DAY;
  /** Windows at most. */
  private static final int MAX_WINDOWS = 100;

  /** A window, as it is written. */
  record Window(String text, Profile profile) {
  }

  private final List<Window> windows;
  /** For each minute of the week, from Monday on, one more than the index of its window; 0 = none. */
  private final byte[] windowOfMinute;

  private ProfileWindows(List<Window> windows, byte[] windowOfMinute) {
    this.windows = windows;
    this.windowOfMinute = windowOfMinute;
  }

  /** @throws IllegalArgumentException with what is expected */
  static ProfileWindows parse(String text) {
    List<Window> windows = new ArrayList<>();
    byte[] windowOfMinute = new byte[MINUTES_PER_WEEK];
    if (!text.trim().equalsIgnoreCase("none")) {
      for (String part : text.trim().split("\\s*;\\s*")) {
        add(part.replaceAll("\\s+", " "), windows, windowOfMinute);
      }
    }
    return new ProfileWindows(List.copyOf(windows), windowOfMinute);
  }

  private static void add(String text, List<Window> windows, byte[] windowOfMinute) {
    Matcher form = WINDOW.matcher(text);
    if (!form.matches() || windows.size() == MAX_WINDOWS) {
      throw new IllegalArgumentException(FORM + (windows.size() == MAX_WINDOWS ? ", at most " + MAX_WINDOWS : "")
          + "; '" + text + "' is none");
    }
    Profile profile = Profile.of(form.group("profile")).orElseThrow(() -> new IllegalArgumentException(
        "'" + form.group("profile") + "' is no profile; expected one of " + String.join(", ", Profile.words())));
    int from = form.group("from") == null ? 0 : minute(form.group("from"));
    int to = form.group("to") == null ? MINUTES_PER_DAY : minute(form.group("to"));
    if (from == to || from == MINUTES_PER_DAY) {
      throw new IllegalArgumentException("the window '" + text + "' has no length; a whole day has no times");
    }
    windows.add(new Window(text, profile));
    for (DayOfWeek day : days(form.group("days"))) {
      int begin = (day.getValue() - 1) * MINUTES_PER_DAY + from;
      int length = to > from ? to - from : to - from + MINUTES_PER_DAY;
      for (int minute = begin; minute < begin + length; minute++) {
        int other = windowOfMinute[minute % MINUTES_PER_WEEK];
        if (other != 0) {
          throw new IllegalArgumentException("the windows '" + windows.get(other - 1).text + "' and '" + text
              + "' overlap on " + name(DayOfWeek.of(minute % MINUTES_PER_WEEK / MINUTES_PER_DAY + 1)) + " at "
              + time(minute % MINUTES_PER_DAY));
        }
        windowOfMinute[minute % MINUTES_PER_WEEK] = (byte) windows.size();
      }
    }
  }

  private static int minute(String text) {
    Matcher form = TIME.matcher(text);
    int minute = form.matches() ? 60 * Integer.parseInt(form.group(1)) + Integer.parseInt(form.group(2)) : -1;
    if (minute < 0 || minute > MINUTES_PER_DAY || Integer.parseInt(form.group(2)) > 59) {
      throw new IllegalArgumentException("'" + text + "' is no time from 00:00 to 24:00");
    }
    return minute;
  }

  /** Of {@code Mon-Fri,Sun}; a range may go over the end of the week. */
  private static Set<DayOfWeek> days(String text) {
    Set<DayOfWeek> days = EnumSet.noneOf(DayOfWeek.class);
    for (String part : text.split(",")) {
      String[] ends = part.split("-", -1);
      if (ends.length > 2) {
        throw new IllegalArgumentException("'" + part.trim() + "' is no range of days, such as Mon-Fri");
      }
      DayOfWeek last = day(ends[ends.length - 1]);
      DayOfWeek day = day(ends[0]);
      days.add(day);
      while (day != last) {
        day = day.plus(1);
        days.add(day);
      }
    }
    return days;
  }

  private static DayOfWeek day(String text) {
    return Arrays.stream(DayOfWeek.values()).filter(day -> name(day).equalsIgnoreCase(text.trim())).findFirst()
        .orElseThrow(() -> new IllegalArgumentException(
            "'" + text.trim() + "' is no day; expected Mon, Tue, Wed, Thu, Fri, Sat or Sun"));
  }

  private static String name(DayOfWeek day) {
    return day.getDisplayName(TextStyle.SHORT, Locale.ROOT);
  }

  private static String time(int minuteOfDay) {
    return String.format(Locale.ROOT, "%02d:%02d", minuteOfDay / 60, minuteOfDay % 60);
  }

  private static int minuteOfWeek(ZonedDateTime now) {
    return (now.getDayOfWeek().getValue() - 1) * MINUTES_PER_DAY + 60 * now.getHour() + now.getMinute();
  }

  /** The window that holds now. */
  Optional<Window> at(ZonedDateTime now) {
    int window = windowOfMinute[minuteOfWeek(now)];
    return window == 0 ? Optional.empty() : Optional.of(windows.get(window - 1));
  }

  /** When another window begins, or none holds any more, as in {@code Fri 20:00}; empty if that never happens. */
  Optional<String> nextChange(ZonedDateTime now) {
    int begin = minuteOfWeek(now);
    for (int i = 1; i < MINUTES_PER_WEEK; i++) {
      int minute = (begin + i) % MINUTES_PER_WEEK;
      if (windowOfMinute[minute] != windowOfMinute[begin]) {
        return Optional.of(name(DayOfWeek.of(minute / MINUTES_PER_DAY + 1)) + " " + time(minute % MINUTES_PER_DAY));
      }
    }
    return Optional.empty();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ProfileWindows same && windows.equals(same.windows)
        && Arrays.equals(windowOfMinute, same.windowOfMinute);
  }

  @Override
  public int hashCode() {
    return 31 * windows.hashCode() + Arrays.hashCode(windowOfMinute);
  }
}
