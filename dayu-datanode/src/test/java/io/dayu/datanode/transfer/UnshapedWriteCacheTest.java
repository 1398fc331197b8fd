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
import org.apache.hadoop.io.nativeio.NativeIOException;
import org.junit.jupiter.api.Test;
import org.mockito.InOrder;

import java.io.FileDescriptor;
import java.io.IOException;

import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.inOrder;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoMoreInteractions;
import static org.mockito.Mockito.when;

/** What a transfer leaves in the page cache. */
class UnshapedWriteCacheTest {
  private static final long LAG = UnshapedWriteCache.LAG_BYTES;
  private static final ExtendedBlock BLOCK = new ExtendedBlock("BP-1", 1, 5 * LAG, 1);
  private static final int DROP = NativeIO.POSIX.POSIX_FADV_DONTNEED;
  private static final int WRITE = NativeIO.POSIX.SYNC_FILE_RANGE_WRITE;

  private final FsDatasetSpi<?> dataset = mock(FsDatasetSpi.class);
  private final ReplicaOutputStreams streams = mock(ReplicaOutputStreams.class);

  private boolean inBackground;

  private void write(long... writtenBytes) {
    when(streams.getOutFd()).thenReturn(new FileDescriptor());
    UnshapedWriteCache cache = new UnshapedWriteCache(BLOCK, dataset, streams, inBackground);
    for (long bytes : writtenBytes) {
      cache.written(bytes);
    }
  }

  @Test
  void oldBytes_areDroppedOneLagBehindWhatIsOnItsWayToTheDisk() throws IOException {
    write(LAG, LAG + 1, 2 * LAG + 1, 2 * LAG + 2, 3 * LAG + 3);
    InOrder order = inOrder(streams);
    order.verify(streams).syncFileRangeIfPossible(0, LAG + 1, WRITE);
    order.verify(streams).syncFileRangeIfPossible(LAG + 1, LAG + 1, WRITE);
    order.verify(streams).dropCacheBehindWrites(BLOCK.getBlockName(), 0, 1, DROP);
    order.verify(streams).syncFileRangeIfPossible(2 * LAG + 2, LAG + 1, WRITE);
    order.verify(streams).dropCacheBehindWrites(BLOCK.getBlockName(), 0, LAG + 2, DROP);
    verifyNoMoreInteractions(dataset);
  }

  @Test
  void syncInBackground_isLeftToTheDataset() throws IOException {
    inBackground = true;
    write(LAG + 1);
    verify(dataset).submitBackgroundSyncFileRangeRequest(BLOCK, streams, 0, LAG + 1, WRITE);
    verify(streams, never()).syncFileRangeIfPossible(anyLong(), anyLong(), anyInt());
  }

  @Test
  void failure_isNoneOfTheTransfer() throws IOException {
    doThrow(new NativeIOException("no", 22)).when(streams).dropCacheBehindWrites(any(), anyLong(), anyLong(), anyInt());
    write(LAG + 1, 2 * LAG + 2, 3 * LAG + 3);
    verify(streams).dropCacheBehindWrites(BLOCK.getBlockName(), 0, LAG + 2, DROP);
  }
}
