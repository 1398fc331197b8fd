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

import java.util.Arrays;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class CopysetPlacementTest {
  private static final Cluster CLUSTER = new Cluster(61, 10, 100);

  @Test
  void chunks_lieOnFewOtherNodes_eachOnItsOwnRack() {
    CopysetPlacement placement = new CopysetPlacement(CLUSTER, 3, 8, 1);
    for (int failed : placement.candidates()) {
      LostBlocks lost = placement.lose(failed, 500, 64, 7);
      long others = Arrays.stream(lost.holders()).distinct().count();
      assertTrue(others >= 2 && others <= 12, "node " + failed + " shares with " + others);
      for (int block = 0; block < lost.count(); block++) {
        assertEquals(2, lost.holderCount(block));
        assertNotEquals(CLUSTER.rack(failed), CLUSTER.rack(lost.holder(block, 0)));
        assertNotEquals(CLUSTER.rack(failed), CLUSTER.rack(lost.holder(block, 1)));
        assertNotEquals(CLUSTER.rack(lost.holder(block, 0)), CLUSTER.rack(lost.holder(block, 1)));
      }
    }
    assertArrayEquals(placement.lose(3, 50, 64, 7).holders(),
        new CopysetPlacement(CLUSTER, 3, 8, 1).lose(3, 50, 64, 7).holders());
  }

  @Test
  void scatterWidth_isWithinTheCluster() {
    assertThrows(IllegalArgumentException.class, () -> new CopysetPlacement(CLUSTER, 3, 1, 1));
    assertThrows(IllegalArgumentException.class, () -> new CopysetPlacement(CLUSTER, 3, 61, 1));
  }
}
