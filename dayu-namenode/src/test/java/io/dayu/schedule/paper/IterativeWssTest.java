/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule.paper;

import io.dayu.schedule.rates.ProgressiveFilling;
import io.dayu.schedule.rates.RateAllocator;
import io.dayu.schedule.rates.TransferLinks;
import org.junit.jupiter.api.Test;

import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** {@link IterativeWss} by hand, and against {@link ProgressiveFilling}, which is its limit. */
class IterativeWssTest {

  private static TransferLinks example() {
    TransferLinks links = new TransferLinks();
    links.reset(2);
    links.setCapacity(0, 100);
    links.setCapacity(1, 30);
    links.add(10);
    links.crosses(0);
    links.add(10);
    links.crosses(0);
    links.crosses(1);
    links.add(5);
    links.crosses(1);
    return links;
  }

  private static long[] allocate(RateAllocator allocator, TransferLinks links) {
    long[] rates = new long[links.count()];
    allocator.allocate(links, rates);
    return rates;
  }

  @Test
  void oneIteration_letsAllTransfersEndTogether() {
    assertArrayEquals(new long[] {20, 20, 10}, allocate(new IterativeWss(1), example()));
  }

  @Test
  void furtherIterations_useWhatTheBottleneckLeaves() {
    assertArrayEquals(new long[] {80, 20, 10}, allocate(new IterativeWss(2), example()));
  }

  /** After the first iteration all rates are 2 a unit of weight: 500 ms for each. */
  @Test
  void stopRule_endsTheIterations_whenAllCanEndInTime() {
    TransferLinks links = example();
    links.setHorizonMs(500);
    assertArrayEquals(new long[] {20, 20, 10}, allocate(new IterativeWss(5, true), links));
    links.setHorizonMs(499);
    assertArrayEquals(new long[] {80, 20, 10}, allocate(new IterativeWss(5, true), links));
    links.setHorizonMs(0);
    assertArrayEquals(new long[] {80, 20, 10}, allocate(new IterativeWss(5, true), links));
  }

  @Test
  void manyIterations_giveTheRatesOfProgressiveFilling() {
    for (long seed = 0; seed < 500; seed++) {
      Random random = new Random(seed);
      TransferLinks links = new TransferLinks();
      int nodes = 2 + random.nextInt(10);
      links.reset(2 * nodes);
      for (int link = 0; link < 2 * nodes; link++) {
        links.setCapacity(link, 1_000_000 + random.nextInt(100_000_000));
      }
      int count = 1 + random.nextInt(50);
      for (int transfer = 0; transfer < count; transfer++) {
        links.add(1_000_000 + random.nextInt(100_000_000));
        links.crosses(random.nextInt(nodes));
        links.crosses(nodes + random.nextInt(nodes));
      }
      long[] expected = allocate(new ProgressiveFilling(), links);
      long[] actual = allocate(new IterativeWss(2 * nodes), links);
      for (int transfer = 0; transfer < count; transfer++) {
        assertEquals(expected[transfer], actual[transfer], 2.0 * count, "seed " + seed + ", transfer " + transfer);
        assertTrue(actual[transfer] >= 1, "seed " + seed);
      }
    }
  }
}
