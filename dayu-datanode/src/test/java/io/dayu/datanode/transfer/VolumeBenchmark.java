/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import com.sun.nio.file.ExtendedOpenOption;
import io.dayu.datanode.TestNumber;
import io.dayu.protocol.DayuProtos.GrantProto;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.StartupOption;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.apache.hadoop.io.nativeio.NativeIO;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * How long short-circuit reads from a rotating disk take while recovery reads from it, or writes to it, and how much
 * recovery gets. Clients read past the page cache, at moments that the seed draws, whether earlier reads have ended or
 * not. Needs a directory on such a disk that nothing else uses, such as one of {@link SlowDisk}, and one in memory. Not
 * run by {@code mvn verify}:
 *
 * <pre>
 * mvn verify -pl dayu-datanode -DskipUTs=true -Dit.test=VolumeBenchmark -Dfailsafe.failIfNoSpecifiedTests=false \
 *   -Dit.jvm.args="-Dbenchmark.disk=/mnt/slow -Dbenchmark.memory=/dev/shm/benchmark"
 * </pre>
 */
class VolumeBenchmark {
  /** What happens on the disk. */
  private enum Mode {
    CLIENTS(true, false, false), RECOVERY(false, true, false), BOTH(true, true, false),
    SHAPED_RECOVERY(false, true, true), BOTH_SHAPED(true, true, true);

    private final boolean clients;
    private final boolean recovery;
    private final boolean shaped;

    Mode(boolean clients, boolean recovery, boolean shaped) {
      this.clients = clients;
      this.recovery = recovery;
      this.shaped = shaped;
    }
  }

  private static final long SEED = TestNumber.seed("benchmark.seed", 20261128);
  private static final boolean SOURCE = System.getProperty("benchmark.role", "source").equals("source");
  private static final List<Mode> MODES = Arrays.stream(System.getProperty("benchmark.modes",
      "CLIENTS,RECOVERY,BOTH,SHAPED_RECOVERY,BOTH_SHAPED").split(",")).map(Mode::valueOf).toList();
  private static final int SECONDS = TestNumber.count("benchmark.seconds", 20, 1);
  /** What clients read. */
  private static final int CLIENT_FILES = 20;
  /** More than recovery copies in a mode. */
  private static final int FILES = TestNumber.count("benchmark.files", 100, 1);
  private static final int BLOCK_BYTES = 16 << 20;
  private static final long MAX_BLOCK_BYTES = 64 << 20;
  private static final int READ_BYTES = 1 << 20;
  private static final double READS_PER_SEC = Double.parseDouble(System.getProperty("benchmark.reads", "20"));
  private static final int TRANSFERS = TestNumber.count("benchmark.transfers", 16, 1);
  private static final int ALIGNMENT = 4096;
  private static final int SECTOR_BYTES = 512;
  /** Where Linux counts them in a disk's {@code stat}. */
  private static final int SECTORS_WRITTEN = 6;
  private static final long NO_LIMIT_BYTES_PER_SEC = 1L << 40;
  /** In which recovery starts its transfers. */
  private static final long WARMUP_MS = 3_000;

  private final java.nio.file.Path disk = java.nio.file.Path.of(System.getProperty("benchmark.disk"));
  private final java.nio.file.Path memory = java.nio.file.Path.of(System.getProperty("benchmark.memory"));
  private final MiniDFSCluster cluster;
  private final DataNode source;
  private final DataNode target;
  private final List<java.nio.file.Path> read = new ArrayList<>();
  private int written;

  VolumeBenchmark() throws IOException {
    Configuration conf = new HdfsConfiguration();
    conf.setInt(DFSConfigKeys.DFS_NAMENODE_REDUNDANCY_INTERVAL_SECONDS_KEY, 3_600);
    cluster = new MiniDFSCluster.Builder(conf).numDataNodes(0).build();
    source = start(conf, SOURCE ? disk : memory);
    target = start(conf, SOURCE ? memory : disk);
    cluster.waitActive();
  }

