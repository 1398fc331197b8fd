/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule.rates;

import org.junit.jupiter.api.Test;

import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** {@link ProgressiveFilling} by hand, against a naive exact reference, and by the definition of max-min fairness. */
class ProgressiveFillingTest {

  private static long[] allocate(TransferLinks links) {
    long[] rates = new long[links.count()];
    new ProgressiveFilling().allocate(links, rates);
    return rates;
  }

  private static void add(TransferLinks links, long weight, int... crossed) {
    links.add(weight);
    for (int link : crossed) {
      links.crosses(link);
    }
  }

  @Test
  void example_ofTheJavadoc() {
    TransferLinks links = new TransferLinks();
    links.reset(2);
    links.setCapacity(0, 100);
    links.setCapacity(1, 30);
    add(links, 10, 0);
    add(links, 10, 0, 1);
    add(links, 5, 1);
    assertArrayEquals(new long[] {80, 20, 10}, allocate(links));
  }

  @Test
  void lastOfALink_getsWhatRoundingLeaves() {
    TransferLinks links = new TransferLinks();
    links.reset(1);
    links.setCapacity(0, 100);
    for (int i = 0; i < 3; i++) {
      add(links, 7, 0);
    }
    long[] rates = allocate(links);
    assertEquals(100, rates[0] + rates[1] + rates[2]);
  }

  @Test
  void transferThatGoesFirst_getsMostOfAFullLink_andNoMoreThanItsOtherLinkHas() {
    TransferLinks links = new TransferLinks();
    links.reset(3);
    links.setCapacity(0, 6500);
    links.setCapacity(1, 6500);
    links.setCapacity(2, 2000);
    add(links, 10, 0);
    links.setFirst();
    add(links, 10, 0);
    add(links, 10, 1, 2);
    links.setFirst();
    add(links, 10, 1);
    assertArrayEquals(new long[] {6400, 100, 2000, 4500}, allocate(links));
  }

  @Test
  void transferThatGoesFirst_beyondWhatWeightsMaySumTo_goesWithTheOthers() {
    TransferLinks links = new TransferLinks();
    links.reset(1);
    links.setCapacity(0, 100);
    add(links, 1L << 56, 0);
    links.setFirst();
    add(links, 1L << 56, 0);
    assertArrayEquals(new long[] {50, 50}, allocate(links));
  }

  @Test
  void tinyWeight_getsAtLeastOneByteASecond() {
    TransferLinks links = new TransferLinks();
    links.reset(1);
    links.setCapacity(0, 1000);
    add(links, 1L << 50, 0);
    add(links, 1, 0);
    assertArrayEquals(new long[] {999, 1}, allocate(links));
  }

  @Test
  void linkWithFewerBytesThanTransfers_servesTheFirst() {
    TransferLinks links = new TransferLinks();
    links.reset(2);
    links.setCapacity(0, 2);
    add(links, 5, 0);
    add(links, 5, 0);
    add(links, 5, 0);
    add(links, 5, 1);
    assertArrayEquals(new long[] {1, 1, 0, 0}, allocate(links));
  }

  @Test
  void rates_equalTheReference_andNoneCanGrow_overRandomQuestions() {
    for (long seed = 0; seed < 3000; seed++) {
      Random random = new Random(seed);
      TransferLinks links = draw(random);
      long[] rates = allocate(links);
      String message = "seed " + seed;
      long[] left = new long[links.links()];
      for (int link = 0; link < links.links(); link++) {
        left[link] = links.capacity(link);
      }
      double[] expected = reference(links);
      for (int t = 0; t < links.count(); t++) {
        assertTrue(rates[t] >= 1, message);
        // Each transfer fixed before may have been rounded by a byte.
        assertEquals(expected[t], rates[t], 2.0 * links.count() + expected[t] * 1e-6, message + ", transfer " + t);
        for (int hop = links.firstHop(t); hop < links.firstHop(t + 1); hop++) {
          left[links.hop(hop)] -= rates[t];
        }
      }
      for (int t = 0; t < links.count(); t++) {
        boolean stopped = false;
        for (int hop = links.firstHop(t); hop < links.firstHop(t + 1); hop++) {
          assertTrue(left[links.hop(hop)] >= 0, message + ", link " + links.hop(hop));
          stopped |= left[links.hop(hop)] <= links.count();
        }
        assertTrue(stopped, message + ": transfer " + t + " crosses no full link");
      }
    }
  }

  /** Up to 60 transfers over up to 20 links, 1 to 4 links each. */
  private static TransferLinks draw(Random random) {
    TransferLinks links = new TransferLinks();
    int linkCount = 4 + random.nextInt(17);
    links.reset(linkCount);
    for (int link = 0; link < linkCount; link++) {
      links.setCapacity(link, 1_000_000 + random.nextInt(100_000_000));
    }
    int count = 1 + random.nextInt(60);
    for (int t = 0; t < count; t++) {
      // Weights within a factor of 1000: otherwise the minimum of 1 byte a second exceeds the fair share of a tiny one.
      links.add(1_000_000 + random.nextInt(1_000_000_000));
      int first = random.nextInt(linkCount);
      int hops = 1 + random.nextInt(4);
      for (int hop = 0; hop < hops; hop++) {
        links.crosses((first + hop) % linkCount);
      }
    }
    return links;
  }

  /** Water-filling as one would write it down: all growing rates rise together until some link is full. */
  private static double[] reference(TransferLinks links) {
    double[] rate = new double[links.count()];
    boolean[] stopped = new boolean[links.count()];
    double[] left = new double[links.links()];
    for (int link = 0; link < left.length; link++) {
      left[link] = links.capacity(link);
    }
    for (int round = 0; round < links.links(); round++) {
      double[] weight = new double[left.length];
      for (int t = 0; t < rate.length; t++) {
        for (int hop = links.firstHop(t); hop < links.firstHop(t + 1) && !stopped[t]; hop++) {
          weight[links.hop(hop)] += links.weight(t);
        }
      }
      int bottleneck = -1;
      for (int link = 0; link < left.length; link++) {
        if (weight[link] > 0 && (bottleneck < 0 || left[link] / weight[link] < left[bottleneck] / weight[bottleneck])) {
          bottleneck = link;
        }
      }
      if (bottleneck < 0) {
        break;
      }
      double step = left[bottleneck] / weight[bottleneck];
      for (int t = 0; t < rate.length; t++) {
        boolean full = false;
        for (int hop = links.firstHop(t); hop < links.firstHop(t + 1) && !stopped[t]; hop++) {
          left[links.hop(hop)] -= step * links.weight(t);
          full |= links.hop(hop) == bottleneck;
        }
        rate[t] += stopped[t] ? 0 : step * links.weight(t);
        stopped[t] |= full;
      }
    }
    return rate;
  }
}
