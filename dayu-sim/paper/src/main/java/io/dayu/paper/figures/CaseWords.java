/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.figures;

import io.dayu.paper.study.Study;
import io.dayu.paper.study.SyntheticCluster;
import io.dayu.sim.engine.Knowledge;

/** What was simulated, in words. Stateless. */
final class CaseWords {
  private CaseWords() {
  }

  static String of(Knowledge knowledge) {
    return knowledge == Knowledge.LAST_REPORT ? "last report" : "current slot";
  }

  /** For names of files. */
  static String file(Knowledge knowledge) {
    return of(knowledge).replace(' ', '-');
  }

  static String inputs(SyntheticCluster scenario, Study study) {
    return Numbers.format(
        "%,d nodes, %,d chunks of %d MB to recover; synthetic traffic and placement; %d failures (%d for each of the "
            + "seeds %s), the same ones for all algorithms; ± is the standard error",
        scenario.nodes(), scenario.chunks(),
        scenario.chunkBytes() / 1_000_000, study.seeds().size() * study.failuresPerSeed(), study.failuresPerSeed(),
        study.seeds().toString().replaceAll("[\\[\\]]", ""));
  }
}
