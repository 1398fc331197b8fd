/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.cluster;

import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.exchange.NodeLoad.Link;
import io.dayu.namenode.transfers.AgentState;
import io.dayu.schedule.forecast.ForegroundForecast;
import io.dayu.schedule.forecast.RecentMean;
import io.dayu.schedule.paper.LastReport;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ExpectedLoadsTest {
  private static final long SEED = 11;
  private static final String WITH_SEED = "seed " + SEED;
  private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

  private static NodeLoad load(long capacity, long in, long out) {
    return new NodeLoad(new Link(capacity, in), new Link(capacity, out), 0, 0);
  }

  /** Agents whose traffic is drawn anew for each report: the best forecast is its mean, 500 of 1000 in and 250 out. */
  private static ExpectedLoads afterNoise(ForegroundForecast forecast, AgentState first, AgentState second,
      int rounds) {
    ExpectedLoads expected = new ExpectedLoads(forecast, 0);
    Random random = new Random(SEED);
    for (int round = 1; round <= rounds; round++) {
      first.load = load(1000, random.nextInt(1000), random.nextInt(500));
      second.load = load(1000, random.nextInt(1000), random.nextInt(500));
      expected.observe(List.of(first, second), 3000, round * 3 * SECOND_NS);
    }
    return expected;
  }

  @Test
  void peak_isDrawnTowardsTheMean_ofTrafficThatComesBack() {
    AgentState first = new AgentState("a", 0);
    AgentState second = new AgentState("b", 0);
    ExpectedLoads expected = afterNoise(new RecentMean(), first, second, 1000);
    first.load = load(1000, 1000, 0);
    // Of the last four values, this one included: 500 and 250 on average were it not for the last.
    assertEquals(625, expected.of(first).in().foregroundBytesPerSec(), 220, WITH_SEED);
    assertEquals(188, expected.of(first).out().foregroundBytesPerSec(), 110, WITH_SEED);
    assertEquals(1000, expected.of(first).in().capacityBytesPerSec());
  }

  @Test
  void lastReport_isPassedOn() {
    AgentState first = new AgentState("a", 0);
    ExpectedLoads expected = afterNoise(new LastReport(), first, new AgentState("b", 0), 100);
    first.load = load(1000, 990, 7);
    assertSame(first.load, expected.of(first));
  }

  @Test
  void mean_isForgotten_whenTheActivationEnds() {
    AgentState first = new AgentState("a", 0);
    ExpectedLoads expected = afterNoise(new RecentMean(), first, new AgentState("b", 0), 1000);
    first.load = load(1000, 1000, 0);
    assertTrue(expected.of(first).in().foregroundBytesPerSec() < 900, WITH_SEED);
    first.reset();
    assertSame(first.load, expected.of(first));
  }

  @Test
  void observation_isMade_onceInAPeriod_andOfNewReportsOnly() {
    AgentState often = new AgentState("a", 0);
    AgentState silent = new AgentState("b", 0);
    ExpectedLoads expected = new ExpectedLoads(new RecentMean(), 0);
    silent.load = load(1000, 100, 100);
    Random random = new Random(SEED);
    for (int tick = 1; tick <= 3000; tick++) {
      // Another report every 100 ms, while traffic changes every 3 s: a forecast that counts each report would learn
      // that traffic does not change.
      if (tick % 30 == 0) {
        expected.observe(List.of(often, silent), 3000, tick * SECOND_NS / 10);
      }
      int in = random.nextInt(1000);
      often.load = load(1000, in, in);
      expected.observe(List.of(often, silent), 3000, tick * SECOND_NS / 10 + 1);
    }
    often.load = load(1000, 1000, 1000);
    assertEquals(625, expected.of(often).in().foregroundBytesPerSec(), 220, WITH_SEED);
    silent.load = load(1000, 900, 900);
    assertEquals(500, expected.of(silent).in().foregroundBytesPerSec(), 100,
        "the mean of one report before, and of this one; " + WITH_SEED);
  }

  @Test
  void node_withoutCapacity_isLeftAsReported() {
    AgentState first = new AgentState("a", 0);
    ExpectedLoads expected = afterNoise(new RecentMean(), first, new AgentState("b", 0), 100);
    AgentState broken = new AgentState("c", 0);
    broken.load = load(0, 5, 5);
    expected.observe(List.of(broken), 3000, Long.MAX_VALUE / 2);
    assertEquals(5, expected.of(broken).in().foregroundBytesPerSec());
    assertTrue(expected.of(first).in().foregroundBytesPerSec() >= 0, WITH_SEED);
  }
}
