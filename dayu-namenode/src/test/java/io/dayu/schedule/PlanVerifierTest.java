/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.TimeslotPlan;
import org.junit.jupiter.api.Test;

import static io.dayu.schedule.Snapshots.MB;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** {@link PlanVerifier} refuses a good plan once any one rule is broken. */
class PlanVerifierTest {
  private final ClusterSnapshot snapshot;
  private final int[] task = {0, 1, 1};
  private final int[] source = {0, 0, 0};
  private final int[] target = {1, 1, 2};
  private final long[] rate = {MB, MB, MB};
  private final int[] runningSource = {0, 0};
  private final long[] runningRate = {MB, MB};
  private long plannedBytes = 13 * MB;
  private long volumeBytes = 288 * MB;

  PlanVerifierTest() {
    Snapshots snapshots = new Snapshots(6, 8 * MB).racks(0, 1, 2, 2, 3, 4).in(1, 3 * MB).in(2, 13 * MB).refuses(5)
        .maxIncoming(3, 0).room(0, 4, 0);
    snapshots.block(2 * MB, 0).excluded(2).risk(1);
    snapshots.block(3 * MB, 0).copies(2).onDistinctRacks().risk(2);
    snapshots.block(10 * MB, 0).copies(0);
    snapshots.block(40 * MB, 0).forbiddenFaultDomains(1).risk(2);
    snapshots.running(2, 0, 3, 4 * MB, MB).running(2, 0, 4, 9 * MB, MB);
    snapshot = snapshots.build();
  }

  private void verify() {
    PlanVerifier.verify(snapshot,
        new TimeslotPlan(task, source, target, rate, runningSource, runningRate, plannedBytes, volumeBytes));
  }

  private void assertRefused(String rule) {
    AssertionError refused = assertThrows(AssertionError.class, this::verify);
    assertTrue(refused.getMessage().contains(rule), refused.getMessage());
  }

  @Test
  void goodPlan_passes() {
    verify();
  }

  @Test
  void excludedNode_isRefused() {
    target[0] = 2;
    assertRefused("excluded");
  }

  @Test
  void ownNode_isRefused() {
    target[0] = 0;
    assertRefused("holds block 0 already");
  }

  @Test
  void forbiddenRack_isRefused() {
    task[2] = 3;
    target[2] = 1;
    assertRefused("forbidden");
  }

  @Test
  void nodeThatRefuses_isRefused() {
    target[0] = 5;
    assertRefused("accepts no");
  }

  @Test
  void sameTargetTwice_isRefused() {
    target[2] = 1;
    assertRefused("twice");
  }

  @Test
  void sameRackTwice_isRefused() {
    target[1] = 3;
    assertRefused("rack 2 twice");
  }

  @Test
  void fullNode_isRefused() {
    target[0] = 4;
    assertRefused("no room");
  }

  @Test
  void nodeWithoutStreams_isRefused() {
    target[2] = 3;
    assertRefused("streams");
  }

  @Test
  void moreCopiesThanWanted_areRefused() {
    task[2] = 0;
    target[2] = 4;
    snapshot.nodes().roomBytes()[0][4] = Long.MAX_VALUE;
    assertRefused("copies");
  }

  @Test
  void lowerRiskFirst_isRefused() {
    task[0] = 1;
    target[0] = 2;
    target[1] = 1;
    task[2] = 0;
    target[2] = 1;
    assertRefused("risk");
  }

  @Test
  void foreignSource_isRefused() {
    source[0] = 2;
    assertRefused("does not hold");
  }

  @Test
  void rateOfZero_isRefused() {
    rate[0] = 0;
    assertRefused("rate 0");
  }

  @Test
  void overloadedTarget_isRefused() {
    rate[0] = 2 * MB + 1;
    assertRefused("node 1 receives");
  }

  @Test
  void overloadedSource_isRefused() {
    rate[2] = 6 * MB;
    assertRefused("node 0 sends");
  }

  @Test
  void moreThanTheHorizonHolds_isRefused() {
    task[2] = 3;
    plannedBytes = 50 * MB;
    assertRefused("node 0 is to send");
  }

  @Test
  void stragglerMovedToANodeWithoutTheBlock_isRefused() {
    runningSource[0] = 1;
    assertRefused("moved to node 1");
  }

  @Test
  void finishingTransferPaused_isRefused() {
    runningRate[1] = 0;
    assertRefused("finishes by itself");
  }

  @Test
  void evictedTransferWithARate_isRefused() {
    runningSource[0] = TimeslotPlan.EVICTED;
    assertRefused("no source but rate");
  }

  @Test
  void liveSourceForgotten_isRefused() {
    runningSource[0] = TimeslotPlan.NO_SOURCE;
    runningRate[0] = 0;
    assertRefused("loses source");
  }

  @Test
  void wrongTotals_areRefused() {
    plannedBytes++;
    assertRefused("plannedBytes");
    plannedBytes--;
    volumeBytes -= 10;
    assertRefused("volumeBytes");
  }

  @Test
  void maximalPlan_passes_andOneWithBandwidthLeftIsRefused() {
    Snapshots snapshots = new Snapshots(3, 10 * MB).racks(0, 1, 1).in(1, 2 * MB).maxIncoming(1, 1);
    snapshots.block(10 * MB, 0);
    snapshots.block(50 * MB, 0).forbiddenFaultDomains(1);
    snapshots.block(51 * MB, 0);
    snapshots.block(12 * MB, 0).excluded(2).storageTypes(2);
    ClusterSnapshot waiting = snapshots.build();
    TimeslotPlan plan = new TimeslotPlan(new int[] {0}, new int[] {0}, new int[] {1}, new long[] {2 * MB}, new int[0],
        new long[0], 10 * MB, 60 * MB * 2 / 10 * 6);
    PlanVerifier.verifyMaximal(waiting, plan);
    snapshots.block(49 * MB, 0);
    AssertionError refused = assertThrows(AssertionError.class,
        () -> PlanVerifier.verifyMaximal(snapshots.build(), plan));
    assertTrue(refused.getMessage().contains("block 4 of 49000000 bytes waits"), refused.getMessage());
    PlanVerifier.verifyMaximal(snapshots.in(2, 8 * MB).build(), plan);
    PlanVerifier.verifyMaximal(snapshots.in(2, 10 * MB).refuses(2).build(), plan);
  }
}
