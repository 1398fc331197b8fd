/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.datanode.TestNumber;
import io.dayu.datanode.transfer.PullCluster.Placed;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.GrantProto;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManager;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerTestUtil;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.apache.hadoop.hdfs.server.datanode.DataNodeTestUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * CPU time and speed of copied blocks: by the product's transfers, by stock HDFS's {@code DataNode.DataTransfer}, and
 * by plain sockets between files, in turn. All daemons are in this process, so sender and receiver are counted, and the
 * NameNode's part: for stock HDFS that is to schedule the copies, too. What the idle process takes is taken off. Not
 * run by {@code mvn verify}:
 *
 * <pre>
 * mvn verify -pl dayu-datanode -DskipUTs=true -Dit.test=TransferCpuBenchmark \
 *   -Dit.jvm.args="-Dbenchmark.block.mb=128 -Dbenchmark.blocks=4" -Dfailsafe.failIfNoSpecifiedTests=false
 * </pre>
 */
class TransferCpuBenchmark {
  private static final long SEED = 20261124;
  private static final int ROUNDS = TestNumber.count("benchmark.rounds", 8, 1);
  /** They warm up the JVM and are not counted. */
  private static final int WARMUP_ROUNDS = TestNumber.count("benchmark.warmups", 3, 0);
  private static final boolean FULL_LINK = Boolean.parseBoolean(System.getProperty("benchmark.full-link", "true"));
  /** Blocks of a round, all copied at once. */
  private static final int FILES = TestNumber.count("benchmark.blocks", 16, 1);
  private static final int BLOCK_BYTES = (int) TestNumber.number("benchmark.block.mb", 8, 1, 2_047) << 20;
  /** Far more than two processors can move. */
  private static final long NO_LIMIT_BYTES_PER_SEC = 1L << 40;
  /** Makes all packets wait. */
  private static final long FULL_LINK_BYTES_PER_SEC = 100_000_000;
  private static final int SOCKET_BUFFER_BYTES = 64 << 10;
  private static final Duration LIMIT = Duration.ofMinutes(5);

  private final PullCluster hdfs;
  private final List<TransferService> services = new ArrayList<>();
  private int filesWritten;

  /** Copies all files to where they have no replica. */
  private interface Mode {
    void copy(List<Placed> files) throws Exception;
  }

  TransferCpuBenchmark() throws IOException {
    Configuration conf = new Configuration();
    conf.setInt(DFSConfigKeys.DFS_NAMENODE_REPLICATION_MAX_STREAMS_KEY, 2 * FILES);
    conf.setInt(DFSConfigKeys.DFS_NAMENODE_REPLICATION_STREAMS_HARD_LIMIT_KEY, 2 * FILES);
    conf.setInt(DFSConfigKeys.DFS_NAMENODE_REPLICATION_WORK_MULTIPLIER_PER_ITERATION, 2 * FILES);
    hdfs = new PullCluster(conf, SEED);
  }

  @AfterEach
  void stop() {
    services.forEach(TransferService::close);
    hdfs.close();
  }

  @Test
  void cpuTimeOfACopiedBlock_besideStock() throws Exception {
    System.out.println("seed " + SEED);
    List<TransferService> unlimited = services(NO_LIMIT_BYTES_PER_SEC);
    List<TransferService> shaped = services(FULL_LINK_BYTES_PER_SEC);
    CpuCost stock = new CpuCost("stock", ROUNDS);
    CpuCost dayu = new CpuCost("dayu", ROUNDS);
    CpuCost dayuShaped = new CpuCost("dayu on a full link", ROUNDS);
    CpuCost sockets = new CpuCost("plain sockets", ROUNDS);
    List<CpuCost> all = FULL_LINK ? List.of(stock, dayu, dayuShaped, sockets) : List.of(stock, dayu, sockets);
    for (int round = -WARMUP_ROUNDS; round < ROUNDS; round++) {
      int row = Math.max(0, round);
      measure(stock, row, this::copyAsStock, 3);
      shapeSources(NO_LIMIT_BYTES_PER_SEC);
      measure(dayu, row, files -> pull(files, unlimited), 3);
      if (FULL_LINK) {
        shapeSources(FULL_LINK_BYTES_PER_SEC);
        measure(dayuShaped, row, files -> pull(files, shaped), 3);
      }
      measure(sockets, row, TransferCpuBenchmark::copyBySockets, 2);
      System.out.println((round < 0 ? "warm-up " : "round ") + round + ": "
          + all.stream().map(cost -> cost.round(row)).collect(Collectors.joining("; ")));
    }
    System.out.println(FILES + " blocks of " + (BLOCK_BYTES >> 20) + " MB at once, medians of " + ROUNDS + " rounds:");
    all.forEach(cost -> System.out.println(cost.medians(stock)));
  }

  /** By the target's DataNode. */
  private List<TransferService> services(long linkBytesPerSec) throws ReflectiveOperationException {
    List<TransferService> made = new ArrayList<>();
    for (DataNode node : hdfs.cluster.getDataNodes()) {
      NodeShaper shaper = new NodeShaper(PullCluster.settings(), 0, linkBytesPerSec);
      made.add(
          new TransferService(new DataNodeAccess(node), () -> FILES, shaper, VolumeShapers.none(), 64 << 20, () -> {})
              .start());
    }
    services.addAll(made);
    return made;
  }

