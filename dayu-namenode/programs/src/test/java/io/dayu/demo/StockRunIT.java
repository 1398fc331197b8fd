/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.demo;

import io.dayu.demo.ModeRun.Durations;
import io.dayu.demo.TimeslotFeed.Status;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Stock HDFS recovers, with feeds that say one thing or another about it: the demo must not be fooled. */
@Tag("default-line")
class StockRunIT extends ModeRunFixture {
  private long timeslot;

  private Status status(String state, long finished, long recoveredBytes) {
    return new Status(state, "for the test", new TimeslotFeed.Timeslot(timeslot++, 3, 1, 2),
        new TimeslotFeed.Totals(finished, 0, finished, 0, recoveredBytes), 5, 4, 0);
  }

  @Test
  void stock_isCutOff() throws Exception {
    Outcome outcome = run(Mode.STOCK_DEFAULT, Optional.empty(), new Durations(0, 500, 0, 0));
    ModeResult result = outcome.result().orElseThrow();
    assertTrue(result.cutOff());
    assertTrue(result.blocks().recovered() < result.blocks().lost(), result::toString);
    assertEquals(Map.of(), outcome.proof());
    assertEquals(List.of(), outcome.failures());
  }

  @Test
  void run_failsWhenStockDidTheWork() throws Exception {
    Outcome outcome = run(Mode.STOCK_FAST, Optional.of(() -> status("DAYU", 0, 0)), DURATIONS);
    assertEquals(1, outcome.failures().size(), outcome.failures()::toString);
    assertTrue(outcome.failures().get(0).startsWith("not all of it was recovered by Dayu: state DAYU, 0 transfers"),
        outcome.failures()::toString);
    assertTrue(outcome.result().orElseThrow().recoveryTimeSec() > 0, "what was measured is still there");
    assertTrue(outcome.proof().containsKey("verifiedBytes"), outcome.proof()::toString);
    assertTrue(seen.toString().contains("planned 3    rejected 1    finished 2    running 4    waiting 5"),
        seen::toString);
  }

  @Test
  void run_failsWhenDayuGivesUp() throws Exception {
    Outcome outcome =
        run(Mode.STOCK_DEFAULT, Optional.of(() -> status(timeslot < 5 ? "DAYU" : "STOCK", 0, 0)), DURATIONS);
    assertEquals(List.of("Dayu gave recovery back: state STOCK, for the test"), outcome.failures());
    assertTrue(outcome.result().orElseThrow().cutOff(), "what was measured until then is still there");
    assertEquals(Map.of(), outcome.proof());
  }
}
