/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.NodeTable;
import io.dayu.model.TimeslotPlan;
import io.dayu.rules.PlanTiming;
import io.dayu.rules.RemainingWork;
import io.dayu.schedule.TimeslotScheduler;
import io.dayu.sim.Cluster;
import io.dayu.sim.foreground.ForegroundHistory;
import io.dayu.sim.foreground.ForegroundModel;
import io.dayu.sim.incident.Incident;
import io.dayu.sim.placement.LostBlocks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.DoubleConsumer;
import java.util.function.IntConsumer;

/**
 * One recovery, of one failed node or of a list of events, at flow level (ATC'19 §5): rates of transfers on links
 * rather than packets. Deterministic, unless the time of planning is counted. Single-threaded; used once.
 *
 * <p>Time moves in steps of at most {@link #MAX_STEP_MS}, or {@link #SHAPED_STEP_MS}, from event to event: a slot of
 * the foreground ends, a snapshot is due, a plan takes effect. Within a step all rates are constant; a transfer that
 * ends within it ends at its exact moment, and what it leaves is free from the next step on. The failure happens at 0,
 * at the begin of a slot of the foreground, and the first snapshot is taken then; the others follow each planning
 * period.
 */
public final class RecoverySimulation {
  private static final long MAX_STEP_MS = 1000;
  /** With agents that shape: as often as the NameNode's loop looks. */
  private static final long SHAPED_STEP_MS = 100;
  private static final long NS_PER_MS = 1_000_000;
  private static final double FULL_LINK = 0.98;
  /**
   * How far a source of a rebuild may be ahead of the others: the product's ring of four packets for each. Where blocks
   * count with their headers, this is a twentieth less than that.
   */
  private static final double REBUILD_AHEAD_BYTES = 256 * 1024;
  /**
   * The same of stock HDFS's worker: a chunk of 64 KiB that it waits for, and as much in the socket. The latter is
   * Linux's default and not measured.
   */
  private static final double WORKER_AHEAD_BYTES = 128 * 1024;

  private final Cluster cluster;
  private final LostBlocks lost;
  private final Replicas replicas;
  private final RiskMeter risk;
  private final LostTimeMeter lostTime;
  private final FirstEstimate firstEstimate;
  private final SimulationSettings settings;
  private final TimeslotScheduler scheduler;
  private final ForegroundModel foregroundModel;
  private final ForegroundHistory foreground;
  private final KnownForeground known;
  private final SnapshotBuilder snapshots;
  /** Null if transfers go at the rates granted. */
  private final Agents agents;
  private final PlanTiming timing;
  private final LinkSharing links;
  private final InterferenceMeter interference;

  private final Transfers transfers;
  private final CaseChecks checks;
  private final boolean events;
  private final double[] movedIn;
  private final double[] movedOut;
  private final double[] unused;
  private final long stepMs;
  private final double maxAheadBytes;
  /** Foreground of the moment, with what waits of it. */
  private final Backlog backlog;

  private long nowMs;
  private long nextSnapshotMs;
  private TimeslotPlan plan;
  private NodeTable planNodes;
  private int[] planRowBlock;
  private int[] planRunningBlock;
  private double planMs;
  private long planEffectMs;
  private final List<SlotOutcome> slots = new ArrayList<>();
  private final IntConsumer renewal;
  private DoubleConsumer progress = share -> {};

  public RecoverySimulation(Cluster cluster, ForegroundModel foregroundModel, long firstSlot, LostBlocks lost,
      SimulationSettings settings, TimeslotScheduler scheduler) {
    this(cluster, foregroundModel, firstSlot, lost, settings, scheduler, null);
  }

  /**
   * As above. With a renewal the recovery does not end: before each plan, every recovered block is lost again.
   *
   * @param renewal draws new holders for such a block of {@code lost}; null for a recovery that ends
   */
  public RecoverySimulation(Cluster cluster, ForegroundModel foregroundModel, long firstSlot, LostBlocks lost,
      SimulationSettings settings, TimeslotScheduler scheduler, IntConsumer renewal) {
    this(cluster, foregroundModel, firstSlot, Incident.of(lost), settings, scheduler, renewal);
  }

  /** One list of events. */
  public RecoverySimulation(Cluster cluster, ForegroundModel foregroundModel, long firstSlot, Incident incident,
      SimulationSettings settings, TimeslotScheduler scheduler) {
    this(cluster, foregroundModel, firstSlot, incident, settings, scheduler, null);
  }

