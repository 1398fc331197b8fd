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
import io.dayu.sim.Cluster;
import io.dayu.sim.foreground.ForegroundHistory;
import io.dayu.sim.foreground.ForegroundModel;
import io.dayu.sim.placement.LostBlocks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

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
  /** A transfer that lacks less than this has ended: rounding. */
  private static final double NO_BYTES = 1e-3;

  private final Cluster cluster;
  private final LostBlocks lost;
  private final SimulationSettings settings;
  private final TimeslotScheduler scheduler;
  private final ForegroundHistory foreground;
  private final KnownForeground known;
  private final SnapshotBuilder snapshots;
  private final LinkSharing links;
  private final InterferenceMeter interference;

  private final Flows flows = new Flows();
  private final boolean[] recovered;
  private final int[] flowOfBlock;
  private final double[] recoveredAtSec;
  private int recoveredCount;
  private final double[] movedIn;
  private final double[] movedOut;
  private double movedBytes;
  private double wastedBytes;

  private long nowMs;
  private long nextSnapshotMs;
  private TimeslotPlan plan;
  private int[] planRowBlock;
  private int[] planRunningBlock;
  private double planMillis;
  private long planEffectMs;
  private final List<SlotOutcome> slots = new ArrayList<>();

  public RecoverySimulation(Cluster cluster, ForegroundModel foregroundModel, long firstSlot, LostBlocks lost,
      SimulationSettings settings, TimeslotScheduler scheduler) {
    if (foregroundModel.nodes() != cluster.nodes()) {
      throw new IllegalArgumentException("foreground of " + foregroundModel.nodes() + " nodes, expected " + cluster.nodes());
    }
    settings.forSlotsOf(foregroundModel);
    this.cluster = cluster;
    this.lost = lost;
    this.settings = settings;
    this.scheduler = scheduler;
    foreground = new ForegroundHistory(foregroundModel, firstSlot);
    known = new KnownForeground(settings, cluster.nodes());
    snapshots = new SnapshotBuilder(cluster, lost, settings);
    links = new LinkSharing(cluster);
    interference = new InterferenceMeter(lost.failedNode(), cluster.bandwidthBytesPerSec());
    recovered = new boolean[lost.count()];
    flowOfBlock = new int[lost.count()];
    Arrays.fill(flowOfBlock, -1);
    recoveredAtSec = new double[lost.count()];
    Arrays.fill(recoveredAtSec, Double.POSITIVE_INFINITY);
    movedIn = new double[cluster.nodes()];
    movedOut = new double[cluster.nodes()];
  }

  public RecoveryOutcome run() {
    while (recoveredCount < lost.count() && nowMs < settings.limitMs()) {
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
    known.look(foreground, nowMs);
    ClusterSnapshot snapshot = snapshots.build(known.in(), known.out(), recovered, flowOfBlock, flows);
    planRowBlock = snapshots.rowBlock();
    planRunningBlock = Arrays.copyOf(flows.block, flows.count());
    long startedNs = System.nanoTime();
    plan = scheduler.plan(snapshot);
    planMillis = (System.nanoTime() - startedNs) / 1e6;
    planEffectMs = nowMs + Math.max(settings.leadMs(), settings.planTimeCounted() ? (long) Math.ceil(planMillis) : 0);
    nextSnapshotMs = Math.max(nextSnapshotMs + settings.planning().timeslotMs(), planEffectMs);
  }

  private void applyPlan() {
    closeSlot();
    int evicted = 0;
    for (int r = 0; r < planRunningBlock.length; r++) {
      int flow = flowOfBlock[planRunningBlock[r]];
      if (flow < 0) {
        continue; // It ended since the snapshot.
      }
      if (plan.runningSource()[r] == TimeslotPlan.EVICTED) {
        evicted++;
        wastedBytes += lost.sizeBytes()[planRunningBlock[r]] - flows.leftBytes[flow];
        flowOfBlock[planRunningBlock[r]] = -1;
        flows.end(flow);
      } else {
        flows.source[flow] = plan.runningSource()[r] == TimeslotPlan.NO_SOURCE ? -1 : plan.runningSource()[r];
        flows.grantBytesPerSec[flow] = plan.runningRateBytesPerSec()[r];
      }
    }
    for (int i = 0; i < plan.count(); i++) {
      int block = planRowBlock[plan.task()[i]];
      if (flowOfBlock[block] >= 0 || recovered[block]) {
        throw new IllegalStateException("block " + block + " was planned twice");
      }
      flowOfBlock[block] = flows.count();
      flows.add(block, plan.source()[i], plan.target()[i], lost.sizeBytes()[block], plan.rateBytesPerSec()[i]);
    }
    flows.compact(flowOfBlock);
    slots.add(new SlotOutcome(nowMs / 1000.0, planRunningBlock.length, evicted, plan.count(), plan.plannedBytes(),
        plan.volumeBytes(), 0, planMillis));
    plan = null;
  }

  /** Writes down what was moved under the plan before. */
  private void closeSlot() {
    if (!slots.isEmpty()) {
      SlotOutcome last = slots.remove(slots.size() - 1);
      slots.add(new SlotOutcome(last.startSec(), last.running(), last.evicted(), last.started(), last.plannedBytes(),
          last.volumeBytes(), Math.round(movedBytes), last.planMillis()));
    }
    movedBytes = 0;
  }

  private void step(long untilMs) {
    double seconds = (untilMs - nowMs) / 1000.0;
    Arrays.fill(movedIn, 0);
    Arrays.fill(movedOut, 0);
    links.share(flows, cluster.bandwidthBytesPerSec(), foreground.in(), foreground.out());
    boolean ended = false;
    double lastSec = 0;
    for (int flow = 0; flow < flows.count(); flow++) {
      double rate = flows.rateBytesPerSec[flow];
      double left = flows.leftBytes[flow];
      double moved = Math.min(left, rate * seconds);
      if (moved > 0) {
        movedOut[flows.source[flow]] += moved;
        movedIn[flows.target[flow]] += moved;
        movedBytes += moved;
        flows.leftBytes[flow] = left - moved;
      }
      if (flows.leftBytes[flow] < NO_BYTES) {
        int block = flows.block[flow];
        recovered[block] = true;
        recoveredAtSec[block] = nowMs / 1000.0 + (rate > 0 ? Math.min(seconds, left / rate) : 0);
        lastSec = Math.max(lastSec, recoveredAtSec[block]);
        recoveredCount++;
        flowOfBlock[block] = -1;
        flows.end(flow);
        ended = true;
      }
    }
    if (ended) {
      flows.compact(flowOfBlock);
    }
    // The last step counts only until the last block is there.
    double counted = recoveredCount == lost.count() ? lastSec - nowMs / 1000.0 : seconds;
    interference.add(movedOut, foreground.out(), counted);
    interference.add(movedIn, foreground.in(), counted);
    nowMs = untilMs;
  }

  private RecoveryOutcome outcome() {
    boolean finished = recoveredCount == lost.count();
    double[] sorted = recoveredAtSec.clone();
    Arrays.sort(sorted);
    return new RecoveryOutcome(finished, finished ? sorted[sorted.length - 1] : nowMs / 1000.0, timeTo(sorted, 0.95),
        timeTo(sorted, 0.99), timeTo(sorted, 0.999), interference.percent(), interference.foregroundAlonePercent(),
        Math.round(wastedBytes), List.copyOf(slots));
  }

  private static double timeTo(double[] sortedSec, double share) {
    return sortedSec[(int) Math.ceil(share * sortedSec.length) - 1];
  }
}
