/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import io.dayu.datanode.ObeyedCommands;
import io.dayu.protocol.DayuProtocolPB;
import io.dayu.protocol.DayuProtos.AgentCommandsProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.LoadProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import io.dayu.protocol.DayuProtos.VolumeProto;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * An agent, by the contract of the protocol: it reports to both NameNodes, one report at a time to each, and does what
 * the active one's newest commands say. Which ones are the newest, production code decides. Not thread-safe.
 */
final class SimulatedAgent {
  private static final long RPC_TIMEOUT_MS = 5_000;
  private static final long TICK_MS = 250;
  private static final long MIN_SPACING_MS = 100;
  private static final int MAX_STOP_MS = 1_500;
  /** For so many ticks on average the thread of a reporter that was replaced stands still before it obeys. */
  private static final int RETIRED_TICKS = 8;
  /** Before it obeys one answer of so many, a reporter's thread stands still for up to so long. */
  private static final int PAUSES = 128;
  private static final int MAX_PAUSE_MS = 60_000;
  /** One incarnation of so many starts while the clock of its host is an hour behind. */
  private static final int WRONG_CLOCKS = 16;
  private static final long BEHIND_MS = 3_600_000;
  private static final long EPOCH_MS = 1_700_000_000_000L;

  /** When commands were issued: later terms of active NameNodes, activations in them and sequences are higher. */
  private record Issued(long term, long activation, long sequence) {
    boolean isBefore(Issued other) {
      return Arrays.compare(new long[] {term, activation, sequence},
          new long[] {other.term, other.activation, other.sequence}) < 0;
    }
  }

  /** What goes on between this agent and one NameNode. */
  private final class Reporter {
    private final int nameNode;
    private long sequence;
    private int call;
    /** Calls that have been answered. */
    private final Set<Integer> answered = new HashSet<>();
    private boolean retired;
    /** For the answer to its report. */
    private boolean waits;
    /** With an answer that has arrived. */
    private boolean busy;
    private long earliestNs;
    private long retryMs = 1_000;
    private AgentCommandsProto accepted;
    private AgentCommandsProto applied;

    private Reporter(int nameNode) {
      this.nameNode = nameNode;
    }

    private void reportAfter(long delayMs) {
      int mine = ++call;
      cluster.events.after(delayMs, () -> {
        if (mine == call && !stopped && !retired) {
          if (node.hangs) {
            reportAfter(TICK_MS);
          } else {
            report();
          }
        }
      });
    }

    /** A transfer has ended: there is something to say, and room for new work. */
    private void wake() {
      if (!waits && !busy) {
        reportAfter(Math.max(0, (earliestNs - cluster.events.nowNs()) / EventQueue.MS));
      }
    }

    private void report() {
      ReportProto report = build();
      long sentNs = cluster.events.nowNs();
      int mine = ++call;
      waits = true;
      cluster.network.sendRequest(node, nameNode,
          to -> to.receive(report, commands -> {
            Issued issued =
                new Issued(to.termOf(commands.getActivation()), commands.getActivation(), commands.getSequence());
            cluster.network.sendAnswer(node, nameNode, () -> answered(mine, commands, issued, sentNs));
          }));
      cluster.events.after(RPC_TIMEOUT_MS, () -> {
        if (mine == call && waits && !stopped) {
          waits = false;
          reportAfter(retryMs);
          retryMs = Math.min(2 * retryMs, DayuProtocolPB.MAX_RETRY_MS);
        }
      });
    }

    private ReportProto build() {
      if (running.values().stream().noneMatch(transfer -> transfer.stop != null)) {
        applied = accepted;
      }
      ReportProto.Builder report = ReportProto.newBuilder().setProtocolVersion(DayuProtocolPB.REVISION)
          .setBlockPoolId("BP-1")
          .setDatanodeUuid(node.uuid).setAgentIncarnation(incarnation).setAgentStartMs(startMs)
          .setReportSequence(++sequence).setLoad(load());
      running.values().forEach(transfer -> report.addRunning(transfer.report()));
      ended.values().stream().filter(end -> !acknowledged.contains(end.getAttempt())).forEach(report::addFinished);
      if (report.getRunningCount() == 0 && report.getFinishedCount() == 0) {
        report.setMayWaitMs((int) RPC_TIMEOUT_MS / 2);
      }
      if (applied != null) {
        report.setObeyedActivation(applied.getActivation()).setObeyedSequence(applied.getSequence());
      }
      return report.build();
    }

