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
import io.dayu.model.TimeslotPlan;
import io.dayu.namenode.CommitResult.Verdict;
import io.dayu.protocol.DayuProtos.LoadProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import io.dayu.schedule.TimeslotScheduler;

import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerAccess;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The one thread that owns the recovery of this NameNode: it follows the NameNode's state, reads reports, and at each timeslot takes work,
 * plans, commits and publishes (ATC'19 §3, Figure 2). Everything it holds is its own; other threads only hand in reports, read
 * directions, and take the stock policy back.
 */
final class RecoveryLoop implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(RecoveryLoop.class);

  private static final long TICK_MS = 100;
  private static final long CHECK_NS = TimeUnit.SECONDS.toNanos(1);
  /** Idle agents report every three intervals; one that misses three of those is gone. */
  private static final int SILENT_REPORTS = 9;
  private static final int FAILURES_UNTIL_STOCK = 3;
  private static final long LONGEST_BACKOFF_NS = TimeUnit.MINUTES.toNanos(10);
  /** Blocks of the highest risk that are read anew in each timeslot. */
  private static final int HIGHEST_RISK_LIMIT = 2_000;
  /** Short holds of the lock in which one timeslot may read further work. */
  private static final int READS_PER_TIMESLOT = 40;
  private static final int DESCRIBED_TRANSFERS = 100;

  private final BlockManagerAccess blocks;
  private final Settings settings;
  private final TimeslotScheduler scheduler;
  private final AgentDesk desk;
  private final StockParking parking;
  private final AttemptBook book;
  private final DayuStatus status;
  private final BlockHistory history;
  private final StockHandover handover;
  private final String namenodeId;
  private final TaskPool pool = new TaskPool();
  private final Semaphore wake = new Semaphore(0);
  private final long startedNs;

  private volatile boolean stopped;
  private Map<String, LiveNode> liveNodes = Map.of();
  private long activatedNs;
  private long lastCheckNs;
  private long lastPlanNs;
  private long timeslot;
  private int grantedAtPlan;
  private long waitingAtPlan;
  /** Whether we have parked stock; only the watchdog may have restored it since. */
  private boolean holdsQueues;
  private int failures;
  private long backoffNs;
  private long stockUntilNs;

  RecoveryLoop(BlockManagerAccess blocks, Settings settings, TimeslotScheduler scheduler, AgentDesk desk, StockParking parking,
      Ledger ledger, DayuStatus status, String namenodeId, long startedNs) {
    this.blocks = blocks;
    this.settings = settings;
    this.scheduler = scheduler;
    this.desk = desk;
    this.parking = parking;
    this.status = status;
    this.history = new BlockHistory();
    this.book = new AttemptBook(blocks, desk, ledger, status, history);
    this.handover = new StockHandover(blocks, parking, status);
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
      parking.restore();
      desk.stopDirecting();
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
      handover.run(nowNs, liveNodes.size());
      publishProgress(nowNs);
    }
    book.settle();
    if (status.state() == RecoveryState.DAYU && adoptionIsOver(nowNs) && timeslotIsDue(nowNs)) {
      planTimeslot(nowNs);
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
      pool.clear();
      history.clear();
      handover.clear();
    }
  }

  private void activate(long nowNs) {
    activatedNs = nowNs;
    timeslot = 0;
    lastCheckNs = nowNs - CHECK_NS;
    lastPlanNs = nowNs - TimeUnit.MILLISECONDS.toNanos(settings.millis(Setting.TIMESLOT_INTERVAL));
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
    pool.clear();
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

  /** A timeslot ends after T; early when half of what it had is done, or a transfer has lost its source. */
  private boolean timeslotIsDue(long nowNs) {
    long sinceNs = nowNs - lastPlanNs;
    long timeslotNs = TimeUnit.MILLISECONDS.toNanos(settings.millis(Setting.TIMESLOT_INTERVAL));
    if (sinceNs < timeslotNs / 3) {
      return false;
    }
    long waiting = blocks.waitingBlocks();
    boolean newWork = waiting > 0 && (grantedAtPlan > 0 || waiting != waitingAtPlan);
    boolean early = book.takeNeedsPlan() || newWork && book.liveCount() * 2 <= grantedAtPlan;
    return early || sinceNs >= timeslotNs && (waiting > 0 || !book.isEmpty());
  }

  private void planTimeslot(long nowNs) {
    lastPlanNs = nowNs;
    timeslot++;
    refreshNodes();
    takeWork();
    PlanningView view = view(nowNs);
    long planStartNs = System.nanoTime();
    TimeslotPlan plan = scheduler.plan(view.snapshot);
    long planMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - planStartNs);
    directRunning(view, plan, nowNs);
    long rejected = commitNew(view, plan, nowNs);
    handover.offer(view.unplaceable, nowNs);
    view.unplaceable.forEach(block -> pool.remove(block.key()));
    grantedAtPlan = book.liveCount();
    waitingAtPlan = blocks.waitingBlocks();
    long planned = plan.count() - rejected;
    long finished = book.takeFinished();
    status.count(planned, rejected);
    status.timeslot(new DayuStatus.Timeslot(timeslot, planned, rejected, finished, planMs));
    publishProgress(nowNs);
    LOG.info("Dayu: timeslot {}: planned {}, rejected {}, finished {}, running {}, waiting {}, left to stock {}; {} of {} bytes; "
        + "plan {} ms", timeslot, planned, rejected, finished, grantedAtPlan, view.waiting.size() - planned,
        view.unplaceable.size(), plan.plannedBytes(), plan.volumeBytes(), planMs);
  }

  /** Reads the head of the queues again and goes on with the rest where the last timeslot stopped. */
  private void takeWork() {
    pool.put(blocks.readHighestRisk(HIGHEST_RISK_LIMIT));
    List<NeededBlock> read = new ArrayList<>();
    boolean ended = false;
    for (int i = 0; i < READS_PER_TIMESLOT && !ended && pool.size() + read.size() < TaskPool.LIMIT; i++) {
      ended = blocks.readNext(read);
    }
    pool.put(read);
    if (ended) {
      pool.endPass();
    }
  }

  private PlanningView view(long nowNs) {
    List<LiveNode> nodes = new ArrayList<>(liveNodes.values());
    nodes.sort((a, b) -> a.uuid().compareTo(b.uuid()));
    Map<String, LoadProto> loads = new HashMap<>();
    for (AgentState agent : desk.agents()) {
      if (isLive(agent, nowNs)) {
        loads.put(agent.uuid, agent.load);
      }
    }
    return new PlanningView(settings, nodes, loads, pool.byRisk(), history, PlanningView.plannable(book.all(), nodes), nowNs);
  }

  private void directRunning(PlanningView view, TimeslotPlan plan, long nowNs) {
    for (int r = 0; r < view.running.size(); r++) {
      Attempt attempt = view.running.get(r);
      int source = plan.runningSource()[r];
      if (source == TimeslotPlan.EVICTED) {
        book.cancel(attempt, "evicted from a saturated target", nowNs);
      } else if (source != TimeslotPlan.NO_SOURCE) {
        book.direct(attempt, view.nodes.get(source).uuid(), plan.runningRateBytesPerSec()[r]);
      }
    }
  }

  private long commitNew(PlanningView view, TimeslotPlan plan, long nowNs) {
    List<TransferRequest> requests = new ArrayList<>(plan.count());
    for (int i = 0; i < plan.count(); i++) {
      NeededBlock block = view.waiting.get(plan.task()[i]);
      requests.add(new TransferRequest(block.key(), block.numBytes(), block.risk(), view.nodes.get(plan.source()[i]).uuid(),
          view.nodes.get(plan.target()[i]).uuid(), block.storageTypes()));
    }
    List<CommitResult> results = blocks.commit(requests, parking::parked);
    long rejected = 0;
    for (int i = 0; i < requests.size(); i++) {
      TransferRequest request = requests.get(i);
      CommitResult result = results.get(i);
      if (result.committed()) {
        book.grant(request, result, plan.rateBytesPerSec()[i]);
      } else {
        rejected++;
        LOG.debug("BLOCK* Dayu: {} from {} to {} was rejected: {} ({})", request.block(), request.source(),
            request.target(), result.verdict(), result.reason());
        if (result.verdict() == Verdict.TARGET_REFUSED) {
          history.refuse(request.block(), request.target(), nowNs);
        }
      }
      if (result.verdict() != Verdict.TARGET_REFUSED) {
        pool.remove(request.block());
      }
    }
    return rejected;
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
