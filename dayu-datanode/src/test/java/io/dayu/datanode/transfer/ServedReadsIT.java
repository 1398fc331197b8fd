/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.conf.BadSettingException;
import io.dayu.conf.Settings;
import io.dayu.datanode.transfer.PullCluster.Placed;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.SourceProto;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.apache.hadoop.hdfs.util.DataTransferThrottler;
import org.apache.hadoop.test.MetricsAsserts;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What a source does with those who read from it, on real DataNodes. */
class ServedReadsIT {
  private static final long SEED = 20261124;
  private static final int BYTES = 2_000_000;
  private static final long LINK = 1_000_000;
  private static final Duration SOON = Duration.ofSeconds(60);

  private final ServedReads served = new ServedReads();
  private PullCluster hdfs;
  private Placed file;
  private NodeShaper slowLink;

  @BeforeEach
  void startCluster() throws Exception {
    System.out.println("seed " + SEED);
    Configuration conf = new Configuration();
    conf.setBoolean(HdfsClientConfigKeys.Read.ShortCircuit.KEY, false);
    hdfs = new PullCluster(conf, SEED);
    file = hdfs.write("served", BYTES);
    slowLink = new NodeShaper(settings(), 0, LINK);
    for (DataNode holder : file.holders()) {
      DataNodeAccess node = new DataNodeAccess(holder);
      node.setReadThrottler(new RecoveryReadThrottler(slowLink, node.readThrottler(), served,
          new StockReconstructions(slowLink), new VolumeShapers(node, settings()), node::countReplicatedBlock));
    }
  }

  private static Settings settings() throws BadSettingException {
    return Settings.read(new Configuration(false));
  }

  @AfterEach
  void stopCluster() throws Exception {
    try {
      ResourceLeaks.assertNone(hdfs.cluster.getDataNodes());
    } finally {
      hdfs.close();
    }
  }

  @Test
  void recovery_isCountedAndKeptToTheSourcesLink() throws Exception {
    try (TransferService service =
        new TransferService(new DataNodeAccess(file.target()), () -> 4, PullCluster.shaper(), VolumeShapers.none(),
            PullCluster.REBUILD_BYTES,
            () -> {}).start()) {
      GrantProto grant = PullCluster.grant(file.block(), file.first(), 1L << 30);
      String pool = file.block().getBlockPoolId();
      long beganNs = System.nanoTime();
      service.granted().apply(pool, List.of(grant), beganNs);
      Set<String> activePools = new HashSet<>();
      Poll.until("the transfer has ended", SOON, () -> {
        activePools.addAll(served.activePools(System.nanoTime()));
        return !service.granted().status(pool).finished().isEmpty();
      }, () -> service.granted().status(pool));
      double seconds = (System.nanoTime() - beganNs) / 1e9;
      assertEquals(Outcome.DONE, service.granted().status(pool).finished().get(0).getOutcome());
      double maxBytes = 0.9 * LINK * seconds + 256 * 1024;
      assertTrue(BYTES < maxBytes, BYTES + " bytes in " + seconds + " s");
      Poll.until("the source has counted the block", SOON, () -> replicatedBlocks(file.first()) == 1,
          () -> replicatedBlocks(file.first()));
      assertTrue(served.bytes() >= BYTES && served.bytes() < 1.02 * BYTES, "with checksums: " + served.bytes());
      assertEquals(Set.of(pool), activePools);
      assertEquals(Set.of(), served.activePools(System.nanoTime() + TimeUnit.SECONDS.toNanos(6)));
      PullCluster.assertSameFiles(file.block(), file.first(), file.target());
    }
  }

  @Test
  void transferAtTheHighestRisk_isKnownToItsSource() throws Exception {
    try (TransferService service =
        new TransferService(new DataNodeAccess(file.target()), () -> 4, PullCluster.shaper(), VolumeShapers.none(),
            PullCluster.REBUILD_BYTES,
            () -> {}).start()) {
      GrantProto grant =
          PullCluster.grant(file.block(), file.first(), 1L << 30).toBuilder().setHighestRisk(true).build();
      String pool = file.block().getBlockPoolId();
      service.granted().apply(pool, List.of(grant), System.nanoTime());
      Poll.until("the source sends before others", SOON,
          () -> Thread.getAllStackTraces().keySet().stream()
              .anyMatch(thread -> RecoveryReadThrottler.isAtHighestRisk(thread.getName())),
          () -> service.granted().status(pool));
      Poll.until("the transfer has ended", SOON, () -> !service.granted().status(pool).finished().isEmpty(),
          () -> service.granted().status(pool));
      assertEquals(Outcome.DONE, service.granted().status(pool).finished().get(0).getOutcome());
      // The source counts a packet when it has sent it, and the target does not wait for that.
      Poll.until("it is counted as recovery", SOON, () -> served.bytes() >= BYTES, served::bytes);
    }
  }

