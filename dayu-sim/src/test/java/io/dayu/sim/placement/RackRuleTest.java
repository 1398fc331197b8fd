/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.placement;

import io.dayu.model.IntRows;
import io.dayu.sim.Cluster;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

class RackRuleTest {
  private static final Cluster CLUSTER = new Cluster(6, 2, 1);

  private static int[] forbidden(RackRule rule, Cluster cluster, int... holders) {
    IntRows.Builder racks = new IntRows.Builder();
    rule.forbid(holders, holders.length, cluster, racks);
    return racks.endRow().build().values();
  }

  @Test
  void allDistinct_forbidsEachRackOfAReplica() {
    assertArrayEquals(new int[] {0, 1}, forbidden(RackRule.ALL_DISTINCT, CLUSTER, 1, 2));
  }

  @Test
  void twoRacks_forbidsARack_onlyIfAllReplicasAreThere() {
    assertArrayEquals(new int[] {1}, forbidden(RackRule.TWO_RACKS, CLUSTER, 2, 3));
    assertArrayEquals(new int[] {1}, forbidden(RackRule.TWO_RACKS, CLUSTER, 2));
    assertArrayEquals(new int[0], forbidden(RackRule.TWO_RACKS, CLUSTER, 2, 3, 4));
  }

  @Test
  void twoRacks_forbidsNothing_whereThereIsOneRack() {
    assertArrayEquals(new int[0], forbidden(RackRule.TWO_RACKS, new Cluster(6, 6, 1), 2, 3));
  }
}
