/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.apache.hadoop.hdfs.util.DataTransferThrottler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Stock HDFS rebuilds an internal block of an erasure-coded group on real DataNodes whose agents shape it. */
class StockReconstructionsIT {
  private static final long SEED = 20261127;
  private static final String POLICY = "RS-3-2-1024k";
  private static final int DATA_UNITS = 3;
  private static final int UNITS = 5;
  private static final int INTERNAL_BYTES = 2 << 20;
  private static final long LINK_BYTES_PER_SEC = 4 << 20;
  private static final Duration SOON = Duration.ofSeconds(90);

  private final Map<DataNode, StockReconstructions> shaped = new HashMap<>();
  private final Map<DataNode, NodeShaper> shapers = new HashMap<>();
  private final byte[] content = new byte[DATA_UNITS * INTERNAL_BYTES];
  private final Path file = new Path("/coded/f");
  private MiniDFSCluster cluster;
  private DistributedFileSystem fs;
  private boolean dayuRecovers;

  @BeforeEach
  void startCluster() throws Exception {
    System.out.println("seed " + SEED);
    new Random(SEED).nextBytes(content);
    Configuration conf = new HdfsConfiguration();
    conf.setInt(DFSConfigKeys.DFS_HEARTBEAT_INTERVAL_KEY, 1);
    conf.setInt(DFSConfigKeys.DFS_NAMENODE_REDUNDANCY_INTERVAL_SECONDS_KEY, 1);
    cluster = new MiniDFSCluster.Builder(conf).numDataNodes(UNITS + 2).build();
    cluster.waitActive();
    fs = cluster.getFileSystem();
    fs.enableErasureCodingPolicy(POLICY);
    fs.mkdirs(file.getParent());
    fs.setErasureCodingPolicy(file.getParent(), POLICY);
    try (FSDataOutputStream out = fs.create(file)) {
      out.write(content);
    }
    // The file is closed when three of the five are reported.
    Poll.until("all internal blocks are known", SOON, () -> holders().length == UNITS,
        this::holderNames);
    for (DataNode node : cluster.getDataNodes()) {
      NodeShaper shaper = new NodeShaper(PullCluster.settings(), 0, LINK_BYTES_PER_SEC);
      StockReconstructions reconstructions = new StockReconstructions(shaper);
      shapers.put(node, shaper);
      shaped.put(node, reconstructions);
      DataNodeAccess access = new DataNodeAccess(node);
      RecoveryReadThrottler.install(access, shaper, new ServedReads(), reconstructions, VolumeShapers.none());
      ReconstructionReadThrottler.install(access, reconstructions);
      ReconstructionWriteThrottler.install(access, reconstructions);
    }
  }

  @AfterEach
  void stopCluster() {
    cluster.shutdown();
  }

  private DatanodeInfo[] holders() throws IOException {
    return fs.getClient().getLocatedBlocks(file.toUri().getPath(), 0).get(0).getLocations();
  }

  private String holderNames() {
    try {
      return Arrays.toString(holders());
    } catch (IOException e) {
      return e.toString();
    }
  }

  private void letDayuRecover() {
    dayuRecovers = true;
    renew();
  }

  /** Says again that Dayu recovers, if it does, as agents do whenever they hear from the NameNode. */
  private void renew() {
    if (dayuRecovers) {
      shaped.values().forEach(one -> one.dayuRecovers(System.nanoTime()));
    }
  }

  /** Stops holders, and awaits that stock HDFS has rebuilt their internal blocks at once. */
  private void rebuild(int... places) throws Exception {
    List<DatanodeInfo> lost = new ArrayList<>();
    for (int place : places) {
      lost.add(holders()[place]);
    }
    for (DatanodeInfo node : lost) {
      cluster.stopDataNode(node.getXferAddr());
    }
    cluster.getNamesystem().writeLock();
    try {
      for (DatanodeInfo node : lost) {
        cluster.setDataNodeDead(node);
      }
    } finally {
      cluster.getNamesystem().writeUnlock("test");
    }
    Poll.until("the lost internal block is rebuilt", SOON, () -> {
      renew();
      return holders().length == UNITS;
    }, this::holderNames);
    try (FSDataInputStream in = fs.open(file)) {
      assertArrayEquals(content, in.readAllBytes());
    }
  }