    /** An answer has arrived, so the call cannot time out any more. The thread may still stand still. */
    private void answered(int mine, AgentCommandsProto commands, Issued issued, long sentNs) {
      if (mine == call && waits && !stopped) {
        waits = false;
        busy = true;
        answered.add(mine);
        read(commands, issued, sentNs, cluster.events.nowNs());
      } else if (answered.contains(mine)) {
        readAgain(commands, issued, sentNs, cluster.events.nowNs());
      }
    }

    /** A second answer to the same call: it is obeyed or not, and changes nothing of when the next report is due. */
    private void readAgain(AgentCommandsProto commands, Issued issued, long sentNs, long arrivedNs) {
      if (node.hangs && !stopped) {
        cluster.events.after(TICK_MS, () -> readAgain(commands, issued, sentNs, arrivedNs));
      } else if (!stopped) {
        obeyIfNewest(commands, issued, sentNs, arrivedNs);
      }
    }

    /** Where the thread may stand still, maybe until another NameNode is obeyed. */
    private void read(AgentCommandsProto commands, Issued issued, long sentNs, long arrivedNs) {
      if (stopped) {
        return;
      }
      if (node.hangs || retired && cluster.random.nextInt(RETIRED_TICKS) != 0) {
        cluster.events.after(TICK_MS, () -> read(commands, issued, sentNs, arrivedNs));
        return;
      }
      if (cluster.random.nextInt(PAUSES) == 0) {
        cluster.events.after(cluster.random.nextInt(MAX_PAUSE_MS), () -> obey(commands, issued, sentNs, arrivedNs));
      } else {
        obey(commands, issued, sentNs, arrivedNs);
      }
    }

    private void obey(AgentCommandsProto commands, Issued issued, long sentNs, long arrivedNs) {
      if (stopped) {
        return;
      }
      if (node.hangs) {
        cluster.events.after(TICK_MS, () -> obey(commands, issued, sentNs, arrivedNs));
        return;
      }
      busy = false;
      retryMs = 1_000;
      obeyIfNewest(commands, issued, sentNs, arrivedNs);
      long spacingMs = Math.max(MIN_SPACING_MS, commands.getMinSpacingMs());
      earliestNs = cluster.events.nowNs() + spacingMs * EventQueue.MS;
      reportAfter(Math.max(spacingMs, commands.getNextReportMs()));
    }

    /** In production, too, no other commands are obeyed between the question who is active and the answer to it. */
    private void obeyIfNewest(AgentCommandsProto commands, Issued issued, long sentNs, long arrivedNs) {
      if (node.holdsForActive(cluster.nameNodes.get(nameNode))) {
        commands.getAcknowledgedList().stream().filter(ended::containsKey).forEach(acknowledged::add);
        if (commands.getAuthoritative() && obeys(commands, arrivedNs)) {
          noteObeyed(issued);
          apply(commands.getGrantsList(), sentNs);
          accepted = commands;
        }
      }
    }
  }

  private final SimulatedDataNode node;
  private final SimulatedCluster cluster;
  private final long incarnation;
  private final long startMs;
  private final List<Reporter> reporters = new ArrayList<>(List.of(new Reporter(0), new Reporter(1)));
  private final Map<Long, SimulatedTransfer> running = new LinkedHashMap<>();
  private final Map<Long, FinishedTransferProto> ended = new LinkedHashMap<>();
  private final Set<Long> acknowledged = new HashSet<>();
  private final ObeyedCommands obeyed = new ObeyedCommands();
  private Issued newestObeyed;
  private boolean stopped;

  SimulatedAgent(SimulatedDataNode node, SimulatedCluster cluster) {
    this.node = node;
    this.cluster = cluster;
    this.incarnation = cluster.random.nextLong() | 1;
    long nowMs = EPOCH_MS + cluster.events.nowNs() / EventQueue.MS;
    this.startMs = incarnation % WRONG_CLOCKS == 1 ? nowMs - BEHIND_MS : nowMs;
  }

  void start() {
    reporters.forEach(reporter -> reporter.reportAfter(cluster.random.nextInt(500)));
    tick();
  }

  /**
   * The DataNode forgets a NameNode and finds it again: another reporter of the same agent begins to count anew. The
   * old one still obeys the answer that it waits for, maybe later than newer ones.
   */
  void reconnect(int nameNode) {
    reporters.get(nameNode).retired = true;
    Reporter reporter = new Reporter(nameNode);
    reporters.set(nameNode, reporter);
    reporter.reportAfter(MIN_SPACING_MS);
  }

  void stop() {
    stopped = true;
    running.clear();
  }

