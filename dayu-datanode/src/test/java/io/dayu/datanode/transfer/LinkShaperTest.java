/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.shaping.TransferLimit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A link of 1 MB/s whose meter is read every 10 ms, under foreground that the test makes; recovery sends as much as it
 * may.
 */
class LinkShaperTest {
  private static final long LINK = 1_000_000;
  private static final double ALPHA = 0.75;
  private static final double PEAK = 0.9;
  private static final double MIN = 120_000;
  private static final int PACKET = 1_000;
  private static final long MS = 1_000_000;
  private static final int STEPS_PER_SEC = 1_000;

  /** The moment after so many milliseconds. */
  private static long at(long ms) {
    return TestClock.START_NS + ms * MS;
  }

  /**
   * Steps of a millisecond: foreground is there at once, recovery's packets are on the wire some steps after they have
   * passed.
   */
  private static final class Link {
    private final LinkShaper shaper = new LinkShaper(LINK, ALPHA, PEAK, MIN, 1, at(0));
    private final Deque<Long> onTheWay = new ArrayDeque<>();
    private final int delaySteps;
    private int counterSteps = 10;
    /** The share of recovery's bytes that the meter sees; the other end is too slow for the others. */
    private double seenShare = 1;
    private long counter;
    private long step;
    private double foreground;
    private long recovery;
    private long passed;
    private boolean highestRisk;

    Link(int delaySteps) {
      this.delaySteps = delaySteps;
      shaper.metered(0, at(0));
    }

    void run(int steps, double foregroundShare) {
      run(steps, foregroundShare, true);
    }

    /** Without work for recovery. */
    void idle(int steps, double foregroundShare) {
      run(steps, foregroundShare, false);
    }

    private void run(int steps, double foregroundShare, boolean hasWork) {
      for (int end = (int) step + steps; step < end; step++) {
        long nowNs = at(step);
        foreground += foregroundShare * LINK / STEPS_PER_SEC;
        while (!onTheWay.isEmpty() && onTheWay.peek() <= step) {
          onTheWay.remove();
          recovery += (long) (seenShare * PACKET);
        }
        if (step % counterSteps == 0) {
          counter = (long) foreground + recovery;
        }
        if (step % 10 == 0) {
          shaper.metered(counter, nowNs);
        }
        while (hasWork && shaper.tryAcquire(PACKET, highestRisk, nowNs) == 0) {
          passed += PACKET;
          onTheWay.add(step + delaySteps);
        }
      }
    }

    /** What passed in this number of further steps, as a share of the link. */
    double share(int steps, double foregroundShare) {
      long before = passed;
      run(steps, foregroundShare);
      return (double) (passed - before) / LINK * STEPS_PER_SEC / steps;
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 20})
  void steadyForeground_leavesTheRestBelowAlpha(int delaySteps) {
    Link link = new Link(delaySteps);
    link.run(60_000, 0.4);
    assertEquals(ALPHA - 0.4, link.share(20_000, 0.4), 0.01);
  }

  @Test
  void unusedShare_isUsedUpToThePeakAndThenAlphaHolds() {
    Link link = new Link(0);
    link.idle(60_000, 0);
    assertEquals(PEAK, link.share(10_000, 0), 0.01);
    link.run(60_000, 0);
    assertEquals(ALPHA, link.share(10_000, 0), 0.01);
  }

  @Test
  void anotherAlpha_holdsFromNowOn() {
    Link link = new Link(0);
    link.run(60_000, 0);
    link.shaper.setLimits(0.4, 0.76, MIN, at(link.step));
    link.run(60_000, 0);
    assertEquals(0.4, link.share(10_000, 0), 0.01);
  }

