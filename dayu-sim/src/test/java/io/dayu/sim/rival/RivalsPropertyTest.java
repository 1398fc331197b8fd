/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.rival;

import io.dayu.schedule.DayuSchedulerPropertyTest;
import io.dayu.schedule.SnapshotDraft;
import io.dayu.schedule.TimeslotScheduler;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/**
 * The properties of the product's algorithms, of every pair of targets and rates that {@link Rivals} has. Rivals are
 * there to be compared with, so they get a third of the snapshots.
 */
class RivalsPropertyTest extends DayuSchedulerPropertyTest {
  private static final int TRIES = 500;

  @Override
  @Provide
  protected Arbitrary<TimeslotScheduler> schedulers() {
    return Arbitraries.of(Rivals.targetSelectors()).flatMap(targets -> Arbitraries.of(Rivals.rateAllocators())
        .map(rates -> Rivals.scheduler(targets, rates)));
  }

  @Override
  @Provide
  protected Arbitrary<TimeslotScheduler> exactSchedulers() {
    return Arbitraries.of("fullscan").map(targets -> Rivals.scheduler(targets, "filling"));
  }

  @Override
  @Property(tries = TRIES, edgeCases = EdgeCasesMode.NONE)
  protected void plan_respectsEveryRule_andLeavesNoBandwidth(@ForAll("exactSchedulers") TimeslotScheduler exact,
      @ForAll("snapshots") SnapshotDraft draft) {
    super.plan_respectsEveryRule_andLeavesNoBandwidth(exact, draft);
  }

  @Override
  @Property(tries = TRIES, edgeCases = EdgeCasesMode.NONE)
  protected void plan_respectsEveryRule_withEveryAlgorithm(@ForAll("schedulers") TimeslotScheduler any,
      @ForAll("snapshots") SnapshotDraft draft) {
    super.plan_respectsEveryRule_withEveryAlgorithm(any, draft);
  }
}
