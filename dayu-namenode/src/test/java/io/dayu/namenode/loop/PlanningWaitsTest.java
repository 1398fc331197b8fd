/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.BlockManagement;
import io.dayu.blocks.WaitReason;
import io.dayu.namenode.loop.AdminControl.Mode;
import io.dayu.namenode.loop.AdminControl.ModeChange;
import io.dayu.namenode.planning.TimeslotPlanner;
import io.dayu.namenode.status.DayuStatus;
import io.dayu.namenode.status.RecoveryState;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

/** What {@link PlanningWaits} says of blocks of the highest risk, 0, and of others, while Dayu recovers. */
final class PlanningWaitsTest {
  private static final String AGENTS_MISSING = "waiting for the reports of agents";

  private final BlockManagement blocks = mock(BlockManagement.class);
  private final DayuStatus status = new DayuStatus();
  private final AdminControl adminControl = new AdminControl();
  private final TimeslotPlanner timeslots = mock(TimeslotPlanner.class);
  private final BlockReportWait blockReports = new BlockReportWait(blocks, 0);
  private final NodeLossBrake lossBrake = new NodeLossBrake(() -> 0.3);
  private final PlanningWaits waits =
      new PlanningWaits(blocks, status, adminControl, timeslots, blockReports, lossBrake);

  @BeforeEach
  void dayuRecovers() {
    status.enter(RecoveryState.DAYU, "there are enough agents");
  }

  private void pause(boolean all) {
    adminControl.set(new ModeChange(Mode.PAUSED, "admin", "", 1, 2, all));
    status.waitFor("paused");
  }

  private void loseNodes() {
    lossBrake.observe(100, 0, 1, 1);
    lossBrake.observe(50, 0, 2, 2);
    status.waitFor("nodes are lost");
  }

  @Test
  void nothingIsWaitedFor_whileTimeslotsArePlanned() {
    assertNull(waits.whatPlanningWaitsFor(0));
    assertNull(waits.whatPlanningWaitsFor(1));
    assertNull(waits.waitReason(0));
    assertNull(waits.waitReason(1));
    assertFalse(waits.holdsLowerRisks());
    assertTrue(waits.knowsWhatLacks());
  }

  @Test
  void reasonOfTheState_isWaitedFor_ifItIsNotWhyItWasEntered() {
    status.waitFor(AGENTS_MISSING);
    assertEquals(AGENTS_MISSING, waits.whatPlanningWaitsFor(0));
    assertEquals(WaitReason.NOTHING_PLANNED, waits.waitReason(0));
  }

  @Test
  void safeMode_andTheQuestionToOtherNameNodes_holdAllBack() {
    adminControl.askPeers();
    assertEquals("the other NameNodes are asked whether an admin has paused recovery", waits.whatPlanningWaitsFor(0));
    when(blocks.inSafeMode()).thenReturn(true);
    assertEquals("the NameNode is in safe mode", waits.whatPlanningWaitsFor(0));
    assertEquals(WaitReason.NOTHING_PLANNED, waits.waitReason(0));
    assertEquals(WaitReason.NOTHING_PLANNED, waits.waitReason(1));
  }

  @Test
  void pause_holdsLowerRisksBack_orAll() {
    pause(false);
    assertTrue(waits.holdsLowerRisks());
    assertNull(waits.waitReason(0));
    assertEquals(WaitReason.HELD_BACK, waits.waitReason(1));
    pause(true);
    assertEquals(WaitReason.HELD_BACK, waits.waitReason(0));
  }

  @Test
  void lossOfManyNodes_holdsLowerRisksBack() {
    loseNodes();
    assertTrue(waits.holdsLowerRisks());
    assertNull(waits.waitReason(0));
    assertEquals("nodes are lost", waits.whatPlanningWaitsFor(1));
    assertEquals(WaitReason.NOTHING_PLANNED, waits.waitReason(1));
  }

  @Test
  void stock_recovers_whateverElseIsWaitedFor() {
    pause(true);
    status.enter(RecoveryState.STOCK, "too few agents");
    assertEquals(WaitReason.STOCK_RECOVERS, waits.waitReason(0));
  }

  @Test
  void blocksThatLackReplicas_areKnown_onceDataNodesHaveReported() {
    when(blocks.hasBlocks()).thenReturn(true);
    blockReports.begin(0);
    assertFalse(waits.knowsWhatLacks());
  }

  @Test
  void unplaceableBlocks_areThoseOfTheTimeslots() {
    when(timeslots.isUnplaceable(7)).thenReturn(true);
    when(timeslots.unplaceableBlocks()).thenReturn(3);
    assertTrue(waits.isUnplaceable(7));
    assertFalse(waits.isUnplaceable(8));
    assertEquals(3, waits.unplaceableBlocks());
  }
}
