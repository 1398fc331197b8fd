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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

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

  private BlockDevice only(long device) throws IOException {
    List<BlockDevice> disks = BlockDevice.rotating(device, devices);
    assertEquals(1, disks.size());
    return disks.get(0);
  }

  @Test
  void partition_isItsDisk() throws IOException {
    Path disk = disk("sdb", "1", "       3        8\n");
    Path partition = Files.createDirectory(disk.resolve("sdb1"));
    Files.writeString(partition.resolve("partition"), "1\n");
    Files.writeString(partition.resolve("inflight"), "       0        0\n");
    Files.createSymbolicLink(devices.resolve("8:17"), partition);
    BlockDevice device = only(SDB1);
    assertEquals("sdb", device.toString());
    assertEquals(3, device.readsInFlight());
    Files.writeString(disk.resolve("inflight"), "       0        8\n");
    assertEquals(0, device.readsInFlight());
  }

  @Test
  void largeNumbers_areReadAsStatHasThem() throws IOException {
    disk("259:300", "1", " 12 1\n");
    assertEquals(12, only(LARGE_NUMBERS).readsInFlight());
  }

  @Test
  void diskWithoutHeads_isNone() throws IOException {
    disk("8:17", "0", " 0 0\n");
    assertEquals(List.of(), BlockDevice.rotating(SDB1, devices));
  }

  @Test
  void diskOfAVirtualMachine_isNone() throws IOException {
    Path disk = disk("vda", "1", " 0 0\n");
    Files.createSymbolicLink(devices.resolve("8:17"), disk);
    assertEquals(List.of(), BlockDevice.rotating(SDB1, devices));
  }

  @ParameterizedTest
  @CsvSource({"device/vendor,Msft    ", "device/model,QEMU HARDDISK   "})
  void diskThatAHypervisorNames_isNone(String file, String content) throws IOException {
    Path disk = disk("8:17", "1", " 0 0\n");
    Files.createDirectory(disk.resolve("device"));
    Files.writeString(disk.resolve("device/vendor"), "ATA     \n");
    Files.writeString(disk.resolve("device/model"), "ST4000NM0035-1V4\n");
    assertEquals("8:17", only(SDB1).toString());
    Files.writeString(disk.resolve(file), content + "\n");
    assertEquals(List.of(), BlockDevice.rotating(SDB1, devices));
  }

  @Test
  void diskOfAVirtualController_isNone() throws IOException {
    Path controller = Files.createDirectory(devices.resolve("virtio2"));
    Path disk = Files.move(disk("sda", "1", " 0 0\n"), controller.resolve("sda"));
    Files.createSymbolicLink(devices.resolve("8:17"), disk);
    assertEquals(List.of(), BlockDevice.rotating(SDB1, devices));
  }

  /** Has the device 8:17 be this one, which Linux always shows as a rotating one. */
  private Path mapped(String name, Path... below) throws IOException {
    Path device = disk(name, "1", " 0 0\n");
    Path slaves = Files.createDirectory(device.resolve("slaves"));
    for (Path one : below) {
      Files.createSymbolicLink(slaves.resolve(one.getFileName()), one);
    }
    Files.deleteIfExists(devices.resolve("8:17"));
    return Files.createSymbolicLink(devices.resolve("8:17"), device);
  }

  private Path partition(Path disk) throws IOException {
    Path partition = Files.createDirectory(disk.resolve(disk.getFileName() + "2"));
    Files.writeString(partition.resolve("partition"), "2\n");
    return partition;
  }

  @Test
  void mappedDevice_isTheDiskBelow() throws IOException {
    Path partition = partition(disk("sdc", "1", " 5 0\n"));
    // A volume of LVM on dm-crypt on a partition; a thin pool is twice on the same disk.
    mapped("dm-1", mapped("dm-0", partition).toRealPath(), partition);
    BlockDevice device = only(SDB1);
    assertEquals("sdc", device.toString());
    assertEquals(5, device.readsInFlight());
  }

  @Test
  void mappedDevice_onADiskWithoutHeads_orOfAVirtualMachine_isNone() throws IOException {
    mapped("dm-0", partition(disk("nvme0n1", "0", " 0 0\n")));
    assertEquals(List.of(), BlockDevice.rotating(SDB1, devices));
    mapped("dm-1", disk("vdb", "1", " 0 0\n"));
    assertEquals(List.of(), BlockDevice.rotating(SDB1, devices));
  }

  @Test
  void severalDisks_areAllTold() throws IOException {
    mapped("md0", partition(disk("sdd", "1", " 5 0\n")), partition(disk("sdc", "1", " 5 0\n")));
    assertEquals("[sdc, sdd]", BlockDevice.rotating(SDB1, devices).toString());
  }

  @Test
  void severalPathsToADisk_areOneDisk() throws IOException {
    Path paths = mapped("dm-0", disk("sdc", "1", " 0 0\n"), disk("sdd", "1", " 0 0\n")).toRealPath();
    Files.createDirectory(paths.resolve("dm"));
    Files.writeString(paths.resolve("dm/uuid"), "mpath-35000c500a1b2c3d4\n");
    Files.writeString(paths.resolve("inflight"), " 7 0\n");
    mapped("dm-1", paths);
    BlockDevice device = only(SDB1);
    assertEquals("dm-0", device.toString());
    assertEquals(7, device.readsInFlight());
    Files.createDirectory(devices.resolve("sdd/device"));
    Files.writeString(devices.resolve("sdd/device/vendor"), "QEMU\n");
    assertEquals(List.of(), BlockDevice.rotating(SDB1, devices));
  }

  @Test
  void cacheOrMetadataOnADiskWithoutHeads_isLeftOut() throws IOException {
    Path data = mapped("dm-0", disk("sdc", "1", " 5 0\n")).toRealPath();
    Path cache = mapped("dm-1", disk("nvme0n1", "0", " 9 0\n")).toRealPath();
    mapped("dm-2", data, cache);
    assertEquals("sdc", only(SDB1).toString());
  }

  @Test
  void whatTheSystemDoesNotSay_isNoDisk() throws IOException {
    assertEquals(List.of(), BlockDevice.rotating(devices, devices.resolve("none")));
    assertThrows(IOException.class, () -> BlockDevice.rotating(devices.resolve("none"), devices));
    Path disk = disk("8:17", "1", "\n");
    assertThrows(IOException.class, () -> BlockDevice.rotating(SDB1, devices));
    Files.delete(disk.resolve("queue/rotational"));
    assertThrows(IOException.class, () -> BlockDevice.rotating(SDB1, devices));
  }
}
