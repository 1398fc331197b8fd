/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.ReplicaOutputStreams;
import org.apache.hadoop.io.nativeio.NativeIO;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;

/**
 * Has the kernel write a replica to the disk when it wants to, and drops what has been written from the page cache, so
 * that recovery does not evict what clients read. Follows {@code manageWriterOsCache} of {@code BlockReceiver}, for
 * which stock HDFS always asks in a transfer between DataNodes. Pages that are not on the disk cannot be dropped, so
 * their write-back is always begun, as with {@code dfs.datanode.sync.behind.writes}. Does nothing without Hadoop's
 * native library. Owned by the thread that writes the replica.
 */
final class UnshapedWriteCache implements WriteCache {
  static final long LAG_BYTES = 8 << 20;
  private static final Logger LOG = LoggerFactory.getLogger(UnshapedWriteCache.class);

  private final ExtendedBlock block;
  private final FsDatasetSpi<?> dataset;
  private final ReplicaOutputStreams streams;
  private final boolean inBackground;
  private long handledBytes;

  /** @param inBackground whether another thread of the DataNode begins the write-back */
  UnshapedWriteCache(ExtendedBlock block, FsDatasetSpi<?> dataset, ReplicaOutputStreams streams, boolean inBackground) {
    this.block = block;
    this.dataset = dataset;
    this.streams = streams;
    this.inBackground = inBackground;
  }

  /** A failure is no failure of the transfer. */
  @Override
  public void written(long writtenBytes) {
    if (streams.getOutFd() == null || writtenBytes <= handledBytes + LAG_BYTES) {
      return;
    }
    try {
      sync(writtenBytes);
      // Only what is on the disk can be dropped.
      long dropBytes = handledBytes - LAG_BYTES;
      if (dropBytes > 0) {
        streams.dropCacheBehindWrites(block.getBlockName(), 0, dropBytes, NativeIO.POSIX.POSIX_FADV_DONTNEED);
      }
    } catch (IOException | RuntimeException e) {
      LOG.debug("Cannot manage the page cache for {}", block, e);
    }
    handledBytes = writtenBytes;
  }

  @Override
  public long waitedNs() {
    return 0;
  }

  @Override
  public void end() {
    // The kernel writes the rest.
  }

  private void sync(long writtenBytes) throws IOException {
    int flags = NativeIO.POSIX.SYNC_FILE_RANGE_WRITE;
    if (inBackground) {
      dataset.submitBackgroundSyncFileRangeRequest(block, streams, handledBytes, writtenBytes - handledBytes, flags);
    } else {
      streams.syncFileRangeIfPossible(handledBytes, writtenBytes - handledBytes, flags);
    }
  }
}
