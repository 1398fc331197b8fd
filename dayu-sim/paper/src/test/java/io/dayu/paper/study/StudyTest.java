/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.study;

import io.dayu.sim.engine.Knowledge;
import io.dayu.sim.experiment.Experiment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class StudyTest {
  private static final SyntheticCluster SMALL = SyntheticCluster.ofSize(200, 2000);
  private static final Variant DAYU = Variant.of("dayu-paper", Knowledge.LAST_REPORT);
  private static final Variant RANDOM = Variant.of("R+W", Knowledge.LAST_REPORT);

  @TempDir
  private Path folder;

  private ResultStore store(String name) throws IOException {
    return new ResultStore(folder.resolve(name), "build", Study.columns());
  }

  private static List<CaseSpec> wanted(Study study) {
    List<CaseSpec> wanted = new ArrayList<>(study.cases(SMALL, DAYU));
    wanted.addAll(study.cases(SMALL, RANDOM));
    wanted.addAll(study.cases(SMALL, DAYU));
    return wanted;
  }

  @Test
  void results_doNotDependOnThreads() throws IOException {
    try (ResultStore one = store("one"); ResultStore three = store("three")) {
      Study alone = new Study(one, List.of(1L, 2L), 2, 1);
      Study together = new Study(three, List.of(1L, 2L), 2, 3);
      assertEquals(8, alone.missing(wanted(alone)).size(), "each case once");
      alone.run(alone.missing(wanted(alone)), done -> {});
      together.run(together.missing(wanted(together)), done -> {});
      for (Variant variant : List.of(DAYU, RANDOM)) {
        assertArrayEquals(alone.sample(SMALL, variant, CaseResult::recoveryTimeSec).values(),
            together.sample(SMALL, variant, CaseResult::recoveryTimeSec).values());
      }
      Experiment experiment = SMALL.experiment(2);
      double expected = experiment.recover(experiment.failure(1), DAYU.settings(250_000_000),
          DAYU.scheduler().factory().create(15_000, 2)).recoveryTimeSec();
      assertEquals(expected, alone.sample(SMALL, DAYU, CaseResult::recoveryTimeSec).values()[3]);
    }
  }

  @Test
  void interruptedStudy_goesOn_withWhatIsMissing() throws IOException {
    double[] first;
    try (ResultStore store = store("cases")) {
      Study study = new Study(store, List.of(1L), 2, 2);
      List<CaseSpec> missing = study.missing(wanted(study));
      study.run(missing.subList(0, 3), done -> {});
      first = store.get(missing.get(0).options());
    }
    try (ResultStore store = store("cases")) {
      Study study = new Study(store, List.of(1L), 2, 2);
      List<CaseSpec> missing = study.missing(wanted(study));
      assertEquals(1, missing.size());
      List<Integer> progress = new ArrayList<>();
      study.run(missing, progress::add);
      assertEquals(List.of(1), progress);
      assertEquals(0, study.missing(wanted(study)).size());
      assertArrayEquals(first, store.get(wanted(study).get(0).options()));
      assertTrue(study.sample(SMALL, DAYU, CaseResult::ratioToIdeal).mean() >= 1);
    }
  }
}
