/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.placement;

import io.dayu.sim.Cluster;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class WeightedPlacementTest {
  private static final Cluster CLUSTER = new Cluster(60, 10, 1);

  private static double[] weights(double heavy) {
    double[] weights = new double[60];
    Arrays.fill(weights, 1);
    for (int node = 0; node < 60; node += 3) {
      weights[node] = heavy;
    }
    return weights;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void heavyNodes_holdMore_andLoseMore(long seed) {
    WeightedPlacement placement = new WeightedPlacement(CLUSTER, 3, weights(2));
    LostBlocks light = placement.lose(1, 40_000, 1, seed);
    assertEquals(30_000, light.count(), "40,000 on average, a node of weight 1 where the mean is 4/3");
    assertEquals(60_000, placement.lose(3, 40_000, 1, seed).count());
    long[] common = light.commonBytes(60);
    double heavy = 0;
    double others = 0;
    for (int node = 10; node < 60; node++) {
      heavy += node % 3 == 0 ? common[node] : 0;
      others += node % 3 == 0 ? 0 : common[node];
    }
    assertEquals(2, heavy / 16 / (others / 34), 0.1, "seed " + seed);
    assertEquals(0, Arrays.stream(common, 0, 10).sum(), "the failed node's own rack holds no other replica");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void replicas_lieOnDistinctRacks(long seed) {
    LostBlocks lost = new WeightedPlacement(CLUSTER, 4, weights(5)).lose(59, 3000, 1, seed);
    for (int block = 0; block < lost.count(); block++) {
      long racks = 1L << CLUSTER.rack(59);
      for (int replica = 0; replica < 3; replica++) {
        racks |= 1L << CLUSTER.rack(lost.holder(block, replica));
      }
      assertEquals(4, Long.bitCount(racks), "seed " + seed + " block " + block);
    }
  }

  @Test
  void uselessWeights_areRefused() {
    assertTrue(assertThrows(IllegalArgumentException.class, () -> new WeightedPlacement(CLUSTER, 3, weights(0)))
        .getMessage().contains("expected a number above 0 for each of 60 nodes"));
    assertTrue(assertThrows(IllegalArgumentException.class, () -> new WeightedPlacement(CLUSTER, 7, weights(1)))
        .getMessage().contains("replicas = 7, expected 2 to the number of racks, which is 6"));
  }
}
