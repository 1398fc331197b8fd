/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What sources have sent arrives at the decoder as it was sent, each byte at its offset. */
@Timeout(60)
class RebuildInputsTest {
  private static final int PACKET = RebuildInputs.PACKET_BYTES;

  /** Two real data blocks of a policy with three. */
  private static RebuildSpec spec(long bytes) {
    return new RebuildSpec(new ExtendedBlock("BP-1", -16, bytes, 1), 2 * bytes, "rs", 3, 2, (int) bytes);
  }

  private final RebuildInputs inputs = new RebuildInputs(spec(10 * PACKET), false);

  private static byte content(int index, long offset) {
    return (byte) (index * 31 + offset * 7 + (offset >> 9));
  }

  private static ByteBuffer bytes(int index, long from, int bytes) {
    ByteBuffer data = ByteBuffer.allocate(bytes);
    for (int i = 0; i < bytes; i++) {
      data.put(i, content(index, from + i));
    }
    return data;
  }

  private void put(int place, int index, long from, int bytes) throws InterruptedException {
    inputs.put(place, bytes(index, from, bytes), () -> false);
  }

  private static void assertContent(int index, long from, int bytes, ByteBuffer actual) {
    assertEquals(bytes(index, from, bytes), actual, "index " + index + " from " + from);
  }

  @Test
  void decoder_getsZerosBeyondTheEndAndForWhatTheGroupDoesNotHave() throws Exception {
    assertEquals(0, inputs.restart(0, 0, 100));
    assertEquals(0, inputs.restart(1, 4, PACKET));
    put(0, 0, 0, 100);
    assertFalse(inputs.await(PACKET));
    put(1, 4, 0, PACKET + 1_000);
    assertTrue(inputs.await(PACKET));
    ByteBuffer[] taken = inputs.take();
    assertContent(0, 0, 100, taken[0].slice(0, 100));
    assertEquals(ByteBuffer.allocate(PACKET - 100), taken[0].slice(100, PACKET - 100));
    assertNull(taken[1]);
    assertEquals(ByteBuffer.allocate(PACKET), taken[2]);
    assertNull(taken[3]);
    assertContent(4, 0, PACKET, taken[4]);
    assertTrue(inputs.isFull(0) && inputs.isFull(1));
  }

  @Test
  void anotherIndex_beginsWhereTheDecoderIs_theSameKeepsFullPackets() throws Exception {
    inputs.restart(0, 0, 10 * PACKET);
    inputs.restart(1, 3, 10 * PACKET);
    put(0, 0, 0, 3 * PACKET + 5);
    put(1, 3, 0, 2 * PACKET);
    assertTrue(inputs.await(PACKET));
    assertNotNull(inputs.take());
    inputs.release();
    assertEquals(3 * PACKET, inputs.restart(0, 0, 10 * PACKET));
    assertEquals(PACKET, inputs.restart(0, 1, 10 * PACKET));
    assertFalse(inputs.await(PACKET));
    put(0, 1, PACKET, PACKET);
    assertTrue(inputs.await(PACKET));
    ByteBuffer[] taken = inputs.take();
    assertNull(taken[0]);
    assertContent(1, PACKET, PACKET, taken[1]);
    assertContent(3, PACKET, PACKET, taken[3]);
  }

  /** A grant has exchanged the indices of two sources, and one of them has been faster. */
  @Test
  void sameIndexTwice_isNotReady() throws Exception {
    inputs.restart(0, 0, 10 * PACKET);
    inputs.restart(1, 0, 10 * PACKET);
    put(0, 0, 0, PACKET);
    put(1, 0, 0, PACKET);
    assertFalse(inputs.await(PACKET));
    assertNull(inputs.take());
    inputs.restart(0, 3, 10 * PACKET);
    put(0, 3, 0, PACKET);
    assertTrue(inputs.await(PACKET));
  }

  @Test
  void sourceThatIsWaitedFor_isChargedWithTheTime() throws Exception {
    inputs.restart(0, 0, 10 * PACKET);
    inputs.restart(1, 3, 10 * PACKET);
    put(0, 0, 0, PACKET);
    assertFalse(inputs.await(PACKET));
    long[] waitedNs = inputs.waitedNs();
    assertEquals(0, waitedNs[0]);
    assertTrue(waitedNs[1] > 50_000_000, "waited " + waitedNs[1]);
  }

  @Test
  void eachSource_isChargedUntilItHasSentItsPart() throws Exception {
    inputs.restart(0, 0, 10 * PACKET);
    inputs.restart(1, 3, 10 * PACKET);
    Thread decoder = Thread.currentThread();
    Thread sources = new Thread(() -> {
      try {
        while (decoder.getState() != Thread.State.TIMED_WAITING) {
          Thread.onSpinWait();
        }
        put(0, 0, 0, PACKET);
        Thread.sleep(200);
        put(1, 3, 0, PACKET);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    });
    sources.start();
    while (!inputs.await(PACKET)) {
      Thread.onSpinWait();
    }
    sources.join();
    long[] waitedNs = inputs.waitedNs();
    assertTrue(waitedNs[1] - waitedNs[0] > 150_000_000, Arrays.toString(waitedNs));
  }

  /** The decoder's thread then looks whether a source has failed. */
  @Test
  void wakeUp_endsTheNextWaitAtOnce() throws Exception {
    inputs.restart(0, 0, 10 * PACKET);
    inputs.wake();
    assertFalse(inputs.await(PACKET));
    assertEquals(0, inputs.waitedNs()[0]);
  }

  /** A source that is replaced never writes where the decoder reads. */
  @Test
  void sourcesThatBeginAnewAtAnyMoment_changeNoByte() throws Exception {
    long seed = ThreadLocalRandom.current().nextInt(1_000_000);
    System.out.println("seed " + seed);
    long length = 300L * PACKET + 12_345;
    RebuildInputs rings = new RebuildInputs(spec(length), true);
    List<Thread> threads = new ArrayList<>();
    AtomicBoolean ended = new AtomicBoolean();
    for (int place = 0; place < 2; place++) {
      int own = place;
      Random random = new Random(seed + place);
      Thread thread = new Thread(() -> fill(rings, own, length, random, ended));
      thread.start();
      threads.add(thread);
    }
    for (long offset = 0; offset < length;) {
      int bytes = (int) Math.min(PACKET, length - offset);
      ByteBuffer[] taken = rings.await(bytes) ? rings.take() : null;
      if (taken != null) {
        int read = 0;
        for (int index = 0; index < taken.length; index++) {
          if (index != 2 && taken[index] != null) {
            assertContent(index, offset, bytes, taken[index]);
            read++;
          }
        }
        assertEquals(2, read);
        rings.release();
        offset += bytes;
      }
    }
    ended.set(true);
    for (Thread thread : threads) {
      thread.interrupt();
      thread.join();
    }
    rings.free();
  }

  /** Each place has two indices of its own, and changes between them. */
  private static void fill(RebuildInputs rings, int place, long length, Random random, AtomicBoolean ended) {
    try {
      while (!ended.get()) {
        int index = 3 * place + random.nextInt(2);
        long offset = rings.restart(place, index, length);
        long end = random.nextInt(3) == 0 ? length : Math.min(length, offset + random.nextInt(8 * PACKET));
        while (offset < end && !ended.get()) {
          int bytes = (int) Math.min(end - offset, 1 + random.nextInt(2 * PACKET));
          rings.put(place, bytes(index, offset, bytes), ended::get);
          offset += bytes;
        }
      }
    } catch (InterruptedException e) {
      // The test has ended.
    }
  }
}