  @Test
  void debt_stays_whenAlphaChanges() {
    LinkShaper shaper = new LinkShaper(LINK, ALPHA, PEAK, 1, 1, at(0));
    shaper.metered(0, at(0));
    // Clients alone fill the link, so the mean is in debt for a second of alpha.
    for (int step = 0; step <= 20_000; step += 10) {
      shaper.metered(step * LINK / STEPS_PER_SEC, at(step));
    }
    long nowNs = at(20_000);
    assertEquals(0, shaper.tryAcquire(PACKET, false, nowNs), "what the minimum allows");
    long waitMs = shaper.tryAcquire(PACKET, false, nowNs) / MS;
    shaper.setLimits(0.7, 0.94, 1, nowNs);
    assertEquals(waitMs, shaper.tryAcquire(PACKET, false, nowNs) / MS, 100, "of " + waitMs + " ms");
  }

  @Test
  void packetThatIsOnTheWire_isNoForegroundWhileItWaits() {
    LinkShaper shaper = new LinkShaper(LINK, ALPHA, PEAK, MIN, 1, at(0));
    shaper.metered(0, at(0));
    shaper.sent(40_000, at(1_000));
    shaper.metered(40_000, at(1_010));
    assertEquals(0, shaper.tryAcquire(PACKET, false, at(1_010)));
  }

  @Test
  void fullLink_leavesTheMinimum() {
    Link link = new Link(0);
    link.run(5_000, 1.0);
    assertEquals(MIN / LINK, link.share(10_000, 1.0), 0.01);
  }

  @Test
  void fullLink_leavesTwiceTheMinimum_whileABlockAtTheHighestRiskIsOnItsWay() {
    Link link = new Link(0);
    link.run(60_000, 1);
    link.highestRisk = true;
    link.run(10_000, 1);
    assertEquals(0.24, link.share(10_000, 1), 0.005);
    link.highestRisk = false;
    link.run(10_000, 1);
    assertEquals(0.12, link.share(10_000, 1), 0.005);
  }

  @Test
  void anotherMinimum_holdsFromNowOn_butNeverAboveAlpha() {
    Link link = new Link(0);
    link.run(5_000, 1.0);
    link.shaper.setLimits(ALPHA, PEAK, 2 * MIN, at(link.step));
    link.run(5_000, 1.0);
    assertEquals(2 * MIN / LINK, link.share(10_000, 1.0), 0.01);
    link.shaper.setLimits(0.1, 0.82, 2 * MIN, at(link.step));
    link.run(5_000, 1.0);
    assertEquals(0.1, link.share(10_000, 1.0), 0.01);
  }

  @Test
  void fullLink_isLeftToClientsForAWhile_afterRecoveryHadMoreThanTheMinimum() {
    Link link = new Link(0);
    link.run(60_000, 0);
    link.run(100, 1.0);
    assertEquals(0, link.share(3_500, 1.0), 0.001);
    link.run(1_000, 1.0);
    assertEquals(MIN / LINK, link.share(10_000, 1.0), 0.01);
  }

  @Test
  void largePacket_passesAtTheMinimumOfASlowLink() {
    LinkShaper shaper = new LinkShaper(10_000, ALPHA, PEAK, 1_200, 1, at(0));
    long passed = 0;
    for (int step = 0; step < 1_000_000; step += 10) {
      shaper.metered(10L * step, at(step));
      passed += shaper.tryAcquire(64 * 1024, false, at(step)) == 0 ? 64 * 1024 : 0;
    }
    assertEquals(1_200, passed / 1000.0, 100);
  }

  @Test
  void linkAboveAlpha_leavesTheMinimumAfterALongRecoveryAsWell() {
    Link link = new Link(0);
    link.run(60_000, 0);
    link.run(20_000, 0.76);
    assertEquals(MIN / LINK, link.share(20_000, 0.76), 0.03);
  }

