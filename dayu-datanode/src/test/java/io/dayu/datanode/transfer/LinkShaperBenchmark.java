/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.shaping.TransferLimit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * What one shaper lets pass if its link is faster than that: block bytes a second, by threads that do nothing else, and
 * in how many of the looks at the link it has room. Not run by {@code mvn verify}:
 *
 * <pre>
 * mvn verify -pl dayu-datanode -DskipUTs=true -Dit.test=LinkShaperBenchmark -Dfailsafe.failIfNoSpecifiedTests=false
 * </pre>
 */
class LinkShaperBenchmark {
  /** Far more than two processors can count. */
  private static final long LINK_BYTES_PER_SEC = 1L << 50;
  private static final int PACKET_BYTES = 64 * 1024;
  private static final long DURATION_NS = TimeUnit.SECONDS.toNanos(5);
  private static final long LOOK_MS = 100;

  @ParameterizedTest
  @ValueSource(ints = {1, 8, 16})
  void blockBytesThroughOneShaper(int transfers) throws Exception {
    LinkShaper shaper = new LinkShaper(LINK_BYTES_PER_SEC, 0.75, 0.95, 1, 1,
        System.nanoTime() - TransferLimit.FILL_AFTER_NS);
    AtomicLong packets = new AtomicLong();
    long beganNs = System.nanoTime();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < transfers; i++) {
      Thread thread = new Thread(() -> packets.addAndGet(pass(shaper, beganNs)));
      thread.start();
      threads.add(thread);
    }
    int looks = 0;
    int withRoom = 0;
    while (System.nanoTime() - beganNs < DURATION_NS) {
      TimeUnit.MILLISECONDS.sleep(LOOK_MS);
      looks++;
      withRoom += shaper.hasRoom(TransferLimit.FILL_AFTER_NS, System.nanoTime()) ? 1 : 0;
    }
    for (Thread thread : threads) {
      thread.join();
    }
    double seconds = (System.nanoTime() - beganNs) / 1e9;
    System.out.printf(Locale.ROOT, "%d transfers: %.1f GB/s, room in %d of %d looks%n", transfers,
        packets.get() * PACKET_BYTES / seconds / 1e9, withRoom, looks);
    assertEquals(looks, withRoom);
  }

  private static long pass(LinkShaper shaper, long beganNs) {
    long packets = 0;
    FairQueue.Flow flow = new FairQueue.Flow();
    try {
      while (System.nanoTime() - beganNs < DURATION_NS) {
        shaper.acquire(flow, PACKET_BYTES, () -> false);
        packets++;
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    return packets;
  }
}
