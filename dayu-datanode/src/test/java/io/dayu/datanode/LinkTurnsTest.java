/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.datanode.LinkTurns.Ended;
import io.dayu.datanode.LinkTurns.Need;
import io.dayu.protocol.DayuProtos.SourceProto;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A link of 1 MB/s, so of 1,000 bytes a millisecond, with a clock and a meter that go on when the test says so. */
class LinkTurnsTest {
  private static final int PLACES = 4;
  private static final int BYTES = 1_000;
  private static final long LONG_NANOS = TimeUnit.HOURS.toNanos(1);

  /** System.nanoTime() may be negative. */
  private long nowNanos = -TimeUnit.SECONDS.toNanos(3);
  private long metered;
  private int sources;
  /** Turns begin with the answer, as at a source. */
  private final LinkTurns out = newTurns(LinkTurns.MAX_TURNS, true);
  /** Turns begin when the source has agreed, as at a target. */
  private final LinkTurns in = newTurns(PLACES, false);

  private LinkTurns newTurns(int maxPlaces, boolean beginsAtOnce) {
    return new LinkTurns(new LinkWatch(1_000_000, 1), () -> metered, () -> 0.75, maxPlaces, beginsAtOnce, () -> nowNanos);
  }

  /** Time goes on, and so many bytes pass the meter. */
  private void pass(int millis, int bytes) {
    nowNanos += TimeUnit.MILLISECONDS.toNanos(millis);
    metered += bytes;
  }

  private void passAndTick(LinkTurns turns, int millis, int bytes) {
    pass(millis, bytes);
    turns.tick();
  }

  private Wish wish(Need need, double behindSec, int refusals) {
    return atTarget(need, behindSec, true, refusals, "of its own " + sources++);
  }

  private Wish atTarget(Need need, double behindSec, boolean goesOn, int refusals, String... names) {
    List<SourceProto> candidates = Stream.of(names).map(LinkTurnsTest::source).toList();
    return Wish.atTarget(need, behindSec, goesOn, refusals, BYTES, nowNanos + LONG_NANOS, candidates);
  }

  private Wish atSource(Need need, double behindSec) {
    return Wish.atSource(need, behindSec, BYTES, nowNanos + LONG_NANOS);
  }

  private static SourceProto source(String name) {
    return SourceProto.newBuilder().setDatanodeUuid(name).setIpAddress("10.0.0.1").setHostName(name).setTransferPort(9866).build();
  }

  private Wish wished(LinkTurns turns, Need need) {
    Wish wish = turns == out ? atSource(need, 0) : wish(need, 0, 0);
    turns.wish(wish);
    return wish;
  }

  private static boolean isAnswered(Wish wish, boolean answer) {
    return wish.answer.isDone() && wish.answer.join() == answer;
  }

  private static boolean waits(Wish wish) {
    return !wish.answer.isDone();
  }

  /** What comes in is foreground, and the turns have seen it. */
  private void makeBusy(LinkTurns turns) {
    for (int tick = 0; tick < 4; tick++) {
      passAndTick(turns, 5, 0);
    }
    for (int tick = 0; tick < 4; tick++) {
      passAndTick(turns, 5, 5_000);
    }
  }

  @Test
  void idleLink_hasOneTurnAtATimeAndTheNextBeginsWhenItEnds() {
    Wish first = wished(out, Need.DUE);
    Wish second = wished(out, Need.DUE);
    assertTrue(isAnswered(first, true) && waits(second));
    passAndTick(out, 5, BYTES);
    assertTrue(waits(second));
    out.end(first, BYTES);
    assertTrue(isAnswered(second, true));
    assertFalse(out.isIdle());
    out.end(second, 0);
    assertTrue(out.isIdle());
  }

  @Test
  void turnsAtTheTarget_goToTheNeediest_thenToThoseUnderWay_thenToThoseNotRefused_thenToWhoIsFurthestBehind() {
    assertOrder(newTurns(1, false), Map.of("1 overdue, far", wish(Need.OVERDUE, 9, 3), "2 overdue, less", wish(Need.OVERDUE, 8.5, 0),
        "3 due, far behind", wish(Need.DUE, 2, 0), "4 due, a little behind", wish(Need.DUE, 1, 0), "5 due, refused", wish(Need.DUE, 2.9, 1),
        "6 due, refused twice", wish(Need.DUE, 2.99, 2), "7 due, not begun", atTarget(Need.DUE, 5, false, 0, "a"),
        "8 ahead, little", wish(Need.AHEAD, -0.1, 0), "9 ahead, much", wish(Need.AHEAD, -1, 0)));
  }