  private RecoverySimulation(Cluster cluster, ForegroundModel foregroundModel, long firstSlot, Incident incident,
      SimulationSettings settings, TimeslotScheduler scheduler, IntConsumer renewal) {
    this.renewal = renewal;
    if (foregroundModel.nodes() != cluster.nodes()) {
      throw new IllegalArgumentException(
          "foreground of " + foregroundModel.nodes() + " nodes, expected " + cluster.nodes());
    }
    if (incident.blocks().hasRebuilds() && !scheduler.plansRebuilds()) {
      throw new IllegalArgumentException(scheduler.name() + " plans copies only, not rebuilds of groups");
    }
    settings.forSlotsOf(foregroundModel);
    this.foregroundModel = foregroundModel;
    this.cluster = cluster;
    lost = incident.blocks();
    replicas = new Replicas(incident, cluster.nodes());
    risk = new RiskMeter(lost, replicas, cluster.nodes());
    lostTime = new LostTimeMeter(cluster, settings, replicas);
    firstEstimate = new FirstEstimate(lost, settings.planning().timeslotMs());
    this.settings = settings;
    this.scheduler = scheduler;
    foreground = new ForegroundHistory(foregroundModel, firstSlot);
    known = new KnownForeground(settings, cluster);
    snapshots = new SnapshotBuilder(cluster, lost, replicas, settings, scheduler instanceof MultiTargetRebuilds);
    agents = settings.refinements().shapes() ? new Agents(settings, cluster, replicas::isSingle) : null;
    stepMs = agents == null ? MAX_STEP_MS : SHAPED_STEP_MS;
    maxAheadBytes = !lost.hasRebuilds() ? Double.POSITIVE_INFINITY
        : agents == null ? WORKER_AHEAD_BYTES
        : REBUILD_AHEAD_BYTES;
    timing = new PlanTiming(settings.planning().timeslotMs(), settings.planning().minTimeslotMs());
    timing.begin(0);
    backlog = new Backlog(cluster);
    links = new LinkSharing(cluster, settings.physics(), backlog.waitingBytes());
    interference = new InterferenceMeter(replicas, cluster.capacities().bytesPerSec());
    transfers = new Transfers(lost, replicas, cluster.nodes());
    checks = new CaseChecks(cluster, settings.physics(), backlog.waitingBytes());
    events = replicas.hasEvents();
    movedIn = new double[cluster.nodes()];
    movedOut = new double[cluster.nodes()];
    unused = agents == null ? new double[2 * cluster.nodes()] : agents.unusedBytes();
  }

  /** Tells the share of the blocks that are recovered, at each plan. */
  public RecoverySimulation onProgress(DoubleConsumer listener) {
    progress = listener;
    return this;
  }

  public RecoveryOutcome run() {
    known.learn(foreground, foregroundModel);
    if (agents != null) {
      agents.saveUp(foreground, foregroundModel);
    }
    while ((!transfers.done() || replicas.hasEvents()) && nowMs < settings.execution().limitMs()) {
      if (nowMs >= replicas.nextEventMs()) {
        replicas.advance(nowMs);
        transfers.follow(nowMs / 1000.0);
        timing.begin(nowMs * NS_PER_MS);
        nextSnapshotMs = Math.min(nextSnapshotMs, nowMs);
      }
      if (nowMs == foreground.endMs()) {
        foreground.advance();
      }
      if (plan == null && !transfers.done() && isPlanDue()) {
        makePlan();
      }
      if (plan != null && nowMs >= planEffectMs) {
        applyPlan();
      }
      step(nextEventMs());
    }
    closeSlot();
    RecoveryOutcome outcome = outcome();
    checks.finished(transfers.totals(), outcome, renewal == null && !events);
    return outcome;
  }

  private boolean isPlanDue() {
    if (!settings.refinements().plansEarly()) {
      return nowMs >= nextSnapshotMs;
    }
    long nowNs = nowMs * NS_PER_MS;
    int live = transfers.flows().count();
    return !timing.isTooEarly(nowNs) && timing.isDue(transfers.waitingCount(), live, live > 0, false, nowNs);
  }

  private long nextEventMs() {
    long next = Math.min(Math.min(nowMs + stepMs - nowMs % stepMs, foreground.endMs()), replicas.nextEventMs());
    if (plan != null) {
      return Math.min(next, planEffectMs);
    }
    return settings.refinements().plansEarly() || nextSnapshotMs <= nowMs ? next : Math.min(next, nextSnapshotMs);
  }

