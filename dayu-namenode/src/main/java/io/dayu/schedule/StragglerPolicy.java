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
 * <li>Predict: at its present rate, what does the transfer lack when the timeslot begins? Nothing: it is left alone, at
 *     its present rate, and takes no capacity and no stream of the timeslot. Else it is a straggler.
 * <li>Put all stragglers on their sources and targets. One that lacks bytes and whose target can receive none
 *     is evicted from it.
 * <li>While a target is saturated, evict the least finished of its stragglers: it is given up and its progress
 *     lost, and its block needs another target. A rebuild that has begun stays, unless a straggler at higher risk is
 *     beside it: what it has, has crossed k links, so it is lost only where step 5 finds a gain. Then the same for
 *     sources: those stragglers keep target and progress and need another source.
 * <li>Give each of these, and each whose source is gone or can send nothing, the best source, as for a new block. One
 *     that finds none, or that would saturate its target from there, waits with its progress at rate 0 until the next
 *     timeslot; it is not given up, since that would only lose the progress. If its source is gone it holds no stream
 *     of its target either: the target begins others meanwhile.
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
  /** Bits that rank a straggler by how finished it is, and bits of its row, in a sort key. */
  private static final int FRACTION_BITS = 29;
  private static final int ROW_BITS = 31;

  private final Stragglers treatment;
  private final EvictionHorizon horizon = new EvictionHorizon();
  private RunningTable running;
  private TaskTable tasks;
  private NodeLoads loads;
  private SourceSelector sources;
  private RebuildSources rebuildSources;
  private byte[] state = new byte[0];
  private long[] leftBytes = new long[0];
  /** By transfer that needs a source: the bytes that its other sources hold for it. */
  private long[] heldBytes = new long[0];
  /** By transfer, the position of its first source in {@link #source}; a rebuild has several. */
  private int[] firstSource = new int[1];
  private int[] source = new int[0];
  /** Whether the source at this position is to be replaced. */
  private boolean[] unfit = new boolean[0];
  /** The sources of a straggler before new ones are sought. */
  private int[] kept = new int[1];
  private long[] evictionOrder = new long[0];
  /** By transfer that has left a slow target, the target for which it has left. */
  private int[] expectedOn = new int[0];
  /** By target, the highest risk of its stragglers. */
  private int[] highestRisk = new int[0];
  private int stragglers;
  private long stragglersReceivedBytes;
  private long stragglersWrittenBytes;

  StragglerPolicy(Stragglers treatment) {
    this.treatment = treatment;
  }

  void place(ClusterSnapshot snapshot, NodeLoads planLoads, SourceSelector planSources,
      RebuildSources planRebuildSources) {
    running = snapshot.running();
    tasks = snapshot.tasks();
    loads = planLoads;
    sources = planSources;
    rebuildSources = planRebuildSources;
    int count = running.count();
    if (state.length < count) {
      state = new byte[count];
      leftBytes = new long[count];
      heldBytes = new long[count];
      firstSource = new int[count + 1];
      evictionOrder = new long[count];
      expectedOn = new int[count];
    }
    if (highestRisk.length < loads.count()) {
      highestRisk = new int[loads.count()];
    }
    readSources();
    predict(snapshot.leadMs());
    for (int i = 0; i < stragglers; i++) {
      putOnNodes(row(i));
    }
    if (treatment == Stragglers.RESCHEDULE) {
      relieveNodes();
    }
    for (int i = stragglers - 1; i >= 0; i--) {
      if (state[row(i)] == NEEDS_SOURCE) {
        findSources(row(i));
      }
    }
    if (treatment == Stragglers.RESCHEDULE) {
      horizon.find(snapshot, stragglersReceivedBytes, stragglersWrittenBytes);
      leaveSlowSources(staying(snapshot.nodes().leaving()));
    }
  }

  private void readSources() {
    int count = running.count();
    for (int r = 0; r < count; r++) {
      firstSource[r + 1] = firstSource[r] + tasks.width(running.task()[r]);
    }
    if (source.length < firstSource[count]) {
      source = new int[firstSource[count]];
      unfit = new boolean[firstSource[count]];
    }
    for (int r = 0; r < count; r++) {
      int at = firstSource[r];
      source[at] = running.source()[r];
      for (int i = at + 1; i < firstSource[r + 1]; i++) {
        source[i] = running.furtherSources().values()[running.furtherSources().start(r) + i - at - 1];
      }
    }
  }

  private void relieveNodes() {
    Arrays.fill(highestRisk, 0, loads.count(), TaskTable.RISK_LEVELS);
    for (int i = 0; i < stragglers; i++) {
      int target = running.target()[row(i)];
      highestRisk[target] = Math.min(highestRisk[target], risk(row(i)));
    }
    for (int i = 0; i < stragglers; i++) {
      int r = row(i);
      int target = running.target()[r];
      if (state[r] != EVICTED && loads.isOverloaded(target) && !(stays(r) && isAmongHighestRisk(r))) {
        takeOff(r);
        state[r] = EVICTED;
      }
    }
    for (int i = 0; i < stragglers; i++) {
      int r = row(i);
      if (state[r] == KEPT && findOverloaded(r)) {
        heldBytes[r] = movable(r);
        takeOff(r);
        state[r] = NEEDS_SOURCE;
        holdSources(r);
      } else if (state[r] == NEEDS_SOURCE) {
        releaseOverloaded(r);
      }
    }
  }

  private boolean isAmongHighestRisk(int r) {
    return risk(r) <= highestRisk[running.target()[r]];
  }

  private int risk(int r) {
    return tasks.risk()[running.task()[r]];
  }

  private boolean findOverloaded(int r) {
    boolean any = false;
    for (int i = firstSource[r]; i < firstSource[r + 1]; i++) {
      unfit[i] = isOverloaded(source[i]);
      any |= unfit[i];
    }
    return any;
  }

  private boolean isOverloaded(int node) {
    return loads.assignedOut(node) > loads.volumeOut(node);
  }

  /** Keeps the place of a rebuild on the sources that fit while others are sought; a copy has none that fits. */
  private void holdSources(int r) {
    for (int i = firstSource[r]; i < firstSource[r + 1]; i++) {
      if (!unfit[i]) {
        loads.assignSource(source[i], heldBytes[r]);
      }
    }
  }

  private void releaseHeld(int r) {
    for (int i = firstSource[r]; i < firstSource[r + 1]; i++) {
      if (!unfit[i]) {
        loads.releaseSource(source[i], heldBytes[r]);
      }
    }
  }

  private void releaseOverloaded(int r) {
    for (int i = firstSource[r]; i < firstSource[r + 1]; i++) {
      if (!unfit[i] && isOverloaded(source[i])) {
        loads.releaseSource(source[i], heldBytes[r]);
        unfit[i] = true;
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
   * Near the end of a recovery, moves stragglers to sources from which they end sooner. A straggler without such a
   * source keeps its own.
   */
  private void leaveSlowSources(boolean[] among) {
    for (int i = 0; i < stragglers && horizon.shrinks(); i++) {
      int r = row(i);
      for (int at = firstSource[r]; at < firstSource[r + 1]; at++) {
        if (state[r] == KEPT && loads.assignedOut(source[at]) > horizon.bytesOut(source[at])) {
          leaveSlowSource(r, at, among);
        }
      }
    }
  }

  private void leaveSlowSource(int r, int at, boolean[] among) {
    int old = source[at];
    double oldMs = horizon.sendMs(old, loads.assignedOut(old));
    takeOff(r);
    int chosen = select(r, among);
    if (chosen >= 0) {
      source[at] = chosen;
      long bytes = movable(r);
      if (horizon.sendMs(chosen, loads.assignedOut(chosen) + bytes) >= oldMs
          || !fitsOnTarget(r) || saturatesAnother(r, at, bytes)) {
        source[at] = old;
      }
    }
    assign(r);
  }

  /** Whether {@code bytes} more saturate a source of the rebuild other than the one at {@code at}. */
  private boolean saturatesAnother(int r, int at, long bytes) {
    for (int i = firstSource[r]; i < firstSource[r + 1]; i++) {
      if (i != at && loads.saturatesSource(source[i], bytes)) {
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
      Arrays.fill(expectedOn, 0, running.count(), -1);
      for (int i = 0; i < stragglers; i++) {
        int r = row(i);
        if (state[r] == KEPT && mayLeave(r)) {
          rules.begin(running.task()[r]);
          copies.addTo(rules, running.task()[r]);
          int other = targets.select(tasks.receivedBytes(running.task()[r]), rules);
          if (other >= 0 && isSoonerOn(other, r)) {
            takeOff(r);
            state[r] = EVICTED;
            expectedOn[r] = other;
            loads.expect(other, sizeBytes(r), width(r));
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
    for (int r = 0; r < running.count(); r++) {
      if (expectedOn[r] >= 0) {
        loads.unexpect(expectedOn[r], sizeBytes(r), width(r));
      }
    }
  }

  private long sizeBytes(int r) {
    return tasks.sizeBytes()[running.task()[r]];
  }

  /** 0 to 1, now. */
  private double donePart(int r) {
    return (double) running.doneBytes()[r] / sizeBytes(r);
  }

  /** Whether it is a rebuild that has progress to lose. */
  private boolean stays(int r) {
    return width(r) > 1 && running.doneBytes()[r] > 0;
  }

  private boolean isAlone(int r) {
    return loads.assignedIn(running.target()[r]) == width(r) * movable(r);
  }

  private boolean mayLeave(int r) {
    int target = running.target()[r];
    return !horizon.allows(target, loads.assignedIn(target), loads.assignedWrite(target))
        && (isAlone(r) || relieves(r));
  }

  private boolean isSoonerOn(int other, int r) {
    int target = running.target()[r];
    double forLoss = SOONER_BY_SOURCE * (width(r) - 1) * donePart(r);
    double latestMs = isAlone(r)
        ? horizon.receiveMs(target, width(r) * leftBytes[r], leftBytes[r]) / (ALONE_FACTOR + forLoss)
        : horizon.receiveMs(target, loads.assignedIn(target), loads.assignedWrite(target))
            / (SOONER_FACTOR + forLoss);
    return horizon.restartMs(sendMs(r), other, loads.assignedIn(other) + width(r) * sizeBytes(r),
        loads.assignedWrite(other) + sizeBytes(r)) < latestMs;
  }

  /**
   * Time in which the slowest of the straggler's sources sends all of its block, after what it has to send for others.
   */
  private double sendMs(int r) {
    double millis = 0;
    for (int i = firstSource[r]; i < firstSource[r + 1]; i++) {
      millis = Math.max(millis,
          horizon.sendMs(source[i], loads.assignedOut(source[i]) - movable(r) + sizeBytes(r)));
    }
    return millis;
  }

  /** Whether evicting the straggler helps the others on its target enough to lose its progress. */
  private boolean relieves(int r) {
    long allBytes = loads.assignedIn(running.target()[r]);
    long bytes = width(r) * movable(r);
    return allBytes > bytes
        && (bytes > MIN_RELIEF * allBytes || leftBytes[r] > tasks.sizeBytes()[running.task()[r]] / 2);
  }

  private void predict(long leadMs) {
    stragglers = 0;
    stragglersReceivedBytes = 0;
    stragglersWrittenBytes = 0;
    for (int r = 0; r < running.count(); r++) {
      long sizeBytes = tasks.sizeBytes()[running.task()[r]];
      boolean complete = hasAllSources(r);
      long ahead = complete ? NodeLoads.bytesIn(running.rateBytesPerSec()[r], leadMs) : 0;
      long left = Math.max(0, sizeBytes - running.doneBytes()[r] - Math.min(ahead, sizeBytes));
      leftBytes[r] = left;
      stragglersReceivedBytes += width(r) * left;
      stragglersWrittenBytes += left;
      if (left == 0 && complete) {
        state[r] = FINISHES;
      } else {
        state[r] = findUnable(r) ? NEEDS_SOURCE : KEPT;
        long urgency = TaskTable.RISK_LEVELS - 1 - risk(r);
        long finished = left == 0 ? (1 << FRACTION_BITS) - 1
            : (long) ((double) (sizeBytes - left) / sizeBytes * ((1 << FRACTION_BITS) - 1));
        evictionOrder[stragglers++] = (urgency << FRACTION_BITS | finished) << ROW_BITS | r;
      }
    }
    Arrays.sort(evictionOrder, 0, stragglers);
  }

  private boolean hasAllSources(int r) {
    for (int i = firstSource[r]; i < firstSource[r + 1]; i++) {
      if (source[i] < 0) {
        return false;
      }
    }
    return true;
  }

  /** Finds sources that are gone or can send nothing. */
  private boolean findUnable(int r) {
    boolean any = false;
    for (int i = firstSource[r]; i < firstSource[r + 1]; i++) {
      unfit[i] = source[i] < 0 || loads.volumeOut(source[i]) == 0;
      any |= unfit[i];
    }
    return any;
  }

  /**
   * The straggler that is evicted {@code i}-th: lowest risk first, then least finished (to 2 parts in a billion), then
   * lowest row.
   */
  private int row(int i) {
    return (int) evictionOrder[i] & Integer.MAX_VALUE;
  }

  private void putOnNodes(int r) {
    if (treatment == Stragglers.KEEP && hasAllSources(r)) {
      keep(r);
    } else if (!loads.receives(running.target()[r]) && leftBytes[r] > 0) {
      state[r] = EVICTED;
    } else if (state[r] == KEPT) {
      assign(r);
    } else {
      heldBytes[r] = movableOfFit(r);
      holdSources(r);
    }
  }

  private void keep(int r) {
    if (loads.receives(running.target()[r]) && !findUnable(r)) {
      state[r] = KEPT;
      assign(r);
    } else {
      pause(r);
    }
  }

  private void pause(int r) {
    state[r] = PAUSED;
    if (hasAllSources(r)) {
      loads.assignPaused(running.target()[r]);
    }
  }

  private void assign(int r) {
    loads.assign(source, firstSource[r], firstSource[r + 1], running.target()[r], movable(r));
  }

  private void takeOff(int r) {
    if (state[r] == KEPT) {
      loads.release(source, firstSource[r], firstSource[r + 1], running.target()[r], movable(r));
    } else if (state[r] == NEEDS_SOURCE) {
      releaseHeld(r);
    }
  }

  private int width(int r) {
    return firstSource[r + 1] - firstSource[r];
  }

  /** What each source can send to the target within the horizon. */
  private long movable(int r) {
    return loads.movableBytes(leftBytes[r], source, firstSource[r], firstSource[r + 1], running.target()[r]);
  }

  /** The same for those of its sources that fit. */
  private long movableOfFit(int r) {
    long bytes = Math.min(leftBytes[r], loads.volumeOfEach(running.target()[r], width(r)));
    for (int i = firstSource[r]; i < firstSource[r + 1]; i++) {
      bytes = unfit[i] ? bytes : Math.min(bytes, loads.volumeOut(source[i]));
    }
    return bytes;
  }

  /** A source for the straggler beside those that it has, or -1. */
  private int select(int r, boolean[] among) {
    long bytes = Math.min(leftBytes[r], loads.volumeOfEach(running.target()[r], width(r)));
    return width(r) == 1 ? sources.select(running.task()[r], bytes, among)
        : rebuildSources.selectBeside(running.task()[r], bytes, source, firstSource[r], firstSource[r + 1], among);
  }

  /** Whether its target can take what the transfer moves with its new sources; one that stays there goes on anyway. */
  private boolean fitsOnTarget(int r) {
    return stays(r) || !loads.saturatesTarget(running.target()[r], movable(r), width(r));
  }

  /** Whether what the transfer moves with its new sources is too much for one that stays. */
  private boolean saturatesFit(int r) {
    long bytes = movable(r);
    for (int i = firstSource[r]; i < firstSource[r + 1]; i++) {
      if (!unfit[i] && loads.saturatesSource(source[i], bytes)) {
        return true;
      }
    }
    return false;
  }

  /** Replaces the sources that do not fit, or none of them: a rebuild needs all. */
  private void findSources(int r) {
    int first = firstSource[r];
    int width = width(r);
    if (kept.length < width) {
      kept = new int[width];
    }
    System.arraycopy(source, first, kept, 0, width);
    boolean found = true;
    for (int i = first; i < first + width && found; i++) {
      if (unfit[i]) {
        int chosen = select(r, null);
        found = chosen >= 0;
        source[i] = chosen;
      }
    }
    releaseHeld(r);
    if (found && fitsOnTarget(r) && !saturatesFit(r)) {
      state[r] = KEPT;
      assign(r);
    } else {
      System.arraycopy(kept, 0, source, first, width);
      pause(r);
    }
  }

  /** Whether the transfer takes capacity in the timeslot, from each of its sources. */
  boolean keeps(int r) {
    return state[r] == KEPT;
  }

  /** First position in {@link #source} of the sources of a transfer; they end where those of the next begin. */
  int firstSource(int r) {
    return firstSource[r];
  }

  /** The source at this position; negative for one that is gone. */
  int source(int position) {
    return source[position];
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
    return source[firstSource[r]] >= 0 ? source[firstSource[r]] : TimeslotPlan.NO_SOURCE;
  }

  /**
   * The rate of a transfer that takes no capacity in the timeslot: its present one if it is about to finish, else 0.
   */
  long idleRateBytesPerSec(int r) {
    return state[r] == FINISHES ? Math.max(1, running.rateBytesPerSec()[r]) : 0;
  }
}
