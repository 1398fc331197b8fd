/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.IntRows;
import io.dayu.model.NodeTable;
import io.dayu.model.PlanningParameters;
import io.dayu.model.RunningTable;
import io.dayu.model.TaskTable;
import io.dayu.model.TimeslotPlan;
import io.dayu.model.UnselectedBlocks;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * How many transfers plans put under way on equal nodes with more work than they can carry, with a plan every third of
 * the horizon, by how agents move what they are granted.
 */
class TransfersUnderWayTest {
  private static final long SEED = 1;
  private static final int NODES = 100;
  private static final int RACKS = 10;
  private static final int WAITING = 1_400;
  private static final long BANDWIDTH = 100_000_000;
  private static final long BLOCK_BYTES = 64 << 20;
  private static final int TIMESLOT_MS = 2_000;
  private static final int STEP_MS = 100;
  private static final int PLANS = 15;

  private static final class Transfer {
    private final int[] holders;
    private final int target;
    private int source;
    private long doneBytes;
    private long granted;
    private long achieved;

    private Transfer(int[] holders, int source, int target) {
      this.holders = holders;
      this.source = source;
      this.target = target;
    }
  }

  private final Random random = new Random(SEED);
  private final DayuScheduler scheduler = new DayuScheduler();
  private final List<Transfer> underWay = new ArrayList<>();
  private int ended;

  @Test
  void fourAtOnce_inTheOrderOfTheirGrants_areFew() {
    recover(4);
    assertTrue(underWay.size() < 10 * NODES, underWay.size() + " under way, seed " + SEED);
    assertTrue(ended > 0.5 * movable(), ended + " ended of " + movable() + ", seed " + SEED);
  }

  /** Each plan stretches what is left over another horizon: hardly any ends for long, though links are full. */
  @Test
  void allAtOnce_atTheGrantedRates_pileUp_butTheirBytesDoNot() {
    recover(Integer.MAX_VALUE);
    assertTrue(underWay.size() > 40 * NODES, underWay.size() + " under way, seed " + SEED);
    assertTrue(ended < NODES, ended + " ended, seed " + SEED);
  }

  /** How many blocks all links could move in the time of the test. */
  private static double movable() {
    return (double) BANDWIDTH / BLOCK_BYTES * NODES * PLANS * TIMESLOT_MS / 1000;
  }

  private void recover(int atOnce) {
    for (int i = 0; i < PLANS; i++) {
      plan();
      for (int ms = 0; ms < TIMESLOT_MS; ms += STEP_MS) {
        move(atOnce);
      }
    }
  }

  private void plan() {
    List<int[]> holders = new ArrayList<>();
    for (int i = 0; i < WAITING; i++) {
      int first = random.nextInt(NODES);
      holders.add(new int[] {first, (first + 1 + random.nextInt(RACKS - 1)) % NODES});
    }
    underWay.forEach(transfer -> holders.add(transfer.holders));
    TimeslotPlan plan = scheduler.plan(snapshot(holders));
    assertTrue(plan.plannedBytes() <= plan.volumeBytes(), "never more bytes than the horizon holds; seed " + SEED);
    for (int r = 0; r < underWay.size(); r++) {
      assertTrue(plan.runningSource()[r] >= 0, "equal nodes: none has to leave; seed " + SEED);
      underWay.get(r).source = plan.runningSource()[r];
      underWay.get(r).granted = plan.runningRateBytesPerSec()[r];
    }
    for (int i = 0; i < plan.count(); i++) {
      Transfer transfer = new Transfer(holders.get(plan.task()[i]), plan.source()[i], plan.target()[i]);
      transfer.granted = plan.rateBytesPerSec()[i];
      underWay.add(transfer);
    }
  }

  private ClusterSnapshot snapshot(List<int[]> holders) {
    long[] bandwidth = new long[NODES];
    Arrays.fill(bandwidth, BANDWIDTH);
    int[] rack = new int[NODES];
    Arrays.setAll(rack, node -> node % RACKS);
    boolean[] accepts = new boolean[NODES];
    Arrays.fill(accepts, true);
    int[] streams = new int[NODES];
    Arrays.fill(streams, 1_000);
    long[][] room = new long[1][NODES];
    Arrays.fill(room[0], 1L << 50);
    NodeTable nodes = new NodeTable(bandwidth, bandwidth, rack, RACKS, accepts, streams, streams, room);
    int rows = holders.size();
    long[] size = new long[rows];
    Arrays.fill(size, BLOCK_BYTES);
    int[] copies = new int[rows];
    Arrays.fill(copies, 0, WAITING, 1);
    int[] types = new int[rows];
    Arrays.fill(types, 1);
    IntRows.Builder sources = new IntRows.Builder();
    IntRows.Builder none = new IntRows.Builder();
    for (int[] of : holders) {
      sources.add(of[0]).add(of[1]).endRow();
      none.endRow();
    }
    TaskTable tasks = new TaskTable(size, new int[rows], copies, sources.build(), none.build(), none.build(),
        new boolean[rows], types);
    int[] task = new int[underWay.size()];
    Arrays.setAll(task, r -> WAITING + r);
    RunningTable running = new RunningTable(task, underWay.stream().mapToInt(transfer -> transfer.source).toArray(),
        underWay.stream().mapToInt(transfer -> transfer.target).toArray(),
        underWay.stream().mapToLong(transfer -> transfer.doneBytes).toArray(),
        underWay.stream().mapToLong(transfer -> transfer.achieved).toArray());
    // Far from the end, so that no transfer leaves a node for a faster one.
    return new ClusterSnapshot(new PlanningParameters(TIMESLOT_MS, 3 * TIMESLOT_MS, 0, 0, true, 0, TIMESLOT_MS), 0,
        nodes, tasks, running, UnselectedBlocks.NONE);
  }

  /** @param atOnce how many a target runs: they share the links at both ends equally; if all run, each has its grant */
  private void move(int atOnce) {
    int[] received = new int[NODES];
    int[] sent = new int[NODES];
    List<Transfer> running = new ArrayList<>();
    for (Transfer transfer : underWay) {
      transfer.achieved = 0;
      if (received[transfer.target] < atOnce) {
        received[transfer.target]++;
        sent[transfer.source]++;
        running.add(transfer);
      }
    }
    for (Transfer transfer : running) {
      transfer.achieved = atOnce == Integer.MAX_VALUE ? transfer.granted
          : BANDWIDTH / Math.max(received[transfer.target], sent[transfer.source]);
      transfer.doneBytes = Math.min(BLOCK_BYTES, transfer.doneBytes + transfer.achieved * STEP_MS / 1000);
    }
    int before = underWay.size();
    underWay.removeIf(transfer -> transfer.doneBytes == BLOCK_BYTES);
    ended += before - underWay.size();
  }
}
