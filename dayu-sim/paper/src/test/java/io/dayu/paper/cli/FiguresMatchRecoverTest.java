/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dayu.paper.study.CaseResult;
import io.dayu.paper.study.ResultStore;
import io.dayu.paper.study.Study;
import io.dayu.paper.study.SyntheticCluster;
import io.dayu.paper.study.Variant;
import io.dayu.sim.cli.Main;
import io.dayu.sim.engine.Knowledge;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** The figures show what {@code recover} with its defaults finds. */
class FiguresMatchRecoverTest {
  private static final SyntheticCluster SMALL = SyntheticCluster.ofSize(200, 2000);

  @TempDir
  private Path folder;

  @Test
  void figuresAndRecover_findTheSame() throws IOException {
    for (Knowledge knowledge : Knowledge.values()) {
      for (String algorithm : List.of("dayu-alpha", "dayu-paper", "C+W", "C+W-A", "pangu-slow")) {
        Path json = folder.resolve("recover.json");
        StringWriter err = new StringWriter();
        assertEquals(0,
            Main.run(
                ("recover --nodes 200 --chunks 2000 --seed 2 --failures 2 --json " + json + " --algorithm " + algorithm
                    + " --knowledge " + (knowledge == Knowledge.CURRENT_SLOT ? "current" : "last-report")).split(" "),
                new PrintWriter(new StringWriter()), new PrintWriter(err, true)),
            err::toString);
        JsonNode cases = new ObjectMapper().readTree(json.toFile()).get("results").get(0).get("cases");
        Variant variant = Variant.of(algorithm, knowledge);
        try (ResultStore store = new ResultStore(folder.resolve("cases.csv"), "build", Study.columns())) {
          Study study = new Study(store, List.of(2L), 2, 2);
          study.run(study.missing(study.cases(SMALL, variant)), done -> {});
          for (int failure = 0; failure < 2; failure++) {
            assertEquals(cases.get(failure).get("recoveryTimeSec").asDouble(),
                study.sample(SMALL, variant, CaseResult::recoveryTimeSec).values()[failure],
                algorithm + ", " + knowledge);
            assertEquals(cases.get(failure).get("interferencePercent").asDouble(),
                study.sample(SMALL, variant, CaseResult::interferencePercent).values()[failure],
                algorithm + ", " + knowledge);
          }
        }
      }
    }
  }
}
