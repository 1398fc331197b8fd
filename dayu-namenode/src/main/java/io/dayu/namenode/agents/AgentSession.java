/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.agents;

import io.dayu.namenode.exchange.AgentReport;
import io.dayu.namenode.exchange.Marking;
import io.dayu.protocol.DayuProtos.AgentCommandsProto;
import io.dayu.protocol.DayuProtos.LoadProto;
import io.dayu.protocol.DayuProtos.ReportProto;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * What the RPC handlers and the recovery loop share of one agent: the last report that the loop has not
 * read, and the commands that the loop has published. Thread-safe.
 */
public class AgentSession {
  private record Published(AgentCommandsProto commands, long incarnation) {
  }

  private static final int MAX_FORMER_INCARNATIONS = 16;
  /** How late a report may come. For this time agents' clocks order the incarnations, even if one went back. */
  private static final long MAX_LATE_NS = TimeUnit.SECONDS.toNanos(30);

  public final String uuid;

  private AgentReport unread;
  private long latestIncarnation;
  /** When the latest incarnation started, by the clock of its host; 0 if it does not say. */
  private long latestStartMs;
  /** Incarnations before the latest, as far back as reports may come late. */
  private final Deque<Long> formerIncarnations = new ArrayDeque<>();
  private volatile long lastReportNs;
  private volatile long lastReadNs;
  private volatile String version = "";
  private volatile boolean bandwidthAssumed;
  private volatile Marking marking = Marking.NOT_WANTED;
  private volatile Published published;
  /** The last load that named its volumes by an id. */
  private volatile LoadProto loadWithVolumes;

  public AgentSession(String uuid, long nowNs) {
    this.uuid = uuid;
    this.lastReportNs = nowNs;
    this.lastReadNs = nowNs;
  }

  /**
   * Leaves a report for the loop, in place of one that was not read yet. Ignores a report from before a restart of the
   * agent if one from after the restart came first. Returns whether the loop had read all earlier reports.
   */
  public synchronized boolean offer(ReportProto received, long nowNs) {
    if (isFormerIncarnation(received, nowNs)) {
      return false;
    }
    AgentReport report = WireMessages.report(withVolumes(received));
    lastReportNs = nowNs;
    version = received.getVersion();
    bandwidthAssumed = received.getBandwidthAssumed();
    marking = WireMessages.marking(received);
    AgentReport previous = unread;
    boolean outOfOrder = previous != null && previous.incarnation() == report.incarnation()
        && previous.sequence() > report.sequence();
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

  private boolean isFormerIncarnation(ReportProto report, long nowNs) {
    long reporting = report.getAgentIncarnation();
    if (reporting == latestIncarnation || formerIncarnations.contains(reporting)) {
      return reporting != latestIncarnation;
    }
    // No report of this incarnation came before. It may still be old: its only report may arrive late.
    if (report.hasAgentStartMs() && report.getAgentStartMs() < latestStartMs && nowNs - lastReportNs < MAX_LATE_NS) {
      return true;
    }
    formerIncarnations.addLast(latestIncarnation);
    if (formerIncarnations.size() > MAX_FORMER_INCARNATIONS) {
      formerIncarnations.removeFirst();
    }
    latestIncarnation = reporting;
    latestStartMs = report.getAgentStartMs();
    return false;
  }

  /** The report that was not read yet, or null. */
  public synchronized AgentReport takeReport() {
    AgentReport taken = unread;
    unread = null;
    lastReadNs = taken == null ? lastReadNs : lastReportNs;
    return taken;
  }

  /** The agent's version; empty if it does not say. */
  public String version() {
    return version;
  }

  /** Whether the agent only guesses what its network carries. */
  public boolean isBandwidthAssumed() {
    return bandwidthAssumed;
  }

  /** Whether the DataNode marks recovery's traffic for the network. */
  public Marking marking() {
    return marking;
  }

  public long lastReportNs() {
    return lastReportNs;
  }

  /** When the last report that was read came in, or the agent became known. */
  public long lastReadNs() {
    return lastReadNs;
  }

  /** The commands as of the last publication, or null. */
  public AgentCommandsProto commands() {
    Published last = published;
    return last == null ? null : last.commands;
  }

  /**
   * The same; null if the commands were made for another incarnation: an agent that was restarted has forgotten its
   * transfers, and would begin them again while the loop gives their blocks to others.
   */
  public AgentCommandsProto commandsFor(long reportingIncarnation) {
    Published last = published;
    return last == null || last.incarnation != reportingIncarnation ? null : last.commands;
  }

  /** Publishes commands for this incarnation of the agent, the one whose report was read last; called by the loop. */
  void publish(AgentCommandsProto commands, long incarnation) {
    published = new Published(commands, incarnation);
  }

  /** From now on the agent gets no commands, until others are published. */
  void withdraw() {
    published = null;
  }

  /** Forgets what belongs to an activation that has ended; a report from then says nothing about the next one. */
  public void reset() {
    takeReport();
    withdraw();
  }
}
