/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.protocol.DayuProtocolPB;
import io.dayu.protocol.DayuProtos.AgentCommandsProto;
import io.dayu.protocol.DayuProtos.DayuProtocolService;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.hdfs.server.namenode.NameNodeRpcServer;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.thirdparty.protobuf.RpcController;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The NameNode's side of the protocol on a real NameNode's RPC server: hands out what the test grants, keeps what
 * agents report.
 */
final class FakeScheduler implements DayuProtocolPB {
  private final long activation;
  private final Map<String, List<GrantProto>> grants = new HashMap<>();
  private final Map<String, List<ReportProto>> reports = new HashMap<>();
  private long sequence;

  FakeScheduler(NameNode nameNode, long activation) throws IOException {
    this.activation = activation;
    RPC.setProtocolEngine(new org.apache.hadoop.conf.Configuration(false), DayuProtocolPB.class,
        ProtobufRpcEngine2.class);
    RPC.Server server = ((NameNodeRpcServer) nameNode.getRpcServer()).getClientRpcServer();
    server.addProtocol(RPC.RpcKind.RPC_PROTOCOL_BUFFER, DayuProtocolPB.class,
        DayuProtocolService.newReflectiveBlockingService(this));
  }

  @Override
  public synchronized AgentCommandsProto report(RpcController controller, ReportProto report) {
    String node = report.getDatanodeUuid();
    reports.computeIfAbsent(node, uuid -> new ArrayList<>()).add(report);
    AgentCommandsProto.Builder commands = AgentCommandsProto.newBuilder().setProtocolVersion(1).setNamenodeId("fake")
        .setActivation(activation).setSequence(++sequence).setAuthoritative(true).setNextReportMs(200)
        .addAllGrants(grants.getOrDefault(node, List.of()));
    report.getFinishedList().forEach(end -> commands.addAcknowledged(end.getAttempt()));
    return commands.build();
  }

  /** From the returned sequence on, commands for {@code node} carry these grants. */
  synchronized long grant(String node, GrantProto... granted) {
    grants.put(node, List.of(granted));
    return sequence + 1;
  }

  synchronized List<ReportProto> reports(String node) {
    return List.copyOf(reports.getOrDefault(node, List.of()));
  }

  ReportProto last(String node) {
    List<ReportProto> all = reports(node);
    return all.isEmpty() ? ReportProto.getDefaultInstance() : all.get(all.size() - 1);
  }
}
