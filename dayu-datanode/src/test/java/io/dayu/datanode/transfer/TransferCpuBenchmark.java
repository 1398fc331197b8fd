/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * The CPU time that a copied block costs its two DataNodes: by the product's transfers, and by stock HDFS's
 * {@code DataNode.DataTransfer}, in turn. All daemons are in this process, so sender and receiver are counted, and the
 * NameNode's part: for stock HDFS that is to schedule the copies, too. What the idle process takes is taken off. Not
 * run by {@code mvn verify}:
 *
 * <pre>
 * mvn verify -pl dayu-datanode -DskipUTs=true -Dit.test=TransferCpuBenchmark -Dit.jvm.args= \
 *   -Dfailsafe.failIfNoSpecifiedTests=false
 * </pre>
 */
class TransferCpuBenchmark {
  private static final long SEED = 20261124;
  private static final int ROUNDS = 8;
  /** They warm up the JVM and are not counted. */
  private static final int WARMUP_ROUNDS = 3;
  private static final int FILES = 16;
  private static final int BLOCK_BYTES = 8 << 20;
  private static final double GB = 1e9;
  /** Far more than two processors can move. */
  private static final long NO_LIMIT_BYTES_PER_SEC = 1L << 40;
  /** Makes all packets wait. */
  private static final long FULL_LINK_BYTES_PER_SEC = 100_000_000;
  private static final Duration LIMIT = Duration.ofMinutes(2);

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
    double[] stock = new double[ROUNDS];
    double[] dayu = new double[ROUNDS];
    double[] dayuShaped = new double[ROUNDS];
    for (int round = -WARMUP_ROUNDS; round < ROUNDS; round++) {
      int row = Math.max(0, round);
      stock[row] = cpuSecondsOfAGb(this::copyAsStock);
      shapeSources(NO_LIMIT_BYTES_PER_SEC);
      dayu[row] = cpuSecondsOfAGb(files -> pull(files, unlimited));
      shapeSources(FULL_LINK_BYTES_PER_SEC);
      dayuShaped[row] = cpuSecondsOfAGb(files -> pull(files, shaped));
      System.out.printf(Locale.ROOT, "%s %d: stock %.2f, dayu %.2f, dayu on a full link %.2f CPU s for a GB%n",
          round < 0 ? "warm-up" : "round", round, stock[row], dayu[row], dayuShaped[row]);
    }
    System.out.printf(Locale.ROOT, "median: stock %.2f, dayu %.2f, dayu on a full link %.2f CPU s for a GB%n",
        median(stock), median(dayu), median(dayuShaped));
    System.out.printf(Locale.ROOT, "median ratio to stock of the same round: dayu %.2f, dayu on a full link %.2f%n",
        median(ratios(dayu, stock)), median(ratios(dayuShaped, stock)));
  }

  private static double[] ratios(double[] values, double[] base) {
    double[] ratios = new double[values.length];
    Arrays.setAll(ratios, i -> values[i] / base[i]);
    return ratios;
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return (sorted[sorted.length / 2] + sorted[(sorted.length - 1) / 2]) / 2;
  }

  /** By the target's DataNode. */
  private List<TransferService> services(long linkBytesPerSec) throws ReflectiveOperationException {
    List<TransferService> made = new ArrayList<>();
    for (DataNode node : hdfs.cluster.getDataNodes()) {
      NodeShaper shaper = new NodeShaper(PullCluster.settings(), 0, linkBytesPerSec);
      made.add(new TransferService(new DataNodeAccess(node), () -> FILES, shaper, 64 << 20, () -> {}).start());
    }
    services.addAll(made);
    return made;
  }

  private void shapeSources(long linkBytesPerSec) throws ReflectiveOperationException {
    for (DataNode node : hdfs.cluster.getDataNodes()) {
      DataNodeAccess access = new DataNodeAccess(node);
      NodeShaper shaper = new NodeShaper(PullCluster.settings(), 0, linkBytesPerSec);
      access.setReadThrottler(new RecoveryReadThrottler(shaper, null, new ServedReads(),
          new StockReconstructions(shaper), access::countReplicatedBlock));
    }
  }

  private double cpuSecondsOfAGb(Mode mode) throws Exception {
    List<Placed> files = new ArrayList<>();
    for (int i = 0; i < FILES; i++) {
      files.add(hdfs.write("f" + filesWritten++, BLOCK_BYTES));
    }
    double idleShare = idleShare();
    long cpuNs = cpuNs();
    long beganNs = System.nanoTime();
    mode.copy(files);
    double seconds = (System.nanoTime() - beganNs) / 1e9;
    double used = (cpuNs() - cpuNs) / 1e9 - idleShare * seconds;
    for (Placed file : files) {
      DFSTestUtil.waitReplication(hdfs.fs, file.path(), (short) 3);
      hdfs.fs.delete(file.path(), false);
    }
    awaitDeleted(files);
    return used / ((double) FILES * BLOCK_BYTES / GB);
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

  /** Processors that the process takes while it has nothing to do, measured over a second. */
  private static double idleShare() throws InterruptedException {
    long cpuNs = cpuNs();
    long beganNs = System.nanoTime();
    Thread.sleep(1_000);
    return (double) (cpuNs() - cpuNs) / (System.nanoTime() - beganNs);
  }

  private static long cpuNs() {
    return ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class).getProcessCpuTime();
  }

  private void copyAsStock(List<Placed> files) throws Exception {
    for (Placed file : files) {
      hdfs.fs.setReplication(file.path(), (short) 3);
    }
    BlockManager blocks = hdfs.cluster.getNamesystem().getBlockManager();
    BlockManagerTestUtil.getComputedDatanodeWork(blocks);
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

  /** Waits until each target has a finalized replica. */
  private static void awaitCopies(List<Placed> files) throws Exception {
    for (Placed file : files) {
      Poll.until("the replica of " + file.path(), LIMIT,
          () -> file.target().getFSDataset().isValidBlock(file.block()), file::path);
    }
  }
}
