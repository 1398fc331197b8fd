/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.protocol.DayuProtos.AskProto;
import io.dayu.protocol.DayuProtos.AskProto.Need;
import io.dayu.protocol.DayuProtos.EndedProto;
import io.dayu.protocol.DayuProtos.TurnProto;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Wishes for turns on an idle link, where one is under way at a time; nothing ticks but what the test ticks. */
@Timeout(60)
class TurnsDeskTest {
  private static final long LINK = 10_000_000;
  private static final int BYTES = 1000;
  private static final int PATIENT_MS = Integer.MAX_VALUE;

  private final LinkTurns out = new LinkTurns(new LinkWatch(LINK, 1), () -> 0, () -> 0.75, LinkTurns.MAX_TURNS, true);
  private final AtomicInteger wakes = new AtomicInteger();
  private final TurnsDesk desk = new TurnsDesk(out, wakes::incrementAndGet);

  private static AskProto.Builder ask(long number) {
    return AskProto.newBuilder().setTurn(turn(number)).setNeed(Need.DUE).setBehindMs(-5).setBytes(BYTES).setPatienceMs(PATIENT_MS);
  }

  private static TurnProto turn(long number) {
    return TurnProto.newBuilder().setAskerUuid("asker").setAskerIncarnation(1).setNumber(number).build();
  }

  private CompletableFuture<Boolean> wish(long number) throws IOException {
    return desk.wish(ask(number).build());
  }

  private void end(long number, long bytes) throws IOException {
    desk.end(EndedProto.newBuilder().setTurn(turn(number)).setBytes(bytes).build());
  }

  @Test
  void wish_isGrantedAtOnceAndItsBytesAreCountedAtItsEnd() throws IOException {
    assertTrue(wish(1).join());
    assertEquals(1, wakes.get());
    assertEquals(0, out.doneBytes());
    end(1, 900);
    assertEquals(900, out.doneBytes());
    end(1, 900);
    assertEquals(900, out.doneBytes(), "ended before");
  }

  @Test
  void wish_waitsForTheEndOfATurn() throws IOException {
    wish(1);
    CompletableFuture<Boolean> second = wish(2);
    assertFalse(second.isDone());
    end(1, BYTES);
    assertTrue(second.join());
  }

  @Test
  void turnThatEndsSoon_isCountedAndMakesRoom() throws IOException {
    wish(1);
    CompletableFuture<Boolean> second = wish(2);
    desk.end(EndedProto.newBuilder().setTurn(turn(1)).setBytes(BYTES).setSoon(true).build());
    assertTrue(second.join());
    assertEquals(BYTES, out.doneBytes());
  }

  @Test
  void wishOfAnotherIncarnation_isAnotherTurn() throws IOException {
    wish(1);
    CompletableFuture<Boolean> other = desk.wish(ask(1).setTurn(turn(1).toBuilder().setAskerIncarnation(2)).build());
    assertFalse(other.isDone());
    end(1, 700);
    assertEquals(700, out.doneBytes());
    assertTrue(other.join());
  }

  @Test
  void wishThatWasWaitedForTooLong_isRefused() throws IOException {
    wish(1);
    CompletableFuture<Boolean> third = desk.wish(ask(3).setPatienceMs(0).build());
    out.tick();
    assertFalse(third.join());
    end(1, 0);
    end(3, 500);
    assertEquals(0, out.doneBytes(), "not under way");
    assertTrue(wish(5).join());
    end(5, 1L << 40);
    assertEquals(BYTES + TurnsDesk.MOST_BEYOND_BYTES, out.doneBytes(), "nobody takes so much more than asked for");
  }

  @Test
  void wishThatIsEndedWhileItWaits_isRefusedAndTakesNoPlace() throws IOException {
    wish(1);
    CompletableFuture<Boolean> third = wish(3);
    end(3, 0);
    assertFalse(third.join());
    CompletableFuture<Boolean> fourth = wish(4);
    end(1, BYTES);
    assertTrue(fourth.join());
  }

  @Test
  void nonsense_isRefusedWithAClearError() throws IOException {
    assertRefused("bytes = -1", ask(1).setBytes(-1));
    assertRefused("need", ask(1).clearNeed());
    assertThrows(IOException.class, () -> end(1, -1));
    wish(1);
    assertRefused("asked for before", ask(1));
  }

  private void assertRefused(String why, AskProto.Builder ask) {
    String message = assertThrows(IOException.class, () -> desk.wish(ask.build())).getMessage();
    assertTrue(message.contains(why), message);
  }

  @Test
  void close_refusesWhoWaitsAndWhoComes() throws IOException {
    wish(1);
    CompletableFuture<Boolean> third = wish(3);
    desk.close();
    assertFalse(third.join());
    assertRefused("stopping", ask(4));
  }
}
