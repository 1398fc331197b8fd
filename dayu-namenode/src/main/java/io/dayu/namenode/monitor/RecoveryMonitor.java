/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.monitor;

import io.dayu.blocks.BlockInspection;
import io.dayu.blocks.BlockManagement;
import io.dayu.blocks.WaitReason;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.metrics.MetricSet;
import io.dayu.namenode.agents.AgentRegistry;
import io.dayu.namenode.agents.ReportResponder;
import io.dayu.namenode.loop.AdminControl;
import io.dayu.namenode.loop.AdminControl.Mode;
import io.dayu.namenode.loop.AdminControl.ModeChange;
import io.dayu.namenode.loop.PendingRegistrations;
import io.dayu.namenode.loop.RecoveryController;
import io.dayu.namenode.loop.RecoveryParts;
import io.dayu.namenode.monitor.RecoveryProgress.Progress;
import io.dayu.namenode.status.DayuStatus;
import io.dayu.namenode.status.RecoveryMetric;
import io.dayu.namenode.status.RecoveryState;
import io.dayu.namenode.transfers.AgentState;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.rules.RecentProgress.Usage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;

/**
 * Follows the recovery for people: its progress and cause, time above alpha, and reminders that it is paused. The
 * recovery loop calls {@link #tick} after each of its own; it changes nothing of the recovery but what deadlines of
 * leaving DataNodes need. The methods that other threads call are thread-safe.
 */
public final class RecoveryMonitor {
  private static final Logger LOG = LoggerFactory.getLogger(RecoveryMonitor.class);

  private static final long MIN_PERIOD_NS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long MAX_PERIOD_NS = TimeUnit.SECONDS.toNanos(1);
  /** A recovery that begins later than this after the activation is another one than that of the NameNode before. */
  private static final long MAX_TAKE_OVER_NS = TimeUnit.MINUTES.toNanos(2);
  private static final long STANDBY_LOOK_NS = TimeUnit.SECONDS.toNanos(5);
  /** Interval of reminders: a pause that an admin forgets is dangerous. */
  private static final long REMINDER_NS = TimeUnit.MINUTES.toNanos(10);

  private final RecoveryController controller;
  private final DayuStatus status;
  private final PendingRegistrations registrations;
  private final AgentRegistry<AgentState> agents;
  private final ReportResponder responder;
  private final BlockManagement blocks;
  private final BlockInspection inspection;
  private final Settings settings;
  private final LongConsumer shadow;
  private final MetricSet<RecoveryMetric> metrics;
  private final RecoveryProgress progress;
  private final StockProgress stockProgress = new StockProgress();
  private final LeavingWatch leaving;
  private final DeadlineControl deadlines;
  private final RecoveryHistory history = new RecoveryHistory();

  // The recovery loop's own.
  private final RecoveryCause cause = new RecoveryCause();
  private final long[] stateNs = new long[RecoveryState.values().length];
  private final UsageMeter usage;
  private final WaitingByRisk waiting;
  private long lastNs;
  private long remindedNs;
  private long sampledNs;
  private boolean failing;
  private volatile int liveDataNodes;
  private volatile int avoidedNodes;
  private volatile int unplaceableBlocks;
  private volatile Runnable takeOver = () -> {};
  private final AtomicReference<RecoveryProgress.Predecessor> predecessor = new AtomicReference<>();
  private RecoveryState followed = RecoveryState.STANDBY;
  private long tookOverNs;
  /** When a standby last looked which DataNodes are live. */
  private long standbyLookNs;

  /** @param shadow called with the time at each tick in shadow mode */
  public RecoveryMonitor(RecoveryParts recovery, BlockManagement blocks, BlockInspection inspection, Settings settings,
      LongConsumer shadow, long nowNs) {
    this.controller = recovery.controller();
    this.status = recovery.status();
    this.registrations = recovery.registrations();
    this.agents = recovery.agents();
    this.responder = recovery.responder();
    this.blocks = blocks;
    this.inspection = inspection;
    this.settings = settings;
    this.shadow = shadow;
    this.metrics = status.counters().metrics();
    this.progress = new RecoveryProgress(() -> settings.millis(Setting.TIMESLOT_INTERVAL));
    this.lastNs = nowNs;
    this.remindedNs = nowNs;
    this.sampledNs = nowNs - RecoveryHistory.SAMPLE_NS;
    this.standbyLookNs = nowNs - STANDBY_LOOK_NS;
    this.usage = new UsageMeter(settings);
    this.leaving = new LeavingWatch(inspection, controller.waits()::isUnplaceable,
        () -> status.state() != RecoveryState.STANDBY);
    this.deadlines = new DeadlineControl(controller.cluster(), settings, leaving);
    this.waiting = new WaitingByRisk(controller, inspection, nowNs);
  }

  /**
   * Blocks that stock HDFS is copying or reconstructing: those that Dayu has left to it, and what it had begun before.
   */
  public long stockPendingBlocks() {
    return Math.max(0, inspection.pendingBlocks() - registrations.blocks());
  }

  /** How far the present or the last recovery is. */
  public Progress progress() {
    return progress.latest();
  }

