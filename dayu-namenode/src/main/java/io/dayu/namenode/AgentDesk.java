/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.protocol.DayuProtocolPB;
import io.dayu.protocol.DayuProtos.DirectionsProto;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.ReportProto;

import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerAccess;
import org.apache.hadoop.ipc.DeferredResponse;
import org.apache.hadoop.ipc.Server;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.thirdparty.protobuf.RpcController;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.Closeable;
import java.io.IOException;
import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Where agents report and fetch their directions: the server side of {@link DayuProtocolPB}. Thread-safe; called by RPC handlers, which
 * take no namesystem lock here and never wait for the recovery loop.
 *
 * <p>Who has nothing to do and allows it is answered when there is something to do, or when its next report would have been due: so a plan
 * reaches idle agents at once ({@link HeldAnswers}). Not in the least time between two reports, which is a part of the interval that grows with
 * the cluster: with the default heartbeat a third of it with 5,000 agents and all with 15,000, and half with 2,500 while others are at work.
 *
 * <p>A lease is granted from the last sign of life of the loop, not from now, so that a loop that hangs lets all leases end.
 */
final class AgentDesk implements DayuProtocolPB, Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(AgentDesk.class);

  /** Reports that all agents together may send in a second. */
  private static final int REPORTS_PER_SEC = 5_000;
  /** As far as reporting twice as often as is set stays below this, agents do so: a recovery's begin and end wait for less. */
  private static final int FREQUENT_REPORTS_PER_SEC = 1_000;
  /** The same while nothing is recovered, as far as reporting three times as rarely can hold it. */
  private static final int IDLE_REPORTS_PER_SEC = 300;
  /** An agent that has just ended a transfer may ask again this soon, for new work. */
  private static final int SOON_MS = 150;
  /** An answer that would not wait for longer is given at once. */
  private static final long LEAST_WAIT_MS = 20;
  /** No answer waits for more than this part of a lease. */
  private static final int LEASE_SHARE = 4;
  /** Agents start a little before their DataNode has registered. */
  private static final int UNREGISTERED_MS = 1_000;

  private final BlockManagerAccess blocks;
  private final String namenodeId;
  private final String datanodePrincipal;
  private final long activeIntervalMs;
  private final ConcurrentHashMap<String, AgentState> agents = new ConcurrentHashMap<>();
  private final Queue<AgentState> unread = new ConcurrentLinkedQueue<>();
  private final HeldAnswers held = new HeldAnswers();

  private volatile Runnable wakeLoop = () -> { };
  private volatile long leaseEndNs;
  private volatile boolean directing;
  private volatile boolean recovering;

  AgentDesk(BlockManagerAccess blocks, Settings settings, String namenodeId, String datanodePrincipal) {
    this.blocks = blocks;
    this.namenodeId = namenodeId;
    this.datanodePrincipal = datanodePrincipal;
    this.activeIntervalMs = settings.millis(Setting.HEARTBEAT_INTERVAL);
  }

  void wakeWith(Runnable wake) {
    wakeLoop = wake;
  }

  /** Every agent that has ever reported. */
  Collection<AgentState> agents() {
    return agents.values();
  }

  AgentState agent(String uuid) {
    return agents.get(uuid);
  }

  /** The agent, known from now on if it was not before. */
  AgentState register(String uuid, long nowNs) {
    return agents.computeIfAbsent(uuid, unknown -> new AgentState(unknown, nowNs));
  }

  /** Forgets agents without attempts that have not reported since {@code nanos}. */
  void forgetSilent(long nanos) {
    agents.values().removeIf(agent -> agent.attempts.isEmpty() && agent.heardNs() - nanos < 0);
  }

  /** The next agent with a report that the loop has not read, or null. */
  AgentState nextUnread() {
    return unread.poll();
  }

  /** Says that the loop is alive: directions are good until {@code leaseEndNs}. */
  void extendLeases(long leaseEndNs) {
    this.leaseEndNs = leaseEndNs;
    this.directing = true;
  }

  /** Says whether anything is being recovered: then all agents report often, so that plans are made with fresh loads and arrive soon. */
  void recovering(boolean now) {
    recovering = now;
  }

  /** From now on nobody is directed. */
  void stopDirecting() {
    directing = false;
    recovering = false;
    held.releaseAll();
  }

  /** Makes new directions known to an agent: at once if it waits for them, else with its next report. */
  void publish(AgentState agent, DirectionsProto directions) {
    agent.publish(directions);
    held.release(agent.uuid);
  }

  @Override
  public DirectionsProto report(RpcController controller, ReportProto report) throws ServiceException {
    long nowNs = System.nanoTime();
    try {
      String address = blocks.addressOf(report.getDatanodeUuid());
      if (address == null) {
        return notNow(UNREGISTERED_MS);
      }
      checkCaller(report.getDatanodeUuid(), address);
      ReportCheck.check(report);
      if (!report.getBlockPoolId().equals(blocks.blockPoolId())) {
        throw new IOException("report for block pool " + report.getBlockPoolId() + ", this NameNode has " + blocks.blockPoolId());
      }
    } catch (IOException e) {
      throw new ServiceException(e);
    }
    LOG.debug("Dayu: report {} of agent {}", report.getReportSequence(), report.getDatanodeUuid());
    AgentState agent = register(report.getDatanodeUuid(), nowNs);
    if (agent.offer(report, nowNs)) {
      unread.add(agent);
      if (report.getFinishedCount() > 0) {
        wakeLoop.run();
      }
    }
    CompletableFuture<DirectionsProto> answer = answer(agent, report, nowNs);
    if (answer.isDone()) {
      return answer.join();
    }
    DeferredResponse deferred = DeferredResponse.ofThisCall();
    answer.whenComplete((directions, e) -> {
      if (e == null) {
        deferred.give(directions);
      } else {
        deferred.fail(e);
      }
    });
    return DirectionsProto.getDefaultInstance();
  }

  /** Answers at once, or, where the agent allows it, when there is something to do for it. */
  CompletableFuture<DirectionsProto> answer(AgentState agent, ReportProto report, long nowNs) {
    // Leases count from the report: what waits for long comes with a short one.
    long mostMs = Math.min(report.getMayWaitMs(), (leaseEndNs - nowNs) / 1_000_000 / LEASE_SHARE);
    long waitMs = Math.min(mostMs, intervalMs(recovering) - soonMs());
    if (waitMs < LEAST_WAIT_MS || hasNews(agent, report)) {
      return CompletableFuture.completedFuture(directionsFor(agent, report, nowNs));
    }
    CompletableFuture<DirectionsProto> answer = held.hold(agent.uuid, () -> directionsFor(agent, report, System.nanoTime()), waitMs);
    if (hasNews(agent, report)) {
      // It may have come before the answer was held.
      held.release(agent.uuid);
    }
    return answer;
  }

  private boolean hasNews(AgentState agent, ReportProto report) {
    DirectionsProto published = agent.directions();
    return !directing || published == null || published.getGrantsCount() > 0 || published.getAcknowledgedCount() > 0
        || report.getRunningCount() > 0 || report.getFinishedCount() > 0 || published.getActivation() != report.getObeyedActivation()
        || published.getSequence() != report.getObeyedSequence();
  }

  private DirectionsProto directionsFor(AgentState agent, ReportProto report, long nowNs) {
    // Counts from the sending of the report, so that it is never longer than what the loop believes, however late the answer is.
    long leaseMs = (leaseEndNs - nowNs) / 1_000_000;
    DirectionsProto published = agent.directions();
    if (!directing || published == null || leaseMs <= 0) {
      return notNow(intervalMs(false));
    }
    // Who waits for the answer to its next report should do so soon.
    boolean waits = report.hasMayWaitMs() && published.getGrantsCount() == 0;
    int nextReportMs = waits || report.getFinishedCount() > 0 ? soonMs() : intervalMs(recovering || published.getGrantsCount() > 0);
    DirectionsProto.Builder directions = published.toBuilder().setNextReportMs(nextReportMs)
        .setLeastSpacingMs(soonMs());
    for (GrantProto.Builder grant : directions.getGrantsBuilderList()) {
      grant.setLeaseMs((int) leaseMs);
    }
    return directions.build();
  }

  /** Nothing to say yet: not active, handed back, or the DataNode has not registered. */
  private DirectionsProto notNow(int nextReportMs) {
    return DirectionsProto.newBuilder().setProtocolVersion(REVISION).setNamenodeId(namenodeId).setActivation(0).setSequence(0)
        .setAuthoritative(false).setNextReportMs(nextReportMs).build();
  }

  /** The sooner an idle agent asks, the sooner it hears of a loss. */
  private int intervalMs(boolean busy) {
    long idleIntervalMs = Math.min(3 * activeIntervalMs, 1_000L * agents.size() / IDLE_REPORTS_PER_SEC);
    long busyIntervalMs = Math.max(activeIntervalMs / 2, Math.min(activeIntervalMs, 1_000L * agents.size() / FREQUENT_REPORTS_PER_SEC));
    return (int) Math.max(busy ? 0 : idleIntervalMs, Math.max(busyIntervalMs, leastIntervalMs()));
  }

  private int soonMs() {
    return (int) Math.max(SOON_MS, leastIntervalMs());
  }

  /** What keeps all agents together below the bound, however many there are. */
  private long leastIntervalMs() {
    return 1_000L * agents.size() / REPORTS_PER_SEC;
  }

  /**
   * Lets in DataNodes that are registered, calling from their own address and, under Kerberos, as the DataNode's principal. The
   * service ACL of DatanodeProtocol applies too, where authorization is on.
   */
  private void checkCaller(String datanodeUuid, String known) throws IOException {
    String caller = Server.getRemoteIp() == null ? null : Server.getRemoteIp().getHostAddress();
    if (!known.equals(caller)) {
      throw new AccessControlException("DataNode " + datanodeUuid + " is not registered from " + caller);
    }
    if (UserGroupInformation.isSecurityEnabled()) {
      String user = Server.getRemoteUser().getUserName();
      if (datanodePrincipal == null || !sameService(user, datanodePrincipal)) {
        throw new AccessControlException(user + " is not the DataNode's principal " + datanodePrincipal);
      }
    }
  }

  /** Whether two principals agree in service and realm; the host of one is the pattern {@code _HOST} of the other. */
  private static boolean sameService(String user, String pattern) {
    return user.replaceFirst("/[^@]*", "").equals(pattern.replaceFirst("/[^@]*", ""));
  }

  /** Whoever waits is answered; from now on nobody is directed. */
  @Override
  public void close() {
    stopDirecting();
    held.close();
  }
}
