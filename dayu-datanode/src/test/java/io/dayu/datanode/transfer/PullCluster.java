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
import io.dayu.protocol.DayuProtos.BlockSpecProto;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.SourceProto;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Options.ChecksumOpt;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.protocol.BlockLocalPathInfo;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsVolumeImpl;
import org.apache.hadoop.util.DataChecksum;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * A cluster of three DataNodes and files of two replicas, so that one DataNode is left to be a target; its NameNode
 * neither recovers nor deletes replicas unless asked. For tests.
 */
public final class PullCluster implements Closeable {
  public static final int CHUNK_BYTES = 512;
  public static final long REBUILD_BYTES = 64 << 20;
  private static final AtomicLong ATTEMPTS = new AtomicLong(1);

  public final MiniDFSCluster cluster;
  public final DistributedFileSystem fs;
  private final Random random;

  /** A file of one block, who holds it, and who does not. */
  public record Placed(Path path, ExtendedBlock block, List<DataNode> holders, DataNode target) {
    public DataNode first() {
      return holders.get(0);
    }

    public DataNode second() {
      return holders.get(1);
    }
  }

  public PullCluster(Configuration base, long seed) throws IOException {
    Configuration conf = new HdfsConfiguration(base);
    conf.setInt(DFSConfigKeys.DFS_NAMENODE_REDUNDANCY_INTERVAL_SECONDS_KEY, 3_600);
    conf.setInt(DFSConfigKeys.DFS_HEARTBEAT_INTERVAL_KEY, 1);
    conf.setLong(DFSConfigKeys.DFS_NAMENODE_MIN_BLOCK_SIZE_KEY, 0);
    conf.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_KEY, 1);
    // Its client soon closes connections to DataNodes that it no longer uses: those that stay open belong to transfers.
    conf.set(HdfsClientConfigKeys.DFS_CLIENT_CONTEXT, "pull-cluster");
    conf.setInt(HdfsClientConfigKeys.DFS_CLIENT_SOCKET_CACHE_EXPIRY_MSEC_KEY, 100);
    cluster = new MiniDFSCluster.Builder(conf).numDataNodes(3).build();
    cluster.waitActive();
    fs = cluster.getFileSystem();
    random = new Random(seed);
  }

  public Placed write(String name, int bytes) throws Exception {
    return write(name, bytes, new ChecksumOpt(DataChecksum.Type.CRC32C, CHUNK_BYTES));
  }

  public Placed write(String name, int bytes, ChecksumOpt checksum) throws Exception {
    Path path = new Path("/" + name);
    byte[] content = new byte[bytes];
    random.nextBytes(content);
    try (FSDataOutputStream out = fs.create(path, FsPermission.getFileDefault(),
        EnumSet.of(CreateFlag.CREATE, CreateFlag.OVERWRITE), 4096, (short) 2, Math.max(64 << 20, bytes), null,
        checksum)) {
      out.write(content);
    }
    DFSTestUtil.waitReplication(fs, path, (short) 2);
    ExtendedBlock block = DFSTestUtil.getFirstBlock(fs, path);
    List<DataNode> holders = new ArrayList<>();
    DataNode target = null;
    for (DataNode node : cluster.getDataNodes()) {
      if (node.getFSDataset().contains(block)) {
        holders.add(node);
      } else {
        target = node;
      }
    }
    assertEquals(2, holders.size());
    return new Placed(path, block, holders, target);
  }

  /** Reads a file as a client does, and closes it, which DFSTestUtil's own methods do not. */
  public byte[] read(Path path) throws IOException {
    try (FSDataInputStream in = fs.open(path)) {
      return in.readAllBytes();
    }
  }

  /** The defaults. */
  public static Settings settings() {
    try {
      return Settings.read(new Configuration(false));
    } catch (BadSettingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** For links that are never full. */
  static NodeShaper shaper() {
    return new NodeShaper(settings(), 0, 1L << 40);
  }

  public static SourceProto source(DataNode node) {
    DatanodeID id = node.getDatanodeId();
    return SourceProto.newBuilder().setDatanodeUuid(node.getDatanodeUuid()).setIpAddress(id.getIpAddr())
        .setHostName(id.getHostName()).setTransferPort(node.getXferPort()).build();
  }

  /** A grant of a new attempt, with a lease of ten minutes. */
  public static GrantProto grant(ExtendedBlock block, DataNode source, long rateBytesPerSec) {
    return GrantProto.newBuilder().setAttempt(ATTEMPTS.getAndIncrement())
        .setBlock(BlockSpecProto.newBuilder().setBlockId(block.getBlockId()).setNumBytes(block.getNumBytes())
            .setGenerationStamp(block.getGenerationStamp()))
        .setSource(source(source)).setStorageType("DISK").setRateBytesPerSec(rateBytesPerSec).setLeaseMs(600_000)
        .build();
  }

  /** Changes a byte of a replica. */
  public void corrupt(ExtendedBlock block, DataNode holder, int offset) throws IOException {
    corruptReplica(block, holder, offset);
  }

  /** Changes a byte of a replica. */
  static void corruptReplica(ExtendedBlock block, DataNode holder, int offset) throws IOException {
    java.nio.file.Path data =
        java.nio.file.Path.of(holder.getFSDataset().getBlockLocalPathInfo(new ExtendedBlock(block)).getBlockPath());
    byte[] content = Files.readAllBytes(data);
    content[offset] ^= 1;
    Files.write(data, content);
  }

  /** Waits until the NameNode knows that the replica is corrupt, and names it to no client any more. */
  public void awaitKnownCorrupt(Placed file, DataNode holder) throws Exception {
    Poll.until("the NameNode knows of the corrupt replica", Duration.ofSeconds(30),
        () -> Stream.of(holdersForClients(file))
            .noneMatch(node -> node.getDatanodeUuid().equals(holder.getDatanodeUuid())),
        file::path);
  }

  private DatanodeInfo[] holdersForClients(Placed file) throws IOException {
    return fs.getClient().getLocatedBlocks(file.path().toString(), 0).get(0).getLocations();
  }

  public static void assertSameFiles(ExtendedBlock block, DataNode expected, DataNode actual) throws IOException {
    BlockLocalPathInfo there = expected.getFSDataset().getBlockLocalPathInfo(new ExtendedBlock(block));
    BlockLocalPathInfo here = actual.getFSDataset().getBlockLocalPathInfo(new ExtendedBlock(block));
    assertArrayEquals(Files.readAllBytes(java.nio.file.Path.of(there.getBlockPath())),
        Files.readAllBytes(java.nio.file.Path.of(here.getBlockPath())), "data");
    assertArrayEquals(Files.readAllBytes(java.nio.file.Path.of(there.getMetaPath())),
        Files.readAllBytes(java.nio.file.Path.of(here.getMetaPath())), "meta");
  }

  /** No temporary or finalized replica, in memory or on disk, and no space reserved. */
  public static void assertNoTrace(ExtendedBlock block, DataNode node) throws IOException {
    assertEquals("null",
        String.valueOf(node.getFSDataset().getReplicaString(block.getBlockPoolId(), block.getBlockId())));
    assertNothingTemporary(node);
    try (FsDatasetSpi.FsVolumeReferences volumes = node.getFSDataset().getFsVolumeReferences()) {
      for (FsVolumeSpi volume : volumes) {
        try (Stream<java.nio.file.Path> files = Files.walk(java.nio.file.Path.of(volume.getBaseURI()))) {
          assertEquals(List.of(),
              files.filter(file -> file.getFileName().toString().startsWith(block.getBlockName())).toList());
        }
      }
    }
  }

  public static void assertNothingTemporary(DataNode node) throws IOException {
    try (FsDatasetSpi.FsVolumeReferences volumes = node.getFSDataset().getFsVolumeReferences()) {
      for (FsVolumeSpi volume : volumes) {
        assertEquals(0, ((FsVolumeImpl) volume).getReservedForReplicas(), "reserved space");
        try (Stream<java.nio.file.Path> files = Files.walk(java.nio.file.Path.of(volume.getBaseURI()))) {
          assertEquals(List.of(),
              files.filter(file -> Files.isRegularFile(file) && file.getParent().endsWith("tmp")).toList());
        }
      }
    }
  }

  @Override
  public void close() {
    cluster.shutdown(true);
  }
}