  private DataNode start(Configuration base, java.nio.file.Path directory) throws IOException {
    Configuration conf = new HdfsConfiguration(base);
    conf.set(DFSConfigKeys.DFS_DATANODE_DATA_DIR_KEY, Files.createTempDirectory(directory, "data").toString());
    cluster.startDataNodes(conf, 1, false, StartupOption.REGULAR, null);
    return cluster.getDataNodes().get(cluster.getDataNodes().size() - 1);
  }

  @AfterEach
  void stop() {
    cluster.shutdown(true);
  }

  @Test
  void latencyOfLocalReads() throws Exception {
    System.out.println("seed " + SEED + "; recovery " + (SOURCE ? "reads from" : "writes to") + " the disk; "
        + (NativeIO.POSIX.isAvailable() ? "with" : "without") + " Hadoop's native library");
    DataNode onDisk = SOURCE ? source : target;
    for (ExtendedBlock block : write(CLIENT_FILES, onDisk)) {
      read.add(file(block, onDisk));
    }
    for (Mode mode : MODES) {
      int first = written;
      List<ExtendedBlock> blocks = write(mode.recovery ? FILES : 0, source);
      forget(blocks);
      run(mode, blocks);
      for (int file = first; file < written; file++) {
        assertTrue(cluster.getFileSystem().delete(path(file), false));
      }
    }
  }

  private void run(Mode mode, List<ExtendedBlock> blocks) throws Exception {
    DataNodeAccess from = new DataNodeAccess(source);
    NodeShaper network = new NodeShaper(PullCluster.settings(), 0, NO_LIMIT_BYTES_PER_SEC);
    from.setReadThrottler(new RecoveryReadThrottler(network, null, new ServedReads(),
        new StockReconstructions(network),
        volumes(mode, from), () -> {}));
    DataNodeAccess to = new DataNodeAccess(target);
    String pool = cluster.getNamesystem().getBlockPoolId();
    try (TransferService service =
        new TransferService(to, () -> TRANSFERS, network, volumes(mode, to), 64 << 20, () -> {}).start()) {
      List<GrantProto> grants =
          blocks.stream().map(block -> PullCluster.grant(block, source, NO_LIMIT_BYTES_PER_SEC)).toList();
      service.granted().apply(pool, grants, System.nanoTime());
      Thread.sleep(mode.recovery ? WARMUP_MS : 0);
      long receivedBytes = service.receivedBytes();
      long diskBytes = diskBytes();
      long beganNs = System.nanoTime();
      double[] ms = clients(mode.clients ? READS_PER_SEC : 0);
      double seconds = (System.nanoTime() - beganNs) / 1e9;
      double mbPerSec = (service.receivedBytes() - receivedBytes) / 1e6 / seconds;
      double diskMbPerSec = (diskBytes() - diskBytes) / 1e6 / seconds;
      System.out.println(String.format(Locale.ROOT,
          "%-15s %4d reads: p50 %.1f, p90 %.1f, p99 %.1f ms; recovery %.1f MB/s in %.1f s; the disk has written %.1f "
              + "MB/s",
          mode, ms.length, at(ms, .5), at(ms, .9), at(ms, .99), mbPerSec, seconds, diskMbPerSec));
      boolean bounded = mode.recovery && (SOURCE || mode.shaped && NativeIO.POSIX.isAvailable());
      assertFalse(bounded && service.granted().status(pool).running().isEmpty(), "too few files");
    }
  }

  private static VolumeShapers volumes(Mode mode, DataNodeAccess node) throws IOException {
    return mode.shaped ? new VolumeShapers(node, PullCluster.settings()) : VolumeShapers.none();
  }

  /** What the disk has written since it is there. */
  private long diskBytes() throws IOException {
    long device = (long) Files.getAttribute(disk, "unix:dev");
    String counters =
        Files.readString(java.nio.file.Path.of("/sys/dev/block", (device >> 8) + ":" + (device & 0xff), "stat"));
    return SECTOR_BYTES * Long.parseLong(counters.strip().split("\\s+")[SECTORS_WRITTEN]);
  }

