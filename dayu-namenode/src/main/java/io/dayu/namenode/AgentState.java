/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.blocks.BlockKey;
import io.dayu.protocol.DayuProtos.AgentCommandsProto;
import io.dayu.protocol.DayuProtos.LoadProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import io.dayu.schedule.LinkHistory;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * One agent as the NameNode knows it. RPC handlers put reports in ({@link #offer}) and read the published directions;
 * all else is the recovery loop's own and not thread-safe.
 */
final class AgentState {
  private record Published(AgentCommandsProto commands, long incarnation) {
  }

  /**
   * A replica that failed as a source.
   *
   * @param sequence of the first directions that name it
   */
  record Suspect(long numBytes, long sequence) {
  }

  private static final int MAX_FORMER_INCARNATIONS = 16;
  private static final int MAX_SUSPECTS = 500;

  final String uuid;

  // Shared with the RPC handlers.
  private ReportProto unread;
  private long latestIncarnation;
  /** Incarnations before the latest, as far back as reports may come late. */
  private final Deque<Long> formerIncarnations = new ArrayDeque<>();
  private volatile long lastReportNs;
  private volatile String version = "";
  private volatile Published published;
  /** The last load that named its volumes by an id. */
  private volatile LoadProto loadWithVolumes;

  // The recovery loop's own.
  final List<Long> acknowledged = new ArrayList<>();
  /** The load as reported, and as plans use it: where agents share a meter, it is this agent's share. */
  LoadProto reportedLoad;
  LoadProto load;
  int meterSharers = 1;
  /** The load that the forecast has used last, and its history of the node's links. */
  LoadProto observedLoad;
  LinkHistory foregroundIn = new LinkHistory();
  LinkHistory foregroundOut = new LinkHistory();
  /**
   * Replicas of its DataNode that failed as sources, for the agent to check, with the first directions that name them.
   */
  final Map<BlockKey, Suspect> suspects = new LinkedHashMap<>();
  /** When a transfer to it was last seen to make progress. */
  long progressNs;
  private boolean avoided;
  private long avoidedUntilNs;
  /** The incarnation of the last report that was read. */
  long incarnation;
  /** Whether a report of this activation has been read, and so its running transfers adopted. */
  boolean adopted;
  /** Whether it has obeyed directions of this activation: if so, the NameNode knows all transfers that it runs. */
  boolean confirmed;

  AgentState(String uuid, long nowNs) {
    this.uuid = uuid;
    this.lastReportNs = nowNs;
    this.progressNs = nowNs;
  }

  /**
   * Leaves a report for the loop, in place of one that was not read yet. Ignores a report from before a restart of the
   * agent if one from after the restart came first. Returns whether the loop had read all earlier reports.
   */
  synchronized boolean offer(ReportProto received, long nowNs) {
    if (isFormerIncarnation(received.getAgentIncarnation())) {
      return false;
    }
    ReportProto report = withVolumes(received);
    lastReportNs = nowNs;
    version = report.getVersion();
    ReportProto previous = unread;
    boolean outOfOrder = previous != null && previous.getAgentIncarnation() == report.getAgentIncarnation()
        && previous.getReportSequence() > report.getReportSequence();
    if (!outOfOrder) {
      unread = report;
    }
    return previous == null;
  }

  /**
   * The report with the volumes that the agent left out because they are known; without a load, if they are not known.
   */
  private ReportProto withVolumes(ReportProto report) {
    LoadProto sent = report.getLoad();
    if (!sent.hasVolumesId()) {
      return report;
    }
    if (sent.getVolumesCount() > 0) {
      loadWithVolumes = sent;
      return report;
    }
    return knowsVolumesOf(sent)
        ? report.toBuilder().setLoad(sent.toBuilder().addAllVolumes(loadWithVolumes.getVolumesList())).build()
        : report.toBuilder().clearLoad().build();
  }

  /** Whether the volumes of this load are known, where it names them by an id. */
  boolean knowsVolumesOf(LoadProto sent) {
    LoadProto known = loadWithVolumes;
    return !sent.hasVolumesId() || known != null && known.getVolumesId() == sent.getVolumesId();
  }

  /** The id of the volumes that are known; empty if the agent gives none. */
  OptionalLong knownVolumesId() {
    LoadProto known = loadWithVolumes;
    return known == null ? OptionalLong.empty() : OptionalLong.of(known.getVolumesId());
  }

  private boolean isFormerIncarnation(long reporting) {
    if (reporting == latestIncarnation || formerIncarnations.contains(reporting)) {
      return reporting != latestIncarnation;
    }
    formerIncarnations.addLast(latestIncarnation);
    if (formerIncarnations.size() > MAX_FORMER_INCARNATIONS) {
      formerIncarnations.removeFirst();
    }
    latestIncarnation = reporting;
    return false;
  }

  synchronized ReportProto takeReport() {
    ReportProto taken = unread;
    unread = null;
    return taken;
  }

  /** The agent's version; empty if it does not say. */
  String version() {
    return version;
  }

  long lastReportNs() {
    return lastReportNs;
  }

  /** The directions as of the last publication, or null. */
  AgentCommandsProto commands() {
    Published last = published;
    return last == null ? null : last.commands;
  }

  /**
   * The same, but null for another incarnation than they were made for: an agent that was restarted has forgotten its
   * transfers, and would begin them again while the loop gives their blocks to others.
   */
  AgentCommandsProto commandsFor(long reportingIncarnation) {
    Published last = published;
    return last == null || last.incarnation != reportingIncarnation ? null : last.commands;
  }

  /** Publishes directions for the incarnation of the last report that was read; called by the loop. */
  void publish(AgentCommandsProto commands) {
    published = new Published(commands, incarnation);
  }

  /** Gives the agent no new transfers until {@code untilNs}. */
  void avoid(long untilNs) {
    avoided = true;
    avoidedUntilNs = untilNs;
  }

  boolean avoided(long nowNs) {
    avoided &= avoidedUntilNs - nowNs > 0;
    return avoided;
  }

  /** Notes that its DataNode's replica failed as a source. Returns whether the agent is to be told of it. */
  boolean suspect(BlockKey block, long numBytes, long sequence) {
    return suspects.size() < MAX_SUSPECTS && suspects.putIfAbsent(block, new Suspect(numBytes, sequence)) == null;
  }

  /** Notes that the agent has obeyed directions up to this sequence. Returns whether they named a suspect replica. */
  boolean checked(long obeyedSequence) {
    return suspects.values().removeIf(suspect -> suspect.sequence() <= obeyedSequence);
  }

  /** Forgets what belongs to an activation that has ended; a report from then says nothing about the next one. */
  void reset() {
    takeReport();
    acknowledged.clear();
    suspects.clear();
    foregroundIn = new LinkHistory();
    foregroundOut = new LinkHistory();
    avoided = false;
    adopted = false;
    confirmed = false;
    published = null;
  }
}
