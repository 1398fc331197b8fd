/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.BlockManagement;
import io.dayu.blocks.TransferRequest;
import io.dayu.harness.Await;
import io.dayu.namenode.status.DayuStatus;
import io.dayu.namenode.status.RecoveryState;
import io.dayu.namenode.transfers.ClockStart;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

class WatchdogTest {
  private static final long TIMEOUT_MS = 30_000;
  private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MS / 10);
  private static final long PAUSE_NS = TimeUnit.MINUTES.toNanos(2);
  /** Longer than the watchdog's timeout, as an agent's lease may be. */
  private static final long LEASE_MS = 60_000;
  private static final long START_NS = ClockStart.NS;
  private static final Duration MAX_WAIT = Duration.ofSeconds(60);

  private final BlockManagement blocks = mock(BlockManagement.class);
  private final DayuStatus status = new DayuStatus();
  private final PendingRegistrations registrations = new PendingRegistrations(blocks);
  private final StockSuspension suspension = new StockSuspension(blocks, START_NS);
  private final Watchdog watchdog =
      new Watchdog(suspension, registrations, status, () -> TIMEOUT_MS, LEASE_MS);

  /** Looks as often as the watchdog's thread does; returns the time of the last look. */
  private long look(long fromNs, int times) {
    long nowNs = fromNs;
    for (int i = 0; i < times; i++) {
      nowNs += LOOK_NS;
      watchdog.look(nowNs);
    }
    return nowNs;
  }

  @Test
  void loopThatIsSilentWhileTheWatchdogLooks_letsStockResume() {
    suspension.suspend(START_NS);
    status.enter(RecoveryState.DAYU, "");
    long nowNs = look(START_NS, 10);
    assertTrue(suspension.isSuspended(), "not before the time is over");
    assertEquals(RecoveryState.DAYU, status.state());
    nowNs = look(nowNs, 1);
    assertFalse(suspension.isSuspended());
    assertEquals(RecoveryState.STOCK, status.state());
    assertEquals("the recovery loop has been silent for 33000 ms", status.getStateReason());
    status.enter(RecoveryState.STANDBY, "");
    look(nowNs, 1);
    assertEquals(RecoveryState.STANDBY, status.state(), "stock is resumed once");
  }

  /** The process may have been busy with its start: the time before the watchdog's first look is no pause of it. */
  @Test
  void loopThatIsSilentAtTheFirstLook_letsStockResume() {
    suspension.suspend(START_NS);
    watchdog.look(START_NS + PAUSE_NS);
    assertFalse(suspension.isSuspended());
  }

  @Test
  void lookThatIsLateByLessThanHalfTheTimeout_doesNotProlongIt() {
    suspension.suspend(START_NS);
    long nowNs = look(START_NS, 1) + TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MS) / 2;
    watchdog.look(nowNs);
    nowNs = look(nowNs, 4);
    assertTrue(suspension.isSuspended());
    look(nowNs, 1);
    assertFalse(suspension.isSuspended());
  }

  @Test
  void lookThatIsLateByMoreThanHalfTheTimeout_prolongsIt_asAPauseOfTheProcess() {
    suspension.suspend(START_NS);
    long nowNs = look(START_NS, 1) + TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MS) / 2 + 1;
    try (InfoLog log = new InfoLog(Watchdog.class)) {
      watchdog.look(nowNs);
      nowNs = look(nowNs, 8);
      assertEquals(List.of("INFO - Dayu: the NameNode has stood still for about 15000 ms; its recovery loop has been "
          + "silent for 18000 ms"), log.lines(), "once for each pause");
    }
    assertTrue(suspension.isSuspended());
    look(nowNs, 1);
    assertFalse(suspension.isSuspended());
  }

  @Test
  void loopOfAProcessThatStoodStill_keepsStockSuspended_ifItGoesOn() {
    suspension.suspend(START_NS);
    long nowNs = look(START_NS, 1) + PAUSE_NS;
    watchdog.look(nowNs);
    assertTrue(suspension.isSuspended(), "the watchdog's thread was the first to run");
    suspension.heartbeat(nowNs);
    nowNs = look(nowNs, 9);
    assertTrue(suspension.isSuspended());
    look(nowNs, 3);
    assertFalse(suspension.isSuspended(), "an earlier pause does not hide that it hangs later");
  }

  @Test
  void loopOfAProcessThatStoodStill_letsStockResume_ifItDoesNotGoOn() {
    suspension.suspend(START_NS);
    long nowNs = look(START_NS, 1) + PAUSE_NS;
    watchdog.look(nowNs);
    nowNs = look(nowNs, 8);
    assertTrue(suspension.isSuspended(), "on a busy machine it takes a while to go on");
    look(nowNs, 1);
    assertFalse(suspension.isSuspended());
  }

  @Test
  void processThatKeepsStandingStill_letsStockResume() {
    suspension.suspend(START_NS);
    long nowNs = look(START_NS, 1);
    for (int pause = 1; pause < 10; pause++) {
      nowNs += PAUSE_NS;
      watchdog.look(nowNs);
    }
    assertTrue(suspension.isSuspended());
    watchdog.look(nowNs + PAUSE_NS);
    assertFalse(suspension.isSuspended());
  }

  @Test
  void pendingCopiesOfALoopThatHangs_areUnregistered_whenAllLeasesAreOver() {
    TransferRequest request = new TransferRequest(new BlockKey(1, 1), 100, 2, "a", "b", 1);
    registrations.enter(1, request);
    long nowNs = look(START_NS, 20);
    verify(blocks, never()).unregister(any());
    nowNs = look(nowNs, 1);
    verify(blocks).unregister(List.of(request));
    look(nowNs, 10);
    verify(blocks).unregister(any());
  }

  /** The loop renews the leases when it goes on, and the agents may be working. */
  @Test
  void pendingCopiesOfAProcessThatStoodStill_stayRegistered() {
    registrations.enter(1, new TransferRequest(new BlockKey(1, 1), 100, 2, "a", "b", 1));
    watchdog.look(look(START_NS, 1) + PAUSE_NS);
    verify(blocks, never()).unregister(any());
  }

  @Test
  void stockThatCannotResume_isTriedAgain() {
    suspension.suspend(START_NS);
    doThrow(new IllegalStateException("the test wants it so")).doNothing().when(blocks).setStockMultiplier(0);
    long nowNs = look(START_NS, 11);
    assertTrue(suspension.isSuspended());
    look(nowNs, 1);
    assertFalse(suspension.isSuspended());
  }

  @Test
  void thread_letsStockResume() throws Exception {
    suspension.suspend(System.nanoTime());
    Thread thread = start(new Watchdog(suspension, registrations, status, () -> 200, LEASE_MS));
    try {
      Await.until("stock resumes", MAX_WAIT, () -> !suspension.isSuspended());
    } finally {
      thread.interrupt();
    }
    assertEnds(thread);
  }

  /** Its periods are a tenth of the timeout, here six minutes. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void threadThatWaits_endsAtOnce_whenItIsStoppedOrInterrupted(boolean stop) throws Exception {
    AtomicInteger asked = new AtomicInteger();
    Watchdog patient = new Watchdog(suspension, registrations, status, () -> {
      asked.incrementAndGet();
      return TimeUnit.HOURS.toMillis(1);
    }, LEASE_MS);
    Thread thread = start(patient);
    Await.until("the thread waits", MAX_WAIT, () -> thread.getState() == Thread.State.TIMED_WAITING);
    assertEquals(1, asked.get(), "it looks after its first period");
    if (stop) {
      patient.stop();
    } else {
      thread.interrupt();
    }
    assertEnds(thread);
  }

  private static Thread start(Watchdog watchdog) {
    Thread thread = new Thread(watchdog, "watchdog of a test");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private static void assertEnds(Thread thread) throws InterruptedException {
    thread.join(MAX_WAIT.toMillis());
    assertFalse(thread.isAlive());
  }
}
