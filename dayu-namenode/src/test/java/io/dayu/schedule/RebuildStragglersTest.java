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
import io.dayu.model.TimeslotPlan;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.stream.IntStream;

import static io.dayu.schedule.Snapshots.MB;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * What becomes of running rebuilds when some of their sources no longer fit, seen through the plan. Nodes move 10 MB/s
 * and the horizon is 6 s, so a rebuild from three nodes can get 20 MB of each.
 */
class RebuildStragglersTest {
  private static final long RATE = 10 * MB;
  private static final int TARGET = 8;

  private final Snapshots snapshots = new Snapshots(20, RATE);

  /** Row 0, of low risk: 20 MB are left from each source now, and 19 when the timeslot begins, if none is gone. */
  private void rebuild(int[] holders, int... sources) {
    snapshots.block(20 * MB, holders).rebuiltFrom(3).copies(0).risk(2);
    snapshots.runningRebuild(0, sources, TARGET, 0, MB);
  }

  private void copy(int row, long leftBytes, int[] holders, int source, int target) {
    snapshots.block(leftBytes, holders).copies(0).risk(0);
    snapshots.running(row, source, target, 0, 0);
  }

  /** Row {@code row}, whose source is gone: node 0 or, more slowly, node 5. */
  private void copyThatSeeksASource(int row) {
    snapshots.out(5, 6 * MB);
    copy(row, 10 * MB, new int[] {0, 5}, -1, 9);
  }

  private TimeslotPlan plan() {
    ClusterSnapshot snapshot = snapshots.build();
    TimeslotPlan plan = new DayuScheduler().plan(snapshot);
    PlanVerifier.verify(snapshot, plan);
    return plan;
  }

  private static void assertSources(TimeslotPlan plan, int... expected) {
    IntRows further = plan.runningFurtherSources();
    assertArrayEquals(expected, IntStream.concat(IntStream.of(plan.runningSource()[0]),
        Arrays.stream(further.values(), further.start(0), further.end(0))).toArray());
  }

  @Test
  void rebuildThatHasLostASource_keepsItsPlaceOnTheOthers() {
    rebuild(new int[] {0, 2, 3}, 0, -1, 2);
    copyThatSeeksASource(1);
    TimeslotPlan plan = plan();
    assertSources(plan, 0, 3, 2);
    assertEquals(5, plan.runningSource()[1], "1.7 s from there, and 3 s from node 0 after the rebuild");
    assertEquals(3 * 20 * MB + 10 * MB, plan.plannedBytes(), "no progress is predicted without a source");
  }

  @Test
  void rebuildThatLeavesASaturatedSource_keepsItsPlaceOnTheOthers() {
    rebuild(new int[] {0, 1, 2, 3}, 0, 1, 2);
    copyThatSeeksASource(1);
    copy(2, 50 * MB, new int[] {1}, 1, 10);
    TimeslotPlan plan = plan();
    assertSources(plan, 0, 3, 2);
    assertArrayEquals(new int[] {0, 5, 1}, plan.runningSource());
  }

  @Test
  void rebuildThatSeeksASource_leavesAnother_thatIsSaturated() {
    rebuild(new int[] {0, 2, 3, 4}, 0, -1, 2);
    copy(1, 50 * MB, new int[] {0}, 0, 10);
    TimeslotPlan plan = plan();
    assertSources(plan, 3, 4, 2);
    assertEquals(RATE, plan.runningRateBytesPerSec()[1], "the copy of higher risk has node 0 to itself");
  }

  @Test
  void rebuildThatIsEvicted_keepsNoPlaceOnItsSources() {
    rebuild(new int[] {0, 2, 3}, 0, -1, 2);
    copyThatSeeksASource(1);
    copy(2, 40 * MB, new int[] {6}, 6, TARGET);
    copy(3, 40 * MB, new int[] {7}, 7, TARGET);
    TimeslotPlan plan = plan();
    assertEquals(TimeslotPlan.EVICTED, plan.runningSource()[0]);
    assertEquals(0, plan.runningSource()[1]);
  }

