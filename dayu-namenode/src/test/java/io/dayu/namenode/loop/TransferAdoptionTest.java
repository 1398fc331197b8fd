/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.CommitResult;
import io.dayu.blocks.PendingCheck;
import io.dayu.blocks.PendingCheck.State;
import io.dayu.namenode.transfers.AgentState;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.LoadProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.Mockito.when;

/** What an agent already runs when this NameNode becomes active is adopted, or not. */
final class TransferAdoptionTest extends TransferCoordinatorFixture {
  @Test
  void transferToAStorageTypeThatOnlyANewerHadoopKnows_isNotAdopted() {
    AgentState newer = agents.register("newer", startNs);
    newer.offer(ReportProto.newBuilder().setProtocolVersion(1).setBlockPoolId("bp").setDatanodeUuid("newer")
        .setAgentIncarnation(3)
        .setReportSequence(1).addRunning(running(9, "source", 40).toBuilder().setStorageType("TAPE")).build(), startNs);
    coordinator.read(newer, newer.takeReport(), startNs);
    assertTrue(newer.adopted);
    assertTrue(tracker.isEmpty());
  }

  @Test
  void runningTransfersOfThePredecessor_areAdoptedWithTheirProgress() {
    when(blocks.adopt(anyList())).thenReturn(List.of(CommitResult.committed("DS-1", "DISK")));
    coordinator.activate(ACTIVATION + 1);
    read(report(0).addRunning(running(99, "source", 60)), startNs);
    Attempt adopted = tracker.all().iterator().next();
    assertEquals(99, adopted.id());
    assertEquals(60, adopted.doneBytes());
    assertEquals(1, status.getTotalAdopted());
    assertEquals(99, publish().getGrants(0).getAttempt());

    read(report(1).addFinished(finished(99, Outcome.DONE)), startNs);
    checks.add(new PendingCheck(State.COMPLETE, List.of()));
    audit(false, startNs + 1);
    assertEquals(100, status.getRecoveredBytes());
    assertEquals(60, status.counters().earlierBytes());
  }

  /** A large cluster has thousands of agents. */
  @Test
  void adoptionFromManyAgents_isOneLineOfTheLog() {
    when(blocks.adopt(anyList())).thenReturn(List.of(CommitResult.committed("DS-1", "DISK")));
    coordinator.activate(ACTIVATION + 1);
    try (InfoLog log = new InfoLog(TransferCoordinator.class)) {
      for (int i = 0; i < 50; i++) {
        AgentState agent = agents.register("agent" + i, startNs);
        agent.offer(ReportProto.newBuilder().setProtocolVersion(1).setBlockPoolId("bp").setDatanodeUuid(agent.uuid)
            .setAgentIncarnation(3).setReportSequence(1).addRunning(running(9, "source", 40)).build(), startNs);
        coordinator.read(agent, agent.takeReport(), startNs);
      }
      coordinator.logAdopted();
      assertEquals(List.of("INFO - Dayu: adopted 50 transfers that 50 agents are running, and 0 not"), log.lines());
    }
  }

  @Test
  void secondTransferOfABlockToTheSameTarget_isNotAdopted() {
    when(blocks.adopt(anyList())).thenAnswer(call -> call.<List<?>>getArgument(0).stream()
        .map(request -> CommitResult.committed("DS-1", "DISK")).toList());
    coordinator.activate(ACTIVATION + 1);
    read(report(0).addRunning(running(99, "source", 60)).addRunning(running(98, "source", 10)), 0);
    assertEquals(List.of(99L), tracker.all().stream().map(attempt -> attempt.id()).toList());
  }

  private Attempt adopted(long rateBytesPerSec) {
    when(blocks.adopt(anyList())).thenReturn(List.of(CommitResult.committed("DS-1", "DISK")));
    coordinator.activate(ACTIVATION + 1);
    LoadProto load = LoadProto.newBuilder().setCapacityInBytesPerSec(100_000_000).setCapacityOutBytesPerSec(100_000_000)
        .setForegroundInBytesPerSec(15_000_000).setForegroundOutBytesPerSec(0).build();
    read(report(0).setLoad(load)
        .addRunning(running(99, "source", 60).toBuilder().setRateBytesPerSec(rateBytesPerSec)), 0);
    return tracker.all().get(0);
  }

  @Test
  void adoptedTransfer_hasARateThatAPlanCouldGiveIt_whateverItsAgentSays() {
    assertEquals(30_000_000, adopted(30_000_000).rateBytesPerSec());
    assertEquals(60_000_000, adopted(1L << 40).rateBytesPerSec(), "alpha of the link less the foreground");
    Attempt slow = adopted(1);
    assertEquals(12_000_000, slow.rateBytesPerSec(), "B_min");
    assertEquals(slow.rateBytesPerSec(), slow.initialRateBytesPerSec());
    assertEquals(12_000_000, publish().getGrants(0).getRateBytesPerSec());
  }

  @Test
  void transferThatIsNotAdopted_isNotGranted() {
    when(blocks.adopt(anyList())).thenReturn(List.of(CommitResult.rejected(CommitResult.Verdict.NOT_NEEDED, "enough")));
    coordinator.activate(ACTIVATION + 1);
    read(report(0).addRunning(running(99, "source", 60)), startNs);
    assertTrue(tracker.isEmpty());
    assertNotNull(publish());
    assertEquals(0, target.commands().getGrantsCount());
  }

  @Test
  void reportOfBeforeTheActivation_saysNothingAboutIt() {
    target.offer(report(0).build(), startNs);
    coordinator.activate(ACTIVATION + 1);
    assertEquals(null, target.takeReport());
    assertFalse(target.adopted);
  }
}
