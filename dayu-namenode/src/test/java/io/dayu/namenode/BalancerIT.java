/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.harness.Await;
import io.dayu.harness.ClusterBuilder;
import io.dayu.harness.ClusterVerifier;
import io.dayu.harness.DayuCluster;
import io.dayu.harness.nic.Direction;
import io.dayu.harness.nic.EmulatedNic;
import io.dayu.harness.nic.Traffic;
import io.dayu.model.ClusterSnapshot;
import io.dayu.model.TimeslotPlan;
import io.dayu.schedule.DayuScheduler;
import io.dayu.schedule.TimeslotScheduler;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.balancer.BalancerAccess;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerAccess;
import org.apache.hadoop.hdfs.server.mover.Mover;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * HDFS's Balancer and Mover move replicas while Dayu recovers a lost DataNode. Both end, and to Dayu what they move is
 * foreground: it takes from what plans may use of a node, down to the floor of B_min, and is no recovery of Dayu's.
 */
@Tag("slow")
final class BalancerIT {
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final int NODES = 6;
  private static final int FULL_NODES = 3;
  private static final int FILES = 24;
  private static final int REPLICATION = 2;
  private static final int BLOCK_BYTES = 1 << 20;
  private static final long LITTLE_ROOM = 8 * BLOCK_BYTES;
  private static final long MUCH_ROOM = 80 * BLOCK_BYTES;
  private static final long NIC_BYTES_PER_SEC = 2 << 20;
  private static final double ALPHA = 0.75;
  private static final double FLOOR = 0.04;

  private DayuCluster cluster;
  private long recoveredBefore;
  private long handedBefore;

  /** Remembers the most and the least that plans might use of a node. */
  private static final class Watcher implements TimeslotScheduler {
    static volatile long minBytesPerSec;
    static volatile long maxBytesPerSec;

    private final TimeslotScheduler real = new DayuScheduler();

    static void reset() {
      minBytesPerSec = Long.MAX_VALUE;
      maxBytesPerSec = 0;
    }

    @Override
    public String name() {
      return "watched";
    }

    @Override
    public TimeslotPlan plan(ClusterSnapshot snapshot) {
      for (long[] limits : List.of(snapshot.nodes().recoverInBytesPerSec(), snapshot.nodes().recoverOutBytesPerSec())) {
        minBytesPerSec = Math.min(minBytesPerSec, Arrays.stream(limits).min().orElse(Long.MAX_VALUE));
        maxBytesPerSec = Math.max(maxBytesPerSec, Arrays.stream(limits).max().orElse(0));
      }
      return real.plan(snapshot);
    }
  }

  /** The plugin with the scheduler that remembers. */
  public static final class WatchedPlugin extends RuntimePlugin {
    public WatchedPlugin() {
      super(new NameNodeRuntime(new Watcher(), BlockManagerAccess::required));
    }
  }

  private void start(ClusterBuilder builder) throws Exception {
    cluster = builder.dataNodes(NODES).blockSizeBytes(BLOCK_BYTES).emulatedNics(NIC_BYTES_PER_SEC)
        .conf(DFSConfigKeys.DFS_NAMENODE_PLUGINS_KEY, WatchedPlugin.class.getName()).start();
    StatusProbe.awaitDayu(NODES);
    cluster.nics().forEach(EmulatedNic::unlimit);
    for (int file = 0; file < FILES; file++) {
      cluster.write("/data/f" + file, BLOCK_BYTES, REPLICATION);
    }
    StatusProbe.awaitSettled(cluster);
    recoveredBefore = StatusProbe.status().getRecoveredBytes();
    handedBefore = StatusProbe.status().getTotalHandedToStock();
    Watcher.reset();
  }

  @AfterEach
  void close() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  private static FutureTask<Integer> begin(Callable<Integer> tool) {
    FutureTask<Integer> exitCode = new FutureTask<>(() -> {
      try {
        return tool.call();
      } finally {
        // The tools begin to use the metrics system, and their process would end now.
        DefaultMetricsSystem.shutdown();
      }
    });
    new Thread(exitCode, "tool").start();
    return exitCode;
  }

  /** Returns the bytes that it held. */
  private long kill(int node) {
    cluster.stop(node);
    long bytes = cluster.blocksOn(node).stream().mapToLong(BlockInfo::getNumBytes).sum();
    cluster.declareDead(node);
    return bytes;
  }

