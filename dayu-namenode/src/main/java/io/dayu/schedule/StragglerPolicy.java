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
 * <li>Put all stragglers on their sources and targets. One that lacks bytes and whose target can receive none
 *     is evicted from it.
 * <li>While a target is saturated, evict the least finished of its stragglers: it is given up and its progress
 *     lost, and its block needs another target. A rebuild that has begun stays, unless a straggler at higher risk is
 *     beside it: what it has, has crossed k links, so it is lost only where step 5 finds a gain. Then the same for
 *     sources: those stragglers keep target and progress and need another source.
 * <li>Give each of these, and each whose source is gone or can send nothing, the best source, as for a new block
 *     ({@link SourceReplacement}). One that finds none, or that would saturate its target from there, waits with its
 *     progress at rate 0 until the next timeslot; it is not given up, since that would only lose the progress. If its
 *     source is gone it holds no stream of its target either: the target begins others meanwhile.
 * <li>Near the end of a recovery, when all this is done, stragglers that would end late ({@link EvictionHorizon}) leave
 *     their nodes as well, but only for better ones: no transfer is stopped without a better place for it.
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
  /**
   * A straggler that is more than half done leaves a saturated target only if what it lacks is more than this share of
   * all that the target is to receive. Less would not help the others enough to lose the progress.
   */
  private static final double MIN_RELIEF = 0.03;
  /** A straggler that is alone on its target leaves it if it ends this many times sooner on another one. */
  private static final double ALONE_FACTOR = 2;
  /**
   * One that is not alone leaves if it ends this many times sooner. For less than that its progress is not thrown away:
   * foreground changes as much from one timeslot to the next.
   */
  private static final double SOONER_FACTOR = 1.3;
  /**
   * What is added to either for each source but one, times the part that is done: a rebuild from six that is half done
   * and not alone must end 2.8 times sooner. What it loses has crossed six links, and it begins anew for as long.
   */
  private static final double SOONER_BY_SOURCE = 0.6;

  private final Stragglers treatment;
  private final EvictionHorizon horizon = new EvictionHorizon();
  private final StragglerTable table = new StragglerTable();
  private final SourceReplacement replacement = new SourceReplacement(table);
  private NodeLoads loads;
  /** By transfer that has left a slow target, the target for which it has left. */
  private int[] expectedOn = new int[0];
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
    if (expectedOn.length < table.transfers()) {
      expectedOn = new int[table.transfers()];
    }
    if (highestRisk.length < loads.count()) {
      highestRisk = new int[loads.count()];
    }
    for (int i = 0; i < table.count(); i++) {
      putOnNodes(table.row(i));
    }
    if (treatment == Stragglers.RESCHEDULE) {
      relieveNodes();
    }
    for (int i = table.count() - 1; i >= 0; i--) {
      if (table.needsSource(table.row(i))) {
        findSources(table.row(i));
      }
    }
    if (treatment == Stragglers.RESCHEDULE) {
      horizon.find(snapshot, table.receivedBytes(), table.writtenBytes());
      leaveSlowSources(staying(snapshot.nodes().leaving()));
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
      replacement.releaseHeld(r);
    }
    table.evict(r);
  }

  /** The nodes that are not leaving, or null if none is: a leaving node is slow because all prefer it as a source. */
  private static boolean[] staying(boolean[] leaving) {
    if (leaving == null) {
      return null;
    }
    boolean[] staying = new boolean[leaving.length];
    for (int node = 0; node < leaving.length; node++) {
      staying[node] = !leaving[node];
    }
    return staying;
  }

  /**
   * Near the end of a recovery, moves stragglers to sources from which they end sooner. A straggler without such a
   * source keeps its own.
   */
  private void leaveSlowSources(boolean[] among) {
    for (int i = 0; i < table.count() && horizon.shrinks(); i++) {
      int r = table.row(i);
      for (int at = table.firstSource(r); at < table.firstSource(r + 1); at++) {
        if (table.isKept(r) && loads.assignedOut(table.source(at)) > horizon.bytesOut(table.source(at))) {
          leaveSlowSource(r, at, among);
        }
      }
    }
  }

  private void leaveSlowSource(int r, int at, boolean[] among) {
    int old = table.source(at);
    double oldMs = horizon.sendMs(old, loads.assignedOut(old));
    table.takeOff(r);
    int chosen = replacement.select(r, among);
    if (chosen >= 0) {
      table.setSource(at, chosen);
      long bytes = table.movable(r);
      if (horizon.sendMs(chosen, loads.assignedOut(chosen) + bytes) >= oldMs
          || !replacement.fitsOnTarget(r) || saturatesAnother(r, at, bytes)) {
        table.setSource(at, old);
      }
    }
    table.keep(r);
  }

  /** Whether {@code bytes} more saturate a source of the rebuild other than the one at {@code at}. */
  private boolean saturatesAnother(int r, int at, long bytes) {
    for (int i = table.firstSource(r); i < table.firstSource(r + 1); i++) {
      if (i != at && loads.saturatesSource(table.source(i), bytes)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Near the end of a recovery, evicts stragglers that would be there sooner if they began anew on another target. One
   * alone on its target must be there in half of the time, since no other transfer gains by it. One that is nearly done
   * stays if others are on its target. Those that leave are expected on their new targets, so that not all go to one.
   *
   * @return whether any was evicted; the loads have changed then, and {@code targets} does not know it
   */
  boolean leaveSlowTargets(TargetSelector targets, TargetRules rules, RunningCopies copies) {
    boolean any = false;
    if (treatment == Stragglers.RESCHEDULE && horizon.shrinks()) {
      Arrays.fill(expectedOn, 0, table.transfers(), -1);
      for (int i = 0; i < table.count(); i++) {
        int r = table.row(i);
        if (table.isKept(r) && mayLeave(r)) {
          rules.begin(table.task(r));
          copies.addTo(rules, table.task(r));
          int other = targets.select(table.width(r) * table.sizeBytes(r), rules);
          if (other >= 0 && isSoonerOn(other, r)) {
            table.evict(r);
            expectedOn[r] = other;
            loads.expect(other, table.sizeBytes(r), table.width(r));
            targets.loadChanged(other);
            any = true;
          }
        }
      }
    }
    if (any) {
      forgetExpected();
    }
    return any;
  }

  /** They begin in a later timeslot; until then others use the bandwidth. */
  private void forgetExpected() {
    for (int r = 0; r < table.transfers(); r++) {
      if (expectedOn[r] >= 0) {
        loads.unexpect(expectedOn[r], table.sizeBytes(r), table.width(r));
      }
    }
  }

  private boolean isAlone(int r) {
    return loads.assignedIn(table.target(r)) == table.width(r) * table.movable(r);
  }

  private boolean mayLeave(int r) {
    int target = table.target(r);
    return !horizon.allows(target, loads.assignedIn(target), loads.assignedWrite(target))
        && (isAlone(r) || relieves(r));
  }

  private boolean isSoonerOn(int other, int r) {
    int target = table.target(r);
    double forLoss = SOONER_BY_SOURCE * (table.width(r) - 1) * table.donePart(r);
    double latestMs = isAlone(r)
        ? horizon.receiveMs(target, table.width(r) * table.leftBytes(r), table.leftBytes(r))
            / (ALONE_FACTOR + forLoss)
        : horizon.receiveMs(target, loads.assignedIn(target), loads.assignedWrite(target))
            / (SOONER_FACTOR + forLoss);
    return horizon.restartMs(sendMs(r), other, loads.assignedIn(other) + table.width(r) * table.sizeBytes(r),
        loads.assignedWrite(other) + table.sizeBytes(r)) < latestMs;
  }

  /**
   * Time in which the slowest of the straggler's sources sends all of its block, after what it has to send for others.
   */
  private double sendMs(int r) {
    double millis = 0;
    for (int i = table.firstSource(r); i < table.firstSource(r + 1); i++) {
      int node = table.source(i);
      millis = Math.max(millis,
          horizon.sendMs(node, loads.assignedOut(node) - table.movable(r) + table.sizeBytes(r)));
    }
    return millis;
  }

  /** Whether evicting the straggler helps the others on its target enough to lose its progress. */
  private boolean relieves(int r) {
    long allBytes = loads.assignedIn(table.target(r));
    long bytes = table.width(r) * table.movable(r);
    return allBytes > bytes
        && (bytes > MIN_RELIEF * allBytes || table.leftBytes(r) > table.sizeBytes(r) / 2);
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

  private void findSources(int r) {
    if (replacement.replace(r)) {
      table.keep(r);
    } else {
      table.pause(r);
    }
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