  /** @param action what to do when this NameNode becomes active; runs on the recovery loop, so it must not wait */
  public void onTakeOver(Runnable action) {
    takeOver = action;
  }

  /** Says what the NameNode that was active before has done of the recovery that goes on. */
  public void continueFrom(RecoveryProgress.Predecessor interrupted) {
    predecessor.set(interrupted);
  }

  /** What follows DataNodes that leave; the plugin runs it on a thread of its own. */
  public LeavingWatch leaving() {
    return leaving;
  }

  /** What keeps the deadlines of DataNodes that leave. */
  public DeadlineControl deadlines() {
    return deadlines;
  }

  /** Waiting blocks that no DataNode can take now. */
  public int unplaceableBlocks() {
    return unplaceableBlocks;
  }

  /** Since when the queue of each risk has not been empty, highest first: no block of it has waited longer. */
  public long[] secondsSinceEmpty(long nowNs) {
    return waiting.secondsSinceEmpty(nowNs);
  }

  /** By reason, how many blocks wait for it, by risk; without reasons that none waits for. Not to be changed. */
  public Map<WaitReason, long[]> waitReasons() {
    return waiting.waitReasons();
  }

  long waiting(WaitReason reason) {
    return waiting.waiting(reason);
  }

  int liveDataNodes() {
    return liveDataNodes;
  }

  int avoidedNodes() {
    return avoidedNodes;
  }

  /** How many recoveries there have been. */
  long recoveries() {
    return progress.count();
  }

  /** How far stock HDFS is, while it recovers. */
  public StockProgress.Progress stockProgress() {
    return stockProgress.latest();
  }

  /** What happened lately. */
  public RecoveryHistory history() {
    return history;
  }

  /** An admin has just been told, or has told us, that recovery is paused. */
  public void reminded(long nowNs) {
    remindedNs = nowNs;
  }

  /** Follows the recovery. A failure here must not stop it. */
  public void tick(long nowNs) {
    try {
      RecoveryState state = status.state();
      // First, since a failure elsewhere must not leave alpha raised.
      deadlines.tick(state != RecoveryState.STANDBY, nowNs, Instant.now());
      history.timeslot(status.lastTimeslot(), System.currentTimeMillis());
      if (state == RecoveryState.STOCK && controller.adminControl().modeChange().mode() == Mode.SHADOW
          && !blocks.inSafeMode()) {
        shadow.accept(nowNs);
      }
      if (nowNs - lastNs >= periodNs()) {
        try {
          follow(state, nowNs);
        } finally {
          lastNs = nowNs;
        }
      }
      failing = false;
    } catch (RuntimeException | LinkageError e) {
      if (!failing) {
        failing = true;
        LOG.warn("Dayu: the progress of recovery could not be followed; recovery itself goes on", e);
      }
    }
  }

  /** As often as agents report: between two reports nothing new is known. */
  private long periodNs() {
    long reportsNs = TimeUnit.MILLISECONDS.toNanos(responder.busyIntervalMs());
    return Math.max(MIN_PERIOD_NS, Math.min(MAX_PERIOD_NS, reportsNs));
  }

  private void follow(RecoveryState state, long nowNs) {
    countState(state, nowNs - lastNs);
    if (followed == RecoveryState.STANDBY && state != RecoveryState.STANDBY) {
      tookOverNs = nowNs;
      predecessor.set(null);
      takeOver.run();
    }
    followed = state;
    liveDataNodes = controller.cluster().nodes().size();
    avoidedNodes = controller.cluster().avoided().count(nowNs);
    unplaceableBlocks = controller.waits().unplaceableBlocks();
    waiting.follow(state == RecoveryState.STANDBY, nowNs);
    if (state == RecoveryState.STANDBY) {
      if (nowNs - standbyLookNs >= STANDBY_LOOK_NS) {
        standbyLookNs = nowNs;
        cause.standBy(blocks.liveNodes(), nowNs);
      }
    } else {
      cause.observe(controller.cluster().nodes().values(), inspection.corruptReplicaBlocks(),
          progress.latest().active() || blocks.waitingBlocks() > 0, nowNs);
    }
    AdminControl adminControl = controller.adminControl();
    if (state != RecoveryState.DAYU) {
      progress.handOver(state == RecoveryState.STANDBY ? "this NameNode is no longer active"
          : "stock HDFS recovers: " + status.getStateReason(), nowNs);
      usage.endRecovery();
      if (state == RecoveryState.STOCK && controller.waits().knowsWhatLacks()) {
        stockProgress.observe(blocks.waitingBlocks() + inspection.pendingBlocks(), nowNs, System.currentTimeMillis());
      } else {
        stockProgress.end();
      }
    } else {
      stockProgress.end();
      followRecovery(adminControl, nowNs);
    }
    if (progress.isAnnounced()) {
      history.recovery(progress.latest());
    }
    DayuStatus.Explained explained = status.explained();
    history.state(explained.sinceMs(), explained.state().name(), explained.enteredFor());
    if (nowNs - sampledNs >= RecoveryHistory.SAMPLE_NS) {
      sampledNs = nowNs;
      history.add(sample(nowNs));
    }
  }

