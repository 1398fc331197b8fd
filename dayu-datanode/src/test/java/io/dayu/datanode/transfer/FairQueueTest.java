/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Flows of several weights that share a queue through which the test lets a given number of packets. */
@Timeout(60)
class FairQueueTest {
  private static final int PACKET = 64 * 1024;
  private static final long RETRY_NS = 100_000;

  private final FairQueue queue = new FairQueue();
  private final AtomicLong permits = new AtomicLong();
  private final List<Thread> threads = new ArrayList<>();

  private long tryPass() {
    return permits.getAndUpdate(left -> Math.max(0, left - 1)) > 0 ? 0 : RETRY_NS;
  }

  @Test
  void fullLink_isDividedByWeights_whateverTheNumberOfPackets() throws Exception {
    double[] weights = {1_000_000, 2_000_000, 5_000_000};
    FairQueue.Flow[] flows = new FairQueue.Flow[weights.length];
    for (int i = 0; i < weights.length; i++) {
      flows[i] = new FairQueue.Flow();
      flows[i].setWeight(weights[i]);
    }
    AtomicLongArray passed = passOneByOne(800, flows);
    assertEquals(100, passed.get(0), 2);
    assertEquals(200, passed.get(1), 2);
    assertEquals(500, passed.get(2), 2);
  }

  /** A reader that gets nothing for a minute gives up its source. */
  @Test
  void flowsAtTheHighestRisk_getNearlyAll_butHoweverManyTheyAre_othersGetSomething() throws Exception {
    FairQueue.Flow[] flows = new FairQueue.Flow[12];
    for (int i = 0; i < flows.length; i++) {
      flows[i] = new FairQueue.Flow();
      flows[i].setWeight(1, i >= 2);
    }
    AtomicLongArray passed = passOneByOne(660, flows);
    assertEquals(10, passed.get(0), 4);
    assertEquals(10, passed.get(1), 4);
  }

  /** Its weight is a twentieth of theirs, as of a transfer whose source is slow. */
  @Test
  void slowFlow_besideManyAtTheHighestRisk_hasASixtyFifthOfWhatItHasWithoutThem() throws Exception {
    FairQueue.Flow[] flows = new FairQueue.Flow[13];
    for (int i = 0; i < flows.length; i++) {
      flows[i] = new FairQueue.Flow();
      flows[i].setWeight(i == 0 ? 50_000 : 1_000_000, i > 0);
    }
    assertEquals(10, passOneByOne(650, flows).get(0), 2);
  }

  /** The plan gives it little, since its source has little; if that has more, it goes first all the same. */
  @Test
  void slowFlowAtTheHighestRisk_goesBeforeOthers_andWeighsAsMuchAsItsKind() throws Exception {
    FairQueue.Flow[] flows = new FairQueue.Flow[4];
    for (int i = 0; i < flows.length; i++) {
      flows[i] = new FairQueue.Flow();
      flows[i].setWeight(i == 3 ? 10_000 : 1_000_000, i >= 2);
    }
    AtomicLongArray passed = passOneByOne(660, flows);
    assertEquals(10, passed.get(0), 2);
    assertEquals(10, passed.get(1), 2);
    assertEquals(320, passed.get(2), 4);
    assertEquals(320, passed.get(3), 4);
  }

  @Test
  void moreAtTheHighestRisk_thanTheyWeighTogether_areNotBehind_andLeaveAShare() throws Exception {
    for (int others : new int[] {1, 10}) {
      FairQueue.Flow[] flows = new FairQueue.Flow[100 + others];
      for (int i = 0; i < flows.length; i++) {
        flows[i] = new FairQueue.Flow();
        flows[i].setWeight(1_000_000, i >= others);
      }
      assertEquals(others == 1 ? 650 / 65 : 650 / 110.0, passOneByOne(650, flows).get(0), 2);
    }
  }

