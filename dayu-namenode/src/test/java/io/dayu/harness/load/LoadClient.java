/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness.load;

import io.dayu.harness.Await;
import io.dayu.harness.DayuCluster;
import io.dayu.harness.SeededFiles;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.DFSInputStream;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.NameNodeProxiesClient;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32C;
import java.util.zip.CheckedOutputStream;

/**
 * Carries operations out on HDFS, over sockets to DataNodes that are kept open between operations. Safe for use by
 * several threads. Nothing is hedged: a read waits for the file's home, and turns elsewhere if that refuses or breaks
 * off, as HDFS's clients do.
 */
final class LoadClient implements Closeable {
  private static final int MAX_PLACEMENTS = 20;
  private static final Duration REPLICAS_LIMIT = Duration.ofSeconds(60);

  private final LoadProfile profile;
  private final String directory;
  private final SeededFiles files;
  private final InetSocketAddress[] addresses;
  private final DistributedFileSystem writer;
  private final DFSClient reader;
  private final Map<String, String> homeUuids = new ConcurrentHashMap<>();
  private final Map<String, long[]> checksums = new ConcurrentHashMap<>();
  private final Queue<String> written = new ConcurrentLinkedQueue<>();
  private final AtomicInteger kept = new AtomicInteger();

  /** @param directory what all of this load's files are below */
  LoadClient(DayuCluster cluster, LoadProfile profile, String directory) throws IOException {
    this.profile = profile;
    this.directory = directory;
    this.files = cluster.files();
    this.addresses = new InetSocketAddress[cluster.nodeCount()];
    for (int node = 0; node < addresses.length; node++) {
      addresses[node] = cluster.dataNode(node).getXferAddress();
      for (int file = 0; file < profile.filesPerNode(); file++) {
        homeUuids.put(pathToRead(node, file), cluster.dataNode(node).getDatanodeUuid());
      }
    }
    Configuration conf = settings(cluster.clientConf());
    URI uri = cluster.clientUri();
    writer = (DistributedFileSystem) FileSystem.newInstance(uri, conf);
    ClientProtocol nameNode =
        NameNodeProxiesClient.createProxyWithClientProtocol(conf, uri, new AtomicBoolean()).getProxy();
    reader = new DFSClient(null, HomeReplicaFirst.over(nameNode, this::homeUuid), conf, null);
  }

  private List<String> homeUuid(String path) {
    String uuid = homeUuids.get(path);
    return uuid == null ? List.of() : List.of(uuid);
  }

  private Configuration settings(Configuration conf) {
    conf.set(HdfsClientConfigKeys.DFS_CLIENT_CONTEXT, "foreground-load");
    conf.setInt(HdfsClientConfigKeys.DFS_CLIENT_SOCKET_CACHE_CAPACITY_KEY, profile.maxClients());
    conf.setBoolean(HdfsClientConfigKeys.Read.ShortCircuit.KEY, false);
    // A client that closes a file before its last replica has been reported tries again after this time; the default,
    // 400 ms, would be most of what a small write takes.
    conf.setInt(HdfsClientConfigKeys.BlockWrite.LOCATEFOLLOWINGBLOCK_INITIAL_DELAY_MS_KEY, 10);
    // Each delay is twice the one before: 41 s in all, where the default of 5 would give up after 0.3 s.
    conf.setInt(HdfsClientConfigKeys.BlockWrite.LOCATEFOLLOWINGBLOCK_RETRIES_KEY, 12);
    return conf;
  }

  /**
   * Writes one of the files that are to be read, with its home among the DataNodes that hold it. A favored node is a
   * hint to HDFS, which disregards it where that DataNode is busy.
   */
  void prepare(int node, int file) throws Exception {
    String path = pathToRead(node, file);
    long[] checksumOfPiece = new long[profile.piecesPerFile()];
    for (int piece = 0; piece < checksumOfPiece.length; piece++) {
      CRC32C checksum = new CRC32C();
      files.copyContent(path, (long) piece * profile.readBytes(), profile.readBytes(),
          new CheckedOutputStream(OutputStream.nullOutputStream(), checksum));
      checksumOfPiece[piece] = checksum.getValue();
    }
    checksums.put(path, checksumOfPiece);
    for (int attempt = 0; attempt < MAX_PLACEMENTS; attempt++) {
      files.write(writer, path, profile.fileBytes(), profile.replication(), addresses[node]);
      if (isAtHome(path)) {
        return;
      }
      files.delete(writer, path);
    }
    throw new IOException(
        "HDFS does not place " + path + " on DataNode " + node + ", in " + MAX_PLACEMENTS + " attempts");
  }

  private boolean isAtHome(String path) throws Exception {
    // Its home may tell the NameNode of its replica after the others.
    Await.until("all replicas of " + path + " are known", REPLICAS_LIMIT,
        () -> blocksOf(path).stream().allMatch(block -> block.getLocations().length >= profile.replication()));
    return blocksOf(path).stream()
        .allMatch(block -> block.getLocations()[0].getDatanodeUuid().equals(homeUuids.get(path)));
  }

  private List<LocatedBlock> blocksOf(String path) throws IOException {
    return reader.getLocatedBlocks(path, 0, profile.fileBytes()).getLocatedBlocks();
  }

  /** Reads a piece and compares its checksum with that of what was written. */
  void read(Operation.Read read) throws IOException {
    String path = pathToRead(read.node(), read.file());
    byte[] bytes = new byte[profile.readBytes()];
    try (DFSInputStream in = reader.open(path)) {
      in.readFully((long) read.piece() * bytes.length, bytes, 0, bytes.length);
    }
    CRC32C checksum = new CRC32C();
    checksum.update(bytes, 0, bytes.length);
    if (checksum.getValue() != checksums.get(path)[read.piece()]) {
      throw new IOException(path + " has other content in piece " + read.piece() + " than was written");
    }
  }

  void write(Operation.Write write) throws IOException {
    InetSocketAddress[] targets = write.nodes().stream().map(node -> addresses[node]).toArray(InetSocketAddress[]::new);
    String path = directory + "/written/" + write.number();
    files.write(writer, path, profile.writeBytes(), profile.replication(), targets);
    written.add(path);
    kept.incrementAndGet();
  }

  /** Deletes the oldest of the written files while there are too many. */
  void deleteSurplus() throws IOException {
    while (kept.get() > profile.maxFilesWritten()) {
      String oldest = written.poll();
      if (oldest == null) {
        return;
      }
      kept.decrementAndGet();
      files.delete(writer, oldest);
    }
  }

  /** Removes what a write that failed may have left. */
  void discard(Operation.Write write) throws IOException {
    writer.delete(new Path(directory + "/written/" + write.number()), false);
  }

  private String pathToRead(int node, int file) {
    return directory + "/read/" + node + "-" + file;
  }

  @Override
  public void close() throws IOException {
    try {
      writer.close();
    } finally {
      reader.close();
    }
  }
}
