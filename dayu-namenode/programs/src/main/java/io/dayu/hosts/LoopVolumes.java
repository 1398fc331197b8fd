/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Volumes with file systems of their own, each in an image file on a loop device, which can be full or turn read-only.
 * Thread-safe for different volumes.
 */
final class LoopVolumes implements Closeable {
  private static final long IMAGE_BYTES = 160L << 20;
  private static final String FILLER = "filler";
  /** fallocate needs some room for itself; the rest is filled by writing. */
  private static final double ALLOCATED_SHARE = 0.98;
  private static final int MAX_ATTEMPTS = 100;
  private static final int PAUSE_MS = 100;

  private final Path directory;

  /**
   * Without volumes yet.
   *
   * @param directory of the run, below which all mounts are
   */
  LoopVolumes(Path directory) throws IOException, InterruptedException {
    this.directory = directory;
    // Mounts below it become known in the namespaces of the hosts, and unknown.
    SystemCommands.run("mount --bind " + directory + " " + directory);
    SystemCommands.run("mount --make-shared " + directory);
  }

  /** Whether this machine can have such volumes. */
  static boolean isPossible(Path directory) throws IOException, InterruptedException {
    Path probe = directory.resolve("probe");
    Files.createDirectories(probe);
    try (LoopVolumes volumes = new LoopVolumes(directory)) {
      volumes.add(probe);
      return Files.isWritable(failureSwitch(probe));
    } catch (IOException e) {
      return false;
    }
  }

  private Path image(Path volume) {
    return directory.resolve("image-" + directory.relativize(volume).toString().replace('/', '-'));
  }

  /** @param volume a path that does not exist or is an empty directory */
  void add(Path volume) throws IOException, InterruptedException {
    Files.createDirectories(volume);
    try (RandomAccessFile image = new RandomAccessFile(image(volume).toFile(), "rw")) {
      image.setLength(IMAGE_BYTES);
    }
    SystemCommands.run("mkfs.ext4 -q -m 0 -E lazy_itable_init=1,root_owner=0:0 -F " + image(volume));
    mount(volume);
    Files.deleteIfExists(volume.resolve("lost+found"));
  }

  private void mount(Path volume) throws IOException, InterruptedException {
    SystemCommands.run("mount -o loop,errors=remount-ro " + image(volume) + " " + volume);
  }

  /** The file system of the volume finds an error and becomes read-only. */
  static void turnReadOnly(Path volume) throws IOException, InterruptedException {
    Files.writeString(failureSwitch(volume), "1");
  }

  private static Path failureSwitch(Path volume) throws IOException, InterruptedException {
    String device = SystemCommands.run("findmnt -n -o SOURCE --mountpoint " + volume).strip();
    return Path.of("/sys/fs/ext4", Path.of(device).getFileName().toString(), "trigger_fs_error");
  }

  /** Makes it writable again, as it was when it failed. No process may use it. */
  void mountAgain(Path volume) throws IOException, InterruptedException {
    for (int attempt = 1; SystemCommands.tryRun(List.of("umount", volume.toString())).exitCode() != 0; attempt++) {
      if (attempt == MAX_ATTEMPTS) {
        throw new IOException(volume + " cannot be unmounted");
      }
      TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
    }
    // 1: errors were corrected.
    if (SystemCommands.tryRun(List.of("e2fsck", "-fy", image(volume).toString())).exitCode() > 1) {
      throw new IOException(image(volume) + " cannot be repaired");
    }
    mount(volume);
  }

  static void fill(Path volume) throws IOException, InterruptedException {
    Path filler = volume.resolve(FILLER);
    long bytes = (long) (Files.getFileStore(volume).getUsableSpace() * ALLOCATED_SHARE);
    SystemCommands.tryRun(List.of("fallocate", "-l", Long.toString(bytes), filler.toString()));
    byte[] zeros = new byte[64 << 10];
    try (OutputStream out = Files.newOutputStream(volume.resolve(FILLER + "-rest"))) {
      while (true) {
        out.write(zeros);
      }
    } catch (IOException full) {
      // As it is meant.
    }
  }

  static void makeRoom(Path volume) throws IOException {
    Files.deleteIfExists(volume.resolve(FILLER));
    Files.deleteIfExists(volume.resolve(FILLER + "-rest"));
  }

  /** Unmounts whatever is mounted in and below the directory, also of an earlier run. */
  static void removeLeftovers(Path directory) throws IOException, InterruptedException {
    List<String> mounts = new ArrayList<>();
    for (String line : Files.readAllLines(Path.of("/proc/self/mounts"))) {
      String place = line.split(" ")[1];
      if (Path.of(place).startsWith(directory)) {
        mounts.add(place);
      }
    }
    Collections.reverse(mounts);
    for (String place : mounts) {
      SystemCommands.run("umount -l " + place);
    }
  }

  @Override
  public void close() throws IOException {
    try {
      removeLeftovers(directory);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
