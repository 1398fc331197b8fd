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
import io.dayu.harness.RackByAddress;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.net.DNSToSwitchMapping;
import org.junit.jupiter.api.Test;

import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What HDFS's pending copies say without the namesystem lock, on a real BlockManager. */
class PendingEntriesIT {
  private static final int RACK = RackByAddress.RACK_SIZE;
  private static final long BYTES = 1 << 20;

  private LostNodes cluster;
  private BlockManagerAccess access;

  private MiniDFSCluster start() throws Exception {
    HdfsConfiguration conf = new HdfsConfiguration();
    conf.setClass(CommonConfigurationKeysPublic.NET_TOPOLOGY_NODE_SWITCH_MAPPING_IMPL_KEY, RackByAddress.class,
        DNSToSwitchMapping.class);
    LostNodes.configure(conf);
    MiniDFSCluster nameNode =
        new MiniDFSCluster.Builder(conf).numDataNodes(0).useConfiguredTopologyMappingClass(true).build();
    cluster = new LostNodes(nameNode.getNamesystem(), RACK, 1, BYTES);
    cluster.addNodes(3 * RACK, node -> StorageType.DISK);
    access = BlockManagerAccess.open(nameNode.getNamesystem(), () -> 0L, TimeUnit.SECONDS.toNanos(1), ns -> {});
    return nameNode;
  }

  private TransferRequest committed(int target) throws Exception {
    TransferRequest copy = new TransferRequest(new BlockKey(cluster.addBlockOn(0, 1), LostNodes.GENERATION), BYTES, 2,
        LostNodes.uuid(0), LostNodes.uuid(target), 1 << StorageType.DISK.ordinal());
    assertTrue(access.commit(List.of(copy), () -> true).get(0).committed());
    return copy;
  }

  @Test
  void registrations_areRefreshedUnderTheNamesystemLock_untilTheReplicaIsReported() throws Exception {
    try (MiniDFSCluster nameNode = start()) {
      List<TransferRequest> copies = List.of(committed(RACK), committed(RACK + 1), committed(RACK + 2));
      cluster.receive(new LostNodes.Copy(copies.get(1).block().blockId(), copies.get(1).target()));
      nameNode.getNamesystem().writeLock();
      try {
        BitSet registered =
            CompletableFuture.supplyAsync(() -> access.refresh(copies)).orTimeout(60, TimeUnit.SECONDS).join();
        assertEquals("{0, 2}", registered.toString());
      } finally {
        nameNode.getNamesystem().writeUnlock("test");
      }
      List<PendingCheck> checks = access.check(copies);
      assertEquals(List.of(PendingCheck.State.WANTED, PendingCheck.State.COMPLETE, PendingCheck.State.WANTED),
          checks.stream().map(PendingCheck::state).toList());
      assertEquals(List.of(false, true, false), checks.stream().map(PendingCheck::unregistered).toList());
    }
  }

  @Test
  void copyToAnotherTarget_andOneThatWasUnregistered_areNotRegistered() throws Exception {
    try (MiniDFSCluster nameNode = start()) {
      TransferRequest copy = committed(RACK);
      TransferRequest elsewhere = new TransferRequest(copy.block(), BYTES, 2, copy.source(), LostNodes.uuid(RACK + 1),
          copy.storageTypes());
      assertEquals("{0}", access.refresh(List.of(copy, elsewhere)).toString());
      access.unregister(List.of(copy));
      assertEquals("{}", access.refresh(List.of(copy)).toString());
    }
  }
}
