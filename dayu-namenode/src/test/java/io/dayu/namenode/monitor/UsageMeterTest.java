/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.monitor;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.GroupFixture;
import io.dayu.blocks.GroupTransfer;
import io.dayu.blocks.IndexedNode;
import io.dayu.blocks.TransferRequest;
import io.dayu.conf.Settings;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.exchange.NodeLoad.Link;
import io.dayu.namenode.transfers.AgentState;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.namenode.transfers.AttemptFixture;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class UsageMeterTest {
  private static final long MB = 1_000_000;
  private static final long SEC = 1_000_000_000;

  private final UsageMeter meter;

  UsageMeterTest() throws Exception {
    meter = new UsageMeter(Settings.read(new Configuration(false)));
  }

  private static AgentState agent(NodeLoad load) {
    AgentState agent = new AgentState("t", 0);
    agent.load = load;
    return agent;
  }

  /** At 15 MB/s from each of three sources, on a node whose volumes write 20 MB/s and whose network carries 100. */
  @Test
  void rebuildBeforeSlowDisks_isHeldAgainstTheNetwork() {
    GroupTransfer group = new GroupTransfer(GroupFixture.RS_3_2, GroupFixture.GROUP_BYTES, 3,
        List.of(new IndexedNode("n0", 0), new IndexedNode("n1", 1), new IndexedNode("n2", 2)));
    Attempt attempt = AttemptFixture.progressed(AttemptFixture.rebuilding(1,
        new TransferRequest(new BlockKey(GroupFixture.GROUP_ID, 1), GroupFixture.BYTES, 1, "n0", "t", 1, group), 0), 0,
        15 * MB);
    AgentState agent = agent(
        new NodeLoad(new Link(20 * MB, 0), new Link(100 * MB, 0), 1, 8).withNetworkIn(100 * MB));
    for (int second = 0; second < 20; second++) {
      meter.count(List.of(attempt), List.of(agent), 1, second * SEC);
    }
    assertEquals(20, meter.total().nodeSeconds());
    assertEquals(0, meter.total().nodeSecondsAboveAlpha());
    assertEquals(20 * 75 * MB, meter.total().allowedBytes(), MB);
  }

  @Test
  void copyThatFillsTheLink_isAboveAlpha() {
    Attempt attempt = AttemptFixture.progressed(AttemptFixture.running(1,
        new TransferRequest(new BlockKey(1, 1), 100 * MB, 1, "n0", "t", 1)), 0, 19 * MB);
    AgentState agent = agent(
        new NodeLoad(new Link(20 * MB, 0), new Link(100 * MB, 0), 1, 8).withNetworkIn(100 * MB));
    for (int second = 0; second < 20; second++) {
      meter.count(List.of(attempt), List.of(agent), 1, second * SEC);
    }
    assertTrue(meter.total().nodeSecondsAboveAlpha() > 10, meter.total()::toString);
    assertEquals(20 * 15 * MB, meter.total().allowedBytes(), MB);
  }
}
