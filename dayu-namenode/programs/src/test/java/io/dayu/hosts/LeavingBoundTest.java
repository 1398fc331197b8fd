/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

class LeavingBoundTest {
  private static final NeededTransfer GROUP = new NeededTransfer(120, 3, List.of(1, 2, 3), List.of(4));
  private static final NeededTransfer BLOCK = new NeededTransfer(60, 1, List.of(1, 2), List.of(3, 4));

  private static double seconds(List<NeededTransfer> needed, double receivable, double sendable, double byLeaving) {
    return LeavingBound.seconds(needed, seconds -> receivable * seconds, seconds -> sendable * seconds,
        seconds -> byLeaving * seconds);
  }

  @Test
  void seconds_isThatOfCopies_whereTheLeavingNodeSendsAll() {
    assertEquals(12, seconds(List.of(GROUP), 100, 0, 10), 1e-3);
  }

  @Test
  void seconds_isThatOfRebuilds_whereItSendsNothing() {
    assertEquals(3.6, seconds(List.of(GROUP), 100, 200, 0), 1e-3);
    assertEquals(7.2, seconds(List.of(GROUP), 100, 50, 0), 1e-3);
  }

  /** Both end at once. */
  @Test
  void seconds_dividesGroupsBetweenCopiesAndRebuilds() {
    // Nine others receive 9 × 10 a second: t copies 10 t, and rebuilds 120 - 10 t with three times the bytes.
    assertEquals(360 / 110.0, seconds(List.of(GROUP), 90, 1_000, 10), 1e-3);
  }

  @Test
  void seconds_copiesGroupsFirst_andTakesReplicasFromOthers() {
    // In 6 s the leaving node sends 120 bytes of the group, and the others 60 of the block.
    assertEquals(6, seconds(List.of(GROUP, BLOCK), 1_000, 10, 20), 1e-3);
  }
}
