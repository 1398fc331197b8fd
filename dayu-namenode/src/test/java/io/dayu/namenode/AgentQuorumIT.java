/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Whether enough DataNodes have an agent for Dayu to recover, on real HDFS; with too few stock HDFS does. */
final class AgentQuorumIT extends StockFallbackFixture {
  @Test
  void noAgentAtAll_stockRecovers() throws Exception {
    cluster = builder().withoutAgents(0, 6).start();
    StatusProbe.awaitState("STOCK");
    write(4);
    cluster.kill(cluster.fullestNode());
    assertRecovered();
    assertEquals(0, StatusProbe.status().getTotalPlanned());
  }

  @Test
  void agentsOnMostNodes_dayuRecoversWithTheOthersAsSources() throws Exception {
    cluster = builder().withoutAgents(4, 6).start();
    StatusProbe.awaitDayu(4);
    write(6);
    // Once node 0 is lost, only nodes without an agent have it.
    String path = "/without-agents";
    cluster.files().write(cluster.fileSystem(), path, 1 << 20, 3, IntStream.of(0, 4, 5)
        .mapToObj(node -> cluster.dataNode(node).getXferAddress()).toArray(InetSocketAddress[]::new));
    long finished = StatusProbe.awaitSettled(cluster);
    long block = cluster.blocksOf(path).get(0).getBlock().getBlockId();
    int lost = cluster.blocksOn(0).size();
    try (TransferLog log = new TransferLog()) {
      cluster.kill(0);
      assertRecovered();
      StatusProbe.await("all finished", () -> StatusProbe.status().getTotalFinished() == finished + lost);
      assertEquals(0, StatusProbe.status().getTotalHandedToStock(), StatusProbe.describe());
      List<TransferLog.Pull> pulls = log.pullsOf(block);
      assertTrue(!pulls.isEmpty() && pulls.stream().allMatch(pull -> cluster.nodeOf(pull.source()) >= 4
          && cluster.nodeOf(pull.target()) < 4), pulls::toString);
    }
  }

  @Test
  void agentsOnTooFewNodes_stockRecoversUntilThereAreEnough() throws Exception {
    cluster = builder().withoutAgents(2, 6).start();
    StatusProbe.awaitState("STOCK");
    write(4);
    cluster.kill(5);
    assertRecovered();
    assertEquals(0, StatusProbe.status().getTotalPlanned(), StatusProbe.describe());
    cluster.kill(4);
    StatusProbe.awaitDayu(2);
    assertTrue(StatusProbe.status().getStateReason().contains("2 of 4"), StatusProbe.describe());
    assertRecovered();
  }

  /**
   * Cuts off the agents of four of six nodes, until stock re-replication resumes; it says for how long it then waits.
   */
  private void loseAgents(int delaySec) throws Exception {
    for (int node = 0; node < 4; node++) {
      cluster.partitionAgent(node);
    }
    StatusProbe.await("stock, for so long", () -> StatusProbe.status().getState().equals("STOCK")
        && StatusProbe.status().getStateReason().contains(
            "Dayu resumes when 4 of 6 have had one for " + delaySec + " s without a break"));
  }

  /** Lets all agents report again and waits until Dayu resumes, not before the delay has passed. */
  private void healAgents(int delaySec) throws Exception {
    long healedNs = System.nanoTime();
    for (int node = 0; node < 4; node++) {
      cluster.healAgent(node);
    }
    StatusProbe.await("Dayu waits for the agents to stay", () -> StatusProbe.status().getStateReason()
        .matches("[4-6] of 6 live DataNodes have an agent; Dayu resumes when .*, in \\d+ s at the earliest"));
    StatusProbe.awaitState("DAYU");
    assertTrue(System.nanoTime() - healedNs >= TimeUnit.SECONDS.toNanos(delaySec), "not before " + delaySec + " s");
  }

  @Tag("slow")
  @Test
  void agentsThatWereLost_mustBeBackForLongerEachTime() throws Exception {
    // Long enough that a slow machine sees the wait.
    cluster = builder().conf("dayu.transfer.lease", "10s").start();
    StatusProbe.awaitDayu(6);
    write(4);
    loseAgents(10);
    healAgents(10);
    loseAgents(20);
    healAgents(20);
    long finished = StatusProbe.awaitSettled(cluster);
    cluster.kill(cluster.fullestNode());
    assertRecovered();
    StatusProbe.await("Dayu recovers again", () -> StatusProbe.status().getTotalFinished() > finished);
  }

}
