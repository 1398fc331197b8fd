/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness;

import org.apache.hadoop.hdfs.protocol.BlockLocalPathInfo;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.BlockMetadataHeader;
import org.apache.hadoop.util.DataChecksum;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;

/**
 * Compares every replica of a file on the DataNodes' disks, block by block, with what the file has to contain, which is
 * written to this stream, and with the checksums beside it. A client reads only one replica of each block. For one
 * thread.
 */
final class ReplicaComparison extends OutputStream {
  private final DayuCluster cluster;
  private final String path;
  private final Iterator<LocatedBlock> blocks;
  private final List<String> problems = new ArrayList<>();
  private final ByteArrayOutputStream content = new ByteArrayOutputStream();
  private LocatedBlock block;
  private int replicas;

  private ReplicaComparison(DayuCluster cluster, String path) throws IOException {
    this.cluster = cluster;
    this.path = path;
    this.blocks = cluster.blocksOf(path).iterator();
    this.block = blocks.hasNext() ? blocks.next() : null;
  }

  /**
   * Compares all replicas of a file.
   *
   * @param problems receives one line for each that is wrong
   * @return how many were compared; the cells of striped blocks are not
   */
  static int compare(DayuCluster cluster, String path, List<String> problems) throws IOException {
    try (ReplicaComparison comparison = new ReplicaComparison(cluster, path)) {
      if (comparison.block != null && !comparison.block.isStriped()) {
        cluster.files().copyContent(path, 0, cluster.files().lengthsBytes().get(path), comparison);
      }
      problems.addAll(comparison.problems);
      return comparison.replicas;
    }
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    int from = offset;
    int end = offset + length;
    while (from < end && block != null) {
      int part = (int) Math.min(end - from, block.getBlockSize() - content.size());
      content.write(bytes, from, part);
      from += part;
      if (content.size() == block.getBlockSize()) {
        for (DatanodeInfo holder : block.getLocations()) {
          compare(block.getBlock(), cluster.nodeOf(holder.getDatanodeUuid()), content.toByteArray());
        }
        content.reset();
        block = blocks.hasNext() ? blocks.next() : null;
      }
    }
  }

  private void compare(ExtendedBlock replica, int node, byte[] expected) {
    String name = path + ": replica of " + replica.getLocalBlock() + " on node " + node;
    replicas++;
    try {
      BlockLocalPathInfo files =
          cluster.dataNode(node).getFSDataset().getBlockLocalPathInfo(new ExtendedBlock(replica));
      byte[] data = Files.readAllBytes(Path.of(files.getBlockPath()));
      if (!Arrays.equals(expected, data)) {
        problems.add(name + " differs from what was written, at byte " + Arrays.mismatch(expected, data));
      }
      byte[] meta = Files.readAllBytes(Path.of(files.getMetaPath()));
      DataChecksum checksum =
          BlockMetadataHeader.readHeader(new DataInputStream(new ByteArrayInputStream(meta))).getChecksum();
      if (checksum.getChecksumType() == DataChecksum.Type.NULL) {
        problems.add(name + " has no checksums");
      } else {
        int header = BlockMetadataHeader.getHeaderSize();
        checksum.verifyChunkedSums(ByteBuffer.wrap(data), ByteBuffer.wrap(meta, header, meta.length - header).slice(),
            name, 0);
      }
    } catch (IOException | RuntimeException e) {
      problems.add(name + " cannot be read: " + e);
    }
  }
}
