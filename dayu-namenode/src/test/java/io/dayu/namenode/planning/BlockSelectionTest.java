/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.planning;

import io.dayu.blocks.LiveNode;
import io.dayu.blocks.LiveNodeFixture;
import io.dayu.blocks.WaitingBlock;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.model.TimeslotPlan;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.exchange.NodeLoad.Link;
import io.dayu.schedule.Snapshots;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import static io.dayu.blocks.WaitingBlockBuilder.waitingBlock;
import static org.junit.jupiter.api.Assertions.assertEquals;

class BlockSelectionTest {
  private static final int DISK = StorageType.DISK.ordinal();
  private static final long MB = 1_000_000;

  private final List<LiveNode> nodes = new ArrayList<>();
  private final Map<String, NodeLoad> loads = new HashMap<>();

  private void node(String uuid, long foregroundOutBytesPerSec) {
    long[] room = new long[StorageType.values().length];
    room[DISK] = 1L << 40;
    nodes.add(LiveNodeFixture.liveNode(uuid, "10.0.0.1", uuid, 9866, "/r", true, room, new int[room.length]));
    loads.put(uuid, new NodeLoad(new Link(100 * MB, 0), new Link(100 * MB, foregroundOutBytesPerSec), 0, 0));
  }

  @Test
  void source_getsSomewhatMoreThanRecoveryMaySendBesideTheForeground() throws Exception {
    node("idle", 0);
    node("busy", 45 * MB);
    node("target", 0);
    WaitingBlockPool pool = new WaitingBlockPool();
    for (int i = 0; i < 1_000; i++) {
      List<String> holder = List.of(i % 2 == 0 ? "idle" : "busy");
      pool.put(List.of(waitingBlock(i).bytes(MB).on(holder).build()));
    }
    Settings settings = Settings.read(new Configuration(false)).with(Map.of(Setting.TIMESLOT_HORIZON.key(), "2s"));
    int[] selected = new int[2];
    for (WaitingBlock block : new BlockSelection(settings, pool).select(nodes, loads)) {
      selected[block.sources().get(0).equals("idle") ? 0 : 1]++;
    }
    assertEquals("[188, 75]", Arrays.toString(selected), "1.25 times 2 s at 75 and at 30 MB a second");
  }

  /** Here no node has a stream for a further block, so that none has room. */
  @ParameterizedTest
  @CsvSource({"74, false", "75, true"})
  void timeslotThatHasUsedLessThanThreeQuarters_hadNotEnough(long plannedMb, boolean enough) throws Exception {
    BlockSelection selection =
        new BlockSelection(Settings.read(new Configuration(false)), new WaitingBlockPool());
    Snapshots snapshots = new Snapshots(2, 10 * MB).maxIncoming(0, 0).maxIncoming(1, 0);
    snapshots.block(MB, 0);
    TimeslotPlan plan = new TimeslotPlan(new int[0], new int[0], new int[0], new long[0], new int[0], new long[0],
        plannedMb * MB, 100 * MB);
    selection.planned(plan, snapshots.build());
    assertEquals(enough, selection.hadEnough());
  }
}
