/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness;

import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.protocolPB.DatanodeProtocolClientSideTranslatorPB;
import org.apache.hadoop.hdfs.server.datanode.BlockReportAccess;
import org.apache.hadoop.hdfs.server.datanode.DataNodeFaultInjector;
import org.apache.hadoop.hdfs.server.protocol.DatanodeCommand;
import org.apache.hadoop.hdfs.server.protocol.DatanodeProtocol;
import org.apache.hadoop.hdfs.server.protocol.HeartbeatResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.mockito.stubbing.Answer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.spy;

/** Block reports that are lost, of which HDFS itself does not send another one for hours. */
@Tag("harness")
final class BlockReportsIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final DataNodeFaultInjector before = DataNodeFaultInjector.get();
  private DayuCluster cluster;

  @BeforeEach
  void start() throws Exception {
    // A DataNode whose reporting thread is held for long stays alive.
    cluster = DayuCluster.builder().dataNodes(2).withoutDayu()
        .conf(DFSConfigKeys.DFS_NAMENODE_HEARTBEAT_RECHECK_INTERVAL_KEY, "60000").start();
  }

  @AfterEach
  void close() throws Exception {
    DataNodeFaultInjector.set(before);
    cluster.close();
  }

  /** Its two threads are only slow: nothing fails, and nothing is dropped. */
  @Test
  void reportForgottenByASecondRegistration_isAskedForAgain() throws Exception {
    SlowRegistration slow = new SlowRegistration();
    DataNodeFaultInjector.set(slow);
    spyOn(0, slow::stub);
    cluster.nameNodes().restartAfterAllBlockReports(LIMIT);
    // The second registration may come only after the report has been seen.
    slow.registrations.await();
    cluster.blockReports().awaitFirst(LIMIT);
    assertEquals("", cluster.blockReports().describeMissing());
  }

  @Test
  void waitInVain_saysWhoHasNotReported_andWhatItDoes() throws Exception {
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    spyOn(1, nameNode -> doAnswer(report -> {
      held.countDown();
      release.await();
      return report.callRealMethod();
    }).when(nameNode).blockReport(any(), any(), any(), any()));
    cluster.mini().restartNameNode(0, false);
    held.await();
    Await.until("a report of node 0, and a registration of node 1 that is over", LIMIT, () -> {
      String missing = cluster.blockReports().describeMissing();
      return !missing.contains("DataNode 0") && missing.contains("thread \"Command processor\" WAITING");
    }, () -> cluster.blockReports().describeMissing());
    String message =
        assertThrows(AssertionError.class, () -> cluster.blockReports().awaitFirst(Duration.ZERO)).getMessage();
    release.countDown();
    assertTrue(message.startsWith("not within 0 ms: all block reports of DataNode 1 to NameNode 0\n"), message);
    assertFalse(message.contains("DataNode 0"), message);
    assertTrue(message.contains("NameNode: registered, alive, last heartbeat "), message);
    assertTrue(message.contains("last full block report never, storages: DS-"), message);
    assertTrue(message.contains(" DISK with 0 reports, stale"), message);
    assertTrue(message.contains("DataNode: {"), message);
    assertTrue(message.contains("BPServiceActor.blockReport("), message);
    assertTrue(message.contains("thread \"Command processor\" WAITING"), message);
    cluster.blockReports().awaitFirst(LIMIT);
  }

  /** How a DataNode's calls of the NameNode are answered. */
  private interface Stubbing {
    void stub(DatanodeProtocolClientSideTranslatorPB nameNode) throws IOException;
  }

  /** Nothing may be called while it is stubbed. */
  private void spyOn(int node, Stubbing stubbing) {
    BlockReportAccess.replaceNameNode(cluster.dataNode(node), cluster.nameNode().getServiceRpcAddress(), nameNode -> {
      DatanodeProtocolClientSideTranslatorPB spy = spy(nameNode);
      try {
        stubbing.stub(spy);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return spy;
    });
  }

  /**
   * A DataNode whose first registration takes longer than a heartbeat, so that the NameNode asks for a second one. That
   * comes when the report has arrived, and the DataNode handles the answer to its report only after it.
   */
  private static final class SlowRegistration extends DataNodeFaultInjector {
    private final CountDownLatch asked = new CountDownLatch(2);
    private final CountDownLatch reported = new CountDownLatch(1);
    private final CountDownLatch registrations = new CountDownLatch(2);
    private volatile Thread commands;

    void stub(DatanodeProtocolClientSideTranslatorPB nameNode) throws IOException {
      doAnswer(heartbeat -> {
        HeartbeatResponse response = (HeartbeatResponse) heartbeat.callRealMethod();
        for (DatanodeCommand command : response.getCommands()) {
          if (command.getAction() == DatanodeProtocol.DNA_REGISTER) {
            asked.countDown();
          }
        }
        return response;
      }).when(nameNode).sendHeartbeat(any(), any(), anyLong(), anyLong(), anyInt(), anyInt(), anyInt(), any(),
          anyBoolean(), any(), any());
      doAnswer(registration -> {
        commands = Thread.currentThread();
        if (registrations.getCount() == 2) {
          asked.await();
        } else {
          reported.await();
        }
        return registration.callRealMethod();
      }).when(nameNode).registerDatanode(any());
      Answer<?> report = invocation -> {
        Object answer = invocation.callRealMethod();
        reported.countDown();
        registrations.await();
        return answer;
      };
      doAnswer(report).when(nameNode).blockReport(any(), any(), any(), any());
    }

    /** Called when a registration is over and the next report is planned. */
    @Override
    public void blockUtilSendFullBlockReport() {
      if (Thread.currentThread() == commands) {
        registrations.countDown();
      }
    }
  }
}
