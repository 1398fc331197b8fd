/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.cli.options;

import io.dayu.sim.Cluster;
import io.dayu.sim.FormatException;
import io.dayu.sim.experiment.Experiment;
import io.dayu.sim.experiment.FailureTimes;
import io.dayu.sim.foreground.ForegroundModel;
import io.dayu.sim.foreground.Trace;
import io.dayu.sim.foreground.TraceForeground;
import io.dayu.sim.foreground.TraceReader;
import io.dayu.sim.foreground.VaryingForeground;
import io.dayu.sim.incident.ClusterEvent;
import io.dayu.sim.incident.EventPattern;
import io.dayu.sim.placement.DfsReport;
import io.dayu.sim.placement.FsckListing;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The options that describe a cluster, its traffic and what is lost, shared by several commands. Filled by picocli;
 * single-threaded.
 */
public final class InputOptions extends TrafficOptions {
  private static final long DEFAULT_SLOT_MS = 15_000;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec mixee;

  @Mixin
  private PlacementOptions placement;

  @Option(names = "--trace", paramLabel = "FILE",
      description = "Traffic from a CSV file, gzip or not, instead of synthetic traffic: node,dir,s0,s1,... with rows "
          + "tx and rx for each node.")
  private Path trace;

  @Option(names = "--trace-slot", paramLabel = "TIME", converter = TimeSpan.Converter.class,
      description = "Length of a slot of the trace (default: what the trace says, or 15s).")
  private TimeSpan traceSlot;

  @Option(names = "--trace-unit", paramLabel = "BYTES", defaultValue = "1MB", converter = ByteCount.class,
      description = "Bytes a second that a value of 1 in the trace stands for (default: ${DEFAULT-VALUE}).")
  private long traceUnit;

  @Option(names = "--trace-scale", paramLabel = "X", defaultValue = "1",
      description = "Factor for all values of the trace; what then exceeds the bandwidth is cut off (default: "
          + "${DEFAULT-VALUE}).")
  private double traceScale;

  @Option(names = "--trace-min-mean", paramLabel = "X", defaultValue = "0",
      description = "Leave out nodes of the trace that send less on average, in the trace's unit (default: "
          + "${DEFAULT-VALUE}).")
  private double traceMinMean;

  @Option(names = "--trace-rows", paramLabel = "WHAT", defaultValue = "named",
      description = "Whose traffic the nodes of --fsck or --dfs-report have: named (each that of the trace's node with "
          + "one of its names) or drawn (of nodes drawn by chance; default: ${DEFAULT-VALUE}).")
  private String traceRows;

  @Option(names = "--leave-out", paramLabel = "NODE[,...]", split = ",",
      description = "Nodes of the trace that are no DataNodes.")
  private List<String> leaveOut;

  @Option(names = "--trace-start", paramLabel = "HH:MM",
      description = "Time of day at which the trace begins, for --hour (default: what the trace says, in UTC, or "
          + "00:00).")
  private String traceStart;

  @Option(names = "--hour", paramLabel = "H",
      description = "Failures happen in this hour of the day, 0 to 23; synthetic traffic begins at 0 and is busiest at "
          + "6 (default: at any time).")
  private Integer hour;

  @Option(names = "--foreground-period", paramLabel = "TIME", converter = TimeSpan.Converter.class,
      description = "Traffic changes by chance as often as this within a slot, about the slot's rate (default: it is "
          + "constant for a slot).")
  private TimeSpan period;

  private NodeNames names;
  private Instant traceBegin;
  private final List<String> remarks = new ArrayList<>();

  boolean hasTrace() {
    return trace != null;
  }

  /** What was taken, matched, skipped and cut of the inputs, as lines for people. Known once there is an experiment. */
  public List<String> remarks() {
    return Stream.concat(placement.remarks().stream(), remarks.stream()).toList();
  }

  @Option(names = "--event", paramLabel = "TIME:WHAT:WHICH", split = ",",
      description = "A list of events instead of one lost node: node, disk, back or decommission of a node by its "
          + "name, of one drawn by chance (random) or of that of the event before (same); rack of a number or random. "
          + "The first is at 0s.")
  private List<String> events;

  /** Whether each node is to be lost once. */
  public boolean losesEach() {
    return placement.losesEach();
  }