  @Test
  void turnsAtTheSource_goToTheNeediest_thenToTheLatestWish() {
    Map<String, Wish> wishes = new LinkedHashMap<>();
    wishes.put("5 ahead, first", atSource(Need.AHEAD, -0.1));
    wishes.put("4 due, first", atSource(Need.DUE, 2));
    wishes.put("3 due, later", atSource(Need.DUE, 1));
    wishes.put("2 overdue, a little", atSource(Need.OVERDUE, 8));
    wishes.put("1 overdue, much", atSource(Need.OVERDUE, 9));
    assertOrder(newTurns(1, true), wishes);
  }

  /** Of wishes that all wait for one place. */
  private void assertOrder(LinkTurns turns, Map<String, Wish> wishes) {
    Wish underWay = wish(Need.OVERDUE, 1, 0);
    turns.wish(underWay);
    wishes.values().forEach(turns::wish);
    List<String> order = new ArrayList<>();
    while (order.size() < wishes.size()) {
      pass(1, 0);
      turns.end(underWay, 0);
      List<String> answered = wishes.keySet().stream().filter(name -> !order.contains(name) && isAnswered(wishes.get(name), true)).toList();
      assertEquals(1, answered.size(), answered::toString);
      order.addAll(answered);
      underWay = wishes.get(answered.get(0));
    }
    assertEquals(order.stream().sorted().toList(), order);
  }

  @Test
  void source_isAskedForOneTurnAtATime() {
    Wish first = atTarget(Need.DUE, 3, true, 0, "a", "b");
    Wish second = atTarget(Need.DUE, 2, true, 0, "a", "b");
    Wish third = atTarget(Need.DUE, 1, true, 0, "b", "a");
    Wish fourth = atTarget(Need.DUE, 0, false, 0, "c");
    List.of(first, second, third, fourth).forEach(in::wish);
    assertEquals("a", first.source.getDatanodeUuid());
    assertEquals("b", second.source.getDatanodeUuid(), "the other one that has it");
    assertTrue(waits(third), "both are being asked");
    assertEquals("c", fourth.source.getDatanodeUuid(), "though it comes last");
    assertTrue(in.isWaitedFor());
    in.end(second, 0);
    assertEquals("b", third.source.getDatanodeUuid());
    assertFalse(in.isWaitedFor());
  }

  @Test
  void sourceThatSends_isNotAskedForTheNextTurnBeforeItKnowsOfTheEnd() {
    Wish first = atTarget(Need.DUE, 3, true, 0, "a", "b");
    in.wish(first);
    assertTrue(in.begin(first, source("b")), "it was the other one that promised");
    Wish fromB = atTarget(Need.DUE, 2, true, 0, "b");
    Wish fromA = atTarget(Need.DUE, 1, true, 0, "a");
    pass(1, BYTES);
    List.of(fromB, fromA).forEach(in::wish);
    assertTrue(waits(fromB));
    assertTrue(isAnswered(fromA, true), "by now the link has room for the next turn");
    in.sourceIsFree(first);
    assertTrue(isAnswered(fromB, true));
  }

  @Test
  void turnThatTakesLong_keepsNobodyFromItsSource() {
    Wish first = atTarget(Need.DUE, 3, true, 0, "a");
    Wish second = atTarget(Need.DUE, 2, true, 0, "a");
    in.wish(first);
    assertTrue(in.begin(first, source("a")));
    in.wish(second);
    passAndTick(in, 99, 0);
    assertTrue(waits(second));
    passAndTick(in, 1, 0);
    assertTrue(isAnswered(second, true));
  }

  @Test
  void transferThatWasRefused_asksAnotherSourceFirst() {
    Wish refused = atTarget(Need.DUE, 0, true, 1, "a", "b");
    Wish again = atTarget(Need.DUE, 0, true, 2, "a", "b");
    List.of(refused, again).forEach(in::wish);
    assertEquals("b", refused.source.getDatanodeUuid());
    assertEquals("a", again.source.getDatanodeUuid());
  }

  @Test
  void overdueTransfer_asksItsSourceWhoeverElseDoes() {
    Wish due = atTarget(Need.DUE, 0, true, 0, "a");
    Wish overdue = atTarget(Need.OVERDUE, 8, true, 0, "a");
    Wish another = atTarget(Need.OVERDUE, 8, true, 0, "a");
    List.of(due, overdue, another).forEach(in::wish);
    assertTrue(isAnswered(due, true) && isAnswered(overdue, true));
    assertTrue(waits(another), "but for others like it");
  }

