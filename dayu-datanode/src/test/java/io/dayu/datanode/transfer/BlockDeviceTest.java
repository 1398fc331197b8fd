/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** On a directory that is made as Linux makes /sys/dev/block. */
class BlockDeviceTest {
  /** 8:17 and 259:300, as stat has them. */
  private static final long SDB1 = 0x811;
  private static final long LARGE_NUMBERS = 259 << 8 | 300 & 0xff | (300L & ~0xff) << 12;

  @TempDir
  private Path devices;

  private Path disk(String name, String rotational, String inFlight) throws IOException {
    Path disk = Files.createDirectory(devices.resolve(name));
    Files.createDirectory(disk.resolve("queue"));
    Files.writeString(disk.resolve("queue/rotational"), rotational + "\n");
    Files.writeString(disk.resolve("inflight"), inFlight);
    return disk;
  }

  @Test
  void partition_isItsDisk() throws IOException {
    Path disk = disk("sdb", "1", "       3        8\n");
    Path partition = Files.createDirectory(disk.resolve("sdb1"));
    Files.writeString(partition.resolve("partition"), "1\n");
    Files.writeString(partition.resolve("inflight"), "       0        0\n");
    Files.createSymbolicLink(devices.resolve("8:17"), partition);
    BlockDevice device = BlockDevice.rotating(SDB1, devices).orElseThrow();
    assertEquals("sdb", device.toString());
    assertEquals(3, device.readsInFlight());
    Files.writeString(disk.resolve("inflight"), "       0        8\n");
    assertEquals(0, device.readsInFlight());
  }

  @Test
  void largeNumbers_areReadAsStatHasThem() throws IOException {
    disk("259:300", "1", " 12 1\n");
    assertEquals(12, BlockDevice.rotating(LARGE_NUMBERS, devices).orElseThrow().readsInFlight());
  }

  @Test
  void diskWithoutHeads_isNone() throws IOException {
    disk("8:17", "0", " 0 0\n");
    assertEquals(Optional.empty(), BlockDevice.rotating(SDB1, devices));
  }

  @Test
  void diskOfAVirtualMachine_isNone() throws IOException {
    Path disk = disk("vda", "1", " 0 0\n");
    Files.createSymbolicLink(devices.resolve("8:17"), disk);
    assertEquals(Optional.empty(), BlockDevice.rotating(SDB1, devices));
  }

  @Test
  void whatTheSystemDoesNotSay_isNoDisk() throws IOException {
    assertEquals(Optional.empty(), BlockDevice.rotating(devices, devices.resolve("none")));
    Path disk = disk("8:17", "1", "\n");
    assertThrows(IOException.class, () -> BlockDevice.rotating(SDB1, devices));
    Files.delete(disk.resolve("queue/rotational"));
    assertThrows(IOException.class, () -> BlockDevice.rotating(SDB1, devices));
  }
}
