/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.agents;

import io.dayu.blocks.BlockManagement;
import io.dayu.protocol.DayuProtos.ReportProto;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

/** What is kept of reports that are refused. */
class RefusedReportsTest {
  private final RefusedReports refused = new RefusedReports();

  @Test
  void reason_isKeptForAWhile_untilAReportIsAccepted() {
    refused.add("dn1", "bad principal", 5);
    assertEquals("bad principal", refused.reason("dn1", 5 + RefusedReports.MAX_AGE_NS));
    assertNull(refused.reason("dn1", 6 + RefusedReports.MAX_AGE_NS));
    assertNull(refused.reason("dn2", 5));
    refused.remove("dn1");
    assertNull(refused.reason("dn1", 5));
  }

  @Test
  void agents_areBounded_andLongReasonsAreCut() {
    for (int i = 0; i < RefusedReports.MAX_AGENTS; i++) {
      refused.add("dn" + i, "x".repeat(i == 0 ? 5_000 : 1), 0);
    }
    assertEquals(300, refused.reason("dn0", 0).length());
    refused.add("one more", "x", 1);
    assertNull(refused.reason("one more", 1));
    long laterNs = RefusedReports.MAX_AGE_NS + 1;
    refused.add("one more", "x", laterNs);
    assertEquals("x", refused.reason("one more", laterNs));
    assertNull(refused.reason("dn1", 0), "old ones have made room");
  }

  /** Here is no RPC call, so that no caller has the address of the DataNode. */
  @Test
  void reportThatIsRefused_isNoted() {
    BlockManagement blocks = mock(BlockManagement.class);
    when(blocks.addressOf("dn1")).thenReturn("10.0.0.1");
    AgentRpcService service =
        new AgentRpcService(blocks, mock(ReportResponder.class), new CallerCheck(null), refused);
    ReportProto report = ReportProto.newBuilder().setProtocolVersion(1).setBlockPoolId("bp").setDatanodeUuid("dn1")
        .setAgentIncarnation(1).setReportSequence(1).build();
    assertThrows(ServiceException.class, () -> service.report(null, report));
    String reason = refused.reason("dn1", System.nanoTime());
    assertTrue(reason.contains("DataNode dn1 is not registered from"), reason);
  }
}
