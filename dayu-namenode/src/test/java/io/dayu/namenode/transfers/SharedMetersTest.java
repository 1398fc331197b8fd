/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

import io.dayu.protocol.DayuProtos.LoadProto;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

/** {@link SharedMeters} with DataNodes a and b on one host of 1000 bytes/s, and c on another. */
class SharedMetersTest {
  private static final long SEC = 1_000_000_000;

  private final SharedMeters meters =
      new SharedMeters(uuid -> uuid.equals("elsewhere") ? "10.0.0.2" : "10.0.0.1");

  private static LoadProto.Builder load(long meter, long foreground, long recovery) {
    return LoadProto.newBuilder().setCapacityInBytesPerSec(1000).setCapacityOutBytesPerSec(1000)
        .setNetworkBytesPerSec(1000)
        .setForegroundInBytesPerSec(foreground).setForegroundOutBytesPerSec(foreground / 2).setMeterId(meter)
        .setRecoveryInBytesPerSec(recovery).setRecoveryOutBytesPerSec(recovery / 2);
  }

  private LoadProto report(String uuid, LoadProto load, long nowNs) {
    meters.learn(uuid, load, nowNs);
    return meters.share(uuid, load);
  }

  @Test
  void loneAgent_isPlannedWithWhatItReports() {
    LoadProto alone = load(7, 300, 200).build();
    assertSame(alone, report("a", alone, 0));
    LoadProto other = load(8, 300, 200).build();
    assertSame(other, report("c", other, 0));
    LoadProto customMeter = load(7, 300, 200).clearMeterId().build();
    assertSame(customMeter, report("b", customMeter, 0));
    assertEquals(1, meters.sharers("a"));
    assertEquals(1, meters.sharers("b"));
  }

  @Test
  void agentsOnOneHost_haveItsBandwidthOnce_andTakeTheOthersRecoveryForNoForeground() {
    // 100 bytes/s of clients; a recovers with 200 and b with 400.
    report("a", load(7, 500, 200).build(), 0);
    LoadProto b = report("b", load(7, 300, 400).build(), SEC);
    LoadProto a = report("a", load(7, 500, 200).build(), 2 * SEC);
    for (LoadProto share : new LoadProto[] {a, b}) {
      assertEquals(500, share.getCapacityInBytesPerSec());
      assertEquals(500, share.getCapacityOutBytesPerSec());
      assertEquals(50, share.getForegroundInBytesPerSec());
      assertEquals(25, share.getForegroundOutBytesPerSec());
    }
    assertEquals(2, meters.sharers("a"));
    assertEquals(2, meters.sharers("b"));
  }

  @Test
  void agentWhoseVolumesAreSlower_keepsItsVolumes_notAShareOfThem() {
    report("a", load(7, 0, 0).build(), 0);
    LoadProto slow = report("b", load(7, 0, 0).setCapacityInBytesPerSec(300).setCapacityOutBytesPerSec(300).build(), 0);
    assertEquals(300, slow.getCapacityInBytesPerSec());
    assertEquals(300, slow.getCapacityOutBytesPerSec());
  }

  @Test
  void foregroundOfLessThanTheOthersRecovery_isNone() {
    report("a", load(7, 0, 500).build(), 0);
    assertEquals(0, report("b", load(7, 300, 0).build(), 0).getForegroundInBytesPerSec());
  }

  @Test
  void silentAgent_andOneThatChangesItsMeter_shareNoLonger() {
    LoadProto load = load(7, 100, 0).build();
    report("a", load, 0);
    report("b", load, 20 * SEC);
    assertEquals(2, meters.sharers("b"));
    report("b", load, 181 * SEC);
    assertEquals(1, meters.sharers("b"));
    report("a", load, 181 * SEC);
    assertEquals(2, meters.sharers("a"));
    report("a", load(8, 100, 0).build(), 182 * SEC);
    assertEquals(1, meters.sharers("b"));
    report("b", load.toBuilder().clearMeterId().build(), 183 * SEC);
    report("c", load, 184 * SEC);
    assertEquals(1, meters.sharers("c"));
  }

  @Test
  void agentWithAnotherAddress_thatNamesTheMeter_takesNothingAway() {
    LoadProto victim = load(7, 300, 200).build();
    report("a", victim, 0);
    assertEquals(1000, report("elsewhere", load(7, 0, 1000).build(), SEC).getCapacityInBytesPerSec());
    assertSame(victim, report("a", victim, 2 * SEC));
    assertEquals(1, meters.sharers("a"));
    assertEquals(1, meters.sharers("elsewhere"));
  }
}
