/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The disk below a volume, as Linux counts what it does: for all processes, so also for clients' short-circuit reads.
 * Safe for use by all threads.
 */
final class BlockDevice {
  /** How hypervisors call their disks where they show them as SCSI or ATA ones. */
  private static final List<String> HYPERVISORS = List.of("QEMU", "VMware", "VBOX", "Msft", "Google", "ORACLE");

  /** How the identifiers of device-mapper's devices begin that are several paths to one disk. */
  private static final String MULTIPATH = "mpath-";

  private final Path disk;

  private BlockDevice(Path disk) {
    this.disk = disk;
  }

  /**
   * The disks that hold a directory and of which Linux says that they have heads that move: then each does one thing at
   * a time. Of a mapped device (LVM, dm-crypt, md) they are the disks below, without those that have no heads, as a
   * cache. Empty also where the system has no description of the device, and for virtual machines' disks.
   *
   * @param devices where Linux describes block devices, by number
   * @throws IOException if the system does not answer now
   */
  static List<BlockDevice> rotating(Path directory, Path devices) throws IOException {
    try {
      return rotating((long) Files.getAttribute(directory, "unix:dev"), devices);
    } catch (UnsupportedOperationException | IllegalArgumentException notLinux) {
      return List.of();
    }
  }

  /** @param device its number, as of {@code stat} */
  static List<BlockDevice> rotating(long device, Path devices) throws IOException {
    Path described = devices.resolve(major(device) + ":" + minor(device));
    Set<Path> disks = new TreeSet<>();
    if (Files.exists(described)) {
      addDisks(described.toRealPath(), new HashSet<>(), disks);
    }
    List<BlockDevice> rotating = new ArrayList<>();
    for (Path path : disks) {
      BlockDevice disk = new BlockDevice(path);
      if (disk.attribute("queue/rotational").equals("1") && !disk.isVirtual()) {
        disk.readsInFlight();
        rotating.add(disk);
      }
    }
    return rotating;
  }

  /** Adds the disks that a device consists of, or is on. */
  private static void addDisks(Path device, Set<Path> seen, Set<Path> disks) throws IOException {
    // A partition shares its disk with the others.
    Path whole = Files.exists(device.resolve("partition")) ? device.getParent() : device;
    if (!seen.add(whole)) {
      return;
    }
    List<Path> below = new BlockDevice(whole).isMultipath() ? List.of() : slaves(whole);
    if (below.isEmpty()) {
      disks.add(whole);
    }
    for (Path one : below) {
      addDisks(one, seen, disks);
    }
  }

  private static List<Path> slaves(Path device) throws IOException {
    List<Path> below = new ArrayList<>();
    Path slaves = device.resolve("slaves");
    if (Files.isDirectory(slaves)) {
      try (DirectoryStream<Path> links = Files.newDirectoryStream(slaves)) {
        for (Path link : links) {
          below.add(link.toRealPath());
        }
      }
    }
    return below;
  }

  /** Whether it is one disk to which several paths lead, each of which Linux shows as a disk of its own. */
  private boolean isMultipath() throws IOException {
    return Files.exists(disk.resolve("dm/uuid")) && attribute("dm/uuid").startsWith(MULTIPATH);
  }

  /** Whether it is a virtual machine's disk: Linux takes these for rotating, whatever they are on the host. */
  private boolean isVirtual() throws IOException {
    for (Path path : slaves(disk)) {
      if (new BlockDevice(path).isVirtual()) {
        return true;
      }
    }
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