  @Test
  void rebuildWhoseTargetCanReceiveNothing_isEvicted() {
    rebuild(new int[] {0, 1, 2}, 0, 1, 2);
    snapshots.in(TARGET, 0);
    assertArrayEquals(new int[] {TimeslotPlan.EVICTED}, plan().runningSource());
  }

  /** 57 MB of a rebuild and 40 MB of a copy are left, and the target can receive 60 MB. */
  private int[] onASaturatedTarget(long doneBytes, int risk, int copysRisk) {
    snapshots.block(19 * MB + doneBytes, 0, 1, 2).rebuiltFrom(3).copies(0).risk(risk);
    snapshots.runningRebuild(0, new int[] {0, 1, 2}, TARGET, doneBytes, 0);
    snapshots.block(40 * MB, 6).copies(0).risk(copysRisk);
    snapshots.running(1, 6, TARGET, 0, 0);
    return plan().runningSource();
  }

  @Test
  void rebuildThatHasBegun_staysOnASaturatedTarget_andACopyLeaves() {
    assertArrayEquals(new int[] {0, TimeslotPlan.EVICTED}, onASaturatedTarget(MB, 1, 1));
  }

  @Test
  void rebuildThatHasBegun_leavesASaturatedTarget_toACopyAtHigherRisk() {
    assertArrayEquals(new int[] {TimeslotPlan.EVICTED, 6}, onASaturatedTarget(MB, 1, 0));
  }

  @Test
  void rebuildThatHasNotBegun_leavesASaturatedTarget() {
    assertArrayEquals(new int[] {TimeslotPlan.EVICTED, 6}, onASaturatedTarget(0, 1, 1));
  }

  /** Row 0 is a rebuild from nodes 0, 1 and 2, or 3; with row 1 its target is to receive 57 + 20 MB, and can 60. */
  private void twoRebuildsOnASaturatedTarget() {
    snapshots.block(20 * MB, 0, 1, 2, 3).rebuiltFrom(3).copies(0).risk(1);
    snapshots.runningRebuild(0, new int[] {0, 1, 2}, TARGET, MB, 0);
    snapshots.block(11 * MB, 4, 5).rebuiltFrom(2).copies(0).risk(1);
    snapshots.runningRebuild(1, new int[] {4, 5}, TARGET, MB, 0);
  }

  @Test
  void rebuildsThatStayOnASaturatedTarget_goOn() {
    twoRebuildsOnASaturatedTarget();
    TimeslotPlan plan = plan();
    assertSources(plan, 0, 1, 2);
    assertEquals(RATE, plan.runningRateBytesPerSec()[0] * 3 + plan.runningRateBytesPerSec()[1] * 2, 5);
  }

  @Test
  void rebuildThatStaysOnASaturatedTarget_leavesASaturatedSource() {
    twoRebuildsOnASaturatedTarget();
    copy(2, 50 * MB, new int[] {1}, 1, 10);
    assertSources(plan(), 0, 3, 2);
  }

  @Test
  void nearTheEnd_rebuildThatStaysOnASaturatedTarget_leavesASlowSource() {
    twoRebuildsOnASaturatedTarget();
    copy(2, 30 * MB, new int[] {1}, 1, 10);
    snapshots.evictionFactor(5);
    assertSources(plan(), 0, 3, 2);
  }

  /**
   * 6 MB are to be received of a rebuild from three, at 1 MB/s. With as much done the whole block takes 3 + 1 + 1.2 s
   * on another node.
   *
   * @param doneBytes of each of its sources
   * @param besideBytes what the target receives for another rebuild, of which more is done
   */
  private int nearTheEndOnASlowTarget(long doneBytes, long besideBytes) {
    snapshots.in(TARGET, MB).evictionFactor(1.3);
    snapshots.block(2 * MB + doneBytes, 0, 1, 2).rebuiltFrom(3).copies(0).risk(2);
    snapshots.runningRebuild(0, new int[] {0, 1, 2}, TARGET, doneBytes, 0);
    snapshots.block(4 * MB + besideBytes / 2, 3, 4).rebuiltFrom(2).copies(0).risk(2);
    snapshots.runningRebuild(1, new int[] {3, 4}, TARGET, 4 * MB, 0);
    return plan().runningSource()[0];
  }

