/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule;

import io.dayu.model.ClusterSnapshot;
import io.dayu.schedule.choice.NodeLoads;
import io.dayu.schedule.choice.TargetRules;
import io.dayu.schedule.choice.TargetSelector;

import java.util.Arrays;

/**
 * Decides which stragglers leave their nodes near the end of a recovery, since they would end long after all others. In
 * ATC'19 stragglers have the whole horizon until the end; docs/scheduler.md says why not here. Not thread-safe; arrays
 * are sized once and reused.
 *
 * <p><b>Goal.</b> A recovery is as long as its last block. No straggler is stopped without a better place for it.
 *
 * <p><b>Algorithm.</b> {@link EvictionHorizon} says when the end is near, and which nodes have more to move than they
 * can in time.
 * <ol>
 * <li>A straggler on such a source moves to another one if that has sent all of its own sooner. It keeps its progress,
 *     so that any gain counts.
 * <li>A straggler on such a target begins anew on another one if it ends there so many times sooner as the constants of
 *     this class say, for its progress is lost. It is evicted, and its block is planned again.
 * </ol>
 * Bytes are those that can move within the horizon (see {@link NodeLoads}), and times are in milliseconds.
 */
final class LateStragglers {
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

  private final StragglerTable table;
  private final SourceReplacement replacement;
  private final EvictionHorizon horizon = new EvictionHorizon();
  private NodeLoads loads;
  /** By transfer that has left a slow target, the target for which it has left. */
  private int[] expectedOn = new int[0];

  LateStragglers(StragglerTable table, SourceReplacement replacement) {
    this.table = table;
    this.replacement = replacement;
  }

  /** Begins a plan; the table has begun it already. */
  void begin(ClusterSnapshot snapshot, NodeLoads planLoads) {
    loads = planLoads;
    if (expectedOn.length < table.transfers()) {
      expectedOn = new int[table.transfers()];
    }
    horizon.find(snapshot, table.receivedBytes(), table.writtenBytes());
  }

  /**
   * Near the end of a recovery, moves stragglers to sources from which they end sooner. A straggler without such a
   * source keeps its own.
   */
  void leaveSlowSources(boolean[] leaving) {
    boolean[] among = staying(leaving);
    for (int i = 0; i < table.count() && horizon.shrinks(); i++) {
      int r = table.row(i);
      for (int at = table.firstSource(r); at < table.firstSource(r + 1); at++) {
        if (table.isKept(r) && loads.assignedOut(table.source(at)) > horizon.bytesOut(table.source(at))) {
          leaveSlowSource(r, at, among);
        }
      }
    }
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
    if (horizon.shrinks()) {
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
}
