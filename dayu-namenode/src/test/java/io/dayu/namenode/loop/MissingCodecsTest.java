/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.GroupFixture;
import io.dayu.blocks.WaitReason;
import io.dayu.blocks.WaitingBlock;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.exchange.NodeLoad.Link;
import io.dayu.namenode.planning.TimeslotDecision.ForStock;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import static io.dayu.blocks.GroupFixture.GROUP_ID;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class MissingCodecsTest {
  private final MissingCodecs missing = new MissingCodecs();
  private final List<NodeLoad> loads = new ArrayList<>();
  private int reads;

  private List<String> warnings(WaitingBlock... leftOut) {
    return warnings(Stream.of(leftOut).map(block -> new ForStock(block, WaitReason.NO_TARGET)).toList());
  }

  private List<String> warnings(List<ForStock> leftOut) {
    try (InfoLog log = new InfoLog(MissingCodecs.class)) {
      missing.warnOnce(leftOut, () -> loads);
      return log.lines();
    }
  }

  private static NodeLoad load(String... codecs) {
    return new NodeLoad(new Link(1, 0), new Link(1, 0), 1, 1).withCodecs(Set.of(codecs));
  }

  @Test
  void codecThatNoDataNodeHas_isNamedOnce_withAGroup() {
    WaitingBlock group = GroupFixture.lost(GroupFixture.LRC_3_2, GROUP_ID, 1, 2);
    loads.add(load("rs"));
    List<String> lines = warnings(GroupFixture.lost(GROUP_ID + 16, 1, 2), group);
    assertEquals(1, lines.size(), lines::toString);
    assertTrue(lines.get(0).startsWith("WARN - Dayu: group " + group.key() + " (LRC-3-2-1k)")
        && lines.get(0).contains("0 of 1 agents that can rebuild name the codec lrc; add its jar"), lines::toString);
    assertEquals(List.of(), warnings(group));
    missing.clear();
    assertEquals(1, warnings(group).size(), "at the next activation");
  }

  @Test
  void groupThatIsLeftOutForAnotherReason_isNotNamed() {
    loads.add(load());
    WaitingBlock group = GroupFixture.lost(GroupFixture.LRC_3_2, GROUP_ID, 1, 2);
    assertEquals(List.of(), warnings(group), "no agent can rebuild at all");
    loads.add(load("rs"));
    assertEquals(List.of(), warnings(GroupFixture.leaving(GroupFixture.LRC_3_2, GROUP_ID, 1, 2)), "it is copied");
    assertEquals(List.of(), warnings(List.of(new ForStock(group, WaitReason.COPIES_FAILED))), "it had a target");
    loads.clear();
    loads.add(load("rs", "lrc"));
    assertEquals(List.of(), warnings(group), "all have it");
  }

  @Test
  void codecThatOnlyNodesWithoutRoomForTheGroupHave_isNamed() {
    loads.add(load("rs"));
    loads.add(load("rs", "lrc"));
    List<String> lines = warnings(GroupFixture.lost(GroupFixture.LRC_3_2, GROUP_ID, 1, 2));
    assertTrue(lines.size() == 1 && lines.get(0).contains("1 of 2 agents that can rebuild name the codec lrc"),
        lines::toString);
  }

  @Test
  void loads_areReadOnceForAllThatIsLeftOut() {
    loads.add(load("rs"));
    List<ForStock> leftOut = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      leftOut.add(new ForStock(GroupFixture.lost(GROUP_ID + 16L * i, 1, 2), WaitReason.NO_TARGET));
    }
    leftOut.add(new ForStock(GroupFixture.lost(GroupFixture.LRC_3_2, GROUP_ID + 1_600, 1, 2), WaitReason.NO_TARGET));
    missing.warnOnce(leftOut, this::countedLoads);
    assertEquals(1, reads);
  }

  private List<NodeLoad> countedLoads() {
    reads++;
    return loads;
  }
}