  private long readBytes() {
    return shaped.values().stream().mapToLong(StockReconstructions::readBytes).sum();
  }

  private long writtenBytes() {
    return shaped.values().stream().mapToLong(StockReconstructions::writtenBytes).sum();
  }

  private long servedBytes() {
    return shaped.values().stream().mapToLong(StockReconstructions::servedBytes).sum();
  }

  @Test
  void whileDayuRecovers_bothSidesOfAReconstructionAreShaped() throws Exception {
    letDayuRecover();
    long beganNs = System.nanoTime();
    rebuild(1);
    assertEquals(DATA_UNITS * INTERNAL_BYTES, readBytes(), "one node reads k internal blocks");
    Poll.until("sources have counted their last packets", SOON, () -> {
      renew();
      return servedBytes() >= DATA_UNITS * INTERNAL_BYTES;
    }, this::servedBytes);
    assertEquals(1, shaped.values().stream().filter(one -> one.readBytes() > 0).count());
    assertTrue(shaped.values().stream().filter(one -> one.servedBytes() > 0).count() >= DATA_UNITS);
    long endedNs = System.nanoTime();
    assertEquals(1, shapers.values().stream().filter(node -> !node.in().hasRoom(endedNs - beganNs, endedNs)).count(),
        "whose link made rounds wait");
  }

  @Test
  void whileDayuRecovers_whatGoesToFurtherTargetsIsShaped() throws Exception {
    List<String> holders = Arrays.stream(holders()).map(DatanodeInfo::getDatanodeUuid).toList();
    List<LinkShaper> linksOfFree = shapers.entrySet().stream()
        .filter(node -> !holders.contains(node.getKey().getDatanodeUuid())).map(node -> node.getValue().out()).toList();
    // Three bytes are read for each that is sent: only a slower link makes rounds wait before they send.
    linksOfFree.forEach(link -> link.setLimits(0.1, 0.1, 1, System.nanoTime()));
    letDayuRecover();
    long beganNs = System.nanoTime();
    rebuild(1, 3);
    long endedNs = System.nanoTime();
    assertEquals(DATA_UNITS * INTERNAL_BYTES, readBytes(), "one node makes both");
    assertEquals(INTERNAL_BYTES, writtenBytes(), "and sends one of them");
    assertEquals(1, linksOfFree.stream().filter(link -> !link.hasRoom(endedNs - beganNs, endedNs)).count(),
        "whose link made rounds wait");
  }

  @Test
  void whileStockRecovers_reconstructionsPassAsWithoutDayu() throws Exception {
    rebuild(1);
    assertEquals(0, readBytes());
    assertEquals(0, servedBytes());
  }

  @Test
  void clients_areNotCountedAsReconstructions() throws Exception {
    letDayuRecover();
    try (FSDataInputStream in = fs.open(file)) {
      assertArrayEquals(content, in.readAllBytes());
    }
    assertEquals(0, servedBytes());
  }

  @Test
  void adminsOwnLimit_comesBack() throws Exception {
    DataNodeAccess access = new DataNodeAccess(cluster.getDataNodes().get(0));
    assertInstanceOf(ReconstructionReadThrottler.class, access.reconstructionReadThrottler());
    ReconstructionReadThrottler.remove(access);
    assertNull(access.reconstructionReadThrottler());
    DataTransferThrottler own = new DataTransferThrottler(1 << 20);
    access.setReconstructionReadThrottler(own);
    ReconstructionReadThrottler.install(access, shaped.values().iterator().next());
    assertEquals(own.getBandwidth(), access.reconstructionReadThrottler().getBandwidth());
    ReconstructionReadThrottler.remove(access);
    assertEquals(own, access.reconstructionReadThrottler());
    assertInstanceOf(ReconstructionWriteThrottler.class, access.reconstructionWriteThrottler());
    ReconstructionWriteThrottler.remove(access);
    assertNull(access.reconstructionWriteThrottler());
    access.setReconstructionWriteThrottler(own);
    ReconstructionWriteThrottler.install(access, shaped.values().iterator().next());
    assertEquals(own.getBandwidth(), access.reconstructionWriteThrottler().getBandwidth());
    ReconstructionWriteThrottler.remove(access);
    assertEquals(own, access.reconstructionWriteThrottler());
  }
}
