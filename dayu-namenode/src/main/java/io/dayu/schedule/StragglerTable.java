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

import java.util.Arrays;

/**
 * The transfers that are under way when a plan is made: what each is predicted to lack when the timeslot begins, which
 * nodes it has, and what has become of it. Those that lack anything are the stragglers (ATC'19 §4.4). Each is a row of
 * {@link RunningTable}. {@link StragglerPolicy} decides; this puts transfers on their nodes and takes them off. Not
 * thread-safe; arrays are sized once and reused.
 *
 * <p><b>Prediction.</b> A transfer goes on at its present rate until the timeslot begins. One that has lost a source
 * makes no progress until then.
 *
 * <p><b>Order.</b> Stragglers are in the order in which they are evicted: lowest risk first, then least finished, then
 * lowest row. From the last to the first they get new sources.
 */
final class StragglerTable {
  private static final byte FINISHES = 0;
  /** A straggler that is not on its nodes, and not decided yet. */
  private static final byte UNPLACED = 1;
  private static final byte KEPT = 2;
  private static final byte NEEDS_SOURCE = 3;
  private static final byte PAUSED = 4;
  private static final byte EVICTED = 5;

  /** Bits that rank a straggler by how finished it is, and bits of its row, in a sort key. */
  private static final int FRACTION_BITS = 29;
  private static final int ROW_BITS = 31;

  private RunningTable running;
  private TaskTable tasks;
  private NodeLoads loads;
  private byte[] state = new byte[0];
  private long[] leftBytes = new long[0];
  /** By transfer, the position of its first source in {@link #source}; a rebuild has several. */
  private int[] firstSource = new int[1];
  private int[] source = new int[0];
  private long[] evictionOrder = new long[0];
  private int count;
  private long receivedBytes;
  private long writtenBytes;

  /** Begins a plan: no straggler is on its nodes yet. */
  void begin(ClusterSnapshot snapshot, NodeLoads planLoads) {
    running = snapshot.running();
    tasks = snapshot.tasks();
    loads = planLoads;
    if (state.length < running.count()) {
      state = new byte[running.count()];
      leftBytes = new long[running.count()];
      firstSource = new int[running.count() + 1];
      evictionOrder = new long[running.count()];
    }
    readSources();
    predict(snapshot.leadMs());
  }

  private void readSources() {
    int transfers = running.count();
    for (int r = 0; r < transfers; r++) {
      firstSource[r + 1] = firstSource[r] + tasks.width(running.task()[r]);
    }
    if (source.length < firstSource[transfers]) {
      source = new int[firstSource[transfers]];
    }
    for (int r = 0; r < transfers; r++) {
      int at = firstSource[r];
      source[at] = running.source()[r];
      for (int i = at + 1; i < firstSource[r + 1]; i++) {
        source[i] = running.furtherSources().values()[running.furtherSources().start(r) + i - at - 1];
      }
    }
  }

  private void predict(long leadMs) {
    count = 0;
    receivedBytes = 0;
    writtenBytes = 0;
    for (int r = 0; r < running.count(); r++) {
      long sizeBytes = sizeBytes(r);
      boolean complete = hasAllSources(r);
      long ahead = complete ? NodeLoads.bytesIn(running.rateBytesPerSec()[r], leadMs) : 0;
      long left = Math.max(0, sizeBytes - running.doneBytes()[r] - Math.min(ahead, sizeBytes));
      leftBytes[r] = left;
      receivedBytes += width(r) * left;
      writtenBytes += left;
      if (left == 0 && complete) {
        state[r] = FINISHES;
      } else {
        state[r] = UNPLACED;
        long urgency = TaskTable.RISK_LEVELS - 1 - risk(r);
        long finished = left == 0 ? (1 << FRACTION_BITS) - 1
            : (long) ((double) (sizeBytes - left) / sizeBytes * ((1 << FRACTION_BITS) - 1));
        evictionOrder[count++] = (urgency << FRACTION_BITS | finished) << ROW_BITS | r;
      }
    }
    Arrays.sort(evictionOrder, 0, count);
  }

