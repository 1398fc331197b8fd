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

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The traffic class of recovery's connections where the network has one for lower effort (RFC 8622): its packets are
 * sent only where others leave room. Immutable.
 *
 * <p>A target marks its connection before the connect. Whether its source marks what it sends on that is up to the
 * source's kernel, which answers with the class of the first packet if {@code net.ipv4.tcp_reflect_tos} is 1.
 */
public record LowerEffort(boolean isWanted, String preferIpv4Stack, String tcpReflectTos) {
  /** DSCP 1 in the upper six bits of the byte. */
  static final int TRAFFIC_CLASS = 0x04;
  private static final String UNKNOWN = "unknown to this kernel";
  static final Path TCP_REFLECT_TOS = Path.of("/proc/sys/net/ipv4/tcp_reflect_tos");

  /**
   * @param settings of this DataNode
   * @param tcpReflectTos the file that has the kernel's setting
   */
  static LowerEffort read(Settings settings, Path tcpReflectTos) {
    return new LowerEffort(!settings.choice(Setting.TRAFFIC_CLASS).equals("none"),
        System.getProperty("java.net.preferIPv4Stack", "not set"), content(tcpReflectTos));
  }

  /** As it is on this host. */
  public static LowerEffort read(Settings settings) {
    return read(settings, TCP_REFLECT_TOS);
  }

  private static String content(Path file) {
    try {
      return Files.readString(file).trim();
    } catch (IOException e) {
      return UNKNOWN;
    }
  }

  /** Whether connections are marked: Java marks none of a socket that could also be one of IPv6. */
  boolean isOn() {
    return isWanted && Boolean.parseBoolean(preferIpv4Stack);
  }

  /** The reason why this host does not mark all traffic that it should, for people. */
  public Optional<String> obstacle() {
    boolean reflects = tcpReflectTos.equals("1");
    if (!isWanted || isOn() && reflects) {
      return Optional.empty();
    }
    String java = "Java's java.net.preferIPv4Stack is " + preferIpv4Stack + (isOn() ? ", as it should be"
        : ", so nothing is marked (over IPv6 nothing can be): add -Djava.net.preferIPv4Stack=true to HADOOP_OPTS");
    String kernel = "the sysctl net.ipv4.tcp_reflect_tos is " + tcpReflectTos + (reflects ? ", as it should be"
        : ", so what this node sends is not marked: "
            + (tcpReflectTos.equals(UNKNOWN) ? "it needs Linux 5.10 or later" : "set it to 1, in /etc/sysctl.d"));
    return Optional.of(java + "; " + kernel);
  }
}
