/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

import io.dayu.sim.Cluster;
import io.dayu.sim.Uplinks;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/**
 * Each check fails if what it compares disagrees. Nodes of 100 bytes/s in racks of two; node 0 sends 60 bytes/s to node
 * 2 and 20 to node 3.
 */
class CaseChecksTest {
  private static final Cluster CLUSTER = new Cluster(4, 2, 100);
  private static final long[] IDLE = new long[4];
  /** 300 bytes received: 100 of a copied block, 150 of 200 of another, 50 in vain; one block is lost for good. */
  private static final CaseTotals.Blocks BLOCKS = new CaseTotals.Blocks(3, 1, 1, 1, 100);
  private static final CaseTotals TOTALS =
      new CaseTotals(BLOCKS, new CaseTotals.Bytes(100, 100, 150, 50, 200, 300));

  private final Flows flows = new Flows();

  CaseChecksTest() {
    flows.add(0, 0, 2, 1000, 60, 0);
    flows.add(1, 0, 3, 1000, 20, 0);
  }

  private static CaseChecks checks(Cluster cluster) {
    return new CaseChecks(cluster, LinkPhysics.PRIORITY);
  }

  private static void fails(String message, Runnable check) {
    assertEquals(message, assertThrows(IllegalStateException.class, check::run).getMessage());
  }

  @Test
  void rates_areBoundedByWhatForegroundLeaves_ofEachEndsLink() {
    checks(CLUSTER).rates(flows, new long[] {0, 0, 40, 80}, new long[] {20, 0, 0, 0}, 500);
    fails("node 0 sends 80.0 bytes/s of recovery after 500 ms, expected at most the 70.0 that its link has left",
        () -> checks(CLUSTER).rates(flows, IDLE, new long[] {30, 0, 0, 0}, 500));
    fails("node 2 receives 60.0 bytes/s of recovery after 500 ms, expected at most the 50.0 that its link has left",
        () -> checks(CLUSTER).rates(flows, new long[] {0, 0, 50, 0}, IDLE, 500));
  }

  @Test
  void rates_areBoundedByUplinks() {
    Cluster narrow = CLUSTER.with(Uplinks.of(CLUSTER.rackCount(), 90, 0.5));
    checks(narrow).rates(flows, IDLE, new long[] {0, 20, 0, 0}, 0);
    fails("rack 0 sends 80.0 bytes/s of recovery after 0 ms, expected at most the 75.0 that its link has left",
        () -> checks(narrow).rates(flows, IDLE, new long[] {0, 30, 0, 0}, 0));
    fails("rack 1 receives 80.0 bytes/s of recovery after 0 ms, expected at most the 70.0 that its link has left",
        () -> checks(narrow).rates(flows, new long[] {0, 0, 40, 0}, IDLE, 0));
  }

  @Test
  void nodes_moveNoMoreThanTheirRates_andReceiveWhatIsSent() {
    CaseChecks checks = checks(CLUSTER);
    checks.rates(flows, IDLE, IDLE, 0);
    checks.moved(new double[] {0, 0, 120, 40}, new double[] {160, 0, 0, 0}, 2, 0);
    fails("node 0 sent 85.0 bytes/s of recovery after 0 ms, expected at most the 80.0 that its link has left",
        () -> checks.moved(new double[] {0, 0, 120, 40}, new double[] {170, 0, 0, 0}, 2, 0));
    fails("node 3 received 25.0 bytes/s of recovery after 0 ms, expected at most the 20.0 that its link has left",
        () -> checks.moved(new double[] {0, 0, 110, 50}, new double[] {160, 0, 0, 0}, 2, 0));
    fails("bytes received and sent after 0 ms disagree: 150.0 and 160.0",
        () -> checks.moved(new double[] {0, 0, 110, 40}, new double[] {160, 0, 0, 0}, 2, 0));
  }

  /** Ends a case in which 300 bytes were moved. */
  private void finish(CaseTotals totals, boolean finished, int lostBlocks, long slotBytes, boolean once) {
    CaseChecks checks = checks(CLUSTER);
    checks.rates(flows, IDLE, IDLE, 0);
    checks.moved(new double[] {0, 0, 225, 75}, new double[] {300, 0, 0, 0}, 3.75, 0);
    SlotOutcome slot = new SlotOutcome(0, 0, 0, 0, 0, 0, slotBytes, LostTime.NONE, 0);
    checks.finished(totals, new RecoveryOutcome(finished, 0, 0, RecoveredTimes.of(new double[] {0}),
        Interference.NONE, new RecoveryOutcome.Copies(0, 0, 0), new LossAndRisk(lostBlocks, 0, 0, 0, new double[4]),
        LostTime.NONE,
        List.of(slot)), once);
  }

  @Test
  void finished_accountsForEachBlock() {
    finish(TOTALS, false, 1, 300, true);
    fails("blocks, and recovered + lost for good + unfinished ones disagree: 3.0 and 2.0",
        () -> finish(new CaseTotals(new CaseTotals.Blocks(3, 1, 1, 0, 100), TOTALS.bytes()), false, 1, 300, true));
    fails("blocks lost for good, and those reported disagree: 1.0 and 0.0", () -> finish(TOTALS, false, 0, 300, true));
    fails("unfinished blocks of a finished recovery, and none disagree: 1.0 and 0.0",
        () -> finish(TOTALS, true, 1, 300, true));
  }

  @Test
  void finished_accountsForEachByte() {
    fails("bytes received, and those of copies, finished, partial and given up disagree: 300.0 and 310.0",
        () -> finish(new CaseTotals(BLOCKS, new CaseTotals.Bytes(100, 100, 150, 60, 200, 300)), false, 1, 300, true));
    fails("bytes received, and those of all timeslots disagree: 300.0 and 290.0",
        () -> finish(TOTALS, false, 1, 290, true));
    fails("room taken, and sizes of copies disagree: 250.0 and 300.0",
        () -> finish(new CaseTotals(BLOCKS, new CaseTotals.Bytes(100, 100, 150, 50, 200, 250)), false, 1, 300, true));
    CaseTotals copiedTwice = new CaseTotals(BLOCKS, new CaseTotals.Bytes(200, 200, 50, 50, 100, 300));
    finish(copiedTwice, false, 1, 300, false);
    fails("bytes copied, and sizes of the recovered blocks disagree: 200.0 and 100.0",
        () -> finish(copiedTwice, false, 1, 300, true));
  }
}
