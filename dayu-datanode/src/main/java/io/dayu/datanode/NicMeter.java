/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The counters of the host's network interfaces, read from Linux's {@code /sys/class/net}. Safe for use by all threads.
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
  private static final long BYTES_PER_MEGABIT = 125_000;
  /** Headers of a frame: Ethernet; and IPv4 and TCP with timestamps, which count as part of the MTU. */
  private static final int FRAME_HEADER_BYTES = 14;
  private static final int TCP_IP_HEADER_BYTES = 52;
  private static final int DEFAULT_MTU_BYTES = 1500;
  /** A CRC of 4 bytes for every 512. */
  private static final double WITH_CHECKSUMS = 1 + 4.0 / 512;

  private final Path sysClassNet;
  private final NetworkInterfaces network;
  private final Supplier<List<String>> chosen;
  private final String host;
  private final LongSupplier clockNs;
  /** By path, in order. */
  private final Map<Path, InterfaceCounters> interfaces = new TreeMap<>();
  private long lookedUpNs;
  private long inBytes;
  private long outBytes;
  private volatile OptionalLong sharedId = OptionalLong.empty();

  private NicMeter(Path sysClassNet, Supplier<List<String>> chosen, String host, LongSupplier clockNs) {
    this.sysClassNet = sysClassNet;
    this.network = new NetworkInterfaces(sysClassNet);
    this.chosen = chosen;
    this.host = host;
    this.clockNs = clockNs;
  }

  /**
   * Opens the interfaces' counters.
   *
   * @param sysClassNet the directory with an entry for each interface
   * @param chosen the interfaces by name, asked at each look-up; empty for all
   * @param host what tells this host, and the part of its network that this process sees, from all others; empty if
   *     nothing does
   * @throws IOException if there is no such directory or no interface to count
   */
  static NicMeter open(Path sysClassNet, Supplier<List<String>> chosen, String host, LongSupplier clockNs)
      throws IOException {
    NicMeter meter = new NicMeter(sysClassNet, chosen, host, clockNs);
    try {
      meter.lookUp(clockNs.getAsLong());
    } catch (IOException e) {
      meter.close();
      throw e;
    }
    for (InterfaceCounters one : meter.interfaces.values()) {
      meter.inBytes += one.lastIn();
      meter.outBytes += one.lastOut();
    }
    return meter;
  }

  /** Opens the counters of new interfaces, and closes those of interfaces that are gone. */
  private void lookUp(long nowNs) throws IOException {
    lookedUpNs = nowNs;
    List<String> names = chosen.get();
    Set<Path> present = network.find(names);
    for (Path gone : Set.copyOf(interfaces.keySet())) {
      if (!present.contains(gone)) {
        interfaces.remove(gone).close();
      }
    }
    for (Path one : present) {
      if (!interfaces.containsKey(one)) {
        interfaces.put(one, InterfaceCounters.open(one));
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

  @Override
  public synchronized Counters read() throws IOException {
    long nowNs = clockNs.getAsLong();
    if (nowNs - lookedUpNs >= (interfaces.isEmpty() ? RETRY_NS : REFRESH_NS)) {
      lookUp(nowNs);
    }
    IOException failure = null;
    for (Iterator<InterfaceCounters> each = interfaces.values().iterator(); each.hasNext();) {
      InterfaceCounters one = each.next();
      try {
        one.read();
        inBytes += one.addedIn();
        outBytes += one.addedOut();
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

  @Override
  public synchronized void close() {
    interfaces.values().forEach(InterfaceCounters::close);
    interfaces.clear();
  }

  /**
   * The sum of the interfaces' speeds; empty if one of them does not tell its speed, or is virtual and makes one up.
   */
  @Override
  public synchronized OptionalLong capacityBytesPerSec() {
    long sum = 0;
    for (Path one : interfaces.keySet()) {
      long megabits;
      try {
        megabits = NetworkInterfaces.hasSpeedOfItsOwn(one) ? NetworkInterfaces.number(one, "speed") : -1;
      } catch (IOException unknown) {
        megabits = -1;
      }
      if (megabits <= 0) {
        return OptionalLong.empty();
      }
      sum += megabits * BYTES_PER_MEGABIT;
    }
    return sum == 0 ? OptionalLong.empty() : OptionalLong.of(sum);
  }

  @Override
  public double countedPerBlockByte() {
    long mtuBytes = mtuBytes();
    return WITH_CHECKSUMS * (mtuBytes + FRAME_HEADER_BYTES) / (mtuBytes - TCP_IP_HEADER_BYTES);
  }

  /** The MTU of the first interface that tells it, else the usual one. */
  private synchronized long mtuBytes() {
    for (Path one : interfaces.keySet()) {
      try {
        return Math.max(TCP_IP_HEADER_BYTES + 1, NetworkInterfaces.number(one, "mtu"));
      } catch (IOException unknown) {
        // The next one may tell.
      }
    }
    return DEFAULT_MTU_BYTES;
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
}
