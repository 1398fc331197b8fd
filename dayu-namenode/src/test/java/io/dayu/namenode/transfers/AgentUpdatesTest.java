/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

import io.dayu.blocks.BlockKey;
import io.dayu.namenode.exchange.VerifiedReplica;
import io.dayu.namenode.loop.TransferCoordinatorFixture;
import io.dayu.protocol.DayuProtos.ReportProto;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Which agents get new commands. */
class AgentUpdatesTest extends TransferCoordinatorFixture {
  private static final BlockKey BLOCK = new BlockKey(7, 1001);

  @Test
  void commandsThatCannotBeMade_areWithdrawn_andTriedAgain_andDelayNoOtherAgent() {
    grant();
    assertEquals(1, publish().getGrantsCount());
    Attempt attempt = grant();
    // Then its grant cannot be made.
    attempt.replaceCandidates(null, null);
    AgentState other = agents.register("other", startNs);
    ReportProto first = ReportProto.newBuilder().setProtocolVersion(1).setBlockPoolId("bp").setDatanodeUuid("other")
        .setAgentIncarnation(1).setReportSequence(1).setObeyedActivation(ACTIVATION).setObeyedSequence(0).build();
    other.offer(first, startNs);
    coordinator.read(other, other.takeReport(), startNs);
    assertNull(other.commands());
    coordinator.publish(nodes, startNs);
    assertNull(target.commands(), "the old ones would prolong the lease of what they grant");
    assertEquals(ACTIVATION, other.commands().getActivation());

    attempt.replaceCandidates(List.of("source"), List.of());
    coordinator.publish(nodes, startNs);
    assertEquals(2, target.commands().getGrantsCount());
  }

  @Test
  void replica_isReadByTheAgentOfItsNode_whichIsToldOnce() {
    AgentUpdates updates = new AgentUpdates(agents);
    assertTrue(updates.verify("target", BLOCK, 100));
    assertEquals(List.of("target"), updates.changed());
    updates.published("target");
    assertFalse(updates.verify("target", BLOCK, 100));
    assertEquals(List.of(), updates.changed());
    assertNull(updates.verified("target", BLOCK));
    target.verifications.reported(List.of(new VerifiedReplica(BLOCK, true)));
    assertEquals(true, updates.verified("target", BLOCK));
    target.verifications.reported(List.of(new VerifiedReplica(BLOCK, false)));
    assertEquals(false, updates.verified("target", BLOCK));
    updates.endVerification("target", BLOCK);
    assertEquals(List.of("target"), updates.changed());
    assertNull(updates.verified("target", BLOCK));
    updates.published("target");
    updates.endVerification("target", BLOCK);
    assertEquals(List.of(), updates.changed());
  }

  @Test
  void replica_isNotReadByAnAgentThatIsUnknown_orHasNotReportedYet() {
    AgentUpdates updates = new AgentUpdates(agents);
    agents.register("silent", startNs);
    for (String node : List.of("silent", "unknown")) {
      assertFalse(updates.verify(node, BLOCK, 100));
      assertNull(updates.verified(node, BLOCK));
      updates.endVerification(node, BLOCK);
    }
    assertEquals(List.of(), updates.changed());
  }

  @Test
  void commands_changeOnlyByEnds_whileNothingElseIsNew() {
    AgentUpdates updates = new AgentUpdates(agents);
    updates.ended("target");
    updates.ended("target");
    assertTrue(updates.hasOnlyEnded("target"));
    updates.changed("target");
    updates.ended("target");
    assertFalse(updates.hasOnlyEnded("target"));
    updates.published("target");
    updates.ended("target");
    updates.clear();
    assertEquals(List.of(), updates.changed());
    assertFalse(updates.hasOnlyEnded("target"));
  }
}
