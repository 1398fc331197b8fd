/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.protocol.DayuProtos.SourceProto;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Turns against a meter that shows a link full of foreground, or an idle one, as the test says. */
@Timeout(60)
class YieldingTurnsTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final long LINK = 10_000_000;
  /** So little that nothing is overdue for as long as a test runs. */
  private static final long NEVER_NANOS = TimeUnit.HOURS.toNanos(1);
  private static final SourceProto SOURCE = SourceProto.newBuilder().setDatanodeUuid("source").setIpAddress("127.0.0.1")
      .setHostName("localhost").setTransferPort(1).build();

  private final AtomicBoolean givesUp = new AtomicBoolean();
  private final Meter meter = new Meter();
  private final YieldingTurns turns = new YieldingTurns(meter, LINK, 0.75);

  private static final class Meter implements BandwidthMeter {
    private volatile boolean busy;
    private long lastNanos = System.nanoTime();
    private double bytes;

    @Override
    public synchronized Counters read() {
      long nowNanos = System.nanoTime();
      bytes += busy ? LINK * 1e-9 * (nowNanos - lastNanos) : 0;
      lastNanos = nowNanos;
      return new Counters((long) bytes, 0);
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
    return turns.visit(SOURCE, pace, givesUp::get);
  }

  private static CompletableFuture<Boolean> awaited(Turns.Visit visit) {
    return CompletableFuture.supplyAsync(() -> {
      try {
        visit.turnBytes(LINK / 10);
        return visit.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    });
  }

  /** Makes the link busy, in the eyes of the turns too. */
  private void makeBusy() throws Exception {
    meter.busy = true;
    Turns.Visit probe = visit(pace(NEVER_NANOS));
    Await.until("the link is seen to be busy", SOON, () -> {
      CompletableFuture<Boolean> turn = awaited(probe);
      try {
        turn.get(200, TimeUnit.MILLISECONDS);
        probe.ended(0);
        return false;
      } catch (java.util.concurrent.TimeoutException waits) {
        givesUp.set(true);
        assertFalse(turn.get());
        givesUp.set(false);
        return true;
      }
    }, () -> "");
    probe.close();
  }

  @Test
  void idleLink_givesTurnsAtOnceButNotToMoreThanTwo() throws Exception {
    Turns.Visit first = visit(pace(NEVER_NANOS));
    Turns.Visit second = visit(pace(NEVER_NANOS));
    Turns.Visit third = visit(pace(NEVER_NANOS));
    assertTrue(awaited(first).get());
    assertTrue(awaited(second).get());
    long beganNanos = System.nanoTime();
    CompletableFuture<Boolean> waiting = awaited(third);
    first.ended(1000);
    assertTrue(waiting.get());
    second.ended(1000);
    third.ended(1000);
    assertTrue(System.nanoTime() - beganNanos < SOON.toNanos());
  }

  @Test
  void turnThatNeverEnds_keepsNobodyFromTheirs() throws Exception {
    assertTrue(awaited(visit(pace(NEVER_NANOS))).get());
    assertTrue(awaited(visit(pace(NEVER_NANOS))).get());
    assertTrue(awaited(visit(pace(NEVER_NANOS))).get(SOON.toMillis(), TimeUnit.MILLISECONDS));
  }

  @Test
  void busyLink_isWaitedForUntilItIsIdle() throws Exception {
    makeBusy();
    CompletableFuture<Boolean> waiting = awaited(visit(pace(NEVER_NANOS)));
    assertThrows(java.util.concurrent.TimeoutException.class, () -> waiting.get(500, TimeUnit.MILLISECONDS));
    meter.busy = false;
    assertTrue(waiting.get(SOON.toMillis(), TimeUnit.MILLISECONDS));
  }

  @Test
  void overdueTransfer_doesNotWaitForABusyLink() throws Exception {
    makeBusy();
    assertTrue(awaited(visit(pace(TimeUnit.MILLISECONDS.toNanos(300)))).get(SOON.toMillis(), TimeUnit.MILLISECONDS));
  }

  @Test
  void waitingTransfer_canGiveUp() throws Exception {
    makeBusy();
    CompletableFuture<Boolean> waiting = awaited(visit(pace(NEVER_NANOS)));
    givesUp.set(true);
    assertFalse(waiting.get(SOON.toMillis(), TimeUnit.MILLISECONDS));
  }

  @Test
  void waitingTransfer_canBeInterrupted() throws Exception {
    makeBusy();
    Turns.Visit visit = visit(pace(NEVER_NANOS));
    CompletableFuture<Throwable> ended = new CompletableFuture<>();
    Thread thread = new Thread(() -> {
      try {
        visit.turnBytes(LINK);
        visit.await();
        ended.complete(null);
      } catch (InterruptedException e) {
        ended.complete(e);
      }
    });
    thread.start();
    thread.interrupt();
    assertEquals(InterruptedException.class, ended.get(SOON.toMillis(), TimeUnit.MILLISECONDS).getClass());
  }

  @Test
  void turn_isAFewMillisecondsOfTheLinkAndNotMuchOfTheRate() {
    Turns.Visit visit = visit(pace(NEVER_NANOS));
    assertEquals(96 * 1024, visit.turnBytes(LINK), "10 ms of 10 MB/s, in units of 16 KiB");
    assertEquals(16 * 1024, visit.turnBytes(100_000), "0.2 s of 100 KB/s");
    assertEquals(16 * 1024, visit.turnBytes(1), "the least");
  }
}
