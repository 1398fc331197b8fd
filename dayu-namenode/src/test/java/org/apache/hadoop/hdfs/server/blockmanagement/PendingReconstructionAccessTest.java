/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.PendingCheck;
import io.dayu.blocks.TransferRequest;
import org.apache.hadoop.hdfs.protocol.Block;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

/** When a copy's registration is over, so that it need not be ended under the lock for writing. */
class PendingReconstructionAccessTest {
  private static final TransferRequest REQUEST =
      new TransferRequest(new BlockKey(7, 1001), 5, 2, "source", "target", 1);

  private final BlockManager blocks = mock(BlockManager.class);
  private final BlockReading reading = mock(BlockReading.class);
  private final BlockInfo block = mock(BlockInfo.class);
  private final DatanodeDescriptor target = mock(DatanodeDescriptor.class);
  private final DatanodeStorageInfo storage = mock(DatanodeStorageInfo.class);
  private final PendingReconstructionAccess pending =
      new PendingReconstructionAccess(blocks, reading, mock(GroupReading.class), List.of(), mock(ArrivedCopies.class),
          new GroupEntries());

  /** A copy whose replica has been reported, as incremental block reports leave it. */
  @BeforeEach
  void reported() {
    DatanodeManager nodes = mock(DatanodeManager.class);
    when(blocks.getStoredBlock(any(Block.class))).thenReturn(block);
    when(blocks.isPopulatingReplQueues()).thenReturn(true);
    when(blocks.getDatanodeManager()).thenReturn(nodes);
    when(nodes.getDatanode("target")).thenReturn(target);
    when(target.getDatanodeUuid()).thenReturn("target");
    when(storage.getDatanodeDescriptor()).thenReturn(target);
    when(block.findStorageInfo(target)).thenReturn(storage);
    when(reading.pendingTargets(block)).thenReturn(List.of());
  }

  @Test
  void replicaThatWasReported_isUnregistered() {
    assertTrue(pending.isUnregistered(REQUEST));
  }

  @Test
  void checkOfAReportedReplica_saysWhetherItsRegistrationIsGone() {
    when(block.isCompleteOrCommitted()).thenReturn(true);
    when(block.getGenerationStamp()).thenReturn(REQUEST.block().generationStamp());
    assertEquals(PendingCheck.complete(true), pending.check(REQUEST));
    when(blocks.isReplicaCorrupt(block, target)).thenReturn(true);
    assertEquals(PendingCheck.complete(false), pending.check(REQUEST));
    when(blocks.isReplicaCorrupt(block, target)).thenReturn(false);
    when(reading.pendingTargets(block)).thenReturn(List.of(storage));
    assertEquals(PendingCheck.complete(false), pending.check(REQUEST));
  }

  @Test
  void replicaThatWasReportedAsCorrupt_isStillRegistered() {
    when(blocks.isReplicaCorrupt(block, target)).thenReturn(true);
    assertFalse(pending.isUnregistered(REQUEST),
        "the block map has it on the target, and the block still lacks a replica");
  }

  @Test
  void copyWithoutAReplica_orStillPending_orToAnUnknownNode_isStillRegistered() {
    when(reading.pendingTargets(block)).thenReturn(List.of(storage));
    assertFalse(pending.isUnregistered(REQUEST));
    when(reading.pendingTargets(block)).thenReturn(List.of());
    when(block.findStorageInfo(target)).thenReturn(null);
    assertFalse(pending.isUnregistered(REQUEST));
    when(blocks.getDatanodeManager()).thenReturn(mock(DatanodeManager.class));
    assertFalse(pending.isUnregistered(REQUEST));
  }

  @Test
  void blockThatIsGone_orNotTheConcernOfAStandby_isUnregistered() {
    when(block.findStorageInfo(target)).thenReturn(null);
    when(block.isDeleted()).thenReturn(true);
    assertTrue(pending.isUnregistered(REQUEST));
    when(blocks.getStoredBlock(any(Block.class))).thenReturn(null);
    assertTrue(pending.isUnregistered(REQUEST));
    when(blocks.getStoredBlock(any(Block.class))).thenReturn(block);
    when(block.isDeleted()).thenReturn(false);
    when(blocks.isPopulatingReplQueues()).thenReturn(false);
    assertTrue(pending.isUnregistered(REQUEST));
  }
}
