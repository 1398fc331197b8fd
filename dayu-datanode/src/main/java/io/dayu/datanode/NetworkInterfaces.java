/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The network interfaces of the host, in Linux's {@code /sys/class/net}: which of them to count, so that nothing counts
 * twice, and what their files say. An interface is the directory that has its name. Without state but for the path.
 */
final class NetworkInterfaces {
  private static final String LOOPBACK_TYPE = "772";
  private static final String LOWER = "lower_";
  private static final int MAX_DEPTH = 8;

  private final Path sysClassNet;

  NetworkInterfaces(Path sysClassNet) {
    this.sysClassNet = sysClassNet;
  }

  /**
   * The interfaces that carry the traffic of the chosen ones, in order.
   *
   * @param names the chosen ones; empty for all
   */
  Set<Path> find(List<String> names) throws IOException {
    return names.isEmpty() ? all() : carrying(names);
  }

  private Set<Path> all() throws IOException {
    Set<Path> up = new TreeSet<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(sysClassNet)) {
      for (Path one : entries) {
        if (isUp(one)) {
          up.add(one);
        }
      }
    }
    Set<Path> real = new TreeSet<>(up);
    real.removeIf(one -> !isReal(one));
    if (real.isEmpty()) {
      up.removeIf(one -> Files.exists(one.resolve("bridge")));
    }
    return real.isEmpty() ? up : real;
  }

  private Set<Path> carrying(List<String> names) throws IOException {
    Set<Path> carrying = new TreeSet<>();
    for (String name : names) {
      Path one = sysClassNet.resolve(name);
      if (isUp(one)) {
        Set<Path> below = new TreeSet<>();
        addReal(one, below, 0);
        carrying.addAll(below.isEmpty() ? Set.of(one) : below);
      }
    }
    return carrying;
  }

  /** Adds the interface if it has hardware, else the interfaces with hardware below it: these count all traffic. */
  private void addReal(Path one, Set<Path> real, int depth) throws IOException {
    Path whole = isBond(one) ? one : wholeOf(one);
    if (whole != null) {
      real.add(whole);
    } else if (hasDevice(one)) {
      real.add(one);
    } else if (depth < MAX_DEPTH) {
      try (DirectoryStream<Path> lower = Files.newDirectoryStream(one, LOWER + "*")) {
        for (Path link : lower) {
          addReal(sysClassNet.resolve(link.getFileName().toString().substring(LOWER.length())), real, depth + 1);
        }
      }
    }
  }

  private static boolean isBond(Path one) {
    return Files.exists(one.resolve("bonding"));
  }

  private static boolean hasDevice(Path one) {
    return Files.exists(one.resolve("device"));
  }

  /**
   * The interface that counts all traffic of this one, or null: its bond, or the synthetic interface of a virtual
   * machine (hv_netvsc) whose virtual function it is.
   */
  private Path wholeOf(Path one) throws IOException {
    return isPart(one) ? sysClassNet.resolve(one.resolve("master").toRealPath().getFileName()) : null;
  }

  private static boolean isPart(Path one) {
    return hasSpeedOfItsOwn(one.resolve("master"));
  }

  /** Whether what the interface says of its speed is what its link carries: a veth says 10 Gbit/s on any host. */
  static boolean hasSpeedOfItsOwn(Path one) {
    return isBond(one) || hasDevice(one);
  }

  private static boolean isUp(Path one) throws IOException {
    try {
      return Files.isDirectory(one) && !word(one, "type").equals(LOOPBACK_TYPE)
          && !word(one, "operstate").equals("down");
    } catch (NoSuchFileException vanished) {
      return false;
    }
  }

  private static boolean isReal(Path one) {
    return hasSpeedOfItsOwn(one) && !isPart(one);
  }

  private static String word(Path directory, String file) throws IOException {
    return Files.readString(directory.resolve(file)).trim();
  }

  /** What a file of one number says. */
  static long number(Path directory, String file) throws IOException {
    try {
      return Long.parseLong(word(directory, file));
    } catch (NumberFormatException e) {
      throw new IOException(directory.resolve(file) + " holds no number", e);
    }
  }
}