  private LoadProto load() {
    long total = node.bandwidthBytesPerSec;
    long foreground = cluster.foreground(node);
    return LoadProto.newBuilder().setCapacityInBytesPerSec(total).setCapacityOutBytesPerSec(total)
        .setForegroundInBytesPerSec(foreground)
        .setForegroundOutBytesPerSec(foreground / 2)
        .addVolumes(VolumeProto.newBuilder().setStorageId("DS-" + node.uuid).setStorageType("DISK").setMaxStreams(4))
        .build();
  }

  private boolean obeys(AgentCommandsProto commands, long arrivedNs) {
    try {
      return obeyed.accept(commands, arrivedNs, cluster.events.nowNs());
    } catch (IOException e) {
      throw new UncheckedIOException("an agent refuses " + commands, e);
    }
  }

  private void noteObeyed(Issued issued) {
    if (newestObeyed != null && issued.isBefore(newestObeyed)) {
      cluster.invariants.violated(Invariants.NO_STALE_COMMANDS, node.uuid + " obeys " + issued + " after "
          + newestObeyed);
    }
    newestObeyed = issued;
  }

  private void apply(List<GrantProto> grants, long sentNs) {
    Set<Long> named = new HashSet<>();
    grants.forEach(grant -> named.add(grant.getAttempt()));
    List.copyOf(running.values()).stream().filter(transfer -> !named.contains(transfer.grant.getAttempt()))
        .forEach(transfer -> stop(transfer, Outcome.CANCELLED));
    for (GrantProto grant : grants) {
      SimulatedTransfer transfer = running.get(grant.getAttempt());
      if (transfer != null) {
        transfer.follow(grant, sentNs);
      } else if (!ended.containsKey(grant.getAttempt())) {
        begin(grant, sentNs);
      }
    }
  }

  /** Begins a transfer that is granted in answer to a report. */
  void begin(GrantProto grant, long sentNs) {
    running.put(grant.getAttempt(), new SimulatedTransfer(grant, sentNs));
  }

  private void tick() {
    if (stopped) {
      return;
    }
    cluster.events.after(TICK_MS, this::tick);
    if (node.hangs) {
      return;
    }
    for (SimulatedTransfer transfer : List.copyOf(running.values())) {
      if (transfer.stop == null) {
        boolean twice = !transfer.hasPartial() && hasPartial(transfer.blockId());
        Outcome outcome = twice ? Outcome.TARGET_FAILED : transfer.advance(node, cluster, TICK_MS);
        if (outcome == Outcome.DONE) {
          node.finalizeReplica(transfer.blockId(), transfer.generationStamp());
          end(transfer, outcome);
        } else if (outcome != null) {
          stop(transfer, outcome);
        } else if (transfer.isLeaseOver(cluster)) {
          stop(transfer, Outcome.LEASE_EXPIRED);
        }
      }
    }
  }

  /** Ends the transfer when its partial replica is removed, which takes a moment. */
  private void stop(SimulatedTransfer transfer, Outcome outcome) {
    if (transfer.stop == null) {
      transfer.stop = outcome;
      cluster.events.after(cluster.random.nextInt(MAX_STOP_MS), () -> stopNow(transfer));
    }
  }

  private void stopNow(SimulatedTransfer transfer) {
    if (node.hangs && !stopped) {
      cluster.events.after(TICK_MS, () -> stopNow(transfer));
    } else if (!stopped) {
      end(transfer, transfer.stop);
    }
  }

  private void end(SimulatedTransfer transfer, Outcome outcome) {
    running.remove(transfer.grant.getAttempt());
    ended.put(transfer.grant.getAttempt(), transfer.end(outcome));
    reporters.forEach(Reporter::wake);
  }

  boolean mayBeReceiving(long id, long generationStamp) {
    return running.values().stream()
        .anyMatch(transfer -> transfer.blockId() == id && transfer.generationStamp() == generationStamp
            && transfer.leaseEndNs - cluster.events.nowNs() > 0);
  }

  /** Whether it may go on with a transfer, by its lease, and has obeyed no commands of this term or a later one. */
  boolean mayRunForPredecessorOf(long term) {
    return newestObeyed != null && newestObeyed.term < term && running.values().stream()
        .anyMatch(transfer -> transfer.stop == null && transfer.leaseEndNs - cluster.events.nowNs() > 0);
  }

  /** The transfers that receive something now. */
  List<SimulatedTransfer> receiving() {
    return running.values().stream().filter(transfer -> transfer.receives(cluster.events.nowNs())).toList();
  }

  boolean hasPartial(long id) {
    return running.values().stream().anyMatch(transfer -> transfer.blockId() == id && transfer.hasPartial());
  }

  boolean hasPartials() {
    return !running.isEmpty();
  }

  String describeTransfers() {
    return new ArrayList<>(running.values()).toString();
  }
}
