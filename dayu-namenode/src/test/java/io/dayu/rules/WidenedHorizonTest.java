/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.rules;

import io.dayu.model.ClusterSnapshot;
import io.dayu.schedule.Snapshots;
import org.junit.jupiter.api.Test;

import static io.dayu.schedule.Snapshots.MB;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

/** The horizon that {@link WidenedHorizon} wants, in cases worked out by hand. */
class WidenedHorizonTest {

  private static Snapshots nodes() {
    return new Snapshots(4, 10 * MB);
  }

  private static long setMs() {
    return nodes().build().parameters().horizonMs();
  }

  @Test
  void smallBlocks_leaveTheHorizonAsItIsSet() {
    Snapshots snapshots = nodes();
    snapshots.block(10 * setMs() / 1000 * MB / 7, 0);
    ClusterSnapshot snapshot = snapshots.build();
    assertSame(snapshot, WidenedHorizon.widen(snapshot));
  }

  @Test
  void largeBlocks_wantRoomForSevenOfThem() {
    Snapshots snapshots = nodes().in(3, 2 * MB).refuses(3);
    snapshots.block(2 * 10 * setMs() / 1000 * MB / 7, 0);
    assertEquals(2.0 * setMs(), WidenedHorizon.widen(snapshots.build()).parameters().horizonMs(), 1,
        "a node that refuses does not count");
  }

  @Test
  void disksThatAreSlower_wantTheirOwnTime() {
    long bytes = 2 * 10 * setMs() / 1000 * MB / 7;
    Snapshots copies = nodes();
    Snapshots rebuilds = new Snapshots(4, 30 * MB);
    copies.block(bytes, 0);
    rebuilds.block(bytes, 0, 1, 2).rebuiltFrom(3);
    for (int node = 0; node < 4; node++) {
      copies.write(node, 5 * MB);
      rebuilds.write(node, 5 * MB);
    }
    assertEquals(4.0 * setMs(), WidenedHorizon.widen(copies.build()).parameters().horizonMs(), 1);
    assertEquals(4.0 * setMs(), WidenedHorizon.widen(rebuilds.build()).parameters().horizonMs(), 1);
  }

  @Test
  void sizeIsThatWhichAMeanByteLiesIn() {
    Snapshots snapshots = nodes();
    snapshots.block(40 * MB, 0);
    snapshots.block(20 * MB, 0);
    double size = (40.0 * 40 + 20 * 20) / 60;
    assertEquals(Math.max(setMs(), 1000 * 7 * size / 10),
        WidenedHorizon.widen(snapshots.build()).parameters().horizonMs(), 1);
  }

  @Test
  void horizonHasABound() {
    Snapshots snapshots = nodes();
    snapshots.block(100_000 * MB, 0);
    assertEquals(10 * setMs(), WidenedHorizon.widen(snapshots.build()).parameters().horizonMs());
  }

  @Test
  void nothingToDo_leavesTheHorizonAsItIsSet() {
    assertEquals(setMs(), WidenedHorizon.widen(nodes().build()).parameters().horizonMs());
    Snapshots stuck = new Snapshots(2, 0);
    stuck.block(100_000 * MB, 0);
    assertEquals(setMs(), WidenedHorizon.widen(stuck.build()).parameters().horizonMs());
  }
}