  @Test
  void completeReplica_isFinal_beforeItsSourceMayEndTheRead() throws Exception {
    // The source's link has no room for minutes to come, so the packet that ends a read of one packet does not come.
    NodeShaper fullLink = new NodeShaper(settings(), 0, 1_000);
    fullLink.out().acquire(new FairQueue.Flow(), Integer.MAX_VALUE, () -> false);
    Placed small = hdfs.write("one-packet", 16_000);
    for (DataNode holder : small.holders()) {
      DataNodeAccess node = new DataNodeAccess(holder);
      node.setReadThrottler(new RecoveryReadThrottler(fullLink, null, served,
          new StockReconstructions(fullLink), VolumeShapers.none(), node::countReplicatedBlock));
    }
    try (TransferService service =
        new TransferService(new DataNodeAccess(small.target()), () -> 4, PullCluster.shaper(), VolumeShapers.none(),
            PullCluster.REBUILD_BYTES, () -> {}).start()) {
      String pool = small.block().getBlockPoolId();
      long beganNs = System.nanoTime();
      service.granted().apply(pool, List.of(PullCluster.grant(small.block(), small.first(), 1L << 30)), beganNs);
      Poll.until("the transfer has ended", SOON, () -> !service.granted().status(pool).finished().isEmpty(),
          () -> service.granted().status(pool));
      assertEquals(Outcome.DONE, service.granted().status(pool).finished().get(0).getOutcome());
      assertTrue(System.nanoTime() - beganNs < TimeUnit.SECONDS.toNanos(9), "it has not waited for the source");
      PullCluster.assertSameFiles(small.block(), small.first(), small.target());
    } finally {
      Thread.getAllStackTraces().keySet().stream()
          .filter(thread -> thread.getName().startsWith("DataXceiver for client " + SourceStream.CLIENT_NAME))
          .forEach(Thread::interrupt);
    }
  }

  @Test
  void clients_areNeitherCountedNorHeldUp() throws Exception {
    // Recovery has the link for itself for hours to come.
    slowLink.out().acquire(new FairQueue.Flow(), Integer.MAX_VALUE, () -> false);
    assertEquals(BYTES, hdfs.read(file.path()).length);
    assertEquals(0, served.bytes());
    assertEquals(Set.of(), served.activePools(System.nanoTime()));
    for (DataNode holder : file.holders()) {
      assertEquals(0, replicatedBlocks(holder));
    }
  }

  /** HDFS's own metric of the blocks that a DataNode has sent to others. */
  private static long replicatedBlocks(DataNode source) {
    return MetricsAsserts.getLongCounter("BlocksReplicated", MetricsAsserts.getMetrics(source.getMetrics().name()));
  }

  @Test
  void probe_isNoReplicatedBlock() throws Exception {
    SourceProto source = PullCluster.grant(file.block(), file.first(), 1).getSource();
    try (SourceStream stream =
        new SourceStream(new DataNodeAccess(file.target()), source, file.block(), new ReceiveBuffer(LINK), 1, null,
            false)) {
      stream.probe();
    }
    assertEquals(0, replicatedBlocks(file.first()));
  }

  @Test
  void adminsOwnLimit_staysAndComesBack() throws Exception {
    DataNode holder = file.first();
    DataNodeAccess node = new DataNodeAccess(holder);
    String admins = String.valueOf(100L << 20);
    holder.reconfigurePropertyImpl("dfs.datanode.data.read.bandwidthPerSec", admins);
    DataTransferThrottler own = node.readThrottler();
    RecoveryReadThrottler ours =
        new RecoveryReadThrottler(slowLink, own, served, new StockReconstructions(slowLink), VolumeShapers.none(),
            () -> {});
    node.setReadThrottler(ours);
    assertEquals(own.getBandwidth(), ours.getBandwidth());
    RecoveryReadThrottler.remove(node);
    assertSame(own, node.readThrottler());
  }
}
