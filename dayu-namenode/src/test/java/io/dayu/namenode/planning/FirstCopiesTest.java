/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.planning;

import io.dayu.blocks.GroupFixture;
import io.dayu.blocks.GroupTransfer;
import io.dayu.blocks.IndexedNode;
import io.dayu.blocks.TransferRequest;
import io.dayu.blocks.WaitingBlock;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.namenode.transfers.AttemptFixture;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class FirstCopiesTest {
  private static final long RATE = 1_000_000;

  /** An internal block that is there is copied, say, from a leaving node: the group lacks two others. */
  @Test
  void copyOfAnInternalBlock_doesNotHoldUpTheRebuildOfOthers() {
    WaitingBlock group = GroupFixture.lost(GroupFixture.GROUP_ID, 0, 3, 4);
    List<IndexedNode> sources = group.group().sources();
    assertTrue(group.isAtHighestRisk());
    assertTrue(isAwaited(group, 3, sources));
    assertFalse(isAwaited(group, 0, sources.subList(0, 1)));
  }

  private static boolean isAwaited(WaitingBlock group, int index, List<IndexedNode> sources) {
    Attempt attempt = AttemptFixture.rebuilding(1, new TransferRequest(group.key(), GroupFixture.BYTES, 0, "n0",
        "target", 1, new GroupTransfer(GroupFixture.RS_3_2, GroupFixture.GROUP_BYTES, index, sources)), RATE);
    return new FirstCopies(List.of(attempt), 0).isAwaited(group);
  }
}
