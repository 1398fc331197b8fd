/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import io.dayu.hosts.client.Topology;
import io.dayu.hosts.faults.FaultKind;
import io.dayu.hosts.faults.FaultRound;
import io.dayu.programs.options.BadOptionException;
import io.dayu.programs.options.OptionReader;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What a run with random faults is asked to do, read from the properties {@code hosts.*} and checked. Immutable.
 *
 * @param seed decides the faults and the contents
 * @param minutes after which no further round begins
 * @param firstRound the number of the first round
 * @param kinds that were asked for; what the machine lacks for some is said at the start
 * @param earlier the jars of an earlier version, with which every second daemon begins
 * @param common what the benchmark's options say of hosts, links, jars and settings
 */
record RandomFaultsOptions(long seed, int minutes, int firstRound, Set<FaultKind> kinds, Optional<EarlierJars> earlier,
    HostsOptions common) {
  /** The value of {@code hosts.fault}. */
  static final String ID = "random";
  private static final List<String> OWN =
      List.of("hosts.fault", "hosts.seed", "hosts.minutes", "hosts.round", "hosts.kinds", "hosts.upgrade-from");
  private static final List<String> COMMON =
      List.of("hosts.nodes", "hosts.racks", "hosts.rate", "hosts.queue", "hosts.segment", "hosts.hadoop", "hosts.conf",
          "hosts.namenode.jar", "hosts.datanode.jar", "hosts.ec");
  private static final Map<String, String> DEFAULTS =
      Map.of("hosts.nodes", "6", "hosts.racks", "3", "hosts.rate", "50mbit", "hosts.block", "1m");

  /** Three replicas have room while two DataNodes are away, and one more may be avoided. */
  private static final int MIN_NODES = Topology.REPLICATION + FaultRound.MAX_NODES + 1;

  /** The jars of an earlier version. */
  record EarlierJars(Path nameNode, Path dataNode) {
    private static EarlierJars in(String text) throws BadOptionException {
      Path directory = Path.of(text).toAbsolutePath();
      return new EarlierJars(one(text, directory, "dayu-namenode"), one(text, directory, "dayu-datanode"));
    }

    private static Path one(String text, Path directory, String module) throws BadOptionException {
      try (Stream<Path> files = Files.isDirectory(directory) ? Files.list(directory) : Stream.empty()) {
        List<Path> jars = files.filter(file -> file.getFileName().toString()
            .matches(module + "-[\\d.]+(-SNAPSHOT)?\\.jar")).toList();
        if (jars.size() == 1) {
          return jars.get(0);
        }
      } catch (IOException e) {
        throw new BadOptionException("hosts.upgrade-from", text, "a readable directory; " + e.getMessage());
      }
      throw new BadOptionException("hosts.upgrade-from", text,
          "a directory with one jar of dayu-namenode and one of dayu-datanode");
    }
  }

  RandomFaultsOptions {
    kinds = Set.copyOf(kinds);
  }

  /**
   * @param properties texts by key, those of others too
   * @param work the benchmark's directory
   */
  static RandomFaultsOptions read(Map<String, String> properties, Path work) throws BadOptionException {
    OptionReader reader = new OptionReader(properties);
    List<String> known = new ArrayList<>(OWN);
    known.addAll(COMMON);
    reader.refuseUnknown(HostsOptions.PREFIX, known);
    Map<String, String> common = new HashMap<>(DEFAULTS);
    Optional<ErasureCoding> erasureCoding = ErasureCoding.read(reader);
    if (erasureCoding.isPresent()) {
      common.put("hosts.nodes", Integer.toString(nodes(erasureCoding.get().units())));
      common.put("hosts.racks", Integer.toString(ErasureCoding.DEFAULT_RACKS));
    }
    for (String property : COMMON) {
      if (!reader.text(property, "").isEmpty()) {
        common.put(property, reader.text(property, ""));
      }
    }
    String from = reader.text("hosts.upgrade-from", "");
    HostsOptions options = HostsOptions.read(common, work.resolve("result.json"), work.resolve("report.html"));
    if (options.topology().nodes() < MIN_NODES) {
      throw new BadOptionException("hosts.nodes", reader.text("hosts.nodes", ""), "at least " + MIN_NODES
          + " with random faults, so that three replicas have room while two DataNodes are away");
    }
    if (erasureCoding.isPresent()) {
      checkGroups(erasureCoding.get(), options);
    }
    return new RandomFaultsOptions(reader.number("hosts.seed", "1", Long.MIN_VALUE, Long.MAX_VALUE),
        (int) reader.number("hosts.minutes", "10", 1, 24 * 60), (int) reader.number("hosts.round", "0", 0, 1 << 20),
        kinds(reader), from.isEmpty() ? Optional.empty() : Optional.of(EarlierJars.in(from)), options);
  }

  /** As many as it takes until a group has room while some are away, and one more may be avoided. */
  private static int nodes(int units) {
    int nodes = units + FaultRound.MAX_NODES + 1;
    while (new Topology(nodes, ErasureCoding.DEFAULT_RACKS).maxUnits(units, FaultRound.MAX_NODES) < units) {
      nodes++;
    }
    return nodes;
  }

  private static void checkGroups(ErasureCoding coding, HostsOptions options) throws BadOptionException {
    if (coding.parityUnits() < FaultRound.MAX_NODES) {
      throw new BadOptionException("hosts.ec", coding.policyName(), "at least " + FaultRound.MAX_NODES
          + " parity blocks with random faults, so that a group can be read while two DataNodes are away");
    }
    coding.check(options.topology(), FaultRound.MAX_NODES, options.data().blockBytes());
  }

  private static Set<FaultKind> kinds(OptionReader reader) throws BadOptionException {
    String text = reader.text("hosts.kinds", "all");
    if (text.equals("all")) {
      return EnumSet.allOf(FaultKind.class);
    }
    Set<FaultKind> kinds = EnumSet.noneOf(FaultKind.class);
    for (String id : text.split(",", -1)) {
      kinds.add(FaultKind.byId(id.trim()).orElseThrow(() -> new BadOptionException("hosts.kinds", text,
          "all, or some of " + String.join(", ", FaultKind.ids()))));
    }
    return kinds;
  }
}
