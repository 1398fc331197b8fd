/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import org.apache.hadoop.io.IOUtils;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The counters of the host's network interfaces, read from Linux's {@code /sys/class/net}. Used by one thread at a
 * time.
 *
 * <p>It counts the interfaces that carry the traffic of the chosen ones. For a VLAN or a bridge that is the bond or the
 * hardware below it, which carries the traffic of its neighbours too. For a bond it is the bond and not its members. So
 * nothing counts twice. If no interface is chosen, the meter counts all bonds and, outside bonds, all interfaces with
 * hardware behind them; in a container, where no interface has hardware, it counts all the others. Loopback and
 * interfaces that are down never count. Interfaces may come and go: the meter looks for them every
 * {@link #REFRESH_NS}, and ignores what a new one has counted before.
 */
final class NicMeter implements BandwidthMeter, Closeable {
  static final Path SYS_CLASS_NET = Path.of("/sys/class/net");
  static final long REFRESH_NS = TimeUnit.SECONDS.toNanos(10);
  /** How often the meter looks for interfaces while there is none. */
  static final long RETRY_NS = TimeUnit.SECONDS.toNanos(1);
  private static final String LOOPBACK_TYPE = "772";
  private static final String LOWER = "lower_";
  private static final int MAX_DEPTH = 8;
  private static final long BYTES_PER_MEGABIT = 125_000;
  /** Headers of a frame: Ethernet; and IPv4 and TCP with timestamps, which count as part of the MTU. */
  private static final int FRAME_HEADER_BYTES = 14;
  private static final int TCP_IP_HEADER_BYTES = 52;
  private static final int DEFAULT_MTU_BYTES = 1500;
  /** A CRC of 4 bytes for every 512. */
  private static final double WITH_CHECKSUMS = 1 + 4.0 / 512;

  private final Path sysClassNet;
  private final Supplier<List<String>> chosen;
  private final String host;
  private final LongSupplier clockNs;
  /** By path, in order. */
  private final Map<Path, Interface> interfaces = new TreeMap<>();
  private long lookedUpNs;
  private long inBytes;
  private long outBytes;
  private volatile OptionalLong sharedId = OptionalLong.empty();

  /**
   * @param sysClassNet the directory with an entry for each interface
   * @param chosen the interfaces by name, asked at each look-up; empty for all
   * @param host what tells this host, and the part of its network that this process sees, from all others; empty if
   *     nothing does
   * @throws IOException if there is no such directory or no interface to count
   */
  NicMeter(Path sysClassNet, Supplier<List<String>> chosen, String host, LongSupplier clockNs) throws IOException {
    this.sysClassNet = sysClassNet;
    this.chosen = chosen;
    this.host = host;
    this.clockNs = clockNs;
    try {
      lookUp(clockNs.getAsLong());
    } catch (IOException e) {
      close();
      throw e;
    }
    for (Interface one : interfaces.values()) {
      inBytes += one.lastIn;
      outBytes += one.lastOut;
    }
  }

  /** Opens the counters of new interfaces, and closes those of interfaces that are gone. */
  private void lookUp(long nowNs) throws IOException {
    lookedUpNs = nowNs;
    List<String> names = chosen.get();
    Set<Path> present = names.isEmpty() ? all() : carrying(names);
    for (Path gone : Set.copyOf(interfaces.keySet())) {
      if (!present.contains(gone)) {
        interfaces.remove(gone).close();
      }
    }
    for (Path one : present) {
      if (!interfaces.containsKey(one)) {
        interfaces.put(one, Interface.open(one));
      }
    }
    if (interfaces.isEmpty()) {
      throw new IOException("no network interface is up in " + sysClassNet
          + (names.isEmpty() ? "" : " of " + String.join(", ", names)));
    }
    String counted = host + interfaces.keySet();
    sharedId = host.isEmpty() ? OptionalLong.empty()
        : OptionalLong.of(UUID.nameUUIDFromBytes(counted.getBytes(StandardCharsets.UTF_8)).getMostSignificantBits());
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
    Path bond = isBond(one) ? one : bondOf(one);
    if (bond != null) {
      real.add(bond);
    } else if (Files.exists(one.resolve("device"))) {
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

  /** The bond that the interface is a member of, or null. */
  private Path bondOf(Path one) throws IOException {
    Path master = one.resolve("master");
    return isBond(master) ? sysClassNet.resolve(master.toRealPath().getFileName()) : null;
  }

  private static boolean isUp(Path one) throws IOException {
    try {
      return Files.isDirectory(one) && !word(one, "type").equals(LOOPBACK_TYPE)
          && !word(one, "operstate").equals("down");
    } catch (NoSuchFileException vanished) {
      return false;
    }
  }

  /** The two counters of one interface. */
  private static final class Interface implements Closeable {
    private final Counter in;
    private final Counter out;
    private long lastIn;
    private long lastOut;

    private Interface(Counter in, Counter out) throws IOException {
      this.in = in;
      this.out = out;
      this.lastIn = in.read();
      this.lastOut = out.read();
    }

    static Interface open(Path one) throws IOException {
      Counter in = new Counter(one.resolve("statistics/rx_bytes"));
      Counter out = null;
      try {
        out = new Counter(one.resolve("statistics/tx_bytes"));
        return new Interface(in, out);
      } catch (IOException e) {
        IOUtils.cleanupWithLogger(null, in, out);
        throw e;
      }
    }

    @Override
    public void close() {
      IOUtils.cleanupWithLogger(null, in, out);
    }
  }

  /**
   * A file that holds a number which changes. It stays open: it is read a hundred times a second while there is
   * recovery.
   */
  private static final class Counter implements Closeable {
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
      long value = 0;
      boolean hasDigits = false;
      while (buffer.hasRemaining()) {
        byte next = buffer.get();
        if (next >= '0' && next <= '9') {
          value = 10 * value + (next - '0');
          hasDigits = true;
        } else if (!Character.isWhitespace(next)) {
          throw new IOException(path + " holds no number");
        }
      }
      if (!hasDigits) {
        throw new IOException(path + " holds no number");
      }
      return value;
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }

  private static boolean isReal(Path one) {
    boolean isInBond = Files.exists(one.resolve("master").resolve("bonding"));
    return isBond(one) || (Files.exists(one.resolve("device")) && !isInBond);
  }

  @Override
  public Counters read() throws IOException {
    long nowNs = clockNs.getAsLong();
    if (nowNs - lookedUpNs >= (interfaces.isEmpty() ? RETRY_NS : REFRESH_NS)) {
      lookUp(nowNs);
    }
    IOException failure = null;
    for (Iterator<Interface> each = interfaces.values().iterator(); each.hasNext();) {
      Interface one = each.next();
      try {
        count(one);
      } catch (IOException e) {
        // It has vanished. One of the same name is another one.
        each.remove();
        one.close();
        failure = e;
      }
    }
    if (interfaces.isEmpty()) {
      throw failure != null ? failure : new IOException("no network interface is up in " + sysClassNet);
    }
    return new Counters(inBytes, outBytes);
  }

  private void count(Interface one) throws IOException {
    long in = one.in.read();
    long out = one.out.read();
    // A counter that runs backwards has been reset.
    inBytes += Math.max(0, in - one.lastIn);
    outBytes += Math.max(0, out - one.lastOut);
    one.lastIn = in;
    one.lastOut = out;
  }

  @Override
  public void close() {
    interfaces.values().forEach(Interface::close);
    interfaces.clear();
  }

  /** The sum of the interfaces' speeds; empty if one of them does not tell its speed, as virtual ones often do not. */
  @Override
  public OptionalLong capacityBytesPerSec() {
    long sum = 0;
    for (Path one : interfaces.keySet()) {
      long megabits;
      try {
        megabits = number(one, "speed");
      } catch (IOException unknown) {
        megabits = -1;
      }
      if (megabits <= 0) {
        return OptionalLong.empty();
      }
      sum += megabits * BYTES_PER_MEGABIT;
    }
    return OptionalLong.of(sum);
  }

  @Override
  public double countedPerBlockByte() {
    long mtuBytes = DEFAULT_MTU_BYTES;
    try {
      mtuBytes = Math.max(TCP_IP_HEADER_BYTES + 1, number(interfaces.keySet().iterator().next(), "mtu"));
    } catch (IOException unknown) {
      // Then the usual one.
    }
    return WITH_CHECKSUMS * (mtuBytes + FRAME_HEADER_BYTES) / (mtuBytes - TCP_IP_HEADER_BYTES);
  }

  /** The same for all processes that see the same part of this host's network and count the same interfaces. */
  @Override
  public OptionalLong sharedId() {
    return sharedId;
  }

  @Override
  public synchronized String describe() {
    return "nic " + String.join("+", interfaces.keySet().stream().map(one -> one.getFileName().toString()).toList());
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
