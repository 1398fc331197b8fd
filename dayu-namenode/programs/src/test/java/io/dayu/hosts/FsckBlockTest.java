/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;

class FsckBlockTest {
  @Test
  void all_readsBlocksWithTheirReplicas() {
    String text = """
        /checked/1 5000 bytes, replicated: replication=3, 2 block(s):  OK
        0. BP-1-10.213.7.1-1:blk_1073741825_1001 len=4096 Live_repl=2  \
        [DatanodeInfoWithStorage[10.213.7.4:9866,DS-1,DISK], \
        DatanodeInfoWithStorage[10.213.7.5:9866,DS-2,DISK]]
        1. BP-1-10.213.7.1-1:blk_1073741826_1002 len=904 MISSING!
        """;
    assertEquals(List.of(new FsckBlock("blk_1073741825", 2, 3, 1,
        Map.of("10.213.7.4", "blk_1073741825", "10.213.7.5", "blk_1073741825"))), FsckBlock.all(text));
  }

  @Test
  void all_readsGroups_whoseShortOnesHaveFewerDataBlocks() {
    String text = """
        /checked/groups/1 2000000 bytes, erasure-coded: policy=RS-3-2-1024k, 1 block(s):  OK
        0. BP-1-10.213.7.1-1:blk_-9223372036854775792_1001 len=2000000 Live_repl=3  \
        [blk_-9223372036854775792:DatanodeInfoWithStorage[10.213.7.4:9866,DS-1,DISK], \
        blk_-9223372036854775791:DatanodeInfoWithStorage[10.213.7.5:9866,DS-2,DISK], \
        blk_-9223372036854775789:DatanodeInfoWithStorage[10.213.7.6:9866,DS-2,DISK]]
        /checked/2 5 bytes, replicated: replication=2, 1 block(s):  OK
        0. BP-1-10.213.7.1-1:blk_1_1001 len=5 Live_repl=1  [DatanodeInfoWithStorage[10.213.7.4:9866,DS-1,DISK]]
        """;
    assertEquals(List.of(
        new FsckBlock("blk_-9223372036854775792", 3, 4, 2, Map.of("10.213.7.4", "blk_-9223372036854775792",
            "10.213.7.5", "blk_-9223372036854775791", "10.213.7.6", "blk_-9223372036854775789")),
        new FsckBlock("blk_1", 1, 2, 1, Map.of("10.213.7.4", "blk_1"))), FsckBlock.all(text));
  }

  @Test
  void excess_isEachReplicaThatIsToBeDeleted() {
    String text = """
        /checked/1 4096 bytes, replicated: replication=2, 1 block(s):  OK
        0. BP-1-10.213.7.1-1:blk_1073741825_1001 len=4096 Live_repl=2  \
        [DatanodeInfoWithStorage[10.213.7.4:9866,DS-1,DISK](LIVE), \
        DatanodeInfoWithStorage[10.213.7.5:9866,DS-2,DISK](EXCESS), \
        DatanodeInfoWithStorage[10.213.7.6:9866,DS-3,DISK](LIVE)]
        /checked/groups/1 2000000 bytes, erasure-coded: policy=RS-3-2-1024k, 1 block(s):  OK
        0. BP-1-10.213.7.1-1:blk_-9223372036854775792_1001 len=2000000 Live_repl=3  \
        [blk_-9223372036854775792:DatanodeInfoWithStorage[10.213.7.4:9866,DS-1,DISK](EXCESS), \
        blk_-9223372036854775791:DatanodeInfoWithStorage[10.213.7.5:9866,DS-2,DISK](STALE_BLOCK_CONTENT)]
        """;
    assertEquals(List.of("blk_1073741825 on 10.213.7.5:9866", "blk_-9223372036854775792 on 10.213.7.4:9866"),
        FsckBlock.excess(text));
  }
}
