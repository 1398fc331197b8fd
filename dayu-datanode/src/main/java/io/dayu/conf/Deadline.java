/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.conf;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A moment until which a DataNode is to have left, as {@code dayu.decommission.deadlines} has it:
 * {@code dn1:9866 2026-11-28T01:00:00Z 2026-11-28T06:00:00Z 0.9}. Immutable.
 *
 * @param node a DataNode as {@code -leaving} names it, or {@link #ALL}
 * @param from when the deadline was given
 * @param until the deadline
 * @param maxUtilization α that recovery may have for it at most
 */
public record Deadline(String node, Instant from, Instant until, double maxUtilization) {
  /** The node of a deadline for each DataNode that leaves. */
  public static final String ALL = "all";
  /** α at most, if nothing else is said. */
  public static final double DEFAULT_MAX_UTILIZATION = 0.9;
  private static final Pattern LENGTH = Pattern.compile("(\\d{1,6})([smhd])");
  private static final Pattern GIVEN = Pattern.compile("(\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ)/(.*)");
  private static final int MAX_DEADLINES = 100;
  private static final Duration MAX = Duration.ofDays(366);

  public Deadline {
    node = node.toLowerCase(Locale.ROOT);
    if (!until.isAfter(from)) {
      throw new IllegalArgumentException("the deadline " + until + " is not later than " + from);
    }
    if (until.isAfter(from.plus(MAX))) {
      throw new IllegalArgumentException("the deadline " + until + " is more than a year away");
    }
    if (!(maxUtilization > 0 && maxUtilization <= 1)) {
      throw new IllegalArgumentException("alpha at most " + maxUtilization + ", expected above 0 and at most 1");
    }
  }

  /** Reads the value of the setting. */
  static List<Deadline> parse(String text) {
    List<Deadline> deadlines = new ArrayList<>();
    for (String part : text.trim().equals("none") ? new String[0] : text.trim().split("\\s*;\\s*")) {
      String[] words = part.split("\\s+");
      try {
        deadlines.add(new Deadline(words[0], Instant.parse(words[1]), Instant.parse(words[2]),
            Double.parseDouble(words[3])));
      } catch (DateTimeException | NumberFormatException | IndexOutOfBoundsException e) {
        throw new IllegalArgumentException("expected none, or deadlines as hdfs dayu -deadline writes them: "
            + "<node|all> <from> <until> <alpha>, as in all 2026-11-28T01:00:00Z 2026-11-28T06:00:00Z 0.9", e);
      }
    }
    if (deadlines.size() > MAX_DEADLINES) {
      throw new IllegalArgumentException("expected at most " + MAX_DEADLINES + " deadlines");
    }
    return List.copyOf(deadlines);
  }

  /** The value of the setting. */
  public static String text(List<Deadline> deadlines) {
    return deadlines.isEmpty() ? "none" : String.join("; ", deadlines.stream().map(Deadline::toString).toList());
  }

  /**
   * A deadline as an admin says it.
   *
   * @param when a length such as {@code 6h}, a time of the day, or a date and time, of {@code zone} if it has none; or
   *     one of these as {@link #given} has it
   * @throws IllegalArgumentException with what is expected
   */
  public static Deadline of(String node, String when, double maxUtilization, Instant now, ZoneId zone) {
    Matcher given = GIVEN.matcher(when);
    boolean isGiven = given.matches();
    Instant from = isGiven ? from(given.group(1)) : now.truncatedTo(ChronoUnit.SECONDS);
    Instant until = until(isGiven ? given.group(2) : when, from, zone);
    if (isGiven && !until.isAfter(now)) {
      throw new IllegalArgumentException("the deadline " + until + " is over already, by the clock of this NameNode");
    }
    return new Deadline(node, from, until, maxUtilization);
  }

  private static Instant from(String given) {
    try {
      return Instant.parse(given);
    } catch (DateTimeException e) {
      throw new IllegalArgumentException("'" + given + "' is no time", e);
    }
  }

  /** A time with the moment when it is given, from which several NameNodes make the same deadline. */
  public static String given(String when, Instant now) {
    return now.truncatedTo(ChronoUnit.SECONDS) + "/" + when;
  }

  private static Instant until(String when, Instant from, ZoneId zone) {
    Matcher length = LENGTH.matcher(when);
    if (length.matches()) {
      long count = Long.parseLong(length.group(1));
      return switch (length.group(2)) {
        case "s" -> from.plusSeconds(count);
        case "m" -> from.plusSeconds(60 * count);
        case "h" -> from.plusSeconds(3_600 * count);
        default -> from.plusSeconds(86_400 * count);
      };
    }
    try {
      if (!when.contains("T")) {
        ZonedDateTime local = from.atZone(zone);
        ZonedDateTime today = local.with(LocalTime.parse(when));
        return (today.isAfter(local) ? today : today.plusDays(1)).toInstant();
      }
      boolean hasZone = when.endsWith("Z") || when.indexOf('+') > 0 || when.lastIndexOf('-') > when.indexOf('T');
      return hasZone ? OffsetDateTime.parse(when).toInstant() : LocalDateTime.parse(when).atZone(zone).toInstant();
    } catch (DateTimeException e) {
      throw new IllegalArgumentException("'" + when + "' is no time: expected a length such as 6h, a time such as "
          + "06:00, or a date and time such as 2026-11-28T06:00, also with Z for UTC", e);
    }
  }

  /** Whether it is a deadline of this DataNode: by its address, by its name with or without port and domain. */
  public boolean isOf(String name) {
    return node.equals(ALL) || isSameNode(name);
  }

  /** Whether it was given for this DataNode, or for all if the name is {@link #ALL}. */
  public boolean isSameNode(String name) {
    String other = name.toLowerCase(Locale.ROOT);
    String port = port(node);
    String otherPort = port(other);
    if (node.equals(ALL) || other.equals(ALL) || !port.isEmpty() && !otherPort.isEmpty() && !port.equals(otherPort)) {
      return node.equals(other);
    }
    String host = node.substring(0, node.length() - port.length());
    String otherHost = other.substring(0, other.length() - otherPort.length());
    return host.equals(otherHost) || isShortNameOf(host, otherHost) || isShortNameOf(otherHost, host);
  }

  /** With its colon; empty if there is none. An IPv6 address without brackets has none. */
  private static String port(String name) {
    int colon = name.lastIndexOf(':');
    return colon < 0 || name.indexOf(':') < colon && !name.startsWith("[") ? "" : name.substring(colon);
  }

  private static boolean isShortNameOf(String name, String fullName) {
    return name.chars().anyMatch(Character::isLetter) && fullName.startsWith(name + ".");
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%s %s %s %s", node, from, until, maxUtilization);
  }
}