  private void assertRecovered(FutureTask<Integer> tool, long movedBefore, long lostBytes) throws Exception {
    assertEquals(0, tool.get(LIMIT.toSeconds(), TimeUnit.SECONDS), "exit code");
    cluster.nics().forEach(EmulatedNic::unlimit);
    // The Balancer and the Mover keep a file open, so that no second one runs.
    new ClusterVerifier(cluster).afterBrokenPipelines().assertRecovers(LIMIT);
    StatusProbe.await("the end of all transfers", () -> StatusProbe.status().getRunningTransfers() == 0);
    long recoveredBytes = StatusProbe.status().getRecoveredBytes() - recoveredBefore;
    // Stock gets a block whose targets receive it from the tool as well, each time that it is planned.
    long leftToStockBytes = (StatusProbe.status().getTotalHandedToStock() - handedBefore) * BLOCK_BYTES;
    String work = String.format(
        "%d bytes moved and recovered, %d of them lost, %d recovered by Dayu, at most %d by stock; "
            + "plans used %d to %d bytes/s of a node",
        movedBytes() - movedBefore, lostBytes, recoveredBytes, leftToStockBytes, Watcher.minBytesPerSec,
        Watcher.maxBytesPerSec);
    System.out.println(work);
    // A move that was under way when the node died leaves a replica that need not be copied.
    assertTrue(recoveredBytes <= lostBytes && recoveredBytes + leftToStockBytes >= lostBytes * 3 / 4, work);
    assertTrue(Watcher.maxBytesPerSec <= ALPHA * NIC_BYTES_PER_SEC, () -> "alpha: " + Watcher.maxBytesPerSec);
    assertTrue(Watcher.minBytesPerSec >= FLOOR * NIC_BYTES_PER_SEC * 0.99,
        () -> "the floor: " + Watcher.minBytesPerSec);
  }

  private long movedBytes() {
    return cluster.nics().stream().mapToLong(nic -> nic.counters().bytes(Direction.IN, Traffic.RECOVERY)).sum();
  }

  @Test
  void balancer_isForeground_andBothEnd() throws Exception {
    start(FaultsIT.builder().conf(DFSConfigKeys.DFS_BALANCER_GETBLOCKS_MIN_BLOCK_SIZE_KEY, "1")
        .conf(DFSConfigKeys.DFS_BALANCER_MOVEDWINWIDTH_KEY, "2000")
        .conf(DFSConfigKeys.DFS_BALANCER_MAX_NO_MOVE_INTERVAL_KEY, "5000"));
    for (int node = 0; node < NODES; node++) {
      cluster.volumes().fill(node, 0, node < FULL_NODES ? LITTLE_ROOM : MUCH_ROOM);
    }
    Await.until("capacities are known", LIMIT, () -> IntStream.range(0, NODES)
        .allMatch(node -> cluster.descriptor(node).getRemaining() <= MUCH_ROOM));
    cluster.nics().forEach(nic -> nic.limitTo(NIC_BYTES_PER_SEC));
    long movedBefore = movedBytes();
    FutureTask<Integer> balancer = begin(() -> BalancerAccess.run(cluster.conf(), "-threshold", "20"));
    Await.until("the Balancer moves", LIMIT, () -> movedBytes() - movedBefore > 2 * BLOCK_BYTES);
    long lostBytes = kill(NODES - 1);
    assertRecovered(balancer, movedBefore, lostBytes);
    assertTrue(Watcher.minBytesPerSec < 0.6 * ALPHA * NIC_BYTES_PER_SEC,
        () -> "what the Balancer moves is foreground: " + Watcher.minBytesPerSec);
  }

  /** The Mover moves most replicas from one volume of a node to another, so plans have next to nothing to yield to. */
  @Test
  void mover_andRecoveryBothEnd() throws Exception {
    start(FaultsIT.builder().storageTypes(StorageType.DISK, StorageType.ARCHIVE));
    cluster.nics().forEach(nic -> nic.limitTo(NIC_BYTES_PER_SEC));
    cluster.fileSystem().setStoragePolicy(new Path("/data"), "COLD");
    long movedBefore = movedBytes();
    FutureTask<Integer> mover =
        begin(() -> ToolRunner.run(cluster.conf(), new Mover.Cli(), new String[] {"-p", "/data"}));
    Await.until("the Mover moves", LIMIT, () -> replicasOn(StorageType.ARCHIVE) > 2);
    long lostBytes = kill(NODES - 1);
    assertRecovered(mover, movedBefore, lostBytes);
    assertEquals(FILES * REPLICATION, replicasOn(StorageType.ARCHIVE));
  }

  private long replicasOn(StorageType type) throws Exception {
    long replicas = 0;
    for (String path : cluster.files().lengthsBytes().keySet()) {
      for (LocatedBlock block : cluster.blocksOf(path)) {
        replicas += Arrays.stream(block.getStorageTypes()).filter(type::equals).count();
      }
    }
    return replicas;
  }
}
