/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.demo;

import io.dayu.conf.BadSettingException;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;

import org.apache.hadoop.conf.Configuration;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
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
 * What the demo is asked to do, read from the properties {@code demo.*} and checked. Immutable.
 *
 * @param nodes DataNodes
 * @param racks racks, over which the nodes are dealt out
 * @param replication of every file
 * @param dataBytes of all files together, before replication
 * @param blockBytes block size
 * @param bandwidthBytesPerSec what each node's NIC carries, in each direction
 * @param utilization the share of that which the foreground load takes on average
 * @param timeslotMs T of Dayu
 * @param horizonMs how much work Dayu plans in a timeslot
 * @param conf further settings of HDFS or Dayu, of all daemons and in all modes
 * @param modes who recovers, in this order
 * @param seeds each decides contents, the node to kill and the foreground load of one comparison; never empty
 * @param json where the result is written
 * @param report where the page with the plots is written
 */
record DemoOptions(int nodes, int racks, int replication, long dataBytes, long blockBytes, long bandwidthBytesPerSec,
    double utilization, long timeslotMs, long horizonMs, Map<String, String> conf, List<Mode> modes, List<Long> seeds,
    Optional<Path> json, Path report) {
  static final String PREFIX = "demo.";
  /** All that there are. */
  static final List<String> PROPERTIES = List.of("demo.modes", "demo.seed", "demo.nodes", "demo.racks", "demo.replication", "demo.data",
      "demo.block", "demo.bandwidth", "demo.utilization", "demo.timeslot", "demo.horizon", "demo.conf", "demo.report", "demo.json");

  private static final Pattern SIZE = Pattern.compile("(\\d{1,12})([kmg]?)");
  private static final Pattern TIME = Pattern.compile("(\\d{1,9})(ms|s|m)");
  private static final Pattern KEY_AND_VALUE = Pattern.compile("([^\\s=]+)=(.*)");
  private static final int MAX_SEEDS = 20;
  private static final double MAX_UTILIZATION = 0.7;
  private static final long MAX_HORIZON_MS = 600_000;

  DemoOptions {
    conf = Collections.unmodifiableMap(new LinkedHashMap<>(conf));
    modes = List.copyOf(modes);
    seeds = List.copyOf(seeds);
  }

  /** A property that there is not, or with a value that is not possible; the message names it and says what is. */
  static final class BadOptionException extends Exception {
    BadOptionException(String message) {
      super(message);
    }

    BadOptionException(String property, String value, String expected) {
      super("-D" + property + "=" + value + " is not possible: expected " + expected);
    }
  }

  /**
   * @param properties texts by key, those of others too; a missing or an empty one stands for the default
   * @param defaultReport where the page goes if nothing is said
   */
  static DemoOptions read(Map<String, String> properties, Path defaultReport) throws BadOptionException {
    refuseUnknown(properties.keySet());
    Reader reader = new Reader(properties);
    int nodes = (int) reader.number("demo.nodes", "12", 3, 30);
    int racks = (int) reader.number("demo.racks", Integer.toString(Math.min(4, nodes)), 1, nodes);
    int replication = (int) reader.number("demo.replication", Integer.toString(Math.min(3, nodes - 1)), 2, nodes - 1);
    long blockBytes = reader.size("demo.block", "384k", 64 << 10, 256 << 20);
    if (blockBytes % 512 != 0) {
      throw new BadOptionException("demo.block", reader.text("demo.block", ""), "a multiple of 512 bytes");
    }
    long dataBytes = reader.size("demo.data", "800m", blockBytes * nodes, 64L << 30);
    long bandwidth = reader.size("demo.bandwidth", "2m", 256 << 10, 10L << 30);
    double utilization = reader.fraction("demo.utilization", "0.3", MAX_UTILIZATION);
    long timeslotMs = reader.timeMs("demo.timeslot", "1s", 500, "", 300_000);
    long horizonMs = reader.timeMs("demo.horizon", Math.min(MAX_HORIZON_MS, 5 * timeslotMs) + "ms", timeslotMs, " (demo.timeslot)",
        MAX_HORIZON_MS);
    Optional<Path> json = reader.file("demo.json");
    Path report = reader.file("demo.report").orElse(defaultReport);
    DemoOptions options = new DemoOptions(nodes, racks, replication, dataBytes, blockBytes, bandwidth, utilization, timeslotMs, horizonMs,
        reader.conf(), reader.modes(), reader.seeds(), json, report);
    Configuration conf = new Configuration(false);
    options.settings().forEach(conf::set);
    try {
      Settings.read(conf);
    } catch (BadSettingException e) {
      throw new BadOptionException("demo.conf", reader.text("demo.conf", ""), "settings that Dayu can start with, but " + e.getMessage());
    }
    return options;
  }

  /** A misspelt key would leave its default to be measured. */
  private static void refuseUnknown(Set<String> keys) throws BadOptionException {
    Set<String> unknown = new TreeSet<>(keys);
    unknown.removeIf(key -> !key.startsWith(PREFIX) || PROPERTIES.contains(key));
    if (!unknown.isEmpty()) {
      throw new BadOptionException("there is no property " + String.join(", ", unknown) + "; there are " + String.join(", ", PROPERTIES));
    }
  }

  /** Settings of all daemons that follow from the options: those of timeslots, and whatever else is asked for. */
  Map<String, String> settings() {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put(Setting.TIMESLOT_INTERVAL.key(), timeslotMs + "ms");
    settings.put(Setting.TIMESLOT_HORIZON.key(), horizonMs + "ms");
    settings.put(Setting.TIMESLOT_LEAD.key(), Math.min(1_000, timeslotMs / 3) + "ms");
    settings.putAll(conf);
    return settings;
  }

  /** What all DataNodes together store, with what the foreground writes and a replica more of what was lost. */
  long storedBytes() {
    return dataBytes * replication * 5 / 4;
  }

  /** The properties, one kind of value at a time. */
  private record Reader(Map<String, String> properties) {

    String text(String property, String defaultText) {
      String text = properties.get(property);
      return text == null || text.isBlank() ? defaultText : text.trim();
    }

    long number(String property, String defaultText, long min, long max) throws BadOptionException {
      String text = text(property, defaultText);
      try {
        long value = Long.parseLong(text);
        if (value >= min && value <= max) {
          return value;
        }
      } catch (NumberFormatException notANumber) {
        // Said below, together with the bounds.
      }
      throw new BadOptionException(property, text, min == max ? Long.toString(min) : "a whole number from " + min + " to " + max);
    }

    long size(String property, String defaultText, long min, long max) throws BadOptionException {
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
    long timeMs(String property, String defaultText, long minMs, String ofMin, long maxMs) throws BadOptionException {
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
      throw new BadOptionException(property, text, "a time in ms, s or m, from " + time(minMs) + ofMin + " to " + time(maxMs));
    }

    private static String time(long ms) {
      return ms % 60_000 == 0 ? ms / 60_000 + "m" : ms % 1_000 == 0 ? ms / 1_000 + "s" : ms + "ms";
    }

    double fraction(String property, String defaultText, double max) throws BadOptionException {
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

    Optional<Path> file(String property) throws BadOptionException {
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

    Map<String, String> conf() throws BadOptionException {
      String text = text("demo.conf", "");
      Map<String, String> conf = new LinkedHashMap<>();
      for (String entry : text.isEmpty() ? new String[0] : text.split(";", -1)) {
        Matcher form = KEY_AND_VALUE.matcher(entry.trim());
        if (!form.matches() || conf.put(form.group(1), form.group(2).trim()) != null) {
          throw new BadOptionException("demo.conf", text, "KEY=VALUE or several of them, each with another key, separated by semicolons");
        }
      }
      refuseTwice(conf, Setting.TIMESLOT_INTERVAL, "demo.timeslot");
      refuseTwice(conf, Setting.TIMESLOT_HORIZON, "demo.horizon");
      return conf;
    }

    /** The result would show one value of the two while the other was measured. */
    private static void refuseTwice(Map<String, String> conf, Setting setting, String property) throws BadOptionException {
      if (conf.containsKey(setting.key())) {
        throw new BadOptionException("-Ddemo.conf must not set " + setting.key() + ": that is what -D" + property + " does");
      }
    }

    List<Mode> modes() throws BadOptionException {
      String text = text("demo.modes", String.join(",", Mode.defaultIds()));
      Set<Mode> modes = new LinkedHashSet<>();
      for (String id : text.split(",", -1)) {
        modes.add(Mode.byId(id.trim()).orElseThrow(() -> new BadOptionException("demo.modes", text,
            "some of " + String.join(", ", Mode.ids()) + ", with one comma between two of them")));
      }
      return new ArrayList<>(modes);
    }

    List<Long> seeds() throws BadOptionException {
      String text = text("demo.seed", "1");
      String expected = "1 to " + MAX_SEEDS + " whole numbers of 64 bits, with one comma between two of them";
      Set<Long> seeds = new LinkedHashSet<>();
      for (String seed : text.split(",", -1)) {
        try {
          seeds.add(Long.parseLong(seed.trim()));
        } catch (NumberFormatException notANumber) {
          throw new BadOptionException("demo.seed", text, expected);
        }
      }
      if (seeds.size() > MAX_SEEDS) {
        throw new BadOptionException("demo.seed", text, expected);
      }
      return new ArrayList<>(seeds);
    }
  }
}
