/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.datanode;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;

/**
 * The counters of the host's network interfaces, read from Linux's {@code /sys/class/net}. Immutable after construction.
 *
 * <p>Counted are bonds and, outside bonds, interfaces with hardware behind them: so bridges, VLANs and tunnels on top do not count twice. In
 * a container, where no interface has hardware, it is all that are left. Loopback and interfaces that are down never count.
 */
final class NicMeter implements BandwidthMeter {
  static final Path SYS_CLASS_NET = Path.of("/sys/class/net");
  private static final String LOOPBACK_TYPE = "772";
  private static final long BYTES_PER_SEC_OF_MEGABIT = 125_000;
  /** Of each frame: Ethernet header; and IPv4 and TCP headers with timestamps, which are inside the MTU. */
  private static final int FRAME_HEADER_BYTES = 14;
  private static final int TCP_IP_HEADER_BYTES = 52;
  private static final int USUAL_MTU_BYTES = 1500;
  /** A CRC of 4 bytes for every 512. */
  private static final double WITH_CHECKSUMS = 1 + 4.0 / 512;

  private final List<Path> interfaces;
  private final List<Counter> inBytes = new ArrayList<>();
  private final List<Counter> outBytes = new ArrayList<>();

  /**
   * @param sysClassNet the directory with an entry for each interface
   * @throws IOException if there is no such directory or no interface to count
   */
  NicMeter(Path sysClassNet) throws IOException {
    List<Path> up = new ArrayList<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(sysClassNet)) {
      for (Path one : all) {
        if (Files.isDirectory(one) && !word(one, "type").equals(LOOPBACK_TYPE) && !word(one, "operstate").equals("down")) {
          up.add(one);
        }
      }
    }
    up.sort(Comparator.comparing(Path::toString));
    List<Path> real = up.stream().filter(NicMeter::isReal).toList();
    interfaces = real.isEmpty() ? up.stream().filter(one -> !Files.exists(one.resolve("bridge"))).toList() : real;
    if (interfaces.isEmpty()) {
      throw new IOException("no network interface is up in " + sysClassNet);
    }
    for (Path one : interfaces) {
      inBytes.add(new Counter(one.resolve("statistics/rx_bytes")));
      outBytes.add(new Counter(one.resolve("statistics/tx_bytes")));
    }
    read();
  }

  /** A file that holds a number which changes. It stays open: it is read a hundred times a second while there is recovery. */
  private static final class Counter {
    private static final int MAX_DIGITS = 32;

    private final Path path;
    private final FileChannel file;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(MAX_DIGITS);

    Counter(Path path) throws IOException {
      this.path = path;
      this.file = FileChannel.open(path);
    }

    long read() throws IOException {
      buffer.clear();
      file.read(buffer, 0);
      buffer.flip();
      String text = StandardCharsets.US_ASCII.decode(buffer).toString().trim();
      try {
        return Long.parseLong(text);
      } catch (NumberFormatException e) {
        throw new IOException(path + " holds no number", e);
      }
    }
  }

  private static boolean isReal(Path one) {
    boolean isBond = Files.exists(one.resolve("bonding"));
    boolean isInBond = Files.exists(one.resolve("master").resolve("bonding"));
    return isBond || (Files.exists(one.resolve("device")) && !isInBond);
  }

  @Override
  public Counters read() throws IOException {
    return new Counters(sum(inBytes), sum(outBytes));
  }

  private static long sum(List<Counter> counters) throws IOException {
    long sum = 0;
    for (Counter counter : counters) {
      sum += counter.read();
    }
    return sum;
  }

  /** The sum of the interfaces' speeds; empty if one of them does not tell its speed, as virtual ones often do not. */
  @Override
  public OptionalLong capacityBytesPerSec() {
    long sum = 0;
    for (Path one : interfaces) {
      long megabits;
      try {
        megabits = number(one, "speed");
      } catch (IOException unknown) {
        megabits = -1;
      }
      if (megabits <= 0) {
        return OptionalLong.empty();
      }
      sum += megabits * BYTES_PER_SEC_OF_MEGABIT;
    }
    return OptionalLong.of(sum);
  }

  @Override
  public double countedPerBlockByte() {
    long mtuBytes = USUAL_MTU_BYTES;
    try {
      mtuBytes = Math.max(TCP_IP_HEADER_BYTES + 1, number(interfaces.get(0), "mtu"));
    } catch (IOException unknown) {
      // Then the usual one.
    }
    return WITH_CHECKSUMS * (mtuBytes + FRAME_HEADER_BYTES) / (mtuBytes - TCP_IP_HEADER_BYTES);
  }

  @Override
  public String describe() {
    return "nic " + String.join("+", interfaces.stream().map(one -> one.getFileName().toString()).toList());
  }

  private static String word(Path directory, String file) throws IOException {
    return Files.readString(directory.resolve(file)).trim();
  }

  private static long number(Path directory, String file) throws IOException {
    try {
      return Long.parseLong(word(directory, file));
    } catch (NumberFormatException e) {
      throw new IOException(directory.resolve(file) + " holds no number", e);
    }
  }
}
