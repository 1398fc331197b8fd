/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.BlockManagement;
import io.dayu.blocks.CommitResult;
import io.dayu.blocks.TransferRequest;
import io.dayu.blocks.WaitingBlock;
import io.dayu.conf.Settings;
import io.dayu.namenode.agents.AgentRegistry;
import io.dayu.namenode.planning.TimeslotDecision;
import io.dayu.namenode.status.DayuStatus;
import io.dayu.namenode.status.FailureCause;
import io.dayu.namenode.transfers.AgentState;
import io.dayu.namenode.transfers.AgentUpdates;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.namenode.transfers.AttemptFixture;
import io.dayu.namenode.transfers.EndedTransfer;
import io.dayu.namenode.transfers.TransferTracker;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.mockito.InOrder;

import java.util.List;
import java.util.function.IntToLongFunction;

import static io.dayu.blocks.WaitingBlockBuilder.waitingBlock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.argThat;
import static org.mockito.Mockito.inOrder;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.spy;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

/** In which order a timeslot is published, and how many lines a long recovery logs. */
class StatusPublisherTest {
  private static final TimeslotDecision NOTHING =
      new TimeslotDecision(List.of(), List.of(), List.of(), List.of(), List.of(), 0, 0, 0);

  private final DayuStatus status = spy(new DayuStatus());
  private final BlockManagement blocks = mock(BlockManagement.class);
  private final TransferTracker tracker = new TransferTracker(new AgentUpdates(new AgentRegistry<>(AgentState::new)));
  private final StatusPublisher publisher;

  StatusPublisherTest() throws Exception {
    publisher = new StatusPublisher(blocks, Settings.read(new Configuration(false)), tracker, status);
  }

  /** Lines at INFO of so many timeslots, each of which plans a transfer. */
  private long lines(int timeslots, IntToLongFunction planMs) {
    try (InfoLog log = new InfoLog(StatusPublisher.class)) {
      for (int i = 0; i < timeslots; i++) {
        publisher.timeslot(NOTHING, List.of(CommitResult.committed("DS-1", "DISK")), planMs.applyAsLong(i), 0);
      }
      return log.lines().size();
    }
  }

  /** Else one who polls finds the first timeslot of a recovery with nothing under way. */
  @Test
  void whatIsUnderWay_isPublishedBeforeItsTimeslot() {
    publisher.timeslot(NOTHING, List.of(), 10, 7);
    InOrder order = inOrder(status);
    order.verify(status).progress(argThat(now -> now.liveAgents() == 7));
    order.verify(status).timeslot(argThat(timeslot -> timeslot.number() == 1));
  }

  @Test
  void transfer_isDescribedByTheNamesOfItsNodes() {
    WaitingBlock block = waitingBlock(1).bytes(100).on("dead").build();
    tracker.grant(new TransferRequest(block.key(), 100, 0, "dead", "live", 4), block,
        CommitResult.committed("DS-1", "DISK"), 10, 0);
    when(blocks.nameOf("dead")).thenReturn("dn2:9866");
    when(blocks.nameOf("live")).thenReturn("dn1:9866");
    publisher.progress(1);
    verify(status).progress(argThat(now -> now.transfers()
        .equals(List.of("blk_1_1 from dn2:9866 to dn1:9866: 0 of 100 bytes at 0 of 10 bytes/s"))));
  }

  @Test
  void failedTransfersThatAwaitADeletion_areCountedInTheLineOfTheTimeslot() {
    TransferRequest request = new TransferRequest(waitingBlock(1).build().key(), 100, 0, "a", "b", 4);
    Attempt attempt = AttemptFixture.running(1, request);
    publisher.ended(List.of(failed(attempt, FailureCause.DELETION), failed(attempt, FailureCause.TARGET)));
    assertTrue(line().contains(", failed 2, of which 1 await a deletion, running 0, "));
    publisher.ended(List.of(failed(attempt, FailureCause.TARGET)));
    assertTrue(line().contains(", failed 1, running 0, "));
  }

  private static EndedTransfer failed(Attempt attempt, FailureCause cause) {
    return new EndedTransfer(attempt, EndedTransfer.Result.FAILED, cause, "", false);
  }

  /** That of a timeslot which plans a transfer. */
  private String line() {
    try (InfoLog log = new InfoLog(StatusPublisher.class)) {
      publisher.timeslot(NOTHING, List.of(CommitResult.committed("DS-1", "DISK")), 10, 0);
      return log.lines().get(0);
    }
  }

  @Test
  void longRecovery_logsOneOfThirtyTimeslots() {
    assertEquals(30 + 9, lines(300, timeslot -> 10));
  }

  @Test
  void timeslotsThatAllTakeTooLong_areLoggedAsRarely_butOneAmongOthersAlways() {
    assertEquals(30 + 9 + 1, lines(300, timeslot -> timeslot < 100 ? 10 : 1_500));
  }
}