  /** Whether erasure-coded groups are lost, alone or among blocks. */
  public boolean hasGroups() {
    return placement.hasGroups();
  }

  public Experiment experiment() {
    if (hour != null && hour < 0) {
      throw new BadInputException("--hour = " + hour + ", expected 0 to 23");
    }
    Experiment experiment =
        inputs().with(hour == null ? FailureTimes.ANY : new FailureTimes(hour, startMs()), losesEach());
    if (events == null) {
      return experiment;
    }
    BadInputException.checkNotEmpty("--event", events);
    if (placement.namesLost()) {
      throw new BadInputException("--lost cannot be given with --event: the events say it");
    }
    List<EventPattern> patterns = EventOption.read(events, experiment, names);
    if (placement.hasGroups()
        && patterns.stream().anyMatch(event -> event.kind() == ClusterEvent.Kind.DECOMMISSION)) {
      throw new BadInputException("--event = " + String.join(",", events)
          + ": decommission of nodes that hold groups (--code) is not simulated, expected node, rack, disk or back");
    }
    return experiment.with(patterns);
  }

  private long startMs() {
    if (traceStart == null && traceBegin != null) {
      remarks.add("hours: the trace begins at " + traceBegin + " and hours are of UTC (--trace-start)");
      return traceBegin.atZone(ZoneOffset.UTC).toLocalTime().toNanoOfDay() / 1_000_000;
    }
    try {
      return traceStart == null ? 0 : LocalTime.parse(traceStart).toNanoOfDay() / 1_000_000;
    } catch (DateTimeParseException e) {
      throw new BadInputException("--trace-start = " + traceStart + ", expected a time of day like 07:30");
    }
  }

  private Experiment inputs() {
    remarks.clear();
    if (!hasTrace()) {
      BadInputException.refuse(mixee,
          List.of("--trace-slot", "--trace-unit", "--trace-scale", "--trace-min-mean", "--trace-start", "--trace-rows",
              "--leave-out"),
          " needs --trace");
    }
    DfsReport report = placement.readReport();
    if (placement.hasListing()) {
      return listed(report);
    }
    if (report != null) {
      return reported(report);
    }
    BadInputException.refuse(mixee, List.of("--trace-rows"), " needs --fsck or --dfs-report");
    Trace read = hasTrace() ? readTrace() : null;
    int nodes = read == null ? nodesOr(PAPER_NODES) : nodesOr(read.nodes().size());
    boolean own = read != null && read.nodes().size() == nodes;
    List<String> called = own ? read.nodes() : IntStream.range(0, nodes).mapToObj(node -> "node" + node).toList();
    names = new NodeNames(called);
    Cluster cluster = placement.completed(placement.cluster(nodes, bandwidthBytesPerSec()), called, null, names);
    int[] rows = read == null ? null : own ? IntStream.range(0, nodes).toArray()
        : TraceForeground.drawn(nodes, read.nodes().size(), seed());
    if (read != null && !own) {
      remarks
          .add("nodes: each of " + nodes + " has the rows of one of " + read.nodes().size() + " of the trace, drawn by "
              + "chance (--nodes)");
    }
    return placement.drawn(cluster, called, names, foreground(cluster, read, rows), seed());
  }

  private Experiment reported(DfsReport report) {
    if (nodesOr(0) != 0) {
      throw new BadInputException("--nodes cannot be given with --dfs-report: the report names the nodes");
    }
    List<String> addresses = report.nodes().stream().map(DfsReport.DataNode::address).toList();
    names = PlacementOptions.namesOf(report);
    Cluster cluster =
        placement.completed(placement.reported(report, bandwidthBytesPerSec()), addresses, report, names);
    return placement.drawn(cluster, addresses, names, foregroundOfNamed(cluster, addresses), seed());
  }

  private Experiment listed(DfsReport report) {
    FsckListing listing = placement.readListing(report);
    if (nodesOr(0) != 0) {
      throw new BadInputException("--nodes cannot be given with --fsck: the listing names the nodes");
    }
    Map<String, DfsReport.DataNode> reported = report == null ? Map.of() : report.byAddress();
    names = new NodeNames(listing.nodes(), listing.nodes().stream()
        .map(node -> reported.containsKey(node) ? reported.get(node).allNames() : List.of(node)).toList());
    Cluster cluster =
        placement.completed(listing.cluster(bandwidthBytesPerSec()), listing.nodes(), report, names);
    return placement.listed(cluster, names, foregroundOfNamed(cluster, listing.nodes()), listing, seed());
  }

