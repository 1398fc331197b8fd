/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.conf;

import org.apache.hadoop.fs.StorageType;

import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How the value of a setting is written and what it may be. Parses to one {@code long} (milliseconds, bytes a second, a
 * count), a {@code double} (a ratio or a factor), a word of a list, or a number for each storage type. Immutable.
 */
sealed interface ValueKind {

  /** Parses {@code text}; throws IllegalArgumentException that says what would be right. */
  Object parse(String text);

  /** The unit, with the bounds, as the documentation has them. */
  String unit();

  /** The number that {@code text} is; empty if it is none. */
  private static <N> Optional<N> number(String text, Function<String, N> parser) {
    try {
      return Optional.of(parser.apply(text.trim()));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  /** Whole milliseconds, written {@code 500ms}, {@code 3s}, {@code 2m}, {@code 1h}, {@code 1d}. */
  record Duration(long minMs, long maxMs) implements ValueKind {
    private static final Pattern FORM = Pattern.compile("(\\d{1,12})(ms|s|m|h|d)");

    @Override
    public Object parse(String text) {
      Matcher form = FORM.matcher(text.trim());
      if (form.matches()) {
        long scaleMs = switch (form.group(2)) {
          case "ms" -> 1;
          case "s" -> 1_000;
          case "m" -> 60_000;
          case "h" -> 3_600_000;
          default -> 86_400_000;
        };
        long valueMs = Math.multiplyExact(Long.parseLong(form.group(1)), scaleMs);
        if (valueMs >= minMs && valueMs <= maxMs) {
          return valueMs;
        }
      }
      throw new IllegalArgumentException(
          "expected a time from " + text(minMs) + " to " + text(maxMs) + " with a unit (ms, s, m, h or d), such as 3s");
    }

    @Override
    public String unit() {
      return "time (ms/s/m/h/d), " + text(minMs) + " to " + text(maxMs);
    }

    /** In the largest unit in which it is whole. */
    private static String text(long ms) {
      return ms % 3_600_000 == 0 && ms > 0 ? ms / 3_600_000 + "h" : ms % 60_000 == 0 && ms > 0 ? ms / 60_000 + "m"
          : ms % 1_000 == 0 ? ms / 1_000 + "s"
          : ms + "ms";
    }
  }

  /** Bytes a second, written with an optional binary suffix k, m, g or t: {@code 100m}. */
  record BytesPerSec() implements ValueKind {
    private static final Pattern FORM = Pattern.compile("(\\d{1,15})([kmgt]?)");
    /** 1 TiB/s, far above any node: what the scheduler can count with. */
    private static final long MAX = 1L << 40;

    private static Optional<Long> bytes(String text) {
      Matcher form = FORM.matcher(text.trim().toLowerCase(Locale.ROOT));
      if (!form.matches()) {
        return Optional.empty();
      }
      int shift = form.group(2).isEmpty() ? 0 : 10 * (1 + "kmgt".indexOf(form.group(2)));
      return Optional.of(Long.valueOf(form.group(1))).filter(value -> value <= MAX >> shift)
          .map(value -> value << shift);
    }

    @Override
    public Object parse(String text) {
      return bytes(text).orElseThrow(() -> new IllegalArgumentException(
          "expected bytes a second, 0 to 1t, with an optional suffix k, m, g or t, such as 100m"));
    }

    @Override
    public String unit() {
      return "bytes/s (k/m/g/t), 0 to 1t";
    }
  }

  /** Bytes, written with an optional binary suffix k, m, g or t: 0, or at least a minimum. */
  record Bytes(long min) implements ValueKind {
    @Override
    public Object parse(String text) {
      return BytesPerSec.bytes(text).filter(value -> value == 0 || value >= min)
          .orElseThrow(() -> new IllegalArgumentException("expected 0, or " + (min >> 20)
              + "m to 1t bytes with an optional suffix k, m, g or t, such as 256m"));
    }

    @Override
    public String unit() {
      return "bytes (k/m/g/t), 0 or " + (min >> 20) + "m to 1t";
    }
  }

  /** What a class of its own reads. */
  record Parsed(String unit, Function<String, Object> parser) implements ValueKind {
    @Override
    public Object parse(String text) {
      return parser.apply(text);
    }
  }

  /** A time zone by its name, or that of the daemon's host. */
  record TimeZone() implements ValueKind {
    @Override
    public Object parse(String text) {
      try {
        return text.trim().equals("system") ? ZoneId.systemDefault() : ZoneId.of(text.trim());
      } catch (DateTimeException e) {
        throw new IllegalArgumentException("expected system or a time zone such as Europe/Berlin or UTC", e);
      }
    }

    @Override
    public String unit() {
      return "system | time zone";
    }
  }

  /** The full path of a directory; it may begin with a variable that has no value here. */
  record Directory() implements ValueKind {
    @Override
    public Object parse(String text) {
      String path = text.trim();
      if (!path.startsWith("/") && !path.startsWith("${")) {
        throw new IllegalArgumentException("expected the full path of a directory, such as /var/log/hadoop");
      }
      return path;
    }

    @Override
    public String unit() {
      return "full path";
    }
  }

  /** A whole number within bounds. */
  record Count(long min, long max) implements ValueKind {
    @Override
    public Object parse(String text) {
      return number(text, Long::valueOf).filter(value -> value >= min && value <= max).orElseThrow(
          () -> new IllegalArgumentException("expected a whole number from " + min + " to " + max));
    }

    @Override
    public String unit() {
      return "count, " + min + " to " + max;
    }
  }

  /** A fraction within bounds, both included. */
  record Ratio(double min, double max) implements ValueKind {
    @Override
    public Object parse(String text) {
      return number(text, Double::valueOf).filter(value -> value >= min && value <= max).orElseThrow(
          () -> new IllegalArgumentException("expected a fraction from " + min + " to " + max));
    }

    @Override
    public String unit() {
      return "fraction, " + min + " to " + max;
    }
  }

  /** A factor: at least 1, or 0, which turns off the rule that uses it. */
  record Factor(double max) implements ValueKind {
    @Override
    public Object parse(String text) {
      return number(text, Double::valueOf).filter(value -> value == 0 || value >= 1 && value <= max).orElseThrow(
          () -> new IllegalArgumentException("expected 0 or a number from 1.0 to " + max));
    }

    @Override
    public String unit() {
      return "factor, 0 or 1.0 to " + max;
    }
  }

  /** One word of a list, in lower or upper case, as Hadoop allows for its own settings. */
  record Choice(List<String> words) implements ValueKind {
    @Override
    public Object parse(String text) {
      String word = text.trim().toLowerCase(Locale.ROOT);
      if (words.contains(word)) {
        return word;
      }
      throw new IllegalArgumentException("expected one of " + String.join(", ", words));
    }

    @Override
    public String unit() {
      return String.join(" | ", words);
    }
  }

  /** One word of a list, or the full name of a class, package included. */
  record ChoiceOrClass(List<String> words) implements ValueKind {
    private static final Pattern CLASS_NAME =
        Pattern.compile("([\\p{L}_$][\\p{L}\\p{N}_$]*\\.)+[\\p{L}_$][\\p{L}\\p{N}_$]*");

    @Override
    public Object parse(String text) {
      String word = text.trim();
      if (words.contains(word) || CLASS_NAME.matcher(word).matches()) {
        return word;
      }
      throw new IllegalArgumentException(
          "expected one of " + String.join(", ", words) + " or the full name of a class");
    }

    @Override
    public String unit() {
      return String.join(" | ", words) + " | class name";
    }
  }

  /** Names of network interfaces, in a list; none for {@code auto}. */
  record InterfaceNames() implements ValueKind {
    private static final Pattern NAME = Pattern.compile("[^\\s/,:.][^\\s/,:]{0,14}");

    @Override
    public Object parse(String text) {
      if (text.trim().equals("auto")) {
        return List.of();
      }
      List<String> names = List.of(text.trim().split("\\s*,\\s*"));
      if (!names.stream().allMatch(name -> NAME.matcher(name).matches())) {
        throw new IllegalArgumentException("expected auto or names of network interfaces, such as bond0 or eth0,eth1");
      }
      return names;
    }

    @Override
    public String unit() {
      return "auto | names";
    }
  }

  /**
   * A value for each storage type, written {@code DISK=100m,SSD=500m,OTHER=1000m}. {@code OTHER} has the value of all
   * types that are not named, and is mandatory.
   */
  record PerStorageType(ValueKind value) implements ValueKind {
    @Override
    public Object parse(String text) {
      Map<StorageType, Long> values = new EnumMap<>(StorageType.class);
      Long other = null;
      for (String entry : text.trim().split("\\s*,\\s*")) {
        String[] sides = entry.split("=", 2);
        if (sides.length != 2) {
          throw wrong("'" + entry + "' has no '='");
        }
        long number;
        try {
          number = (Long) value.parse(sides[1]);
        } catch (IllegalArgumentException e) {
          throw wrong("'" + entry + "': " + e.getMessage());
        }
        String type = sides[0].trim().toUpperCase(Locale.ROOT);
        if (type.equals("OTHER")) {
          other = number;
          continue;
        }
        try {
          values.put(StorageType.valueOf(type), number);
        } catch (IllegalArgumentException e) {
          throw wrong("'" + type + "' is not a storage type");
        }
      }
      if (other == null) {
        throw wrong("OTHER is missing");
      }
      for (StorageType type : StorageType.values()) {
        values.putIfAbsent(type, other);
      }
      return values;
    }

    private static IllegalArgumentException wrong(String reason) {
      return new IllegalArgumentException(
          "expected TYPE=value,...,OTHER=value with the storage types of HDFS; " + reason);
    }

    @Override
    public String unit() {
      return value.unit() + ", by storage type";
    }
  }
}
