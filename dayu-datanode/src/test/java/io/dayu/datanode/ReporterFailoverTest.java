/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import com.google.common.util.concurrent.Uninterruptibles;
import io.dayu.datanode.transfer.TransferRegistry;
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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import static org.junit.jupiter.api.Assertions.assertEquals;
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
  private final TransferRegistry transfers = mock(TransferRegistry.class);
  private final ReportExchange.Context agent = mock(ReportExchange.Context.class);
  private final AgentCommandsOrder order = new AgentCommandsOrder();

  /** A reporter to a NameNode that always answers with these commands. */
  private Reporter reporter(long activation, BooleanSupplier isActive) throws Exception {
    DayuProtocolPB proxy = mock(DayuProtocolPB.class, withSettings().extraInterfaces(Closeable.class).stubOnly());
    AgentCommandsProto commands = AgentCommandsProto.newBuilder().setProtocolVersion(1).setNamenodeId("nn")
        .setActivation(activation).setSequence(1).setAuthoritative(true).setNextReportMs(100)
        .addGrants(ReporterTest.grant(activation)).build();
    when(proxy.report(any(), any())).thenReturn(commands);
    return new Reporter(new ReportExchange(agent, "BP-1", "nn" + activation + ":8020", "1.0", isActive, order,
        Reporter.RPC_TIMEOUT_MS, System::nanoTime), proxy);
  }

  private static boolean isBlocked(String nameNode) {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().contains(nameNode) && thread.getState() == Thread.State.BLOCKED);
  }

  @Test
  void commands_areObeyedInTheOrderInWhichTheirNameNodesWereFoundActive() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch goesOn = new CountDownLatch(1);
    when(transfers.status(anyString())).thenReturn(new TransferRegistry.Status(List.of(), List.of(), false));
    doAnswer(call -> applied.add(call.<List<GrantProto>>getArgument(1).get(0).getAttempt())).when(transfers)
        .apply(any(), any(), anyLong());
    when(agent.datanodeUuid()).thenReturn("dn-1");
    when(agent.granted()).thenReturn(transfers);
    // The thread to the NameNode that is replaced stands still as soon as it knows that the one that has answered is
    // active. Before that the question is asked for the report.
    AtomicInteger questions = new AtomicInteger();
    Reporter before = reporter(1, () -> {
      int question = questions.incrementAndGet();
      if (question > 1) {
        asked.countDown();
        Uninterruptibles.awaitUninterruptibly(goesOn);
      }
      return question <= 2;
    });
    Reporter after = reporter(2, () -> true);
    try {
      before.start();
      asked.await();
      after.start();
      while (applied.isEmpty() && !isBlocked("nn2:8020")) {
        Thread.onSpinWait();
      }
      goesOn.countDown();
      assertEquals(1, applied.take());
      assertEquals(2, applied.take());
    } finally {
      goesOn.countDown();
      before.stop();
      after.stop();
    }
  }
}
