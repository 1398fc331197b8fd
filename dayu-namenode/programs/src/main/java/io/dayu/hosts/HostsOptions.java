/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import io.dayu.hosts.client.DataGroups;
import io.dayu.hosts.client.Topology;
import io.dayu.programs.options.BadOptionException;
import io.dayu.programs.options.OptionReader;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipFile;

/**
 * What the benchmark is asked to do, read from the properties {@code hosts.*} and checked. Immutable.
 *
 * @param shortForm whether to check the installation on a small cluster instead of measuring
 * @param fault what happens
 * @param secondStepAfter how long after the first step the fault's second one comes, if not in mid-recovery
 * @param deadlineFactor the time in which a DataNode is to leave, as a multiple of the forecast, if it gets a deadline
 * @param topology DataNodes and racks
 * @param utilization which fraction of the links the foreground takes on average
 * @param conf further settings of all daemons in all modes
 * @param json where the result is written
 * @param report where the page with the plots is written
 */
record HostsOptions(boolean shortForm, HostFault fault, Optional<Duration> secondStepAfter,
    OptionalDouble deadlineFactor, Runs runs, Topology topology, Links links, DataSet data, double utilization,
    Jars jars, Map<String, String> conf, Path json,
    Path report) {
  /**
   * Which runs there are.
   *
   * @param modes who recovers, in this order
   * @param seeds each decides placement, contents, the node to kill and the foreground; never empty
   * @param limitSec a recovery that takes longer is cut off
   * @param noneSec how long the mode none goes on after the loss
   * @param reuseNone whether an earlier run of the mode none with the same key is taken instead of a new one
   * @param resume whether earlier runs of the other modes with the same key and the same jars are taken, too
   */
  record Runs(List<RecoveryMode> modes, List<Long> seeds, int limitSec, int noneSec, boolean reuseNone,
      boolean resume) {
    Runs {
      modes = List.copyOf(modes);
      seeds = List.copyOf(seeds);
    }

    private static Runs read(OptionReader reader, List<RecoveryMode> modes) throws BadOptionException {
      return new Runs(modes, reader.seeds("hosts.seeds"),
          (int) reader.timeMs("hosts.limit", "240s", 10_000, "", 3_600_000) / 1_000,
          (int) reader.number("hosts.none.seconds", "150", 10, 3_600), flag(reader, "hosts.none.reuse", "true"),
          flag(reader, "hosts.resume", "false"));
    }
  }

  /**
   * The links of the DataNodes.
   *
   * @param rateBitsPerSec what each carries in each direction
   * @param queue how packets queue at both ends
   */
  record Links(long rateBitsPerSec, LinkQueue queue) {
    long rateBytesPerSec() {
      return rateBitsPerSec / 8;
    }
  }

  /**
   * What is stored.
   *
   * @param blockBytes block size, of replicated files and of internal blocks
   * @param erasureCoding of the data set, if it has groups
   * @param lostBytes replicas that the killed DataNode holds, about
   */
  record DataSet(long blockBytes, Optional<ErasureCoding> erasureCoding, long lostBytes) {
  }

  /**
   * What runs.
   *
   * @param hadoop the Hadoop line
   * @param nameNode the jar of the NameNodes, if not the one that was built
   * @param dataNode the jar of the DataNodes, if not the one that was built
   * @param otherDataNode the jar of the DataNodes with odd numbers, if not that of the others
   */
  record Jars(String hadoop, Optional<Path> nameNode, Optional<Path> dataNode, Optional<Path> otherDataNode) {
    private static Jars read(OptionReader reader, String hadoop) throws BadOptionException {
      return new Jars(hadoop, jar(reader, "hosts.namenode.jar", NAME_NODE_PLUGIN),
          jar(reader, "hosts.datanode.jar", DATA_NODE_PLUGIN), jar(reader, "hosts.datanode.odd.jar", DATA_NODE_PLUGIN));
    }

    /** Jars of another version may know other settings. */
    private boolean areOwn() {
      return nameNode.isEmpty() && dataNode.isEmpty() && otherDataNode.isEmpty();
    }
  }

  static final String PREFIX = "hosts.";
  /** All that there are. */
  static final List<String> PROPERTIES =
      List.of("hosts.short", "hosts.fault", "hosts.fault.after", "hosts.deadline", "hosts.modes", "hosts.seeds",
          "hosts.nodes", "hosts.racks", "hosts.rate", "hosts.network", "hosts.network.share", "hosts.queue",
          "hosts.segment", "hosts.block",
          "hosts.ec", "hosts.ec.share", "hosts.data", "hosts.utilization",
          "hosts.hadoop", "hosts.conf", "hosts.limit", "hosts.none.seconds", "hosts.none.reuse", "hosts.resume",
          "hosts.namenode.jar", "hosts.datanode.jar", "hosts.datanode.odd.jar", "hosts.json", "hosts.report");

  private static final String MID_RECOVERY = "half";
  private static final Pattern RATE = Pattern.compile("(\\d{1,6})(k|m|g)bit");
  private static final Pattern HADOOP = Pattern.compile("\\d+\\.\\d+\\.\\d+[\\w.-]*");
  private static final long MIN_RATE = 1_000_000;
  private static final long MAX_RATE = 10_000_000_000L;
  private static final double MAX_UTILIZATION = 0.7;
  private static final double MAX_LOWER_EFFORT_SHARE = 0.5;
  private static final double MAX_DEADLINE_FACTOR = 5;
  static final String NAME_NODE_PLUGIN = "io.dayu.namenode.DayuNameNodePlugin";
  static final String DATA_NODE_PLUGIN = "io.dayu.datanode.DayuDataNodePlugin";

  HostsOptions {
    conf = Map.copyOf(conf);
  }

  /**
   * @param properties texts by key, those of others too; a missing or an empty one stands for the default
   * @param defaultJson where the result goes if nothing is said
   * @param defaultReport the same for the page
   */
  static HostsOptions read(Map<String, String> properties, Path defaultJson, Path defaultReport)
      throws BadOptionException {
    OptionReader reader = new OptionReader(properties);
    reader.refuseUnknown(PREFIX, PROPERTIES);
    boolean shortForm = flag(reader, "hosts.short", "false");
    if (shortForm && !reader.text("hosts.modes", "").isEmpty()) {
      throw new BadOptionException("hosts.short", "true", "no hosts.modes beside it");
    }
    HostFault fault = fault(reader);
    if (shortForm && fault != HostFault.KILL) {
      throw new BadOptionException("hosts.short", "true", "no other hosts.fault than kill beside it");
    }
    Optional<ErasureCoding> erasureCoding = ErasureCoding.read(reader);
    if (shortForm && erasureCoding.isPresent()) {
      throw new BadOptionException("hosts.short", "true", "no hosts.ec beside it");
    }
    String defaultNodes = erasureCoding.map(coding -> Integer.toString(coding.defaultNodes()))
        .orElse(shortForm ? "4" : "8");
    Optional<Duration> secondStepAfter = secondStepAfter(reader, fault);
    int nodes = (int) reader.number("hosts.nodes", defaultNodes, fault.minNodes(), 30);
    int racks = (int) reader.number("hosts.racks",
        Integer.toString(erasureCoding.isPresent() ? ErasureCoding.DEFAULT_RACKS : Math.min(4, nodes / 2)), 1, nodes);
    long blockBytes = reader.size("hosts.block", shortForm ? "1m" : "2m", 64 << 10, 256 << 20);
    if (blockBytes % 512 != 0) {
      throw new BadOptionException("hosts.block", reader.text("hosts.block", ""), "a multiple of 512 bytes");
    }
    if (erasureCoding.isPresent()) {
      erasureCoding.get().check(new Topology(nodes, racks), fault.lostNodes(), blockBytes);
    }
    String hadoop = reader.text("hosts.hadoop", "3.4.3");
    if (!HADOOP.matcher(hadoop).matches()) {
      throw new BadOptionException("hosts.hadoop", hadoop, "a version such as 3.4.3");
    }
    OptionalDouble deadlineFactor = deadlineFactor(reader, fault);
    Runs runs = Runs.read(reader, modes(reader, fault, secondStepAfter, erasureCoding, deadlineFactor));
    if (deadlineFactor.isPresent() && !runs.modes.contains(RecoveryMode.DAYU)) {
      throw new BadOptionException("hosts.deadline", reader.text("hosts.deadline", ""), "dayu in hosts.modes");
    }
    Links links = new Links(rate(reader, shortForm), queue(reader));
    DataSet data = new DataSet(blockBytes, erasureCoding,
        reader.size("hosts.data", shortForm ? "24m" : "240m", 4 * blockBytes, 64L << 30));
    HostsOptions options = new HostsOptions(shortForm, fault, secondStepAfter, deadlineFactor, runs,
        new Topology(nodes, racks), links, data, reader.fraction("hosts.utilization", "0.45", MAX_UTILIZATION),
        Jars.read(reader, hadoop),
        reader.conf("hosts.conf"), reader.file("hosts.json").orElse(defaultJson),
        reader.file("hosts.report").orElse(defaultReport));
    if (options.json.equals(options.report)) {
      throw new BadOptionException("hosts.report", options.report.toString(), "another file than hosts.json");
    }
    if (options.jars.areOwn()) {
      reader.checkSettings("hosts.conf", options.conf);
    }
    return options;
  }

  HostLayout layout() {
    return new HostLayout(topology, fault.nameNodes(), fault.volumes());
  }

  /** How many replicated files the data set has, so that a DataNode holds about what is to be restored. */
  int files() {
    if (data.erasureCoding.isPresent()) {
      return data.erasureCoding.get().files(data.lostBytes, topology, data.blockBytes);
    }
    return (int) Math.max(1,
        Math.round((double) data.lostBytes * topology.nodes() / (Topology.REPLICATION * data.blockBytes)));
  }

  DataGroups groups() {
    return data.erasureCoding.map(coding -> coding.groups(data.lostBytes, topology, data.blockBytes))
        .orElse(DataGroups.NONE);
  }

  /** Whether there can be a run in which nobody recovers. */
  boolean mayHaveNone() {
    return !fault.hasSecondStep() || secondStepAfter.isPresent();
  }

  /** The last parts of the names of what is kept for these options; empty where there are no groups. */
  String groupsKey() {
    return data.erasureCoding.map(coding -> "-" + coding.policyName() + "-groups" + groups().count()).orElse("");
  }

  private static LinkQueue queue(OptionReader reader) throws BadOptionException {
    String text = reader.text("hosts.network", LinkQueue.Kind.FIFO.id());
    LinkQueue.Kind kind = LinkQueue.Kind.byId(text).orElseThrow(
        () -> new BadOptionException("hosts.network", text, "one of " + String.join(", ", LinkQueue.Kind.ids())));
    return new LinkQueue(kind, reader.timeMs("hosts.queue", "5ms", 1, "", 1_000),
        (int) reader.size("hosts.segment", "16k", 2 << 10, 64 << 10),
        reader.fraction("hosts.network.share", "0.08", MAX_LOWER_EFFORT_SHARE));
  }

  private static long rate(OptionReader reader, boolean shortForm) throws BadOptionException {
    String text = reader.text("hosts.rate", shortForm ? "12mbit" : "25mbit");
    Matcher form = RATE.matcher(text);
    if (form.matches()) {
      long unit = switch (form.group(2)) {
        case "k" -> 1_000;
        case "m" -> 1_000_000;
        default -> 1_000_000_000;
      };
      long rate = Long.parseLong(form.group(1)) * unit;
      if (rate >= MIN_RATE && rate <= MAX_RATE) {
        return rate;
      }
    }
    throw new BadOptionException("hosts.rate", text,
        "bits a second as kbit, mbit or gbit, from 1mbit to 10gbit, such as 25mbit");
  }

  private static boolean flag(OptionReader reader, String property, String defaultText)
      throws BadOptionException {
    String text = reader.text(property, defaultText);
    if (!text.equals("true") && !text.equals("false")) {
      throw new BadOptionException(property, text, "true or false");
    }
    return Boolean.parseBoolean(text);
  }

  /** @param plugin a class that it must have */
  private static Optional<Path> jar(OptionReader reader, String property, String plugin) throws BadOptionException {
    String text = reader.text(property, "");
    if (text.isEmpty()) {
      return Optional.empty();
    }
    Path path = Path.of(text).toAbsolutePath();
    if (!path.toFile().isFile()) {
      throw new BadOptionException(property, text, "a jar that exists");
    }
    try (ZipFile jar = new ZipFile(path.toFile())) {
      if (jar.getEntry(plugin.replace('.', '/') + ".class") != null) {
        return Optional.of(path);
      }
      throw new BadOptionException(property, text, "a jar with the class " + plugin);
    } catch (IOException e) {
      throw new BadOptionException(property, text, "a readable jar; " + e.getMessage());
    }
  }

  private static HostFault fault(OptionReader reader) throws BadOptionException {
    String text = reader.text("hosts.fault", HostFault.KILL.id());
    return HostFault.byId(text).orElseThrow(() -> new BadOptionException("hosts.fault", text,
        "one of " + String.join(", ", HostFault.ids())));
  }

  /** Faults that need somebody who recovers have no time of their own. */
  private static Optional<Duration> secondStepAfter(OptionReader reader, HostFault fault) throws BadOptionException {
    String text = reader.text("hosts.fault.after", MID_RECOVERY);
    if (text.equals(MID_RECOVERY)) {
      return Optional.empty();
    }
    if (fault != HostFault.SECOND && fault != HostFault.LIMP) {
      throw new BadOptionException("hosts.fault.after", text, "hosts.fault=" + HostFault.SECOND.id() + " or "
          + HostFault.LIMP.id() + " beside it");
    }
    return Optional.of(Duration.ofMillis(reader.timeMs("hosts.fault.after", "20s", 0, "", 600_000)));
  }

  private static OptionalDouble deadlineFactor(OptionReader reader, HostFault fault) throws BadOptionException {
    String text = reader.text("hosts.deadline", "");
    if (text.isEmpty()) {
      return OptionalDouble.empty();
    }
    if (fault != HostFault.DECOMMISSION) {
      throw new BadOptionException("hosts.deadline", text, "hosts.fault=" + HostFault.DECOMMISSION.id() + " beside it");
    }
    return OptionalDouble.of(reader.fraction("hosts.deadline", "", MAX_DEADLINE_FACTOR));
  }

  private static List<RecoveryMode> modes(OptionReader reader, HostFault fault, Optional<Duration> secondStepAfter,
      Optional<ErasureCoding> erasureCoding, OptionalDouble deadlineFactor) throws BadOptionException {
    boolean mayHaveNone = !fault.hasSecondStep() || secondStepAfter.isPresent();
    // Stock HDFS knows no deadline.
    String text = reader.text("hosts.modes", deadlineFactor.isPresent() ? "dayu"
        : (mayHaveNone ? "none," : "") + "dayu,stock-default"
            + (erasureCoding.isPresent() ? ",stock-streams-20" : ""));
    Set<RecoveryMode> modes = new LinkedHashSet<>();
    for (String id : text.split(",", -1)) {
      modes.add(RecoveryMode.byId(id.trim()).orElseThrow(() -> new BadOptionException("hosts.modes", text,
          "some of " + String.join(", ", RecoveryMode.ids()) + ", with one comma between two of them")));
    }
    if (!mayHaveNone && modes.contains(RecoveryMode.NONE)) {
      throw new BadOptionException("hosts.modes", text,
          "no none beside hosts.fault=" + fault.id() + ", which comes in mid-recovery");
    }
    return new ArrayList<>(modes);
  }
}
