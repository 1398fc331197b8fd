/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.cli;

import io.dayu.sim.Cluster;
import io.dayu.sim.experiment.Experiment;
import io.dayu.sim.experiment.FailureTimes;
import io.dayu.sim.foreground.ForegroundModel;
import io.dayu.sim.foreground.Trace;
import io.dayu.sim.foreground.TraceForeground;
import io.dayu.sim.foreground.TraceFormatException;
import io.dayu.sim.foreground.TraceReader;
import io.dayu.sim.foreground.VaryingForeground;
import io.dayu.sim.placement.FsckListing;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.file.Path;
import java.time.LocalTime;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The options that describe a cluster, its traffic and what is lost, shared by several commands. Filled by picocli;
 * single-threaded.
 */
final class InputOptions extends TrafficOptions {

  @Spec(Spec.Target.MIXEE)
  private CommandSpec mixee;

  @Mixin
  private PlacementOptions placement;

  @Option(names = "--trace", paramLabel = "FILE",
      description = "Traffic from a CSV file, gzip or not, instead of synthetic traffic: node,dir,s0,s1,... with rows "
          + "tx and rx for each node.")
  private Path trace;

  @Option(names = "--trace-slot", paramLabel = "TIME", defaultValue = "15s", converter = TimeSpan.Converter.class,
      description = "Length of a slot of the trace (default: ${DEFAULT-VALUE}).")
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

  @Option(names = "--trace-start", paramLabel = "HH:MM", defaultValue = "00:00",
      description = "Time of day at which the trace begins, for --hour (default: ${DEFAULT-VALUE}).")
  private String traceStart;

  @Option(names = "--hour", paramLabel = "H",
      description = "Failures happen in this hour of the day, 0 to 23; synthetic traffic begins at 0 and is busiest at "
          + "6 (default: at any time).")
  private Integer hour;

  @Option(names = "--foreground-period", paramLabel = "TIME", converter = TimeSpan.Converter.class,
      description = "Traffic changes by chance as often as this within a slot, about the slot's rate (default: it is "
          + "constant for a slot).")
  private TimeSpan period;

  boolean hasTrace() {
    return trace != null;
  }

  /** What is to be known of the placement, in lines for people; once there is an {@link #experiment}. */
  List<String> remarks() {
    return placement.remarks();
  }

  @Option(names = "--event", paramLabel = "TIME:WHAT:WHICH", split = ",",
      description = "A list of events instead of one lost node: node, disk, back or decommission of a node by its "
          + "name, of one drawn by chance (random) or of that of the event before (same); rack of a number or random. "
          + "The first is at 0s.")
  private List<String> events;

  /** Whether each node is to be lost once. */
  boolean losesEach() {
    return placement.losesEach();
  }

  /** Whether erasure-coded groups are lost, not replicas. */
  boolean hasGroups() {
    return placement.hasGroups();
  }

  Experiment experiment() {
    if (hour != null && hour < 0) {
      throw new BadInputException("--hour = " + hour + ", expected 0 to 23");
    }
    Experiment experiment =
        inputs().with(hour == null ? FailureTimes.ANY : new FailureTimes(hour, startMs()), losesEach());
    if (events == null) {
      return experiment;
    }
    BadInputException.checkNotEmpty("--event", events);
    if (placement.hasGroups()) {
      throw new BadInputException("--code cannot be given with --event: only single failures of groups are simulated");
    }
    if (placement.namesLost()) {
      throw new BadInputException("--lost cannot be given with --event: the events say it");
    }
    return experiment.with(EventOption.read(events, experiment));
  }

  private long startMs() {
    try {
      return LocalTime.parse(traceStart).toNanoOfDay() / 1_000_000;
    } catch (DateTimeParseException e) {
      throw new BadInputException("--trace-start = " + traceStart + ", expected a time of day like 07:30");
    }
  }

  private Experiment inputs() {
    if (!hasTrace()) {
      BadInputException.refuse(mixee,
          List.of("--trace-slot", "--trace-unit", "--trace-scale", "--trace-min-mean", "--trace-start"),
          " needs --trace");
    }
    if (placement.hasListing()) {
      return listed();
    }
    Trace read = hasTrace() ? readTrace() : null;
    int nodes = read == null ? nodesOr(PAPER_NODES) : nodesOr(read.nodes().size());
    List<String> names = read != null && read.nodes().size() == nodes ? read.nodes()
        : IntStream.range(0, nodes).mapToObj(node -> "node" + node).toList();
    Cluster cluster = placement.cluster(nodes, bandwidthBytesPerSec(), names);
    ForegroundModel foreground = read == null ? synthetic(cluster)
        : new TraceForeground(cluster, read, traceUnit * traceScale, traceSlot.millis(), seed());
    return placement.drawn(cluster, names, varying(cluster, foreground), seed());
  }

  private Experiment listed() {
    FsckListing listing = placement.readListing();
    if (nodesOr(0) != 0) {
      throw new BadInputException("--nodes cannot be given with --fsck: the listing names the nodes");
    }
    Cluster cluster = placement.completed(listing.cluster(bandwidthBytesPerSec()), listing.nodes());
    if (!hasTrace()) {
      return placement.listed(cluster, varying(cluster, synthetic(cluster)), listing, seed());
    }
    Trace read = readTrace();
    int[] rows = TraceRows.byName(read.nodes(), listing.nodes());
    ForegroundModel foreground = rows == null
        ? new TraceForeground(cluster, read, traceUnit * traceScale, traceSlot.millis(), seed())
        : new TraceForeground(cluster, read, traceUnit * traceScale, traceSlot.millis(), rows);
    return placement.listed(cluster, varying(cluster, foreground), listing, seed());
  }

  private ForegroundModel varying(Cluster cluster, ForegroundModel foreground) {
    return period == null ? foreground : new VaryingForeground(foreground, period.millis(), cluster, seed());
  }

  private Trace readTrace() {
    if (!(traceScale > 0) || traceSlot.millis() < 1) {
      throw new BadInputException(
          "--trace-scale = " + traceScale + " and --trace-slot = " + traceSlot + ", expected above 0");
    }
    BadInputException.checkReadable(trace);
    Trace read;
    try {
      read = TraceReader.read(trace).busierThan(traceMinMean);
    } catch (IOException e) {
      throw new BadInputException(e instanceof TraceFormatException ? e.getMessage()
          : "cannot read " + trace + ": " + BadInputException.reason(e));
    }
    if (read.nodes().isEmpty()) {
      throw new BadInputException("no node of " + trace + " sends " + traceMinMean + " on average (--trace-min-mean)");
    }
    return read;
  }
}
