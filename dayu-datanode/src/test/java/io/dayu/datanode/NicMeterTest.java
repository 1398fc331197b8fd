/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.datanode.transfer.TestClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The meter over made-up copies of /sys/class/net. */
class NicMeterTest {
  @TempDir
  private Path directory;
  private Path net;
  private final List<NicMeter> open = new ArrayList<>();
  private long nowNs = TestClock.START_NS;

  @BeforeEach
  void makeTree() throws IOException {
    net = Files.createDirectories(directory.resolve("net"));
  }

  private Path nic(String name, String state, String speed, long rx, long tx) throws IOException {
    Path nic = Files.createDirectories(net.resolve(name));
    Files.createDirectories(nic.resolve("statistics"));
    Files.writeString(nic.resolve("type"), (name.equals("lo") ? "772" : "1") + "\n");
    Files.writeString(nic.resolve("operstate"), state + "\n");
    Files.writeString(nic.resolve("mtu"), "1500\n");
    if (speed != null) {
      Files.writeString(nic.resolve("speed"), speed + "\n");
    }
    Files.writeString(nic.resolve("statistics/rx_bytes"), rx + "\n");
    Files.writeString(nic.resolve("statistics/tx_bytes"), tx + "\n");
    return nic;
  }

  private NicMeter meter(String... chosen) throws IOException {
    return meter("host", () -> List.of(chosen));
  }

  private NicMeter meter(String host, Supplier<List<String>> chosen) throws IOException {
    NicMeter opened = NicMeter.open(net, chosen, host, () -> nowNs);
    open.add(opened);
    return opened;
  }

  @AfterEach
  void closeMeters() {
    open.forEach(NicMeter::close);
  }

  private static void on(Path upper, Path lower) throws IOException {
    Files.createSymbolicLink(upper.resolve("lower_" + lower.getFileName()), lower);
  }

  private static void count(Path nic, long rx, long tx) throws IOException {
    Files.writeString(nic.resolve("statistics/rx_bytes"), rx + "\n");
    Files.writeString(nic.resolve("statistics/tx_bytes"), tx + "\n");
  }

  private void remove(Path nic) throws IOException {
    // As the kernel does: who has a counter open reads nothing more.
    Files.writeString(nic.resolve("statistics/rx_bytes"), "");
    Files.move(nic, net.resolveSibling(nic.getFileName() + "-gone"));
  }

  private Path hardware(Path nic) throws IOException {
    return Files.createDirectories(nic.resolve("device"));
  }

  @Test
  void physicalInterfaces_areSummed_withoutLoopbackVirtualAndDown() throws IOException {
    hardware(nic("eth0", "up", "10000", 100, 200));
    hardware(nic("eth1", "up", "1000", 10, 20));
    hardware(nic("eth2", "down", "-1", 1_000_000, 1_000_000));
    nic("lo", "unknown", null, 5_000_000, 5_000_000);
    nic("eth0.17", "up", "10000", 100, 200);
    NicMeter meter = meter();
    assertEquals(new BandwidthMeter.Counters(110, 220), meter.read());
    assertEquals(OptionalLong.of(11_000L * 125_000), meter.capacityBytesPerSec());
    assertEquals("nic eth0+eth1", meter.describe());
    Files.writeString(net.resolve("eth0/statistics/rx_bytes"), "1100\n");
    assertEquals(new BandwidthMeter.Counters(1110, 220), meter.read());
  }

  @Test
  void allInterfacesVanish_theirFiguresAreUnknown() throws IOException {
    Path nic = hardware(nic("eth0", "up", "10000", 100, 200)).getParent();
    NicMeter meter = meter();
    double countedWhileUp = meter.countedPerBlockByte();
    remove(nic);
    assertThrows(IOException.class, meter::read);
    assertEquals(countedWhileUp, meter.countedPerBlockByte(), "the usual MTU");
    assertEquals(OptionalLong.empty(), meter.capacityBytesPerSec());
  }

  @Test
  void bond_countsInPlaceOfItsMembers() throws IOException {
    Path bond = nic("bond0", "up", "10000", 300, 400);
    Files.createDirectories(bond.resolve("bonding"));
    for (String name : new String[] {"eth0", "eth1"}) {
      Path member = nic(name, "up", "10000", 150, 200);
      hardware(member);
      Files.createSymbolicLink(member.resolve("master"), bond);
    }
    NicMeter meter = meter();
    assertEquals(new BandwidthMeter.Counters(300, 400), meter.read());
    assertEquals(OptionalLong.of(10_000L * 125_000), meter.capacityBytesPerSec());
  }

  @Test
  void container_countsItsVirtualInterface_whoseSpeedIsUnknown() throws IOException {
    nic("eth0", "up", "-1", 7, 8);
    nic("lo", "unknown", null, 5, 5);
    NicMeter meter = meter();
    assertEquals(new BandwidthMeter.Counters(7, 8), meter.read());
    assertEquals(OptionalLong.empty(), meter.capacityBytesPerSec());
  }

