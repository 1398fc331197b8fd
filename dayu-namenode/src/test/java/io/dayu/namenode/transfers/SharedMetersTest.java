/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.exchange.NodeLoad.Link;
import io.dayu.namenode.exchange.NodeLoad.SharedMeter;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

/** {@link SharedMeters} with DataNodes a and b on one host of 1000 bytes/s, and c on another. */
class SharedMetersTest {
  private static final long SEC = 1_000_000_000;

  private final SharedMeters meters =
      new SharedMeters(uuid -> uuid.equals("elsewhere") ? "10.0.0.2" : "10.0.0.1");

  private static long at(long sec) {
    return ClockStart.NS + sec * SEC;
  }

  private static NodeLoad load(long meter, long foreground, long recovery) {
    return load(new SharedMeter(meter, 1000, recovery, recovery / 2), foreground);
  }

  private static NodeLoad load(SharedMeter meter, long foreground) {
    return new NodeLoad(new Link(1000, foreground), new Link(1000, foreground / 2), 0, 0, meter);
  }

  private NodeLoad report(String uuid, NodeLoad load, long nowNs) {
    meters.learn(uuid, load, nowNs);
    return meters.share(uuid, load);
  }

  @Test
  void loneAgent_isPlannedWithWhatItReports() {
    NodeLoad alone = load(7, 300, 200);
    assertSame(alone, report("a", alone, at(0)));
    NodeLoad other = load(8, 300, 200);
    assertSame(other, report("c", other, at(0)));
    NodeLoad customMeter = load(null, 300);
    assertSame(customMeter, report("b", customMeter, at(0)));
    assertEquals(1, meters.sharers("a"));
    assertEquals(1, meters.sharers("b"));
  }

  @Test
  void agentsOnOneHost_shareItsBandwidth_andCountNoRecoveryAsForeground() {
    // 100 bytes/s of clients; a recovers with 200 and b with 400.
    report("a", load(7, 500, 200), at(0));
    NodeLoad b = report("b", load(7, 300, 400), at(1));
    NodeLoad a = report("a", load(7, 500, 200), at(2));
    for (NodeLoad share : new NodeLoad[] {a, b}) {
      assertEquals(500, share.in().capacityBytesPerSec());
      assertEquals(500, share.out().capacityBytesPerSec());
      assertEquals(50, share.in().foregroundBytesPerSec());
      assertEquals(25, share.out().foregroundBytesPerSec());
    }
    assertEquals(2, meters.sharers("a"));
    assertEquals(2, meters.sharers("b"));
  }

  @Test
  void agentWhoseVolumesAreSlower_keepsItsVolumes_notAShareOfThem() {
    report("a", load(7, 0, 0), at(0));
    NodeLoad slow = report("b", load(7, 0, 0).withCapacity(300, 300), at(0));
    assertEquals(300, slow.in().capacityBytesPerSec());
    assertEquals(300, slow.out().capacityBytesPerSec());
    assertEquals(slow.meter().networkBytesPerSec() / 2, slow.networkInBytesPerSec());
  }

  @Test
  void foregroundOfLessThanTheOthersRecovery_isNone() {
    report("a", load(7, 0, 500), at(0));
    assertEquals(0, report("b", load(7, 300, 0), at(0)).in().foregroundBytesPerSec());
  }

  @Test
  void silentAgent_andOneThatChangesItsMeter_shareNoLonger() {
    NodeLoad load = load(7, 100, 0);
    report("a", load, at(0));
    report("b", load, at(20));
    assertEquals(2, meters.sharers("b"));
    report("b", load, at(181));
    assertEquals(1, meters.sharers("b"));
    report("a", load, at(181));
    assertEquals(2, meters.sharers("a"));
    report("a", load(8, 100, 0), at(182));
    assertEquals(1, meters.sharers("b"));
    report("b", load(null, 100), at(183));
    report("c", load, at(184));
    assertEquals(1, meters.sharers("c"));
  }

  @Test
  void agentWithAnotherAddress_thatNamesTheMeter_takesNothingAway() {
    NodeLoad victim = load(7, 300, 200);
    report("a", victim, at(0));
    assertEquals(1000, report("elsewhere", load(7, 0, 1000), at(1)).in().capacityBytesPerSec());
    assertSame(victim, report("a", victim, at(2)));
    assertEquals(1, meters.sharers("a"));
    assertEquals(1, meters.sharers("elsewhere"));
  }
}
