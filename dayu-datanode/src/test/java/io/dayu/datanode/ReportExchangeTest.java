/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.protocol.DayuProtos.AgentCommandsProto;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

/** What an agent and one NameNode say to each other, without a thread or a connection. */
class ReportExchangeTest {
  @Test
  void errorWhileObeying_isTriedAgainLessAndLessOften() {
    ReportExchange.Context agent = mock(ReportExchange.Context.class);
    when(agent.granted()).thenThrow(new NoClassDefFoundError("a jar that was replaced"));
    ReportExchange exchange = new ReportExchange(agent, "BP-1", "nn:8020", "1.0", () -> true, new AgentCommandsOrder(),
        Reporter.RPC_TIMEOUT_MS, () -> 0);
    AgentCommandsProto commands = AgentCommandsProto.newBuilder().setProtocolVersion(1).setNamenodeId("nn")
        .setActivation(1).setSequence(1).setAuthoritative(true).setNextReportMs(100).build();
    for (long pauseMs : new long[] {1_000, 2_000, 4_000, 8_000, 10_000, 10_000}) {
      Error error = assertThrows(NoClassDefFoundError.class, () -> exchange.answered(commands, 0, 0));
      assertEquals(pauseMs, exchange.failed(error));
      assertFalse(exchange.isReporting());
    }
  }
}