  @Test
  void virtualInterface_hasNoCapacity_whateverItSaysOfItsSpeed() throws IOException {
    nic("eth0", "up", "10000", 7, 8); // A veth: the same on any host.
    nic("tun0", "unknown", "10", 7, 8);
    assertEquals(OptionalLong.empty(), meter("eth0").capacityBytesPerSec());
    assertEquals(OptionalLong.empty(), meter("tun0").capacityBytesPerSec());
    assertEquals(OptionalLong.empty(), meter().capacityBytesPerSec());
  }

  @Test
  void syntheticInterface_countsInPlaceOfItsVirtualFunction() throws IOException {
    Path synthetic = hardware(nic("eth0", "up", "50000", 300, 400)).getParent();
    Path function = hardware(nic("enP1s1", "up", "50000", 290, 390)).getParent();
    Files.createSymbolicLink(function.resolve("master"), synthetic);
    on(synthetic, function);
    for (NicMeter meter : List.of(meter(), meter("eth0"), meter("enP1s1"), meter("eth0", "enP1s1"))) {
      assertEquals("nic eth0", meter.describe());
      assertEquals(new BandwidthMeter.Counters(300, 400), meter.read());
      assertEquals(OptionalLong.of(50_000L * 125_000), meter.capacityBytesPerSec());
    }
  }

  @Test
  void countedPerBlockByte_isChecksumsAndHeadersOfTheMtu() throws IOException {
    hardware(nic("eth0", "up", "10000", 0, 0));
    assertEquals(1.0539, meter().countedPerBlockByte(), 0.0005);
    Files.writeString(net.resolve("eth0/mtu"), "9000\n");
    assertEquals(1.0153, meter().countedPerBlockByte(), 0.0005);
  }

  @Test
  void hostWithoutInterfaces_isRefused() throws IOException {
    nic("lo", "unknown", null, 5, 5);
    assertTrue(assertThrows(IOException.class, () -> meter()).getMessage().contains("no network interface"));
    assertThrows(IOException.class, () -> NicMeter.open(net.resolve("nowhere"), List::of, "host", () -> nowNs));
  }

  @Test
  void brokenCounter_isAnError() throws IOException {
    hardware(nic("eth0", "up", "10000", 0, 0));
    NicMeter meter = meter();
    Files.writeString(net.resolve("eth0/statistics/rx_bytes"), "x");
    assertThrows(IOException.class, meter::read);
  }

  @Test
  void chosenInterface_countsAlone() throws IOException {
    hardware(nic("eth0", "up", "10000", 100, 200));
    hardware(nic("eth1", "up", "1000", 10, 20));
    assertEquals(new BandwidthMeter.Counters(10, 20), meter("eth1").read());
    assertEquals(OptionalLong.of(1_000L * 125_000), meter("eth1").capacityBytesPerSec());
    IOException none = assertThrows(IOException.class, () -> meter("eth7"));
    assertTrue(none.getMessage().endsWith("of eth7"), none::toString);
  }

  @Test
  void chosenInterface_mayBecomeAnotherOne() throws IOException {
    hardware(nic("eth0", "up", "10000", 100, 200));
    Path eth1 = nic("eth1", "up", "1000", 10, 20);
    hardware(eth1);
    AtomicReference<List<String>> chosen = new AtomicReference<>(List.of());
    NicMeter meter = meter("host", chosen::get);
    assertEquals("nic eth0+eth1", meter.describe());
    chosen.set(List.of("eth1"));
    nowNs += NicMeter.REFRESH_NS;
    assertEquals(new BandwidthMeter.Counters(110, 220), meter.read());
    count(eth1, 15, 27);
    assertEquals(new BandwidthMeter.Counters(115, 227), meter.read());
    assertEquals("nic eth1", meter.describe());
  }

  @Test
  void metersOfOneHost_haveOneId_whereTheyCountTheSame() throws IOException {
    hardware(nic("eth0", "up", "10000", 100, 200));
    hardware(nic("eth1", "up", "1000", 10, 20));
    assertEquals(meter("eth0").sharedId(), meter("eth0").sharedId());
    assertTrue(meter("eth0").sharedId().isPresent());
    assertNotEquals(meter("eth0").sharedId(), meter("eth1").sharedId());
    assertNotEquals(meter("eth0").sharedId(), meter("other host", () -> List.of("eth0")).sharedId());
    assertEquals(OptionalLong.empty(), meter("", () -> List.of("eth0")).sharedId());
  }

  @Test
  void vlanAndBridge_countWhereTheyShareTheHardware() throws IOException {
    Path eth0 = hardware(nic("eth0", "up", "10000", 100, 200)).getParent();
    Path eth1 = hardware(nic("eth1", "up", "1000", 10, 20)).getParent();
    Path vlan = nic("eth0.17", "up", "10000", 50, 60);
    on(vlan, eth0);
    Path tap = nic("tap0", "up", "10", 7, 8);
    Path bridge = nic("br0", "up", null, 5, 6);
    Files.createDirectories(bridge.resolve("bridge"));
    on(bridge, eth1);
    on(bridge, tap);
    assertEquals("nic eth0", meter("eth0.17").describe());
    assertEquals("nic eth1", meter("br0").describe());
    assertEquals("nic eth0+eth1", meter("br0", "eth0.17", "eth0").describe());
    assertEquals("nic tap0", meter("tap0").describe(), "what has no hardware below it counts itself");
  }

