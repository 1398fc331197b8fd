/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.harness.ClusterVerifier;
import io.dayu.harness.DayuCluster;
import io.dayu.protocol.DayuProtocolPB;
import io.dayu.protocol.DayuProtos.AgentCommandsProto;
import io.dayu.protocol.DayuProtos.DayuProtocolService;
import io.dayu.protocol.DayuProtos.ReportProto;
import io.dayu.protocol.OlderProtocol;
import org.apache.hadoop.hdfs.server.namenode.NameNodeAccess;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.ipc.RegisteredProtocol;
import org.apache.hadoop.thirdparty.protobuf.BlockingService;
import org.apache.hadoop.thirdparty.protobuf.Descriptors.MethodDescriptor;
import org.apache.hadoop.thirdparty.protobuf.RpcController;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A NameNode and agents of two versions: their messages lose on the way what the oldest version whose protocol is kept
 * does not know. Whichever end is the older one, neither end sees such a field. The code is the present one at both
 * ends; {@code docs/compatibility.md} says which older jars were tried.
 */
final class MixedVersionsIT {
  private static final int NODES = 6;
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int BLOCK_BYTES = 1 << 20;
  private static final OlderProtocol OLDER = OlderProtocol.of("0f48205");

  /** The UUIDs of the agents where one of both ends is of the older version. */
  private final Set<String> older = ConcurrentHashMap.newKeySet();
  private final AtomicLong reduced = new AtomicLong();
  private DayuCluster cluster;

  @BeforeEach
  void start() throws Exception {
    cluster = FaultsIT.builder().bandwidthBytesPerSec(20 << 20).blockSizeBytes(BLOCK_BYTES).start();
    for (RPC.Server server : NameNodeAccess.rpcServers(cluster.nameNode())) {
      BlockingService service = RegisteredProtocol.of(server, DayuProtocolPB.class);
      server.addProtocol(RPC.RpcKind.RPC_PROTOCOL_BUFFER, DayuProtocolPB.class,
          DayuProtocolService.newReflectiveBlockingService(reducing(service)));
    }
    StatusProbe.awaitDayu(NODES);
    for (int i = 0; i < 4; i++) {
      cluster.write("/f" + i, 2L * BLOCK_BYTES - 1_000 * i - 1, 3);
    }
    new ClusterVerifier(cluster).awaitSettled(LIMIT);
  }

  @AfterEach
  void close() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  private DayuProtocolService.BlockingInterface reducing(BlockingService service) {
    MethodDescriptor method = service.getDescriptorForType().findMethodByName("report");
    return new DayuProtocolService.BlockingInterface() {
      @Override
      public AgentCommandsProto report(RpcController controller, ReportProto report) throws ServiceException {
        if (!older.contains(report.getDatanodeUuid())) {
          return (AgentCommandsProto) service.callBlockingMethod(method, controller, report);
        }
        // A deferred answer does not pass here, so these are answered at once.
        ReportProto sent = OLDER.withoutLaterFields(report).toBuilder().clearMayWaitMs().build();
        reduced.incrementAndGet();
        return OLDER.withoutLaterFields(
            (AgentCommandsProto) service.callBlockingMethod(method, controller, sent));
      }
    };
  }

  /** Has the messages of the DataNodes from {@code first} on reduced, and of no other ones. */
  private void reduceFrom(int first) {
    older.clear();
    for (int node = first; node < NODES; node++) {
      if (cluster.isRunning(node)) {
        older.add(cluster.dataNode(node).getDatanodeUuid());
      }
    }
  }

  private void assertDayuRecovers(int node) throws Exception {
    long before = StatusProbe.status().getTotalFinished();
    int lost = cluster.blocksOn(node).size();
    assertTrue(lost > 0, "node " + node + " has blocks");
    cluster.kill(node);
    new ClusterVerifier(cluster).assertRecovers(LIMIT);
    StatusProbe.await(lost + " transfers finished",
        () -> StatusProbe.status().getTotalFinished() == before + lost);
    assertEquals(0, StatusProbe.status().getTotalHandedToStock());
  }

  /** DataNodes first, as docs/install.md says, or NameNodes first: all agents newer, or older, than the NameNode. */
  @Test
  void olderNameNodeOrOlderAgents_recover_beforeAndInAndAfterAnUpgrade() throws Exception {
    reduceFrom(0);
    assertDayuRecovers(cluster.fullestNode());
    reduceFrom(NODES / 2);
    assertDayuRecovers(cluster.fullestNode());
    assertTrue(reduced.get() > 0, "messages of older agents");
    reduceFrom(NODES);
    assertDayuRecovers(cluster.fullestNode());
  }
}
