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
import io.dayu.conf.Settings;
import io.dayu.namenode.agents.AgentRegistry;
import io.dayu.namenode.planning.TimeslotDecision;
import io.dayu.namenode.status.DayuStatus;
import io.dayu.namenode.transfers.AgentState;
import io.dayu.namenode.transfers.AgentUpdates;
import io.dayu.namenode.transfers.TransferTracker;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.mockito.InOrder;

import java.util.List;
import java.util.Map;
import java.util.function.IntToLongFunction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.mockito.ArgumentMatchers.argThat;
import static org.mockito.Mockito.inOrder;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.spy;

/** In which order a timeslot is published, and how many lines a long recovery logs. */
class StatusPublisherTest {
  private static final TimeslotDecision NOTHING =
      new TimeslotDecision(List.of(), List.of(), List.of(), List.of(), List.of(), 0, 0, 0);

  private final DayuStatus status = spy(new DayuStatus());
  private final StatusPublisher publisher;

  StatusPublisherTest() throws Exception {
    publisher = new StatusPublisher(mock(BlockManagement.class), Settings.read(new Configuration(false)),
        new TransferTracker(new AgentUpdates(new AgentRegistry<>(AgentState::new))), status);
  }

  /** Lines at INFO of so many timeslots, each of which plans a transfer. */
  private long lines(int timeslots, IntToLongFunction planMs) {
    try (InfoLog log = new InfoLog(StatusPublisher.class)) {
      for (int i = 0; i < timeslots; i++) {
        publisher.timeslot(NOTHING, List.of(CommitResult.committed("DS-1", "DISK")), planMs.applyAsLong(i), Map.of(),
            0);
      }
      return log.lines().size();
    }
  }

  /** Else one who polls finds the first timeslot of a recovery with nothing under way. */
  @Test
  void whatIsUnderWay_isPublishedBeforeItsTimeslot() {
    publisher.timeslot(NOTHING, List.of(), 10, Map.of(), 7);
    InOrder order = inOrder(status);
    order.verify(status).progress(argThat(now -> now.liveAgents() == 7));
    order.verify(status).timeslot(argThat(timeslot -> timeslot.number() == 1));
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
