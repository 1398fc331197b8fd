/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.agents;

import io.dayu.blocks.BlockManagement;
import io.dayu.protocol.DayuProtocolPB;
import io.dayu.protocol.DayuProtos.AgentCommandsProto;
import io.dayu.protocol.DayuProtos.DayuProtocolService;
import io.dayu.protocol.DayuProtos.ReportProto;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.ipc.DeferredResponse;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.ipc.Server;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.thirdparty.protobuf.RpcController;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/**
 * Where agents report: the server side of {@link DayuProtocolPB} on the NameNode's RPC server. It checks the caller and
 * the report, and leaves the rest to {@link ReportResponder}. Thread-safe; called by RPC handlers.
 */
public final class AgentRpcService implements DayuProtocolPB {
  private static final Logger LOG = LoggerFactory.getLogger(AgentRpcService.class);

  /** Agents start a little before their DataNode has registered and sent a heartbeat. */
  private static final int UNREGISTERED_MS = 1_000;
  private static final int DECLINED_MS = 60_000;

  private final BlockManagement blocks;
  private final ReportResponder responder;
  private final CallerCheck callers;
  private final MissingAgentReasons refused;
  private final MissingAgentReasons declined;

  public AgentRpcService(BlockManagement blocks, ReportResponder responder, CallerCheck callers,
      MissingAgentReasons refused, MissingAgentReasons declined) {
    this.blocks = blocks;
    this.responder = responder;
    this.callers = callers;
    this.refused = refused;
    this.declined = declined;
  }

  /** Has the server pass agents' calls to this service. */
  public void addTo(RPC.Server server, Configuration conf) {
    RPC.setProtocolEngine(conf, DayuProtocolPB.class, ProtobufRpcEngine2.class);
    server.addProtocol(RPC.RpcKind.RPC_PROTOCOL_BUFFER, DayuProtocolPB.class,
        DayuProtocolService.newReflectiveBlockingService(this));
  }

  @Override
  public AgentCommandsProto report(RpcController controller, ReportProto report) throws ServiceException {
    long nowNs = System.nanoTime();
    try {
      if (!isOfKnownDataNode(report)) {
        return responder.noCommands(UNREGISTERED_MS);
      }
    } catch (IOException e) {
      throw new ServiceException(e);
    }
    try {
      checkContent(report);
    } catch (IOException e) {
      refused.add(report.getDatanodeUuid(), e.getMessage(), nowNs);
      throw new ServiceException(e);
    }
    if (report.hasDeclined()) {
      declined.add(report.getDatanodeUuid(), report.getDeclined(), nowNs);
      return responder.noCommands(DECLINED_MS);
    }
    LOG.debug("Dayu: report {} of agent {}", report.getReportSequence(), report.getDatanodeUuid());
    CompletableFuture<AgentCommandsProto> answer = responder.receive(report, nowNs);
    if (answer.isDone()) {
      return answer.join();
    }
    DeferredResponse deferred = DeferredResponse.fromCurrentCall();
    answer.whenComplete((commands, e) -> {
      if (e == null) {
        deferred.complete(commands);
      } else {
        deferred.fail(e);
      }
    });
    return AgentCommandsProto.getDefaultInstance();
  }

  /**
   * Whether the DataNode is registered, and its storages are known. After a restart of the NameNode an agent may report
   * before its DataNode's first heartbeat; its transfers could not be adopted yet.
   *
   * @throws IOException if the caller is not this DataNode. Nothing is noted then: a caller could name any DataNode
   */
  private boolean isOfKnownDataNode(ReportProto report) throws IOException {
    if (UserGroupInformation.isSecurityEnabled()) {
      // This check is the first, so that no other caller learns which DataNodes there are.
      callers.checkPrincipal(Server.getRemoteUser());
    }
    String address = blocks.addressOf(report.getDatanodeUuid());
    if (address == null) {
      return false;
    }
    CallerCheck.checkAddress(report.getDatanodeUuid(), address, Server.getRemoteAddress());
    return blocks.knowsStorages(report.getDatanodeUuid());
  }

  private void checkContent(ReportProto report) throws IOException {
    ReportCheck.check(report);
    if (!report.getBlockPoolId().equals(blocks.blockPoolId())) {
      throw new IOException("report for block pool " + report.getBlockPoolId() + ", this NameNode has "
          + blocks.blockPoolId());
    }
  }
}
