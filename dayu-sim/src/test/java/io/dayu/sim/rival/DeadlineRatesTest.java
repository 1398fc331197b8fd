/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.rival;

import io.dayu.schedule.rates.TransferLinks;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** {@link DeadlineRates} by hand. */
class DeadlineRatesTest {

  /** Link 0 of 1000 bytes/s carries all three transfers, link 1 of 30 bytes/s the last two. */
  private static long[] allocate(long horizonMs, long... weights) {
    TransferLinks links = new TransferLinks();
    links.reset(2);
    links.setHorizonMs(horizonMs);
    links.setCapacity(0, 1000);
    links.setCapacity(1, 30);
    for (int transfer = 0; transfer < weights.length; transfer++) {
      links.add(weights[transfer]);
      links.crosses(0);
      if (transfer > 0) {
        links.crosses(1);
      }
    }
    long[] rates = new long[weights.length];
    new DeadlineRates().allocate(links, rates);
    return rates;
  }

  @Test
  void rates_endEveryTransferWithTheHorizon_andUseNoMore() {
    assertArrayEquals(new long[] {34, 10, 20}, allocate(3000, 100, 30, 60));
  }

  @Test
  void overloadedLink_slowsItsTransfersInProportion_andNoOthers() {
    assertArrayEquals(new long[] {100, 10, 20}, allocate(1000, 100, 100, 200));
  }

  @Test
  void tinyRates_areAtLeastOneByteASecond() {
    assertArrayEquals(new long[] {1, 1, 29}, allocate(1000, 1, 1, 1_000_000));
  }

  @Test
  void deadline_mustBeSaid() {
    assertEquals("horizonMs = 0: rates for a deadline need one",
        assertThrows(IllegalArgumentException.class, () -> allocate(0, 1)).getMessage());
  }
}
