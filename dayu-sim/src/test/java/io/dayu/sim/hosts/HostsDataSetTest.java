/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.hosts;

import io.dayu.sim.placement.ErasureCode;
import io.dayu.sim.placement.LostBlocks;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.Optional;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

class HostsDataSetTest {
  private static final long BLOCK_BYTES = 2 << 20;
  private static final int LOST_INTERNAL_BLOCKS = 68;
  private static final int LOST_REPLICAS = 4;

  /** The first lost groups are those on the disks of the benchmark, which HDFS has given their indices. */
  @Test
  void groups_haveTheIndicesThatHdfsGaveThem() {
    HostsDataSet data = new HostsDataSet(10, 2, BLOCK_BYTES, 20, Optional.of(ErasureCode.parse("rs-3-2")), 120);
    LostBlocks lost = data.lost(1, 6, (LOST_INTERNAL_BLOCKS + LOST_REPLICAS) * BLOCK_BYTES, 1);
    assertEquals(LOST_INTERNAL_BLOCKS, lost.count());
    assertArrayEquals(new int[] {2, 0, 1, 3, 9, 1, 0, 8, 1, 3, 9, 2}, Arrays.copyOf(lost.holders(), 12));
  }
}
