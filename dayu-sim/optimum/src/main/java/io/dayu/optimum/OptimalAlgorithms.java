/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.optimum;

import io.dayu.sim.algorithm.Algorithm;
import io.dayu.sim.algorithm.RivalProvider;

import java.util.List;

/** The algorithms of this module, in the rhythm of the paper. Stateless. */
public final class OptimalAlgorithms implements RivalProvider {
  private static final Algorithm.Rhythm PAPER = new Algorithm.Rhythm(15_000, 15_000, 15_000, 0);

  @Override
  public List<Algorithm> algorithms() {
    return List.of(
        new Algorithm("milp",
            "most bytes in a timeslot, by a mixed-integer linear program (HiGHS); small clusters only", PAPER,
            (horizonMs, seed) -> new MilpScheduler(horizonMs)),
        new Algorithm("mcmf",
            "most blocks in a timeslot at the least sum of finish times, by a min-cost max-flow; medium clusters",
            PAPER, (horizonMs, seed) -> new FlowScheduler()));
  }
}
