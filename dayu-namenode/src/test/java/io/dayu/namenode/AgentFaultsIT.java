/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.datanode.DayuDataNodePlugin;
import io.dayu.harness.Await;
import io.dayu.harness.ClusterBuilder;
import io.dayu.harness.ClusterVerifier;
import io.dayu.harness.DayuCluster;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.util.ServicePlugin;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** An agent that ends or cannot be reached while it pulls blocks, its DataNode being well: on real HDFS. */
final class AgentFaultsIT {
  private static final Duration LIMIT = Duration.ofSeconds(90);

  private final TransferLog log = new TransferLog();
  private DayuCluster cluster;

  /** The agent, within reach of the test. */
  public static final class StoppableAgent implements ServicePlugin {
    private static final Map<DataNode, StoppableAgent> RUNNING = new ConcurrentHashMap<>();

    private final DayuDataNodePlugin agent = new DayuDataNodePlugin();

    @Override
    public void start(Object service) {
      RUNNING.put((DataNode) service, this);
      agent.start(service);
    }

    @Override
    public void stop() {
      agent.stop();
    }

    @Override
    public void close() {
      agent.stop();
    }
  }

  private void startWith(ClusterBuilder builder) throws Exception {
    cluster = builder.start();
    StatusProbe.awaitDayu(6);
    for (int i = 0; i < 6; i++) {
      cluster.write("/f" + i, (6 << 20) - 1_000L * i - 1, 3);
    }
    cluster.kill(cluster.fullestNode());
    StatusProbe.awaitRunning(1);
  }

  /** A node that receives blocks, and which these are. */
  private record Receiving(int node, Set<Long> blocks) {
  }

  private Receiving awaitReceiving() throws Exception {
    List<Receiving> found = new ArrayList<>();
    Await.until("a node that receives blocks", LIMIT, () -> {
      for (int node = 0; node < 6 && found.isEmpty(); node++) {
        Set<Long> blocks = cluster.isRunning(node) ? partialBlocks(node) : Set.of();
        if (!blocks.isEmpty()) {
          found.add(new Receiving(node, blocks));
        }
      }
      return !found.isEmpty();
    }, StatusProbe::describe);
    return found.get(0);
  }

  /** The blocks that a node has received in part. */
  private Set<Long> partialBlocks(int node) throws Exception {
    return new ClusterVerifier(cluster).partialReplicas(node).stream()
        .map(file -> Long.valueOf(file.getFileName().toString().split("_")[1].replace(".meta", "")))
        .collect(Collectors.toSet());
  }

  /** The node does not finish these blocks, be it that a plan takes them away or that its lease ends; others do. */
  private void awaitOthers(Set<Long> blocks, int node) throws Exception {
    String uuid = cluster.dataNode(node).getDatanodeUuid();
    for (long block : blocks) {
      Await.until("the end of the transfer of " + block, LIMIT,
          () -> Stream.concat(log.cancelled().stream(), log.failed().stream())
              .anyMatch(end -> end.blockId() == block && end.target().equals(uuid)),
          () -> log.cancelled() + ", failed " + log.failed());
      Await.until("another target of " + block, LIMIT,
          () -> log.pullsOf(block).stream().anyMatch(pull -> !pull.target().equals(uuid)), log::pulls);
    }
  }

  @AfterEach
  void close() throws Exception {
    log.close();
    StoppableAgent.RUNNING.clear();
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void agentStops_itsTransfersGoToOthers() throws Exception {
    // A block takes long: none arrives before its agent is stopped.
    startWith(FaultsFixture.slowAtFirst(FaultsIT.builder(), 200_000)
        .conf(DFSConfigKeys.DFS_DATANODE_PLUGINS_KEY, StoppableAgent.class.getName())
        .withoutAgents(0, 6));
    Receiving receiving = awaitReceiving();
    int node = receiving.node();
    StoppableAgent.RUNNING.get(cluster.dataNode(node)).stop();
    assertEquals(0, new ClusterVerifier(cluster).partialReplicas(node).size(),
        "a stopped agent leaves no partial replica");
    awaitOthers(receiving.blocks(), node);
    FaultsFixture.hurry(cluster);
    new ClusterVerifier(cluster).assertRecovers(LIMIT);
    StatusProbe.await("the agent is no longer counted", () -> StatusProbe.status().getLiveAgents() == 4);
  }

  @Test
  void agentCutOff_endsItsTransfersItselfAndOthersTakeThem() throws Exception {
    // A block takes longer than a lease.
    startWith(FaultsFixture.slowAtFirst(FaultsIT.builder(), 200_000));
    Receiving receiving = awaitReceiving();
    int node = receiving.node();
    Set<Long> blocks = receiving.blocks();
    cluster.partitionAgent(node);
    Await.until("the node has removed what it received in part", LIMIT,
        () -> Collections.disjoint(partialBlocks(node), blocks));
    awaitOthers(blocks, node);
    FaultsFixture.hurry(cluster);
    new ClusterVerifier(cluster).assertRecovers(LIMIT);
    cluster.healAgent(node);
    StatusProbe.awaitDayu(5);
    StatusProbe.awaitFinished();
  }
}