  private void makePlan() {
    if (renewal != null) {
      transfers.renew(renewal);
    }
    progress.accept(1 - (double) transfers.openCount() / lost.count());
    timing.planning(transfers.waitingCount(), nowMs * NS_PER_MS);
    known.look(foreground, nowMs);
    ClusterSnapshot snapshot = snapshots.build(known.in(), known.out(), transfers, nowMs);
    planNodes = snapshot.nodes();
    planRowBlock = snapshots.rowBlock();
    planRunningBlock = snapshots.runningBlock();
    long startedNs = System.nanoTime();
    plan = scheduler.plan(snapshot);
    planMs = (System.nanoTime() - startedNs) / 1e6;
    int threads = settings.execution().planningThreads();
    planEffectMs =
        nowMs + Math.max(settings.execution().leadMs(), threads > 0 ? (long) Math.ceil(planMs / threads) : 0);
    long periodMs = RemainingWork.timeslotMs(snapshot);
    timing.planned(periodMs);
    nextSnapshotMs = Math.max(nextSnapshotMs + periodMs, planEffectMs);
  }

  private void applyPlan() {
    closeSlot();
    int evicted = transfers.apply(plan, planRowBlock, planRunningBlock, nowMs);
    lostTime.planned(planNodes);
    timing.carriedOut(transfers.flows().count(), transfers.waitingCount());
    slots.add(new SlotOutcome(nowMs / 1000.0, planRunningBlock.length, evicted, plan.count(), plan.plannedBytes(),
        plan.volumeBytes(), 0, LostTime.NONE, planMs));
    plan = null;
  }

  /** Records what was moved under the plan before. */
  private void closeSlot() {
    long movedBytes = Math.round(transfers.takeMovedBytes());
    LostTime lostSince = lostTime.take();
    if (!slots.isEmpty()) {
      SlotOutcome last = slots.remove(slots.size() - 1);
      slots.add(new SlotOutcome(last.startSec(), last.running(), last.evicted(), last.started(), last.plannedBytes(),
          last.volumeBytes(), movedBytes, lostSince, last.planMillis()));
    }
  }

  private void step(long untilMs) {
    double seconds = (untilMs - nowMs) / 1000.0;
    boolean idle = transfers.done();
    Arrays.fill(movedIn, 0);
    Arrays.fill(movedOut, 0);
    Flows flows = transfers.flows();
    backlog.add(foreground.in(), foreground.out(), seconds);
    lostTime.begin(flows, transfers.waitingCount());
    if (agents == null) {
      flows.allowGrants();
      links.leave(flows, backlog.in(), backlog.out());
      links.share(flows, maxAheadBytes, seconds);
    } else {
      agents.start(flows);
      agents.shape(links.leave(flows, backlog.in(), backlog.out()), backlog.in(), backlog.out(), seconds);
      links.share(flows, maxAheadBytes, seconds);
    }
    risk.add(seconds);
    Arrays.fill(unused, 0);
    checks.rates(flows, backlog.in(), backlog.out(), nowMs);
    transfers.move(nowMs, seconds, movedIn, movedOut, unused);
    checks.moved(movedIn, movedOut, seconds, nowMs);
    if (agents != null) {
      agents.moved(movedIn, movedOut, backlog.in(), backlog.out(), seconds);
    }
    // The last step counts only until the last block is there.
    double counted = transfers.done() && !idle ? transfers.lastRecoveredSec() - nowMs / 1000.0 : seconds;
    if (!idle) {
      interference.add(movedOut, backlog.out(), counted);
      interference.add(movedIn, backlog.in(), counted);
      lostTime.end(movedOut, foreground.in(), foreground.out(), counted);
    }
    if (settings.physics().fair()) {
      backlog.keep(movedIn, movedOut, seconds);
    }
    nowMs = untilMs;
    if (!transfers.done()) {
      firstEstimate.look(transfers, lostTime.allowedBytes(), nowMs);
    }
  }

  private RecoveryOutcome outcome() {
    boolean finished = transfers.done() && !replicas.hasEvents();
    return new RecoveryOutcome(finished, finished ? transfers.lastRecoveredSec() : nowMs / 1000.0,
        firstEstimate.seconds(), RecoveredTimes.of(transfers.recoveredAtSec()), interference.total(),
        new RecoveryOutcome.Copies(transfers.receivedBytes(), Math.round(transfers.wastedBytes()),
            blocksBehindFullLinks()),
        risk.lossAndRisk(), lostTime.total(), List.copyOf(slots));
  }

  private int blocksBehindFullLinks() {
    boolean[] full = new boolean[cluster.nodes()];
    for (int node = 0; node < full.length; node++) {
      full[node] = foreground.out()[node] >= FULL_LINK * cluster.bandwidthBytesPerSec(node);
    }
    int blocks = 0;
    for (int block = 0; block < lost.count(); block++) {
      blocks += replicas.recoverable(block) && replicas.isBehindFullLinks(block, full) ? 1 : 0;
    }
    return blocks;
  }
}
