/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.datanode.transfer.ReplicaCheck;
import io.dayu.datanode.transfer.TransferService;
import io.dayu.protocol.DayuProtocolPB;
import io.dayu.protocol.DayuProtos.AgentCommandsProto;
import io.dayu.protocol.DayuProtos.LoadProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.ipc.RpcNoSuchProtocolException;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Reports to one NameNode for one block pool and obeys its commands if it is the active one. One thread;
 * {@link #wake} and {@link #stop} may be called by any.
 */
final class Reporter implements Runnable {
  private static final long MIN_SPACING_MS = 100;
  private static final long MAX_INTERVAL_MS = 60_000;
  private static final long INITIAL_RETRY_MS = 1_000;

  /** A report fails if it has no answer within this time. */
  static final int RPC_TIMEOUT_MS = 20_000;
  /** The longest time for which the NameNode may defer its answer. */
  private static final int MAX_WAIT_MS = RPC_TIMEOUT_MS / 2;

  private static final Logger LOG = LoggerFactory.getLogger(Reporter.class);

  /** What a reporter needs of its agent. */
  interface Context {
    String datanodeUuid();

    long incarnation();

    /** When the agent started, by the clock of this host. */
    long startMs();

    Optional<LoadProto> load();

    TransferService transfers();

    /** How many NameNodes share the node's bandwidth for recovery, that of the given block pool included. */
    ActivePools.Shares shares(String blockPoolId);

    ReplicaCheck replicaCheck();

    /**
     * α, B_min and the streams of volumes as the active NameNode of a block pool has them, where an admin has changed
     * them there; and how many agents share the meter.
     */
    void limits(String blockPoolId, OptionalDouble alpha, OptionalLong minBytesPerSec,
        Optional<String> volumeMaxStreams, int meterSharers);
  }

  private enum ConnectionState { UNTRIED, REPORTING, DAYU_NOT_INSTALLED, UNREACHABLE }

  private final Context agent;
  private final String blockPoolId;
  private final String nameNode;
  private final String version;
  private final DayuProtocolPB proxy;
  private final BooleanSupplier isActive;
  private final AgentCommandsOrder commandsOrder;
  private final Thread thread;

  private volatile boolean stopped;
  private boolean woken;

  // Used by the reporter's thread only.
  private ConnectionState connection = ConnectionState.UNTRIED;
  private long retryMs = INITIAL_RETRY_MS;
  private long reportSequence;
  private long minSpacingMs = MIN_SPACING_MS;
  private OptionalLong knownVolumesId = OptionalLong.empty();
  private AgentCommandsProto accepted;
  private AgentCommandsProto applied;

  /**
   * @param version of Dayu
   * @param isActive whether the DataNode considers this NameNode the active one now
   * @param commandsOrder shared by all reporters of the block pool
   */
  Reporter(Context agent, String blockPoolId, String nameNode, String version, DayuProtocolPB proxy,
      BooleanSupplier isActive, AgentCommandsOrder commandsOrder) {
    this.agent = agent;
    this.blockPoolId = blockPoolId;
    this.nameNode = nameNode;
    this.version = version;
    this.proxy = proxy;
    this.isActive = isActive;
    this.commandsOrder = commandsOrder;
    this.thread = new Thread(this, "dayu-reporter-" + nameNode);
    this.thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** Asks for a report soon: a transfer has ended. */
  synchronized void wake() {
    woken = true;
    notifyAll();
  }

  void stop() {
    stopped = true;
    thread.interrupt();
    RPC.stopProxy(proxy);
  }

  @Override
  public void run() {
    while (!stopped) {
      long pauseMs;
      try {
        pauseMs = exchange();
      } catch (IOException e) {
        pauseMs = failed(e);
      } catch (RuntimeException | OutOfMemoryError e) {
        LOG.warn("Dayu's report to NameNode {} failed", nameNode, e);
        pauseMs = DayuProtocolPB.MAX_RETRY_MS;
      }
      pause(pauseMs);
    }
  }

  /** Sends one report, obeys the answer, and says when to send the next. */
  private long exchange() throws IOException {
    ReportProto report = report();
    long sentNs = System.nanoTime();
    AgentCommandsProto commands;
    try {
      commands = proxy.report(null, report);
    } catch (ServiceException e) {
      throw e.getCause() instanceof IOException io ? io : new IOException(e);
    }
    long arrivedNs = System.nanoTime();
    AgentCommandsCheck.check(commands);
    if (connection != ConnectionState.REPORTING) {
      connection = ConnectionState.REPORTING;
      retryMs = INITIAL_RETRY_MS;
      LOG.info("Dayu reports to NameNode {} for block pool {}", nameNode, blockPoolId);
    }
    knownVolumesId =
        commands.hasKnownVolumesId() ? OptionalLong.of(commands.getKnownVolumesId()) : OptionalLong.empty();
    apply(commands, sentNs, arrivedNs);
    minSpacingMs = Math.max(MIN_SPACING_MS, Math.min(MAX_INTERVAL_MS, commands.getMinSpacingMs()));
    return Math.max(minSpacingMs, Math.min(MAX_INTERVAL_MS, commands.getNextReportMs()));
  }

  private ReportProto report() {
    TransferService.Status status = agent.transfers().status(blockPoolId);
    if (!status.stopping()) {
      applied = accepted;
    }
    ReportProto.Builder report = ReportProto.newBuilder().setProtocolVersion(DayuProtocolPB.REVISION)
        .setBlockPoolId(blockPoolId).setDatanodeUuid(agent.datanodeUuid()).setAgentIncarnation(agent.incarnation())
        .setAgentStartMs(agent.startMs()).setReportSequence(++reportSequence).setVersion(version)
        .addAllRunning(status.running())
        .addAllFinished(status.finished());
    agent.load().ifPresent(load -> report
        .setLoad(withoutKnownVolumes(LoadEstimator.share(load, agent.shares(blockPoolId)))));
    if (status.running().isEmpty() && status.finished().isEmpty()) {
      report.setMayWaitMs(MAX_WAIT_MS);
    }
    if (applied != null) {
      report.setObeyedActivation(applied.getActivation()).setObeyedSequence(applied.getSequence());
    }
    return report.build();
  }

  /** Without the volumes, if the NameNode knows them. */
  private LoadProto withoutKnownVolumes(LoadProto load) {
    return knownVolumesId.isPresent() && knownVolumesId.getAsLong() == load.getVolumesId()
        ? load.toBuilder().clearVolumes().build() : load;
  }

  /**
   * Obeys the commands if their NameNode is active and they are the newest. This is one step for all reporters of the
   * block pool: this thread may have stood still, and another NameNode may have taken over.
   */
  private void apply(AgentCommandsProto commands, long sentNs, long arrivedNs) {
    synchronized (commandsOrder) {
      if (stopped || !isActive.getAsBoolean()) {
        return;
      }
      agent.transfers().acknowledge(blockPoolId, commands.getAcknowledgedList());
      if (commands.getAuthoritative() && commandsOrder.accept(commands, arrivedNs, System.nanoTime())) {
        follow(commands, sentNs);
        accepted = commands.toBuilder().clearGrants().clearAcknowledged().clearSuspects().build();
      }
    }
  }

  private void follow(AgentCommandsProto commands, long sentNs) {
    agent.limits(blockPoolId,
        commands.hasMaxUtilization() ? OptionalDouble.of(commands.getMaxUtilization()) : OptionalDouble.empty(),
        commands.hasMinBytesPerSec() ? OptionalLong.of(commands.getMinBytesPerSec()) : OptionalLong.empty(),
        commands.hasVolumeMaxStreams() ? Optional.of(commands.getVolumeMaxStreams()) : Optional.empty(),
        commands.getMeterSharers());
    agent.transfers().apply(blockPoolId, commands.getGrantsList(), sentNs);
    agent.replicaCheck().offer(blockPoolId, commands.getSuspectsList());
  }

  /** Logs a failure when it is a new kind of failure, and says when to try again. */
  private long failed(IOException e) {
    // It may have been restarted.
    knownVolumesId = OptionalLong.empty();
    boolean unknown = e instanceof RemoteException remote
        && (remote.getClassName().equals(RPC.VersionMismatch.class.getName())
            || remote.getClassName().equals(RpcNoSuchProtocolException.class.getName()));
    ConnectionState now = unknown ? ConnectionState.DAYU_NOT_INSTALLED : ConnectionState.UNREACHABLE;
    if (connection != now) {
      connection = now;
      retryMs = INITIAL_RETRY_MS;
      if (stopped) {
        LOG.debug("Stopped while reporting to {}", nameNode);
      } else if (unknown) {
        LOG.info("NameNode {} does not run Dayu; asking again every {} s", nameNode,
            DayuProtocolPB.MAX_UNKNOWN_RETRY_MS / 1000);
      } else {
        LOG.warn("Dayu cannot report to NameNode {}: {}; trying again", nameNode, e.toString());
      }
    } else {
      LOG.debug("Dayu still cannot report to NameNode {}", nameNode, e);
    }
    long pauseMs = retryMs;
    retryMs = Math.min(2 * retryMs, unknown ? DayuProtocolPB.MAX_UNKNOWN_RETRY_MS : DayuProtocolPB.MAX_RETRY_MS);
    return pauseMs;
  }

  /**
   * Waits, for at least the minimum spacing of reports. Only while reports succeed may others end the wait, so that a
   * failing NameNode is not flooded.
   */
  private void pause(long millis) {
    try {
      Thread.sleep(Math.min(millis, minSpacingMs));
      long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis - minSpacingMs);
      synchronized (this) {
        long leftMs = TimeUnit.NANOSECONDS.toMillis(endNs - System.nanoTime());
        while (leftMs > 0 && !stopped && !(woken && connection == ConnectionState.REPORTING)) {
          wait(leftMs);
          leftMs = TimeUnit.NANOSECONDS.toMillis(endNs - System.nanoTime());
        }
        woken = false;
      }
    } catch (InterruptedException e) {
      // Only stop() interrupts.
    }
  }
}
