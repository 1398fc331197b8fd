/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.admin;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.GroupTransfer;
import io.dayu.blocks.LiveNode;
import io.dayu.blocks.TransferRequest;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.namenode.agents.AgentRegistry;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.loop.RecoveryController;
import io.dayu.namenode.planning.TimeslotDecision;
import io.dayu.namenode.transfers.AgentState;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.namenode.transfers.AvoidedNodes.Role;
import io.dayu.namenode.transfers.NodeBandwidth;
import io.dayu.namenode.transfers.TransferSource;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/**
 * What admins see of nodes and transfers: values by name, as JSON has them. Reads the recovery's state, so called by
 * the recovery loop only; changes nothing.
 */
final class AdminViews {
  private final RecoveryController controller;
  private final AgentRegistry<AgentState> agents;
  private final Settings settings;
  private final String version;

  /** @param version of Dayu on this NameNode */
  AdminViews(RecoveryController controller, AgentRegistry<AgentState> agents, Settings settings, String version) {
    this.controller = controller;
    this.agents = agents;
    this.settings = settings;
    this.version = version;
  }

  /** Names and values in this order; that of {@code Map.of} differs between processes. */
  static Map<String, Object> ordered(Object... namesAndValues) {
    Map<String, Object> view = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      view.put((String) namesAndValues[i], namesAndValues[i + 1]);
    }
    return view;
  }

  String name(String uuid) {
    LiveNode node = controller.cluster().nodes().get(uuid);
    return node == null ? uuid : node.name();
  }

  List<String> names(List<String> uuids) {
    return uuids.stream().map(this::name).toList();
  }

  /**
   * The number of agents that report, those of another version, and the DataNodes without one, with the reason if it is
   * known.
   */
  Map<String, Object> agents(long nowNs) {
    List<String> missing = new ArrayList<>();
    Map<String, Object> refused = new LinkedHashMap<>();
    Map<String, Object> declined = new LinkedHashMap<>();
    Map<String, Object> versions = new LinkedHashMap<>();
    Map<String, Object> otherVersion = new LinkedHashMap<>();
    List<String> bandwidthAssumed = new ArrayList<>();
    int live = 0;
    for (LiveNode node : sortedNodes()) {
      AgentState agent = agents.get(node.uuid());
      if (agent == null || !controller.cluster().isLive(agent, nowNs)) {
        missing.add(node.name());
        putIfKnown(refused, node, agents.refused().reason(node.uuid(), nowNs));
        putIfKnown(declined, node, agents.declined().reason(node.uuid(), nowNs));
      } else {
        live++;
        versions.merge(agent.version(), 1, (a, b) -> (Integer) a + (Integer) b);
        putIfKnown(otherVersion, node, agent.version().equals(version) ? null : agent.version());
        if (agent.isBandwidthAssumed()) {
          bandwidthAssumed.add(node.name());
        }
      }
    }
    Map<String, Object> view = new LinkedHashMap<>();
    view.put("live", live);
    view.put("dataNodes", sortedNodes().size());
    view.put("missing", missing);
    view.put("refused", refused);
    view.put("declined", declined);
    view.put("versions", versions);
    view.put("otherVersion", otherVersion);
    view.put("bandwidthAssumed", bandwidthAssumed);
    return view;
  }

  private static void putIfKnown(Map<String, Object> textByNode, LiveNode node, String text) {
    if (text != null) {
      textByNode.put(node.name(), text);
    }
  }

  private List<LiveNode> sortedNodes() {
    List<LiveNode> nodes = new ArrayList<>(controller.cluster().nodes().values());
    nodes.sort(Comparator.comparing(LiveNode::name));
    return nodes;
  }

  /** Each live DataNode: the traffic on its links, and recovery's part of it. */
  List<Map<String, Object>> nodes(long nowNs) {
    Map<String, NodeLoad> loads = controller.cluster().loads(nowNs);
    NodeBandwidth bandwidth = new NodeBandwidth(settings);
    Map<String, long[]> incoming = new LinkedHashMap<>();
    Map<String, long[]> outgoing = new LinkedHashMap<>();
    for (Attempt attempt : controller.transfers()) {
      if (attempt.live()) {
        add(incoming.computeIfAbsent(attempt.target(), uuid -> new long[3]), attempt, attempt.width());
        for (TransferSource source : attempt.sources()) {
          add(outgoing.computeIfAbsent(source.node(), uuid -> new long[3]), attempt, 1);
        }
      }
    }
    List<Map<String, Object>> views = new ArrayList<>();
    for (LiveNode node : sortedNodes()) {
      AgentState agent = agents.get(node.uuid());
      NodeLoad load = loads.get(node.uuid());
      String refused = load != null ? null : agents.refused().reason(node.uuid(), nowNs);
      String declined = load != null ? null : agents.declined().reason(node.uuid(), nowNs);
      Map<String, Object> view = new LinkedHashMap<>();
      view.put("node", node.name());
      view.put("rack", node.rack());
      view.put("agent", load != null ? "reporting" : declined != null ? "declined"
          : refused != null ? "refused"
          : agent == null ? "none"
          : "silent");
      if (agent != null) {
        view.put("version", agent.version());
        view.put("lastReportSeconds", TimeUnit.NANOSECONDS.toSeconds(nowNs - agent.lastReportNs()));
      }
      if (load != null) {
        view.put("in", link(load.in(), bandwidth,
            incoming.get(node.uuid())));
        view.put("out", link(load.out(), bandwidth,
            outgoing.get(node.uuid())));
        view.put("bandwidthAssumed", agent.isBandwidthAssumed());
        view.put("volumes", load.volumes());
        view.put("networkSharers", agent.meterSharers);
      }
      String noTarget = declined != null ? "its plugin has not started: " + declined
          : refused != null ? "its agent's reports are refused: " + refused
          : load == null && agent != null ? silence(nowNs - agent.lastReportNs())
          : notTargetReason(node, load, nowNs);
      view.put("target", noTarget == null);
      view.put("noTargetReason", noTarget == null ? "" : noTarget);
      String lastSource = controller.cluster().avoided().reason(Role.SOURCE, node.uuid(), nowNs);
      view.put("lastSourceReason", lastSource == null ? "" : lastSource);
      views.add(view);
    }
    return views;
  }

  private String silence(long silentNs) {
    return silentNs < controller.cluster().silenceNs() ? "its agent has not said yet what its links carry"
        : "no report from its agent for " + TimeUnit.NANOSECONDS.toSeconds(silentNs) + " s";
  }

  /** @param sources how many of the transfer's sources send over the link */
  private static void add(long[] sums, Attempt attempt, int sources) {
    sums[0]++;
    sums[1] += sources * attempt.rateBytesPerSec();
    sums[2] += sources * attempt.achievedBytesPerSec();
  }

  private static Map<String, Object> link(NodeLoad.Link link, NodeBandwidth bandwidth, long[] sums) {
    Map<String, Object> view = new LinkedHashMap<>();
    view.put("bandwidthBytesPerSec", link.capacityBytesPerSec());
    view.put("foregroundBytesPerSec", link.foregroundBytesPerSec());
    view.put("recoveryLimitBytesPerSec", bandwidth.recover(link));
    view.put("transfers", sums == null ? 0 : sums[0]);
    view.put("grantedBytesPerSec", sums == null ? 0 : sums[1]);
    view.put("achievedBytesPerSec", sums == null ? 0 : sums[2]);
    return view;
  }

  /** Why no block can go to a node now, or null if one can. */
  String notTargetReason(LiveNode node, NodeLoad load, long nowNs) {
    String avoided = controller.cluster().avoided().reason(Role.TARGET, node.uuid(), nowNs);
    if (load == null) {
      return "no agent reports from it";
    } else if (avoided != null) {
      return avoided;
    } else if (!node.target()) {
      return "decommissioning, in maintenance or stale";
    } else if (load.volumes() == 0) {
      return "its agent reports no healthy volume";
    } else if (load.in().capacityBytesPerSec() == 0) {
      return "its agent reports no bandwidth";
    }
    return LongStream.of(node.maxVolumeFreeBytes()).anyMatch(bytes -> bytes > 0) ? null : "its volumes are full";
  }

  /** The transfers under way, highest risk first. */
  List<Map<String, Object>> transfers(long nowNs) {
    List<Attempt> attempts = new ArrayList<>(controller.transfers());
    attempts.sort(
        Comparator.<Attempt>comparingInt(attempt -> attempt.request().risk()).thenComparingLong(Attempt::id));
    return attempts.stream().map(attempt -> transfer(attempt, nowNs)).toList();
  }

  Map<String, Object> transfer(Attempt attempt, long nowNs) {
    Map<String, Object> view = new LinkedHashMap<>();
    view.put("block", attempt.replica().toString());
    view.put("group", attempt.request().group() == null ? "" : attempt.block().toString());
    view.put("risk", attempt.request().risk());
    view.put("phase", attempt.reportedDone() ? "finishing" : attempt.phase().name().toLowerCase(Locale.ROOT));
    List<String> sources = attempt.sources().stream()
        .map(source -> source.isLost() ? "lost " + name(source.node()) : name(source.node())).toList();
    view.put("source", sources.get(0));
    view.put("sources", sources);
    view.put("target", name(attempt.target()));
    view.put("bytes", attempt.request().numBytes());
    view.put("doneBytes", attempt.doneBytes());
    view.put("grantedBytesPerSec", attempt.rateBytesPerSec());
    view.put("achievedBytesPerSec", attempt.achievedBytesPerSec());
    view.put("seconds", TimeUnit.NANOSECONDS.toSeconds(nowNs - attempt.startedNs()));
    view.put("straggler", attempt.isBehindPlan(
        TimeUnit.MILLISECONDS.toNanos(2 * settings.millis(Setting.TIMESLOT_INTERVAL)), nowNs));
    return view;
  }

  /** A decision that was not carried out. */
  Map<String, Object> decision(DryRun.Result result) {
    TimeslotDecision decision = result.decision();
    Map<String, Object> view = new LinkedHashMap<>();
    view.put("planMillis", decision.planMs());
    view.put("plannedBytes", decision.plannedBytes());
    view.put("horizonBytes", decision.volumeBytes());
    view.put("evicted", decision.evicted().size());
    view.put("redirected", decision.redirected().size());
    view.put("leftToStock", decision.forStock().size());
    view.put("readAgain", result.readAgain());
    view.put("transfers", decision.copies().stream().map(this::copy).toList());
    return view;
  }

  Map<String, Object> copy(TimeslotDecision.Copy copy) {
    TransferRequest request = copy.request();
    Map<String, Object> view = new LinkedHashMap<>();
    GroupTransfer group = request.group();
    view.put("block", (group == null ? request.block()
        : new BlockKey(GroupTransfer.internalBlockId(request.block().blockId(), group.index()),
            request.block().generationStamp()))
        .toString());
    view.put("group", group == null ? "" : request.block().toString());
    view.put("risk", request.risk());
    view.put("source", name(request.source()));
    view.put("sources", group == null ? List.of(name(request.source()))
        : group.sources().stream().map(source -> name(source.node())).toList());
    view.put("target", name(request.target()));
    view.put("bytes", request.numBytes());
    view.put("grantedBytesPerSec", copy.rateBytesPerSec());
    return view;
  }
}
