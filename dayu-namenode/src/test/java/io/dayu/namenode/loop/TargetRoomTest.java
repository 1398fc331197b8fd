/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.LiveNode;
import io.dayu.blocks.LiveNodeFixture;
import org.apache.hadoop.fs.StorageType;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

final class TargetRoomTest {
  private final TargetRoom room = new TargetRoom();

  private static LiveNode node(String uuid, String rack, boolean target, long diskBytes) {
    long[] freeBytes = new long[StorageType.values().length];
    freeBytes[StorageType.DISK.ordinal()] = diskBytes;
    return LiveNodeFixture.liveNode(uuid, "10.0.0.1", uuid, 9866, rack, target, freeBytes, new int[freeBytes.length]);
  }

  @Test
  void whatIsNewOrHasMuchMoreRoom_isMoreToChooseFrom() {
    assertTrue(room.hasGrown(List.of(node("a", "/r1", true, 1_000))));
    assertFalse(room.hasGrown(List.of(node("a", "/r1", true, 1_020))), "about as much");
    assertFalse(room.hasGrown(List.of(node("a", "/r1", true, 10), node("b", "/r1", false, 10))), "less");
    assertTrue(room.hasGrown(List.of(node("a", "/r1", true, 1_000), node("b", "/r1", false, 10))), "room again");
    assertTrue(room.hasGrown(List.of(node("a", "/r1", true, 1_000), node("b", "/r1", true, 10))), "another target");
    assertTrue(room.hasGrown(List.of(node("a", "/r2", true, 1_000), node("b", "/r1", true, 10))), "another rack");
    assertFalse(room.hasGrown(List.of(node("a", "/r2", true, 1_000))), "a target less");
  }

  @Test
  void anotherUpgradeDomain_isMoreToChooseFrom() {
    assertTrue(room.hasGrown(List.of(inDomain("u1"))));
    assertFalse(room.hasGrown(List.of(inDomain("u1"))));
    assertTrue(room.hasGrown(List.of(inDomain("u2"))));
    assertFalse(room.hasGrown(List.of(inDomain(null))), "it has none any more");
    assertTrue(room.hasGrown(List.of(inDomain("u2"))));
  }

  private static LiveNode inDomain(String upgradeDomain) {
    LiveNode node = node("a", "/r1", true, 1_000);
    return new LiveNode(node.address(), node.rack(), node.space(), node.status(),
        new LiveNode.Placement(upgradeDomain, 0, 0));
  }

  @Test
  void roomOfAnyStorageType_isMoreToChooseFrom() {
    LiveNode disksOnly = node("a", "/r1", true, 1_000);
    assertTrue(room.hasGrown(List.of(disksOnly)));
    long[] freeBytes = disksOnly.space().maxVolumeFreeBytes().clone();
    freeBytes[StorageType.ARCHIVE.ordinal()] = 1;
    LiveNode withArchive =
        LiveNodeFixture.liveNode("a", "10.0.0.1", "a", 9866, "/r1", true, freeBytes, new int[freeBytes.length]);
    assertTrue(room.hasGrown(List.of(withArchive)));
    assertFalse(room.hasGrown(List.of(disksOnly)));
  }
}
