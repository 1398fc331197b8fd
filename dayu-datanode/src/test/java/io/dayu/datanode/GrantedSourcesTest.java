/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.datanode.transfer.NodeShaper;
import io.dayu.datanode.transfer.Poll;
import io.dayu.datanode.transfer.PullCluster;
import io.dayu.datanode.transfer.TransferService;
import io.dayu.datanode.transfer.VolumeShapers;
import io.dayu.protocol.DayuProtos.AgentCommandsProto;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import io.dayu.protocol.DayuProtos.RunningTransferProto;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.mockito.Mockito.withSettings;

/**
 * Which hosts an agent connects to for blocks: the sources that its commands name, if it obeys them, and no others.
 * Real reporters and transfers; the sockets note where they connect to, and fail.
 */
@Timeout(60)
class GrantedSourcesTest {
  private static final String POOL = "BP-1";
  private static final long ATTEMPT = 17;
  private static final int PORT = 9866;

  private final Set<String> connectedTo = ConcurrentHashMap.newKeySet();
  private final DataNodeAccess node = dataNode();
  private final ReportExchange.Context agent = mock(ReportExchange.Context.class, withSettings().stubOnly());
  private final TransferService transfers = new TransferService(node, () -> 16,
      new NodeShaper(PullCluster.settings(), 0, 1L << 40), VolumeShapers.none(), 0, () -> {}).start();
  private final AgentCommandsOrder order = new AgentCommandsOrder();
  private final List<Reporter> reporters = new ArrayList<>();
  private final ScriptedNameNode nameNode = new ScriptedNameNode();

  private static DataNodeAccess dataNode() {
    DataNodeAccess node = mock(DataNodeAccess.class, withSettings().stubOnly());
    when(node.conf()).thenReturn(new Configuration(false));
    return node;
  }

  private final class RecordingSocket extends Socket {
    @Override
    public void connect(SocketAddress endpoint, int timeoutMs) throws IOException {
      InetSocketAddress address = (InetSocketAddress) endpoint;
      connectedTo.add(address.getAddress().getHostAddress() + ":" + address.getPort());
      throw new ConnectException("noted");
    }
  }

  @BeforeEach
  void connect() throws IOException {
    when(node.newSocket()).thenAnswer(call -> new RecordingSocket());
    when(agent.datanodeUuid()).thenReturn("dn-1");
    when(agent.granted()).thenReturn(transfers.granted());
  }

  @AfterEach
  void stop() {
    reporters.forEach(Reporter::stop);
    transfers.close();
  }

  private void start(boolean isActive) {
    Reporter reporter = new Reporter(new ReportExchange(agent, POOL, "nn:8020", "1.0", () -> isActive, order,
        Reporter.RPC_TIMEOUT_MS, System::nanoTime), nameNode);
    reporters.add(reporter);
    reporter.start();
  }

  /** Commands with one grant, of a block on a source with this address. */
  private static AgentCommandsProto.Builder commands(long sequence, String source) {
    GrantProto.Builder grant = ReporterTest.grant(ATTEMPT).toBuilder().setLeaseMs(600_000);
    grant.getSourceBuilder().setIpAddress(source).setTransferPort(PORT);
    return AgentCommandsProto.newBuilder().setProtocolVersion(1).setNamenodeId("nn").setActivation(5)
        .setSequence(sequence).setAuthoritative(true).setNextReportMs(0).addGrants(grant);
  }

  /** Answers a report, and returns the sources of all transfers as the next report has them. */
  private List<String> sourcesAfter(AgentCommandsProto.Builder commands) throws InterruptedException {
    nameNode.answers.add(commands.build());
    ReportProto next = nameNode.next();
    assertEquals(0, next.getFinishedCount());
    return next.getRunningList().stream().map(RunningTransferProto::getSource).map(source -> source.getIpAddress())
        .toList();
  }

  private void awaitConnect(String address) throws Exception {
    Poll.until("it connects to " + address, Duration.ofSeconds(30), () -> connectedTo.contains(address + ":" + PORT),
        () -> connectedTo);
  }

  @Test
  void nameNodeThatIsNotActive_namesNoSource() throws Exception {
    start(false);
    nameNode.next();
    assertEquals(List.of(), sourcesAfter(commands(1, "10.0.0.1")));
    assertEquals(List.of(), sourcesAfter(commands(2, "10.0.0.2")));
    assertEquals(Set.of(), connectedTo);
  }

  @Test
  void activeNameNode_namesTheOnlySources() throws Exception {
    start(true);
    nameNode.next();
    assertEquals(List.of(), sourcesAfter(commands(1, "10.0.0.1").setAuthoritative(false)));
    AgentCommandsProto.Builder outOfBounds = commands(2, "10.0.0.2");
    outOfBounds.getGrantsBuilder(0).setRateBytesPerSec(-1);
    assertEquals(List.of(), sourcesAfter(outOfBounds));
    assertEquals(List.of("10.0.0.4"), sourcesAfter(commands(4, "10.0.0.4")));
    awaitConnect("10.0.0.4");
    assertEquals(List.of("10.0.0.4"), sourcesAfter(commands(3, "10.0.0.3")), "older commands");
    assertEquals(List.of("10.0.0.5"), sourcesAfter(commands(5, "10.0.0.5")));
    awaitConnect("10.0.0.5");
    assertEquals(Set.of("10.0.0.4:9866", "10.0.0.5:9866"), connectedTo);
  }
}
