/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.cli.options;

import io.dayu.sim.Cluster;
import io.dayu.sim.foreground.SyntheticForeground;
import picocli.CommandLine.Option;

/** The options that describe a cluster and its synthetic traffic. Filled by picocli; single-threaded. */
public class TrafficOptions {
  static final int PAPER_NODES = 3500;
  public static final int MAX_NODES = 100_000;

  @Option(names = "--nodes", paramLabel = "N",
      description = "Nodes of the cluster (default: those of the trace if one is given, or 3500).")
  private Integer nodes;

  @Option(names = "--bandwidth", paramLabel = "BYTES", defaultValue = "250MB", converter = ByteCount.class,
      description = "B_total of a node each way, a second (default: ${DEFAULT-VALUE}).")
  private long bandwidth;

  @Option(names = "--seed", paramLabel = "N", defaultValue = "1",
      description = "Seed of everything that is drawn by chance (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Option(names = "--level", paramLabel = "X", defaultValue = "" + SyntheticForeground.MEAN_LEVEL,
      description = "Level of synthetic traffic: the higher the more (default: ${DEFAULT-VALUE}, 40 %% of the "
          + "bandwidth).")
  private double level;

  public long seed() {
    return seed;
  }

  public long bandwidthBytesPerSec() {
    return bandwidth;
  }

  /** Refuses what no memory would hold. */
  public static void checkNodes(int wanted) {
    if (wanted > MAX_NODES) {
      throw new BadInputException("--nodes = " + wanted + ", expected at most " + MAX_NODES);
    }
  }

  /** The number of nodes that the user wants, or this default. */
  int nodesOr(int count) {
    if (nodes != null) {
      checkNodes(nodes);
    }
    return nodes == null ? count : nodes;
  }

  public SyntheticForeground synthetic() {
    return synthetic(new Cluster(nodesOr(PAPER_NODES), 1, bandwidth));
  }

  SyntheticForeground synthetic(Cluster cluster) {
    return new SyntheticForeground(cluster, seed, level);
  }
}
