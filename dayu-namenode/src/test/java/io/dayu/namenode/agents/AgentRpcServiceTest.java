/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.agents;

import io.dayu.blocks.BlockManagement;
import io.dayu.protocol.DayuProtos.AgentCommandsProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.ipc.Server;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.junit.jupiter.api.Test;

import java.net.InetAddress;
import java.util.concurrent.CompletableFuture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

/** Who may report to a NameNode, which reports are read, and what is noted of the others. */
class AgentRpcServiceTest {
  private final MissingAgentReasons refused = new MissingAgentReasons();
  private final MissingAgentReasons declined = new MissingAgentReasons();
  private final ReportResponder responder = mock(ReportResponder.class);
  private boolean knowsStorages = true;

  private static ReportProto.Builder report(String blockPoolId) {
    return ReportProto.newBuilder().setProtocolVersion(1).setBlockPoolId(blockPoolId).setDatanodeUuid("dn1")
        .setAgentIncarnation(1).setReportSequence(1);
  }

  /** Gives a report to a NameNode of block pool "bp", as a caller with this address. */
  private void call(String callersAddress, ReportProto report) throws Exception {
    BlockManagement blocks = mock(BlockManagement.class);
    when(blocks.addressOf("dn1")).thenReturn("10.0.0.1");
    when(blocks.knowsStorages("dn1")).thenReturn(knowsStorages);
    when(blocks.blockPoolId()).thenReturn("bp");
    AgentRpcService service =
        new AgentRpcService(blocks, responder, new CallerCheck(null), refused, declined);
    InetAddress address = InetAddress.getByName(callersAddress);
    Server.getCurCall().set(new Server.Call(1, 0, null, null, RPC.RpcKind.RPC_PROTOCOL_BUFFER, new byte[0]) {
      @Override
      public InetAddress getHostInetAddress() {
        return address;
      }
    });
    try {
      service.report(null, report);
    } finally {
      Server.getCurCall().remove();
    }
  }

  /** Why a report for a block pool that this NameNode does not have is refused, for a caller with this address. */
  private String refusal(String callersAddress) {
    return assertThrows(ServiceException.class, () -> call(callersAddress, report("other").build())).getMessage();
  }

  @Test
  void reasonOfAPluginThatHasNotStarted_isNoted_butNotFromAnotherCaller() throws Exception {
    ReportProto report = report("bp").setDeclined("bad setting").build();
    assertThrows(ServiceException.class, () -> call("10.0.0.2", report));
    assertNull(declined.reason("dn1", System.nanoTime()));
    call("10.0.0.1", report);
    assertEquals("bad setting", declined.reason("dn1", System.nanoTime()));
    assertNull(refused.reason("dn1", System.nanoTime()));
  }

  @Test
  void reportOfADataNodeThatIsRefused_isNoted() {
    assertTrue(refusal("10.0.0.1").contains("report for block pool other"));
    String reason = refused.reason("dn1", System.nanoTime());
    assertTrue(reason.contains("report for block pool other, this NameNode has bp"), reason);
  }

  @Test
  void reportBeforeTheFirstHeartbeat_isNotRead() throws Exception {
    knowsStorages = false;
    call("10.0.0.1", report("bp").build());
    verify(responder, never()).receive(any(), anyLong());
    verify(responder).noCommands(anyInt());
    assertThrows(ServiceException.class, () -> call("10.0.0.2", report("bp").build()));
    knowsStorages = true;
    when(responder.receive(any(), anyLong()))
        .thenReturn(CompletableFuture.completedFuture(AgentCommandsProto.getDefaultInstance()));
    call("10.0.0.1", report("bp").build());
    verify(responder).receive(any(), anyLong());
  }

  @Test
  void callerThatIsNotTheDataNode_cannotHaveARefusalNoted() {
    assertTrue(refusal("10.0.0.2").contains("DataNode dn1 is not registered from 10.0.0.2"));
    assertNull(refused.reason("dn1", System.nanoTime()));
  }
}