  private void shapeSources(long linkBytesPerSec) throws ReflectiveOperationException {
    for (DataNode node : hdfs.cluster.getDataNodes()) {
      DataNodeAccess access = new DataNodeAccess(node);
      NodeShaper shaper = new NodeShaper(PullCluster.settings(), 0, linkBytesPerSec);
      access.setReadThrottler(new RecoveryReadThrottler(shaper, null, new ServedReads(),
          new StockReconstructions(shaper), VolumeShapers.none(), access::countReplicatedBlock));
    }
  }

  /** @param replicas that each file has afterwards */
  private void measure(CpuCost cost, int round, Mode mode, int replicas) throws Exception {
    List<Placed> files = new ArrayList<>();
    for (int i = 0; i < FILES; i++) {
      files.add(hdfs.write("f" + filesWritten++, BLOCK_BYTES));
    }
    cost.measure(round, (long) FILES * BLOCK_BYTES, () -> mode.copy(files));
    for (Placed file : files) {
      DFSTestUtil.waitReplication(hdfs.fs, file.path(), (short) replicas);
      hdfs.fs.delete(file.path(), false);
    }
    awaitDeleted(files);
  }

  /** Deletes the replicas now, so that the next round does not pay for it. */
  private void awaitDeleted(List<Placed> files) throws Exception {
    BlockManager blocks = hdfs.cluster.getNamesystem().getBlockManager();
    for (Placed file : files) {
      Poll.until("no replica of " + file.path(), LIMIT, () -> {
        BlockManagerTestUtil.computeInvalidationWork(blocks);
        return hdfs.cluster.getDataNodes().stream()
            .noneMatch(node -> node.getFSDataset().contains(file.block()));
      }, file::path);
    }
  }

  private void copyAsStock(List<Placed> files) throws Exception {
    for (Placed file : files) {
      hdfs.fs.setReplication(file.path(), (short) 3);
    }
    BlockManager blocks = hdfs.cluster.getNamesystem().getBlockManager();
    BlockManagerTestUtil.getComputedDatanodeWork(blocks);
    for (DataNode node : hdfs.cluster.getDataNodes()) {
      DataNodeTestUtils.triggerHeartbeat(node); // It takes the work at once, not a second later.
    }
    awaitCopies(files);
  }

  private void pull(List<Placed> files, List<TransferService> targets) throws Exception {
    String pool = hdfs.cluster.getNamesystem().getBlockPoolId();
    for (int node = 0; node < targets.size(); node++) {
      DataNode target = hdfs.cluster.getDataNodes().get(node);
      List<GrantProto> grants = new ArrayList<>();
      for (Placed file : files) {
        if (file.target() == target) {
          grants.add(PullCluster.grant(file.block(), file.first(), NO_LIMIT_BYTES_PER_SEC));
        }
      }
      targets.get(node).granted().apply(pool, grants, System.nanoTime());
    }
    awaitCopies(files);
    for (TransferService service : targets) {
      service.granted().status(pool).finished()
          .forEach(end -> assertEquals(Outcome.DONE, end.getOutcome(), end::toString));
      service.granted().acknowledge(pool,
          service.granted().status(pool).finished().stream().map(end -> end.getAttempt()).toList());
    }
  }

  /** From file to file over loopback, without checksums and without a thought for disks: what the machine can do. */
  private static void copyBySockets(List<Placed> files) throws Exception {
    ExecutorService threads = Executors.newCachedThreadPool();
    try (ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0))) {
      List<Future<Long>> copies = new ArrayList<>();
      for (Placed file : files) {
        Path from = Path.of(file.first().getFSDataset().getBlockLocalPathInfo(file.block()).getBlockPath());
        copies.add(threads.submit(() -> {
          try (FileChannel in = FileChannel.open(from);
              SocketChannel out = SocketChannel.open(server.getLocalAddress())) {
            long sent = 0;
            while (sent < in.size()) {
              sent += in.transferTo(sent, in.size() - sent, out);
            }
            return sent;
          }
        }));
        copies.add(threads.submit(() -> receive(server, from.resolveSibling("copy-of-" + from.getFileName()))));
      }
      for (Future<Long> copy : copies) {
        assertEquals(BLOCK_BYTES, copy.get());
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private static long receive(ServerSocketChannel server, Path to) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(SOCKET_BUFFER_BYTES);
    long received = 0;
    try (SocketChannel in = server.accept();
        FileChannel out = FileChannel.open(to, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      while (in.read(buffer) >= 0) {
        buffer.flip();
        while (buffer.hasRemaining()) {
          received += out.write(buffer);
        }
        buffer.clear();
      }
    } finally {
      Files.deleteIfExists(to);
    }
    return received;
  }

  /** Waits until each target has a finalized replica. */
  private static void awaitCopies(List<Placed> files) throws Exception {
    for (Placed file : files) {
      Poll.until("the replica of " + file.path(), LIMIT,
          () -> file.target().getFSDataset().isValidBlock(file.block()), file::path);
    }
  }
}
