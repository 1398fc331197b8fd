/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.admin;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.dayu.blocks.BlockKey;
import io.dayu.blocks.BlockManagement;
import io.dayu.blocks.GroupTransfer;
import io.dayu.blocks.LiveNode;
import io.dayu.blocks.TransferRequest;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.namenode.agents.AgentRegistry;
import io.dayu.namenode.exchange.Marking;
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
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/**
 * What admins see of nodes and transfers: records, whose components are the fields of JSON in this order. Reads the
 * recovery's state, so called by the recovery loop only; changes nothing.
 */
final class AdminViews {
  static final String NOT_IN_SERVICE = "decommissioning, in maintenance or stale";

  private final RecoveryController controller;
  private final BlockManagement blocks;
  private final AgentRegistry<AgentState> agents;
  private final Settings settings;
  private final String version;

  /** @param version of Dayu on this NameNode */
  AdminViews(RecoveryController controller, BlockManagement blocks, AgentRegistry<AgentState> agents,
      Settings settings, String version) {
    this.controller = controller;
    this.blocks = blocks;
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

  /** The DataNode's name; its UUID if it is dead and the NameNode has forgotten it, as after a restart. */
  String name(String uuid) {
    return blocks.nameOf(uuid);
  }

  List<String> names(List<String> uuids) {
    return uuids.stream().map(this::name).toList();
  }

  /** The agents that report, and the DataNodes without one, with the reason if it is known. */
  record Agents(int live, int dataNodes, List<String> missing, Map<String, String> refused,
      Map<String, String> declined, Map<String, Integer> versions, Map<String, String> otherVersion,
      List<String> bandwidthAssumed, TrafficClass trafficClass) {
  }

  /**
   * How recovery's traffic is marked for the network.
   *
   * @param agents how many are set to mark it
   * @param cannotMark those of them that cannot mark all of it
   * @param starved those of them that go unmarked for a while
   */
  record TrafficClass(int agents, List<String> cannotMark, List<String> starved) {
  }

  Agents agents(long nowNs) {
    List<String> missing = new ArrayList<>();
    Map<String, String> refused = new LinkedHashMap<>();
    Map<String, String> declined = new LinkedHashMap<>();
    Map<String, Integer> versions = new LinkedHashMap<>();
    Map<String, String> otherVersion = new LinkedHashMap<>();
    List<String> bandwidthAssumed = new ArrayList<>();
    Map<Marking, List<String>> marking = new EnumMap<>(Marking.class);
    for (Marking each : Marking.values()) {
      marking.put(each, new ArrayList<>());
    }
    int live = 0;
    for (LiveNode node : sortedNodes()) {
      AgentState agent = agents.get(node.uuid());
      if (agent == null || !controller.cluster().isLive(agent, nowNs)) {
        missing.add(node.name());
        putIfKnown(refused, node, agents.refused().reason(node.uuid(), nowNs));
        putIfKnown(declined, node, agents.declined().reason(node.uuid(), nowNs));
      } else {
        live++;
        versions.merge(agent.version(), 1, Integer::sum);
        putIfKnown(otherVersion, node, agent.version().equals(version) ? null : agent.version());
        if (agent.isBandwidthAssumed()) {
          bandwidthAssumed.add(node.name());
        }
        marking.get(agent.marking()).add(node.name());
      }
    }
    TrafficClass trafficClass = new TrafficClass(live - marking.get(Marking.NOT_WANTED).size(),
        marking.get(Marking.CANNOT_MARK), marking.get(Marking.STARVED));
    return new Agents(live, sortedNodes().size(), missing, refused, declined, versions, otherVersion, bandwidthAssumed,
        trafficClass);
  }

  private static void putIfKnown(Map<String, String> textByNode, LiveNode node, String text) {
    if (text != null) {
      textByNode.put(node.name(), text);
    }
  }

  private List<LiveNode> sortedNodes() {
    List<LiveNode> nodes = new ArrayList<>(controller.cluster().nodes().values());
    nodes.sort(Comparator.comparing(LiveNode::name));
    return nodes;
  }

  /** A live DataNode: the traffic on its links, and recovery's part of it. */
  record Node(String node, String rack, String agent, @JsonUnwrapped Report report, @JsonUnwrapped Load load,
      boolean target, String noTargetReason, String lastSourceReason) {
  }

  /** Of a DataNode whose agent has reported. */
  record Report(String version, long lastReportSeconds) {
  }

  /** Of a DataNode whose agent reports. */
  record Load(Link in, Link out, boolean bandwidthAssumed, boolean volumesSlower, boolean rebuilding,
      boolean limitedByDisks, int volumes, int networkSharers, boolean rebuilds, String trafficClass) {
  }

  List<Node> nodes(long nowNs) {
    Map<String, NodeLoad> loads = controller.cluster().loads(nowNs);
    NodeBandwidth bandwidth = new NodeBandwidth(settings);
    Map<String, LinkTransfers> incoming = new HashMap<>();
    Map<String, LinkTransfers> outgoing = new HashMap<>();
    Set<String> rebuilding = Attempt.rebuildingTargets(controller.transfers());
    for (Attempt attempt : controller.transfers()) {
      if (attempt.live()) {
        incoming.merge(attempt.target(), LinkTransfers.of(attempt, attempt.width()), LinkTransfers::plus);
        for (TransferSource source : attempt.sources()) {
          outgoing.merge(source.node(), LinkTransfers.of(attempt, 1), LinkTransfers::plus);
        }
      }
    }
    List<Node> views = new ArrayList<>();
    for (LiveNode node : sortedNodes()) {
      AgentState agent = agents.get(node.uuid());
      NodeLoad load = loads.get(node.uuid());
      String refused = load != null ? null : agents.refused().reason(node.uuid(), nowNs);
      String declined = load != null ? null : agents.declined().reason(node.uuid(), nowNs);
      String state = load != null ? "reporting" : declined != null ? "declined"
          : refused != null ? "refused"
          : agent == null ? "none"
          : "silent";
      Report report = agent == null ? null
          : new Report(agent.version(), TimeUnit.NANOSECONDS.toSeconds(nowNs - agent.lastReportNs()));
      boolean rebuildsNow = rebuilding.contains(node.uuid());
      Load links = load == null ? null
          : new Load(
              Link.of(load.inLink(rebuildsNow), bandwidth.receive(load, rebuildsNow), incoming.get(node.uuid())),
              Link.of(load.out(), bandwidth.recover(load.out()), outgoing.get(node.uuid())), agent.isBandwidthAssumed(),
              load.networkInBytesPerSec() > load.in().capacityBytesPerSec(), rebuildsNow,
              !rebuildsNow && bandwidth.receive(load) < bandwidth.recover(load.in()),
              load.volumes(), agent.meterSharers, load.rebuilds(), agent.marking().word());
      String noTarget = declined != null ? "its plugin has not started: " + declined
          : refused != null ? "its agent's reports are refused: " + refused
          : load == null && agent != null ? silence(nowNs - agent.lastReportNs())
          : notTargetReason(node, load, nowNs);
      String lastSource = controller.cluster().avoided().reason(Role.SOURCE, node.uuid(), nowNs);
      views.add(new Node(node.name(), node.rack(), state, report, links, noTarget == null,
          noTarget == null ? "" : noTarget, lastSource == null ? "" : lastSource));
    }
    return views;
  }

  private String silence(long silentNs) {
    return silentNs < controller.cluster().silenceNs() ? "its agent has not said yet what its links carry"
        : "no report from its agent for " + TimeUnit.NANOSECONDS.toSeconds(silentNs) + " s";
  }

  /** One direction of a DataNode's network. */
  record Link(long bandwidthBytesPerSec, long foregroundBytesPerSec, long recoveryLimitBytesPerSec,
      @JsonUnwrapped LinkTransfers running) {
    static Link of(NodeLoad.Link link, long recoveryLimitBytesPerSec, LinkTransfers running) {
      return new Link(link.capacityBytesPerSec(), link.foregroundBytesPerSec(), recoveryLimitBytesPerSec,
          running == null ? LinkTransfers.NONE : running);
    }
  }

  /** The transfers over a link together. */
  record LinkTransfers(long transfers, long grantedBytesPerSec, long achievedBytesPerSec) {
    private static final LinkTransfers NONE = new LinkTransfers(0, 0, 0);

    /** @param sources how many of the transfer's sources send over the link */
    static LinkTransfers of(Attempt attempt, int sources) {
      return new LinkTransfers(1, sources * attempt.rateBytesPerSec(), sources * attempt.achievedBytesPerSec());
    }

    LinkTransfers plus(LinkTransfers other) {
      return new LinkTransfers(transfers + other.transfers, grantedBytesPerSec + other.grantedBytesPerSec,
          achievedBytesPerSec + other.achievedBytesPerSec);
    }
  }

  /** Why no block can go to a node now, or null if one can. */
  String notTargetReason(LiveNode node, NodeLoad load, long nowNs) {
    String avoided = controller.cluster().avoided().reason(Role.TARGET, node.uuid(), nowNs);
    if (load == null) {
      return "no agent reports from it";
    } else if (avoided != null) {
      return avoided;
    } else if (!node.target()) {
      return NOT_IN_SERVICE;
    } else if (load.volumes() == 0) {
      return "its agent reports no healthy volume";
    } else if (load.in().capacityBytesPerSec() == 0) {
      return "its agent reports no bandwidth";
    }
    return LongStream.of(node.space().maxVolumeFreeBytes()).anyMatch(bytes -> bytes > 0) ? null
        : "its volumes are full";
  }

  /**
   * What is made.
   *
   * @param group the group, if the block is an internal block of one; else empty
   */
  record Made(String block, String group, int risk) {
  }

  /**
   * From where to where.
   *
   * @param source the first one
   */
  record Path(String source, List<String> sources, String target, long bytes) {
    Path(List<String> sources, String target, long bytes) {
      this(sources.get(0), sources, target, bytes);
    }
  }

  /** A transfer under way. */
  record Running(@JsonUnwrapped Made made, String phase, @JsonUnwrapped Path path, long doneBytes,
      long grantedBytesPerSec, long achievedBytesPerSec, long seconds, boolean straggler) {
  }

  /** A transfer that is planned. */
  record Planned(@JsonUnwrapped Made made, @JsonUnwrapped Path path, long grantedBytesPerSec) {
  }

  /** The transfers under way, highest risk first. */
  List<Running> transfers(long nowNs) {
    List<Attempt> attempts = new ArrayList<>(controller.transfers());
    attempts.sort(
        Comparator.<Attempt>comparingInt(Attempt::risk).thenComparingLong(Attempt::id));
    return attempts.stream().map(attempt -> transfer(attempt, nowNs)).toList();
  }

  Running transfer(Attempt attempt, long nowNs) {
    TransferRequest request = attempt.request();
    List<String> sources = attempt.sources().stream()
        .map(source -> source.isLost() ? "lost " + name(source.node()) : name(source.node())).toList();
    long timeslotNs = TimeUnit.MILLISECONDS.toNanos(settings.millis(Setting.TIMESLOT_INTERVAL));
    return new Running(
        new Made(attempt.replica().toString(), request.group() == null ? "" : attempt.block().toString(),
            attempt.risk()),
        attempt.reportedDone() ? "finishing" : attempt.phase().name().toLowerCase(Locale.ROOT),
        new Path(sources, name(attempt.target()), request.numBytes()), attempt.doneBytes(), attempt.rateBytesPerSec(),
        attempt.achievedBytesPerSec(), TimeUnit.NANOSECONDS.toSeconds(nowNs - attempt.startedNs()),
        attempt.isBehindPlan(2 * timeslotNs, nowNs));
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

  Planned copy(TimeslotDecision.Copy copy) {
    TransferRequest request = copy.request();
    BlockKey block = request.block();
    GroupTransfer group = request.group();
    Made made = group == null ? new Made(block.toString(), "", request.risk())
        : new Made(new BlockKey(GroupTransfer.internalBlockId(block.blockId(), group.index()), block.generationStamp())
            .toString(), block.toString(), request.risk());
    List<String> sources = group == null ? List.of(name(request.source()))
        : group.sources().stream().map(source -> name(source.node())).toList();
    return new Planned(made, new Path(sources, name(request.target()), request.numBytes()), copy.rateBytesPerSec());
  }
}
