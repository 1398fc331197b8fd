/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import java.io.IOException;
import java.util.List;

/**
 * Cuts links of hosts without a trace: packets vanish, and nobody is told. Thread-safe for different hosts.
 *
 * <p>A queue of one byte drops everything. Between two hosts, the one sends to a hardware address that nobody has.
 */
final class LinkCuts {
  private static final String DROP = " root bfifo limit 1";
  private static final String NOBODY = "02:00:00:00:00:01";

  private final HostNetwork network;
  private final long rateBitsPerSec;

  /** @param rateBitsPerSec what links of DataNodes carry when they are whole; others have no limit */
  LinkCuts(HostNetwork network, long rateBitsPerSec) {
    this.network = network;
    this.rateBitsPerSec = rateBitsPerSec;
  }

  /** Nobody hears of the host. */
  void cutOut(String host) throws IOException, InterruptedException {
    SystemCommands.run("tc -n " + HostNetwork.namespace(host) + " qdisc replace dev eth0" + DROP);
  }

  /** The host hears of nobody. */
  void cutIn(String host) throws IOException, InterruptedException {
    SystemCommands.run("tc -n " + HostNetwork.BRIDGE + " qdisc replace dev " + host + DROP);
  }

  /** Ends {@link #cutOut}, {@link #cutIn} and {@link #limp}. */
  void mend(String host, boolean isDataNode) throws IOException, InterruptedException {
    if (isDataNode) {
      network.limit(host, rateBitsPerSec);
    } else {
      // Each may be without one.
      SystemCommands.tryRun(List.of("tc", "-n", HostNetwork.namespace(host), "qdisc", "del", "dev", "eth0", "root"));
      SystemCommands.tryRun(List.of("tc", "-n", HostNetwork.BRIDGE, "qdisc", "del", "dev", host, "root"));
    }
  }

  void limp(String dataNode, int divisor) throws IOException, InterruptedException {
    network.limit(dataNode, rateBitsPerSec / divisor);
  }

  /** The peer does not hear of the host; others do. */
  void cutTo(String host, String peer) throws IOException, InterruptedException {
    SystemCommands.run("ip -n " + HostNetwork.namespace(host) + " neigh replace " + network.addresses().get(peer)
        + " lladdr " + NOBODY + " dev eth0 nud permanent");
  }

  void mendTo(String host, String peer) throws IOException, InterruptedException {
    SystemCommands.run("ip -n " + HostNetwork.namespace(host) + " neigh del " + network.addresses().get(peer)
        + " dev eth0");
  }
}