  @Test
  void busyLink_isWaitedFor() {
    makeBusy(out);
    Wish due = wished(out, Need.DUE);
    Wish ahead = wished(out, Need.AHEAD);
    passAndTick(out, 5, 5_000);
    assertTrue(waits(due) && waits(ahead));
    for (int tick = 0; tick < 4; tick++) {
      passAndTick(out, 5, 0);
    }
    assertTrue(isAnswered(due, true));
  }

  @Test
  void foregroundWithoutAPause_isAStreamBesideWhichGrantsAreTakenButNoMore() {
    makeBusy(out);
    Wish second = wished(out, Need.DUE);
    Wish first = wished(out, Need.DUE);
    Wish ahead = wished(out, Need.AHEAD);
    int ticks = 0;
    while (waits(first)) {
      passAndTick(out, 5, 2_000);
      assertTrue(++ticks < 250, "never");
    }
    assertEquals(200, ticks, 10, "a second");
    passAndTick(out, 5, 2_000 + BYTES);
    out.end(first, BYTES);
    assertTrue(isAnswered(second, true), "a turn of ours is no pause of theirs");
    passAndTick(out, 5, 2_000 + BYTES);
    out.end(second, BYTES);
    for (int tick = 0; tick < 20; tick++) {
      passAndTick(out, 5, 2_000);
    }
    assertTrue(waits(ahead));
    for (int tick = 0; tick < 20; tick++) {
      passAndTick(out, 5, 0);
    }
    out.end(ahead, 0);
    makeBusy(out);
    assertTrue(waits(wished(out, Need.DUE)), "there was a pause");
  }

  @Test
  void oldReading_isNotReliedOn() {
    for (int tick = 0; tick < 4; tick++) {
      passAndTick(out, 5, 0);
    }
    pass(5, 5_000);
    assertTrue(waits(wished(out, Need.DUE)), "the meter was read again");
  }

  @Test
  void overdue_waitsForNobodyButOthersLikeIt() {
    makeBusy(out);
    Wish first = wished(out, Need.OVERDUE);
    Wish second = wished(out, Need.OVERDUE);
    assertTrue(isAnswered(first, true) && waits(second));
    passAndTick(out, 5, 5_000);
    assertTrue(waits(second));
    out.end(first, BYTES);
    assertTrue(isAnswered(second, true));
    out.end(second, BYTES);
    assertTrue(waits(wished(out, Need.DUE)));
  }

  @Test
  void overdue_beginsBesideATurnThatIsNot() {
    Wish due = wished(in, Need.DUE);
    Wish overdue = wished(in, Need.OVERDUE);
    Wish other = wished(in, Need.OVERDUE);
    assertTrue(in.begin(due, due.source) && in.begin(overdue, overdue.source));
    assertFalse(in.begin(other, other.source));
  }

  @Test
  void overdue_areServedInTheirOrder_howeverOftenRefused() {
    Wish first = wished(out, Need.OVERDUE);
    Wish refused = wish(Need.OVERDUE, 8, 3);
    Wish other = wish(Need.OVERDUE, 7, 0);
    out.wish(other);
    out.wish(refused);
    out.end(first, BYTES);
    assertTrue(isAnswered(refused, true) && waits(other));
  }

  /** Packets of 3 KB over 60 ms, from a turn of which the link could have carried all in 40 ms, beside foreground. */
  private boolean beginsBesideATurn(int foregroundBytesPerPacket) {
    for (int tick = 0; tick < 4; tick++) {
      passAndTick(in, 5, 0);
    }
    Wish known = Wish.atSource(Need.DUE, 0, 40_000, nowNanos + LONG_NANOS);
    Wish next = wish(Need.DUE, 0, 0);
    in.wish(known);
    in.wish(next);
    assertTrue(in.begin(known, known.source) && isAnswered(next, true));
    for (int packet = 0; packet < 12; packet++) {
      pass(5, 3_000 + foregroundBytesPerPacket);
      in.received(known, 3_000);
      in.tick();
    }
    return in.begin(next, next.source);
  }

  @Test
  void slowTurn_isNoForeground_whereItsBytesAreKnown() {
    assertTrue(beginsBesideATurn(0));
  }

  @Test
  void foregroundBesideATurn_isSeen_whereItsBytesAreKnown() {
    assertFalse(beginsBesideATurn(1_500));
  }

