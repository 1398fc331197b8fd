/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class RunFiguresTest {
  @Test
  void maxSum_isOfAdjacentValues() {
    double[] values = {1, 5, 0, 4, 3};
    assertEquals(5, RunFigures.maxSum(values, 1));
    assertEquals(9, RunFigures.maxSum(values, 3));
    assertEquals(13, RunFigures.maxSum(values, 5));
    assertEquals(0, RunFigures.maxSum(values, 6));
  }

  @Test
  void maxMeanUse_isOfTheFullestLinkOfASurvivor() {
    // Node 1 receives 10, 60 and 20 bytes in the three seconds of its recovery, the dead node 0 more.
    long[] received = {0, 10, 70, 90};
    List<HostSample> samples = LongStream.rangeClosed(0, 3).mapToObj(second -> new HostSample(second * 1_000,
        List.of(1_000 * second, received[(int) second]), List.of(0L, 0L), 0, 0, List.of())).toList();
    RunRecord run = new RunRecord(new RunRecord.Identity(HostFault.KILL, RecoveryMode.DAYU, 1, 0, 1),
        new RunRecord.Moments(0, 0, 3_000, false, 0, 0), new RunRecord.Loss(1, 1, List.of()),
        new RunRecord.Recovery(0, null, List.of(), RestoredFilesCheck.NOTHING, 0,
            LeavingDeadline.NONE),
        new RunRecord.Foreground(List.of(), samples));
    double[] use = RunFigures.maxMeanUse(run, 3, 100);
    assertArrayEquals(new double[] {0.60, 0.40, 0.30}, new double[] {use[1], use[2], use[3]}, 1e-9);
  }

  @Test
  void of_saysHowLongAndHowFarTheHighestRiskWasFirst() {
    List<HostSample> samples = List.of(new HostSample(0, List.of(0L), List.of(0L), 0, 0, List.of(0L, 0L, 0L)),
        new HostSample(9_000, List.of(0L), List.of(0L), 900, 900, List.of(0L, 0L, 0L)));
    List<LostReplicaFiles.Restored> restored = List.of(new LostReplicaFiles.Restored(900, 7, 1, 1),
        new LostReplicaFiles.Restored(2_000, 10, 1, 0), new LostReplicaFiles.Restored(3_000, 10, 3, 1),
        new LostReplicaFiles.Restored(4_000, 20, 3, 0), new LostReplicaFiles.Restored(5_000, 10, 1, 1));
    RunRecord run = new RunRecord(new RunRecord.Identity(HostFault.SECOND, RecoveryMode.DAYU, 1, 0, 1),
        new RunRecord.Moments(0, 0, 6_000, false, 500, 1_000),
        new RunRecord.Loss(5, 57, List.of(new NeededTransfer(10, 3, List.of(), List.of()))),
        new RunRecord.Recovery(0, new FinalState(0, 4, 0, 0, List.of()), restored, RestoredFilesCheck.NOTHING, 2,
            LeavingDeadline.NONE),
        new RunRecord.Foreground(List.of(), samples));
    Map<String, Double> figures = RunFigures.of(run, Optional.empty(), 100);
    assertEquals(3, figures.get("singleReplicaSec"));
    assertEquals(1, figures.get("singleReplicaBlocksSec"));
    assertEquals(3, figures.get("singleReplicaGroupsSec"));
    assertEquals(0.75, figures.get("highestRiskFirst"));
    RunSummary summary = RunSummary.of(run, Optional.empty(), 100, false);
    assertTrue(ResultTable.lines(List.of(summary)).get(2).contains("3.0 s (blocks 1.0, groups 3.0; first 0.75)"));
    assertTrue(summary.remarks().contains("2 internal blocks were deleted again"), summary.remarks().toString());
  }
}
