/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.ReplicaOutputStreams;
import org.apache.hadoop.io.nativeio.NativeIO;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.function.BooleanSupplier;

/**
 * Writes a replica to a rotating disk in steps, each in a turn of the disk's {@link VolumeShaper}, and waits for each:
 * otherwise the kernel writes much at once, and clients' reads wait for it. While other transfers have their turns it
 * collects up to {@link #MAX_DIRTY_BYTES} in the page cache, so that it can fill its own; then it waits, and its source
 * with it. Owned by the thread that writes the replica; if that is interrupted, it waits no more. Needs Hadoop's native
 * library, of which all builds for Linux have the call: one without would do nothing, and say nothing.
 *
 * <p>{@code sync_file_range} writes data only, so the file system commits its journal no more often than without it.
 * The replica's checksums, less than 1 % of its bytes, are left to the kernel, and so is a rest of less than
 * {@link #MIN_REST_BYTES}: of many such blocks the kernel makes large writes.
 *
 * <p>An error fails the transfer: the system reports it once, so a sync of the complete file would not report it again.
 */
final class ShapedWriteCache implements WriteCache {
  /** What is written at once. A multiple of the page size, so no page is written twice. */
  static final int STEP_BYTES = VolumeShaper.BURST_BYTES;
  /** A whole turn. */
  static final long MAX_DIRTY_BYTES = VolumeShaper.TURN_BYTES;
  /** To write less would take hardly less time than to position. */
  static final int MIN_REST_BYTES = 64 << 10;

  private static final Logger LOG = LoggerFactory.getLogger(ShapedWriteCache.class);

  private final ExtendedBlock block;
  private final ReplicaOutputStreams streams;
  private final VolumeShaper shaper;
  private final BooleanSupplier highestRisk;
  private final VolumeShaper.Stream stream = new VolumeShaper.Stream();
  private long syncedBytes;
  private long droppedBytes;

  /** @param highestRisk whether the replica goes before others now */
  ShapedWriteCache(ExtendedBlock block, ReplicaOutputStreams streams, VolumeShaper shaper,
      BooleanSupplier highestRisk) {
    this.block = block;
    this.streams = streams;
    this.shaper = shaper;
    this.highestRisk = highestRisk;
  }

  /**
   * Tries the call on a file to which nothing has been written, so an error is none of a write.
   *
   * @throws IOException if the system cannot write a part of a file of this volume
   */
  static void probe(ReplicaOutputStreams streams) throws IOException {
    streams.syncFileRangeIfPossible(0, STEP_BYTES, NativeIO.POSIX.SYNC_FILE_RANGE_WRITE);
  }

  @Override
  public void written(long writtenBytes) throws IOException {
    boolean waits = true;
    while (waits && isDue(writtenBytes)) {
      waits = write((int) Math.min(STEP_BYTES, writtenBytes - syncedBytes));
    }
  }

  private boolean isDue(long writtenBytes) {
    long dirtyBytes = writtenBytes - syncedBytes;
    if (writtenBytes == block.getNumBytes()) {
      return dirtyBytes >= MIN_REST_BYTES;
    }
    return dirtyBytes >= MAX_DIRTY_BYTES || dirtyBytes >= STEP_BYTES && shaper.isFreeFor(stream);
  }

  /** Returns false if this thread is interrupted; else it has been written, or must be tried again. */
  private boolean write(int bytes) throws IOException {
    int flags = NativeIO.POSIX.SYNC_FILE_RANGE_WAIT_BEFORE | NativeIO.POSIX.SYNC_FILE_RANGE_WRITE
        | NativeIO.POSIX.SYNC_FILE_RANGE_WAIT_AFTER;
    stream.setHighestRisk(highestRisk.getAsBoolean());
    try {
      if (!shaper.write(stream, bytes, () -> streams.syncFileRangeIfPossible(syncedBytes, bytes, flags), () -> false)) {
        return true;
      }
    } catch (InterruptedException e) {
      // The transfer ends, and finds out why.
      Thread.currentThread().interrupt();
      return false;
    }
    syncedBytes += bytes;
    if (syncedBytes - droppedBytes >= UnshapedWriteCache.LAG_BYTES) {
      drop();
    }
    return true;
  }

  private void drop() {
    try {
      streams.dropCacheBehindWrites(block.getBlockName(), 0, syncedBytes, NativeIO.POSIX.POSIX_FADV_DONTNEED);
    } catch (IOException | RuntimeException e) {
      LOG.debug("Cannot drop {} from the page cache", block, e);
    }
    droppedBytes = syncedBytes;
  }

  @Override
  public long waitedNs() {
    return stream.turnWaitNs();
  }

  @Override
  public void end() {
    shaper.ended(stream, System.nanoTime());
  }
}