  @Test
  void lostTurn_isCountedAsFarAsItWasReceived() {
    Wish lost = wished(in, Need.DUE);
    assertTrue(in.begin(lost, lost.source));
    in.received(lost, 600);
    passAndTick(in, 5_000, 600);
    assertTrue(in.isIdle());
    assertEquals(600, in.doneBytes());
    in.received(lost, 400);
    in.end(lost, BYTES);
    assertEquals(600, in.doneBytes());
  }

  /** A turn of 20 ms that is said to end 4 ms before it does, and does. */
  private void passTurnEndingSoon() {
    Wish turn = Wish.atSource(Need.DUE, 0, 20_000, nowNanos + LONG_NANOS);
    out.wish(turn);
    assertTrue(isAnswered(turn, true));
    pass(16, 16_000);
    out.endSoon(turn, 20_000);
    passAndTick(out, 2, 2_000);
    passAndTick(out, 2, 2_000);
  }

  @Test
  void lastBytesOfATurnThatEndedSoon_areNoForeground() {
    passAndTick(out, 20, 0);
    for (int turn = 0; turn < 10; turn++) {
      passTurnEndingSoon();
      passAndTick(out, 2, 0);
    }
  }

  @Test
  void foregroundAfterATurnThatEndedSoon_isSeen() {
    passAndTick(out, 20, 0);
    passTurnEndingSoon();
    for (int tick = 0; tick < 8; tick++) {
      passAndTick(out, 2, 1_000);
    }
    assertTrue(waits(wished(out, Need.DUE)));
  }

  private Wish ownTurn(int bytes) {
    Wish turn = Wish.atSource(Need.DUE, 0, bytes, nowNanos + LONG_NANOS);
    out.wish(turn);
    return turn;
  }

  @Test
  void foregroundSeenAtAnEarlyEnd_isNotForgottenWhileLessIsKnown() {
    passAndTick(out, 20, 0);
    Wish first = ownTurn(20_000);
    pass(16, 16_000);
    out.endSoon(first, 20_000);
    Wish second = ownTurn(20_000);
    assertTrue(isAnswered(second, true));
    pass(28, 28_000);
    out.endSoon(second, 20_000);
    Wish third = ownTurn(20_000);
    for (int tick = 0; tick < 6; tick++) {
      assertTrue(waits(third), "tick " + tick);
      passAndTick(out, 3, 2_000);
    }
    passAndTick(out, 20, 0);
    passAndTick(out, 20, 0);
    assertTrue(isAnswered(third, true));
  }

  @Test
  void foregroundBesideShortTurnsThatEndSoon_isSeen() {
    passAndTick(out, 20, 0);
    for (int turn = 0; turn < 30; turn++) {
      Wish own = ownTurn(5_000);
      assertTrue(isAnswered(own, true), "turn " + turn);
      pass(5, turn == 0 ? 4_000 : 5_000);
      out.endSoon(own, 5_000);
    }
    Wish beside = ownTurn(5_000);
    assertTrue(isAnswered(beside, true));
    pass(8, 8_000);
    out.endSoon(beside, 5_000);
    assertTrue(waits(ownTurn(5_000)));
  }

  @Test
  void linkOfATurnThatEndsSoon_isGivenToTheNext() {
    Wish first = wished(out, Need.DUE);
    Wish second = wished(out, Need.DUE);
    out.endSoon(first, BYTES);
    assertTrue(isAnswered(second, true));
    assertEquals(BYTES, out.doneBytes());
  }

  @Test
  void ahead_takesOnlyWhatTheLinkHasRoomFor() {
    for (int turn = 0; turn < 200; turn++) {
      Wish own = Wish.atSource(Need.DUE, 0, 4_000, nowNanos + LONG_NANOS);
      out.wish(own);
      pass(5, 4_000);
      out.end(own, 4_000);
    }
    assertFalse(out.hasRoom(), "80 % of the link were ours");
    Wish ahead = wished(out, Need.AHEAD);
    assertTrue(waits(ahead));
    Wish due = wished(out, Need.DUE);
    assertTrue(isAnswered(due, true), "room is not what those wait for that have not had their grants");
    out.end(due, 0);
    assertTrue(waits(ahead));
    for (int tick = 0; tick < 20; tick++) {
      passAndTick(out, 5, 0);
    }
    assertTrue(out.hasRoom());
    assertTrue(isAnswered(ahead, true));
  }

  @Test
  void wish_isRefusedWhenItsTimeIsOver() {
    makeBusy(out);
    Wish wish = Wish.atSource(Need.DUE, 0, BYTES, nowNanos + TimeUnit.MILLISECONDS.toNanos(10));
    out.wish(wish);
    passAndTick(out, 9, 9_000);
    assertTrue(waits(wish));
    passAndTick(out, 1, 1_000);
    assertTrue(isAnswered(wish, false));
    assertTrue(out.isIdle());
  }

