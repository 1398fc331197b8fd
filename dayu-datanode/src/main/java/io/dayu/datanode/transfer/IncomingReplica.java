/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockIdManager;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.apache.hadoop.util.DataChecksum;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;

/**
 * What a transfer has of its block: the partial replica, from the first bytes on, and the number of bytes done. Only
 * the transfer's thread fills, finishes and aborts it; any thread may ask for the number of bytes.
 */
final class IncomingReplica {
  private final DataNodeAccess node;
  private final ExtendedBlock block;
  private final StorageType storageType;
  private final String preferredStorageId;
  private final VolumeShapers volumes;
  private final RecentDeletions deletions;
  private final DiskActivity disks;
  private final BooleanSupplier highestRisk;

  private volatile PartialReplica partial;
  private volatile long doneBytes;

  /**
   * @param preferredStorageId the volume to prefer; null for any of the type
   * @param volumes of this DataNode
   * @param deletions of replicas of this DataNode
   * @param disks to be told of each write
   * @param highestRisk whether the replica goes before others now
   */
  IncomingReplica(DataNodeAccess node, ExtendedBlock block, StorageType storageType, String preferredStorageId,
      VolumeShapers volumes, RecentDeletions deletions, DiskActivity disks, BooleanSupplier highestRisk) {
    this.node = node;
    this.block = block;
    this.storageType = storageType;
    this.preferredStorageId = preferredStorageId;
    this.volumes = volumes;
    this.deletions = deletions;
    this.disks = disks;
    this.highestRisk = highestRisk;
  }

  ExtendedBlock block() {
    return block;
  }

  long doneBytes() {
    return doneBytes;
  }

  long restBytes() {
    return block.getNumBytes() - doneBytes;
  }

  /** Whether all bytes are there. An empty block, too, is complete only after it has been begun. */
  boolean isComplete() {
    return partial != null && doneBytes >= block.getNumBytes();
  }

  /** Where the replica is, or null if there is none yet. */
  String storageId() {
    PartialReplica replica = partial;
    return replica == null ? null : replica.storageId();
  }

  /**
   * Continues the replica with checksums of this kind; creates the replica if there is none yet.
   *
   * @throws TargetException if the replica cannot be created, or another one of its group is here
   * @throws IOException if the replica has another kind of checksums
   */
  void begin(DataChecksum checksum) throws IOException {
    if (partial == null) {
      checkAlone();
      partial = PartialReplica.create(node, storageType, preferredStorageId, block, checksum, volumes,
          highestRisk);
    } else if (!partial.continuesWith(checksum)) {
      throw new IOException("source has another kind of checksums: " + checksum);
    }
  }

  /**
   * Appends verified chunks; both buffers are array-backed.
   *
   * @throws TargetException if something on our own node went wrong
   */
  void append(ByteBuffer data, ByteBuffer checksums) throws TargetException {
    int bytes = data.remaining();
    if (bytes > 0) {
      long beganNs = System.nanoTime() - partial.waitedNs();
      partial.append(data, checksums);
      // While it waits for its turn, the disk is kept busy by another one, which says so itself.
      disks.wrote(bytes, System.nanoTime() - partial.waitedNs() - beganNs);
      doneBytes += bytes;
    }
  }

  /** Makes the complete replica a finalized one and tells the NameNodes. */
  void finish() throws TargetException {
    checkAlone();
    partial.finish();
  }

  /**
   * A DataNode must not have two internal blocks of a group: the NameNode knows one of them only. Where HDFS deletes
   * one, it no longer counts the DataNode as a holder, and takes the report of the deletion for one of the other. So
   * none is made before that report has arrived.
   */
  private void checkAlone() throws TargetException {
    if (!BlockIdManager.isStripedBlockID(block.getBlockId())) {
      return;
    }
    int index = BlockIdManager.getBlockIndex(block.getLocalBlock());
    for (int other = 0; other < HdfsServerConstants.MAX_BLOCKS_IN_GROUP; other++) {
      String remains = other == index ? null : remains(block.getBlockId() - index + other);
      if (remains != null) {
        throw new OtherInternalBlockException(
            "cannot make index " + index + " of a group: this DataNode " + remains + " index " + other);
      }
    }
  }

  private String remains(long blockId) throws TargetException {
    try {
      return deletions.remains(block.getBlockPoolId(), blockId, System.nanoTime());
    } catch (IOException e) {
      throw new TargetException("cannot look for other internal blocks of the group", e);
    }
  }

  /** Removes the partial replica, if there is one. Never throws. */
  void abort() {
    if (partial != null) {
      partial.abort();
    }
  }
}
