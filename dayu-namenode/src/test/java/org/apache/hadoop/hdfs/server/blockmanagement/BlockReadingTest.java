/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.LiveNode;
import io.dayu.blocks.LiveNodeFixture;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.net.NetworkTopology;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.AbstractList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.anyByte;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

/** A block with two replicas of three, both on the first of three racks, as the commit of a copy sees it. */
class BlockReadingTest {
  private static final int DISK = 1 << StorageType.DISK.ordinal();
  private static final long BYTES = 1_000;
  private static final byte HOT = HdfsConstants.StoragePolicy.HOT.value();

  private final BlockManager blocks = mock(BlockManager.class);
  private final BlockReplicas replicas = mock(BlockReplicas.class);
  private final BlockReading reading =
      new BlockReading(blocks, mock(GroupReading.class), new CopyStorageTypes(blocks), null);
  private final AtomicInteger looks = new AtomicInteger();

  @BeforeEach
  void blockOnOneRack() {
    DatanodeManager nodes = mock(DatanodeManager.class);
    NetworkTopology topology = mock(NetworkTopology.class);
    when(blocks.getBlockPlacementPolicy()).thenReturn(new BlockPlacementPolicyDefault());
    when(blocks.getDatanodeManager()).thenReturn(nodes);
    when(nodes.getNetworkTopology()).thenReturn(topology);
    when(topology.getNumOfNonEmptyRacks()).thenReturn(3);
    when(topology.getRack("/rack0")).thenReturn("/rack0");
    DatanodeDescriptor node = mock(DatanodeDescriptor.class);
    when(node.getNetworkLocation()).thenReturn("/rack0");
    DatanodeStorageInfo storage = mock(DatanodeStorageInfo.class);
    when(storage.getDatanodeDescriptor()).thenReturn(node);
    when(storage.getStorageType()).thenReturn(StorageType.DISK);
    when(blocks.getStoragePolicy(anyByte()))
        .thenAnswer(call -> BlockStoragePolicySuite.createDefaultSuite().getPolicy(call.getArgument(0, Byte.class)));
    when(replicas.copiesToIssue()).thenReturn(1);
    when(replicas.chosen()).thenReturn(List.of(storage, storage));
    when(replicas.expected()).thenReturn(5);
    when(replicas.holders()).thenReturn(List.of("n0", "n3"));
  }

  /** Nine nodes on three racks in turn, of which those elsewhere have this room. */
  private void setRoom(long elsewhereBytes) {
    setRoom(StorageType.DISK, elsewhereBytes);
  }

  private void setRoom(StorageType elsewhere, long elsewhereBytes) {
    List<LiveNode> nodes = IntStream.range(0, 9).mapToObj(number -> {
      long[] room = new long[StorageType.values().length];
      boolean isElsewhere = number % 3 != 0;
      room[(isElsewhere ? elsewhere : StorageType.DISK).ordinal()] = isElsewhere ? elsewhereBytes : 10 * BYTES;
      return LiveNodeFixture.liveNode("n" + number, "10.0.0.1", "n" + number, 9866, "/rack" + number % 3, true, room,
          new int[room.length]);
    }).toList();
    List<LiveNode> watched = new AbstractList<>() {
      @Override
      public LiveNode get(int index) {
        looks.incrementAndGet();
        return nodes.get(index);
      }

      @Override
      public int size() {
        return nodes.size();
      }
    };
    reading.setRoom(watched, watched, new long[StorageType.values().length]);
  }

  @Test
  void copyStaysInItsRack_onlyIfNoOtherHasRoom() {
    setRoom(BYTES);
    assertFalse(reading.mayStayInRack(replicas, BYTES, DISK));
    setRoom(BYTES - 1);
    assertTrue(reading.mayStayInRack(replicas, BYTES, DISK));
  }

  /** Of five replicas three may be on one of three racks, of three two. */
  @Test
  void roomOnARackThatMayHoldNoMore_isForNoCopy() {
    setRoom(0);
    assertEquals(Set.of(), reading.fullRacks(replicas));
    assertTrue(reading.hasTarget(replicas, BYTES, HOT, Set.of()));
    when(replicas.expected()).thenReturn(3);
    assertEquals(Set.of("/rack0"), reading.fullRacks(replicas));
    assertFalse(reading.hasTarget(replicas, BYTES, HOT, Set.of("/rack0")));
    setRoom(BYTES);
    assertTrue(reading.hasTarget(replicas, BYTES, HOT, Set.of("/rack0")));
  }

  /** Of these policies the second one falls back to disks, the third one puts one replica on an SSD. */
  @Test
  void roomOnATypeThatTheBlockMayNotBeOn_isForNoCopy() {
    setRoom(BYTES);
    assertTrue(reading.hasTarget(replicas, BYTES, HOT, Set.of()));
    assertTrue(reading.hasTarget(replicas, BYTES, HdfsConstants.StoragePolicy.ALL_SSD.value(), Set.of()));
    assertFalse(reading.hasTarget(replicas, BYTES, HdfsConstants.StoragePolicy.COLD.value(), Set.of()));
    setRoom(StorageType.SSD, BYTES);
    assertFalse(reading.hasTarget(replicas, BYTES, HOT, Set.of("/rack0")));
    assertTrue(reading.hasTarget(replicas, BYTES, HdfsConstants.StoragePolicy.ONE_SSD.value(), Set.of("/rack0")));
  }

  /** It spreads replicas as far as it can, and then puts more on a rack. */
  @Test
  void policyThatGivesWay_hasNoFullRacks() {
    when(replicas.expected()).thenReturn(3);
    when(blocks.getBlockPlacementPolicy()).thenReturn(new BlockPlacementPolicyRackFaultTolerant());
    assertEquals(Set.of(), reading.fullRacks(replicas));
  }

  /** The commit asks with the namesystem lock held, for each of its copies. */
  @Test
  void copyThatMustStay_looksAtNoTargetUnderTheLock() {
    setRoom(0);
    looks.set(0);
    assertTrue(reading.mayStayInRack(replicas, BYTES, DISK));
    assertEquals(0, looks.get());
  }
}
