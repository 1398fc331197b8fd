/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.sim.cli;

import io.dayu.sim.Cluster;
import io.dayu.sim.Experiment;
import io.dayu.sim.foreground.ForegroundModel;
import io.dayu.sim.foreground.Trace;
import io.dayu.sim.foreground.TraceForeground;
import io.dayu.sim.foreground.TraceReader;
import io.dayu.sim.placement.EpochPlacement;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The options that describe a cluster, its traffic and what is lost, shared by several commands. Filled by picocli; single-threaded. */
final class InputOptions extends TrafficOptions {

  @Option(names = "--rack-size", paramLabel = "N", defaultValue = "40", description = "Nodes of a rack (default: ${DEFAULT-VALUE}).")
  private int rackSize;

  @Option(names = "--chunks", paramLabel = "N", defaultValue = "250000",
      description = "Chunks on each node (default: ${DEFAULT-VALUE}).")
  private int chunks;

  @Option(names = "--chunk-size", paramLabel = "BYTES", defaultValue = "64MB", converter = ByteCount.class,
      description = "Size of a chunk (default: ${DEFAULT-VALUE}).")
  private long chunkSize;

  @Option(names = "--replicas", paramLabel = "N", defaultValue = "3",
      description = "Replicas of a chunk, each on another rack (default: ${DEFAULT-VALUE}).")
  private int replicas;

  @Option(names = "--skew", paramLabel = "X", defaultValue = "" + EpochPlacement.PAPER_SKEW,
      description = "Imbalance of what pairs of nodes have in common; 0 = random placement (default: ${DEFAULT-VALUE}, like the paper's).")
  private double skew;

  @Option(names = "--trace", paramLabel = "FILE",
      description = "Traffic from a CSV file, gzip or not, instead of synthetic traffic: node,dir,s0,s1,... with rows tx and rx for each node.")
  private Path trace;

  @Option(names = "--trace-slot", paramLabel = "TIME", defaultValue = "15s", converter = TimeSpan.Converter.class,
      description = "Length of a slot of the trace (default: ${DEFAULT-VALUE}).")
  private TimeSpan traceSlot;

  @Option(names = "--trace-unit", paramLabel = "BYTES", defaultValue = "1MB", converter = ByteCount.class,
      description = "Bytes a second that a value of 1 in the trace stands for (default: ${DEFAULT-VALUE}).")
  private long traceUnit;

  @Option(names = "--trace-scale", paramLabel = "X", defaultValue = "1",
      description = "Factor for all values of the trace; what then exceeds the bandwidth is cut off (default: ${DEFAULT-VALUE}).")
  private double traceScale;

  @Option(names = "--trace-min-mean", paramLabel = "X", defaultValue = "0",
      description = "Leave out nodes of the trace that send less on average, in the trace's unit (default: ${DEFAULT-VALUE}).")
  private double traceMinMean;

  int chunks() {
    return chunks;
  }

  boolean hasTrace() {
    return trace != null;
  }

  Experiment experiment() {
    if (chunks < 1 || chunkSize < 1) {
      throw new BadInputException("--chunks = " + chunks + " of --chunk-size = " + chunkSize + " bytes, expected at least 1 each");
    }
    ForegroundModel foreground = hasTrace() ? fromTrace() : synthetic();
    Cluster cluster = cluster(foreground.nodes());
    return new Experiment(cluster, foreground, new EpochPlacement(cluster, replicas, skew, seed()), chunks, chunkSize, seed());
  }

  private Cluster cluster(int count) {
    return new Cluster(count, rackSize, bandwidthBytesPerSec());
  }

  private ForegroundModel fromTrace() {
    if (!(traceScale > 0) || traceSlot.millis() < 1) {
      throw new BadInputException("--trace-scale = " + traceScale + " and --trace-slot = " + traceSlot + ", expected above 0");
    }
    if (!Files.isRegularFile(trace)) {
      throw new BadInputException("no such file: " + trace);
    }
    Trace read;
    try {
      read = TraceReader.read(trace).busierThan(traceMinMean);
    } catch (IOException e) {
      throw new BadInputException(e.getMessage());
    }
    if (read.nodes().isEmpty()) {
      throw new BadInputException("no node of " + trace + " sends " + traceMinMean + " on average (--trace-min-mean)");
    }
    return new TraceForeground(cluster(nodesOr(read.nodes().size())), read, traceUnit * traceScale,
        traceSlot.millis(), seed());
  }
}
