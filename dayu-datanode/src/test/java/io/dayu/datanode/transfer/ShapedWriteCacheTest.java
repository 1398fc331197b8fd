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
import org.apache.hadoop.io.nativeio.Errno;
import org.apache.hadoop.io.nativeio.NativeIO;
import org.apache.hadoop.io.nativeio.NativeIOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.mockito.InOrder;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.inOrder;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

/** What a transfer writes to a rotating disk, and when; {@code streams} stands for Hadoop's native library. */
class ShapedWriteCacheTest {
  private static final int STEP = ShapedWriteCache.STEP_BYTES;
  private static final int REST = ShapedWriteCache.MIN_REST_BYTES;
  private static final int LAG = (int) UnshapedWriteCache.LAG_BYTES;
  private static final int TO_DISK = NativeIO.POSIX.SYNC_FILE_RANGE_WAIT_BEFORE
      | NativeIO.POSIX.SYNC_FILE_RANGE_WRITE | NativeIO.POSIX.SYNC_FILE_RANGE_WAIT_AFTER;

  private final ReplicaOutputStreams streams = mock(ReplicaOutputStreams.class);
  private final AtomicInteger readsInFlight = new AtomicInteger();
  private final VolumeShaper shaper = new VolumeShaper(readsInFlight::get, ns -> {}, System.nanoTime());

  private ShapedWriteCache cache(long blockBytes) {
    return new ShapedWriteCache(new ExtendedBlock("BP-1", 1, blockBytes, 1), streams, shaper, () -> false);
  }

  /** A client reads, and recovery has had its minimum. */
  private void keepBusy() {
    readsInFlight.set(1);
    VolumeShaperTest.spendGuarantee(shaper);
  }

  private void failToSync(Errno why) throws IOException {
    doThrow(new NativeIOException("no", why)).when(streams).syncFileRangeIfPossible(anyLong(), anyLong(), anyInt());
  }

  @Test
  void whatIsWritten_goesToTheDiskInSteps_andSoDoesARest() throws IOException {
    ShapedWriteCache cache = cache(3 * STEP + REST);
    cache.written(STEP - 1);
    cache.written(STEP + 1);
    cache.written(3 * STEP + 1);
    cache.written(3 * STEP + REST);
    InOrder order = inOrder(streams);
    order.verify(streams).syncFileRangeIfPossible(0, STEP, TO_DISK);
    order.verify(streams).syncFileRangeIfPossible(STEP, STEP, TO_DISK);
    order.verify(streams).syncFileRangeIfPossible(2 * STEP, STEP, TO_DISK);
    order.verify(streams).syncFileRangeIfPossible(3 * STEP, REST, TO_DISK);
  }

  @Test
  void smallRest_isLeftToTheKernel() throws IOException {
    cache(REST - 1).written(REST - 1);
    verify(streams, never()).syncFileRangeIfPossible(anyLong(), anyLong(), anyInt());
  }

  @Test
  void whatIsOnTheDisk_isDropped() throws IOException {
    ShapedWriteCache cache = cache(3L * LAG);
    cache.written(LAG + STEP - 1);
    InOrder order = inOrder(streams);
    order.verify(streams, times(LAG / STEP)).syncFileRangeIfPossible(anyLong(), anyLong(), anyInt());
    order.verify(streams).dropCacheBehindWrites("blk_1", 0, LAG, NativeIO.POSIX.POSIX_FADV_DONTNEED);
    cache.written(2 * LAG);
    order.verify(streams).dropCacheBehindWrites("blk_1", 0, 2 * LAG, NativeIO.POSIX.POSIX_FADV_DONTNEED);
  }

  @Test
  void failureToDrop_isNoneOfTheTransfer() throws IOException {
    doThrow(new NativeIOException("no", Errno.EINVAL)).when(streams).dropCacheBehindWrites(any(), anyLong(), anyLong(),
        anyInt());
    cache(3L * LAG).written(LAG);
    verify(streams).dropCacheBehindWrites("blk_1", 0, LAG, NativeIO.POSIX.POSIX_FADV_DONTNEED);
  }

