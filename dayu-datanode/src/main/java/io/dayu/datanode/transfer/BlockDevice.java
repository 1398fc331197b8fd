/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The disk below a volume, as Linux counts what it does: for all processes, so also for clients' short-circuit reads.
 * Safe for use by all threads.
 */
final class BlockDevice {
  private static final Logger LOG = LoggerFactory.getLogger(BlockDevice.class);

  /** How hypervisors call their disks where they show them as SCSI or ATA ones. */
  private static final List<String> HYPERVISORS = List.of("QEMU", "VMware", "VBOX", "Msft", "Google", "ORACLE");

  private final Path disk;

  private BlockDevice(Path disk) {
    this.disk = disk;
  }

  /**
   * The disk that holds a directory, if Linux says that it has heads that move: then it does one thing at a time. Of a
   * mapped device (LVM, dm-crypt, md) it is the disk below. Empty for other disks, for several below one device, and
   * where the system does not say: waiting for such a disk would slow recovery down and help no client.
   *
   * @param devices where Linux describes block devices, by number
   */
  static Optional<BlockDevice> rotating(Path directory, Path devices) {
    try {
      return rotating((long) Files.getAttribute(directory, "unix:dev"), devices);
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
      LOG.debug("Cannot tell what disk holds {}", directory, e);
      return Optional.empty();
    }
  }

  /** @param device its number, as of {@code stat} */
  static Optional<BlockDevice> rotating(long device, Path devices) throws IOException {
    Set<Path> disks = new HashSet<>();
    addDisks(devices.resolve(major(device) + ":" + minor(device)).toRealPath(), new HashSet<>(), disks);
    if (disks.size() != 1) {
      return Optional.empty();
    }
    BlockDevice disk = new BlockDevice(disks.iterator().next());
    boolean rotates = disk.attribute("queue/rotational").equals("1") && !disk.isVirtual();
    if (rotates) {
      disk.readsInFlight();
    }
    return rotates ? Optional.of(disk) : Optional.empty();
  }

  /** Adds the disks that a device consists of, or is on. */
  private static void addDisks(Path device, Set<Path> seen, Set<Path> disks) throws IOException {
    // A partition shares its disk with the others.
    Path whole = Files.exists(device.resolve("partition")) ? device.getParent() : device;
    if (!seen.add(whole)) {
      return;
    }
    boolean isDisk = true;
    Path slaves = whole.resolve("slaves");
    if (Files.isDirectory(slaves)) {
      try (DirectoryStream<Path> below = Files.newDirectoryStream(slaves)) {
        for (Path one : below) {
          isDisk = false;
          addDisks(one.toRealPath(), seen, disks);
        }
      }
    }
    if (isDisk) {
      disks.add(whole);
    }
  }

  /** Whether it is a virtual machine's disk: Linux takes these for rotating, whatever they are on the host. */
  private boolean isVirtual() {
    String name = toString();
    return name.startsWith("vd") || name.startsWith("xvd") || disk.toString().contains("/virtio")
        || isHypervisors("device/vendor") || isHypervisors("device/model");
  }

  private boolean isHypervisors(String file) {
    try {
      return HYPERVISORS.stream().anyMatch(attribute(file)::startsWith);
    } catch (IOException unknown) {
      return false;
    }
  }

  private String attribute(String file) throws IOException {
    return Files.readString(disk.resolve(file)).strip();
  }

  private static long major(long device) {
    return device >>> 8 & 0xfff | device >>> 32 & 0xfffff000L;
  }

  private static long minor(long device) {
    return device & 0xff | device >>> 12 & 0xffffff00L;
  }

  /**
   * The number of reads that wait for the disk or are being served now.
   *
   * @throws IOException if the system does not say
   */
  int readsInFlight() throws IOException {
    String reads = attribute("inflight").split("\\s", 2)[0];
    try {
      return Integer.parseInt(reads);
    } catch (NumberFormatException e) {
      throw new IOException(disk + " does not say how many reads are in flight", e);
    }
  }

  @Override
  public String toString() {
    return disk.getFileName().toString();
  }
}
