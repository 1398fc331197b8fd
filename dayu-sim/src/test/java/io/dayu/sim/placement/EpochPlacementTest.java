/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.placement;

import com.google.common.math.Quantiles;
import com.google.common.math.Stats;
import io.dayu.sim.Cluster;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.Map;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class EpochPlacementTest {

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void replicas_lieOnDistinctRacks(long seed) {
    Cluster cluster = new Cluster(37, 8, 1);
    LostBlocks lost = new EpochPlacement(cluster, 4, 1.0, seed).lose(36, 5000, 7, seed);
    assertEquals(5000 * 7, lost.movedBytes());
    for (int block = 0; block < lost.count(); block++) {
      long racks = 1L << cluster.rack(36);
      for (int replica = 0; replica < 3; replica++) {
        racks |= 1L << cluster.rack(lost.holder(block, replica));
      }
      assertEquals(4, Long.bitCount(racks), "seed " + seed + " block " + block);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void commonSizes_areAsUnequalAsInThePaper_atPaperSkew(long seed) {
    Cluster cluster = new Cluster(3500, 40, 1);
    EpochPlacement placement = new EpochPlacement(cluster, 3, EpochPlacement.PAPER_SKEW, seed);
    double[] cov = new double[25];
    for (int i = 0; i < cov.length; i++) {
      cov[i] = cov(placement.lose(i * 139, 250_000, 1, i).commonBytes(cluster.nodes()), i * 139, cluster);
    }
    Map<Integer, Double> covs = Quantiles.percentiles().indexes(5, 50).compute(cov);
    assertEquals(0.19, covs.get(50), 0.025, "median, seed " + seed);
    assertEquals(0.13, covs.get(5), 0.03, "5th percentile, seed " + seed);
  }

  @Test
  void commonSizes_varyByChanceOnly_withoutSkew() {
    Cluster cluster = new Cluster(1000, 40, 1);
    long[] common = new EpochPlacement(cluster, 3, 0, 1).lose(0, 80_000, 1, 5).commonBytes(1000);
    assertEquals(1 / Math.sqrt(2 * 80_000 / 960.0), cov(common, 0, cluster), 0.01);
  }

  private static double cov(long[] common, int failed, Cluster cluster) {
    Stats others = Stats.of(IntStream.range(0, common.length)
        .filter(node -> cluster.rack(node) != cluster.rack(failed)).mapToLong(node -> common[node]));
    return others.populationStandardDeviation() / others.mean();
  }

  @Test
  void blocks_repeat_forTheSameSeedOnly() {
    EpochPlacement placement = new EpochPlacement(new Cluster(50, 10, 1), 3, 0.5, 9);
    assertArrayEquals(placement.lose(3, 100, 1, 4).holders(), placement.lose(3, 100, 1, 4).holders());
    assertNotEquals(Arrays.hashCode(placement.lose(3, 100, 1, 4).holders()),
        Arrays.hashCode(placement.lose(3, 100, 1, 5).holders()));
  }

  @Test
  void moreReplicasThanRacks_areRefused_withTheReason() {
    String message = assertThrows(IllegalArgumentException.class,
        () -> new EpochPlacement(new Cluster(80, 40, 1), 3, 0, 1)).getMessage();
    assertTrue(message.contains("replicas = 3") && message.contains("which is 2 (80 nodes)"), message);
  }
}
