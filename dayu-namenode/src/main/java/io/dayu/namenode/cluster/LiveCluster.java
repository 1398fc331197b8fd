/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.cluster;

import io.dayu.blocks.LiveNode;
import io.dayu.blocks.StockReconstruction;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.namenode.agents.AgentRegistry;
import io.dayu.namenode.agents.ReportResponder;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.transfers.AgentState;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.namenode.transfers.AvoidedNodes;
import io.dayu.schedule.forecast.ForegroundForecast;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The live DataNodes and the loads that their agents report, as plans and admins see them: with the expected
 * foreground, the bandwidth that slow links have shown, and the traffic of stock HDFS's reconstructions. Owned by the
 * recovery loop; not thread-safe unless a method says otherwise.
 */
public final class LiveCluster {
  /** Idle agents report at least every three intervals; one that misses three of those is gone. */
  private static final int MISSED_REPORTS = 3;
  private static final int SILENT_REPORTS = 3 * MISSED_REPORTS;

  private final LiveNodes nodeList;
  private final Settings settings;
  private final AgentRegistry<AgentState> agents;
  private final ReportResponder responder;
  private final ExpectedLoads expected;
  private final AvoidedNodes avoided;
  private final ShownBandwidth shown;
  private final SlowLinks slowLinks = new SlowLinks();
  private long leaseNs;
  private Map<String, LiveNode> nodes = Map.of();
  private Set<String> urgent = Set.of();
  private volatile ReconstructionTraffic reconstructions = ReconstructionTraffic.NONE;

  /** @param startedNs when this NameNode was started */
  public LiveCluster(LiveNodes nodeList, Settings settings, ForegroundForecast forecast,
      AgentRegistry<AgentState> agents, ReportResponder responder,
      AvoidedNodes avoided, ShownBandwidth shown, long startedNs) {
    this.nodeList = nodeList;
    this.settings = settings;
    this.agents = agents;
    this.responder = responder;
    this.avoided = avoided;
    this.shown = shown;
    this.expected = new ExpectedLoads(forecast, startedNs);
  }

  /** The live DataNodes as of the last {@link #refresh}, by UUID. */
  public Map<String, LiveNode> nodes() {
    return nodes;
  }

  /**
   * Takes note that the recovery loop runs; if this JVM has stood still, agents are not silent for that.
   *
   * @param grantedLeaseNs after this time without a report an agent has ended its transfers
   */
  public void tick(long grantedLeaseNs, long nowNs) {
    leaseNs = grantedLeaseNs;
    agents.pauses().noteRunning(nowNs);
  }

  /** How long ago a moment was, in which each time that this JVM stood still counts as half a second. */
  public long runningSince(long momentNs, long nowNs) {
    return agents.pauses().since(momentNs, nowNs);
  }

  /** Reads the live DataNodes again if they are due. */
  public void refresh(long nowNs) {
    nodes = nodeList.refresh(nowNs);
  }

  /** Has the next {@link #refresh} read the live DataNodes again. */
  public void expire() {
    nodeList.expire();
  }

  /** Lets the forecast learn from the reports that have been read. */
  public void observeLoads(long nowNs) {
    expected.observe(agents.all(), settings.millis(Setting.TIMESLOT_INTERVAL), nowNs);
  }

  /** Looks for slow links; to be called about once a second. */
  public void observeLinks(Collection<Attempt> transfers, long nowNs) {
    slowLinks.observe(transfers, agents.all(), nodes, uuid -> shown.hasReceived(uuid, nowNs), nowNs);
  }

  /** Takes note of what stock HDFS reconstructs now. */
  public void observeReconstructions(List<StockReconstruction> stock) {
    reconstructions = new ReconstructionTraffic(stock);
  }

  /** Forgets what was observed: this NameNode is not active any more. */
  public void clear() {
    nodes = Map.of();
    nodeList.expire();
    slowLinks.clear();
    reconstructions = ReconstructionTraffic.NONE;
  }

  /** How many live DataNodes have an agent that reports. */
  public int liveAgents(long nowNs) {
    int live = 0;
    for (AgentState agent : agents.all()) {
      live += isLive(agent, nowNs) ? 1 : 0;
    }
    return live;
  }

  /** Whether the agent reports, and its DataNode is live. */
  public boolean isLive(AgentState agent, long nowNs) {
    return agent.adopted && agent.load != null && nodes.containsKey(agent.uuid) && !isSilent(agent, nowNs);
  }

  /** After a lease without a report an agent has ended its transfers, whoever stood still. */
  private boolean isSilent(AgentState agent, long nowNs) {
    long limitNs = silenceNs();
    return runningSince(agent.lastReportNs(), nowNs) >= limitNs
        || nowNs - agent.lastReportNs() >= Math.max(limitNs, leaseNs);
  }

  /**
   * After this time without a report an agent is gone. On very large clusters agents are told to report less often than
   * is set.
   */
  public long silenceNs() {
    return TimeUnit.MILLISECONDS.toNanos(Math.max(SILENT_REPORTS * settings.millis(Setting.HEARTBEAT_INTERVAL),
        MISSED_REPORTS * responder.maxIntervalMs()));
  }

  /** The live nodes by UUID; those that are avoided get no new transfers, or send only what no other node can. */
  public Map<String, LiveNode> nodesToPlanWith(long nowNs) {
    Map<String, LiveNode> toPlanWith = new LinkedHashMap<>(nodes);
    toPlanWith.replaceAll((uuid, node) -> avoided.planned(urgent.contains(uuid) ? node.asUrgent() : node, nowNs));
    return toPlanWith;
  }

  /** Says whose blocks go before the others of their risk from now on, by UUID. */
  public void urgent(Set<String> uuids) {
    urgent = Set.copyOf(uuids);
  }

  /** Bytes that stock HDFS's reconstructions of erasure-coded blocks move. Safe for use by all threads. */
  public long reconstructionBytes() {
    return reconstructions.bytes();
  }

  /**
   * The loads that the live agents last reported, by UUID: with the expected foreground, the bandwidth that slow links
   * have shown, and no more bandwidth than is believed.
   */
  public Map<String, NodeLoad> loads(long nowNs) {
    Map<String, NodeLoad> loads = new HashMap<>();
    long horizonMs = settings.millis(Setting.TIMESLOT_HORIZON);
    for (AgentState agent : agents.all()) {
      if (isLive(agent, nowNs)) {
        NodeLoad load = slowLinks.of(agent.uuid, expected.of(agent));
        loads.put(agent.uuid, reconstructions.with(agent.uuid, load, horizonMs));
      }
    }
    Map<String, NodeLoad> believed = shown.bounded(loads, settings.ratio(Setting.MAX_UTILIZATION));
    believed.replaceAll((uuid, load) -> avoided.isOnTrial(uuid) ? load.withOneWriteStream() : load);
    return believed;
  }

  public AvoidedNodes avoided() {
    return avoided;
  }
}
