/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.IncompatibleHadoopException;
import io.dayu.blocks.TransferRequest;
import io.dayu.harness.Await;
import io.dayu.harness.RackByAddress;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.server.protocol.DatanodeStorage;
import org.apache.hadoop.hdfs.server.protocol.StorageReport;
import org.apache.hadoop.net.DNSToSwitchMapping;
import org.apache.hadoop.util.Time;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Commits hold the namesystem lock for reading, and so do heartbeats, which roll HDFS's counters of scheduled blocks
 * from time to time, and others who commit. No copy that is committed may drop out of these counters. On a real
 * BlockManager.
 */
class ConcurrentCommitsIT {
  private static final int RACK = RackByAddress.RACK_SIZE;
  private static final long BYTES = 1 << 20;
  private static final int BLOCKS = 60;
  private static final int COMMITTERS = 3;
  private static final int ROUNDS = 200;
  private static final long SEED = 1;
  private static final Duration SOON = Duration.ofSeconds(30);

  private final List<TransferRequest> requests = new ArrayList<>();
  private MiniDFSCluster nameNode;
  private LostNodes cluster;
  private DatanodeDescriptor target;

  /** Blocks that all lack a copy on the same node. */
  @BeforeEach
  void start() throws Exception {
    HdfsConfiguration conf = new HdfsConfiguration();
    conf.setClass(CommonConfigurationKeysPublic.NET_TOPOLOGY_NODE_SWITCH_MAPPING_IMPL_KEY, RackByAddress.class,
        DNSToSwitchMapping.class);
    conf.setClass(DFSConfigKeys.DFS_BLOCK_REPLICATOR_CLASSNAME_KEY, BlockPlacementPolicyRackFaultTolerant.class,
        BlockPlacementPolicy.class);
    LostNodes.configure(conf);
    nameNode = new MiniDFSCluster.Builder(conf).numDataNodes(0).useConfiguredTopologyMappingClass(true).build();
    cluster = new LostNodes(nameNode.getNamesystem(), RACK, SEED, BYTES);
    cluster.addNodes(2 * RACK, node -> StorageType.DISK);
    target = nameNode.getNamesystem().getBlockManager().getDatanodeManager().getDatanode(LostNodes.uuid(RACK));
    for (int i = 0; i < BLOCKS; i++) {
      BlockKey block = new BlockKey(cluster.addBadlyDistributed(0, 1, 2), LostNodes.GENERATION);
      requests.add(new TransferRequest(block, BYTES, LowRedundancyBlocks.QUEUE_REPLICAS_BADLY_DISTRIBUTED,
          LostNodes.uuid(0), LostNodes.uuid(RACK), 1 << StorageType.DISK.ordinal()));
    }
  }

  @AfterEach
  void close() {
    nameNode.close();
  }

  private void commit(List<TransferRequest> some) {
    try {
      BlockManagerAccess access = BlockManagerAccess.open(nameNode.getNamesystem(), () -> 0L,
          TimeUnit.SECONDS.toNanos(1), ns -> {});
      some.forEach(request -> assertTrue(access.commit(List.of(request), () -> true).get(0).committed()));
    } catch (IncompatibleHadoopException e) {
      throw new AssertionError(e);
    }
  }

  /** As HDFS handles a heartbeat, at a moment when the counters are to be rolled. */
  private void heartbeatThatRolls() throws Exception {
    Field lastRoll = DatanodeDescriptor.class.getDeclaredField("lastBlocksScheduledRollTime");
    lastRoll.setAccessible(true);
    DatanodeStorageInfo storage = target.getStorageInfos()[0];
    StorageReport[] reports = {new StorageReport(
        new DatanodeStorage(storage.getStorageID(), DatanodeStorage.State.NORMAL, storage.getStorageType()), false,
        storage.getCapacity(), storage.getDfsUsed(), storage.getRemaining(), storage.getBlockPoolUsed(), 0)};
    nameNode.getNamesystem().readLock();
    try {
      lastRoll.setLong(target, Time.monotonicNow() - TimeUnit.HOURS.toMillis(1));
      nameNode.getNamesystem().getBlockManager().getDatanodeManager().getHeartbeatManager().updateHeartbeat(target,
          reports, 0, 0, 4, 0, null);
    } finally {
      nameNode.getNamesystem().readUnlock("handleHeartbeat");
    }
  }

  /** A heartbeat holds this monitor while it moves the counters. */
  @Test
  void commit_countsItsCopy_whenNoHeartbeatIsRollingTheCounters() throws Exception {
    Thread committer = new Thread(() -> commit(requests.subList(0, 1)));
    HeartbeatManager heartbeats = nameNode.getNamesystem().getBlockManager().getDatanodeManager().getHeartbeatManager();
    synchronized (heartbeats) {
      committer.start();
      Await.until("the commit waits for the monitor", SOON, () -> isBlockedBy(heartbeats, committer));
      assertEquals(0, target.getBlocksScheduled(StorageType.DISK));
    }
    committer.join();
    assertEquals(1, target.getBlocksScheduled(StorageType.DISK));
  }

  private static boolean isBlockedBy(Object monitor, Thread thread) {
    ThreadInfo info = ManagementFactory.getThreadMXBean().getThreadInfo(thread.getId());
    return info != null && info.getThreadState() == Thread.State.BLOCKED && info.getLockInfo() != null
        && info.getLockInfo().getIdentityHashCode() == System.identityHashCode(monitor);
  }

  @Test
  void severalCommitters_andAHeartbeatThatRolls_loseNoCount() throws Exception {
    System.out.println("seed " + SEED);
    Random random = new Random(SEED);
    ExecutorService threads = Executors.newFixedThreadPool(COMMITTERS + 1);
    try {
      for (int round = 0; round < ROUNDS; round++) {
        AtomicInteger committed = new AtomicInteger();
        int rollAfter = random.nextInt(BLOCKS);
        List<Future<?>> running = new ArrayList<>();
        for (int i = 0; i < COMMITTERS; i++) {
          List<TransferRequest> part = requests.subList(i * BLOCKS / COMMITTERS, (i + 1) * BLOCKS / COMMITTERS);
          running.add(threads.submit(() -> part.forEach(request -> {
            commit(List.of(request));
            committed.incrementAndGet();
          })));
        }
        running.add(threads.submit(() -> {
          while (committed.get() < rollAfter && !Thread.currentThread().isInterrupted()) {
            Thread.onSpinWait();
          }
          heartbeatThatRolls();
          return null;
        }));
        for (Future<?> thread : running) {
          thread.get();
        }
        assertEquals(BLOCKS, target.getBlocksScheduled(StorageType.DISK), "round " + round);
        cluster.enterAll();
        assertEquals(0, target.getBlocksScheduled(StorageType.DISK), "round " + round);
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
