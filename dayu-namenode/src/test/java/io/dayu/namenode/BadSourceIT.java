/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.harness.Await;
import io.dayu.harness.ClusterVerifier;
import io.dayu.harness.DayuCluster;
import org.apache.hadoop.hdfs.protocol.BlockLocalPathInfo;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Sources whose replica is not what the NameNode believes, as in Hadoop's own
 * {@code TestReplication.testBadBlockReportOnTransfer…}: the NameNode hears of it, as from stock's sender, and the
 * block reaches its replication from another holder.
 */
@TestMethodOrder(OrderAnnotation.class)
final class BadSourceIT {
  private static final int NODES = 4;
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int BLOCK_BYTES = 1 << 20;

  private static DayuCluster cluster;

  /** What is done to a replica behind the DataNode's back. */
  private enum Damage {
    BLOCK_FILE_MISSING, TRUNCATED, META_FILE_MISSING, META_FILE_TRUNCATED, CORRUPT, UNREADABLE;

    void inflict(DataNode holder, ExtendedBlock block) throws Exception {
      BlockLocalPathInfo files = holder.getFSDataset().getBlockLocalPathInfo(new ExtendedBlock(block));
      Path data = Path.of(files.getBlockPath());
      Path meta = Path.of(files.getMetaPath());
      switch (this) {
        case BLOCK_FILE_MISSING -> Files.delete(data);
        case TRUNCATED -> truncate(data, BLOCK_BYTES / 2);
        case META_FILE_MISSING -> Files.delete(meta);
        case META_FILE_TRUNCATED -> truncate(meta, 3);
        case CORRUPT -> {
          byte[] content = Files.readAllBytes(data);
          content[BLOCK_BYTES / 2] ^= 1;
          Files.write(data, content);
        }
        case UNREADABLE -> failReads(holder, block);
      }
    }

    private static void truncate(Path file, long bytes) throws IOException {
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        channel.truncate(bytes);
      }
    }
  }

  /** From now on the disk opens the replica's block file, but cannot read it. */
  private static void failReads(DataNode holder, ExtendedBlock block) throws ReflectiveOperationException {
    FsDatasetSpi<?> dataset = holder.getFSDataset();
    Object failing = Proxy.newProxyInstance(FsDatasetSpi.class.getClassLoader(), new Class<?>[] {FsDatasetSpi.class},
        (proxy, method, arguments) -> {
          try {
            Object result = method.invoke(dataset, arguments);
            return result instanceof InputStream data && method.getName().equals("getBlockInputStream")
                && arguments[0].equals(block) ? new UnreadableStream(data) : result;
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
        });
    Field field = DataNode.class.getDeclaredField("data");
    field.setAccessible(true);
    field.set(holder, failing);
  }

  /** A file on a bad sector. */
  private static final class UnreadableStream extends FilterInputStream {
    private UnreadableStream(InputStream file) {
      super(file);
    }

    @Override
    public int read() throws IOException {
      throw new IOException("Input/output error");
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
      throw new IOException("Input/output error");
    }
  }

  @BeforeAll
  static void start() throws Exception {
    // Of two sources with nothing else to do, the one with the lesser UUID is chosen: that is the one to damage.
    cluster = FaultsIT.builder().dataNodes(NODES).racks(2).blockSizeBytes(BLOCK_BYTES)
        .conf("dayu.scheduler.underemployed-ratio", "0").start();
    StatusProbe.awaitDayu(NODES);
  }

  @AfterAll
  static void close() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  private static int damage(String path, Damage damage) throws Exception {
    int node = holderToDamage(path);
    damage.inflict(cluster.dataNode(node), cluster.blocksOf(path).get(0).getBlock());
    return node;
  }

  private static int holderToDamage(String path) throws Exception {
    return cluster.nodeOf(Arrays.stream(cluster.blocksOf(path).get(0).getLocations())
        .map(DatanodeInfo::getDatanodeUuid).min(Comparator.naturalOrder()).orElseThrow());
  }

  /** Has a block copied from this node, so that what failed from there before does not count any more. */
  private static void serveWell(int node, String path) throws Exception {
    cluster.files().write(cluster.fileSystem(), path, BLOCK_BYTES, 1, cluster.dataNode(node).getXferAddress());
    cluster.setReplication(path, 2);
    new ClusterVerifier(cluster).awaitSettled(LIMIT);
    Await.until("two good replicas", LIMIT, () -> cluster.blocksOf(path).get(0).getLocations().length == 2,
        StatusProbe::describe);
    cluster.delete(path);
    new ClusterVerifier(cluster).awaitSettled(LIMIT);
  }

  private static boolean hasGoodReplicas(int replication) throws Exception {
    ClusterVerifier.Verdict verdict = new ClusterVerifier(cluster).verify(LIMIT);
    return verdict.problems().isEmpty() && verdict.replicas() == replication * verdict.filesRead();
  }

  @ParameterizedTest
  @EnumSource
  @Order(1)
  void badSource_blockIsCopiedFromTheOtherHolder(Damage damage) throws Exception {
    String path = "/two-holders-" + damage;
    cluster.write(path, BLOCK_BYTES, 2);
    new ClusterVerifier(cluster).awaitSettled(LIMIT);
    LocatedBlock block = cluster.blocksOf(path).get(0);
    serveWell(holderToDamage(path), "/served-before-" + damage);
    int damaged = damage(path, damage);
    long handedBefore = StatusProbe.status().getTotalHandedToStock();
    try (TransferLog log = new TransferLog()) {
      cluster.setReplication(path, 3);
      // The copy from the other holder may be there before the NameNode has heard of the bad replica, which is then
      // replaced as well. The agent may go on from the other holder by itself.
      Await.until("three good replicas", LIMIT, () -> hasGoodReplicas(3), StatusProbe::describe);
      List<TransferLog.Pull> pulls = log.pullsOf(block.getBlock().getBlockId());
      assertEquals(damaged, cluster.nodeOf(pulls.get(0).source()), "the bad source is tried first");
    }
    assertEquals(handedBefore, StatusProbe.status().getTotalHandedToStock(), "stock HDFS has copied nothing");
  }

  /** Last: it has nodes avoided as sources for a while. */
  @ParameterizedTest
  @EnumSource
  @Order(2)
  void badSource_thatIsTheOnlyOneIsKnownToTheNameNode(Damage damage) throws Exception {
    String path = "/one-holder-" + damage;
    cluster.write(path, BLOCK_BYTES, 1);
    new ClusterVerifier(cluster).awaitSettled(LIMIT);
    damage(path, damage);
    cluster.setReplication(path, 2);
    try {
      Await.until("the NameNode knows that the block is corrupt", LIMIT,
          () -> cluster.blocksOf(path).get(0).isCorrupt(), StatusProbe::describe);
      assertEquals(1, cluster.blocksOf(path).get(0).getLocations().length, "the corrupt replica's node");
    } finally {
      cluster.delete(path);
      new ClusterVerifier(cluster).awaitSettled(LIMIT);
    }
  }
}
