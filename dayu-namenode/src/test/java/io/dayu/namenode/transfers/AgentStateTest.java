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
import org.junit.jupiter.api.Test;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;

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
}
