/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.hosts;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.math.StatsAccumulator;
import io.dayu.sim.Cluster;
import io.dayu.sim.FormatException;
import io.dayu.sim.TextFile;
import io.dayu.sim.foreground.ClientBursts;
import io.dayu.sim.foreground.ForegroundModel;
import io.dayu.sim.foreground.Trace;
import io.dayu.sim.foreground.TraceForeground;
import io.dayu.sim.placement.ErasureCode;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The result of the benchmark on emulated hosts (docs/benchmarks.md): its hosts, its data set and its runs. Immutable
 * by convention.
 *
 * @param linkBytesPerSec what a host's link carries each way
 * @param clientBytes mean size of what clients read or write at once
 */
public record HostsResultFile(HostsDataSet data, long linkBytesPerSec, double clientBytes,
    List<HostsResultFile.Run> runs) {
  /** The run without a recovery: all of its traffic is foreground. */
  private static final String NONE = "none";
  /** Operations that move next to nothing. */
  private static final String SYNC = "SYNC";
  /** The only fault that is predicted. Files before version 3 have no other. */
  private static final String KILL = "kill";
  /** The policy of a data set without groups. Files before version 4 have no other. */
  private static final String NO_GROUPS = "none";
  private static final long SECOND_MS = 1000;
  private static final long BURST_STEP_MS = 100;

  /**
   * One run.
   *
   * @param mode who recovered
   * @param recoverySec from the loss to the last block; NaN in the run without recovery
   * @param idealSec as the benchmark has it
   * @param firstSecond in which the node was declared dead, of the series
   * @param received bytes by [node][second]
   */
  public record Run(String mode, long seed, int victim, double recoverySec, double idealSec, int firstSecond,
      long lostBytes, float[][] received, float[][] sent) {
  }

  /**
   * Reads the file that the benchmark wrote, compressed by gzip or not.
   *
   * @throws FormatException naming the field that is missing or not possible
   */
  public static HostsResultFile read(Path file) throws IOException {
    JsonNode root;
    try (Reader text = TextFile.open(file, bytes -> {})) {
      root = new ObjectMapper().readTree(text);
    } catch (JsonProcessingException e) {
      throw new FormatException(file + ": no JSON: " + e.getOriginalMessage());
    }
    if (root.isMissingNode()) {
      throw new FormatException(file + ": the file is empty; expected the JSON of mvn -Phosts");
    }
    Fields top = new Fields(file, root);
    Fields options = top.child("options");
    options.refuseUnless("fault", KILL);
    options.refuseSettings("conf");
    int nodes = (int) options.number("nodes", 2, 1000);
    long blockBytes = (long) options.number("blockBytes", 1, 1L << 40);
    List<Run> runs = new ArrayList<>();
    for (JsonNode run : top.list("runs")) {
      runs.add(run(new Fields(file, run), nodes));
    }
    return new HostsResultFile(data(options, nodes, (int) options.number("racks", 1, nodes), blockBytes),
        (long) options.number("rateBitsPerSec", 8, 1e13) / Byte.SIZE, clientBytes(root.get("runs")), runs);
  }

  private static HostsDataSet data(Fields options, int nodes, int racks, long blockBytes) throws FormatException {
    String policy = options.textOr("erasureCoding", NO_GROUPS);
    if (policy.equals(NO_GROUPS)) {
      int files = HostsDataSet.files(options.number("dataBytes", 1, 1e15), nodes, blockBytes);
      return new HostsDataSet(nodes, racks, blockBytes, files, Optional.empty(), 0);
    }
    return new HostsDataSet(nodes, racks, blockBytes, (int) options.number("files", 0, 1e9),
        Optional.of(options.code("erasureCoding")), (int) options.number("groups", 1, 1e9));
  }

  /** An operation is a list of its kind, its planned second, its bytes and its latency in ms. */
  private static double clientBytes(JsonNode runs) {
    StatsAccumulator bytes = new StatsAccumulator();
    for (JsonNode run : runs) {
      for (JsonNode operation : run.path("operations")) {
        if (!operation.path(0).asText().equals(SYNC)) {
          bytes.add(operation.path(2).asDouble());
        }
      }
    }
    return bytes.count() == 0 || bytes.mean() <= 0 ? Double.POSITIVE_INFINITY : bytes.mean();
  }

  private static Run run(Fields run, int nodes) throws FormatException {
    Fields series = run.child("series");
    return new Run(run.text("mode"), (long) run.number("seeds", Long.MIN_VALUE, Long.MAX_VALUE),
        (int) run.number("victim", 0, nodes - 1), run.numberOrNaN("recoverySec"), run.numberOrNaN("idealSec"),
        (int) Math.round(series.number("lossAtSec", 0, 1e6)), (long) run.number("lostBytes", 1, 1e15),
        series.table("receivedBytes", nodes), series.table("sentBytes", nodes));
  }

  /** The run of this seed without a recovery. */
  public Optional<Run> none(long seed) {
    return runs.stream().filter(run -> run.mode().equals(NONE) && run.seed() == seed).findFirst();
  }

  /** The slot of {@link #foreground} in which the node of this run was declared dead. */
  public long firstSlot(Run none) {
    return none.firstSecond() * (SECOND_MS / BURST_STEP_MS);
  }

  /** Those in which somebody does. */
  public List<Run> recoveries() {
    return runs.stream().filter(run -> !run.mode().equals(NONE)).toList();
  }

  public Cluster cluster() {
    int nodes = data.nodes();
    return new Cluster(IntStream.range(0, nodes).map(node -> node % data.racks()).toArray(), new boolean[nodes],
        linkBytesPerSec);
  }

  /**
   * What the hosts carried in a run without a recovery. The file has it second by second; within a second it comes in
   * {@link ClientBursts}.
   */
  public ForegroundModel foreground(Run none, long seed) {
    int nodes = data.nodes();
    List<String> names = IntStream.range(0, nodes).mapToObj(node -> "d" + node).toList();
    TraceForeground seconds = new TraceForeground(cluster(), new Trace(names, none.received(), none.sent()), 1,
        SECOND_MS, IntStream.range(0, nodes).toArray());
    return new ClientBursts(seconds, BURST_STEP_MS, cluster(), seed);
  }

  /** An object of the file, whose fields are checked as they are read. */
  private record Fields(Path file, JsonNode node) {

    private JsonNode get(String name) throws FormatException {
      JsonNode value = node.get(name);
      if (value == null) {
        throw new FormatException(file + ": no field " + name + "; expected the JSON of mvn -Phosts");
      }
      return value;
    }

    String textOr(String name, String value) {
      return node.path(name).asText(value);
    }

    ErasureCode code(String name) throws FormatException {
      try {
        return ErasureCode.parse(textOr(name, ""));
      } catch (IllegalArgumentException e) {
        throw new FormatException(file + ": " + name + " " + e.getMessage());
      }
    }

    /** A field that is missing stands for this value. */
    void refuseUnless(String name, String value) throws FormatException {
      String text = textOr(name, value);
      if (!text.equals(value)) {
        throw new FormatException(file + ": " + name + " " + text + " is not predicted; expected " + value);
      }
    }

    /** Predictions are of the defaults. */
    void refuseSettings(String name) throws FormatException {
      if (!node.path(name).isEmpty()) {
        throw new FormatException(
            file + ": a run with settings of its own is not predicted: " + name + " = " + node.get(name));
      }
    }

    Fields child(String name) throws FormatException {
      return new Fields(file, get(name));
    }

    JsonNode list(String name) throws FormatException {
      JsonNode value = get(name);
      if (!value.isArray() || value.isEmpty()) {
        throw new FormatException(file + ": " + name + " is no list, or empty");
      }
      return value;
    }

    String text(String name) throws FormatException {
      return get(name).asText();
    }

    double numberOrNaN(String name) throws FormatException {
      return get(name).isNumber() ? get(name).asDouble() : Double.NaN;
    }

    double number(String name, double min, double max) throws FormatException {
      JsonNode value = get(name);
      double number;
      try {
        number = Double.parseDouble(value.asText());
      } catch (NumberFormatException e) {
        throw new FormatException(file + ": " + name + " = " + value + ", expected a number");
      }
      if (!(number >= min && number <= max)) {
        throw new FormatException(file + ": " + name + " = " + value + ", expected " + min + " to " + max);
      }
      return number;
    }

    float[][] table(String name, int rows) throws FormatException {
      JsonNode list = list(name);
      if (list.size() != rows) {
        throw new FormatException(file + ": " + name + " has " + list.size() + " rows, expected " + rows);
      }
      float[][] table = new float[rows][];
      for (int row = 0; row < rows; row++) {
        table[row] = new float[list.get(row).size()];
        for (int i = 0; i < table[row].length; i++) {
          table[row][i] = (float) list.get(row).get(i).asDouble();
        }
        if (table[row].length == 0 || table[row].length != table[0].length) {
          throw new FormatException(file + ": row " + row + " of " + name + " has " + table[row].length
              + " values, expected " + Math.max(1, table[0].length));
        }
      }
      return table;
    }
  }
}
