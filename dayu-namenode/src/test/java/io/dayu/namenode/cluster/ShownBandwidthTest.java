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
import org.junit.jupiter.api.Test;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

/** {@link ShownBandwidth} at alpha 0.5. */
class ShownBandwidthTest {
  private static final long SEC = 1_000_000_000;
  private static final long MB = 1_000_000;

  private final ShownBandwidth shown = new ShownBandwidth();
  private final Map<String, NodeLoad> loads = new HashMap<>();

  private void load(String uuid, long bandwidth, long foreground) {
    loads.put(uuid, new NodeLoad(new Link(bandwidth, foreground), new Link(bandwidth, 0), 0, 0));
  }

  private NodeLoad bounded(String uuid) {
    return shown.bounded(loads, 0.5).get(uuid);
  }

  @Test
  void nodesLikeTheOthers_areBelieved() {
    for (int i = 0; i < 5; i++) {
      load("n" + i, (100 + 20 * i) * MB, 30 * MB);
    }
    loads.forEach((uuid, load) -> assertSame(load, bounded(uuid)));
    load("alone", MB, 0);
    loads.keySet().retainAll(Set.of("alone"));
    assertSame(loads.get("alone"), bounded("alone"));
  }

  @Test
  void claimFarAboveTheOthers_countsUpToTwiceTheMedian_evenIfTwoOfFiveMakeIt() {
    load("a", 100 * MB, 0);
    load("b", 90 * MB, 0);
    load("c", 110 * MB, 0);
    load("liar", 1L << 40, 0);
    load("liar too", 1L << 40, 40 * MB);
    assertEquals(220 * MB, bounded("liar").in().capacityBytesPerSec());
    assertEquals(220 * MB, bounded("liar").out().capacityBytesPerSec());
    // What clients take leaves recovery as much as on an idle link: 0.5 x 300 - 40 = 0.5 x 220.
    assertEquals(300 * MB, bounded("liar too").in().capacityBytesPerSec());
  }

  @Test
  void claimOfAFastNetworkBeforeSlowDisks_isBoundedByTheOthersNetworks() {
    for (String node : List.of("a", "b", "c", "liar")) {
      load(node, 20 * MB, 0);
      loads.put(node, loads.get(node).withNetworkIn(node.equals("liar") ? 1L << 40 : 100 * MB));
    }
    assertSame(loads.get("a"), bounded("a"));
    assertEquals(200 * MB, bounded("liar").networkInBytesPerSec());
    assertEquals(20 * MB, bounded("liar").in().capacityBytesPerSec());
  }

  @Test
  void nodeTenTimesAsFast_isKnownAsSuchAfterAFewWindows() {
    for (int i = 0; i < 5; i++) {
      load("n" + i, 100 * MB, 0);
    }
    load("fast", 1_000 * MB, 0);
    int windows = 0;
    long believed = bounded("fast").in().capacityBytesPerSec();
    while (believed < 1_000 * MB) {
      // Recovery uses half of what is believed.
      shown.confirmed("n0", "fast", believed / 2 * 5, windows * ShownBandwidth.WINDOW_NS);
      believed = bounded("fast").in().capacityBytesPerSec();
      windows++;
    }
    assertEquals(3, windows);
    shown.confirmed("n0", "fast", 1, 3_600 * SEC);
    assertEquals(1_000 * MB, bounded("fast").in().capacityBytesPerSec(), "it stays known");
    assertEquals(200 * MB, bounded("fast").out().capacityBytesPerSec(), "it has not sent anything yet");
  }

  @Test
  void nodesWithoutBandwidth_areNotTypical() {
    load("a", 100 * MB, 0);
    for (int i = 0; i < 5; i++) {
      load("n" + i, 0, 0);
    }
    assertEquals(100 * MB, bounded("a").in().capacityBytesPerSec());
  }
}
