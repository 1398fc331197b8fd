/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.BlockMetadataHeader;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.apache.hadoop.hdfs.server.datanode.ReplicaHandler;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInPipeline;
import org.apache.hadoop.hdfs.server.datanode.ReplicaNotFoundException;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.ReplicaOutputStreams;
import org.apache.hadoop.io.IOUtils;
import org.apache.hadoop.util.DataChecksum;
import org.apache.hadoop.util.Time;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.BooleanSupplier;

/**
 * A temporary replica on this DataNode that is being filled in order. Owned by the thread that created it, which HDFS
 * also records as the replica's writer: HDFS interrupts that thread and waits for its end when it needs the replica
 * gone. Holds a reference to its volume, so it must end in {@link #finish} or {@link #abort}. Follows
 * {@code BlockReceiver}.
 */
final class PartialReplica {
  private static final Logger LOG = LoggerFactory.getLogger(PartialReplica.class);
  private static final int CHECKSUM_BUFFER_BYTES = 4096;

  private final DataNodeAccess node;
  private final ExtendedBlock block;
  private final ReplicaHandler handler;
  private final ReplicaInPipeline replica;
  private final boolean syncOnClose;
  private ReplicaOutputStreams streams;
  private DataOutputStream checksumOut;
  private WriteCache writeCache;
  private long writtenBytes;

  private PartialReplica(DataNodeAccess node, ExtendedBlock block, ReplicaHandler handler, boolean syncOnClose) {
    this.node = node;
    this.block = block;
    this.handler = handler;
    this.replica = handler.getReplica();
    this.syncOnClose = syncOnClose;
  }

  /**
   * Creates the temporary replica and writes the header of its meta file.
   *
   * @param storageId the volume to prefer; null for any of the type
   * @param volumes of this DataNode
   * @param highestRisk whether the replica goes before others now
   * @throws TargetException if the replica exists, no volume of the type has room, or the disk fails
   */
  static PartialReplica create(DataNodeAccess node, StorageType type, String storageId, ExtendedBlock block,
      DataChecksum checksum, VolumeShapers volumes, BooleanSupplier highestRisk) throws TargetException {
    // A reconfiguration that removes a volume holds the configuration's monitor and waits for the references to the
    // volume, so nobody who has one may read settings.
    boolean syncOnClose = node.conf().getBoolean(DFSConfigKeys.DFS_DATANODE_SYNCONCLOSE_KEY,
        DFSConfigKeys.DFS_DATANODE_SYNCONCLOSE_DEFAULT);
    boolean inBackground = node.conf().getBoolean(DFSConfigKeys.DFS_DATANODE_SYNC_BEHIND_WRITES_IN_BACKGROUND_KEY,
        DFSConfigKeys.DFS_DATANODE_SYNC_BEHIND_WRITES_IN_BACKGROUND_DEFAULT);
    PartialReplica partial = null;
    try {
      partial = new PartialReplica(node, block, node.dataset().createTemporary(type, storageId, block, false),
          syncOnClose);
      partial.open(checksum, inBackground, volumes, highestRisk);
      return partial;
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      if (partial != null) {
        partial.abort();
      }
      throw new TargetException("cannot create a temporary replica",
          e instanceof IOException io ? io : new IOException(e));
    }
  }

  private void open(DataChecksum checksum, boolean inBackground, VolumeShapers volumes, BooleanSupplier highestRisk)
      throws IOException {
    streams = replica.createStreams(true, checksum);
    checksumOut = new DataOutputStream(new BufferedOutputStream(streams.getChecksumOut(), CHECKSUM_BUFFER_BYTES));
    BlockMetadataHeader.writeHeader(checksumOut, checksum);
    writeCache = volumes.writeCache(block, streams, highestRisk,
        new UnshapedWriteCache(block, node.dataset(), streams, inBackground));
  }

  String storageId() {
    return replica.getStorageUuid();
  }

  /** Whether a source with this checksum can continue where the last one stopped. */
  boolean continuesWith(DataChecksum checksum) {
    return streams.getChecksum().equals(checksum);
  }

  /** Appends verified chunks; both buffers are array-backed. */
  void append(ByteBuffer data, ByteBuffer checksums) throws TargetException {
    int bytes = data.remaining();
    long beganMs = Time.monotonicNow();
    try {
      streams.writeDataToDisk(data.array(), data.arrayOffset() + data.position(), bytes);
      long elapsedMs = Time.monotonicNow() - beganMs;
      int from = checksums.arrayOffset() + checksums.position();
      int to = from + checksums.remaining();
      checksumOut.write(checksums.array(), from, to - from);
      writtenBytes += bytes;
      replica.setNumBytes(writtenBytes);
      int lastFrom = Math.max(from, to - streams.getChecksum().getChecksumSize());
      replica.setLastChecksumAndDataLen(writtenBytes, Arrays.copyOfRange(checksums.array(), lastFrom, to));
      node.countBytesWritten(bytes, elapsedMs);
      writeCache.written(writtenBytes);
    } catch (IOException e) {
      throw new TargetException("cannot write", e);
    }
  }

  /** For how long it has waited until other transfers had used the disk, in all. */
  long waitedNs() {
    return writeCache.waitedNs();
  }

  /** Closes the files, makes the replica a finalized one and tells the NameNodes. */
  void finish() throws TargetException {
    writeCache.end();
    try {
      checksumOut.flush();
      streams.flushDataOut();
      if (syncOnClose) {
        streams.syncChecksumOut();
        streams.syncDataOut();
      }
      checksumOut.close();
      streams.closeDataStream();
      node.dataset().finalizeBlock(block, syncOnClose);
    } catch (IOException e) {
      throw new TargetException("cannot finalize", e);
    }
    node.announce(block, replica);
    IOUtils.cleanupWithLogger(LOG, handler);
  }

  /**
   * Removes the replica: its entry in the replica map, its files, its reserved space and its reference to the volume.
   * Never throws.
   */
  void abort() {
    // A pending interrupt would make the removal fail half way.
    Thread.interrupted();
    if (writeCache != null) {
      writeCache.end();
    }
    replica.releaseAllBytesReserved();
    IOUtils.closeStream(streams);
    try {
      node.dataset().unfinalizeBlock(block);
    } catch (ReplicaNotFoundException gone) {
      LOG.debug("BLOCK* {} is already gone", block);
    } catch (IOException | RuntimeException e) {
      LOG.warn("BLOCK* cannot remove the temporary replica of {}", block, e);
    } finally {
      IOUtils.cleanupWithLogger(LOG, handler);
    }
  }
}
