/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.BlockManagement;
import io.dayu.namenode.status.DayuStatus;
import io.dayu.namenode.transfers.ClockStart;
import io.dayu.protocol.DayuProtos.ReportProto;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

/** Errors in the middle of the recovery: stock HDFS recovers soon after each, and Dayu once they are over. */
class RecoveryErrorsTest extends RecoveryControllerFixture {
  private static final long TICK_NS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long WATCH_NS = TimeUnit.SECONDS.toNanos(3);
  private static final long MAX_SUSPENDED_NS = TimeUnit.SECONDS.toNanos(30);
  private static final int MULTIPLIER = 2;

  /** What fails with an error. */
  private enum Place {
    STATE(0L, blocks -> blocks.lastTransitionMs()),
    NODES(List.of(node("target")), blocks -> blocks.liveNodes()),
    CHECK(List.of(), blocks -> blocks.check(anyList())),
    STOCK_RECONSTRUCTIONS(List.of(), blocks -> blocks.stockReconstructions()),
    READ_HIGHEST_RISK(List.of(), blocks -> blocks.readHighestRisk(anyInt())),
    READ_NEXT(true, blocks -> blocks.readNext(anyList())),
    COMMIT(List.of(), blocks -> blocks.commit(anyList(), any())),
    WAITING_BLOCKS(5L, blocks -> blocks.waitingBlocks());

    private final Consumer<BlockManagement> call;
    private final Object usual;

    Place(Object usual, Consumer<BlockManagement> call) {
      this.call = call;
      this.usual = usual;
    }

    void fail(Error error, BlockManagement blocks) {
      call.accept(doThrow(error).when(blocks));
    }

    void mend(BlockManagement blocks) {
      call.accept(doReturn(usual).when(blocks));
    }
  }

  private final AtomicInteger multiplier = new AtomicInteger(MULTIPLIER);
  private Error afterTick;
  private RecoveryLoop loop;
  private long nowNs = ClockStart.NS / WATCH_NS * WATCH_NS;

  @BeforeEach
  void recovering() {
    when(blocks.stockMultiplier()).thenAnswer(call -> multiplier.get());
    doAnswer(call -> {
      multiplier.set(call.getArgument(0));
      return null;
    }).when(blocks).setStockMultiplier(anyInt());
    when(blocks.liveNodeCount()).thenReturn(1);
    when(blocks.waitingBlocks()).thenReturn(5L);
    when(blocks.readNext(anyList())).thenReturn(true);
    loop = new RecoveryLoop(recovery, new LoopRequests(), tickNs -> {
      if (afterTick != null) {
        throw afterTick;
      }
    });
    runUntil(nowNs + TimeUnit.SECONDS.toNanos(3));
    assertEquals("DAYU", recovery.status().getState());
    assertEquals(0, multiplier.get());
  }

  /** Ticks, reports and looks of the watchdog until then. */
  private void runUntil(long untilNs) {
    for (; nowNs < untilNs; nowNs += TICK_NS) {
      report(nowNs);
      loop.tick(nowNs);
      if (nowNs % WATCH_NS == 0) {
        recovery.watchdog().look(nowNs);
      }
    }
  }

  private void report(long atNs) {
    try {
      recovery.responder().receive(report().setLoad(LOAD).setObeyedActivation(ACTIVATION).setObeyedSequence(1).build(),
          atNs);
    } catch (OutOfMemoryError | NoClassDefFoundError e) {
      // HDFS's RPC server tells the agent, which reports again.
      assertTrue(errors().stream().anyMatch(error -> error.getMessage().equals(e.getMessage())), e::toString);
    }
  }

  private static List<Error> errors() {
    return List.of(new OutOfMemoryError("Java heap space"), new OutOfMemoryError("unable to create native thread"),
        new NoClassDefFoundError("io/dayu/Replaced"));
  }

  @ParameterizedTest
  @EnumSource
  void errorInTheLoop_letsStockResume_andDayuRecoversOnceItIsOver(Place place) {
    for (Error error : errors()) {
      place.fail(error, blocks);
      runUntil(nowNs + MAX_SUSPENDED_NS);
      assertEquals(MULTIPLIER, multiplier.get(), () -> error + " at " + place);
    }
    place.mend(blocks);
    runUntil(nowNs + TimeUnit.MINUTES.toNanos(12));
    assertEquals("DAYU", recovery.status().getState());
    assertEquals(0, multiplier.get());
  }

  @Test
  void errorAfterATick_letsStockResume() {
    for (Error error : errors()) {
      afterTick = error;
      runUntil(nowNs + MAX_SUSPENDED_NS);
      assertEquals(MULTIPLIER, multiplier.get(), error::toString);
    }
  }

