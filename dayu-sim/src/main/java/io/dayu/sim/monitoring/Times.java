/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.monitoring;

import io.dayu.sim.FormatException;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.time.zone.ZoneRules;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TimeZone;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Reads times as programs write them: seconds or milliseconds since 1970, ISO 8601 with an offset, or a local time with
 * a zone behind it or the zone that the user gives. A time whose zone is not certain is refused. Single-threaded.
 */
public final class Times {
  private static final Pattern LOCAL =
      Pattern.compile("(\\d{4}-\\d{2}-\\d{2})[ T](\\d{2}:\\d{2}:\\d{2}(?:[.,]\\d{1,9})?)(?: +(\\S+))?");
  private static final Pattern EPOCH = Pattern.compile("\\d{1,16}(?:\\.\\d+)?");
  /** More are milliseconds: seconds reach it in the year 5138. */
  private static final double MAX_SECONDS = 1e11;

  private final ZoneId given;
  private final Map<String, ZoneId> zones = new HashMap<>();

  /** @param given the zone of times that name none, or one that is not certain; null if the user gave none */
  public Times(ZoneId given) {
    this.given = given;
  }

  /** Seconds since 1970. */
  double seconds(String text, String where) throws FormatException {
    if (EPOCH.matcher(text).matches()) {
      double value = Samples.number(text, where);
      return value < MAX_SECONDS ? value : value / 1000;
    }
    Matcher local = LOCAL.matcher(text);
    try {
      if (!local.matches()) {
        return seconds(OffsetDateTime.parse(text.replaceFirst(" ", "T")).toInstant());
      }
      LocalDateTime time = LocalDateTime.parse(local.group(1) + "T" + local.group(2).replace(',', '.'),
          DateTimeFormatter.ISO_LOCAL_DATE_TIME);
      return seconds(time.atZone(zone(time, local.group(3), where)).toInstant());
    } catch (DateTimeParseException e) {
      throw new FormatException(where + ": expected a time like 2026-11-23 10:00:01 UTC, found '" + text + "'");
    }
  }

  private static double seconds(Instant time) {
    return time.toEpochMilli() / 1000.0;
  }

  private ZoneId zone(LocalDateTime time, String name, String where) throws FormatException {
    if (name == null && given == null) {
      throw new FormatException(
          where + ": the time " + time + " does not say of which zone it is (--zone, such as UTC or Europe/Berlin)");
    }
    if (name == null) {
      return given;
    }
    if (name.equals("UTC")) {
      return ZoneOffset.UTC;
    }
    ZoneId known = zones.get(name); // An abbreviation tells summer time, too.
    if (known == null) {
      Set<ZoneOffset> found = offsets(time, name);
      if (found.size() != 1 && given == null) {
        throw new FormatException(where + ": " + (found.isEmpty() ? "no zone is called " + name
            : name + " is the name of zones at " + found.stream().map(ZoneOffset::getId)
                .collect(Collectors.joining(" and ")))
            + " (--zone, such as UTC or Europe/Berlin)");
      }
      known = found.size() == 1 ? found.iterator().next() : given;
      zones.put(name, known);
    }
    return known;
  }

  /** What a zone's abbreviation may stand for at a time. */
  private static Set<ZoneOffset> offsets(LocalDateTime time, String abbreviation) {
    Set<ZoneOffset> found = new TreeSet<>();
    try {
      found.add(ZoneOffset.of(abbreviation));
      return found;
    } catch (DateTimeException e) {
      // A name, then.
    }
    for (String id : ZoneId.getAvailableZoneIds()) {
      ZoneRules rules = ZoneId.of(id).getRules();
      for (ZoneOffset offset : rules.getValidOffsets(time)) {
        boolean summer = rules.isDaylightSavings(time.toInstant(offset));
        if (TimeZone.getTimeZone(id).getDisplayName(summer, TimeZone.SHORT, Locale.US).equals(abbreviation)) {
          found.add(offset);
        }
      }
    }
    return found;
  }
}
