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

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class AgentCommandsOrderTest {
  private final AgentCommandsOrder order = new AgentCommandsOrder();

  private boolean accept(long activation, long sequence, long sentNs, long nowNs) {
    return order.accept(AgentCommandsProto.newBuilder().setProtocolVersion(1).setNamenodeId("nn")
        .setActivation(activation).setSequence(sequence).setAuthoritative(true).setNextReportMs(100).build(), sentNs,
        nowNs);
  }

  @Test
  void withinAnActivation_onlyTheSequenceDecides() {
    assertTrue(accept(100, 2, 10, 20));
    assertTrue(accept(100, 2, 5, 30), "the same again");
    assertFalse(accept(100, 1, 40, 40));
    assertTrue(accept(100, 3, 15, 50));
  }

  @Test
  void activationThatWasLeft_isNeverObeyedAgain() {
    assertTrue(accept(200, 1, 1, 1));
    assertTrue(accept(100, 1, 2, 2), "clocks of NameNodes differ");
    assertFalse(accept(200, 2, 3, 3));
  }

  /** A fresh agent obeys 200, and 100 only then, when its NameNode is active again: as 300. */
  @Test
  void activationThatWasNeverObeyed_isRefused_ifItAnswersAnEarlierReport() {
    assertTrue(accept(200, 1, 20, 21));
    assertFalse(accept(100, 1, 10, 30));
    assertTrue(accept(200, 2, 31, 31));
    assertTrue(accept(300, 1, 40, 41));
    assertFalse(accept(100, 1, 10, 50));
  }
}
