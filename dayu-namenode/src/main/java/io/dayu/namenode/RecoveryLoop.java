/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.blocks.LiveNode;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.protocol.DayuProtos.LoadProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import io.dayu.schedule.TimeslotScheduler;

import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerAccess;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The one thread that owns the recovery of this NameNode: it follows the NameNode's state, reads reports, has {@link Timeslots} plan when
 * one is due, and publishes directions (ATC'19 §3, Figure 2). Everything it holds is its own; other threads only hand in reports, read
 * directions, and take the stock policy back.
 */
final class RecoveryLoop implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(RecoveryLoop.class);

  private static final long TICK_MS = 100;
  private static final long CHECK_NS = TimeUnit.SECONDS.toNanos(1);
  /** Idle agents report every three intervals; one that misses three of those is gone. */
  private static final int SILENT_REPORTS = 9;
  /** An agent that has been silent for so long is forgotten; it may come back as a new one. */
  private static final long FORGET_NS = TimeUnit.MINUTES.toNanos(30);
  private static final int FAILURES_UNTIL_STOCK = 3;
  private static final long LONGEST_BACKOFF_NS = TimeUnit.MINUTES.toNanos(10);
  private static final int DESCRIBED_TRANSFERS = 100;

  private final BlockManagerAccess blocks;
  private final Settings settings;
  private final AgentDesk desk;
  private final StockParking parking;
  private final AttemptBook book;
  private final DayuStatus status;
  private final BlockHistory history;
  private final StockHandover handover;
  private final Timeslots timeslots;
  private final String namenodeId;
  private final Semaphore wake = new Semaphore(0);
  private final long startedNs;

  private volatile boolean stopped;
  private Map<String, LiveNode> liveNodes = Map.of();
  private long activatedNs;
  private long lastCheckNs;
  /** Whether we have parked stock; only the watchdog may have restored it since. */
  private boolean holdsQueues;
  private int failures;
  private long backoffNs;
  private long stockUntilNs;

  RecoveryLoop(BlockManagerAccess blocks, Settings settings, TimeslotScheduler scheduler, AgentDesk desk, StockParking parking,
      Ledger ledger, DayuStatus status, String namenodeId, long startedNs) {
    this.blocks = blocks;
    this.settings = settings;
    this.desk = desk;
    this.parking = parking;
    this.status = status;
    this.history = new BlockHistory();
    this.book = new AttemptBook(blocks, desk, ledger, status, history);
    this.handover = new StockHandover(blocks, parking, status);
    this.timeslots = new Timeslots(blocks, settings, scheduler, parking, book, history, handover, status);
    this.namenodeId = namenodeId;
    this.startedNs = startedNs;
    desk.wakeWith(wake::release);
  }

  void stop() {
    stopped = true;
    wake.release();
  }

  @Override
  public void run() {
    try {
      while (!stopped) {
        tick(System.nanoTime());
        if (wake.tryAcquire(TICK_MS, TimeUnit.MILLISECONDS)) {
          wake.drainPermits();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Error e) {
      LOG.error("Dayu: the recovery loop ends; stock HDFS takes over", e);
      throw e;
    } finally {
      desk.stopDirecting();
      if (parking.restore() && !stopped) {
        status.enter(RecoveryState.STOCK, "the recovery loop has ended");
      }
    }
  }

  private void tick(long nowNs) {
    try {
      doWork(nowNs);
      if (status.state() == RecoveryState.DAYU) {
        failures = 0;
      }
    } catch (RuntimeException e) {
      failures++;
      LOG.error("Dayu: the recovery loop failed ({} in a row)", failures, e);
      if (failures >= FAILURES_UNTIL_STOCK) {
        backOff(nowNs);
        handBack("the recovery loop failed " + failures + " times in a row: " + e);
      }
    }
  }

  private void doWork(long nowNs) {
    if (!blocks.repairsBlocks()) {
      standBy();
      return;
    }
    long leaseNs = leaseNs();
    book.leaseNs(leaseNs);
    parking.renew(nowNs);
    if (status.state() == RecoveryState.STANDBY) {
      activate(nowNs);
    } else if (holdsQueues && !parking.parked()) {
      backOff(nowNs);
      handBack("the watchdog has taken the queues back");
    }
    desk.extendLeases(nowNs + leaseNs);
    readReports(nowNs);
    if (nowNs - lastCheckNs >= CHECK_NS) {
      lastCheckNs = nowNs;
      refreshNodes();
      chooseState(nowNs);
      book.check(nowNs);
      desk.forgetSilent(nowNs - FORGET_NS);
      handover.run(nowNs, liveNodes.size());
      publishProgress(nowNs);
    }
    book.settle();
    if (status.state() == RecoveryState.DAYU && adoptionIsOver(nowNs) && timeslots.isDue(nowNs)) {
      refreshNodes();
      timeslots.plan(liveNodes, loads(nowNs), nowNs);
      publishProgress(nowNs);
    }
    book.publish(liveNodes, namenodeId);
  }

  private long leaseNs() {
    return TimeUnit.MILLISECONDS.toNanos(Math.min(settings.millis(Setting.LEASE), blocks.pendingTimeoutMs() / 3));
  }

  private void standBy() {
    desk.stopDirecting();
    if (status.state() != RecoveryState.STANDBY) {
      parking.restore();
      holdsQueues = false;
      status.enter(RecoveryState.STANDBY, "the NameNode is not active, or in safe mode");
      book.clear();
      timeslots.clear();
      history.clear();
      handover.clear();
    }
  }

  private void activate(long nowNs) {
    activatedNs = nowNs;
    lastCheckNs = nowNs - CHECK_NS;
    timeslots.begin(nowNs);
    book.activate(System.currentTimeMillis());
    park(nowNs, "the NameNode is active; stock re-replication is parked");
  }

  private void park(long nowNs, String why) {
    parking.park(nowNs);
    holdsQueues = true;
    status.enter(RecoveryState.DAYU, why);
  }

  private void handBack(String why) {
    parking.restore();
    holdsQueues = false;
    status.enter(RecoveryState.STOCK, why);
    timeslots.clear();
    handover.clear();
  }

  private void backOff(long nowNs) {
    long firstNs = TimeUnit.MILLISECONDS.toNanos(settings.millis(Setting.WATCHDOG_TIMEOUT));
    backoffNs = Math.min(LONGEST_BACKOFF_NS, Math.max(firstNs, backoffNs * 2));
    stockUntilNs = nowNs + backoffNs;
  }

  private void readReports(long nowNs) {
    for (AgentState agent = desk.nextUnread(); agent != null; agent = desk.nextUnread()) {
      ReportProto report = agent.takeReport();
      if (report != null) {
        book.read(agent, report, nowNs);
      }
    }
  }

  private void refreshNodes() {
    Map<String, LiveNode> nodes = new HashMap<>();
    for (LiveNode node : blocks.liveNodes()) {
      nodes.put(node.uuid(), node);
    }
    liveNodes = nodes;
  }

  /** Leaves the queues to stock while too few DataNodes have agents, and takes them back when there are enough. */
  private void chooseState(long nowNs) {
    int agents = liveAgents(nowNs);
    if (liveNodes.isEmpty()) {
      return;
    }
    boolean enough = agents > 0 && agents >= settings.ratio(Setting.MIN_AGENT_RATIO) * liveNodes.size();
    if (status.state() == RecoveryState.DAYU && !enough && nowNs - activatedNs > silenceNs()) {
      handBack(agents + " of " + liveNodes.size() + " live DataNodes have an agent, fewer than "
          + Setting.MIN_AGENT_RATIO.key() + " = " + settings.ratio(Setting.MIN_AGENT_RATIO));
    } else if (status.state() == RecoveryState.STOCK && enough && nowNs - stockUntilNs >= 0) {
      park(nowNs, agents + " of " + liveNodes.size() + " live DataNodes have an agent");
    }
  }

  private int liveAgents(long nowNs) {
    int live = 0;
    for (AgentState agent : desk.agents()) {
      live += isLive(agent, nowNs) ? 1 : 0;
    }
    return live;
  }

  private boolean isLive(AgentState agent, long nowNs) {
    return agent.adopted && agent.load != null && liveNodes.containsKey(agent.uuid) && nowNs - agent.heardNs() < silenceNs();
  }

  private long silenceNs() {
    return TimeUnit.MILLISECONDS.toNanos(SILENT_REPORTS * settings.millis(Setting.HEARTBEAT_INTERVAL));
  }

  /**
   * Whether nobody can be running transfers that we do not know of: every live DataNode has reported in this activation, or the
   * leases of whoever was before us have ended. Before a failover that may have been another NameNode; before a restart it was
   * this one, until it stopped.
   */
  private boolean adoptionIsOver(long nowNs) {
    if (liveNodes.isEmpty()) {
      return false;
    }
    long predecessorEndNs = blocks.hasStandby() ? activatedNs : startedNs;
    if (nowNs - predecessorEndNs > leaseNs()) {
      return true;
    }
    for (String uuid : liveNodes.keySet()) {
      AgentState agent = desk.agent(uuid);
      if (agent == null || !agent.adopted) {
        return false;
      }
    }
    return true;
  }

  /** What the live agents last reported of their nodes, by UUID. */
  private Map<String, LoadProto> loads(long nowNs) {
    Map<String, LoadProto> loads = new HashMap<>();
    for (AgentState agent : desk.agents()) {
      if (isLive(agent, nowNs)) {
        loads.put(agent.uuid, agent.load);
      }
    }
    return loads;
  }

  private void publishProgress(long nowNs) {
    long progressBytes = 0;
    long bytesPerSec = 0;
    for (Attempt attempt : book.all()) {
      progressBytes += attempt.doneBytes;
      bytesPerSec += attempt.live() ? attempt.achievedBytesPerSec : 0;
    }
    status.progress(new DayuStatus.Progress(blocks.waitingBlocks(), book.liveCount(), progressBytes, bytesPerSec,
        liveAgents(nowNs), book.describe(liveNodes, DESCRIBED_TRANSFERS)));
  }
}
