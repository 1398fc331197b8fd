/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.BlockManagement;
import io.dayu.blocks.CommitResult;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.namenode.agents.AgentRegistry;
import io.dayu.namenode.agents.ReportResponder;
import io.dayu.namenode.cluster.LiveCluster;
import io.dayu.namenode.cluster.LiveNodes;
import io.dayu.namenode.exchange.AgentReport;
import io.dayu.namenode.loop.TickStages.Stage;
import io.dayu.namenode.planning.BlockHistory;
import io.dayu.namenode.planning.TimeslotDecision;
import io.dayu.namenode.planning.TimeslotPlanner;
import io.dayu.namenode.recording.RecoveryJournal;
import io.dayu.namenode.status.DayuStatus;
import io.dayu.namenode.status.RecoveryState;
import io.dayu.namenode.transfers.AgentState;
import io.dayu.namenode.transfers.AgentUpdates;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.namenode.transfers.EndedTransfer;
import io.dayu.namenode.transfers.TransferTracker;
import io.dayu.schedule.PlanningAlgorithm;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The recovery of this NameNode, tick by tick: follows the NameNode's state, reads reports, has {@link TimeslotPlanner}
 * plan when one is due, and has {@link TransferCoordinator} carry out what was decided (ATC'19 §3, Figure 2). One
 * thread calls it; everything it holds is that thread's own. It has no clock: the time comes with each tick.
 */
public final class RecoveryController {
  private static final long CHECK_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long MIN_LEASE_NS = TimeUnit.SECONDS.toNanos(2);
  /** An agent that has been silent for this time is forgotten; it may come back as a new one. */
  private static final long AGENT_EXPIRY_NS = TimeUnit.MINUTES.toNanos(30);
  /** The reason of the state in a safe mode that an admin, or a lack of disk space, has caused. */
  private static final String SAFE_MODE =
      "the NameNode is in safe mode: no new transfers begin; hdfs dfsadmin -safemode leave ends it";

  private final BlockManagement blocks;
  private final Settings settings;
  private final AgentRegistry<AgentState> agents;
  private final ReportResponder responder;
  private final StockSuspension suspension;
  private final DayuStatus status;
  private final LongSupplier stopwatchNs;
  private final LongSupplier wallClockMs;
  private final TickStages stages = new TickStages();
  private final BlockHistory history = new BlockHistory();
  private final BlocksForStock forStock;
  private final StockSwitch stock;
  private final AdminControl adminControl = new AdminControl();
  private final TransferTracker tracker;
  private final TransferCoordinator coordinator;
  private final TimeslotPlanner timeslots;
  private final StatusPublisher publisher;
  private final LiveCluster cluster;
  private final StateSelector selector;
  private final AdoptionWait adoption;
  private final BlockReportWait blockReports;
  private final AgentReportWait agentReports;
  private final NodeLossBrake lossBrake;
  private final PlanningWaits waits;
  private final ProfileControl profiles;
  private final RecoveryJournal journal;
  private final JournalView journalView;

  private long transitionMs;
  /**
   * Whether there has been an activation since this NameNode was last not active. The state does not say so: the
   * watchdog sets STOCK also before the first activation.
   */
  private boolean activated;
  private long lastCheckNs;
  /** When the transfers were last compared with the block map, and their registrations refreshed. */
  private long auditedNs;

  /**
   * @param stopwatchNs measures how long planning takes, and bounds how long blocks are handed to stock in a tick
   * @param wallClockMs names activations, so that a later one has a higher number also after a restart
   * @param startedNs when this NameNode was started
   */
  RecoveryController(BlockManagement blocks, Settings settings, PlanningAlgorithm algorithm,
      AgentRegistry<AgentState> agents,
      ReportResponder responder, StockSuspension suspension, PendingRegistrations registrations, DayuStatus status,
      String namenodeId,
      LongSupplier stopwatchNs, LongSupplier wallClockMs, long startedNs) {
    this.blocks = blocks;
    this.settings = settings;
    this.agents = agents;
    this.responder = responder;
    this.suspension = suspension;
    this.status = status;
    this.stopwatchNs = stopwatchNs;
    this.wallClockMs = wallClockMs;
    this.transitionMs = blocks.lastTransitionMs();
    AgentUpdates updates = new AgentUpdates(agents);
    this.tracker = new TransferTracker(updates);
    this.coordinator =
        new TransferCoordinator(blocks, suspension, registrations, agents, responder, status, history, tracker,
            updates, settings, algorithm.holdsRates());
    this.timeslots = new TimeslotPlanner(blocks, settings, algorithm, history, stopwatchNs);
    this.publisher = new StatusPublisher(blocks, settings, tracker, status);
    this.cluster =
        new LiveCluster(new LiveNodes(blocks, CHECK_NS), settings, algorithm.newForecast(), agents, responder,
            coordinator.avoided(), coordinator.shown(), startedNs);
    this.forStock = new BlocksForStock(blocks, status, suspension, coordinator, timeslots, cluster,
        new CorruptReplicas(blocks, updates, history), stopwatchNs);
    this.stock = new StockSwitch(suspension, status, timeslots, forStock);
    this.adoption = new AdoptionWait(blocks, agents, cluster, AGENT_EXPIRY_NS, startedNs);
    this.blockReports = new BlockReportWait(blocks, startedNs);
    this.agentReports = new AgentReportWait(agents, tracker, startedNs);
    this.lossBrake = new NodeLossBrake(() -> settings.ratio(Setting.MAX_LOSS));
    this.waits = new PlanningWaits(blocks, status, adminControl, timeslots, blockReports, lossBrake);
    this.profiles = new ProfileControl(settings, blocks, tracker, timeslots, wallClockMs);
    this.selector = new StateSelector(settings, cluster, responder, adminControl, startedNs);
    this.journal = new RecoveryJournal(settings, namenodeId, wallClockMs);
    this.journalView = new JournalView(blocks, status, cluster, tracker, timeslots);
  }

  /** The transfers under way. */
  public List<Attempt> transfers() {
    return tracker.all();
  }

  /** The same, those to one target after each other. */
  public List<Attempt> transfersByTarget() {
    return tracker.allByTarget();
  }

  /** What an admin has told us to do. */
  public AdminControl adminControl() {
    return adminControl;
  }

  /** An admin has changed the settings of profiles: brings the one into force that holds now. */
  public void followProfile(long nowNs) {
    profiles.follow(nowNs);
  }

  /** An admin has told us something else: does it now. */
  public void adminControlChanged(long nowNs) {
    status.waitFor(null);
    if (status.state() != RecoveryState.STANDBY) {
      chooseState(nowNs);
    }
  }

  /** The live DataNodes and what their agents report. */
  public LiveCluster cluster() {
    return cluster;
  }

  /** What waiting blocks wait for, as far as this loop decides. */
  public PlanningWaits waits() {
    return waits;
  }

  public RecoveryJournal journal() {
    return journal;
  }

  public BlockHistory history() {
    return history;
  }

  /**
   * If this JVM has stood still, takes note of it. Each tick does so; who asks anything of this moment before the tick,
   * as admins' requests do, has it noted first.
   */
  public void goesOn(long nowNs) {
    cluster.tick(leaseNs(), nowNs);
  }

  /** Does what is due at this moment. */
  public void tick(long nowNs) {
    goesOn(nowNs);
    recover(nowNs);
    journal.tick(journalView, nowNs);
  }

  private void recover(long nowNs) {
    if (adminControl.endPause(wallClockMs.getAsLong())) {
      adminControlChanged(nowNs);
    }
    blocks.setRecoversGroups(timeslots.plansRebuilds() && settings.choice(Setting.ERASURE_CODING).equals("dayu"));
    int live = blocks.liveNodeCount();
    blockReports.live(live, nowNs);
    lossBrake.observe(live, adminControl.resumedMs(), wallClockMs.getAsLong(), nowNs);
    boolean transitioned = blocks.lastTransitionMs() != transitionMs;
    transitionMs = blocks.lastTransitionMs();
    if (transitioned || !blocks.keepsQueues()) {
      // Even if it has become active again since: agents have obeyed another NameNode meanwhile, and obey only a new
      // activation.
      run(Stage.STATE, nowNs, () -> standBy(nowNs));
    } else if (run(Stage.STATE, nowNs, () -> followState(nowNs)) && activated) {
      // Reports are not read before the activation. It forgets adopted transfers, and their registrations would stay.
      agentReports.noteRunning(nowNs);
      run(Stage.REPORTS, nowNs, () -> readReports(nowNs));
      boolean awaitsAgents = agentReports.isOn(nowNs);
      if (nowNs - lastCheckNs >= Math.min(CHECK_NS, thirdOfPendingTimeoutNs())) {
        lastCheckNs = nowNs;
        run(Stage.AUDIT, nowNs, () -> auditTransfers(awaitsAgents, nowNs));
      }
      run(Stage.UNREGISTRATION, nowNs, () -> timeslots.returned(coordinator.unregisterEnded()));
      if (!awaitsAgents && mayPlan() && adoptionIsOver(nowNs) && blocksAreReported(nowNs)
          && timeslots.isDue(tracker, nowNs)) {
        run(Stage.TIMESLOT, nowNs, () -> planTimeslot(nowNs));
      }
      if (blocks.keepsQueues()) {
        run(Stage.COMMANDS, nowNs, () -> {
          coordinator.publish(cluster.nodes(), nowNs);
          responder.recovering(!tracker.isEmpty());
        });
      }
    }
  }

  /** Runs one stage of a tick. If the same stage fails several times in a row, stock takes over for a while. */
  private boolean run(Stage stage, long nowNs, Runnable work) {
    boolean done = stages.run(stage, work);
    if (stages.givesUp() != null && stock.isSuspended()) {
      selector.failed(nowNs);
      stock.resume(stages.givesUp());
    }
    return done;
  }

  private void followState(long nowNs) {
    long leaseNs = leaseNs();
    suspension.heartbeat(nowNs);
    if (!activated && !blocks.inSafeMode()) {
      // HDFS notes the time of the transition late. Without this the same transition would be seen a second time.
      transitionMs = blocks.lastCompletedTransitionMs();
      activate(nowNs);
    } else if (!activated) {
      status.explain("the NameNode is active, but has not left safe mode since its start");
    }
    if (stock.wasResumedByTheWatchdog()) {
      selector.failed(nowNs);
      stock.resume("the watchdog has resumed stock re-replication");
    }
    if (activated) {
      tracker.raiseMaxLease(leaseNs);
      // Counts from the last refresh of registrations, so that HDFS does not give up a copy that an agent still makes.
      long activatedMs = transitionMs;
      responder.extendLeases(auditedNs + leaseNs, () -> blocks.lastTransitionMs() == activatedMs);
    }
  }

  private boolean mayPlan() {
    return status.state() == RecoveryState.DAYU && !blocks.inSafeMode() && !adminControl.stopsAll();
  }

  /** Whether Dayu and stock HDFS recover only blocks of the highest risk now. */
  private boolean isLimitedToHighestRisk() {
    return waits.holdsLowerRisks() || !blockReports.isOver();
  }

  private void auditTransfers(boolean awaitsAgents, long nowNs) {
    profiles.tick(nowNs);
    cluster.refresh(nowNs);
    chooseState(nowNs);
    if (mayPlan() && !adminControl.paused() && adoption.isOver() && blockReports.isOver()) {
      status.waitFor(lossBrake.isOn() ? lossBrake.reason(nowNs) : null);
    } else if (blocks.inSafeMode()) {
      status.waitFor(SAFE_MODE);
    }
    ended(coordinator.check(nowNs));
    if (!awaitsAgents) {
      ended(coordinator.expire(nowNs));
      coordinator.judge(timeslots.plannedAll() && mayPlan() && !isLimitedToHighestRisk(), nowNs);
      cluster.observeLinks(tracker.all(), nowNs);
    }
    auditedNs = nowNs;
    agents.forgetIf(agent -> nowNs - agent.lastReportNs() > AGENT_EXPIRY_NS && tracker.of(agent.uuid).isEmpty());
    if (!awaitsAgents && !blocks.inSafeMode() && !adminControl.stopsAll()) {
      boolean limited = isLimitedToHighestRisk();
      blockReports.observe(nowNs);
      forStock.audit(limited, adoption.isOver() && !blockReports.isOver(), nowNs);
    }
    cluster.observeReconstructions(blocks.stockReconstructions());
    publisher.progress(cluster.liveAgents(nowNs));
  }

  private void planTimeslot(long nowNs) {
    long startNs = stopwatchNs.getAsLong();
    if (tracker.isEmpty()) {
      // What begins a recovery may be younger than the list of nodes: one of them is leaving, for example.
      cluster.expire();
    }
    cluster.refresh(nowNs);
    profiles.follow(nowNs);
    timeslots.limitToHighestRisk(isLimitedToHighestRisk());
    TimeslotDecision decision =
        timeslots.plan(cluster.nodesToPlanWith(nowNs), cluster.loads(nowNs), tracker.all(), nowNs);
    tracker.planned();
    List<CommitResult> results = coordinator.carryOut(decision, nowNs);
    forStock.offer(decision.forStock(), nowNs);
    timeslots.carriedOut(decision, results, tracker.liveCount());
    long planMs = TimeUnit.NANOSECONDS.toMillis(stopwatchNs.getAsLong() - startNs);
    publisher.timeslot(decision, results, planMs, cluster.liveAgents(nowNs));
    // Last, so that a recording that fails changes nothing of the timeslot.
    journal.planned(decision, results, blocks::waitingBlocks, nowNs);
  }

  /** The lease: long enough for a few reports of an agent, even if HDFS gives up pending copies within seconds. */
  private long leaseNs() {
    return Math.max(MIN_LEASE_NS,
        Math.min(TimeUnit.MILLISECONDS.toNanos(settings.millis(Setting.LEASE)), thirdOfPendingTimeoutNs()));
  }

  private long thirdOfPendingTimeoutNs() {
    return TimeUnit.MILLISECONDS.toNanos(blocks.pendingTimeoutMs()) / 3;
  }

  /**
   * Suspends stock on a standby, too. It does nothing there; but if it were not suspended, it would schedule work as
   * soon as the NameNode becomes active.
   */
  private void standBy(long nowNs) {
    profiles.tick(nowNs);
    responder.revokeCommands();
    stock.suspend(nowNs);
    suspension.heartbeat(nowNs);
    activated = false;
    if (status.state() == RecoveryState.STANDBY) {
      status.explain("the NameNode is not active");
    } else {
      status.enter(RecoveryState.STANDBY, "the NameNode is not active");
      status.progress(DayuStatus.TransferProgress.NONE);
      coordinator.clear();
      stages.clear();
      timeslots.clear();
      history.clear();
      forStock.clear();
      cluster.clear();
    }
  }

  private void activate(long nowNs) {
    selector.activate(nowNs);
    auditedNs = nowNs;
    adoption.begin(nowNs);
    blockReports.begin(nowNs);
    lastCheckNs = nowNs - CHECK_NS;
    publisher.activate();
    timeslots.begin(nowNs);
    coordinator.activate(wallClockMs.getAsLong());
    if (status.state() == RecoveryState.STANDBY) {
      stock.takeOver(nowNs, "the NameNode is active; stock re-replication is suspended");
    }
    // An activation that fails half way is begun anew.
    activated = true;
  }

  /** A tick was broken off: stock HDFS recovers for a while. It resumes first, whatever else fails here. */
  void failed(Throwable cause, long nowNs) {
    suspension.resume();
    if (status.state() == RecoveryState.DAYU) {
      selector.failed(nowNs);
      stock.resume("the recovery loop failed: " + cause);
    }
  }

  /**
   * Ends the recovery by Dayu: stock HDFS recovers from now on. It resumes first: what follows may fail.
   *
   * @param why the reason of state STOCK; null if the plugin stops, which is no change of state
   */
  void end(String why) {
    boolean resumed = suspension.resume();
    try {
      responder.revokeCommands();
      if (resumed && why != null) {
        status.enter(RecoveryState.STOCK, why);
      }
    } finally {
      journal.close();
    }
  }

  private void readReports(long nowNs) {
    for (AgentState agent = agents.nextUnread(); agent != null; agent = agents.nextUnread()) {
      AgentReport report = agent.takeReport();
      if (report != null) {
        ended(coordinator.read(agent, report, nowNs));
        if (report.load() != null) {
          journal.reported(agent.uuid, agent.load);
        }
      }
    }
    cluster.observeLoads(nowNs);
  }

  /** Tells those who look on which transfers have ended. */
  private void ended(List<EndedTransfer> ended) {
    journal.ended(ended);
    publisher.ended(ended);
  }

  private void chooseState(long nowNs) {
    StateSelector.Decision decision = selector.decide(status.state(), leaseNs(), nowNs);
    switch (decision.action()) {
      case KEEP -> {
      }
      case WAIT -> status.waitFor(decision.reason());
      case RESUME_STOCK -> stock.resume(decision.reason());
      case TAKE_OVER -> stock.takeOver(nowNs, decision.reason());
    }
  }

  /** Whether it is known which blocks lack replicas. */
  private boolean blocksAreReported(long nowNs) {
    if (!blockReports.isOver()) {
      status.waitFor(blockReports.observe(nowNs));
    }
    return blockReports.isOver();
  }

  /** Whether no agent can be running transfers that we do not know of. */
  private boolean adoptionIsOver(long nowNs) {
    if (!adoption.isOver() && !cluster.nodes().isEmpty()) {
      status.waitFor(adoption.observe(tracker.maxLeaseNs(), nowNs));
      if (adoption.isOver()) {
        coordinator.logAdopted();
      }
    }
    return adoption.isOver();
  }
}
