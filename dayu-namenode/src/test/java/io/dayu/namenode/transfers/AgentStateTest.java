/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

import io.dayu.blocks.BlockKey;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.exchange.NodeLoad.Link;
import io.dayu.protocol.DayuProtos.ReportProto;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

/** What is kept of an agent's reports. */
class AgentStateTest {
  private static final NodeLoad LOAD = new NodeLoad(new Link(100, 0), new Link(100, 0), 1, 2);

  private final AgentState agent = new AgentState("a", ClockStart.NS);

  private long disks(NodeLoad reported, long sec) {
    return agent.withRecentDisks(reported, ClockStart.NS + TimeUnit.SECONDS.toNanos(sec)).disksBytesPerSec();
  }

  @Test
  void whatDisksTook_countsForAMinute_afterTheyWereTheLimit() {
    assertEquals(0, disks(LOAD, 0));
    assertEquals(20, disks(LOAD.withDisks(20), 1));
    assertEquals(30, disks(LOAD.withDisks(30), 2));
    assertEquals(30, disks(LOAD, 62));
    assertEquals(0, disks(LOAD, 63));
  }

  @Test
  void agentWaitsForItsDisks_byItsLastReport() {
    assertFalse(agent.waitsForDisks(), "it has not reported");
    agent.reportedLoad = LOAD.withDisks(20);
    assertTrue(agent.waitsForDisks());
    agent.reportedLoad = LOAD;
    assertFalse(agent.waitsForDisks());
  }

  @Test
  void endOfAnActivation_leavesNothingToTellTheAgent() {
    BlockKey block = new BlockKey(7, 1);
    agent.offer(ReportProto.newBuilder().setProtocolVersion(1).setBlockPoolId("bp").setDatanodeUuid("a")
        .setAgentIncarnation(1).setReportSequence(1).build(), ClockStart.NS);
    agent.acknowledged.add(1L);
    agent.suspects.add(block, 100, 1);
    agent.verifications.add(block, 100);
    assertEquals(List.of(1L), agent.acknowledged());
    agent.reset();
    assertNull(agent.takeReport());
    assertEquals(List.of(), agent.acknowledged());
    agent.suspects.forEach((suspect, bytes) -> fail(suspect.toString()));
    agent.verifications.forEach((asked, bytes) -> fail(asked.toString()));
  }
}
