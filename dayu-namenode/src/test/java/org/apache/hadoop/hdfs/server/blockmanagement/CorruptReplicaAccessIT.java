/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.CorruptReplica;
import io.dayu.harness.RackByAddress;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.server.blockmanagement.CorruptReplicasMap.Reason;
import org.apache.hadoop.net.DNSToSwitchMapping;
import org.apache.hadoop.util.Time;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Which corrupt replicas {@link CorruptReplicaAccess} finds, on a real NameNode. */
class CorruptReplicaAccessIT {
  private static final int RACK = RackByAddress.RACK_SIZE;
  private static final long BYTES = 1 << 20;

  private MiniDFSCluster nameNode;
  private BlockManager blocks;
  private LostNodes nodes;
  private BlockManagerAccess access;
  private int holds;

  @BeforeEach
  void start() throws Exception {
    HdfsConfiguration conf = new HdfsConfiguration();
    conf.setClass(CommonConfigurationKeysPublic.NET_TOPOLOGY_NODE_SWITCH_MAPPING_IMPL_KEY, RackByAddress.class,
        DNSToSwitchMapping.class);
    LostNodes.configure(conf);
    nameNode = new MiniDFSCluster.Builder(conf).numDataNodes(0).useConfiguredTopologyMappingClass(true).build();
    blocks = nameNode.getNamesystem().getBlockManager();
    nodes = new LostNodes(nameNode.getNamesystem(), RACK, 1, BYTES);
    addNodes(3);
    access = BlockManagerAccess.open(nameNode.getNamesystem(), () -> 0L, TimeUnit.SECONDS.toNanos(1),
        ns -> holds++);
  }

  @AfterEach
  void stop() {
    nameNode.close();
  }

  private void addNodes(int count) throws Exception {
    nodes.addNodes(count, node -> StorageType.DISK);
    nodes.reportBlocks();
  }

  private static BlockKey key(long id) {
    return new BlockKey(id, LostNodes.GENERATION);
  }

  /** HDFS takes the replica on this node for corrupt. */
  private void markCorrupt(long id, int node, Reason reason) {
    nameNode.getNamesystem().writeLock();
    try {
      blocks.corruptReplicas.addToCorruptReplicasMap(new Block(id),
          blocks.getDatanodeManager().getDatanode(LostNodes.uuid(node)), "a test says so", reason, false);
    } finally {
      nameNode.getNamesystem().writeUnlock("testMarkCorrupt");
    }
  }

  /** A DataNode would not delete a replica of another generation, and HDFS would not know of it any more. */
  @Test
  void replicaOfAnotherGeneration_isNotFound() throws Exception {
    Set<Reason> found = EnumSet.noneOf(Reason.class);
    for (Reason reason : Reason.values()) {
      long id = nodes.addBlockOn(0, 1, 2);
      markCorrupt(id, 2, reason);
      CorruptReplica replica = access.corruptReplica(key(id));
      if (replica != null) {
        found.add(reason);
        assertEquals(new CorruptReplica(key(id), BYTES, LostNodes.uuid(2),
            List.of(LostNodes.uuid(0), LostNodes.uuid(1)), 2), replica);
      }
    }
    assertEquals(EnumSet.of(Reason.CORRUPTION_REPORTED, Reason.SIZE_MISMATCH), found);
  }

  @Test
  void whileNothingIsCorrupt_noLockIsTaken() throws Exception {
    long id = nodes.addBlockOn(0, 1, 2);
    assertNull(access.corruptReplica(key(id)));
    assertEquals(0, holds);
    markCorrupt(id, 2, Reason.CORRUPTION_REPORTED);
    assertNotNull(access.corruptReplica(key(id)));
    assertEquals(1, holds);
  }

  /** Two racks of which the first has two good replicas of three, and may hold no more. */
  private CorruptReplica find(int corrupt) throws Exception {
    long id = nodes.addBlockOn(0, 1, corrupt);
    markCorrupt(id, corrupt, Reason.CORRUPTION_REPORTED);
    access.liveNodes();
    return access.corruptReplica(key(id));
  }

  @Test
  void roomOnARackThatMayHoldNoMore_isForNoCopy() throws Exception {
    addNodes(RACK + 1);
    assertEquals(LostNodes.uuid(RACK), find(RACK).node());
  }

  @Test
  void roomOnTheOtherRack_isForACopy() throws Exception {
    addNodes(RACK + 2);
    assertNull(find(RACK));
    nodes.heartbeat(RACK + 1, BYTES - 1, 0);
    assertEquals(LostNodes.uuid(RACK), find(RACK).node());
  }

  /** Files whose policy names no storage have their blocks on disks. */
  @Test
  void roomOnATypeThatTheBlockMayNotBeOn_isForNoCopy() throws Exception {
    addNodes(RACK + 1);
    nodes.addNodes(RACK + 2, node -> StorageType.SSD);
    nodes.reportBlocks();
    CorruptReplica found = find(RACK);
    assertEquals(LostNodes.uuid(RACK), found.node());
    assertTrue(access.removeCorruptReplica(found, Set.copyOf(found.holders())));
  }

  /** A copy would find no room there either. */
  @Test
  void corruptReplicaOnATypeThatTheBlockMayNotBeOn_isNotFound() throws Exception {
    addNodes(RACK);
    nodes.addNodes(RACK + 1, node -> StorageType.SSD);
    nodes.reportBlocks();
    assertNull(find(RACK));
  }

  /** Its switch may be down for a minute. */
  @Test
  void roomOnASilentNodeOfTheOtherRack_isForACopyStill() throws Exception {
    addNodes(RACK + 2);
    blocks.getDatanodeManager().getDatanode(LostNodes.uuid(RACK + 1))
        .setLastUpdateMonotonic(Time.monotonicNow() - 2 * blocks.getDatanodeManager().getStaleInterval());
    assertNull(find(RACK));
    nodes.heartbeat(RACK + 1, BYTES - 1, 0);
    assertEquals(LostNodes.uuid(RACK), find(RACK).node());
  }

  /** Its DataNode could not take a copy either. */
  @Test
  void corruptReplicaOnARackThatMayHoldNoMore_isNotFound() throws Exception {
    addNodes(RACK + 1);
    nodes.heartbeat(RACK, BYTES - 1, 0);
    assertNull(find(2));
  }
}
