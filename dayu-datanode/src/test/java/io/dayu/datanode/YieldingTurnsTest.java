/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.datanode.FakeSourceTurns.Asked;
import io.dayu.datanode.FakeSourceTurns.Told;
import io.dayu.datanode.LinkTurns.Need;
import io.dayu.datanode.SourceTurns.Answer;
import io.dayu.protocol.DayuProtos.SourceProto;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Turns against a meter that shows a link full of foreground, or an idle one, and agents of sources that agree or not, as the test says. */
@Timeout(60)
class YieldingTurnsTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final long LINK = 10_000_000;
  private static final long BLOCK = 128 << 20;
  /** So little that nothing is overdue for as long as a test runs. */
  private static final long NEVER_NANOS = TimeUnit.HOURS.toNanos(1);
  private static final SourceProto SOURCE = SourceProto.newBuilder().setDatanodeUuid("source").setIpAddress("127.0.0.1")
      .setHostName("localhost").setTransferPort(1).build();

  private static final SourceProto OTHER = SOURCE.toBuilder().setDatanodeUuid("other").build();

  private final AtomicBoolean givesUp = new AtomicBoolean();
  private final Meter meter = new Meter();
  private FakeSourceTurns agents = new FakeSourceTurns(Answer.YES);
  private YieldingTurns turns = new YieldingTurns(meter, LINK, () -> 0.75, agents);

  private static final class Meter implements BandwidthMeter {
    private boolean busy;
    private long lastNanos = System.nanoTime();
    private double bytes;
    private int readings;

    @Override
    public synchronized Counters read() {
      count();
      readings++;
      return new Counters((long) bytes, 0);
    }

    private void count() {
      long nowNanos = System.nanoTime();
      bytes += busy ? LINK * 1e-9 * (nowNanos - lastNanos) : 0;
      lastNanos = nowNanos;
    }

    synchronized void busy(boolean nowBusy) {
      count();
      busy = nowBusy;
      readings = 0;
    }

    synchronized boolean busy() {
      return busy;
    }

    synchronized int readings() {
      return readings;
    }

    @Override
    public OptionalLong capacityBytesPerSec() {
      return OptionalLong.of(LINK);
    }

    @Override
    public double countedPerBlockByte() {
      return 1;
    }

    @Override
    public String describe() {
      return "of a test";
    }
  }

  /** What sources' agents say, instead of yes. */
  private void agentsSay(Answer then, Answer... first) {
    turns.close();
    agents = new FakeSourceTurns(then, first);
    turns = new YieldingTurns(meter, LINK, () -> 0.75, agents);
  }

  @AfterEach
  void close() {
    turns.close();
  }

  private static Pace pace(long longestDebtNanos) {
    Pace pace = new Pace(longestDebtNanos);
    pace.change(LINK / 10, System.nanoTime());
    pace.connected(System.nanoTime());
    return pace;
  }

  private Turns.Visit visit(Pace pace) {
    Turns.Visit visit = turns.visit(SOURCE, pace, givesUp::get);
    visit.turnBytes(LINK / 10, BLOCK);
    return visit;
  }

  /** A visit that gives up at the second question whether it does. */
  private Turns.Visit visitOfOneTry() {
    AtomicBoolean tried = new AtomicBoolean();
    Turns.Visit visit = turns.visit(SOURCE, pace(NEVER_NANOS), () -> tried.getAndSet(true));
    visit.turnBytes(LINK / 10, BLOCK);
    return visit;
  }

  private static CompletableFuture<Boolean> awaited(Turns.Visit visit) {
    return CompletableFuture.supplyAsync(() -> {
      try {
        return visit.await(List.of()) != null;
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    });
  }

  private static boolean get(CompletableFuture<Boolean> turn) throws Exception {
    return turn.get(SOON.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Foreground comes, and the turns see it; there must be a visit, or nobody looks. */
  private void makeBusy() {
    meter.busy(true);
    try {
      // Both directions are read at least every few milliseconds, so that all readings that count are of a busy link.
      Await.until("the link is seen to be busy", SOON, () -> meter.readings() >= 40, meter::readings);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private Turns.Visit visitOnBusyLink(Pace pace) {
    Turns.Visit visit = visit(pace);
    makeBusy();
    return visit;
  }

  @Test
  void turn_beginsWhenBothEndsAgree() throws Exception {
    Turns.Visit visit = visit(pace(NEVER_NANOS));
    assertEquals(SOURCE, visit.await(List.of()));
    Asked asked = agents.asked().get(0);
    assertEquals(List.of("source"), asked.sources());
    assertEquals(Need.DUE, asked.need());
    assertEquals(245 * 1024, asked.bytes());
    assertEquals(List.of(), agents.told());
    visit.ended(1_000);
    assertEquals(List.of(new Told("source", asked.turn(), 1_000)), agents.told());
    assertEquals(SOURCE, visit.await(List.of()));
    visit.ended(0);
    visit.close();
    assertEquals(2, agents.asked().size());
    assertNotEquals(asked.turn(), agents.asked().get(1).turn());
    assertEquals(List.of(new Told("source", asked.turn(), 1_000), new Told("source", agents.asked().get(1).turn(), 0)), agents.told());
  }

  @Test
  void source_hearsOfTheEndALittleBefore() throws Exception {
    Turns.Visit visit = visit(pace(NEVER_NANOS));
    assertEquals(SOURCE, visit.await(List.of()));
    int bytes = (int) agents.asked().get(0).bytes();
    int lastBytes = (int) (LINK * 4 / 1000);
    visit.received(bytes - lastBytes - 1);
    assertEquals(List.of(), agents.toldSoon());
    visit.received(1);
    Told soon = new Told("source", agents.asked().get(0).turn(), bytes);
    assertEquals(List.of(soon), agents.toldSoon());
    visit.received(lastBytes);
    visit.ended(bytes);
    assertEquals(List.of(soon), agents.toldSoon(), "once");
    assertEquals(List.of(), agents.told(), "nor again at the end");
    assertEquals(SOURCE, visit.await(List.of()));
    visit.received(bytes / 4);
    visit.ended(bytes / 4);
    assertEquals(List.of(soon), agents.toldSoon());
    assertEquals(List.of(new Told("source", agents.asked().get(1).turn(), bytes / 4)), agents.told(), "of another turn, with less than planned");
  }

  @Test
  void source_hearsOfAllBytesOfAPacketThatIsLargerThanTheTurn() throws Exception {
    Turns.Visit visit = visit(pace(NEVER_NANOS));
    assertEquals(SOURCE, visit.await(List.of()));
    visit.received(1 << 20);
    assertEquals(List.of(new Told("source", agents.asked().get(0).turn(), 1 << 20)), agents.toldSoon());
  }

  @Test
  void sourceThatRefuses_isAskedAgain() throws Exception {
    agentsSay(Answer.YES, Answer.NO, Answer.NO);
    Turns.Visit visit = visit(pace(NEVER_NANOS));
    assertEquals(SOURCE, visit.await(List.of()));
    visit.ended(1_000);
    List<Long> numbers = agents.asked().stream().map(Asked::turn).toList();
    assertEquals(3, new HashSet<>(numbers).size(), numbers::toString);
    assertEquals(List.of(new Told("source", numbers.get(2), 1_000)), agents.told());
  }

  @Test
  void sourceThatRefuses_isNotReadFrom() throws Exception {
    agentsSay(Answer.NO);
    assertNull(visitOfOneTry().await(List.of()));
    assertEquals(List.of(), agents.told());
  }

  @Test
  void refusedVisits_takeNobodysTurn() throws Exception {
    agentsSay(Answer.NO);
    for (int visit = 0; visit < 20; visit++) {
      assertNull(visitOfOneTry().await(List.of()));
      assertEquals(visit + 1, agents.asked().size(), "each had a place to ask from");
    }
  }

  @Test
  void overdueTransfer_saysSoToItsSource() throws Exception {
    Pace pace = pace(TimeUnit.MILLISECONDS.toNanos(1));
    Await.until("overdue", SOON, () -> pace.need(System.nanoTime()) == Need.OVERDUE, () -> "");
    assertEquals(SOURCE, visit(pace).await(List.of()));
    assertEquals(Need.OVERDUE, agents.asked().get(0).need());
    assertEquals(0.001, agents.asked().get(0).behindSec(), 1e-9);
  }

  @Test
  void transferThatHasHadItsGrant_takesMoreWhileThereIsRoom() throws Exception {
    Pace pace = pace(NEVER_NANOS);
    pace.received(LINK, System.nanoTime());
    Turns.Visit visit = visit(pace);
    assertEquals(SOURCE, visit.await(List.of()));
    assertEquals(Need.AHEAD, agents.asked().get(0).need());
    assertTrue(agents.asked().get(0).behindSec() < 0);
    assertEquals((long) (0.75 * LINK), visit.bandwidthBytesPerSec(LINK / 10), "no more than recovery may fill");
    visit.ended(0);
    makeBusy();
    Await.until("the link carries more than recovery may fill", SOON, () -> visit.bandwidthBytesPerSec(LINK / 10) == LINK / 20,
        () -> visit.bandwidthBytesPerSec(LINK / 10));
  }

  @Test
  void lastTurn_isAnnouncedWithWhatIsLeft() throws Exception {
    Turns.Visit visit = visit(pace(NEVER_NANOS));
    assertEquals(1_000, visit.turnBytes(LINK / 10, 1_000));
    visit.await(List.of());
    assertEquals(1_000, agents.asked().get(0).bytes());
    visit.received(1_000);
    assertEquals(List.of(new Told("source", agents.asked().get(0).turn(), 1_000)), agents.toldSoon());
    assertEquals(1, visit.turnBytes(LINK / 10, 0), "of an empty block");
  }

  @Test
  void turn_mayBeAnothersWhoHasTheBlock() throws Exception {
    agents.lastPromises(true);
    Turns.Visit visit = visit(pace(NEVER_NANOS));
    assertEquals(OTHER, visit.await(List.of(OTHER)));
    Asked asked = agents.asked().get(0);
    assertEquals(List.of("source", "other"), asked.sources());
    assertTrue(visit.isCountedBySource());
    visit.ended(1_000);
    assertEquals(List.of(new Told("other", asked.turn(), 1_000)), agents.told());
    assertEquals(OTHER, visit.await(List.of(OTHER)));
    visit.received((int) asked.bytes());
    assertEquals(List.of(new Told("other", agents.asked().get(1).turn(), asked.bytes())), agents.toldSoon());
  }

  @Test
  void turn_isLargerThanTheGrantWhereItsGiverIsLikelyToPromiseIt() throws Exception {
    agentsSay(Answer.YES, Answer.YES, Answer.NOBODY);
    agents.lastPromises(true);
    Turns.Visit visit = visit(pace(NEVER_NANOS));
    assertEquals(245 * 1024, visit.turnBytes(10_000, BLOCK), "whoever has not been asked is thought to have an agent");
    assertEquals(OTHER, visit.await(List.of(OTHER)));
    visit.ended(0);
    assertEquals(245 * 1024, visit.turnBytes(10_000, BLOCK), "another one has promised");
    assertEquals(SOURCE, visit.await(List.of(OTHER)));
    visit.ended(0);
    assertEquals(16 * 1024, visit.turnBytes(10_000, BLOCK), "the plan's source has no agent");
    assertEquals(OTHER, visit.await(List.of(OTHER)));
    visit.ended(0);
    assertEquals(16 * 1024, visit.turnBytes(10_000, BLOCK), "nor is it known to have one now");
    assertEquals(16 * 1024, visit(pace(NEVER_NANOS)).turnBytes(10_000, BLOCK), "for another transfer neither");
  }

  @Test
  void transferThatWaitsForASource_isNotForestalledByOthersThatCouldDoWithout() throws Exception {
    CountDownLatch asking = new CountDownLatch(1);
    CountDownLatch mayAnswer = new CountDownLatch(1);
    agents.meanwhile(() -> {
      asking.countDown();
      mayAnswer.await();
    });
    CompletableFuture<Boolean> first = awaited(visit(pace(NEVER_NANOS)));
    asking.await();
    turns.incoming().wish(Wish.atTarget(Need.DUE, 0, true, 0, 1_000, System.nanoTime() + NEVER_NANOS, List.of(SOURCE)));
    assertTrue(turns.incoming().isWaitedFor(), "since its source is being asked");
    Turns.Visit third = visit(pace(NEVER_NANOS));
    CompletableFuture<SourceProto> free = CompletableFuture.supplyAsync(() -> {
      try {
        return third.await(List.of(OTHER));
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    });
    Await.until("the third asks", SOON, () -> agents.asked().size() >= 2, () -> agents.asked());
    assertEquals(List.of("other"), agents.asked().get(1).sources());
    mayAnswer.countDown();
    givesUp.set(true);
    get(first);
    free.get(SOON.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Test
  void otherWithoutAgent_isNotReadFrom() throws Exception {
    agentsSay(Answer.YES, Answer.NO, Answer.NOBODY);
    Turns.Visit visit = visit(pace(NEVER_NANOS));
    assertEquals(SOURCE, visit.await(List.of(OTHER)));
    assertEquals(List.of(List.of("source", "other"), List.of("other", "source"), List.of("source", "other")),
        agents.asked().stream().map(Asked::sources).toList());
    assertTrue(visit.isCountedBySource());
  }

  @Test
  void foregroundThatComesWhileTheSourceIsAsked_isLetPass() throws Exception {
    agents.meanwhile(this::makeBusy);
    assertNull(visitOfOneTry().await(List.of()));
    assertEquals(1, agents.asked().size());
    assertEquals(List.of(new Told("source", agents.asked().get(0).turn(), 0)), agents.told(), "the source need not keep its turn");
  }

  @Test
  void sourceWithoutAgent_isToldNothing() throws Exception {
    agentsSay(Answer.NOBODY);
    Turns.Visit visit = visit(pace(NEVER_NANOS));
    assertEquals(SOURCE, visit.await(List.of()));
    visit.ended(1_000);
    assertEquals(List.of(), agents.told());
  }

  @Test
  void sourceWithoutAgent_isProbedAfterItWasSlow() throws Exception {
    agentsSay(Answer.NOBODY);
    assertEquals(62 * 1024, turnBytesAfterASlowTurn(), "a quarter as large");
  }

  @Test
  void sourceWithAgent_isNotJudgedByItsSpeed() throws Exception {
    assertEquals(245 * 1024, turnBytesAfterASlowTurn());
  }

  private long turnBytesAfterASlowTurn() throws Exception {
    Turns.Visit visit = visit(pace(NEVER_NANOS));
    assertEquals(SOURCE, visit.await(List.of()));
    visit.ended(245 * 1024);
    assertEquals(SOURCE, visit.await(List.of()));
    long beganNanos = System.nanoTime();
    Await.until("the turn is late", SOON, () -> System.nanoTime() - beganNanos > TimeUnit.MILLISECONDS.toNanos(10), () -> "");
    visit.ended(1);
    return visit.turnBytes(LINK / 10, BLOCK);
  }

  @Test
  void turnThatNeverEnds_keepsNobodyFromTheirs() throws Exception {
    assertEquals(SOURCE, visit(pace(NEVER_NANOS)).await(List.of()));
    assertEquals(SOURCE, visit(pace(NEVER_NANOS)).await(List.of()));
    assertTrue(get(awaited(visit(pace(NEVER_NANOS)))));
  }

  @Test
  void busyLink_isWaitedForUntilItIsIdle() throws Exception {
    Turns.Visit visit = visitOnBusyLink(pace(NEVER_NANOS));
    assertNull(visitOfOneTry().await(List.of()));
    assertEquals(List.of(), agents.asked(), "no source is asked for what could not be taken");
    agents.meanwhile(() -> assertFalse(meter.busy()));
    CompletableFuture<Boolean> waiting = awaited(visit);
    meter.busy(false);
    assertTrue(get(waiting));
  }

  @Test
  void overdueTransfer_doesNotWaitForABusyLink() throws Exception {
    assertTrue(get(awaited(visitOnBusyLink(pace(TimeUnit.MILLISECONDS.toNanos(300))))));
  }

  @Test
  void waitingTransfer_canGiveUp() throws Exception {
    CompletableFuture<Boolean> waiting = awaited(visitOnBusyLink(pace(NEVER_NANOS)));
    givesUp.set(true);
    assertFalse(get(waiting));
  }

  @Test
  void waitingTransfer_canBeInterrupted() throws Exception {
    Turns.Visit visit = visitOnBusyLink(pace(NEVER_NANOS));
    CompletableFuture<Throwable> ended = new CompletableFuture<>();
    Thread thread = new Thread(() -> {
      try {
        visit.await(List.of());
        ended.complete(null);
      } catch (InterruptedException e) {
        ended.complete(e);
      }
    });
    thread.start();
    thread.interrupt();
    assertInstanceOf(InterruptedException.class, ended.get(SOON.toMillis(), TimeUnit.MILLISECONDS));
  }

  @Test
  void othersWishes_areAnsweredWithoutAnyVisitHere() throws Exception {
    List<Wish> wishes = new ArrayList<>();
    for (int turn = 0; turn <= LinkTurns.MAX_TURNS; turn++) {
      wishes.add(Wish.atSource(Need.DUE, 0, 1_000, System.nanoTime() + NEVER_NANOS));
      turns.outgoing().wish(wishes.get(turn));
    }
    turns.wake();
    for (Wish wish : wishes) {
      assertTrue(get(wish.answer));
      turns.outgoing().end(wish, 1_000);
    }
    assertEquals(1_000 * wishes.size(), turns.outgoing().doneBytes());
  }

  @Test
  void turn_isAShortTimeOfTheLinkAndNotMuchOfTheRate() throws Exception {
    agentsSay(Answer.NOBODY);
    Turns.Visit visit = visit(pace(NEVER_NANOS));
    visit.turnBytes(LINK, BLOCK);
    assertEquals(SOURCE, visit.await(List.of()));
    visit.ended(0);
    assertEquals(245 * 1024, visit.turnBytes(LINK, BLOCK), "25 ms of 10 MB/s");
    assertEquals(25 * 1024, visit.turnBytes(100_000, BLOCK), "a quarter of a second of 100 KB/s");
    assertEquals(16 * 1024, visit.turnBytes(1, BLOCK), "the least");
  }

  @Test
  void turn_isAsLargeAsTheLinkAllowsOnceTheAgentAnswersAgain() throws Exception {
    agentsSay(Answer.YES, Answer.NOBODY);
    Turns.Visit visit = visit(pace(NEVER_NANOS));
    visit.turnBytes(10_000, BLOCK);
    assertEquals(SOURCE, visit.await(List.of()));
    visit.ended(0);
    assertEquals(16 * 1024, visit.turnBytes(10_000, BLOCK), "it could not be asked");
    assertEquals(SOURCE, visit.await(List.of()));
    visit.ended(0);
    assertEquals(245 * 1024, visit.turnBytes(10_000, BLOCK), "it has promised this one");
  }

  @Test
  void turnsOfABlock_areAlikeAndTheLastNoShortOne() {
    Turns.Visit visit = visit(pace(NEVER_NANOS));
    assertEquals(250 * 1024, visit.turnBytes(LINK, 1000 * 1024), "in four turns, without a short fifth");
    assertEquals(300 * 1024, visit.turnBytes(LINK, 300 * 1024), "at once");
    assertEquals(160 * 1024, visit.turnBytes(LINK, 320 * 1024), "in two halves");
  }
}
