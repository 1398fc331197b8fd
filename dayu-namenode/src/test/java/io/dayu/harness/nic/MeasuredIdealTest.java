/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness.nic;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

class MeasuredIdealTest {
  private static final double EXACT = 1e-9;
  private static final long LINK = 100;
  private static final double ALPHA = 0.75;

  /**
   * One sample a second of nodes whose foreground has these rates in and out, with recovery beside it, which does not
   * matter.
   */
  private static NicSeries series(int[][]... foregroundInOutByNodeBySec) {
    List<NicSeries.Sample> samples = new ArrayList<>();
    int nodes = foregroundInOutByNodeBySec[0].length;
    long[][] sums = new long[nodes][2];
    for (int second = 0; second <= foregroundInOutByNodeBySec.length; second++) {
      List<NicCounters> now = new ArrayList<>();
      for (int node = 0; node < nodes; node++) {
        now.add(new NicCounters(sums[node][0], 1_000L * second, sums[node][1], 3_000L * second));
        if (second < foregroundInOutByNodeBySec.length) {
          sums[node][0] += foregroundInOutByNodeBySec[second][node][0];
          sums[node][1] += foregroundInOutByNodeBySec[second][node][1];
        }
      }
      samples.add(new NicSeries.Sample(second * 1_000_000_000L, now));
    }
    return new NicSeries(samples);
  }

  @Test
  void idleNodes_giveAlphaOfTheirLinks() {
    NicSeries idle = series(new int[][] {{0, 0}, {0, 0}}, new int[][] {{0, 0}, {0, 0}});
    assertEquals(1.0, MeasuredIdeal.seconds(idle, List.of(0, 1), ALPHA, LINK, 150), EXACT);
    assertEquals(1.5, MeasuredIdeal.seconds(idle, List.of(0, 1), ALPHA, LINK, 225), EXACT);
    assertEquals(2.0, MeasuredIdeal.seconds(idle, List.of(1), ALPHA, LINK, 150), EXACT, "only the nodes that live");
    assertEquals(0.0, MeasuredIdeal.seconds(idle, List.of(0, 1), ALPHA, LINK, 0), EXACT);
  }

  @Test
  void worseDirection_decides() {
    NicSeries outBusy = series(new int[][] {{5, 65}, {15, 65}});
    assertEquals(2.0, MeasuredIdeal.seconds(outBusy, List.of(0, 1), ALPHA, LINK, 40), EXACT);
    NicSeries inBusy = series(new int[][] {{65, 5}, {65, 15}});
    assertEquals(2.0, MeasuredIdeal.seconds(inBusy, List.of(0, 1), ALPHA, LINK, 40), EXACT);
  }

  @Test
  void nodeAboveAlpha_givesNothingAndTakesNothing() {
    NicSeries oneFull = series(new int[][] {{100, 100}, {25, 25}});
    assertEquals(1.0, MeasuredIdeal.seconds(oneFull, List.of(0, 1), ALPHA, LINK, 50), EXACT);
  }

  @Test
  void foreground_countsWhenItIs() {
    NicSeries lateIdle = series(new int[][] {{75, 75}}, new int[][] {{75, 75}}, new int[][] {{25, 25}});
    assertEquals(2.5, MeasuredIdeal.seconds(lateIdle, List.of(0), ALPHA, LINK, 25), EXACT);
  }

  @Test
  void afterTheSeries_foregroundGoesOnAtItsMean() {
    NicSeries meanOf50 = series(new int[][] {{75, 75}}, new int[][] {{25, 25}});
    assertEquals(2 + 50 / 25.0, MeasuredIdeal.seconds(meanOf50, List.of(0), ALPHA, LINK, 100), EXACT);
  }

  @Test
  void fullCluster_takesForEver() {
    NicSeries full = series(new int[][] {{80, 80}});
    assertEquals(Double.POSITIVE_INFINITY, MeasuredIdeal.seconds(full, List.of(0), ALPHA, LINK, 1));
    NicSeries nothing = new NicSeries(full.samples().subList(0, 1));
    assertThrows(IllegalArgumentException.class, () -> MeasuredIdeal.seconds(nothing, List.of(0), ALPHA, LINK, 1));
  }

  @Test
  void peakShare_isOfTheFullestWindow() {
    // Recovery adds 3,000 a second going out.
    NicSeries series =
        series(new int[][] {{0, 0}}, new int[][] {{0, 1_000}}, new int[][] {{0, 2_000}}, new int[][] {{0, 0}});
    assertEquals(0.50, series.peakShare(0, Direction.OUT, 1, 10_000), EXACT);
    assertEquals(0.45, series.peakShare(0, Direction.OUT, 2, 10_000), EXACT);
    assertEquals(0.0, series.peakShare(0, Direction.OUT, 5, 10_000), EXACT, "no window has this length");
    assertEquals(0.10, series.peakShare(0, Direction.IN, 1, 10_000), EXACT);
  }

  @Test
  void between_keepsBothEnds() {
    NicSeries series = series(new int[][] {{0, 7}}, new int[][] {{0, 8}}, new int[][] {{0, 9}});
    NicSeries middle = series.between(1_000_000_000L, 2_000_000_000L);
    assertEquals(1, middle.intervals());
    assertEquals(8.0, middle.bytesPerSec(0, 0, Direction.OUT, Traffic.FOREGROUND), EXACT);
    assertEquals(List.of(8.0), middle.meanBytesPerSec(Direction.OUT, Traffic.FOREGROUND));
  }
}
