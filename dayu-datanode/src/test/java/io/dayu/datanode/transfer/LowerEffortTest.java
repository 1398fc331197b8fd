/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Whether recovery's connections are marked, and what a host lacks for that. */
class LowerEffortTest {
  @Test
  void nothingIsMarked_unlessItIsAskedFor() {
    LowerEffort none = new LowerEffort(false, "not set", "0");
    assertFalse(none.isOn());
    assertEquals(Optional.empty(), none.obstacle());
  }

  @Test
  void hostThatHasAll_marks() {
    LowerEffort all = new LowerEffort(true, "true", "1");
    assertTrue(all.isOn());
    assertEquals(Optional.empty(), all.obstacle());
  }

  @Test
  void hostWithoutTheSysctl_marksAndSaysSo() {
    LowerEffort partly = new LowerEffort(true, "true", "0");
    assertTrue(partly.isOn());
    assertEquals("Java's java.net.preferIPv4Stack is true, as it should be; the sysctl net.ipv4.tcp_reflect_tos is 0, "
        + "so what this node sends is not marked: set it to 1, in /etc/sysctl.d", partly.obstacle().orElseThrow());
  }

  @Test
  void javaThatPrefersIpv6_marksNothingAndSaysSo() {
    LowerEffort none = new LowerEffort(true, "not set", "1");
    assertFalse(none.isOn());
    assertEquals("Java's java.net.preferIPv4Stack is not set, so nothing is marked (over IPv6 nothing can be): add "
        + "-Djava.net.preferIPv4Stack=true to HADOOP_OPTS; the sysctl net.ipv4.tcp_reflect_tos is 1, as it should be",
        none.obstacle().orElseThrow());
  }

  @Test
  void host_isRead(@TempDir Path directory) throws Exception {
    Configuration conf = new Configuration(false);
    conf.set(Setting.TRAFFIC_CLASS.key(), "lower-effort");
    Path sysctl = directory.resolve("tcp_reflect_tos");
    assertTrue(LowerEffort.read(Settings.read(conf), sysctl).obstacle().orElseThrow()
        .endsWith(
            "tcp_reflect_tos is unknown to this kernel, so what this node sends is not marked: it needs Linux 5.10 "
                + "or later"));
    Files.writeString(sysctl, "1\n");
    LowerEffort read = LowerEffort.read(Settings.read(conf), sysctl);
    assertEquals("1", read.tcpReflectTos());
    assertTrue(read.isWanted());
    assertFalse(LowerEffort.read(Settings.read(new Configuration(false)), sysctl).isWanted());
  }
}