  private void followRecovery(AdminControl adminControl, long nowNs) {
    if (adminControl.paused()) {
      remind(adminControl.modeChange(), nowNs);
    }
    boolean paused = adminControl.paused() || blocks.inSafeMode();
    if (paused) {
      progress.paused(nowNs);
    }
    long waitingBlocks = controller.waits().knowsWhatLacks() ? blocks.waitingBlocks() : 0;
    RecoveryProgress.Observation observation = observation(waitingBlocks, unplaceableBlocks,
        controller.transfersByTarget(), status, usage.total());
    List<Attempt> running = observation.running();
    RecoveryProgress.Predecessor interrupted = predecessor.get();
    if (interrupted != null && (progress.continueFrom(interrupted, nowNs, System.currentTimeMillis())
        || nowNs - tookOverNs > MAX_TAKE_OVER_NS)) {
      predecessor.set(null);
    }
    boolean recovered = progress.observe(observation, cause.describe(), nowNs, System.currentTimeMillis());
    if (recovered) {
      cause.recovered(progress.causesUntilNs());
    }
    // Transfers that run go on in a pause.
    if (progress.latest().active() && (!running.isEmpty() || !paused && waitingBlocks > 0)) {
      countUsage(running, nowNs);
    } else {
      usage.endRecovery();
    }
  }

  /**
   * The figures of the recovery at this moment. A transfer counts as finished as soon as its agent reports it as done.
   * {@link DayuStatus} counts it when the block map has the replica, which is checked once a second, so its counters
   * would lack the last transfers of a recovery.
   */
  static RecoveryProgress.Observation observation(long waiting, long unplaceable, Collection<Attempt> transfers,
      DayuStatus status, Usage usage) {
    List<Attempt> running = new ArrayList<>();
    long finished = status.getTotalFinished();
    long finishedBytes = status.counters().total(RecoveryMetric.RECEIVED_BYTES);
    long earlierBytes = status.counters().earlierBytes();
    for (Attempt attempt : transfers) {
      if (attempt.live()) {
        running.add(attempt);
      } else if (attempt.phase() != Attempt.Phase.CANCELLED) {
        finished++;
        finishedBytes += attempt.receivedBytes();
        earlierBytes += attempt.width() * attempt.earlierBytes();
      }
    }
    return new RecoveryProgress.Observation(waiting, unplaceable, running, finished, finishedBytes, earlierBytes,
        status.getTotalFailed(), usage);
  }

  private RecoveryHistory.Sample sample(long nowNs) {
    long in = 0;
    long out = 0;
    long capacity = 0;
    Set<String> rebuilding = Attempt.rebuildingTargets(controller.transfers());
    for (AgentState agent : agents.all()) {
      if (controller.cluster().isLive(agent, nowNs)) {
        in += agent.load.in().foregroundBytesPerSec();
        out += agent.load.out().foregroundBytesPerSec();
        capacity += agent.load.inLink(rebuilding.contains(agent.uuid)).capacityBytesPerSec();
      }
    }
    return new RecoveryHistory.Sample(System.currentTimeMillis(), blocks.waitingBlocks(), status.getRunningTransfers(),
        status.getRecoveryBytesPerSec(), progress.latest().amounts().bytesDone(), in, out, capacity);
  }

  private void countState(RecoveryState state, long passedNs) {
    stateNs[state.ordinal()] += passedNs;
    count(RecoveryMetric.STATE_STANDBY_SECONDS, stateNs[RecoveryState.STANDBY.ordinal()] / 1e9);
    count(RecoveryMetric.STATE_DAYU_SECONDS, stateNs[RecoveryState.DAYU.ordinal()] / 1e9);
    count(RecoveryMetric.STATE_STOCK_SECONDS, stateNs[RecoveryState.STOCK.ordinal()] / 1e9);
  }

  /** Raises a counter to the whole part of {@code value}. */
  private void count(RecoveryMetric metric, double value) {
    metrics.counter(metric).inc((long) value - metrics.counter(metric).getCount());
  }

  private void countUsage(List<Attempt> running, long nowNs) {
    List<AgentState> live = new ArrayList<>();
    for (AgentState agent : agents.all()) {
      if (controller.cluster().isLive(agent, nowNs)) {
        live.add(agent);
      }
    }
    usage.count(running, live, (nowNs - lastNs) / 1e9, nowNs);
    count(RecoveryMetric.NODE_SECONDS, usage.total().nodeSeconds());
    count(RecoveryMetric.NODE_SECONDS_ABOVE_ALPHA, usage.total().nodeSecondsAboveAlpha());
  }

  private void remind(ModeChange modeChange, long nowNs) {
    if (blocks.waitingBlocks() > 0 && nowNs - remindedNs >= REMINDER_NS) {
      remindedNs = nowNs;
      LOG.warn("Dayu: {} blocks wait, {} of them at the highest risk, and recovery is {}", blocks.waitingBlocks(),
          inspection.waitingBlocks(0), modeChange.describe());
    }
  }
}