  @Test
  @Timeout(60)
  void whileAClientReads_nothingIsWritten() throws Exception {
    keepBusy();
    AtomicInteger looks = new AtomicInteger();
    AtomicInteger looksBefore = new AtomicInteger();
    VolumeShaper busyAtFirst = new VolumeShaper(() -> looks.incrementAndGet() < 10 ? 1 : 0, ns -> {},
        System.nanoTime());
    VolumeShaperTest.spendGuarantee(busyAtFirst);
    doAnswer(call -> {
      looksBefore.set(looks.get());
      return null;
    }).when(streams).syncFileRangeIfPossible(anyLong(), anyLong(), anyInt());
    new ShapedWriteCache(new ExtendedBlock("BP-1", 1, LAG, 1), streams, busyAtFirst, () -> false).written(STEP);
    assertTrue(looksBefore.get() >= 10, () -> "written after " + looksBefore + " looks at the disk");
  }

  @Test
  @Timeout(60)
  void transferThatEnds_waitsNoMore_andLeavesItsTurn() throws Exception {
    keepBusy();
    ShapedWriteCache cache = cache(LAG);
    Thread.currentThread().interrupt();
    cache.written(2 * STEP);
    assertTrue(Thread.interrupted(), "the transfer must notice it");
    verify(streams, never()).syncFileRangeIfPossible(anyLong(), anyLong(), anyInt());
    assertEquals(0, shaper.tryTurn(new VolumeShaper.Stream(), System.nanoTime()));
  }

  @Test
  void replicaThatEnds_leavesItsTurn() throws IOException {
    ShapedWriteCache cache = cache(LAG);
    cache.written(STEP);
    VolumeShaperTest.spendGuarantee(shaper);
    cache.end();
    assertEquals(0, shaper.tryTurn(new VolumeShaper.Stream(), System.nanoTime()));
  }

  @Test
  @Timeout(60)
  void whileAnotherHasItsTurn_aTurnIsCollected_andThenWaitedFor() throws Exception {
    VolumeShaper.Stream other = new VolumeShaper.Stream();
    assertEquals(0, shaper.tryTurn(other, System.nanoTime()));
    readsInFlight.set(1);
    VolumeShaperTest.spendGuarantee(shaper);
    ShapedWriteCache cache = cache(3L * LAG);
    cache.written(VolumeShaper.TURN_BYTES - 1);
    verify(streams, never()).syncFileRangeIfPossible(anyLong(), anyLong(), anyInt());
    assertEquals(0, cache.waitedNs());
    Thread writer = Thread.currentThread();
    Thread ends = new Thread(() -> {
      while (writer.getState() != Thread.State.TIMED_WAITING) {
        Thread.onSpinWait();
      }
      readsInFlight.set(0);
      shaper.ended(other, System.nanoTime());
    });
    ends.start();
    cache.written(VolumeShaper.TURN_BYTES);
    ends.join();
    verify(streams, times((int) VolumeShaper.TURN_BYTES / STEP)).syncFileRangeIfPossible(anyLong(), anyLong(),
        anyInt());
    assertTrue(cache.waitedNs() > 0);
  }

  /** By a newer grant: the replica was not at the highest risk when it was begun. */
  @Test
  @Timeout(60)
  void replicaThatComesToTheHighestRisk_isWrittenBeforeReadsThatWait() throws Exception {
    AtomicBoolean highestRisk = new AtomicBoolean();
    VolumeShaperTest.assertGoesFirst(disk -> {
      ExtendedBlock block = new ExtendedBlock("BP-1", 1, LAG, 1);
      ShapedWriteCache cache = new ShapedWriteCache(block, streams, disk, highestRisk::get);
      highestRisk.set(true);
      cache.written(VolumeShaper.TURN_BYTES);
    });
  }

  @ParameterizedTest
  @EnumSource(value = Errno.class, names = {"EIO", "EROFS", "EINVAL", "UNKNOWN"})
  void errorOfAWrite_failsTheTransfer(Errno why) throws IOException {
    failToSync(why);
    assertThrows(NativeIOException.class, () -> cache(LAG).written(STEP));
  }
}
