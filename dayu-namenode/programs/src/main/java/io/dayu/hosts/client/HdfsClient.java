/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts.client;

import io.dayu.harness.load.HomeReplicaFirst;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.SafeModeAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.DFSInputStream;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.NameNodeProxiesClient;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.ipc.RetriableException;

import java.io.Closeable;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Access to HDFS for all clients, with one set of sockets to DataNodes. Thread-safe. A read comes from the node that
 * the plan names, as long as that has the block, and then from the next holder of the plan.
 */
final class HdfsClient implements Closeable {
  private static final int DATA_PORT = 9866;
  private static final int CHUNK_BYTES = 64 << 10;
  private static final int MAX_READ_BYTES = 4 << 20;
  private static final long START_LIMIT_SEC = 180;
  private static final int POLL_MS = 250;

  private final ClientTask task;
  private final DataPlan data;
  private final DistributedFileSystem fs;
  private final DFSClient reader;
  private final ThreadLocal<List<String>> preferred = ThreadLocal.withInitial(List::of);
  private final byte[] content = new byte[CHUNK_BYTES];
  private volatile String[] uuids;

  HdfsClient(ClientTask task) throws IOException {
    this.task = task;
    this.data = task.dataPlan();
    Configuration conf = new Configuration();
    conf.setBoolean("dfs.client.read.shortcircuit", false);
    conf.setInt("dfs.client.socketcache.capacity", 64);
    // The default, 400 ms, would be most of what a small write takes when the last replica is reported late.
    conf.setInt("dfs.client.block.write.locateFollowingBlock.initial.delay.ms", 10);
    // Each delay is twice the one before: 41 s in all, where the default of 5 would give up after 0.3 s.
    conf.setInt("dfs.client.block.write.locateFollowingBlock.retries", 12);
    URI uri = FileSystem.getDefaultUri(conf);
    fs = (DistributedFileSystem) FileSystem.newInstance(uri, conf);
    ClientProtocol nameNode = NameNodeProxiesClient.createProxyWithClientProtocol(conf, uri, new AtomicBoolean())
        .getProxy();
    reader = new DFSClient(null, HomeReplicaFirst.over(nameNode, path -> preferred.get()), conf, null);
    ThreadLocalRandom.current().nextBytes(content);
  }

  /** Returns once all DataNodes are registered and the NameNode has left safe mode. */
  void awaitCluster() throws IOException, InterruptedException {
    long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_LIMIT_SEC);
    while (!isReady()) {
      if (System.nanoTime() - deadlineNs > 0) {
        throw new IOException("the cluster was not ready within " + START_LIMIT_SEC + " s");
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MS);
    }
    String[] found = new String[task.topology().nodes()];
    for (DatanodeInfo node : fs.getDataNodeStats(DatanodeReportType.LIVE)) {
      found[Integer.parseInt(node.getHostName().substring(1))] = node.getDatanodeUuid();
    }
    uuids = found;
  }

  private boolean isReady() throws IOException {
    try {
      return fs.getDataNodeStats(DatanodeReportType.LIVE).length == task.topology().nodes()
          && !fs.setSafeMode(SafeModeAction.GET);
    } catch (IOException e) {
      if (isStarting(e)) {
        return false;
      }
      throw e;
    }
  }

  /** Whether this says that the NameNode does not listen yet, or listens and is still starting. */
  static boolean isStarting(IOException answer) {
    return answer instanceof ConnectException
        || answer instanceof RemoteException remote
            && RetriableException.class.getName().equals(remote.getClassName());
  }

  DistributedFileSystem fs() {
    return fs;
  }

  String uuid(int node) {
    return uuids[node];
  }

  FSDataOutputStream create(String path, List<Integer> nodes) throws IOException {
    InetSocketAddress[] favored = nodes.stream().map(node -> new InetSocketAddress(Topology.dataNode(node), DATA_PORT))
        .toArray(InetSocketAddress[]::new);
    return fs.create(new Path(path), FsPermission.getFileDefault(), true, CHUNK_BYTES, (short) Topology.REPLICATION,
        task.blockBytes(), null, favored);
  }

  /** Makes a directory whose files are erasure-coded. */
  static void makeErasureCoded(DistributedFileSystem fs, String directory, String policy) throws IOException {
    fs.mkdirs(new Path(directory));
    fs.enableErasureCodingPolicy(policy);
    fs.setErasureCodingPolicy(new Path(directory), policy);
  }

  void delete(String path) throws IOException {
    fs.delete(new Path(path), false);
  }

  /** Reads as many files of the node as the bytes need. HDFS's checksums tell whether the content is right. */
  void read(PlannedOperation operation) throws IOException {
    int node = operation.nodes().get(0);
    List<Integer> files = data.filesOn(node);
    byte[] buffer = new byte[(int) Math.min(operation.bytes(), Math.min(task.blockBytes(), MAX_READ_BYTES))];
    long leftBytes = operation.bytes();
    for (int i = operation.choice() % files.size(); leftBytes > 0; i = (i + 1) % files.size()) {
      long fileBytes = Math.min(leftBytes, task.blockBytes());
      readFile(files.get(i), node, fileBytes, buffer);
      leftBytes -= fileBytes;
    }
  }

  private void readFile(int file, int node, long bytes, byte[] buffer) throws IOException {
    List<String> order = new ArrayList<>();
    order.add(uuids[node]);
    data.nodesOf(file).stream().filter(other -> other != node).forEach(other -> order.add(uuids[other]));
    preferred.set(order);
    try (DFSInputStream in = reader.open(DataPlan.path(file))) {
      for (long position = 0; position < bytes;) {
        int length = (int) Math.min(buffer.length, bytes - position);
        in.readFully(position, buffer, 0, length);
        position += length;
      }
    } finally {
      preferred.remove();
    }
  }

  void write(PlannedOperation operation, String path) throws IOException {
    try (FSDataOutputStream out = create(path, operation.nodes())) {
      for (int left = operation.bytes(); left > 0; left -= CHUNK_BYTES) {
        out.write(content, 0, Math.min(left, CHUNK_BYTES));
      }
      if (operation.kind() == OperationKind.SYNC) {
        out.hflush();
      }
    }
  }

  @Override
  public void close() throws IOException {
    try {
      fs.close();
    } finally {
      reader.close();
    }
  }
}