  @Test
  void nearTheEnd_rebuildLeavesASlowTarget_ifItGainsMoreThanItLoses() {
    assertEquals(TimeslotPlan.EVICTED, nearTheEndOnASlowTarget(2 * MB, 5 * MB), "half done: 11 s, 2.1 times as long");
  }

  @Test
  void nearTheEnd_rebuildStaysOnASlowTarget_ifItLosesMore() {
    assertEquals(0, nearTheEndOnASlowTarget(2 * MB, 3 * MB), "half done: 9 s, 1.7 times as long, not 1.9");
  }

  @Test
  void rebuildThatFindsTooFewSources_keepsThoseThatItHas() {
    rebuild(new int[] {2, 3}, -1, -1, 2);
    TimeslotPlan plan = plan();
    assertSources(plan, TimeslotPlan.NO_SOURCE, TimeslotPlan.NO_SOURCE, 2);
    assertEquals(0, plan.runningRateBytesPerSec()[0]);
  }

  /**
   * From node 1 the rebuild gets 6 MB within the horizon, and from node 3 it would get 19: then so much comes from
   * nodes 0 and 2, too, and node 0 has a copy to send.
   */
  private void rebuildFromASlowSource(long copyBytes) {
    snapshots.out(1, MB);
    rebuild(new int[] {0, 1, 2, 3}, 0, 1, 2);
    copy(1, copyBytes, new int[] {0}, 0, 9);
  }

  @Test
  void rebuildThatLeavesASaturatedSource_getsAnother_ifTheOthersCanSendAsMuch() {
    rebuildFromASlowSource(40 * MB);
    copy(2, 6 * MB, new int[] {1}, 1, 10);
    assertSources(plan(), 0, 3, 2);
  }

  @Test
  void rebuildThatLeavesASaturatedSource_waits_ifTheOthersCannotSendAsMuch() {
    rebuildFromASlowSource(50 * MB);
    copy(2, 6 * MB, new int[] {1}, 1, 10);
    TimeslotPlan plan = plan();
    assertSources(plan, 0, 1, 2);
    assertEquals(0, plan.runningRateBytesPerSec()[0]);
  }

  @Test
  void nearTheEnd_slowSourceIsLeft_ifTheOthersCanSendAsMuch() {
    rebuildFromASlowSource(40 * MB);
    snapshots.evictionFactor(10.2);
    assertSources(plan(), 0, 3, 2);
  }

  @Test
  void nearTheEnd_slowSourceIsKept_ifTheOthersCannotSendAsMuch() {
    rebuildFromASlowSource(50 * MB);
    snapshots.evictionFactor(10.2);
    TimeslotPlan plan = plan();
    assertSources(plan, 0, 1, 2);
    assertTrue(plan.runningRateBytesPerSec()[0] > 0, "it does not wait");
  }

  /** Three times 19 MB at 191 MB/s take 0.3 s; node 1 sends its 6 MB in 6 s. */
  @Test
  void end_isNear_byAllThatTheTargetsOfRebuildsReceive() {
    snapshots.out(1, MB);
    rebuild(new int[] {0, 1, 2, 3}, 0, 1, 2);
    assertSources(planWithFactor(22), 0, 1, 2);
    assertSources(planWithFactor(18), 0, 3, 2);
  }

  /** 19 MB at 20 MB/s take 0.95 s; node 1 sends its 6 MB in 6 s. */
  @Test
  void end_isNear_byWhatTheTargetsOfRebuildsWrite() {
    snapshots.out(1, MB);
    IntStream.range(0, 20).forEach(node -> snapshots.write(node, MB));
    rebuild(new int[] {0, 1, 2, 3}, 0, 1, 2);
    assertSources(planWithFactor(6.6), 0, 1, 2);
    assertSources(planWithFactor(5.8), 0, 3, 2);
  }

  private TimeslotPlan planWithFactor(double factor) {
    snapshots.evictionFactor(factor);
    return plan();
  }
}
