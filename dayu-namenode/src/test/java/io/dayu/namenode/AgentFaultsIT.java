/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.namenode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.dayu.datanode.DayuDataNodePlugin;
import io.dayu.harness.ClusterBuilder;
import io.dayu.harness.ClusterVerifier;
import io.dayu.harness.DayuCluster;

import org.apache.hadoop.conf.Configurable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.net.StandardSocketFactory;
import org.apache.hadoop.util.ServicePlugin;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** An agent that ends or cannot be reached while it pulls blocks, its DataNode being well: on real HDFS. */
@Timeout(180)
final class AgentFaultsIT {
  private static final Duration LIMIT = Duration.ofSeconds(90);

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

  /** Sockets of one agent's reports, all cut at once when the test says so; HDFS's own are not touched. */
  public static final class CuttableSocketFactory extends StandardSocketFactory implements Configurable {
    private static final String KEY = "hadoop.rpc.socket.factory.class.DayuProtocolPB";
    private static final String NODE = "test.node";
    private static final Map<Integer, Set<Socket>> OPEN = new ConcurrentHashMap<>();
    private static volatile int cutNode = -1;

    private Configuration conf;

    static void cut(int node) throws IOException {
      cutNode = node;
      for (Socket socket : OPEN.remove(node)) {
        socket.close();
      }
    }

    static void heal() {
      cutNode = -1;
      OPEN.clear();
    }

    private int node() {
      return conf.getInt(NODE, -1);
    }

    @Override
    public Socket createSocket() throws IOException {
      if (cutNode == node()) {
        throw new ConnectException("the test has cut the network of this agent");
      }
      Socket socket = super.createSocket();
      OPEN.computeIfAbsent(node(), node -> ConcurrentHashMap.newKeySet()).add(socket);
      return socket;
    }

    @Override
    public void setConf(Configuration newConf) {
      conf = newConf;
    }

    @Override
    public Configuration getConf() {
      return conf;
    }

    /** Equal factories share connections, which those of different agents must not. */
    @Override
    public boolean equals(Object other) {
      return other instanceof CuttableSocketFactory factory && factory.node() == node();
    }

    @Override
    public int hashCode() {
      return node();
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

  private int receivingNode() throws Exception {
    for (int node = 0; node < 6; node++) {
      if (cluster.isRunning(node) && !new ClusterVerifier(cluster).partialReplicas(node).isEmpty()) {
        return node;
      }
    }
    throw new AssertionError("no node receives anything: " + StatusProbe.describe());
  }

  @AfterEach
  void close() throws Exception {
    CuttableSocketFactory.heal();
    StoppableAgent.RUNNING.clear();
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void agentStops_itsTransfersGoToOthers() throws Exception {
    startWith(FaultsIT.builder().conf(DFSConfigKeys.DFS_DATANODE_PLUGINS_KEY, StoppableAgent.class.getName())
        .withoutAgents(0, 6));
    int node = receivingNode();
    StoppableAgent.RUNNING.get(cluster.dataNode(node)).stop();
    assertEquals(0, new ClusterVerifier(cluster).partialReplicas(node).size(), "a stopped agent leaves no partial replica");
    new ClusterVerifier(cluster).assertRecovers(LIMIT);
    StatusProbe.await("the agent is no longer counted", () -> StatusProbe.status().getLiveAgents() == 4);
  }

  @Test
  void agentCutOff_endsItsTransfersItselfAndOthersTakeThem() throws Exception {
    ClusterBuilder builder = FaultsIT.builder().conf(CuttableSocketFactory.KEY, CuttableSocketFactory.class.getName());
    for (int node = 0; node < 6; node++) {
      builder.nodeConf(node, CuttableSocketFactory.NODE, Integer.toString(node));
    }
    startWith(builder);
    CuttableSocketFactory.cut(receivingNode());
    new ClusterVerifier(cluster).assertRecovers(LIMIT);
    CuttableSocketFactory.heal();
    StatusProbe.awaitDayu(5);
    assertTrue(StatusProbe.status().getTotalFinished() > 0, StatusProbe.describe());
  }
}
