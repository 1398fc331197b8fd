/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.agents;

import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.namenode.exchange.Commands;
import io.dayu.protocol.DayuProtocolPB;
import io.dayu.protocol.DayuProtos.AgentCommandsProto;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.LoadProto;
import io.dayu.protocol.DayuProtos.ReportProto;

import java.io.Closeable;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Answers agents' reports with the commands as last published. Thread-safe; called by RPC handlers, which take no
 * namesystem lock here and never wait for the recovery loop.
 *
 * <p>If an agent has nothing to do and allows it, its answer is deferred until there is something to do, or until its
 * next report would have been due. So a plan reaches idle agents at once ({@link DeferredResponses}), except in the
 * {@value Settings#PROMPT_REPORT_MS} ms between an answer and the next report.
 *
 * <p>A lease is granted from the last sign of life of the loop, not from now, so that a loop that hangs lets all leases
 * end.
 */
public final class ReportResponder implements Closeable {
  /**
   * Agents report twice as often as is set, as long as all together stay below this. So the start and the end of a
   * recovery are noticed sooner.
   */
  private static final int FREQUENT_REPORTS_PER_SEC = 1_000;
  /** Reports a second while nothing is recovered, unless {@link #MAX_IDLE_INTERVAL_MS} asks for more. */
  private static final int IDLE_REPORTS_PER_SEC = 300;
  private static final long MAX_IDLE_INTERVAL_MS = 10_000;
  /** The minimum wait of a deferred answer; a shorter one is not worth it. */
  private static final long MIN_WAIT_MS = 20;
  /** An answer waits for at most a lease divided by this. */
  private static final int LEASE_SHARE = 4;
  private static final BooleanSupplier NEVER = () -> false;

  private final AgentRegistry<?> agents;
  private final Settings settings;
  private final String namenodeId;
  private final long activeIntervalMs;
  private final LongSupplier clockNs;
  private final DeferredResponses deferred;

  private volatile Runnable wakeLoop = () -> {};
  private volatile long leaseEndNs;
  /** Whether agents are to obey what is published. */
  private volatile BooleanSupplier authoritative = NEVER;
  private volatile boolean recovering;

  /**
   * @param clockNs the clock that leases are counted by
   * @param executor where deferred responses are given; shut down with this object
   */
  public ReportResponder(AgentRegistry<?> agents, Settings settings, String namenodeId, LongSupplier clockNs,
      ScheduledExecutorService executor) {
    this.agents = agents;
    this.settings = settings;
    this.namenodeId = namenodeId;
    this.activeIntervalMs = settings.millis(Setting.HEARTBEAT_INTERVAL);
    this.clockNs = clockNs;
    this.deferred = new DeferredResponses(executor);
  }

  public void onWakeUp(Runnable wake) {
    wakeLoop = wake;
  }

  /**
   * Says that the loop is alive: commands are good until {@code leaseEndNs}.
   *
   * @param sameActivation whether the NameNode has been active all the time since the loop's activation: if not, what
   *     is published is out of date, and the loop may not have seen that yet. Called by any thread
   */
  public void extendLeases(long leaseEndNs, BooleanSupplier sameActivation) {
    this.leaseEndNs = leaseEndNs;
    this.authoritative = sameActivation;
  }

  /**
   * Says whether anything is being recovered: then all agents report often, so that plans are made with fresh loads and
   * arrive soon.
   */
  public void recovering(boolean now) {
    recovering = now;
  }

  /** From now on no agent gets commands. */
  public void revokeCommands() {
    authoritative = NEVER;
    recovering = false;
    deferred.completeAll();
  }

  /**
   * Makes new commands known to an agent: at once if it waits for them, else with its next report.
   *
   * @param incarnation of the agent, as of the last report that the loop has read
   */
  public void publish(AgentSession agent, long incarnation, Commands commands) {
    publish(agent, incarnation, WireMessages.commands(commands, namenodeId));
  }

  /**
   * Publishes the commands of before without what has ended, if there are any of this activation and for this
   * incarnation of the agent; returns whether there are.
   *
   * @param live the attempts that are still granted
   */
  public boolean publishEnds(AgentSession agent, long incarnation, long activation, long sequence, Set<Long> live,
      List<Long> acknowledged) {
    AgentCommandsProto before = agent.commandsFor(incarnation);
    if (before == null || before.getActivation() != activation) {
      return false;
    }
    publish(agent, incarnation, WireMessages.withEnds(before, sequence, live, acknowledged));
    return true;
  }

  void publish(AgentSession agent, long incarnation, AgentCommandsProto commands) {
    agent.publish(commands, incarnation);
    deferred.complete(agent.uuid);
  }

  /**
   * Withdraws an agent's commands: until others are published its answers are not authoritative, and what it runs goes
   * on until its lease ends. Leases of commands that are out of date must not be prolonged: the loop counts on their
   * end.
   */
  public void withdraw(AgentSession agent) {
    agent.withdraw();
    deferred.complete(agent.uuid);
  }

  /** Keeps the report for the recovery loop and answers it, at once or later. */
  public CompletableFuture<AgentCommandsProto> receive(ReportProto report, long nowNs) {
    AgentSession agent = agents.receive(report, nowNs);
    if (report.getFinishedCount() > 0) {
      wakeLoop.run();
    }
    return answer(agent, report, nowNs);
  }

  /** Answers at once, or, where the agent allows it, when there is something to do for it. */
  CompletableFuture<AgentCommandsProto> answer(AgentSession agent, ReportProto report, long nowNs) {
    // Leases count from the report, so an answer that is deferred for long has a short one.
    long maxMs = Math.min(report.getMayWaitMs(), (leaseEndNs - nowNs) / 1_000_000 / LEASE_SHARE);
    long waitMs = Math.min(maxMs, intervalMs(recovering) - Settings.PROMPT_REPORT_MS);
    if (waitMs < MIN_WAIT_MS || mustAnswerNow(agent, report)) {
      return CompletableFuture.completedFuture(commandsFor(agent, report, nowNs, nowNs));
    }
    CompletableFuture<AgentCommandsProto> answer = deferred.defer(agent.uuid,
        () -> commandsFor(agent, report, nowNs, clockNs.getAsLong()), waitMs);
    if (mustAnswerNow(agent, report)) {
      // Something to do may have come before the answer was deferred.
      deferred.complete(agent.uuid);
    }
    return answer;
  }

  private boolean mustAnswerNow(AgentSession agent, ReportProto report) {
    AgentCommandsProto published = agent.commandsFor(report.getAgentIncarnation());
    return !authoritative.getAsBoolean() || published == null || published.getGrantsCount() > 0
        || published.getAcknowledgedCount() > 0
        || report.getRunningCount() > 0 || report.getFinishedCount() > 0 || !agent.knowsVolumesOf(report.getLoad())
        || published.getActivation() != report.getObeyedActivation()
        || published.getSequence() != report.getObeyedSequence();
  }

  private AgentCommandsProto commandsFor(AgentSession agent, ReportProto report, long receivedNs, long nowNs) {
    // Counts from the sending of the report, so that it is never longer than what the loop believes, however late the
    // answer is.
    long leaseMs = (leaseEndNs - nowNs) / 1_000_000;
    AgentCommandsProto published = agent.commandsFor(report.getAgentIncarnation());
    boolean volumesKnown = agent.knowsVolumesOf(report.getLoad());
    if (!authoritative.getAsBoolean() || published == null || leaseMs <= 0) {
      boolean idle = report.getRunningCount() == 0 && report.getFinishedCount() == 0;
      return withKnownVolumes(agent, noCommands(volumesKnown ? intervalMs(!idle) : promptReportMs()).toBuilder())
          .build();
    }
    // An agent that waits for the answer to its next report should send that soon.
    boolean waits = report.hasMayWaitMs() && published.getGrantsCount() == 0;
    int promptReportMs =
        waits ? (int) Math.max(Settings.PROMPT_REPORT_MS, minIntervalMs() - (nowNs - receivedNs) / 1_000_000)
            : promptReportMs();
    int nextReportMs = waits || report.getFinishedCount() > 0 || !volumesKnown ? promptReportMs
        : intervalMs(recovering || published.getGrantsCount() > 0);
    AgentCommandsProto.Builder commands = withKnownVolumes(agent, published.toBuilder()).setNextReportMs(nextReportMs)
        .setMinSpacingMs(promptReportMs);
    addLimits(commands, report.getLoad());
    if (settings.changed(Setting.VOLUME_MAX_STREAMS)) {
      commands.setVolumeMaxStreams(settings.text(Setting.VOLUME_MAX_STREAMS));
    }
    for (GrantProto.Builder grant : commands.getGrantsBuilderList()) {
      grant.setLeaseMs((int) leaseMs);
    }
    return commands.build();
  }

  /** α, B_min and the class of the network, where an admin or a profile has decided them on this NameNode. */
  private void addLimits(AgentCommandsProto.Builder commands, LoadProto load) {
    if (settings.changed(Setting.MAX_UTILIZATION) || settings.isImposed(Setting.MAX_UTILIZATION)) {
      commands.setMaxUtilization(settings.ratio(Setting.MAX_UTILIZATION));
    }
    // Asked once: the loop may bring another profile into force meanwhile.
    OptionalDouble minRatio = settings.imposedMinRatio();
    if (minRatio.isPresent()) {
      long network = load.hasNetworkBytesPerSec() ? load.getNetworkBytesPerSec() : load.getCapacityInBytesPerSec();
      // Never 0, which means the default share.
      commands.setMinBytesPerSec(
          1 + Math.round(minRatio.getAsDouble() * network / Math.max(1, commands.getMeterSharers())));
    } else if (settings.changed(Setting.MIN_BANDWIDTH)) {
      commands.setMinBytesPerSec(settings.bytesPerSec(Setting.MIN_BANDWIDTH));
    }
    if (settings.profile().isUnmarked()) {
      commands.setUnmarked(true);
    }
  }

  private static AgentCommandsProto.Builder withKnownVolumes(AgentSession agent, AgentCommandsProto.Builder commands) {
    agent.knownVolumesId().ifPresent(commands::setKnownVolumesId);
    return commands;
  }

  /** The answer of a NameNode that is not active, leaves recovery to stock HDFS, or does not know the DataNode yet. */
  AgentCommandsProto noCommands(int nextReportMs) {
    return AgentCommandsProto.newBuilder().setProtocolVersion(DayuProtocolPB.REVISION).setNamenodeId(namenodeId)
        .setActivation(0)
        .setSequence(0).setAuthoritative(false).setNextReportMs(nextReportMs).build();
  }

  /** The maximum interval between reports that agents are told, by their number. */
  public long maxIntervalMs() {
    return intervalMs(false);
  }

  /** The interval of reports that agents are told while something is recovered. */
  public long busyIntervalMs() {
    return intervalMs(true);
  }

  /** The interval of reports, shorter for busy agents; with short intervals idle agents get new transfers sooner. */
  private int intervalMs(boolean busy) {
    long idleIntervalMs =
        Math.min(Math.max(3 * activeIntervalMs, MAX_IDLE_INTERVAL_MS), 1_000L * agents.size() / IDLE_REPORTS_PER_SEC);
    long busyIntervalMs =
        Math.max(activeIntervalMs / 2, Math.min(activeIntervalMs, 1_000L * agents.size() / FREQUENT_REPORTS_PER_SEC));
    return (int) Math.max(busy ? 0 : idleIntervalMs, Math.max(busyIntervalMs, minIntervalMs()));
  }

  private int promptReportMs() {
    return (int) Math.max(Settings.PROMPT_REPORT_MS, minIntervalMs());
  }

  /** The interval that keeps all agents together below the bound, however many there are. */
  private long minIntervalMs() {
    return 1_000L * agents.size() / Settings.MAX_REPORTS_PER_SEC;
  }

  /** Every agent that waits is answered; from now on no agent gets commands. */
  @Override
  public void close() {
    revokeCommands();
    deferred.close();
  }
}
