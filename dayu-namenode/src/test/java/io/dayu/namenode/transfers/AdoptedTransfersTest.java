/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.GroupPolicy;
import io.dayu.blocks.GroupTransfer;
import io.dayu.blocks.IndexedNode;
import io.dayu.blocks.TransferRequest;
import io.dayu.namenode.exchange.GroupSpec;
import io.dayu.namenode.exchange.RunningTransfer;
import io.dayu.namenode.exchange.SourceAddress;
import org.apache.hadoop.fs.StorageType;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What {@link AdoptedTransfers} makes of transfers to a target; groups are of RS-3-2, and index 4 is made. */
class AdoptedTransfersTest {
  private static final long GROUP = -32;
  private static final BlockKey BLOCK = new BlockKey(7, 1001);
  private static final BlockKey INTERNAL = new BlockKey(GROUP + 4, 1001);
  private static final GroupPolicy POLICY = new GroupPolicy("", "rs", 3, 2, 1024);

  private static SourceAddress source(String uuid, int index) {
    return new SourceAddress(uuid, "10.0.0.1", uuid, 9866, index);
  }

  private static RunningTransfer copy(BlockKey block, int index) {
    return new RunningTransfer(1, block, 100, source("a", index), "DISK", 40, 10, 9, null, null);
  }

  private static RunningTransfer rebuild(BlockKey block, GroupPolicy policy, SourceAddress... sources) {
    return new RunningTransfer(1, block, 100, sources[0], "DISK", 40, 10, 9, null, null,
        new RunningTransfer.Rebuild(new GroupSpec(policy, 300), Arrays.asList(sources).subList(1, sources.length), null,
            0));
  }

  private static boolean isComplete(SourceAddress... sources) {
    return AdoptedTransfers.isComplete(rebuild(INTERNAL, POLICY, sources));
  }

  @Test
  void rebuild_readsOtherIndices_eachOfANodeOfItsOwn() {
    assertTrue(AdoptedTransfers.isComplete(copy(BLOCK, SourceAddress.NO_INDEX)));
    assertTrue(isComplete(source("a", 0), source("b", 1), source("c", 2)));
    assertTrue(isComplete(source("a", 0)), "of a group that is shorter than a stripe");
    assertFalse(isComplete(source("a", 0), source("b", 0), source("c", 2)), "one index twice");
    assertFalse(isComplete(source("a", 0), source("b", 1), source("a", 2)), "one node twice");
    assertFalse(isComplete(source("a", 0), source("b", 1), source("c", 4)), "the index that it makes");
    assertFalse(isComplete(source("a", 0), source("b", SourceAddress.NO_INDEX), source("c", 2)));
    assertFalse(isComplete(source("a", 0), source("b", 1), source("c", 2), source("d", 3)), "more than it takes");
  }

  @Test
  void rebuildOfWhatIsNoGroup_orByNoCells_isNotComplete() {
    SourceAddress[] sources = {source("a", 0), source("b", 1), source("c", 2)};
    assertFalse(AdoptedTransfers.isComplete(rebuild(BLOCK, POLICY, sources)));
    assertFalse(AdoptedTransfers.isComplete(rebuild(INTERNAL, new GroupPolicy("", "rs", 3, 2, 0), sources)));
  }

  @Test
  void copyOfABlock_isRegisteredAsSuch() {
    TransferRequest request = AdoptedTransfers.request("t", copy(BLOCK, SourceAddress.NO_INDEX));
    assertEquals(new TransferRequest(BLOCK, 100, 0, "a", "t", 1 << StorageType.DISK.ordinal(), null), request);
    BlockKey oldBlock = new BlockKey(GROUP + 1, 1001);
    assertEquals(oldBlock, AdoptedTransfers.key(copy(oldBlock, SourceAddress.NO_INDEX)), "HDFS once had such ids");
    assertEquals(BLOCK, AdoptedTransfers.key(copy(BLOCK, 0)));
  }

  @Test
  void internalBlock_isRegisteredForItsGroup() {
    TransferRequest copied = AdoptedTransfers.request("t", copy(INTERNAL, 4));
    assertEquals(new BlockKey(GROUP, 1001), copied.block());
    assertEquals(4, copied.group().index());
    assertEquals(List.of(new IndexedNode("a", 4)), copied.group().sources());
    assertNull(copied.group().policy());
    assertFalse(copied.group().rebuild());
    assertEquals(0, AdoptedTransfers.request("t", copy(new BlockKey(GROUP, 1001), 0)).group().index());

    GroupTransfer rebuilt = AdoptedTransfers
        .request("t", rebuild(INTERNAL, POLICY, source("a", 0), source("b", 1), source("c", 2))).group();
    assertEquals(4, rebuilt.index());
    assertEquals(List.of(new IndexedNode("a", 0), new IndexedNode("b", 1), new IndexedNode("c", 2)),
        rebuilt.sources());
    assertEquals(POLICY, rebuilt.policy());
    assertEquals(300, rebuilt.groupBytes());
  }
}
