/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.BlockLocalPathInfo;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.server.datanode.BlockMetadataHeader;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.util.StripedBlockUtil;
import org.apache.hadoop.io.erasurecode.CodecUtil;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureEncoder;
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
 * written to this stream, and with the checksums beside it. Of striped blocks it compares each cell, parity included. A
 * client reads only one replica of each block. For one thread.
 */
public final class ReplicaComparison extends OutputStream {
  private final List<DataNode> nodes;
  private final String path;
  private final ErasureCodingPolicy coding;
  private final Iterator<LocatedBlock> blocks;
  private final List<String> problems = new ArrayList<>();
  private final ByteArrayOutputStream content = new ByteArrayOutputStream();
  private LocatedBlock block;
  private int replicas;

  private ReplicaComparison(DistributedFileSystem fs, List<DataNode> nodes, String path) throws IOException {
    this.nodes = nodes;
    this.path = path;
    this.coding = fs.getErasureCodingPolicy(new org.apache.hadoop.fs.Path(path));
    this.blocks = fs.getClient().getLocatedBlocks(path, 0, Long.MAX_VALUE).getLocatedBlocks().iterator();
    this.block = blocks.hasNext() ? blocks.next() : null;
  }

  /**
   * Compares all replicas of a file.
   *
   * @param nodes the DataNodes by their numbers; null for one that is not running
   * @param problems receives one line for each replica that is wrong
   * @return how many were compared
   */
  public static int compare(DistributedFileSystem fs, SeededFiles files, List<DataNode> nodes, String path,
      List<String> problems) throws IOException {
    try (ReplicaComparison comparison = new ReplicaComparison(fs, nodes, path)) {
      files.copyContent(path, 0, files.lengthsBytes().get(path), comparison);
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
        if (block instanceof LocatedStripedBlock striped) {
          compareCells(striped);
        } else {
          for (DatanodeInfo holder : block.getLocations()) {
            compare(block.getBlock(), holder, content.toByteArray());
          }
        }
        content.reset();
        block = blocks.hasNext() ? blocks.next() : null;
      }
    }
  }

  private void compareCells(LocatedStripedBlock group) throws IOException {
    byte[][] units = units(content.toByteArray());
    for (int i = 0; i < group.getLocations().length; i++) {
      int unit = group.getBlockIndices()[i];
      ExtendedBlock part = StripedBlockUtil.constructInternalBlock(group.getBlock(), coding, unit);
      compare(part, group.getLocations()[i], units[unit]);
    }
  }

  /** What each internal block of a block group has to contain, data first: cell by cell in turn, then their parity. */
  private byte[][] units(byte[] group) throws IOException {
    int data = coding.getNumDataUnits();
    int cellBytes = coding.getCellSize();
    ByteArrayOutputStream[] units = new ByteArrayOutputStream[data + coding.getNumParityUnits()];
    Arrays.setAll(units, unit -> new ByteArrayOutputStream());
    RawErasureEncoder encoder = CodecUtil.createRawEncoder(new Configuration(false), coding.getCodecName(),
        new ErasureCoderOptions(data, coding.getNumParityUnits()));
    for (int stripe = 0; stripe < group.length; stripe += data * cellBytes) {
      // Cells that are not full, or not there, count as filled with zeros; parity is as long as the first cell.
      int parityBytes = Math.min(cellBytes, group.length - stripe);
      byte[][] cells = new byte[data][parityBytes];
      byte[][] parity = new byte[coding.getNumParityUnits()][parityBytes];
      for (int unit = 0; unit < data; unit++) {
        int from = Math.min(group.length, stripe + unit * cellBytes);
        int count = Math.min(cellBytes, group.length - from);
        System.arraycopy(group, from, cells[unit], 0, count);
        units[unit].write(cells[unit], 0, count);
      }
      encoder.encode(cells, parity);
      for (int unit = 0; unit < parity.length; unit++) {
        units[data + unit].write(parity[unit]);
      }
    }
    return Arrays.stream(units).map(ByteArrayOutputStream::toByteArray).toArray(byte[][]::new);
  }

  private void compare(ExtendedBlock replica, DatanodeInfo holder, byte[] expected) {
    int node = nodeOf(holder);
    if (node < 0) {
      problems.add(path + ": replica of " + replica.getLocalBlock() + " on " + holder + ", which does not run");
      return;
    }
    String name = path + ": replica of " + replica.getLocalBlock() + " on node " + node;
    replicas++;
    try {
      BlockLocalPathInfo files = nodes.get(node).getFSDataset().getBlockLocalPathInfo(new ExtendedBlock(replica));
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

  /** The number of a running DataNode, or -1. */
  private int nodeOf(DatanodeInfo holder) {
    for (int node = 0; node < nodes.size(); node++) {
      if (nodes.get(node) != null && nodes.get(node).getDatanodeUuid().equals(holder.getDatanodeUuid())) {
        return node;
      }
    }
    return -1;
  }
}
