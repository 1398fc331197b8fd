/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.programs.options;

import io.dayu.conf.BadSettingException;
import io.dayu.conf.Settings;
import org.apache.hadoop.conf.Configuration;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the properties of a demo or benchmark, one kind of value at a time; a missing or an empty one stands for its
 * default. Immutable.
 *
 * @param properties texts by key, those of others too
 */
public record OptionReader(Map<String, String> properties) {
  private static final Pattern SIZE = Pattern.compile("(\\d{1,12})([kmg]?)");
  private static final Pattern TIME = Pattern.compile("(\\d{1,9})(ms|s|m)");
  private static final Pattern KEY_AND_VALUE = Pattern.compile("([^\\s=]+)=(.*)");
  private static final int MAX_SEEDS = 20;

  /** A misspelt key would leave its default to be measured. */
  public void refuseUnknown(String prefix, List<String> known) throws BadOptionException {
    Set<String> unknown = new TreeSet<>(properties.keySet());
    unknown.removeIf(key -> !key.startsWith(prefix) || known.contains(key));
    if (!unknown.isEmpty()) {
      throw new BadOptionException(
          "there is no property " + String.join(", ", unknown) + "; there are " + String.join(", ", known));
    }
  }

  public String text(String property, String defaultText) {
    String text = properties.get(property);
    return text == null || text.isBlank() ? defaultText : text.trim();
  }

  public long number(String property, String defaultText, long min, long max) throws BadOptionException {
    String text = text(property, defaultText);
    try {
      long value = Long.parseLong(text);
      if (value >= min && value <= max) {
        return value;
      }
    } catch (NumberFormatException notANumber) {
      // Said below, together with the bounds.
    }
    throw new BadOptionException(property, text,
        min == max ? Long.toString(min) : "a whole number from " + min + " to " + max);
  }

  public long size(String property, String defaultText, long min, long max) throws BadOptionException {
    String text = text(property, defaultText);
    Matcher form = SIZE.matcher(text.toLowerCase(Locale.ROOT));
    if (form.matches()) {
      int shift = form.group(2).isEmpty() ? 0 : 10 * (1 + "kmg".indexOf(form.group(2)));
      long number = Long.parseLong(form.group(1));
      if (number <= max >> shift && number << shift >= min) {
        return number << shift;
      }
    }
    throw new BadOptionException(property, text,
        "bytes with an optional suffix k, m or g, from " + min + " to " + max + ", such as " + defaultText);
  }

  /** @param ofMin what the lower bound is, if it is not always the same */
  public long timeMs(String property, String defaultText, long minMs, String ofMin, long maxMs)
      throws BadOptionException {
    String text = text(property, defaultText);
    Matcher form = TIME.matcher(text.toLowerCase(Locale.ROOT));
    if (form.matches()) {
      long unitMs = switch (form.group(2)) {
        case "ms" -> 1;
        case "s" -> 1_000;
        default -> 60_000;
      };
      long valueMs = Long.parseLong(form.group(1)) * unitMs;
      if (valueMs >= minMs && valueMs <= maxMs) {
        return valueMs;
      }
    }
    throw new BadOptionException(property, text,
        "a time in ms, s or m, from " + time(minMs) + ofMin + " to " + time(maxMs));
  }

  private static String time(long ms) {
    return ms % 60_000 == 0 ? ms / 60_000 + "m" : ms % 1_000 == 0 ? ms / 1_000 + "s" : ms + "ms";
  }

  public double fraction(String property, String defaultText, double max) throws BadOptionException {
    String text = text(property, defaultText);
    try {
      double value = Double.parseDouble(text);
      if (value > 0 && value <= max) {
        return value;
      }
    } catch (NumberFormatException notANumber) {
      // Said below, together with the bounds.
    }
    throw new BadOptionException(property, text, "a fraction above 0 and up to " + max);
  }

  public Optional<Path> file(String property) throws BadOptionException {
    String text = text(property, "");
    if (text.isEmpty()) {
      return Optional.empty();
    }
    Path path = Path.of(text).toAbsolutePath();
    if (path.getParent() == null || !path.getParent().toFile().canWrite() || path.toFile().isDirectory()) {
      throw new BadOptionException(property, text, "a file in a directory that exists and can be written to");
    }
    return Optional.of(path);
  }

  public Map<String, String> conf(String property) throws BadOptionException {
    String text = text(property, "");
    Map<String, String> conf = new LinkedHashMap<>();
    for (String entry : text.isEmpty() ? new String[0] : text.split(";", -1)) {
      Matcher form = KEY_AND_VALUE.matcher(entry.trim());
      if (!form.matches() || conf.put(form.group(1), form.group(2).trim()) != null) {
        throw new BadOptionException(property, text,
            "KEY=VALUE or several of them, each with another key, separated by semicolons");
      }
    }
    return conf;
  }

  /**
   * Refuses settings that Dayu cannot start with or does not know.
   *
   * @param property which they were given by
   * @param settings those to check; keys of others are passed over
   */
  public void checkSettings(String property, Map<String, String> settings) throws BadOptionException {
    Configuration conf = new Configuration(false);
    settings.forEach(conf::set);
    try {
      Settings read = Settings.read(conf);
      if (!read.unknownKeys().isEmpty()) {
        throw new BadOptionException(property, text(property, ""),
            "settings of Dayu; " + read.unknownKeys().get(0) + " is none");
      }
    } catch (BadSettingException e) {
      throw new BadOptionException(property, text(property, ""),
          "settings that Dayu can start with, but " + e.getMessage());
    }
  }

  public List<Long> seeds(String property) throws BadOptionException {
    String text = text(property, "1");
    String expected = "1 to " + MAX_SEEDS + " whole numbers of 64 bits, with one comma between two of them";
    Set<Long> seeds = new LinkedHashSet<>();
    for (String seed : text.split(",", -1)) {
      try {
        seeds.add(Long.parseLong(seed.trim()));
      } catch (NumberFormatException notANumber) {
        throw new BadOptionException(property, text, expected);
      }
    }
    if (seeds.size() > MAX_SEEDS) {
      throw new BadOptionException(property, text, expected);
    }
    return new ArrayList<>(seeds);
  }
}
