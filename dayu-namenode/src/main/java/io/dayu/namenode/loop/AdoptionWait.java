/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.BlockManagement;
import io.dayu.namenode.agents.AgentRegistry;
import io.dayu.namenode.cluster.LiveCluster;
import io.dayu.namenode.transfers.AgentState;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Decides how long a NameNode that has become active waits before its first plan: until no agent can be running a
 * transfer that this NameNode does not know of. Owned by the recovery loop; not thread-safe.
 *
 * <p><b>End of the wait.</b> Either every agent has accepted commands of this activation, or the leases that the
 * previous active NameNode granted have expired, and agents have had time to remove the transfers that these leases
 * covered. After a failover the previous active NameNode is another one; after a restart it is this one, and its leases
 * count from the start of the process. A first report of an agent is not enough: while that report is on its way, the
 * agent may receive new transfers from the previous NameNode.
 *
 * <p><b>Which DataNodes it waits for.</b>
 * <ul>
 * <li>Not for a DataNode without an agent. Agents report to standbys too, so a NameNode knows which nodes have one.
 *     Just after its own start it knows of none, and for {@link #FIRST_REPORT_NS} assumes an agent on each DataNode.
 *     It reads no reports from a DataNode before it knows that node's storages, so it assumes an agent there until
 *     {@link #FIRST_REPORT_NS} after that.
 * <li>For an agent that has not reported here for longer than a lease, as long as its DataNode sends heartbeats: it may
 *     have reported to the other NameNode.
 * <li>Not for a DataNode that has sent no heartbeat for longer than a lease, whether it is declared dead or not: its
 *     leases have expired. If it could reach the previous NameNode all the same, it may still run a transfer, and a
 *     block may get one replica too many. Stock HDFS has the same case after a failover.
 * <li>For each of them in the first {@link #MAX_HEARTBEAT_SKEW_NS} after the activation: this NameNode may have heard
 *     no heartbeats because it stood still itself, or because a failover held the namesystem lock.
 * </ul>
 */
final class AdoptionWait {
  /** How long after its own start a NameNode waits for the first report of a DataNode that may have an agent. */
  private static final long FIRST_REPORT_NS = TimeUnit.MILLISECONDS.toNanos(AgentRegistry.MAX_FIRST_REPORT_MS);
  /** A DataNode sends heartbeats to all NameNodes, but not at the same moment: every 3 s by default. */
  private static final long MAX_HEARTBEAT_SKEW_NS = TimeUnit.SECONDS.toNanos(10);

  private final BlockManagement blocks;
  private final AgentRegistry<AgentState> agents;
  private final LiveCluster cluster;
  private final long agentExpiryNs;
  private final long startedNs;
  /** When the storages of a DataNode without a known agent were last unknown in this activation, by its UUID. */
  private final Map<String, Long> unreadNs = new HashMap<>();
  private long activatedNs;
  private boolean over;

  /**
   * @param agentExpiryNs after which a silent agent is forgotten
   * @param startedNs when this NameNode was started
   */
  AdoptionWait(BlockManagement blocks, AgentRegistry<AgentState> agents, LiveCluster cluster, long agentExpiryNs,
      long startedNs) {
    this.blocks = blocks;
    this.agents = agents;
    this.cluster = cluster;
    this.agentExpiryNs = agentExpiryNs;
    this.startedNs = startedNs;
  }

  void begin(long nowNs) {
    activatedNs = nowNs;
    over = false;
    unreadNs.clear();
  }

  /** As of the last {@link #observe}. */
  boolean isOver() {
    return over;
  }

  /**
   * Looks whether the wait is over.
   *
   * @param maxLeaseNs how long after its last report an agent may still run what it was granted
   * @return what is waited for and for how long at most, for people; null if the wait is over
   */
  String observe(long maxLeaseNs, long nowNs) {
    Set<String> live = cluster.nodes().keySet();
    long predecessorEndNs = blocks.hasStandby() ? activatedNs : startedNs;
    long leftNs = predecessorEndNs + maxLeaseNs - nowNs;
    long silent = live.stream().filter(uuid -> mayBeTransferring(uuid, maxLeaseNs, nowNs)).count();
    over = silent == 0 || leftNs < 0;
    return over ? null : "waiting for " + silent + " of " + live.size()
        + " live DataNodes to say what they are transferring, for " + TimeUnit.NANOSECONDS.toSeconds(leftNs)
        + " s at most";
  }

  private boolean mayBeTransferring(String datanodeUuid, long maxLeaseNs, long nowNs) {
    AgentState agent = agents.get(datanodeUuid);
    boolean mayHaveAgent = agent == null
        ? nowNs - startedNs < Math.max(cluster.silenceNs(), FIRST_REPORT_NS) || mayReportSoon(datanodeUuid, nowNs)
        : !agent.confirmed && nowNs - agent.lastReportNs() <= agentExpiryNs;
    return mayHaveAgent && (nowNs - activatedNs <= MAX_HEARTBEAT_SKEW_NS
        || TimeUnit.MILLISECONDS.toNanos(blocks.silentMs(datanodeUuid)) <= maxLeaseNs + MAX_HEARTBEAT_SKEW_NS);
  }

  /** Whether its reports are not read yet, or have just been read, so that its agent may be about to report again. */
  private boolean mayReportSoon(String datanodeUuid, long nowNs) {
    if (!blocks.knowsStorages(datanodeUuid)) {
      unreadNs.put(datanodeUuid, nowNs);
    }
    Long lastNs = unreadNs.get(datanodeUuid);
    return lastNs != null && nowNs - lastNs < FIRST_REPORT_NS;
  }
}
