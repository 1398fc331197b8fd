/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.sim.engine;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.TimeslotPlan;
import io.dayu.schedule.TimeslotScheduler;
import io.dayu.schedule.WorkLeft;
import io.dayu.sim.Cluster;
import io.dayu.sim.foreground.ForegroundHistory;
import io.dayu.sim.foreground.ForegroundModel;
import io.dayu.sim.placement.LostBlocks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * One recovery of one failed node, at flow level (ATC'19 §5): rates of transfers on links rather than packets. Deterministic, unless the
 * time of planning is counted. Single-threaded; used once.
 *
 * <p>Time moves in steps of at most {@link #LONGEST_STEP_MS} from event to event: a slot of the foreground ends, a snapshot is
 * due, a plan takes effect. Within a step all rates are constant; a transfer that ends within it ends at its exact moment, and what it
 * leaves is free from the next step on. The failure happens at 0, at the begin of a slot of the foreground, and the first snapshot
 * is taken then; the others follow each planning period.
 */
public final class RecoverySimulation {
  private static final long LONGEST_STEP_MS = 1000;
  /** Agents begin a queued transfer if it can have at least this share of a link. */
  private static final double LEAST_START_SHARE = 0.02;

  private final Cluster cluster;
  private final LostBlocks lost;
  private final SimulationSettings settings;
  private final TimeslotScheduler scheduler;
  private final QueuePlanner queues;
  private final SplitPlanner splits = new SplitPlanner();
  private final ForegroundHistory foreground;
  private final KnownForeground known;
  private final SnapshotBuilder snapshots;
  private final AgentRates agents;
  private final LinkSharing links;
  private final InterferenceMeter interference;

  private final Transfers transfers;
  private final double[] movedIn;
  private final double[] movedOut;

  private long nowMs;
  private long nextSnapshotMs;
  private ExtendedPlan plan;
  private int[] planRowBlock;
  private int[] planRunningBlock;
  private double planMillis;
  private long planEffectMs;
  private final List<SlotOutcome> slots = new ArrayList<>();
  private final IntConsumer renewal;

  public RecoverySimulation(Cluster cluster, ForegroundModel foregroundModel, long firstSlot, LostBlocks lost,
      SimulationSettings settings, TimeslotScheduler scheduler) {
    this(cluster, foregroundModel, firstSlot, lost, settings, scheduler, null);
  }

  /**
   * As above, or without end if there is a renewal: when a plan is made, each block that was recovered is lost anew.
   *
   * @param renewal draws other holders for such a block of {@code lost}; null if what is recovered is done
   */
  public RecoverySimulation(Cluster cluster, ForegroundModel foregroundModel, long firstSlot, LostBlocks lost,
      SimulationSettings settings, TimeslotScheduler scheduler, IntConsumer renewal) {
    this.renewal = renewal;
    if (foregroundModel.nodes() != cluster.nodes()) {
      throw new IllegalArgumentException("foreground of " + foregroundModel.nodes() + " nodes, expected " + cluster.nodes());
    }
    settings.forSlotsOf(foregroundModel);
    this.cluster = cluster;
    this.lost = lost;
    this.settings = settings;
    this.scheduler = scheduler;
    queues = new QueuePlanner(scheduler, settings.refinements().queueMs());
    foreground = new ForegroundHistory(foregroundModel, firstSlot);
    known = new KnownForeground(settings, cluster);
    known.learn(foreground, foregroundModel);
    snapshots = new SnapshotBuilder(cluster, lost, settings);
    agents = new AgentRates(settings, cluster.nodes());
    links = new LinkSharing(cluster);
    interference = new InterferenceMeter(lost.failedNode(), cluster.bandwidthBytesPerSec());
    transfers = new Transfers(lost);
    movedIn = new double[cluster.nodes()];
    movedOut = new double[cluster.nodes()];
  }

  public RecoveryOutcome run() {
    while (!transfers.done() && nowMs < settings.limitMs()) {
      if (nowMs == foreground.endMs()) {
        foreground.advance();
      }
      if (plan == null && nowMs >= nextSnapshotMs) {
        makePlan();
      }
      if (plan != null && nowMs >= planEffectMs) {
        applyPlan();
      }
      step(nextEventMs());
    }
    closeSlot();
    return outcome();
  }

  private long nextEventMs() {
    long next = Math.min(nowMs + LONGEST_STEP_MS - nowMs % LONGEST_STEP_MS, foreground.endMs());
    return Math.min(next, plan != null ? planEffectMs : nextSnapshotMs);
  }

  private void makePlan() {
    if (renewal != null) {
      transfers.renew(renewal);
    }
    known.look(foreground, nowMs);
    ClusterSnapshot snapshot = snapshots.build(known.in(), known.out(), transfers, nowMs);
    planRowBlock = snapshots.rowBlock();
    planRunningBlock = snapshots.runningBlock();
    long startedNs = System.nanoTime();
    TimeslotPlan made = scheduler.plan(snapshot);
    Refinements refinements = settings.refinements();
    ExtendedPlan.Queued queued = refinements.queueMs() > 0 ? queues.queue(snapshot, made) : ExtendedPlan.Queued.NONE;
    planMillis = (System.nanoTime() - startedNs) / 1e6;
    plan = new ExtendedPlan(made, queued, refinements.splitsLast() ? splits.split(snapshot, made) : ExtendedPlan.Splits.NONE);
    planEffectMs = nowMs + Math.max(settings.leadMs(), settings.planTimeCounted() ? (long) Math.ceil(planMillis) : 0);
    nextSnapshotMs = Math.max(nextSnapshotMs + WorkLeft.timeslotMs(snapshot), planEffectMs);
  }

  private void applyPlan() {
    closeSlot();
    int evicted = transfers.apply(plan, planRowBlock, planRunningBlock, nowMs);
    TimeslotPlan made = plan.plan();
    slots.add(new SlotOutcome(nowMs / 1000.0, planRunningBlock.length, evicted, made.count(), made.plannedBytes(),
        made.volumeBytes(), 0, planMillis));
    plan = null;
  }

  /** Writes down what was moved under the plan before. */
  private void closeSlot() {
    long movedBytes = Math.round(transfers.takeMovedBytes());
    if (!slots.isEmpty()) {
      SlotOutcome last = slots.remove(slots.size() - 1);
      slots.add(new SlotOutcome(last.startSec(), last.running(), last.evicted(), last.started(), last.plannedBytes(),
          last.volumeBytes(), movedBytes, last.planMillis()));
    }
  }

  private void step(long untilMs) {
    double seconds = (untilMs - nowMs) / 1000.0;
    Arrays.fill(movedIn, 0);
    Arrays.fill(movedOut, 0);
    Flows flows = transfers.flows();
    agents.allow(flows, cluster.bandwidthBytesPerSec(), foreground.in(), foreground.out());
    if (settings.refinements().queueMs() > 0) {
      beginQueued(flows);
    }
    links.share(flows, cluster.bandwidthBytesPerSec(), foreground.in(), foreground.out());
    transfers.move(nowMs, seconds, movedIn, movedOut);
    // The last step counts only until the last block is there.
    double counted = transfers.done() ? transfers.lastRecoveredSec() - nowMs / 1000.0 : seconds;
    interference.add(movedOut, foreground.out(), counted);
    interference.add(movedIn, foreground.in(), counted);
    nowMs = untilMs;
  }

  private void beginQueued(Flows flows) {
    double least = LEAST_START_SHARE * cluster.bandwidthBytesPerSec();
    for (int flow = 0; flow < flows.count(); flow++) {
      if (flows.grantBytesPerSec[flow] == 0 && flows.source[flow] >= 0) {
        double spare = agents.spare(flows.source[flow], flows.target[flow]);
        if (spare >= least) {
          flows.grantBytesPerSec[flow] = (long) spare;
          flows.allowedBytesPerSec[flow] = spare;
          agents.begin(flows.source[flow], flows.target[flow], spare);
        }
      }
    }
  }

  private RecoveryOutcome outcome() {
    boolean finished = transfers.done();
    double[] sorted = transfers.recoveredAtSec().clone();
    Arrays.sort(sorted);
    return new RecoveryOutcome(finished, finished ? sorted[sorted.length - 1] : nowMs / 1000.0, timeTo(sorted, 0.95),
        timeTo(sorted, 0.99), timeTo(sorted, 0.999), interference.percent(), interference.foregroundAlonePercent(),
        Math.round(transfers.wastedBytes()), List.copyOf(slots), curve(sorted));
  }

  private static double[] curve(double[] sortedSec) {
    double[] curve = new double[RecoveryOutcome.CURVE_STEPS];
    for (int step = 0; step < curve.length; step++) {
      curve[step] = timeTo(sortedSec, (step + 1.0) / curve.length);
    }
    return curve;
  }

  private static double timeTo(double[] sortedSec, double share) {
    return sortedSec[(int) Math.ceil(share * sortedSec.length) - 1];
  }
}
