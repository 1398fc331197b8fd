/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.TaskTable;
import io.dayu.model.TimeslotPlan;
import io.dayu.schedule.choice.NodeLoads;
import io.dayu.schedule.choice.RebuildSources;
import io.dayu.schedule.choice.SourceSelector;
import io.dayu.schedule.choice.TargetRules;
import io.dayu.schedule.choice.TargetSelector;

import java.util.Arrays;

/**
 * Decides what becomes of the transfers that are still running (ATC'19 §4.4). Not thread-safe; arrays are sized once
 * and reused.
 *
 * <p><b>Goal.</b> Go on from the progress made wherever possible, and move work away from nodes that have become slow.
 *
 * <p><b>Algorithm.</b>
 * <ol>
 * <li>Predict ({@link StragglerTable}): at its present rate, what does the transfer lack when the timeslot begins?
 *     Nothing: it is left alone, at its present rate, and takes no capacity and no stream of the timeslot. Else it is a
 *     straggler.
 * <li>Put all stragglers on their sources and targets, from the highest risk to the lowest. One that lacks bytes and
 *     whose target can receive none is evicted from it. Before those at lower risk follow, rebuilds that have lost
 *     sources reserve others, and waiting ones all of theirs ({@link SourceReservations}).
 * <li>While a target is saturated, evict the least finished of its stragglers: it is given up and its progress
 *     lost, and its block needs another target. A rebuild that has begun stays, unless a straggler at higher risk is
 *     beside it: what it has, has crossed k links, so it is lost only where step 5 finds a gain. Then the same for
 *     sources: those stragglers keep target and progress and need another source.
 * <li>Give each of these, and each whose source is gone or can send nothing, the best source, as for a new block
 *     ({@link SourceReplacement}). One that finds none, or that would saturate its target from there, waits with its
 *     progress at rate 0 until the next timeslot; it is not given up, since that would only lose the progress. If its
 *     source is gone it holds no stream of its target either: the target begins others meanwhile.
 * <li>Near the end of a recovery, when all this is done, stragglers that would end late leave their nodes as well, but
 *     only for better ones ({@link LateStragglers}).
 * </ol>
 * Throughout, a block at higher risk is evicted after one at lower risk and gets its new source before it. A single
 * straggler never saturates a node, however large it is (see {@link NodeLoads}). Limits of streams evict nothing: a
 * straggler has its stream already.
 *
 * <p>With {@link Stragglers#KEEP}, for comparison (the ablation of Fig. 8), steps 3 and 4 are left out but for a
 * transfer whose source is gone: all others keep the source and the target that they were planned with, however slow
 * these have become.
 *
 * <p><b>Example.</b> Node T can receive 60 MB within the horizon and has three stragglers that lack 30, 20 and 25 MB
 * and are 10 %, 60 % and 40 % done. Together 75 MB: the one at 10 % is evicted, 45 MB remain, and the others keep T.
 */
final class StragglerPolicy {
  private final Stragglers treatment;
  private final StragglerTable table = new StragglerTable();
  private final SourceReplacement replacement = new SourceReplacement(table);
  private final SourceReservations reservations = new SourceReservations();
  private final LateStragglers late = new LateStragglers(table, replacement);
  private NodeLoads loads;
  /** By target, the highest risk of its stragglers. */
  private int[] highestRisk = new int[0];

  StragglerPolicy(Stragglers treatment) {
    this.treatment = treatment;
  }

  void place(ClusterSnapshot snapshot, NodeLoads planLoads, SourceSelector planSources,
      RebuildSources planRebuildSources) {
    loads = planLoads;
    table.begin(snapshot, loads);
    replacement.begin(loads, planSources, planRebuildSources);
    if (highestRisk.length < loads.count()) {
      highestRisk = new int[loads.count()];
    }
    reservations.begin(snapshot, loads, planRebuildSources);
    putOnNodesByRisk();
    if (treatment == Stragglers.RESCHEDULE) {
      relieveNodes();
    }
    for (int i = table.count() - 1; i >= 0; i--) {
      if (table.needsSource(table.row(i))) {
        findSources(i);
      }
    }
    if (treatment == Stragglers.RESCHEDULE) {
      late.begin(snapshot, loads);
      late.leaveSlowSources(snapshot.nodes().leaving());
    }
    reservations.release();
  }

