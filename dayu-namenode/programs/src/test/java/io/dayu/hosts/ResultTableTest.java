/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import io.dayu.hosts.RunRecord.EndedOperation;
import io.dayu.hosts.client.OperationKind;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.DoubleStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ResultTableTest {
  private static final long LINK = 1_000;

  /**
   * Three DataNodes, of which the first dies after 10 s; links carry 250 bytes a second of foreground, processors
   * are idle as said.
   */
  private static RunRecord run(RecoveryMode mode, double seconds, double latencyMs, long idleTicksPerSec) {
    return run(mode, seconds, latencyMs, idleTicksPerSec, 1);
  }

  private static RunRecord run(RecoveryMode mode, double seconds, double latencyMs, long idleTicksPerSec,
      long dataNodeTicksPerSec) {
    List<HostSample> samples = new ArrayList<>();
    for (long second = 0; second <= 40; second++) {
      List<Long> bytes = List.of(-1L, 250 * second, 250 * second);
      samples.add(new HostSample(1_000 * second, bytes, bytes, 200 * second, idleTicksPerSec * second,
          List.of(second, second, dataNodeTicksPerSec * second, dataNodeTicksPerSec * second, second)));
    }
    List<EndedOperation> operations = new ArrayList<>();
    for (int second = 0; second < 40; second++) {
      operations.add(new EndedOperation(OperationKind.READ, 1_000 * second, 500, latencyMs, false));
    }
    List<LostReplicaFiles.Restored> restored = List.of(new LostReplicaFiles.Restored(15_000, 5_000, 1, 1),
        new LostReplicaFiles.Restored(20_000, 5_000, 1, 1));
    return new RunRecord(new RunRecord.Identity(HostFault.KILL, mode, 1, 0, 1),
        new RunRecord.Moments(0, 10_000, 10_000 + 1_000 * seconds, false, Double.NaN, Double.NaN),
        new RunRecord.Loss(2, 10_000, List.of()),
        new RunRecord.Recovery(0, new FinalState(7e6, 3, 8, 0, List.of()), restored, RestoredFilesCheck.NOTHING, 0,
            LeavingDeadline.NONE),
        new RunRecord.Foreground(operations, samples));
  }

  private static String row(RunRecord run, RunRecord none) {
    return ResultTable.lines(List.of(RunSummary.of(run, Optional.of(none), LINK, false))).get(2);
  }

  @Test
  void row_holdsARunAgainstNone() {
    RunRecord none = run(RecoveryMode.NONE, 30, 10, 150);
    // Ideal: 10,000 bytes by twice 500 bytes a second.
    String row = row(run(RecoveryMode.DAYU, 15, 20, 100), none).replaceAll(" +", " ");
    assertTrue(row.contains("| 15.0 s | 1.50 | 2.00, 2.00 [2.00, 2.00], 2.00 |"), row);
  }

  @Test
  void row_hasLatenciesInsteadOfRatios_whereThereIsNoNone() {
    RunRecord run = run(RecoveryMode.DAYU, 15, 20, 100);
    String row = ResultTable.lines(List.of(RunSummary.of(run, Optional.empty(), LINK, false))).get(2)
        .replaceAll(" +", " ");
    assertTrue(row.contains("| 15.0 s | - | 20 ms |"), row);
    assertTrue(row.contains("| 0 | 8 % | - | 0 | 3 | healthy |"), row);
  }

  /** A run of Dayu that ends after 15 s, at 25,000 ms, and has a deadline; the NameNode said that it can be kept. */
  private static RunRecord runWithDeadline(double untilMs) {
    RunRecord run = run(RecoveryMode.DAYU, 15, 20, 100);
    RunRecord.Recovery recovery = run.recovery();
    return new RunRecord(run.identity(), run.moments(), run.loss(),
        new RunRecord.Recovery(0, recovery.state(), recovery.restored(), recovery.content(), 0,
            new LeavingDeadline(12_000, 14, untilMs, LeavingDeadline.KEPT, 0.8, "can be kept")),
        run.foreground());
  }

  @Test
  void row_saysWhetherADeadlineWasKept() {
    RunRecord none = run(RecoveryMode.NONE, 30, 10, 150);
    assertTrue(row(runWithDeadline(26_000), none).contains(" 14 s, yes at 0.80: kept, 1.0 s left "));
    assertTrue(row(runWithDeadline(24_000), none).contains(" 12 s, yes at 0.80: missed by 1.0 s "));
  }

  @Test
  void row_ofSeveralRuns_saysHowLateTheyWere() {
    RunSummary median = RunSummary.median(DoubleStream.of(24_000, 25_500, 26_500)
        .mapToObj(untilMs -> RunSummary.of(runWithDeadline(untilMs), Optional.empty(), LINK, false)).toList());
    assertTrue(ResultTable.lines(List.of(median)).get(2).contains(" late by -0.5 s [-1.5, 1.0] "));
  }

  @Test
  void recoveryCpu_isWhatDataNodesTakeBeyondNone_forEachRestoredGb() {
    RunRecord none = run(RecoveryMode.NONE, 30, 10, 150);
    RunRecord dayu = run(RecoveryMode.DAYU, 15, 20, 100, 4);
    // Two DataNodes take three ticks a second more, for 15 s and 10,000 bytes.
    assertEquals(2 * 3 * 15 / 100.0 / 1e-5,
        RunSummary.of(dayu, Optional.of(none), LINK, false).value("recoveryCpuSecPerGb"), 1e-3);
  }

  @Test
  void row_isVoid_whereTheProcessorWasBusy() {
    RunRecord none = run(RecoveryMode.NONE, 30, 10, 150);
    assertTrue(row(run(RecoveryMode.DAYU, 15, 20, 29), none).contains("void"));
    assertTrue(!row(run(RecoveryMode.DAYU, 15, 20, 31), none).contains("void"));
  }

  @Test
  void median_isOfEachFigure() {
    RunRecord none = run(RecoveryMode.NONE, 30, 10, 150);
    List<RunSummary> runs = List.of(12.0, 18.0, 14.0).stream()
        .map(seconds -> RunSummary.of(run(RecoveryMode.DAYU, seconds, 20, 100), Optional.of(none), LINK, false))
        .toList();
    RunSummary median = RunSummary.median(runs);
    assertEquals(14, median.value("recoverySec"), 1e-9);
    String row = ResultTable.lines(List.of(median)).get(2).replaceAll(" +", " ");
    assertTrue(row.contains("| 14.0 s [12.0, 18.0] | 1.40 [1.20, 1.80] |"), row);
  }
}
