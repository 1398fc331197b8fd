/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.study;

import io.dayu.sim.engine.IdealRecovery;
import io.dayu.sim.engine.Knowledge;
import io.dayu.sim.engine.SimulationSettings;
import io.dayu.sim.experiment.Experiment;
import io.dayu.sim.placement.LostBlocks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntConsumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ThroughputTest {
  private static final int NODES = 200;
  private static final long SPAN_MS = 60_000;

  @TempDir
  private Path folder;

  @Test
  void tasks_neverRunOut() {
    Throughput.Spec spec = Throughput.Spec.of(NODES, "C+W", Knowledge.LAST_REPORT, 1, 300_000, 1);
    Throughput found = spec.run();
    double waiting = (double) spec.scenario().chunks() * spec.scenario().chunkBytes();
    assertTrue(found.recoveredBytes() > 3 * waiting, "more than ever waits at once: " + found + ", waiting " + waiting);
    assertTrue(found.recoveredBytes() <= found.idealBytes(), found::toString);
    assertTrue(found.recoveredBytes() > 0.5 * found.idealBytes(), found::toString);
    assertEquals(20, found.plans(), found::toString);
  }

  @Test
  void idealBytes_areThoseOfTheIdealTime() {
    Experiment experiment = SyntheticCluster.ofSize(NODES, 5000).experiment(3);
    SimulationSettings settings = Variant.of("dayu-paper", Knowledge.LAST_REPORT).settings(250_000_000);
    Experiment.Failure failure = experiment.failure(0);
    double seconds = experiment.idealSeconds(failure, settings);
    assertTrue(seconds > 16, "more than a slot: " + seconds);
    double bytes = IdealRecovery.bytes(experiment.cluster(), experiment.foreground(), failure.firstSlot(),
        failure.lost().failedNode(), Math.round(seconds * 1000), settings);
    assertEquals(1, bytes / failure.lost().movedBytes(), 1e-3);
  }

  @Test
  void renewedBlock_hasOtherHolders_byTheSameRules() {
    SyntheticCluster scenario = SyntheticCluster.ofSize(NODES, 100);
    Experiment experiment = scenario.experiment(1);
    LostBlocks lost = experiment.failure(0).lost();
    IntConsumer renewal = scenario.placement(1).renewal(lost, 5);
    String before = lost.holder(7, 0) + " " + lost.holder(7, 1);
    int other = lost.holder(8, 0);
    for (int i = 0; i < 1000; i++) {
      renewal.accept(7);
      int rack = experiment.cluster().rack(lost.failedNode());
      int one = experiment.cluster().rack(lost.holder(7, 0));
      int two = experiment.cluster().rack(lost.holder(7, 1));
      assertTrue(one != rack && two != rack && one != two, "racks " + rack + ", " + one + ", " + two);
    }
    assertNotEquals(before, lost.holder(7, 0) + " " + lost.holder(7, 1));
    assertEquals(other, lost.holder(8, 0));
  }

  @Test
  void study_measuresEachOnce_andLeavesOutWhatIsHopeless() throws IOException {
    try (ResultStore store = new ResultStore(folder.resolve("scale"), "build", Throughput.COLUMNS)) {
      ScaleStudy small =
          new ScaleStudy(store, List.of(NODES), List.of("C+W"), Knowledge.LAST_REPORT, List.of(1L), SPAN_MS, false);
      small.run(done -> {});
      Throughput first = small.result(NODES, "C+W", 1);
      ScaleStudy both =
          new ScaleStudy(store, List.of(NODES, 2 * NODES), List.of("C+W"), Knowledge.LAST_REPORT, List.of(1L),
              SPAN_MS, false);
      both.run(done -> {});
      assertEquals(first, both.result(NODES, "C+W", 1), "not measured again: the time of planning is the same");
      assertTrue(both.result(2 * NODES, "C+W", 1).recoveredBytes() > first.recoveredBytes());
      store.put(Throughput.Spec.of(2 * NODES, "C+W", Knowledge.LAST_REPORT, 1, SPAN_MS, 1).options(),
          Throughput.none(SPAN_MS).values());
      ScaleStudy all = new ScaleStudy(store, List.of(NODES, 2 * NODES, 4 * NODES), List.of("C+W"),
          Knowledge.LAST_REPORT, List.of(1L), SPAN_MS, false);
      all.run(done -> {});
      assertEquals(0, all.result(4 * NODES, "C+W", 1).recoveredBytes());
    }
  }
}