  /** A JVM without memory throws the same OutOfMemoryError again and again. */
  @Test
  void sameErrorOnceMore_whileStockIsToResume_doesNotEndTheLoop() {
    OutOfMemoryError error = new OutOfMemoryError("Java heap space");
    afterTick = error;
    doThrow(error).when(blocks).setStockMultiplier(MULTIPLIER);
    assertFalse(loop.tick(nowNs));
    doAnswer(call -> {
      multiplier.set(call.getArgument(0));
      return null;
    }).when(blocks).setStockMultiplier(MULTIPLIER);
    assertFalse(loop.tick(nowNs));
    assertEquals(MULTIPLIER, multiplier.get());
  }

  @Test
  void errorAtTheEndOfTheLoop_letsStockResumeBefore() {
    doThrow(new OutOfMemoryError("unable to create native thread")).when(responses).execute(any());
    when(blocks.knowsStorages("target")).thenReturn(true);
    ReportProto waiting = report().setLoad(LOAD).setObeyedActivation(ACTIVATION).setObeyedSequence(1)
        .setMayWaitMs(60_000).build();
    assertFalse(recovery.responder().receive(waiting, nowNs).isDone(), "an answer waits, and needs a thread");
    loop.stop();
    assertThrows(OutOfMemoryError.class, loop::run);
    assertEquals(MULTIPLIER, multiplier.get());
  }

  @Test
  void errorInTheWatchdog_letsStockResume_andTheStateSaysSoLater() {
    DayuStatus status = mock(DayuStatus.class);
    doThrow(new OutOfMemoryError("Java heap space")).doNothing().when(status).enter(any(), any());
    PendingRegistrations registrations = mock(PendingRegistrations.class);
    when(registrations.size()).thenReturn(1);
    doThrow(new OutOfMemoryError("unable to create native thread")).when(registrations).unregisterAll();
    Watchdog watchdog = new Watchdog(recovery.suspension(), registrations, status, () -> 20_000, 1_000);
    long endNs = nowNs + MAX_SUSPENDED_NS;
    for (; nowNs < endNs; nowNs += TimeUnit.SECONDS.toNanos(2)) {
      watchdog.look(nowNs);
    }
    assertEquals(MULTIPLIER, multiplier.get());
    verify(status, times(2)).enter(any(), any());
  }

  @Test
  void sameErrorOnceMore_whileTheWatchdogLogsIt_doesNotEndTheWatchdog() {
    OutOfMemoryError error = new OutOfMemoryError("Java heap space");
    PendingRegistrations registrations = mock(PendingRegistrations.class);
    when(registrations.size()).thenThrow(error);
    Watchdog watchdog = new Watchdog(recovery.suspension(), registrations, new DayuStatus(), () -> 20_000, 1_000);
    AppenderSkeleton failing = new AppenderSkeleton() {
      @Override
      protected void append(LoggingEvent event) {
        throw error;
      }

      @Override
      public void close() {
        // Nothing is open.
      }

      @Override
      public boolean requiresLayout() {
        return false;
      }
    };
    Logger log = Logger.getLogger(Watchdog.class);
    log.addAppender(failing);
    try {
      watchdog.look(nowNs + MAX_SUSPENDED_NS);
    } finally {
      log.removeAppender(failing);
    }
    assertEquals(MULTIPLIER, multiplier.get());
  }

  @Test
  void stockThatCouldNotResume_resumesWithTheNextLook() {
    doThrow(new OutOfMemoryError("Java heap space")).when(blocks).setStockMultiplier(MULTIPLIER);
    assertThrows(OutOfMemoryError.class, recovery.suspension()::resume);
    assertTrue(recovery.suspension().isSuspended());
  }

  @Test
  void startThatFailsHalfWay_leavesNoLoopWithoutAWatchdog() throws Exception {
    for (int failing = 1; failing <= 2; failing++) {
      List<Thread> started = new ArrayList<>();
      int last = failing;
      RecoveryLoop unwatched = new RecoveryLoop(recovery, new LoopRequests(), tickNs -> {});
      RecoveryThreads threads = new RecoveryThreads(unwatched, recovery.watchdog(), (name, body) -> {
        if (started.size() + 1 == last) {
          throw new OutOfMemoryError("unable to create native thread");
        }
        Thread thread = new Thread(body, name);
        started.add(thread);
        thread.start();
        return thread;
      });
      assertThrows(OutOfMemoryError.class, threads::start);
      assertTrue(started.stream().noneMatch(thread -> thread.getName().contains("loop")), started::toString);
      threads.stop();
      for (Thread thread : started) {
        thread.join(TimeUnit.SECONDS.toMillis(60));
        assertFalse(thread.isAlive(), thread::toString);
      }
    }
  }
}