  @Test
  void chosenMemberOfABond_isTheBond_andVlanOnItToo() throws IOException {
    Path bond = nic("bond0", "up", "20000", 300, 400);
    Files.createDirectories(bond.resolve("bonding"));
    for (String name : new String[] {"eth0", "eth1"}) {
      Path member = nic(name, "up", "10000", 150, 200);
      hardware(member);
      Files.createSymbolicLink(member.resolve("master"), bond);
      on(bond, member);
    }
    Path vlan = nic("bond0.5", "up", "20000", 30, 40);
    on(vlan, bond);
    for (String[] chosen : new String[][] {{"eth1"}, {"bond0"}, {"bond0.5"}, {"bond0.5", "eth0", "bond0"}}) {
      assertEquals(new BandwidthMeter.Counters(300, 400), meter(chosen).read());
    }
  }

  @Test
  void interfaceThatVanishesAndComesBack_isNoTraffic() throws IOException {
    Path eth0 = nic("eth0", "up", "10000", 100, 200);
    hardware(eth0);
    Path eth1 = nic("eth1", "up", "10000", 1_000, 2_000);
    hardware(eth1);
    NicMeter meter = meter();
    assertEquals(new BandwidthMeter.Counters(1_100, 2_200), meter.read());
    remove(eth1);
    assertEquals(new BandwidthMeter.Counters(1_100, 2_200), meter.read());
    count(eth0, 105, 206);
    assertEquals(new BandwidthMeter.Counters(1_105, 2_206), meter.read(), "the other one goes on");
    hardware(nic("eth1", "up", "10000", 9_000_000, 9_000_000));
    nowNs += NicMeter.REFRESH_NS;
    assertEquals(new BandwidthMeter.Counters(1_105, 2_206), meter.read());
    count(net.resolve("eth1"), 9_000_010, 9_000_020);
    assertEquals(new BandwidthMeter.Counters(1_115, 2_226), meter.read());
    assertEquals("nic eth0+eth1", meter.describe());
  }

  @Test
  void interfaceThatFirstAppearsAfterTheStart_countsFromThenOn() throws IOException {
    Path eth0 = hardware(nic("eth0", "up", "10000", 100, 200)).getParent();
    NicMeter meter = meter();
    assertEquals(new BandwidthMeter.Counters(100, 200), meter.read());
    Path eth1 = hardware(nic("eth1", "up", "1000", 9_000_000, 9_000_000)).getParent();
    assertEquals(new BandwidthMeter.Counters(100, 200), meter.read());
    nowNs += NicMeter.REFRESH_NS;
    assertEquals(new BandwidthMeter.Counters(100, 200), meter.read(), "what it carried before");
    count(eth0, 101, 202);
    count(eth1, 9_000_010, 9_000_020);
    assertEquals(new BandwidthMeter.Counters(111, 222), meter.read());
    assertEquals("nic eth0+eth1", meter.describe());
    assertEquals(OptionalLong.of(11_000L * 125_000), meter.capacityBytesPerSec());
  }

  @Test
  void onlyInterface_isWaitedFor() throws IOException {
    Path eth0 = nic("eth0", "up", "10000", 100, 200);
    hardware(eth0);
    NicMeter meter = meter();
    remove(eth0);
    assertThrows(IOException.class, meter::read);
    nowNs += NicMeter.RETRY_NS;
    assertThrows(IOException.class, meter::read);
    hardware(nic("eth0", "up", "10000", 5, 5));
    nowNs += NicMeter.RETRY_NS;
    assertEquals(new BandwidthMeter.Counters(100, 200), meter.read());
  }

  @Test
  void closedMeter_leavesNoFileOpen() throws IOException {
    hardware(nic("eth0", "up", "10000", 100, 200));
    NicMeter meter = meter();
    assertEquals(2, openFiles());
    nowNs += NicMeter.REFRESH_NS;
    meter.read();
    assertEquals(2, openFiles());
    meter.close();
    assertEquals(0, openFiles());
    Files.writeString(net.resolve("eth0/statistics/tx_bytes"), "x");
    assertThrows(IOException.class, this::meter);
    assertEquals(0, openFiles());
  }

  private long openFiles() throws IOException {
    Path files = Path.of("/proc/self/fd");
    Assumptions.assumeTrue(Files.isDirectory(files));
    try (Stream<Path> all = Files.list(files)) {
      return all.filter(file -> {
        try {
          return Files.readSymbolicLink(file).startsWith(net.toRealPath());
        } catch (IOException closedMeanwhile) {
          return false;
        }
      }).count();
    }
  }
}
