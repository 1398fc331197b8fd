/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule;

import io.dayu.model.ClusterSnapshot;
import org.junit.jupiter.api.Test;

import static io.dayu.schedule.Snapshots.MB;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** {@link EvictionHorizon} of ten nodes of 10 MB/s with 100 MB to go, which is one second; horizon 6 s, lead 1 s. */
class EvictionHorizonTest {
  private static final long LEFT = 100 * MB;

  private final EvictionHorizon horizon = new EvictionHorizon();

  private static Snapshots nodes() {
    return new Snapshots(10, 10 * MB);
  }

  private void find(Snapshots snapshots) {
    ClusterSnapshot snapshot = snapshots.build();
    horizon.find(snapshot, LEFT, LEFT);
  }

  @Test
  void farFromTheEnd_stragglersHaveThePlansHorizon() {
    find(nodes().evictionFactor(6));
    assertFalse(horizon.shrinks());
    assertEquals(60 * MB, horizon.bytesOut(0));
    assertTrue(horizon.allows(0, 60 * MB, 60 * MB));
    assertFalse(horizon.allows(0, 60 * MB + 1, 0));
  }

  @Test
  void withoutAFactor_noEndIsNear() {
    find(nodes());
    assertFalse(horizon.shrinks());
    assertEquals(60 * MB, horizon.bytesOut(0));
    assertTrue(horizon.allows(0, 60 * MB, 60 * MB));
  }

  @Test
  void nearTheEnd_stragglersHaveTheTimeOfAllWorkLeft_timesTheFactor() {
    find(nodes().evictionFactor(1.3));
    assertTrue(horizon.shrinks());
    assertEquals(13 * MB, horizon.bytesOut(0));
    assertTrue(horizon.allows(0, 13 * MB, 13 * MB));
    assertFalse(horizon.allows(0, 13 * MB + 1, 0));
  }

  @Test
  void sourceHasASecondAtLeast_andATargetHasNot() {
    find(nodes().evictionFactor(0.5));
    assertEquals(10 * MB, horizon.bytesOut(0));
    assertTrue(horizon.allows(0, 5 * MB, 0));
    assertFalse(horizon.allows(0, 5 * MB + 1, 0));
  }

  @Test
  void targetWithSlowDisks_isHeldToWhatTheyWrite() {
    find(nodes().evictionFactor(1.3).write(3, 2 * MB));
    assertTrue(horizon.allows(3, 13 * MB, 13 * MB / 5));
    assertFalse(horizon.allows(3, 13 * MB, 13 * MB / 5 + 1));
    assertFalse(horizon.allows(3, 13 * MB + 1, 0));
    assertTrue(horizon.allows(0, 13 * MB, 13 * MB));
    assertEquals(2000, horizon.receiveMs(3, 10 * MB, 4 * MB), "4 MB at 2 MB/s");
    assertEquals(3000, horizon.receiveMs(3, 30 * MB, 4 * MB), "30 MB at 10 MB/s");
    assertEquals(1000, horizon.receiveMs(0, 10 * MB, 10 * MB));
  }

  @Test
  void blockThatBeginsAnew_takesTheTimeslot_theLead_andTheSlowerOfItsEnds() {
    find(nodes().evictionFactor(1.3));
    assertEquals(3000 + 1000 + 2000, horizon.restartMs(2000, 0, 10 * MB, 10 * MB));
    assertEquals(3000 + 1000 + 2000, horizon.restartMs(1000, 0, 20 * MB, 20 * MB));
    assertEquals(2000, horizon.sendMs(0, 20 * MB));
  }

  @Test
  void timeslotOfABlockThatBeginsAnew_isShorterNearTheEnd() {
    Snapshots snapshots = nodes().evictionFactor(1.3).minTimeslotMs(500);
    snapshots.block(400 * MB, 0);
    find(snapshots);
    assertEquals(2000 + 1000, horizon.restartMs(0, 0, 0, 0), "half of the four seconds that the waiting block takes");
  }
}