  @Test
  void burst_isOverForRecoverySoonAfterItsEnd() {
    Link link = new Link(0);
    link.idle(20_000, 0.3);
    link.run(500, 1.0);
    link.run(70, 0);
    assertEquals(PEAK, link.share(200, 0), 0.03);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void changingForeground_isWithRecoveryAtAlphaInTheMean(long seed) {
    Random random = new Random(seed);
    Link link = new Link(random.nextInt(30));
    for (int burst = 0; burst < 400; burst++) {
      // On and off, 45 % of the time on.
      link.run(1 + random.nextInt(450), 1.0);
      link.run(1 + random.nextInt(550), 0);
    }
    double seconds = (double) link.step / STEPS_PER_SEC;
    double utilization = (link.foreground + link.passed) / LINK / seconds;
    assertTrue(utilization > ALPHA - 0.03 && utilization < ALPHA + 0.01, "seed " + seed + ": " + utilization);
  }

  @Test
  void meterThatSeesNothing_leavesRecoveryItsShareOfAnIdleLink() {
    LinkShaper shaper = new LinkShaper(LINK, ALPHA, PEAK, MIN, 0, at(0));
    long passed = 0;
    for (int step = 0; step < 10_000; step++) {
      shaper.metered(0, at(step));
      while (shaper.tryAcquire(PACKET, false, at(step)) == 0) {
        passed += PACKET;
      }
    }
    assertEquals(ALPHA, passed / 10.0 / LINK, 0.01);
  }

  @Test
  void counterThatStartsAgain_isNoTraffic() {
    LinkShaper shaper = new LinkShaper(LINK, ALPHA, PEAK, MIN, 1, at(0));
    shaper.metered(50_000_000, at(0));
    shaper.metered(10, at(1));
    assertEquals(0, shaper.tryAcquire(PACKET, false, at(2)));
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 0.2, 0.4, 0.6})
  void counterThatMovesOnceASecond_leavesWhatAFineOneDoes(double foregroundShare) {
    Link link = new Link(0);
    link.counterSteps = STEPS_PER_SEC;
    link.run(60_000, foregroundShare);
    assertEquals(ALPHA - foregroundShare, link.share(20_000, foregroundShare), 0.02);
  }

  @Test
  void foreground_countsSoon_ifTheMeterMissedSomeRecovery_andMovesOnceASecond() {
    Link link = new Link(0);
    link.counterSteps = STEPS_PER_SEC;
    link.seenShare = 0.5;
    link.run(60_000, 0.2);
    link.seenShare = 1;
    // Above the minimum recovery gets into debt, of up to four seconds.
    link.run(6_000, 0.9);
    assertEquals(MIN / LINK, link.share(5_000, 0.9), 0.01);
  }

  @Test
  void burstAfterAQuietTime_countsOnce() {
    Link link = new Link(0);
    link.idle(500, 0);
    link.idle(1, 50);
    link.run(60_000, 0);
    assertEquals(ALPHA, link.share(10_000, 0), 0.01);
  }

  @Test
  void burstAfterAQuietTime_countsAtOnce_ifTheCounterFollowsTheTraffic() {
    LinkShaper shaper = new LinkShaper(LINK, ALPHA, PEAK, 1, 1, at(0));
    shaper.tryAcquire(PACKET, false, at(0));
    for (int step = 0; step < 500; step += 10) {
      shaper.metered(0, at(step));
    }
    shaper.metered(50_000, at(500));
    shaper.metered(51_000, at(510));
    long waitMs = shaper.tryAcquire(PACKET, false, at(510)) / MS;
    assertTrue(waitMs >= 30 && waitMs <= 60, "50 KB at 0.9 MB/s take 55 ms: " + waitMs);
  }

  @Test
  void largePackets_eachAfterAQuietTime_countOnce() {
    LinkShaper shaper = new LinkShaper(LINK, 0.4, PEAK, MIN, 1, at(0));
    int periodMs = 350;
    int packet = 90_000;
    for (int step = 0; step < 300 * periodMs; step += 10) {
      if (step % periodMs == 0) {
        assertEquals(0, shaper.tryAcquire(packet, false, at(step)), "a quarter of the link, at " + step + " ms");
      }
      // On the wire at the link's own rate, from 10 ms on.
      int sent = Math.min(packet, step % periodMs * 1_000);
      shaper.metered((long) step / periodMs * packet + sent, at(step));
    }
  }

