/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.datanode.transfer.ReplicaCheck;
import io.dayu.datanode.transfer.TransferService;
import io.dayu.protocol.DayuProtocolPB;
import io.dayu.protocol.DayuProtos.AgentCommandsProto;
import io.dayu.protocol.DayuProtos.GrantProto;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.Closeable;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.mockito.Mockito.withSettings;

/** The reporters to two NameNodes, one of which takes over from the other while a reporter's thread stands still. */
@Timeout(60)
class ReporterFailoverTest {
  private final BlockingQueue<Long> applied = new LinkedBlockingQueue<>();
  /** The NameNodes that were reported to, by the activations that their commands are of. */
  private final BlockingQueue<Long> reports = new LinkedBlockingQueue<>();
  private final TransferService transfers = mock(TransferService.class);
  private final Reporter.Context agent = mock(Reporter.Context.class);
  private final AgentCommandsOrder order = new AgentCommandsOrder();

  /** A reporter to a NameNode that always answers with these commands. */
  private Reporter reporter(long activation, BooleanSupplier isActive) throws Exception {
    DayuProtocolPB proxy = mock(DayuProtocolPB.class, withSettings().extraInterfaces(Closeable.class).stubOnly());
    AgentCommandsProto commands = AgentCommandsProto.newBuilder().setProtocolVersion(1).setNamenodeId("nn")
        .setActivation(activation).setSequence(1).setAuthoritative(true).setNextReportMs(100)
        .addGrants(ReporterTest.grant(activation)).build();
    when(proxy.report(any(), any())).thenAnswer(call -> {
      reports.add(activation);
      return commands;
    });
    return new Reporter(agent, "BP-1", "nn" + activation + ":8020", "1.0", proxy, isActive, order);
  }

  /** The agent has obeyed neither NameNode before, as when it has just started. */
  @Test
  void nameNodeThatAnotherOneHasReplaced_isNotObeyed_thoughItWasActiveWhenItAnswered() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch goesOn = new CountDownLatch(1);
    AtomicInteger calls = new AtomicInteger();
    when(transfers.status(anyString())).thenReturn(new TransferService.Status(List.of(), List.of(), false));
    doAnswer(call -> applied.add(call.<List<GrantProto>>getArgument(1).get(0).getAttempt())).when(transfers)
        .apply(any(), any(), anyLong());
    when(agent.datanodeUuid()).thenReturn("dn-1");
    // The thread to the NameNode that is replaced stands still as soon as it has asked whether that is active.
    when(agent.transfers()).thenAnswer(call -> {
      if (Thread.currentThread().getName().contains("nn1") && calls.incrementAndGet() == 2) {
        asked.countDown();
        goesOn.await();
      }
      return transfers;
    });
    try (ReplicaCheck check = new ReplicaCheck(block -> {})) {
      when(agent.replicaCheck()).thenReturn(check);
      Reporter before = reporter(1, () -> goesOn.getCount() > 0);
      Reporter after = reporter(2, () -> true);
      before.start();
      asked.await();
      after.start();
      assertEquals(2, applied.poll(30, TimeUnit.SECONDS));
      reports.clear();
      goesOn.countDown();
      while (reports.take() != 1) {
        // Its next report says that the answer to the one before is done with.
      }
      assertFalse(applied.contains(1L));
      before.stop();
      after.stop();
    }
  }
}