  private void putOnNodesByRisk() {
    int next = table.count() - 1;
    for (int risk = 0; next >= 0; risk++) {
      int last = next;
      for (; next >= 0 && table.risk(table.row(next)) == risk; next--) {
        putOnNodes(table.row(next));
      }
      if (treatment == Stragglers.RESCHEDULE && next >= 0) {
        reserveForRebuilds(last, next);
        reservations.reserve(risk);
      }
    }
  }

  /** For the stragglers from one place in the order of eviction down to before another. */
  private void reserveForRebuilds(int last, int end) {
    for (int i = last; i > end; i--) {
      int r = table.row(i);
      if (table.width(r) > 1 && table.needsSource(r)) {
        replacement.reserve(r);
      }
    }
  }

  private void putOnNodes(int r) {
    boolean unable = replacement.findUnable(r);
    boolean targetReceives = loads.receives(table.target(r));
    if (treatment == Stragglers.KEEP && table.hasAllSources(r)) {
      if (targetReceives && !unable) {
        table.keep(r);
      } else {
        table.pause(r);
      }
    } else if (!targetReceives && table.leftBytes(r) > 0) {
      table.evict(r);
    } else if (unable) {
      replacement.seek(r, replacement.movableOfFit(r));
    } else {
      table.keep(r);
    }
  }

  private void relieveNodes() {
    Arrays.fill(highestRisk, 0, loads.count(), TaskTable.RISK_LEVELS);
    for (int i = 0; i < table.count(); i++) {
      int target = table.target(table.row(i));
      highestRisk[target] = Math.min(highestRisk[target], table.risk(table.row(i)));
    }
    for (int i = 0; i < table.count(); i++) {
      int r = table.row(i);
      int target = table.target(r);
      if (!table.isEvicted(r) && loads.isOverloaded(target)
          && !(table.isBegunRebuild(r) && isAmongHighestRisk(r))) {
        evict(r);
      }
    }
    for (int i = 0; i < table.count(); i++) {
      int r = table.row(i);
      if (table.isKept(r) && replacement.findOverloaded(r)) {
        replacement.seek(r, table.movable(r));
      } else if (table.needsSource(r)) {
        replacement.releaseOverloaded(r);
      }
    }
  }

  private boolean isAmongHighestRisk(int r) {
    return table.risk(r) <= highestRisk[table.target(r)];
  }

  private void evict(int r) {
    if (table.needsSource(r)) {
      replacement.releaseReserved(r);
      replacement.releaseHeld(r);
    }
    table.evict(r);
  }

  /** For the straggler at this place in the order of eviction. */
  private void findSources(int place) {
    int r = table.row(place);
    replacement.releaseReserved(r);
    if (replacement.replace(r) || giveUpReserved(place) && replacement.replace(r)) {
      table.keep(r);
    } else {
      replacement.releaseHeld(r);
      table.pause(r);
    }
  }

  /**
   * Gives up what others have reserved where this straggler has found no place, but for those at higher risk.
   *
   * @return whether that was anything
   */
  private boolean giveUpReserved(int place) {
    int r = table.row(place);
    boolean any = !replacement.isRefusedByTarget() && reservations.releaseOnHolders(table.task(r));
    for (int i = place - 1; i >= 0 && replacement.hasReserved(); i--) {
      any |= replacement.releaseReservedInTheWay(table.row(i), r);
    }
    return any;
  }

  /**
   * Evicts stragglers that end sooner on another target, near the end of a recovery.
   *
   * @return whether any was evicted; then the loads have changed, and {@code targets} does not know of it
   * @see LateStragglers#leaveSlowTargets
   */
  boolean leaveSlowTargets(TargetSelector targets, TargetRules rules, RunningCopies copies) {
    return treatment == Stragglers.RESCHEDULE && late.leaveSlowTargets(targets, rules, copies);
  }

  /** Whether the transfer takes capacity in the timeslot, from each of its sources. */
  boolean keeps(int r) {
    return table.isKept(r);
  }

  /** First position of the sources of a transfer; they end where those of the next begin. */
  int firstSource(int r) {
    return table.firstSource(r);
  }

  /** The source at this position; negative for one that is gone. */
  int source(int position) {
    return table.source(position);
  }

  /** Bytes that the transfer is predicted to lack when the timeslot begins. */
  long leftBytes(int r) {
    return table.leftBytes(r);
  }

  /** The answer for {@link TimeslotPlan#runningSource()}. */
  int plannedSource(int r) {
    return table.plannedSource(r);
  }

  /**
   * The rate of a transfer that takes no capacity in the timeslot: its present one if it is about to finish, else 0.
   */
  long idleRateBytesPerSec(int r) {
    return table.idleRateBytesPerSec(r);
  }
}