  @Test
  void meterThatFails_leavesTheMinimumUntilItIsBack() {
    Link link = new Link(0);
    link.run(60_000, 0);
    link.shaper.setMeterFailed(true);
    link.run(5_000, 0);
    assertEquals(MIN / LINK, link.share(10_000, 0), 0.01);
    link.shaper.setMeterFailed(false);
    assertTrue(link.share(1_000, 0) > 0.5);
  }

  @Test
  @Timeout(60)
  void fastLink_hasRoom_whileItsTransfersTakeLessThanThePeak() throws Exception {
    int threads = 8;
    // 64 KiB each 0.7 ms are 750 MB/s together; the credit of the first second is more than one packet of each.
    long pauseNs = 700_000;
    LinkShaper shaper = new LinkShaper(1_250_000_000, ALPHA, 0.95, MIN, 1, System.nanoTime() - 1_000 * MS);
    CountDownLatch running = new CountDownLatch(threads);
    AtomicInteger looksWithoutRoom = new AtomicInteger();
    List<Thread> transfers = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      Thread thread = new Thread(() -> {
        running.countDown();
        FairQueue.Flow flow = new FairQueue.Flow();
        try {
          running.await();
          for (int packet = 0; packet < 500; packet++) {
            shaper.acquire(flow, 64 * 1024, () -> false);
            looksWithoutRoom.addAndGet(shaper.hasRoom(TransferLimit.FILL_AFTER_NS, System.nanoTime()) ? 0 : 1);
            LockSupport.parkNanos(pauseNs);
          }
        } catch (InterruptedException e) {
          looksWithoutRoom.incrementAndGet();
        }
      });
      thread.start();
      transfers.add(thread);
    }
    for (Thread thread : transfers) {
      thread.join();
    }
    assertEquals(0, looksWithoutRoom.get());
  }

  /** Fills the link for hours to come, so that who comes next waits. */
  private static LinkShaper fullLink() throws InterruptedException {
    LinkShaper shaper = new LinkShaper(1, ALPHA, PEAK, 0.1, 1, System.nanoTime());
    shaper.acquire(new FairQueue.Flow(), Integer.MAX_VALUE, () -> false);
    return shaper;
  }

  @Test
  @Timeout(60)
  void whoWaitsBehindOthers_isCancelled() throws Exception {
    LinkShaper shaper = fullLink();
    List<Thread> ahead = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      ahead.add(start(() -> shaper.acquire(new FairQueue.Flow(), 1, () -> false)));
    }
    AtomicBoolean cancelled = new AtomicBoolean();
    Thread last = start(() -> shaper.acquire(new FairQueue.Flow(), 1, cancelled::get));
    cancelled.set(true);
    last.join(10_000);
    assertFalse(last.isAlive(), "it waits behind three others");
    Thread interrupted = start(() -> shaper.acquire(new FairQueue.Flow(), 1, () -> false));
    interrupted.interrupt();
    interrupted.join(10_000);
    assertFalse(interrupted.isAlive());
    for (Thread thread : ahead) {
      assertTrue(thread.isAlive());
      thread.interrupt();
      thread.join(10_000);
      assertFalse(thread.isAlive());
    }
  }

  /** Something that may be interrupted. */
  private interface Waiting {
    void run() throws InterruptedException;
  }

  private static Thread start(Waiting body) throws Exception {
    Thread thread = new Thread(() -> {
      try {
        body.run();
      } catch (InterruptedException e) {
        // As the test asked.
      }
    });
    thread.setDaemon(true);
    thread.start();
    Poll.until("it waits", Duration.ofSeconds(30), () -> thread.getState() == Thread.State.TIMED_WAITING,
        thread::getState);
    return thread;
  }
}
