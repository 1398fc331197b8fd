/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import org.apache.hadoop.util.CleanerUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * What the sources of a rebuild have sent and the decoder has not taken yet: a ring of {@link #RING_PACKETS} packets
 * for each source. The thread of a source fills its ring, the thread that decodes takes the same range from all rings.
 * All offsets are of the internal blocks. Safe for use by these threads; {@link #waitedNs} by all.
 *
 * <p>Bytes that the decoder reads are never written meanwhile: a source that begins anew waits for the decoder. All
 * ranges but the last begin and end at multiples of {@link #PACKET_BYTES}, so none wraps around.
 */
final class RebuildInputs {
  static final int PACKET_BYTES = 64 * 1024;
  static final int RING_PACKETS = 4;
  private static final int RING_BYTES = RING_PACKETS * PACKET_BYTES;
  /** A thread that waits asks this often whether it must go on waiting, should nobody have woken it. */
  private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(500);

  private static final Logger LOG = LoggerFactory.getLogger(RebuildInputs.class);

  /** What one source has sent. */
  private static final class Ring {
    private final ByteBuffer bytes;
    /** The source's index in the group; -1 before the first one. */
    private int index = -1;
    /** Where the bytes end that are needed of this source: what lies beyond counts as zeros. */
    private long neededBytes = Long.MAX_VALUE;
    private long filledBytes;
    private long waitedNs;
    /** Whether the decoder waits for it, and since when. */
    private boolean awaited;
    private long awaitedNs;

    private Ring(ByteBuffer bytes) {
      this.bytes = bytes;
    }

    private boolean has(long endBytes) {
      return index >= 0 && filledBytes >= Math.min(endBytes, neededBytes);
    }

    private void await(long nowNs) {
      awaited = true;
      awaitedNs = nowNs;
    }

    private void endWait(long nowNs) {
      waitedNs = waitedNs(nowNs);
      awaited = false;
    }

    private long waitedNs(long nowNs) {
      return waitedNs + (awaited ? nowNs - awaitedNs : 0);
    }
  }

  private final RebuildSpec spec;
  private final Ring[] rings;
  private final ByteBuffer zeros;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition ready = lock.newCondition();
  private final Condition room = lock.newCondition();

  // Guarded by the lock.
  private long takenBytes;
  private int wantedBytes;
  /** The decoder reads what it has taken. */
  private boolean held;
  /** What the decoder waits for may have changed. */
  private boolean woken;

  /** @param direct whether the decoder prefers direct buffers */
  RebuildInputs(RebuildSpec spec, boolean direct) {
    this.spec = spec;
    this.rings = new Ring[spec.realDataUnits()];
    this.zeros = allocate(PACKET_BYTES, direct);
    try {
      for (int place = 0; place < rings.length; place++) {
        rings[place] = new Ring(allocate(RING_BYTES, direct));
      }
    } catch (OutOfMemoryError e) {
      free();
      throw e;
    }
  }

  static ByteBuffer allocate(int bytes, boolean direct) {
    return direct ? ByteBuffer.allocateDirect(bytes) : ByteBuffer.allocate(bytes);
  }

  /**
   * Another connection is made for a ring. It keeps its full packets if the index stays the same; with another index it
   * begins anew where the decoder is. Waits while the decoder reads.
   *
   * @param neededBytes how much of the source's internal block is needed
   * @return where the source has to begin
   */
  long restart(int place, int index, long neededBytes) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (held) {
        room.await();
      }
      Ring ring = rings[place];
      ring.filledBytes = ring.index == index
          ? Math.max(takenBytes, ring.filledBytes / PACKET_BYTES * PACKET_BYTES) : takenBytes;
      ring.index = index;
      ring.neededBytes = neededBytes;
      ready.signal();
      return ring.filledBytes;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Adds bytes to a ring, waiting for room.
   *
   * @param cancelled asked while waiting; if true this method returns, and what had no room is lost
   */
  void put(int place, ByteBuffer data, BooleanSupplier cancelled) throws InterruptedException {
    Ring ring = rings[place];
    long end = Math.min(ring.neededBytes, ring.filledBytes + data.remaining());
    ByteBuffer from = data.duplicate();
    while (ring.filledBytes < end) {
      int at = (int) (ring.filledBytes % RING_BYTES);
      int bytes = (int) Math.min(Math.min(end - ring.filledBytes, RING_BYTES - at), awaitRoom(ring, cancelled));
      if (bytes == 0) {
        return;
      }
      // Outside the lock: nobody else looks at this part of the ring.
      ring.bytes.put(at, from, from.position(), bytes);
      from.position(from.position() + bytes);
      filled(ring, bytes);
    }
  }

  private int awaitRoom(Ring ring, BooleanSupplier cancelled) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (takenBytes + RING_BYTES <= ring.filledBytes) {
        if (cancelled.getAsBoolean()) {
          return 0;
        }
        room.awaitNanos(POLL_NS);
      }
      return (int) (takenBytes + RING_BYTES - ring.filledBytes);
    } finally {
      lock.unlock();
    }
  }

  private void filled(Ring ring, int bytes) {
    lock.lock();
    try {
      ring.filledBytes += bytes;
      if (ring.awaited && ring.has(takenBytes + wantedBytes)) {
        ring.endWait(System.nanoTime());
        // The decoder needs all of them, so each packet of another one would wake it in vain.
        if (areReady()) {
          ready.signal();
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Where the next byte of a ring belongs; for its own thread. */
  long filledBytes(int place) {
    return rings[place].filledBytes;
  }

  /** Whether nothing more is needed of the ring's present source; for its own thread. */
  boolean isFull(int place) {
    return rings[place].index >= 0 && rings[place].filledBytes >= rings[place].neededBytes;
  }

  /** Waits until a condition holds, which is looked at now and then. */
  void awaitUntil(BooleanSupplier condition) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (!condition.getAsBoolean()) {
        room.awaitNanos(POLL_NS);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Ends all waits of {@link #await} and {@link #awaitUntil}: what they wait for may have changed. */
  void wake() {
    lock.lock();
    try {
      woken = true;
      ready.signalAll();
      room.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until all rings have the next bytes, each of another index; or, with false, until {@link #wake} or for a
   * moment.
   */
  boolean await(int bytes) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      wantedBytes = bytes;
      long nowNs = System.nanoTime();
      long endNs = nowNs + POLL_NS;
      while (!areReady()) {
        if (woken || endNs - nowNs <= 0) {
          woken = false;
          return false;
        }
        for (Ring ring : rings) {
          if (!ring.has(takenBytes + wantedBytes)) {
            ring.await(nowNs);
          }
        }
        ready.awaitNanos(endNs - nowNs);
        nowNs = System.nanoTime();
        for (Ring ring : rings) {
          ring.endWait(nowNs);
        }
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  private boolean areReady() {
    int indices = 0;
    for (Ring ring : rings) {
      // Two sources with one index: one of them is about to begin anew, since the newest grant says so.
      if (!ring.has(takenBytes + wantedBytes) || (indices & 1 << ring.index) != 0) {
        return false;
      }
      indices |= 1 << ring.index;
    }
    return true;
  }

  /**
   * Takes the bytes that {@link #await} has waited for, until {@link #release}: zeros beyond the end of a source and
   * for data blocks that the group does not have, null for what is not read.
   *
   * @return by index; null if a source has begun anew meanwhile
   */
  ByteBuffer[] take() {
    lock.lock();
    try {
      if (!areReady()) {
        return null;
      }
      held = true;
      ByteBuffer[] inputs = new ByteBuffer[spec.dataUnits() + spec.parityUnits()];
      int at = (int) (takenBytes % RING_BYTES);
      for (Ring ring : rings) {
        int goodBytes = (int) Math.max(0, Math.min(wantedBytes, ring.neededBytes - takenBytes));
        ring.bytes.put(at + goodBytes, zeros, 0, wantedBytes - goodBytes);
        inputs[ring.index] = ring.bytes.slice(at, wantedBytes);
      }
      for (int index = spec.realDataUnits(); index < spec.dataUnits(); index++) {
        inputs[index] = zeros.slice(0, wantedBytes);
      }
      return inputs;
    } finally {
      lock.unlock();
    }
  }

  /** The decoder has done with what it has taken. */
  void release() {
    lock.lock();
    try {
      takenBytes += wantedBytes;
      wantedBytes = 0;
      held = false;
      room.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** For how long the decoder has waited for each source, from the beginning on. */
  long[] waitedNs() {
    lock.lock();
    try {
      long nowNs = System.nanoTime();
      return Arrays.stream(rings).mapToLong(ring -> ring.waitedNs(nowNs)).toArray();
    } finally {
      lock.unlock();
    }
  }

  /** Frees the memory. No thread may use this object any more. */
  void free() {
    for (Ring ring : rings) {
      if (ring != null) {
        free(ring.bytes);
      }
    }
    free(zeros);
  }

  /** Direct memory is bounded, and the garbage collector does not know that it is short. */
  static void free(ByteBuffer buffer) {
    if (buffer.isDirect() && CleanerUtil.UNMAP_SUPPORTED) {
      try {
        CleanerUtil.getCleaner().freeBuffer(buffer);
      } catch (IOException e) {
        LOG.debug("Cannot free a direct buffer; the garbage collector does", e);
      }
    }
  }
}
