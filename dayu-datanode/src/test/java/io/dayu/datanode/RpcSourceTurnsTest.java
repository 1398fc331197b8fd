/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.datanode.SourceTurns.Answer;
import io.dayu.datanode.SourceTurns.Reply;
import io.dayu.protocol.DayuProtos.AnswerProto;
import io.dayu.protocol.DayuProtos.AskProto;
import io.dayu.protocol.DayuProtos.EndedProto;
import io.dayu.protocol.DayuProtos.EndedResponseProto;
import io.dayu.protocol.DayuProtos.SourceProto;
import io.dayu.protocol.DayuTurnsPB;
import org.apache.hadoop.thirdparty.protobuf.RpcController;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.Closeable;
import java.net.ConnectException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Asking for turns, in front of sources that the test plays. */
@Timeout(60)
class RpcSourceTurnsTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final SourceProto SOURCE = SourceProto.newBuilder().setDatanodeUuid("source").setIpAddress("10.0.0.1")
      .setHostName("source.example").setTransferPort(9866).setIpcPort(9867).build();

  private static final SourceProto OTHER = SOURCE.toBuilder().setDatanodeUuid("other").setIpAddress("10.0.0.2").build();

  private final List<String> askedHosts = new CopyOnWriteArrayList<>();
  private final List<String> endedHosts = new CopyOnWriteArrayList<>();
  private final List<SourceStandings.Address> connected = new CopyOnWriteArrayList<>();
  private final List<AskProto> asked = new CopyOnWriteArrayList<>();
  private final List<EndedProto> ended = new CopyOnWriteArrayList<>();
  private volatile CompletableFuture<Boolean> answer = CompletableFuture.completedFuture(true);
  private volatile CompletableFuture<Boolean> othersAnswer = CompletableFuture.completedFuture(true);
  private volatile CompletableFuture<Void> mayEnd = CompletableFuture.completedFuture(null);
  private final AtomicInteger turnsNamed = new AtomicInteger();
  /** Others are asked as soon as the first one is silent. */
  private final RpcSourceTurns turns = turns(false, 0);
  /** Others are asked after the first one has answered only. */
  private final RpcSourceTurns patient = turns(false, TimeUnit.HOURS.toNanos(1));

  private final class Source implements DayuTurnsPB, Closeable {
    private final String host;

    private Source(String host) {
      this.host = host;
    }

    @Override
    public AnswerProto ask(RpcController controller, AskProto ask) throws ServiceException {
      asked.add(ask);
      askedHosts.add(host);
      try {
        return AnswerProto.newBuilder().setGranted((host.equals(OTHER.getIpAddress()) ? othersAnswer : answer).join()).build();
      } catch (CompletionException e) {
        throw new ServiceException(e.getCause());
      }
    }

    @Override
    public EndedResponseProto ended(RpcController controller, EndedProto end) {
      ended.add(end);
      endedHosts.add(host);
      mayEnd.join();
      return EndedResponseProto.getDefaultInstance();
    }

    @Override
    public void close() {
    }
  }

  private RpcSourceTurns turns(boolean byHostName, long aloneNanos) {
    return new RpcSourceTurns(() -> {
      turnsNamed.incrementAndGet();
      return "asker";
    }, 7, byHostName, address -> {
      connected.add(address);
      return new Source(address.host());
    }, aloneNanos);
  }

  @AfterEach
  void close() {
    mayEnd.complete(null);
    turns.close();
    patient.close();
  }

  private Answer ask(long turn, long bytes) throws InterruptedException {
    return turns.ask(List.of(SOURCE), turn, LinkTurns.Need.AHEAD, -0.25, bytes).answer();
  }

  private static Reply askBoth(RpcSourceTurns turns, long turn) throws InterruptedException {
    return turns.ask(List.of(SOURCE, OTHER), turn, LinkTurns.Need.DUE, 0, 1_000);
  }

  @Test
  void sourceThatAgrees_isTheOnlyOneAsked() throws Exception {
    assertEquals(new Reply(Answer.YES, SOURCE), askBoth(patient, 1));
    assertEquals(List.of(SOURCE.getIpAddress()), askedHosts);
  }

  @Test
  void sourceThatRefuses_isFollowedByTheNext() throws Exception {
    answer = CompletableFuture.completedFuture(false);
    assertEquals(new Reply(Answer.YES, OTHER), askBoth(patient, 1));
    assertEquals(List.of(SOURCE.getIpAddress(), OTHER.getIpAddress()), askedHosts);
    assertEquals(asked.get(0), asked.get(1));
    assertEquals(List.of(), ended);
    othersAnswer = CompletableFuture.completedFuture(false);
    assertEquals(new Reply(Answer.NO, SOURCE), askBoth(patient, 2));
  }

  @Test
  void sourceThatIsSilent_isAskedNoMoreWhenTheNextAgrees() throws Exception {
    CompletableFuture<Boolean> late = new CompletableFuture<>();
    answer = late;
    othersAnswer = new CompletableFuture<>();
    CompletableFuture<Reply> reply = CompletableFuture.supplyAsync(() -> {
      try {
        return askBoth(turns, 1);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    });
    Await.until("both are asked", SOON, () -> askedHosts.size() == 2, () -> askedHosts);
    othersAnswer.complete(true);
    assertEquals(new Reply(Answer.YES, OTHER), reply.get());
    Await.until("the first one has heard", SOON, () -> !ended.isEmpty(), () -> "");
    assertEquals(List.of(SOURCE.getIpAddress()), endedHosts);
    assertEquals(asked.get(0).getTurn(), ended.get(0).getTurn());
    assertEquals(0, ended.get(0).getBytes());
    late.complete(true);
    Await.until("its turn is given back, if it did not hear in time", SOON, () -> ended.size() == 2, () -> ended);
    assertEquals(List.of(SOURCE.getIpAddress(), SOURCE.getIpAddress()), endedHosts);
    answer = CompletableFuture.completedFuture(true);
    assertEquals(Answer.YES, ask(2, 1_000), "its silence is not held against it");
  }

  @Test
  void otherThatIsSilent_doesNotTurnARefusalIntoAnythingElse() throws Exception {
    answer = CompletableFuture.completedFuture(false);
    CompletableFuture<Boolean> late = new CompletableFuture<>();
    othersAnswer = late;
    assertEquals(new Reply(Answer.NO, SOURCE), askBoth(patient, 1));
    assertEquals(new Reply(Answer.NO, SOURCE), askBoth(patient, 2));
    assertEquals(1, Collections.frequency(askedHosts, OTHER.getIpAddress()), "not again before it has answered");
    late.complete(true);
    Await.until("it is told that nobody waits, and that its turn is not used", SOON,
        () -> Collections.frequency(endedHosts, OTHER.getIpAddress()) == 2, () -> endedHosts);
  }

  @Test
  void otherThatIsBeingAskedAnyway_isPassedOver() throws Exception {
    CompletableFuture<Boolean> late = new CompletableFuture<>();
    othersAnswer = late;
    answer = CompletableFuture.completedFuture(false);
    assertEquals(new Reply(Answer.NO, SOURCE), askBoth(patient, 1));
    SourceProto old = SOURCE.toBuilder().clearIpcPort().build();
    SourceProto third = SOURCE.toBuilder().setDatanodeUuid("third").setIpAddress("10.0.0.3").build();
    answer = CompletableFuture.completedFuture(true);
    assertEquals(new Reply(Answer.YES, third), patient.ask(List.of(old, OTHER, third), 2, LinkTurns.Need.DUE, 0, 1));
    late.complete(false);
  }

  @Test
  void firstSourceWithoutAgent_isTheAnswerIfNoOtherAgrees() throws Exception {
    SourceProto old = SOURCE.toBuilder().clearIpcPort().build();
    List<SourceProto> both = List.of(old, OTHER);
    assertEquals(new Reply(Answer.YES, OTHER), patient.ask(both, 1, LinkTurns.Need.DUE, 0, 1));
    othersAnswer = CompletableFuture.completedFuture(false);
    assertEquals(new Reply(Answer.NOBODY, old), patient.ask(both, 2, LinkTurns.Need.DUE, 0, 1));
    othersAnswer = CompletableFuture.failedFuture(new ConnectException("refused"));
    answer = CompletableFuture.completedFuture(false);
    assertEquals(new Reply(Answer.NO, SOURCE), askBoth(patient, 3), "another one is no loss");
  }

  @Test
  void answers_areTheSources() throws Exception {
    assertEquals(Answer.YES, ask(1, 10_000));
    answer = CompletableFuture.completedFuture(false);
    assertEquals(Answer.NO, ask(2, 10_000));
    assertEquals(List.of(new SourceStandings.Address("10.0.0.1", 9867)), connected);
    AskProto first = asked.get(0);
    assertEquals("asker", first.getTurn().getAskerUuid());
    assertEquals(7, first.getTurn().getAskerIncarnation());
    assertEquals(1, first.getTurn().getNumber());
    assertEquals(AskProto.Need.AHEAD, first.getNeed());
    assertEquals(-250, first.getBehindMs());
    assertEquals(10_000, first.getBytes());
    assertTrue(first.getPatienceMs() > 0 && first.getPatienceMs() < RpcSourceTurns.RPC_TIMEOUT_MS);
  }

  @Test
  void end_isTold() throws Exception {
    ask(1, 10_000);
    turns.ended(SOURCE, 1, 9_000);
    Await.until("the source has heard", SOON, () -> !ended.isEmpty(), () -> "");
    assertEquals(asked.get(0).getTurn(), ended.get(0).getTurn());
    assertEquals(9_000, ended.get(0).getBytes());
  }

  @Test
  void sourceWithoutAPort_isNotAsked() throws Exception {
    SourceProto old = SOURCE.toBuilder().clearIpcPort().build();
    assertEquals(Answer.NOBODY, turns.ask(List.of(old), 1, LinkTurns.Need.DUE, 0, 1).answer());
    assertEquals(List.of(), connected);
  }

  @Test
  void sourceThatFails_isNobodyAndNotAskedAgainSoon() throws Exception {
    answer = CompletableFuture.failedFuture(new ConnectException("refused"));
    assertEquals(Answer.NOBODY, ask(1, 1));
    assertEquals(Answer.NOBODY, ask(2, 1));
    assertEquals(1, asked.size());
  }

  @Test
  void sourceThatIsSilent_isNobodyAndGetsTheTurnBackIfItComes() throws Exception {
    CompletableFuture<Boolean> late = new CompletableFuture<>();
    answer = late;
    assertEquals(Answer.NOBODY, ask(1, 1));
    assertEquals(Answer.NOBODY, ask(2, 1));
    assertEquals(1, asked.size());
    late.complete(true);
    Await.until("the turn is given back", SOON, () -> !ended.isEmpty(), () -> "");
    assertEquals(1, ended.get(0).getTurn().getNumber());
    assertEquals(0, ended.get(0).getBytes());
  }

  /** Another source hangs, and every thread for calls with it. */
  private void occupyAllThreads() throws Exception {
    mayEnd = new CompletableFuture<>();
    for (int turn = 0; turn < RpcSourceTurns.MAX_CALLS; turn++) {
      turns.ended(OTHER, turn, 0);
    }
    Await.until("no thread is left", SOON, () -> ended.size() == RpcSourceTurns.MAX_CALLS, ended::size);
  }

  private void awaitYes() throws Exception {
    Await.until("the source is asked again", SOON, () -> {
      Answer answer = ask(turnsNamed.get(), 1);
      assertNotEquals(Answer.NOBODY, answer, "nothing is held against it");
      return answer == Answer.YES;
    }, () -> asked);
  }

  @Test
  void sourceThatNoThreadIsLeftFor_isNotBlamed() throws Exception {
    occupyAllThreads();
    assertEquals(Answer.NO, ask(1, 1));
    assertEquals(Answer.NOBODY, turns.ask(List.of(SOURCE), 2, LinkTurns.Need.OVERDUE, 3, 1).answer(), "who is overdue waits for no thread");
    for (int turn = 0; turn < RpcSourceTurns.MAX_CALLS_WAITING; turn++) {
      turns.ended(OTHER, turn, 0);
    }
    assertEquals(Answer.NO, ask(3, 1), "no room to wait for one");
    assertEquals(List.of(), asked);
    mayEnd.complete(null);
    awaitYes();
  }

  @Test
  void sourceThatWasCalledLate_isNotSilentYet() throws Exception {
    occupyAllThreads();
    answer = new CompletableFuture<>();
    turnsNamed.set(0);
    CompletableFuture<Answer> reply = CompletableFuture.supplyAsync(() -> {
      try {
        return ask(1, 1);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    });
    Await.until("the asker waits", SOON, () -> turnsNamed.get() == 1, () -> "");
    long sinceNanos = System.nanoTime();
    long mostNanos = TimeUnit.MILLISECONDS.toNanos(RpcSourceTurns.RPC_TIMEOUT_MS * 2 / 3);
    Await.until("it has waited for most of its time", SOON, () -> System.nanoTime() - sinceNanos >= mostNanos, () -> "");
    mayEnd.complete(null);
    assertEquals(Answer.NO, reply.get());
    answer.complete(false);
    answer = CompletableFuture.completedFuture(true);
    awaitYes();
  }

  @Test
  void interruptedAsker_endsAtOnceAndGivesTheTurnBackIfItComes() throws Exception {
    CompletableFuture<Boolean> late = new CompletableFuture<>();
    answer = late;
    CompletableFuture<Throwable> end = new CompletableFuture<>();
    Thread asker = new Thread(() -> {
      try {
        ask(1, 1);
        end.complete(null);
      } catch (InterruptedException e) {
        end.complete(e);
      }
    });
    asker.start();
    Await.until("the source is asked", SOON, () -> !asked.isEmpty(), () -> "");
    asker.interrupt();
    assertEquals(InterruptedException.class, end.get().getClass());
    Await.until("the source hears that nobody waits", SOON, () -> ended.size() == 1, () -> ended);
    late.complete(true);
    Await.until("the turn is given back", SOON, () -> ended.size() == 2, () -> ended);
    answer = CompletableFuture.completedFuture(true);
    assertEquals(Answer.YES, ask(2, 1), "the interrupt is not held against the source");
  }

  @Test
  void hostName_isConnectedToWhereTheDataNodeDoesSo() throws Exception {
    try (RpcSourceTurns byName = turns(true, 0)) {
      assertEquals(Answer.YES, byName.ask(List.of(SOURCE), 1, LinkTurns.Need.OVERDUE, 3, 1).answer());
    }
    assertEquals("source.example", connected.get(0).host());
  }
}