  private static double at(double[] sorted, double share) {
    return sorted.length == 0 ? 0 : sorted[(int) (share * sorted.length)];
  }

  /** Returns how long each read took, in order; sleeps for as long if there are none. */
  private double[] clients(double perSec) throws Exception {
    Random random = new Random(SEED);
    ExecutorService threads = Executors.newCachedThreadPool();
    List<Future<Double>> reads = new ArrayList<>();
    long beganNs = System.nanoTime();
    double atSec = wait(random, perSec);
    while (atSec < SECONDS) {
      java.nio.file.Path file = read.get(random.nextInt(read.size()));
      long offset = (long) random.nextInt((BLOCK_BYTES - READ_BYTES) / ALIGNMENT) * ALIGNMENT;
      long dueNs = beganNs + (long) (atSec * 1e9);
      TimeUnit.NANOSECONDS.sleep(dueNs - System.nanoTime());
      reads.add(threads.submit(() -> {
        readPastCache(file, offset);
        return (System.nanoTime() - dueNs) / 1e6;
      }));
      atSec += wait(random, perSec);
    }
    TimeUnit.NANOSECONDS.sleep(beganNs + TimeUnit.SECONDS.toNanos(SECONDS) - System.nanoTime());
    double[] ms = new double[reads.size()];
    for (int i = 0; i < ms.length; i++) {
      ms[i] = reads.get(i).get();
    }
    threads.shutdown();
    Arrays.sort(ms);
    return ms;
  }

  private static double wait(Random random, double perSec) {
    return -Math.log(1 - random.nextDouble()) / perSec;
  }

  private static void readPastCache(java.nio.file.Path file, long offset) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(READ_BYTES + ALIGNMENT).alignedSlice(ALIGNMENT).limit(READ_BYTES);
    try (FileChannel in = FileChannel.open(file, StandardOpenOption.READ, ExtendedOpenOption.DIRECT)) {
      assertEquals(READ_BYTES, in.read(buffer, offset));
    }
  }

  private static Path path(int file) {
    return new Path("/f" + file);
  }

  private List<ExtendedBlock> write(int files, DataNode node) throws Exception {
    byte[] content = new byte[BLOCK_BYTES];
    InetSocketAddress[] there = {node.getXferAddress()};
    List<ExtendedBlock> blocks = new ArrayList<>();
    for (int i = 0; i < files; i++) {
      Path path = path(written++);
      new Random(SEED + written).nextBytes(content);
      try (FSDataOutputStream out = cluster.getFileSystem().create(path, FsPermission.getFileDefault(), true, ALIGNMENT,
          (short) 1, MAX_BLOCK_BYTES, null, there)) {
        out.write(content);
      }
      // The copy that recovery makes is none too many.
      cluster.getFileSystem().setReplication(path, (short) 2);
      ExtendedBlock block = DFSTestUtil.getFirstBlock(cluster.getFileSystem(), path);
      assertTrue(node.getFSDataset().contains(block), "HDFS has put a file elsewhere");
      blocks.add(block);
    }
    return blocks;
  }

  private static java.nio.file.Path file(ExtendedBlock block, DataNode node) throws IOException {
    return java.nio.file.Path.of(node.getFSDataset().getBlockLocalPathInfo(new ExtendedBlock(block)).getBlockPath());
  }

  /** Has everything written, and drops these blocks from the page cache. */
  private void forget(List<ExtendedBlock> blocks) throws Exception {
    run("sync", "-f", disk.toString());
    for (ExtendedBlock block : blocks) {
      run("dd", "of=" + file(block, source), "oflag=nocache", "conv=notrunc,fdatasync", "count=0", "status=none");
    }
  }

  private static void run(String... command) throws Exception {
    assertEquals(0, new ProcessBuilder(command).inheritIO().start().waitFor(), command[0]);
  }
}
