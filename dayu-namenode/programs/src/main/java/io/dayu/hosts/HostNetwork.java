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
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The network of the hosts: a namespace for each, joined by a bridge in a namespace of its own. Not thread-safe, but
 * for {@link #limit}.
 *
 * <p>A DataNode's link is limited at both of its ends, which limits both directions; those of the NameNode and of the
 * clients are not limited. Small segments and cubic make flows share a queue evenly. The names of all namespaces have
 * one prefix, by which what a killed run left is found and removed.
 */
final class HostNetwork implements Closeable {
  static final String PREFIX = "dayu-hosts-";
  static final String BRIDGE = PREFIX + "bridge";
  private static final String SUBNET = "10.213.7.";

  private final LinkQueue queue;
  private final Map<String, String> addresses = new LinkedHashMap<>();
  private final Set<String> limited = new HashSet<>();

  /**
   * The hosts of a layout, without limits.
   *
   * @param queue of the links that are limited later
   */
  HostNetwork(HostLayout layout, LinkQueue queue) throws IOException, InterruptedException {
    this.queue = queue;
    removeLeftovers();
    boolean built = false;
    try {
      SystemCommands.run("ip netns add " + BRIDGE);
      SystemCommands.run("ip -n " + BRIDGE + " link add br0 type bridge");
      SystemCommands.run("ip -n " + BRIDGE + " link set br0 up");
      for (String host : layout.hosts()) {
        add(host);
      }
      built = true;
    } finally {
      if (!built) {
        close();
      }
    }
  }

  private void add(String host) throws IOException, InterruptedException {
    String address = SUBNET + (addresses.size() + 1);
    String namespace = namespace(host);
    SystemCommands.run("ip netns add " + namespace);
    SystemCommands.run("ip link add eth0 netns " + namespace + " type veth peer name " + host + " netns " + BRIDGE);
    SystemCommands.run("ip -n " + namespace + " link set lo up");
    SystemCommands.run("ip -n " + namespace + " link set eth0 gso_max_size " + queue.segmentBytes());
    SystemCommands.run("ip -n " + namespace + " addr add " + address + "/24 dev eth0");
    SystemCommands.run("ip -n " + namespace + " link set eth0 up");
    if (queue.kind() == LinkQueue.Kind.CLASSES) {
      // The source of a transfer answers in the class of the target's first packet.
      SystemCommands.run("ip netns exec " + namespace + " sysctl -q -w net.ipv4.tcp_reflect_tos=1");
    }
    SystemCommands.run("ip -n " + namespace + " route change " + SUBNET + "0/24 dev eth0 proto kernel scope link src "
        + address + " congctl cubic");
    SystemCommands.run("ip -n " + BRIDGE + " link set " + host + " gso_max_size " + queue.segmentBytes());
    SystemCommands.run("ip -n " + BRIDGE + " link set " + host + " master br0 up");
    addresses.put(host, address);
  }

  /** Limits both directions, or changes the limit. */
  synchronized void limit(String host, long rateBitsPerSec) throws IOException, InterruptedException {
    boolean isNew = limited.add(host);
    limit(namespace(host), "eth0", rateBitsPerSec, isNew);
    limit(BRIDGE, host, rateBitsPerSec, isNew);
  }

  private void limit(String namespace, String device, long rateBitsPerSec, boolean isNew)
      throws IOException, InterruptedException {
    for (String command : isNew ? queue.commands(device, rateBitsPerSec) : queue.changes(device, rateBitsPerSec)) {
      SystemCommands.run("tc -n " + namespace + " " + command);
    }
  }

  static String namespace(String host) {
    return PREFIX + host;
  }

  /** By the names of the hosts. */
  Map<String, String> addresses() {
    return Map.copyOf(addresses);
  }

  /** Ends whatever runs in namespaces of ours, and removes them. */
  static void removeLeftovers() throws IOException, InterruptedException {
    for (String line : SystemCommands.run("ip netns list").lines().toList()) {
      String namespace = line.split(" ")[0];
      if (namespace.startsWith(PREFIX)) {
        for (String pid : SystemCommands.tryRun(List.of("ip", "netns", "pids", namespace)).output().lines().toList()) {
          ProcessHandle.of(Long.parseLong(pid.strip())).ifPresent(ProcessHandle::destroyForcibly);
        }
        SystemCommands.run("ip netns del " + namespace);
      }
    }
  }

  @Override
  public void close() throws IOException {
    try {
      removeLeftovers();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