  private ForegroundModel foregroundOfNamed(Cluster cluster, List<String> nodes) {
    if (!hasTrace()) {
      return foreground(cluster, null, null);
    }
    Trace read = readTrace();
    return foreground(cluster, read, switch (traceRows) {
      case "named" -> TraceRows.byName(read.nodes(), nodes, names, remarks::add);
      case "drawn" -> {
        remarks.add("nodes: each has the rows of a node of the trace, drawn by chance (--trace-rows)");
        yield TraceForeground.drawn(nodes.size(), read.nodes().size(), seed());
      }
      default -> throw new BadInputException("--trace-rows = " + traceRows + ", expected named or drawn");
    });
  }

  /** @param read the trace; null for synthetic traffic */
  private ForegroundModel foreground(Cluster cluster, Trace read, int[] rows) {
    ForegroundModel foreground;
    if (read == null) {
      foreground = synthetic(cluster);
    } else {
      TraceForeground ofTrace = new TraceForeground(cluster, read, traceUnit * traceScale, slotMs(read), rows);
      TraceForeground.Cut cut = ofTrace.cut();
      if (cut.values() > 0) {
        remarks.add(String.format(Locale.ROOT,
            "cut: %d of %d values to the bandwidth of their node; mean %.1f became %.1f MB/s (--bandwidth, "
                + "--trace-unit)",
            cut.values(), cut.allValues(), cut.meanBytesPerSec() / 1e6, cut.leftBytesPerSec() / 1e6));
      }
      foreground = ofTrace;
    }
    return period == null ? foreground : new VaryingForeground(foreground, period.millis(), cluster, seed());
  }

  private long slotMs(Trace read) {
    long given = traceSlot == null ? 0 : traceSlot.millis();
    if (given > 0 && read.slotMs() > 0 && given != read.slotMs()) {
      throw new BadInputException("--trace-slot = " + traceSlot + ", but the trace says that its slots are of "
          + new TimeSpan(read.slotMs()));
    }
    long slotMs = given > 0 ? given : read.slotMs() > 0 ? read.slotMs() : DEFAULT_SLOT_MS;
    remarks.add("trace: " + read.nodes().size() + " nodes, " + read.slots() + " slots of " + new TimeSpan(slotMs)
        + (given > 0 ? "" : read.slotMs() > 0 ? ", as it says"
            : ", the default, since it does not say (--trace-slot)"));
    return slotMs;
  }

  private Trace readTrace() {
    if (!(traceScale > 0) || traceSlot != null && traceSlot.millis() < 1) {
      throw new BadInputException(
          "--trace-scale = " + traceScale + " and --trace-slot = " + traceSlot + ", expected above 0");
    }
    BadInputException.checkReadable(trace);
    Trace whole;
    try {
      whole = TraceReader.read(trace);
    } catch (IOException e) {
      throw new BadInputException(e instanceof FormatException ? e.getMessage()
          : "cannot read " + trace + ": " + BadInputException.reason(e));
    }
    traceBegin = whole.start();
    Trace wanted = leaveOut == null ? whole : withoutLeftOut(whole);
    Trace read = wanted.busierThan(traceMinMean);
    if (read.nodes().isEmpty()) {
      throw new BadInputException("no node of " + trace + " sends " + traceMinMean + " on average (--trace-min-mean)");
    }
    if (read.nodes().size() < wanted.nodes().size()) {
      remarks.add("left out: " + (wanted.nodes().size() - read.nodes().size()) + " of " + wanted.nodes().size()
          + " nodes of the trace, which send less than " + traceMinMean + " (--trace-min-mean)");
    }
    return read;
  }

  private Trace withoutLeftOut(Trace whole) {
    NodeNames ofTrace = new NodeNames(whole.nodes());
    Set<Integer> gone = leaveOut.stream().map(name -> ofTrace.require("--leave-out = " + name, name))
        .collect(Collectors.toSet());
    remarks.add("left out: " + gone.stream().map(whole.nodes()::get).collect(Collectors.joining(", ")));
    return whole.only(IntStream.range(0, whole.nodes().size()).filter(node -> !gone.contains(node)).toArray());
  }
}
