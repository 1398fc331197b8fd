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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The disk below a volume, as Linux counts what it does: for all processes, so also for clients' short-circuit reads.
 * Safe for use by all threads.
 */
final class BlockDevice {
  private static final Logger LOG = LoggerFactory.getLogger(BlockDevice.class);

  private final Path disk;

  private BlockDevice(Path disk) {
    this.disk = disk;
  }

  /**
   * The disk that holds a directory, if Linux says that it has heads that move: then it does one thing at a time. Empty
   * for other disks, and where the system does not say.
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
    Path volume = devices.resolve(major(device) + ":" + minor(device)).toRealPath();
    // A partition shares its disk with the others.
    BlockDevice disk = new BlockDevice(Files.exists(volume.resolve("partition")) ? volume.getParent() : volume);
    boolean rotates = !isVirtual(disk.toString())
        && Files.readString(disk.disk.resolve("queue/rotational")).trim().equals("1");
    if (rotates) {
      disk.readsInFlight();
    }
    return rotates ? Optional.of(disk) : Optional.empty();
  }

  /** Whether it is a virtual machine's disk: Linux takes these for rotating, whatever they are on the host. */
  private static boolean isVirtual(String name) {
    return name.startsWith("vd") || name.startsWith("xvd");
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
    String reads = Files.readString(disk.resolve("inflight")).strip().split("\\s", 2)[0];
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