  @Test
  void withdrawnWish_isForgotten() {
    makeBusy(in);
    Wish wish = wished(in, Need.DUE);
    in.withdraw(wish);
    assertTrue(isAnswered(wish, false));
    assertTrue(in.isIdle());
    Wish answered = wished(in, Need.OVERDUE);
    in.withdraw(answered);
    assertTrue(isAnswered(answered, true), "too late");
    in.end(answered, 0);
    assertTrue(in.isIdle());
  }

  @Test
  void places_areMoreThanTurns_andWhoComesTooLateGivesItsPlaceBack() {
    List<Wish> placed = new ArrayList<>();
    for (int place = 0; place < PLACES; place++) {
      placed.add(wished(in, Need.DUE));
      assertTrue(isAnswered(placed.get(place), true));
    }
    Wish next = wished(in, Need.DUE);
    assertTrue(waits(next), "all places are taken");
    assertTrue(in.begin(placed.get(2), placed.get(2).source));
    assertFalse(in.begin(placed.get(1), placed.get(1).source), "a turn is under way");
    in.end(placed.get(2), BYTES);
    assertTrue(isAnswered(next, true));
    assertTrue(in.begin(next, next.source));
    pass(1, BYTES);
    assertTrue(in.begin(placed.get(0), placed.get(0).source), "by now the link has carried what the other one takes, whether or not its end is known");
  }

  @Test
  void promisedTurn_doesNotBeginWhenForegroundHasCome() {
    Wish wish = wished(in, Need.DUE);
    assertTrue(isAnswered(wish, true));
    makeBusy(in);
    assertFalse(in.begin(wish, wish.source));
    assertTrue(in.isIdle(), "the place is free");
    assertEquals(new Ended(0, 0), in.end(wish, 0), "it may be said to have ended, too");
  }

  @Test
  void longTurn_keepsNobodyFromTheirs() {
    wished(out, Need.DUE);
    Wish next = wished(out, Need.DUE);
    passAndTick(out, 99, 0);
    assertTrue(waits(next));
    passAndTick(out, 1, 0);
    assertTrue(isAnswered(next, true));
  }

  @Test
  void lostTurn_isNotCounted() {
    Wish lost = wished(out, Need.DUE);
    passAndTick(out, 4_999, BYTES);
    assertFalse(out.isIdle());
    assertEquals(0, out.doneBytes());
    passAndTick(out, 1, 0);
    assertTrue(out.isIdle());
    out.end(lost, BYTES);
    assertEquals(0, out.doneBytes(), "its bytes pass for foreground: the safe side");
  }

  @Test
  void lostPlace_isNoTurn() {
    Wish late = wished(in, Need.DUE);
    passAndTick(in, 5_000, 0);
    assertTrue(in.isIdle());
    assertFalse(in.begin(late, late.source));
    assertEquals(0, in.doneBytes());
    makeBusy(in);
    assertTrue(waits(wished(in, Need.DUE)), "no turn is taken to be under way that is not");
  }

  @Test
  void endedTurn_saysWhatAllTurnsBroughtMeanwhile() {
    Wish first = wished(in, Need.DUE);
    Wish second = wished(in, Need.DUE);
    assertTrue(in.begin(first, first.source));
    pass(2, 0);
    assertTrue(in.begin(second, second.source), "the link has carried by now what the first takes");
    pass(3, 0);
    assertEquals(new Ended(TimeUnit.MILLISECONDS.toNanos(5), 700), in.end(first, 700));
    pass(4, 0);
    assertEquals(new Ended(TimeUnit.MILLISECONDS.toNanos(7), 1_600), in.end(second, 900));
    assertEquals(1_600, in.doneBytes());
  }

  @Test
  void turnThatBroughtLessThanPlanned_hidesNoForeground() {
    for (int turn = 0; turn < 10; turn++) {
      Wish own = Wish.atSource(Need.DUE, 0, 10_000, nowNanos + LONG_NANOS);
      out.wish(own);
      assertTrue(isAnswered(own, true), "own bytes are no foreground");
      pass(10, 5_000);
      out.end(own, 5_000);
    }
    makeBusy(out);
    assertTrue(waits(wished(out, Need.DUE)));
  }

  @Test
  void forgottenReadings_sayNothing() {
    makeBusy(out);
    out.forget();
    assertTrue(isAnswered(wished(out, Need.DUE), true));
  }
}
