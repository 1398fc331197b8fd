/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.datanode;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The meter over made-up copies of /sys/class/net. */
class NicMeterTest {
  @TempDir
  private Path net;

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
    NicMeter meter = new NicMeter(net);
    assertEquals(new BandwidthMeter.Counters(110, 220), meter.read());
    assertEquals(OptionalLong.of(11_000L * 125_000), meter.capacityBytesPerSec());
    assertEquals("nic eth0+eth1", meter.describe());
    Files.writeString(net.resolve("eth0/statistics/rx_bytes"), "1100\n");
    assertEquals(new BandwidthMeter.Counters(1110, 220), meter.read());
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
    NicMeter meter = new NicMeter(net);
    assertEquals(new BandwidthMeter.Counters(300, 400), meter.read());
    assertEquals(OptionalLong.of(10_000L * 125_000), meter.capacityBytesPerSec());
  }

  @Test
  void container_countsItsVirtualInterface_whoseSpeedIsUnknown() throws IOException {
    nic("eth0", "up", "-1", 7, 8);
    nic("lo", "unknown", null, 5, 5);
    NicMeter meter = new NicMeter(net);
    assertEquals(new BandwidthMeter.Counters(7, 8), meter.read());
    assertEquals(OptionalLong.empty(), meter.capacityBytesPerSec());
  }

  @Test
  void countedPerBlockByte_isChecksumsAndHeadersOfTheMtu() throws IOException {
    hardware(nic("eth0", "up", "10000", 0, 0));
    assertEquals(1.0539, new NicMeter(net).countedPerBlockByte(), 0.0005);
    Files.writeString(net.resolve("eth0/mtu"), "9000\n");
    assertEquals(1.0153, new NicMeter(net).countedPerBlockByte(), 0.0005);
  }

  @Test
  void hostWithoutInterfaces_isRefused() throws IOException {
    nic("lo", "unknown", null, 5, 5);
    assertTrue(assertThrows(IOException.class, () -> new NicMeter(net)).getMessage().contains("no network interface"));
    assertThrows(IOException.class, () -> new NicMeter(net.resolve("nowhere")));
  }

  @Test
  void brokenCounter_isAnError() throws IOException {
    hardware(nic("eth0", "up", "10000", 0, 0));
    NicMeter meter = new NicMeter(net);
    Files.writeString(net.resolve("eth0/statistics/rx_bytes"), "x");
    assertThrows(IOException.class, meter::read);
  }
}
