/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.WaitingBlock;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.net.AbstractDNSToSwitchMapping;
import org.apache.hadoop.net.DNSToSwitchMapping;
import org.apache.hadoop.net.NetworkTopology;
import org.apache.hadoop.net.NetworkTopologyWithNodeGroup;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** What is read of a block where nodes are in node groups, which fail as one. */
class NodeGroupReadingIT {
  private static final int GROUPS = 2;

  /** Node i is in group i modulo {@link #GROUPS}, each in a rack of its own. Stateless. */
  public static final class GroupByAddress extends AbstractDNSToSwitchMapping {
    @Override
    public List<String> resolve(List<String> addresses) {
      return addresses.stream().map(address -> Integer.parseInt(address.substring(address.lastIndexOf('.') + 1)))
          .map(node -> "/rack" + node % GROUPS + "/group" + node % GROUPS).toList();
    }

    @Override
    public boolean isSingleSwitch() {
      return false;
    }

    @Override
    public void reloadCachedMappings() {
      // Nothing is cached.
    }

    @Override
    public void reloadCachedMappings(List<String> names) {
      // Nothing is cached.
    }
  }

  private static MiniDFSCluster start() throws Exception {
    HdfsConfiguration conf = new HdfsConfiguration();
    conf.setClass(CommonConfigurationKeysPublic.NET_TOPOLOGY_NODE_SWITCH_MAPPING_IMPL_KEY, GroupByAddress.class,
        DNSToSwitchMapping.class);
    conf.setClass(CommonConfigurationKeysPublic.NET_TOPOLOGY_IMPL_KEY, NetworkTopologyWithNodeGroup.class,
        NetworkTopology.class);
    conf.setBoolean(DFSConfigKeys.DFS_USE_DFS_NETWORK_TOPOLOGY_KEY, false);
    conf.setClass(DFSConfigKeys.DFS_BLOCK_REPLICATOR_CLASSNAME_KEY, BlockPlacementPolicyWithNodeGroup.class,
        BlockPlacementPolicy.class);
    LostNodes.configure(conf);
    return new MiniDFSCluster.Builder(conf).numDataNodes(0).useConfiguredTopologyMappingClass(true).build();
  }

  /** Nodes register under the lock, and the rest of the reading happens without it. */
  @Test
  void nodesOfTheGroup_areThoseWhenTheLockWasHeld() throws Exception {
    try (MiniDFSCluster nameNode = start()) {
      FSNamesystem namesystem = nameNode.getNamesystem();
      BlockManager blocks = namesystem.getBlockManager();
      LostNodes nodes = new LostNodes(namesystem, 1, 1, 100);
      nodes.addNodes(4, node -> StorageType.DISK);
      BlockInfo block = blocks.getStoredBlock(new Block(nodes.addBlockOn(0)));
      BlockReading reading = new BlockReading(blocks, null, new CopyStorageTypes(blocks), null);
      BlockReading.Read read;
      namesystem.readLock();
      try {
        read = reading.read(block, 0, gone -> {});
      } finally {
        namesystem.readUnlock("testRead");
      }
      nodes.register(4);
      WaitingBlock needed = reading.needed(read);
      assertEquals(Set.of(LostNodes.uuid(0), LostNodes.uuid(2)), Set.copyOf(needed.holders()));
      assertEquals(List.of(LostNodes.uuid(0)), needed.sources());
      assertEquals(1, needed.copies());
    }
  }
}
