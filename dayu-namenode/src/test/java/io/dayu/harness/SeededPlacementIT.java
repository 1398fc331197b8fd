/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness;

import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The seed of a cluster decides where HDFS places replicas. */
@Tag("harness")
final class SeededPlacementIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int FILES = 8;
  private static final int BLOCKS = 3;
  private static final int BLOCK_BYTES = 4_096;

  /** The nodes of each block's replicas in a new cluster. */
  private static List<List<Integer>> placement(long seed) throws Exception {
    List<List<Integer>> nodesOfBlocks = new ArrayList<>();
    Set<List<Integer>> different = new HashSet<>();
    try (DayuCluster cluster =
        DayuCluster.builder().dataNodes(6).racks(3).blockSizeBytes(BLOCK_BYTES).seed(seed).withoutDayu().start()) {
      for (int file = 0; file < FILES; file++) {
        cluster.write("/f" + file, (long) BLOCKS * BLOCK_BYTES - 1, 3);
      }
      new ClusterVerifier(cluster).awaitSettled(LIMIT);
      for (int file = 0; file < FILES; file++) {
        for (LocatedBlock block : cluster.blocksOf("/f" + file)) {
          List<Integer> nodes = Arrays.stream(block.getLocations()).map(DatanodeInfo::getDatanodeUuid)
              .map(cluster::nodeOf).sorted().toList();
          assertEquals(3, nodes.size());
          assertTrue(nodes.stream().map(node -> node % 3).distinct().count() >= 2, "two racks at least");
          nodesOfBlocks.add(nodes);
        }
      }
      different.addAll(nodesOfBlocks);
    }
    assertEquals(FILES * BLOCKS, nodesOfBlocks.size());
    assertTrue(different.size() > FILES, "each block of a file has its own nodes");
    return nodesOfBlocks;
  }

  @Test
  void placement_followsTheSeed() throws Exception {
    List<List<Integer>> placement = placement(1);
    assertEquals(placement, placement(1));
    assertNotEquals(placement, placement(2));
  }
}
