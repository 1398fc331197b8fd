/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.study;

import io.dayu.sim.Cluster;
import io.dayu.sim.experiment.Experiment;
import io.dayu.sim.foreground.SyntheticForeground;
import io.dayu.sim.placement.EpochPlacement;

/**
 * A synthetic cluster and what a node of it holds. Immutable.
 *
 * @param bandwidthBytesPerSec of every node, each way
 * @param level of synthetic traffic
 * @param skew of placement
 * @param chunks that each node holds
 */
public record SyntheticCluster(int nodes, int rackSize, long bandwidthBytesPerSec, double level, int replicas,
    double skew,
    int chunks, long chunkBytes) {
  private static final int RACK_SIZE = 40;
  private static final long BANDWIDTH_BYTES_PER_SEC = 250_000_000;
  private static final long CHUNK_BYTES = 64_000_000;
  private static final int REPLICAS = 3;

  /** The cluster of the paper's trace (ATC'19 §2.2). */
  public static final SyntheticCluster PAPER = ofSize(3500, 250_000);
  /** The paper's testbed, with 15 TB to recover (ATC'19 §5.1). */
  public static final SyntheticCluster TESTBED = ofSize(1000, 234_375);

  /** Like the paper's, of another size. */
  public static SyntheticCluster ofSize(int nodes, int chunks) {
    return new SyntheticCluster(nodes, RACK_SIZE, BANDWIDTH_BYTES_PER_SEC, SyntheticForeground.MEAN_LEVEL, REPLICAS,
        EpochPlacement.PAPER_SKEW, chunks, CHUNK_BYTES);
  }

  private Cluster cluster() {
    return new Cluster(nodes, rackSize, bandwidthBytesPerSec);
  }

  EpochPlacement placement(long seed) {
    return new EpochPlacement(cluster(), replicas, skew, seed);
  }

  public Experiment experiment(long seed) {
    Cluster cluster = cluster();
    return new Experiment(cluster, new SyntheticForeground(cluster, seed, level), placement(seed), chunks, chunkBytes,
        seed);
  }
}
