/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.demo;

import io.dayu.conf.Setting;
import io.dayu.programs.options.BadOptionException;
import io.dayu.programs.options.OptionReader;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What the demo is asked to do, read from the properties {@code demo.*} and checked. Immutable.
 *
 * @param nodes DataNodes
 * @param racks racks, over which the nodes are dealt out
 * @param bandwidthBytesPerSec what each node's NIC carries, in each direction
 * @param utilization the share of that which the foreground load takes on average
 * @param conf further settings of HDFS or Dayu, of all daemons and in all modes
 * @param modes who recovers, in this order
 * @param seeds each decides contents, the node to kill and the foreground load of one comparison; never empty
 * @param json where the result is written
 * @param report where the page with the plots is written
 */
record DemoOptions(int nodes, int racks, Data data, long bandwidthBytesPerSec, double utilization,
    Timeslots timeslots, Map<String, String> conf, List<Mode> modes, List<Long> seeds, Optional<Path> json,
    Path report) {
  /**
   * What is stored.
   *
   * @param replication of every file
   * @param bytes of all files together, before replication
   * @param blockBytes block size
   */
  record Data(int replication, long bytes, long blockBytes) {
  }

  /**
   * How Dayu plans.
   *
   * @param intervalMs T
   * @param horizonMs how much work is planned in a timeslot
   */
  record Timeslots(long intervalMs, long horizonMs) {
  }

  static final String PREFIX = "demo.";
  /** All that there are. */
  static final List<String> PROPERTIES = List.of("demo.modes", "demo.seed", "demo.nodes", "demo.racks",
      "demo.replication", "demo.data", "demo.block", "demo.bandwidth", "demo.utilization", "demo.timeslot",
      "demo.horizon", "demo.conf", "demo.report", "demo.json");

  private static final double MAX_UTILIZATION = 0.7;
  private static final long MAX_HORIZON_MS = 600_000;

  DemoOptions {
    conf = Collections.unmodifiableMap(new LinkedHashMap<>(conf));
    modes = List.copyOf(modes);
    seeds = List.copyOf(seeds);
  }

  /**
   * @param properties texts by key, those of others too; a missing or an empty one stands for the default
   * @param defaultReport where the page goes if nothing is said
   */
  static DemoOptions read(Map<String, String> properties, Path defaultReport) throws BadOptionException {
    OptionReader reader = new OptionReader(properties);
    reader.refuseUnknown(PREFIX, PROPERTIES);
    int nodes = (int) reader.number("demo.nodes", "12", 3, 30);
    int racks = (int) reader.number("demo.racks", Integer.toString(Math.min(4, nodes)), 1, nodes);
    int replication = (int) reader.number("demo.replication", Integer.toString(Math.min(3, nodes - 1)), 2, nodes - 1);
    long blockBytes = reader.size("demo.block", "384k", 64 << 10, 256 << 20);
    if (blockBytes % 512 != 0) {
      throw new BadOptionException("demo.block", reader.text("demo.block", ""), "a multiple of 512 bytes");
    }
    long dataBytes = reader.size("demo.data", "400m", blockBytes * nodes, 64L << 30);
    long bandwidth = reader.size("demo.bandwidth", "2m", 256 << 10, 10L << 30);
    double utilization = reader.fraction("demo.utilization", "0.3", MAX_UTILIZATION);
    long timeslotMs = reader.timeMs("demo.timeslot", "1s", 500, "", 300_000);
    long horizonMs = reader.timeMs("demo.horizon", Math.min(MAX_HORIZON_MS, 5 * timeslotMs) + "ms", timeslotMs,
        " (demo.timeslot)", MAX_HORIZON_MS);
    Optional<Path> json = reader.file("demo.json");
    Path report = reader.file("demo.report").orElse(defaultReport);
    DemoOptions options = new DemoOptions(nodes, racks, new Data(replication, dataBytes, blockBytes), bandwidth,
        utilization, new Timeslots(timeslotMs, horizonMs), conf(reader), modes(reader), reader.seeds("demo.seed"),
        json, report);
    reader.checkSettings("demo.conf", options.settings());
    return options;
  }

  /** Settings of all daemons that follow from the options: those of timeslots, and any others that the user gives. */
  Map<String, String> settings() {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put(Setting.TIMESLOT_INTERVAL.key(), timeslots.intervalMs + "ms");
    settings.put(Setting.TIMESLOT_HORIZON.key(), timeslots.horizonMs + "ms");
    settings.put(Setting.TIMESLOT_LEAD.key(), Math.min(1_000, timeslots.intervalMs / 3) + "ms");
    settings.putAll(conf);
    return settings;
  }

  /** What all DataNodes together store, with what the foreground writes and a replica more of what was lost. */
  long storedBytes() {
    return data.bytes * data.replication * 5 / 4;
  }

  private static Map<String, String> conf(OptionReader reader) throws BadOptionException {
    Map<String, String> conf = reader.conf("demo.conf");
    refuseTwice(conf, Setting.TIMESLOT_INTERVAL, "demo.timeslot");
    refuseTwice(conf, Setting.TIMESLOT_HORIZON, "demo.horizon");
    return conf;
  }

  /** Otherwise the result would show one value of the two while the other one was measured. */
  private static void refuseTwice(Map<String, String> conf, Setting setting, String property)
      throws BadOptionException {
    if (conf.containsKey(setting.key())) {
      throw new BadOptionException(
          "-Ddemo.conf must not set " + setting.key() + ": that is what -D" + property + " does");
    }
  }

  private static List<Mode> modes(OptionReader reader) throws BadOptionException {
    String text = reader.text("demo.modes", String.join(",", Mode.defaultIds()));
    Set<Mode> modes = new LinkedHashSet<>();
    for (String id : text.split(",", -1)) {
      modes.add(Mode.byId(id.trim()).orElseThrow(() -> new BadOptionException("demo.modes", text,
          "some of " + String.join(", ", Mode.ids()) + ", with one comma between two of them")));
    }
    return new ArrayList<>(modes);
  }
}
