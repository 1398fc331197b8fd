/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.LiveNode;
import io.dayu.blocks.LiveNodeFixture;
import io.dayu.harness.TestOption;
import org.apache.hadoop.fs.StorageType;
import org.junit.jupiter.api.Test;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** {@link FreeRacks} against a look at each node. */
class FreeRacksTest {
  private static final int RACKS = 12;
  private static final int TYPES = StorageType.values().length;

  private final long seed = TestOption.seed("racks.seed", 1);
  private final Random random = new Random(seed);

  private LiveNode node(int number) {
    long[] room = new long[TYPES];
    for (int type = 0; type < TYPES; type++) {
      room[type] = random.nextInt(8);
    }
    return LiveNodeFixture.liveNode("n" + number, "10.0.0.1", "n" + number, 9866, "/rack" + random.nextInt(RACKS), true,
        room, new int[TYPES]);
  }

  @Test
  void racks_areThoseOfNodesThatHaveRoomAndNoInternalBlock() {
    for (int round = 0; round < 2_000; round++) {
      List<LiveNode> nodes = IntStream.range(0, random.nextInt(40)).mapToObj(this::node).toList();
      FreeRacks.Targets targets = new FreeRacks.Targets(nodes);
      for (int i = 0; i < 5; i++) {
        List<String> holders = new ArrayList<>(List.of("unknown"));
        nodes.stream().filter(node -> random.nextInt(3) == 0).forEach(node -> holders.add(node.uuid()));
        long bytes = 1 + random.nextInt(8);
        StorageType type = StorageType.values()[random.nextInt(TYPES)];
        Set<String> expected = nodes.stream().filter(node -> !holders.contains(node.uuid())
            && node.space().maxVolumeFreeBytes()[type.ordinal()] >= bytes)
            .map(LiveNode::rack).collect(Collectors.toSet());
        FreeRacks free = targets.without(holders, bytes, type);
        Set<String> found = IntStream.range(0, RACKS).mapToObj(rack -> "/rack" + rack).filter(free::contains)
            .collect(Collectors.toSet());
        assertEquals(expected, found, () -> "seed " + seed);
        assertEquals(expected.isEmpty(), free.isEmpty(), () -> "seed " + seed);
        Set<String> others = new HashSet<>(List.of("/rack0", "/rack1", "/elsewhere"));
        assertEquals(expected.stream().filter(rack -> !others.contains(rack)).count(), free.beside(others),
            () -> "seed " + seed);
        int types = random.nextInt(1 << TYPES);
        boolean anyElsewhere = nodes.stream().anyMatch(node -> !holders.contains(node.uuid())
            && !node.rack().equals("/rack0") && IntStream.range(0, TYPES)
                .anyMatch(one -> (types & 1 << one) != 0 && node.space().maxVolumeFreeBytes()[one] >= bytes));
        assertEquals(anyElsewhere, targets.haveRoomBeside(List.of("/rack0"), holders, bytes, types),
            () -> "seed " + seed);
      }
    }
  }

  /** What is asked for under the namesystem lock must not take longer the more nodes there are. */
  @Test
  void nodes_areLookedAt_onlyWhenTargetsAreMade() {
    List<LiveNode> nodes = IntStream.range(0, 40).mapToObj(this::node).toList();
    AtomicInteger looks = new AtomicInteger();
    FreeRacks.Targets targets = new FreeRacks.Targets(new AbstractList<>() {
      @Override
      public LiveNode get(int index) {
        looks.incrementAndGet();
        return nodes.get(index);
      }

      @Override
      public int size() {
        return nodes.size();
      }
    });
    int made = looks.get();
    for (StorageType type : StorageType.values()) {
      targets.without(List.of("n1"), 4, type).beside(List.of("/rack0"));
    }
    assertEquals(made, looks.get(), () -> "seed " + seed);
  }
}
