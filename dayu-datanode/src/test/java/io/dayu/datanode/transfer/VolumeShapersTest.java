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
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess.VolumeFiles;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.ReplicaOutputStreams;
import org.apache.hadoop.io.nativeio.Errno;
import org.apache.hadoop.io.nativeio.NativeIOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.FileDescriptor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

class VolumeShapersTest {
  private static final int VOLUMES = 64;

  private static ExtendedBlock block(long id) {
    return new ExtendedBlock("BP-1", id, 1, 1);
  }

  @Test
  void volumeThatCannotBeTold_doesNotReachTheReader() {
    VolumeShapers shapers = new VolumeShapers(block -> {
      throw new IllegalArgumentException("URI is not hierarchical");
    }, directory -> List.of(), false);
    assertEquals(Optional.empty(), shapers.of(block(1)));
  }

  /** More volumes than a map has bins, so that one shares the bin of that which hangs. */
  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void diskThatHangs_holdsUpNoReadOfAnother() throws Exception {
    CountDownLatch hangs = new CountDownLatch(1);
    CountDownLatch recovers = new CountDownLatch(1);
    VolumeShapers shapers = new VolumeShapers(
        block -> Optional.of(new VolumeFiles(StorageType.DISK, Path.of("/data" + block.getBlockId()))), directory -> {
          if (directory.endsWith("data0")) {
            hangs.countDown();
            await(recovers);
          }
          return List.of();
        }, false);
    CompletableFuture<Optional<VolumeShaper>> hung = new CompletableFuture<>();
    Thread reader = new Thread(() -> hung.complete(shapers.of(block(0))), "reads from the disk that hangs");
    reader.setDaemon(true);
    reader.start();
    hangs.await();
    try {
      for (int volume = 1; volume < VOLUMES; volume++) {
        assertEquals(Optional.empty(), shapers.of(block(volume)));
      }
      assertFalse(hung.isDone());
    } finally {
      recovers.countDown();
    }
    assertEquals(Optional.empty(), hung.get());
  }

  @Test
  void diskThatCannotBeToldNow_isAskedForAgain(@TempDir Path devices) throws IOException {
    for (String name : List.of("8:0", "8:16")) {
      describe(devices.resolve(name));
    }
    List<BlockDevice> disks = new ArrayList<>();
    VolumeShapers shapers =
        new VolumeShapers(
            block -> Optional.of(new VolumeFiles(StorageType.DISK, Path.of("/data" + block.getBlockId()))),
            directory -> {
              if (disks.isEmpty()) {
                throw new IOException("too many open files");
              }
              return List.copyOf(disks);
            }, false);
    assertEquals(Optional.empty(), shapers.of(block(1)));
    disks.addAll(BlockDevice.rotating(0x800, devices));
    Optional<VolumeShaper> shaper = shapers.of(block(1));
    assertTrue(shaper.isPresent());
    disks.addAll(BlockDevice.rotating(0x810, devices));
    assertEquals(shaper, shapers.of(block(1)), "asked no more");
    assertEquals(Optional.empty(), shapers.of(block(2)), "on several disks");
  }

  private static void describe(Path disk) throws IOException {
    Files.createDirectories(disk.resolve("queue"));
    Files.writeString(disk.resolve("queue/rotational"), "1\n");
    Files.writeString(disk.resolve("inflight"), " 0 0\n");
  }

  private static WriteCache writeCache(VolumeShapers shapers, ReplicaOutputStreams streams) {
    return shapers.writeCache(block(1), streams, () -> false,
        new UnshapedWriteCache(block(1), mock(FsDatasetSpi.class), streams, false));
  }

  private static ReplicaOutputStreams streams() {
    ReplicaOutputStreams streams = mock(ReplicaOutputStreams.class);
    when(streams.getOutFd()).thenReturn(new FileDescriptor());
    return streams;
  }

  @Test
  void writes_areShapedOnRotatingDisks_ifTheNativeLibraryIsThere_andCanDoIt(@TempDir Path devices)
      throws IOException {
    describe(devices.resolve("8:0"));
    List<BlockDevice> disk = BlockDevice.rotating(0x800, devices);
    Optional<VolumeFiles> volume = Optional.of(new VolumeFiles(StorageType.DISK, Path.of("/data")));
    assertInstanceOf(UnshapedWriteCache.class,
        writeCache(new VolumeShapers(block -> volume, directory -> disk, false), streams()));
    assertInstanceOf(UnshapedWriteCache.class,
        writeCache(new VolumeShapers(block -> volume, directory -> List.of(), true), streams()), "no rotating disk");
    assertInstanceOf(UnshapedWriteCache.class, writeCache(VolumeShapers.none(), streams()));
    VolumeShapers shapers = new VolumeShapers(block -> volume, directory -> disk, true);
    ReplicaOutputStreams streams = streams();
    assertInstanceOf(ShapedWriteCache.class, writeCache(shapers, streams));
    doThrow(new NativeIOException("no", Errno.UNKNOWN)).when(streams).syncFileRangeIfPossible(anyLong(), anyLong(),
        anyInt());
    assertInstanceOf(UnshapedWriteCache.class, writeCache(shapers, streams));
    assertInstanceOf(ShapedWriteCache.class, writeCache(shapers, streams()), "on another volume, say");
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
