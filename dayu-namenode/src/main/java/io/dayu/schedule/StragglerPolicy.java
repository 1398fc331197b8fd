/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.RunningTable;
import io.dayu.model.TaskTable;
import io.dayu.model.TimeslotPlan;

import java.util.Arrays;

/**
 * Decides what becomes of the transfers that are still running (ATC'19 §4.4). Not thread-safe; arrays are sized once
 * and reused.
 *
 * <p><b>Goal.</b> Go on from the progress made wherever possible, and move work away from nodes that have become slow.
 *
 * <p><b>Algorithm.</b>
 * <ol>
 * <li>Predict: at its present rate, what does the transfer lack when the timeslot begins? Nothing: it is left alone, at
 *     its present rate, and takes no capacity and no stream of the timeslot. Else it is a straggler.
 * <li>Put all stragglers on their sources and targets. One that lacks bytes and whose target can receive none
 *     is evicted from it.
 * <li>While a target is saturated, evict the least finished of its stragglers: it is given up and its progress lost,
 *     and its block needs another target. Then the same for sources: those stragglers keep target and progress and need
 *     another source.
 * <li>Give each of these, and each whose source is gone or can send nothing, the best source, as for a new block. One
 *     that finds none, or that would saturate its target from there, waits with its progress at rate 0 until the next
 *     timeslot; it is not given up, since that would only lose the progress.
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
  private static final byte FINISHES = 0;
  private static final byte KEPT = 1;
  private static final byte NEEDS_SOURCE = 2;
  private static final byte PAUSED = 3;
  private static final byte EVICTED = 4;

  /**
   * A straggler that is more than half done leaves a saturated target only if what it lacks is more than this share of
   * all that the target is to receive. Less would not help the others enough to lose the progress.
   */
  private static final double MIN_RELIEF = 0.03;
  /** A straggler that is alone on its target leaves it if it ends this many times sooner on another one. */
  private static final double ALONE_FACTOR = 2;
  /** Bits that rank a straggler by how finished it is, and bits of its row, in a sort key. */
  private static final int FRACTION_BITS = 29;
  private static final int ROW_BITS = 31;

  private final Stragglers treatment;
  private final EvictionHorizon horizon = new EvictionHorizon();
  private RunningTable running;
  private TaskTable tasks;
  private NodeLoads loads;
  private byte[] state = new byte[0];
  private long[] leftBytes = new long[0];
  private int[] source = new int[0];
  private long[] evictionOrder = new long[0];
  private int stragglers;
  private long stragglerBytes;

  StragglerPolicy(Stragglers treatment) {
    this.treatment = treatment;
  }

  void place(ClusterSnapshot snapshot, NodeLoads planLoads, SourceSelector sources) {
    running = snapshot.running();
    tasks = snapshot.tasks();
    loads = planLoads;
    int count = running.count();
    if (state.length < count) {
      state = new byte[count];
      leftBytes = new long[count];
      source = new int[count];
      evictionOrder = new long[count];
    }
    predict(snapshot.leadMs());
    for (int i = 0; i < stragglers; i++) {
      putOnNodes(row(i));
    }
    if (treatment == Stragglers.RESCHEDULE) {
      relieveNodes();
    }
    for (int i = stragglers - 1; i >= 0; i--) {
      if (state[row(i)] == NEEDS_SOURCE) {
        findSource(row(i), sources);
      }
    }
    if (treatment == Stragglers.RESCHEDULE) {
      horizon.find(snapshot, stragglerBytes);
      leaveSlowSources(sources, staying(snapshot.nodes().leaving()));
    }
  }

  private void relieveNodes() {
    for (int i = 0; i < stragglers; i++) {
      int r = row(i);
      int target = running.target()[r];
      if (state[r] != EVICTED && loads.assignedIn(target) > loads.volumeIn(target)) {
        takeOff(r);
        state[r] = EVICTED;
      }
    }
    for (int i = 0; i < stragglers; i++) {
      int r = row(i);
      if (state[r] == KEPT && loads.assignedOut(source[r]) > loads.volumeOut(source[r])) {
        takeOff(r);
        state[r] = NEEDS_SOURCE;
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

  /**
   * Near the end of a recovery, moves stragglers to sources from which they end sooner. One that finds none goes on
   * where it is.
   */
  private void leaveSlowSources(SourceSelector sources, boolean[] among) {
    for (int i = 0; i < stragglers && horizon.shrinks(); i++) {
      int r = row(i);
      int old = source[r];
      if (state[r] != KEPT || loads.assignedOut(old) <= horizon.bytesOut(old)) {
        continue;
      }
      int target = running.target()[r];
      double oldMs = horizon.sendMs(old, loads.assignedOut(old));
      takeOff(r);
      int chosen = sources.select(running.task()[r], Math.min(leftBytes[r], loads.volumeIn(target)), among);
      if (chosen >= 0) {
        long bytes = loads.movableBytes(leftBytes[r], chosen, target);
        if (horizon.sendMs(chosen, loads.assignedOut(chosen) + bytes) < oldMs
            && !loads.saturatesTarget(target, bytes)) {
          source[r] = chosen;
        }
      }
      loads.assign(source[r], target, movable(r));
    }
  }

  /**
   * Near the end of a recovery, evicts stragglers that would be there sooner if they began anew on another target. One
   * alone on its target must be there in half of the time, since no other transfer gains by it. One that is nearly done
   * stays if others are on its target.
   *
   * @return whether any was evicted; the loads have changed then, and {@code targets} does not know it
   */
  boolean leaveSlowTargets(TargetSelector targets, TargetRules rules, RunningCopies copies) {
    boolean any = false;
    if (treatment == Stragglers.RESCHEDULE && horizon.shrinks()) {
      for (int i = 0; i < stragglers; i++) {
        int r = row(i);
        int target = running.target()[r];
        boolean alone = state[r] == KEPT && loads.assignedIn(target) == movable(r);
        if (state[r] == KEPT && loads.assignedIn(target) > horizon.bytesIn(target) && (alone || relieves(r))) {
          rules.begin(running.task()[r]);
          copies.addTo(rules, running.task()[r]);
          long sizeBytes = tasks.sizeBytes()[running.task()[r]];
          int other = targets.select(sizeBytes, rules);
          double staysMs = alone ? horizon.receiveMs(target, leftBytes[r]) / ALONE_FACTOR
              : horizon.receiveMs(target, loads.assignedIn(target));
          if (other >= 0 && horizon.restartMs(source[r], other, loads.assignedIn(other), sizeBytes) < staysMs) {
            takeOff(r);
            state[r] = EVICTED;
            any = true;
          }
        }
      }
    }
    return any;
  }

  /** Whether evicting the straggler helps the others on its target enough to lose its progress. */
  private boolean relieves(int r) {
    long allBytes = loads.assignedIn(running.target()[r]);
    long bytes = movable(r);
    return allBytes > bytes
        && (bytes > MIN_RELIEF * allBytes || leftBytes[r] > tasks.sizeBytes()[running.task()[r]] / 2);
  }

  private void predict(long leadMs) {
    stragglers = 0;
    stragglerBytes = 0;
    for (int r = 0; r < running.count(); r++) {
      long sizeBytes = tasks.sizeBytes()[running.task()[r]];
      long ahead = running.source()[r] < 0 ? 0 : NodeLoads.bytesIn(running.rateBytesPerSec()[r], leadMs);
      long left = Math.max(0, sizeBytes - running.doneBytes()[r] - Math.min(ahead, sizeBytes));
      leftBytes[r] = left;
      stragglerBytes += left;
      source[r] = running.source()[r];
      if (left == 0 && source[r] >= 0) {
        state[r] = FINISHES;
      } else {
        state[r] = source[r] >= 0 && loads.volumeOut(source[r]) > 0 ? KEPT : NEEDS_SOURCE;
        long urgency = TaskTable.RISK_LEVELS - 1 - tasks.risk()[running.task()[r]];
        long finished = left == 0 ? (1 << FRACTION_BITS) - 1
            : (long) ((double) (sizeBytes - left) / sizeBytes * ((1 << FRACTION_BITS) - 1));
        evictionOrder[stragglers++] = (urgency << FRACTION_BITS | finished) << ROW_BITS | r;
      }
    }
    Arrays.sort(evictionOrder, 0, stragglers);
  }

  /**
   * The straggler that is evicted {@code i}-th: lowest risk first, then least finished (to 2 parts in a billion), then
   * lowest row.
   */
  private int row(int i) {
    return (int) evictionOrder[i] & Integer.MAX_VALUE;
  }

  private void putOnNodes(int r) {
    if (treatment == Stragglers.KEEP && source[r] >= 0) {
      keep(r);
    } else if (loads.volumeIn(running.target()[r]) == 0 && leftBytes[r] > 0) {
      state[r] = EVICTED;
    } else if (state[r] == KEPT) {
      loads.assign(source[r], running.target()[r], movable(r));
    }
  }

  private void keep(int r) {
    boolean moves = loads.volumeIn(running.target()[r]) > 0 && loads.volumeOut(source[r]) > 0;
    state[r] = moves ? KEPT : PAUSED;
    if (moves) {
      loads.assign(source[r], running.target()[r], movable(r));
    } else {
      loads.assignPaused(running.target()[r]);
    }
  }

  private void takeOff(int r) {
    if (state[r] == KEPT) {
      loads.release(source[r], running.target()[r], movable(r));
    }
  }

  private long movable(int r) {
    return loads.movableBytes(leftBytes[r], source[r], running.target()[r]);
  }

  private void findSource(int r, SourceSelector sources) {
    int target = running.target()[r];
    int chosen = sources.select(running.task()[r], Math.min(leftBytes[r], loads.volumeIn(target)), null);
    if (chosen >= 0 && !loads.saturatesTarget(target, loads.movableBytes(leftBytes[r], chosen, target))) {
      source[r] = chosen;
      state[r] = KEPT;
      loads.assign(chosen, target, movable(r));
    } else {
      state[r] = PAUSED;
      loads.assignPaused(target);
    }
  }

  /** Whether the transfer takes capacity in the timeslot, from {@link #source(int)}. */
  boolean keeps(int r) {
    return state[r] == KEPT;
  }

  int source(int r) {
    return source[r];
  }

  /** Bytes that the transfer is predicted to lack when the timeslot begins. */
  long leftBytes(int r) {
    return leftBytes[r];
  }

  /** The answer for {@link TimeslotPlan#runningSource()}. */
  int plannedSource(int r) {
    if (state[r] == EVICTED) {
      return TimeslotPlan.EVICTED;
    }
    return source[r] >= 0 ? source[r] : TimeslotPlan.NO_SOURCE;
  }

  /**
   * The rate of a transfer that takes no capacity in the timeslot: its present one if it is about to finish, else 0.
   */
  long idleRateBytesPerSec(int r) {
    return state[r] == FINISHES ? Math.max(1, running.rateBytesPerSec()[r]) : 0;
  }
}