  /** How many stragglers there are. */
  int count() {
    return count;
  }

  /**
   * The straggler that is evicted {@code i}-th: lowest risk first, then least finished (to 2 parts in a billion), then
   * lowest row.
   */
  int row(int i) {
    return (int) evictionOrder[i] & Integer.MAX_VALUE;
  }

  /** How many transfers are under way, stragglers or not. */
  int transfers() {
    return running.count();
  }

  /** Row of its block in {@link TaskTable}. */
  int task(int r) {
    return running.task()[r];
  }

  /** Whether a node has the block in this row of {@link TaskTable}. */
  boolean isHolder(int task, int node) {
    return tasks.sources().contains(task, node);
  }

  int target(int r) {
    return running.target()[r];
  }

  int risk(int r) {
    return tasks.risk()[running.task()[r]];
  }

  /** How many nodes it reads at once: more than one if it is a rebuild. */
  int width(int r) {
    return firstSource[r + 1] - firstSource[r];
  }

  /** First position of the sources of a transfer; they end where those of the next begin. */
  int firstSource(int r) {
    return firstSource[r];
  }

  /** The source at this position; negative for one that is gone. */
  int source(int position) {
    return source[position];
  }

  /** All sources, by position. Not to be written to. */
  int[] sources() {
    return source;
  }

  void setSource(int position, int node) {
    source[position] = node;
  }

  boolean hasAllSources(int r) {
    for (int i = firstSource[r]; i < firstSource[r + 1]; i++) {
      if (source[i] < 0) {
        return false;
      }
    }
    return true;
  }

  long sizeBytes(int r) {
    return tasks.sizeBytes()[running.task()[r]];
  }

  /** Bytes that the transfer is predicted to lack when the timeslot begins, of each source. */
  long leftBytes(int r) {
    return leftBytes[r];
  }

  /** What all transfers lack then: bytes that their targets receive. */
  long receivedBytes() {
    return receivedBytes;
  }

  /** The same: bytes that their targets write. */
  long writtenBytes() {
    return writtenBytes;
  }

  /** 0 to 1, now. */
  double donePart(int r) {
    return (double) running.doneBytes()[r] / sizeBytes(r);
  }

  /** Whether it is a rebuild that has progress to lose. */
  boolean isBegunRebuild(int r) {
    return width(r) > 1 && running.doneBytes()[r] > 0;
  }

  /** What each source can send to the target within the horizon. */
  long movable(int r) {
    return loads.movableBytes(leftBytes[r], source, firstSource[r], firstSource[r + 1], running.target()[r]);
  }

  /** Whether it is on its nodes: it takes capacity in the timeslot, from each of its sources. */
  boolean isKept(int r) {
    return state[r] == KEPT;
  }

  boolean needsSource(int r) {
    return state[r] == NEEDS_SOURCE;
  }

  boolean isEvicted(int r) {
    return state[r] == EVICTED;
  }

  /** Puts the straggler on its nodes. */
  void keep(int r) {
    state[r] = KEPT;
    loads.assign(source, firstSource[r], firstSource[r + 1], running.target()[r], movable(r));
  }

  /** Takes it off its nodes until it has another source. */
  void seekSource(int r) {
    takeOff(r);
    state[r] = NEEDS_SOURCE;
  }

  /** It waits with its progress until the next timeslot; without a source it holds no stream of its target. */
  void pause(int r) {
    state[r] = PAUSED;
    if (hasAllSources(r)) {
      loads.assignPaused(running.target()[r]);
    }
  }

  /** It is given up. */
  void evict(int r) {
    takeOff(r);
    state[r] = EVICTED;
  }

  /** Takes it off its nodes, if it is on them. */
  void takeOff(int r) {
    if (state[r] == KEPT) {
      state[r] = UNPLACED;
      loads.release(source, firstSource[r], firstSource[r + 1], running.target()[r], movable(r));
    }
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