  /** Lets one packet pass at a time, and the next one only when all flows wait again. Returns how many each sent. */
  private AtomicLongArray passOneByOne(long packets, FairQueue.Flow... flows) throws Exception {
    AtomicLongArray passed = new AtomicLongArray(flows.length);
    AtomicInteger waiting = new AtomicInteger();
    for (int i = 0; i < flows.length; i++) {
      int number = i;
      FairQueue.Flow flow = flows[i];
      start(() -> {
        while (true) {
          waiting.incrementAndGet();
          queue.await(flow, PACKET, this::tryPass, () -> false);
          waiting.decrementAndGet();
          passed.incrementAndGet(number);
        }
      });
    }
    for (long sent = 0; sent < packets; sent++) {
      long before = sent;
      while (waiting.get() < flows.length || sum(passed) < before || !allSleep()) {
        Thread.onSpinWait();
      }
      permits.incrementAndGet();
    }
    Poll.until("all packets have passed", Duration.ofSeconds(30), () -> sum(passed) == packets, () -> passed);
    stop();
    return passed;
  }

  private boolean allSleep() {
    return threads.stream().allMatch(thread -> thread.getState() == Thread.State.TIMED_WAITING);
  }

  private static long sum(AtomicLongArray numbers) {
    long sum = 0;
    for (int i = 0; i < numbers.length(); i++) {
      sum += numbers.get(i);
    }
    return sum;
  }

  @Test
  void flowThatHasSentMoreThanItSaid_waitsForTheOthers() throws Exception {
    FairQueue.Flow more = new FairQueue.Flow();
    FairQueue.Flow other = new FairQueue.Flow();
    permits.set(2);
    queue.await(more, PACKET, this::tryPass, () -> false);
    queue.await(other, PACKET, this::tryPass, () -> false);
    queue.setLastBytes(more, 10 * PACKET);
    AtomicLongArray passed = passOneByOne(8, more, other);
    assertEquals(0, passed.get(0));
    assertEquals(8, passed.get(1));
  }

  @Test
  void freeLink_isUsedByWhateverFlowThereIs() throws Exception {
    permits.set(1_000);
    FairQueue.Flow small = new FairQueue.Flow();
    small.setWeight(1);
    for (int i = 0; i < 1_000; i++) {
      assertEquals(FairQueue.Result.PASSED_AT_ONCE, queue.await(small, PACKET, this::tryPass, () -> false));
    }
  }

  /** On a slow link with many transfers most threads are behind others, and each wake-up takes the processor. */
  @Test
  void threadBehindAnother_sleepsUntilItsTurn() throws Exception {
    List<Long> wakeUpsNs = new CopyOnWriteArrayList<>();
    start(() -> queue.await(new FairQueue.Flow(), PACKET, this::tryPass, () -> false));
    Poll.until("the first one sleeps", Duration.ofSeconds(30), this::allSleep, () -> threads);
    start(() -> queue.await(new FairQueue.Flow(), PACKET, this::tryPass, () -> !wakeUpsNs.add(System.nanoTime())));
    Poll.until("the second one has slept twice", Duration.ofSeconds(30), () -> wakeUpsNs.size() >= 3, () -> threads);
    long sleptMs = TimeUnit.NANOSECONDS.toMillis(wakeUpsNs.get(2) - wakeUpsNs.get(0));
    assertTrue(sleptMs >= 600, () -> "woken twice in " + sleptMs + " ms");
    permits.set(2);
    for (Thread thread : threads) {
      thread.join();
    }
  }

  /** Something that may be interrupted. */
  private interface Body {
    void run() throws InterruptedException;
  }

  private void start(Body body) {
    Thread thread = new Thread(() -> {
      try {
        body.run();
      } catch (InterruptedException e) {
        // The test is over.
      }
    });
    thread.setDaemon(true);
    threads.add(thread);
    thread.start();
  }

  private void stop() throws InterruptedException {
    for (Thread thread : threads) {
      thread.interrupt();
      thread.join();
    }
    threads.clear();
  }
}
