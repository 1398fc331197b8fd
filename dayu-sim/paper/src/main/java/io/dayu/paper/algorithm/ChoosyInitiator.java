/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.algorithm;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.IntRows;
import io.dayu.model.NodeTable;
import io.dayu.model.RunningTable;
import io.dayu.model.TaskTable;
import io.dayu.model.TimeslotPlan;
import io.dayu.schedule.TimeslotScheduler;
import io.dayu.sim.algorithm.DecentralizedScheduler;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Reservation without a centre, renegotiated (Choosy Initiator, "To bet or not to bet" and "Unicast delivery with
 * renegotiation"). Each source is an initiator: for a block of its own it asks some targets, each bids the moment from
 * which on it is free, and the source reserves the earliest for itself alone, or cancels and asks others if that
 * exceeds its usual wait. Not thread-safe; seeded.
 *
 * <p>A transfer has both links to itself, at what the slower one has for recovery. The wait that is accepted begins at
 * three round trips, doubles with each renegotiation of a request, of which there are two at most, and is averaged with
 * what was waited. The claim: latencies are 8 to 20 % less than without renegotiation, between 90 initiators and 90
 * targets.
 *
 * <p>Nodes act whenever this is called, every 100 ms in the simulator. What they know of each other is what a bid says.
 *
 * <p>Differences from the paper:
 * <ul>
 * <li>A target has one reservation besides the transfer under way. A source ignores the bid of a target that another
 * one has reserved. In the paper it tentatively reserves the adjacent window there (Figure 2).
 * <li>The accepted wait begins at 3 ms, but nodes act every 100 ms, and a transfer of 64 MB takes a third of a second
 * or more. So a source that has not waited yet renegotiates with any target that is not free at once. Later the mean of
 * its waits decides.
 * <li>A source begins its next transfer when it next acts, 50 ms late on average. Questions and bids take no time.
 * </ul>
 */
public final class ChoosyInitiator implements TimeslotScheduler, DecentralizedScheduler {
  private static final int ASKED = 3;
  private static final int ROUNDS = 3;
  private static final int DRAWS = 16;
  private static final double FIRST_WAIT_SEC = 0.003;
  private static final int NONE = -1;

  private final boolean renegotiates;
  private final SplittableRandom random;
  private long messages;
  /** By source: the target that it has reserved; by target: the source that has it. */
  private int[] reserved = new int[0];
  private int[] reservedBy = new int[0];
  private double[] acceptedWaitSec;

  private ClusterSnapshot snapshot;
  private double[] targetFreeSec;
  private boolean[] sourceBusy;
  private int[] firstEntry;
  private int[] nextEntry;
  private int[] rowOfEntry;
  private boolean[] taken;
  private int count;
  private int[] task;
  private int[] source;
  private int[] target;
  private long[] rate;

  public ChoosyInitiator(boolean renegotiates, long seed) {
    this.renegotiates = renegotiates;
    random = new SplittableRandom(seed);
  }

  @Override
  public String name() {
    return renegotiates ? "choosy" : "choosy-once";
  }

  @Override
  public long messages() {
    return messages;
  }

  @Override
  public TimeslotPlan plan(ClusterSnapshot now) {
    snapshot = now;
    int nodes = now.nodes().count();
    if (reserved.length != nodes) {
      reserved = new int[nodes];
      reservedBy = new int[nodes];
      Arrays.fill(reserved, NONE);
      Arrays.fill(reservedBy, NONE);
      acceptedWaitSec = new double[nodes];
      Arrays.fill(acceptedWaitSec, FIRST_WAIT_SEC);
    }
    count = 0;
    task = new int[nodes];
    source = new int[nodes];
    target = new int[nodes];
    rate = new long[nodes];
    long[] runningRate = lookAtRunning();
    listBlocks();
    int first = random.nextInt(nodes);
    for (int i = 0; i < nodes; i++) {
      initiate((first + i) % nodes);
    }
    return new TimeslotPlan(Arrays.copyOf(task, count), Arrays.copyOf(source, count), Arrays.copyOf(target, count),
        Arrays.copyOf(rate, count), now.running().source(), runningRate, 0, 0);
  }

  /** Rates of what runs: what both ends have now. */
  private long[] lookAtRunning() {
    RunningTable running = snapshot.running();
    targetFreeSec = new double[snapshot.nodes().count()];
    sourceBusy = new boolean[snapshot.nodes().count()];
    long[] rates = new long[running.count()];
    for (int r = 0; r < rates.length; r++) {
      int from = running.source()[r];
      if (from >= 0) {
        rates[r] = bytesPerSec(from, running.target()[r]);
        sourceBusy[from] = true;
        long left = snapshot.tasks().sizeBytes()[running.task()[r]] - running.doneBytes()[r];
        targetFreeSec[running.target()[r]] = Math.max(Double.MIN_VALUE, (double) left / rates[r]);
      }
    }
    return rates;
  }

  private long bytesPerSec(int from, int to) {
    return Math.max(1,
        Math.min(snapshot.nodes().recoverOutBytesPerSec()[from], snapshot.nodes().recoverInBytesPerSec()[to]));
  }

  private void listBlocks() {
    TaskTable tasks = snapshot.tasks();
    IntRows holders = tasks.sources();
    firstEntry = new int[snapshot.nodes().count()];
    Arrays.fill(firstEntry, NONE);
    nextEntry = new int[holders.values().length];
    rowOfEntry = new int[holders.values().length];
    taken = new boolean[tasks.count()];
    for (int row = tasks.count() - 1; row >= 0; row--) {
      taken[row] = tasks.copies()[row] == 0;
      for (int entry = holders.start(row); !taken[row] && entry < holders.end(row); entry++) {
        rowOfEntry[entry] = row;
        nextEntry[entry] = firstEntry[holders.values()[entry]];
        firstEntry[holders.values()[entry]] = entry;
      }
    }
  }

  private void initiate(int node) {
    if (sourceBusy[node] || snapshot.nodes().recoverOutBytesPerSec()[node] == 0) {
      return;
    }
    int to = reserved[node];
    if (to >= 0 && targetFreeSec[to] > 0) {
      return; // It waits.
    }
    int row = to >= 0 ? block(node, to) : block(node, NONE);
    if (to >= 0) {
      reserved[node] = NONE;
      reservedBy[to] = NONE;
    }
    if (row >= 0) {
      int chosen = to >= 0 ? to : negotiate(node, row);
      if (chosen >= 0 && targetFreeSec[chosen] == 0) {
        begin(row, node, chosen);
      } else if (chosen >= 0) {
        reserved[node] = chosen;
        reservedBy[chosen] = node;
      }
    }
  }

  /** A block of the source that waits and that the target, if there is one, may have; -1 if there is none. */
  private int block(int from, int to) {
    for (int entry = firstEntry[from]; entry >= 0; entry = nextEntry[entry]) {
      if (!taken[rowOfEntry[entry]] && (to < 0 || allows(rowOfEntry[entry], to))) {
        return rowOfEntry[entry];
      }
    }
    return NONE;
  }

  /** The target that is reserved, or -1 if all that were asked are reserved by others. */
  private int negotiate(int from, int row) {
    double accepted = acceptedWaitSec[from];
    int best = NONE;
    for (int round = 1; round <= ROUNDS; round++) {
      best = bestBid(row);
      boolean late = best >= 0 && targetFreeSec[best] > accepted;
      if (best >= 0 && !(late && renegotiates && round < ROUNDS)) {
        messages += ASKED; // One is accepted, the others are cancelled.
        acceptedWaitSec[from] = Math.max(FIRST_WAIT_SEC, (acceptedWaitSec[from] + targetFreeSec[best]) / 2);
        return best;
      }
      messages += ASKED; // All are cancelled.
      accepted *= 2;
    }
    return best;
  }

  private int bestBid(int row) {
    int best = NONE;
    for (int i = 0; i < ASKED; i++) {
      int node = draw(row);
      messages += 2; // A question and a bid.
      if (node >= 0 && reservedBy[node] < 0 && (best < 0 || targetFreeSec[node] < targetFreeSec[best])) {
        best = node;
      }
    }
    return best;
  }

  private int draw(int row) {
    for (int draw = 0; draw < DRAWS; draw++) {
      int node = random.nextInt(snapshot.nodes().count());
      if (allows(row, node)) {
        return node;
      }
    }
    return NONE;
  }

  private boolean allows(int row, int node) {
    NodeTable nodes = snapshot.nodes();
    TaskTable tasks = snapshot.tasks();
    return nodes.acceptsTransfers()[node] && nodes.recoverInBytesPerSec()[node] > 0
        && nodes.roomBytes()[0][node] >= tasks.sizeBytes()[row] && !tasks.sources().contains(row, node)
        && !tasks.excludedTargets().contains(row, node)
        && !tasks.forbiddenFaultDomains().contains(row, nodes.rack()[node]);
  }

  private void begin(int row, int from, int to) {
    taken[row] = true;
    sourceBusy[from] = true;
    rate[count] = bytesPerSec(from, to);
    targetFreeSec[to] = Math.max(Double.MIN_VALUE, (double) snapshot.tasks().sizeBytes()[row] / rate[count]);
    task[count] = row;
    source[count] = from;
    target[count++] = to;
  }
}
