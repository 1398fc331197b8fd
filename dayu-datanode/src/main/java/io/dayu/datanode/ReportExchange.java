/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.datanode.transfer.TransferRegistry;
import io.dayu.protocol.DayuProtocolPB;
import io.dayu.protocol.DayuProtos.AgentCommandsProto;
import io.dayu.protocol.DayuProtos.BlockSpecProto;
import io.dayu.protocol.DayuProtos.LoadProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import io.dayu.protocol.DayuProtos.ReportProto.Marking;
import io.dayu.protocol.DayuProtos.VerifiedReplicaProto;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.ipc.RpcNoSuchProtocolException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * What an agent and one NameNode say to each other about one block pool: makes the reports, obeys the commands if their
 * NameNode is the active one, and says when to report next. It neither calls nor waits: {@link Reporter} does. One
 * thread; {@link #stop} may be called by any.
 */
final class ReportExchange {
  private static final long MIN_SPACING_MS = 100;
  private static final long MAX_INTERVAL_MS = 60_000;
  private static final long INITIAL_RETRY_MS = 1_000;

  private static final Logger LOG = LoggerFactory.getLogger(ReportExchange.class);

  /** What an exchange needs of its agent. */
  interface Context {
    String datanodeUuid();

    long incarnation();

    /** When the agent started, by the clock of this host. */
    long startMs();

    Optional<LoadProto> load();

    /** Whether the bandwidth in the load is a guess, since neither a setting nor the meter says it. */
    boolean isBandwidthAssumed();

    /** Whether recovery's traffic is marked for the network; empty if it is not to be. */
    Optional<Marking> marking();

    TransferRegistry granted();

    /** Whether it rebuilds internal blocks of erasure-coded groups. */
    boolean rebuilds();

    /** The codecs that it has for that besides Hadoop's own. */
    List<String> furtherCodecs();

    /** How many NameNodes share the node's bandwidth for recovery, that of the given block pool included. */
    ActivePools.Shares shares(String blockPoolId);

    /** Checks these replicas of this DataNode, which targets could not read. */
    void checkReplicas(String blockPoolId, List<BlockSpecProto> suspects);

    /** Reads these replicas of this DataNode as a whole; the results of others are forgotten. */
    void verifyReplicas(String blockPoolId, List<BlockSpecProto> named);

    /** Results of {@link #verifyReplicas}. */
    List<VerifiedReplicaProto> verified(String blockPoolId);

    /**
     * α, B_min and the streams of volumes as the active NameNode of a block pool has them, where an admin has changed
     * them there; how many agents share the meter; and whether recovery's connections go unmarked.
     */
    void limits(String blockPoolId, OptionalDouble alpha, OptionalLong minBytesPerSec,
        Optional<String> volumeMaxStreams, int meterSharers, boolean unmarked);
  }

  private enum ConnectionState { UNTRIED, REPORTING, DAYU_NOT_INSTALLED, UNREACHABLE, FAILED }

  private final Context agent;
  private final String blockPoolId;
  private final String nameNode;
  private final String version;
  private final BooleanSupplier isActive;
  private final AgentCommandsOrder commandsOrder;
  private final int maxWaitMs;
  private final LongSupplier clock;

  private volatile boolean stopped;

  // Used by one thread only.
  private ConnectionState connection = ConnectionState.UNTRIED;
  private long retryMs = INITIAL_RETRY_MS;
  /** When the last report was sent whose answer has been taken. */
  private OptionalLong answeredSentNs = OptionalLong.empty();
  private long reportSequence;
  private long minSpacingMs = MIN_SPACING_MS;
  private OptionalLong knownVolumesId = OptionalLong.empty();
  /** Whether the DataNode did not hold the NameNode for active when the last report was made. */
  private boolean reportedToStandby;
  /** When the first report was made after such ones: a NameNode that was not active may have answered those. */
  private OptionalLong activeSinceNs = OptionalLong.empty();
  private AgentCommandsProto accepted;
  private AgentCommandsProto applied;

  /**
   * @param nameNode its address, for people
   * @param version of Dayu
   * @param isActive whether the DataNode considers this NameNode the active one now
   * @param commandsOrder shared by all exchanges about the block pool
   * @param rpcTimeoutMs without an answer within this time a report fails; the NameNode may defer it for half of it
   * @param clock monotonic, in nanoseconds
   */
  ReportExchange(Context agent, String blockPoolId, String nameNode, String version, BooleanSupplier isActive,
      AgentCommandsOrder commandsOrder, int rpcTimeoutMs, LongSupplier clock) {
    this.agent = agent;
    this.blockPoolId = blockPoolId;
    this.nameNode = nameNode;
    this.version = version;
    this.isActive = isActive;
    this.commandsOrder = commandsOrder;
    this.maxWaitMs = rpcTimeoutMs / 2;
    this.clock = clock;
  }

  String nameNode() {
    return nameNode;
  }

  /** From now on nothing is obeyed. */
  void stop() {
    stopped = true;
  }

  boolean isStopped() {
    return stopped;
  }

  /** The shortest time between an answer and the next report, in milliseconds. */
  long minSpacingMs() {
    return minSpacingMs;
  }

  /** Whether the last report was answered. Only then may a report be sent before it is due. */
  boolean isReporting() {
    return connection == ConnectionState.REPORTING;
  }

  /** The next report. */
  ReportProto report() {
    boolean active = isActive.getAsBoolean();
    if (active && reportedToStandby) {
      activeSinceNs = OptionalLong.of(clock.getAsLong());
    }
    reportedToStandby = !active;
    TransferRegistry.Status status = agent.granted().status(blockPoolId);
    if (!status.stopping()) {
      applied = accepted;
    }
    ReportProto.Builder report = ReportProto.newBuilder().setProtocolVersion(DayuProtocolPB.REVISION)
        .setBlockPoolId(blockPoolId).setDatanodeUuid(agent.datanodeUuid()).setAgentIncarnation(agent.incarnation())
        .setAgentStartMs(agent.startMs()).setReportSequence(++reportSequence).setVersion(version)
        .setRebuilds(agent.rebuilds())
        .addAllCodecs(agent.furtherCodecs())
        .addAllRunning(status.running())
        .addAllFinished(status.finished())
        .addAllVerified(agent.verified(blockPoolId));
    agent.load().ifPresent(load -> report
        .setLoad(withoutKnownVolumes(LoadEstimator.share(load, agent.shares(blockPoolId)))));
    if (agent.isBandwidthAssumed()) {
      report.setBandwidthAssumed(true);
    }
    agent.marking().ifPresent(report::setMarking);
    if (status.running().isEmpty() && status.finished().isEmpty()) {
      report.setMayWaitMs(maxWaitMs);
    }
    if (accepted != null) {
      // A new activation is confirmed at once: what its commands cancel receives nothing more. Their sequence counts
      // when the cancelled transfers are gone, which a hung disk may delay.
      boolean anyApplied = applied != null && applied.getActivation() == accepted.getActivation();
      report.setObeyedActivation(accepted.getActivation()).setObeyedSequence(anyApplied ? applied.getSequence() : 0);
    }
    return report.build();
  }

  /** Without the volumes, if the NameNode knows them. */
  private LoadProto withoutKnownVolumes(LoadProto load) {
    return knownVolumesId.isPresent() && knownVolumesId.getAsLong() == load.getVolumesId()
        ? load.toBuilder().clearVolumes().build() : load;
  }

  /**
   * Obeys the answer to a report, and returns after how many milliseconds to send the next.
   *
   * @param sentNs when the report was sent, by the clock; leases count from here
   * @throws IOException if the commands are out of bounds; nothing is obeyed then
   */
  long answered(AgentCommandsProto commands, long sentNs) throws IOException {
    AgentCommandsCheck.check(commands);
    // A report may be carried twice, and its second answer may arrive after those to later reports.
    boolean overtaken = answeredSentNs.isPresent() && sentNs - answeredSentNs.getAsLong() < 0;
    boolean refused = false;
    if (!overtaken) {
      answeredSentNs = OptionalLong.of(sentNs);
      knownVolumesId =
          commands.hasKnownVolumesId() ? OptionalLong.of(commands.getKnownVolumesId()) : OptionalLong.empty();
      refused = !apply(commands, sentNs);
    }
    if (connection != ConnectionState.REPORTING) {
      connection = ConnectionState.REPORTING;
      retryMs = INITIAL_RETRY_MS;
      LOG.info("Dayu reports to NameNode {} for block pool {}", nameNode, blockPoolId);
    }
    minSpacingMs = Math.max(MIN_SPACING_MS, Math.min(MAX_INTERVAL_MS, commands.getMinSpacingMs()));
    return refused ? minSpacingMs : Math.max(minSpacingMs, Math.min(MAX_INTERVAL_MS, commands.getNextReportMs()));
  }

  /**
   * Obeys the commands if their NameNode is active and they are the newest. A NameNode that does not know yet that
   * another has taken over answers as before, and may be active once more when its answer is read: so a new activation
   * counts only in answer to a report that was made when the DataNode held its NameNode for active. This is one step
   * for all exchanges about the block pool: this thread may have stood still, and another NameNode may have taken over.
   *
   * @return false if the active NameNode's commands are refused, and it is to be asked again soon
   */
  private boolean apply(AgentCommandsProto commands, long sentNs) {
    synchronized (commandsOrder) {
      if (stopped || !isActive.getAsBoolean()) {
        return true;
      }
      agent.granted().acknowledge(blockPoolId, commands.getAcknowledgedList());
      if (!commands.getAuthoritative()) {
        return true;
      }
      boolean reportedBeforeActive =
          reportedToStandby || activeSinceNs.isPresent() && sentNs - activeSinceNs.getAsLong() < 0;
      boolean newActivation = !commandsOrder.isCurrent(commands.getActivation());
      if (newActivation && reportedBeforeActive) {
        return false;
      }
      if (!commandsOrder.accept(commands, sentNs, clock.getAsLong())) {
        return false;
      }
      follow(commands, sentNs);
      accepted = commands.toBuilder().clearGrants().clearAcknowledged().clearSuspects().clearVerifications().build();
      return true;
    }
  }

  private void follow(AgentCommandsProto commands, long sentNs) {
    agent.limits(blockPoolId,
        commands.hasMaxUtilization() ? OptionalDouble.of(commands.getMaxUtilization()) : OptionalDouble.empty(),
        commands.hasMinBytesPerSec() ? OptionalLong.of(commands.getMinBytesPerSec()) : OptionalLong.empty(),
        commands.hasVolumeMaxStreams() ? Optional.of(commands.getVolumeMaxStreams()) : Optional.empty(),
        commands.getMeterSharers(), commands.getUnmarked());
    if (saysTheSame(commands)) {
      // Most answers do, and each newer grant wakes all threads of its transfer.
      agent.granted().renew(blockPoolId, commands.getGrantsList(), sentNs);
    } else {
      agent.granted().apply(blockPoolId, commands.getGrantsList(), sentNs);
    }
    agent.checkReplicas(blockPoolId, commands.getSuspectsList());
    agent.verifyReplicas(blockPoolId, commands.getVerificationsList());
  }

  /** Whether the last commands that were obeyed have the same grants. */
  private boolean saysTheSame(AgentCommandsProto commands) {
    return accepted != null && accepted.getActivation() == commands.getActivation()
        && accepted.getSequence() == commands.getSequence();
  }

  /** Logs a failed report if it is a new kind of failure, and returns after how many milliseconds to try again. */
  long failed(Throwable e) {
    // It may have been restarted.
    knownVolumesId = OptionalLong.empty();
    boolean unknown = e instanceof RemoteException remote
        && (remote.getClassName().equals(RPC.VersionMismatch.class.getName())
            || remote.getClassName().equals(RpcNoSuchProtocolException.class.getName()));
    ConnectionState now = unknown ? ConnectionState.DAYU_NOT_INSTALLED
        : e instanceof IOException ? ConnectionState.UNREACHABLE
        : ConnectionState.FAILED;
    if (connection != now) {
      connection = now;
      retryMs = INITIAL_RETRY_MS;
      if (stopped) {
        LOG.debug("Stopped while reporting to {}", nameNode);
      } else if (unknown) {
        LOG.info("NameNode {} does not run Dayu; asking again every {} s", nameNode,
            DayuProtocolPB.MAX_UNKNOWN_RETRY_MS / 1000);
      } else if (now == ConnectionState.UNREACHABLE) {
        LOG.warn("Dayu cannot report to NameNode {}: {}; trying again", nameNode, e.toString());
      } else {
        LOG.warn("Dayu's report to NameNode {} failed; trying again", nameNode, e);
      }
    } else {
      LOG.debug("Dayu still cannot report to NameNode {}", nameNode, e);
    }
    long pauseMs = retryMs;
    retryMs = Math.min(2 * retryMs, unknown ? DayuProtocolPB.MAX_UNKNOWN_RETRY_MS : DayuProtocolPB.MAX_RETRY_MS);
    return pauseMs;
  }
}
