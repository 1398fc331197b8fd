/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.sim.algorithm;

import io.dayu.schedule.RateAllocator;
import io.dayu.schedule.TransferLinks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class RateAllocatorsTest {

  private static TransferLinks example() {
    TransferLinks links = new TransferLinks();
    links.reset(3);
    links.setCapacity(0, 100);
    links.setCapacity(1, 30);
    links.setCapacity(2, 1000);
    links.add(10);
    links.crosses(0);
    links.crosses(2);
    links.add(20);
    links.crosses(1);
    links.crosses(2);
    links.add(10);
    links.crosses(1);
    links.crosses(0);
    return links;
  }

  @Test
  void singlePass_endsAllTogether_atTheTightestLink() {
    long[] rates = new long[3];
    new SinglePassWss().allocate(example(), rates);
    assertArrayEquals(new long[] {10, 20, 10}, rates, "link 1 allows 30 / 30 a unit");
  }

  @Test
  void deadline_givesWhatTheHorizonNeeds_andNoMoreThanTheLinkHas() {
    long[] rates = new long[3];
    new DeadlineRates(2000).allocate(example(), rates);
    assertArrayEquals(new long[] {5, 10, 5}, rates);
    new DeadlineRates(500).allocate(example(), rates);
    assertArrayEquals(new long[] {20, 29, 1}, rates, "one byte/s is kept for the last one on link 1");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void links_areNeverOverfull(long seed) {
    Random random = new Random(seed);
    TransferLinks links = new TransferLinks();
    links.reset(20);
    for (int link = 0; link < 20; link++) {
      links.setCapacity(link, random.nextInt(2000));
    }
    for (int i = 0; i < 300; i++) {
      links.add(1 + random.nextInt(5000));
      links.crosses(random.nextInt(10));
      links.crosses(10 + random.nextInt(10));
    }
    for (RateAllocator allocator : new RateAllocator[] {new SinglePassWss(), new DeadlineRates(1000)}) {
      long[] rates = new long[300];
      allocator.allocate(links, rates);
      long[] used = new long[20];
      for (int i = 0; i < 300; i++) {
        for (int hop = links.firstHop(i); hop < links.firstHop(i + 1); hop++) {
          used[links.hop(hop)] += rates[i];
        }
      }
      for (int link = 0; link < 20; link++) {
        assertTrue(used[link] <= links.capacity(link), allocator.name() + " seed " + seed + " link " + link);
      }
    }
  }
}
