/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.shaping.PhantomQueue;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

/**
 * Has recovery read from a rotating disk where clients leave it idle, and one block at a time. Safe for use by all
 * threads.
 *
 * <p><b>Goals.</b> A client's read waits for one burst of recovery at most, also a short-circuit read, which passes no
 * DataNode. Recovery gets most of what clients leave: the heads move for each burst and for each other block, so both
 * are worth it. Where clients leave nothing, recovery gets {@link #guarantee}.
 *
 * <p><b>Algorithm.</b> Reads of recovery take turns ({@link FairQueue}). A turn is bursts of {@link #BURST_BYTES}, up
 * to {@link #TURN_BYTES} or {@link #TURN_NS}. Before each burst the read waits until the disk has no read in flight.
 * If one takes longer than what the system reads ahead for recovery itself, it is a client's: then the disk must have
 * been idle for {@link #QUIET_NS}, since a client that reads on does so sooner. A read that waits for its network
 * leaves its turn to the next one. The first packet of a read waits for nobody, since HDFS asks after each packet.
 *
 * <p><b>Why not by latency.</b> Recovery's reads are small and in order, clients' are large and anywhere, so the mean
 * latency of the disk depends on how many there are of each. And a rate that follows it over seconds lets recovery
 * read while clients wait. The number of reads in flight says at each moment whether one waits.
 */
final class VolumeShaper {
  static final int BURST_BYTES = 256 * 1024;
  static final long TURN_BYTES = 4 << 20;
  static final long TURN_NS = TimeUnit.MILLISECONDS.toNanos(250);
  /** How long the disk must have been idle after a client's read. */
  static final long QUIET_NS = TimeUnit.MILLISECONDS.toNanos(4);
  /** Reads that are in flight for no longer may be what the system reads ahead for the read itself. */
  static final long OWN_NS = TimeUnit.MILLISECONDS.toNanos(3);
  static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(1);
  /** A read that does not come back within this time waits for its network, if the disk is idle. */
  static final long AWAY_NS = TimeUnit.MILLISECONDS.toNanos(2);
  /** A read that does not come back within this time has ended. */
  static final long GONE_NS = TimeUnit.MILLISECONDS.toNanos(500);

  /** Counts a disk's reads. */
  interface Disk {
    int readsInFlight() throws IOException;
  }

  /** A read of recovery on this disk. */
  static final class Read {
    private final FairQueue.Flow flow = new FairQueue.Flow();
  }

  private final Disk disk;
  private final LongConsumer waited;
  private final FairQueue turns = new FairQueue();
  // Guarded by the monitor.
  private final PhantomQueue guarantee;
  /** Whose turn it is; null if nobody's. */
  private Read turn;
  private long turnBeganNs;
  private long turnBytes;
  private long burstBytes;
  /** Whether it was let go on, and has not come back. */
  private boolean reading;
  /** When the read whose turn it is was last let go on. */
  private long passedNs;
  private long busySinceNs;
  private long idleSinceNs;
  private boolean busy;
  /** Whether a client's read was in flight, and the disk was not idle for long since. */
  private boolean clientsRead;

  /**
   * @param minBytesPerSec what recovery gets of a disk that clients keep busy
   * @param waited is told for how long a read had to wait for clients, in nanoseconds
   */
  VolumeShaper(Disk disk, double minBytesPerSec, LongConsumer waited, long nowNs) {
    this.disk = disk;
    this.waited = waited;
    this.guarantee = new PhantomQueue(minBytesPerSec, 0, 1, nowNs);
    this.idleSinceNs = nowNs - QUIET_NS;
  }

  /**
   * Waits until the read may go on.
   *
   * @param bytes that it has read since
   * @param cancelled asked while waiting; if true this method returns at once
   */
  void acquireAfter(Read read, int bytes, BooleanSupplier cancelled) throws InterruptedException {
    boolean passed = false;
    try {
      if (!goesOn(read, bytes, System.nanoTime())) {
        turns.await(read.flow, (int) TURN_BYTES, () -> tryTurn(read, System.nanoTime()), cancelled);
      }
      passed = hasTurn(read) && awaitBurst(read, cancelled);
    } finally {
      if (!passed) {
        ended(read);
      }
    }
  }

  private synchronized boolean hasTurn(Read read) {
    return turn == read;
  }

  /** Returns whether the read may go on; false if it was cancelled. */
  private boolean awaitBurst(Read read, BooleanSupplier cancelled) throws InterruptedException {
    long beganNs = System.nanoTime();
    long waitNs = tryBurst(read, beganNs);
    while (waitNs > 0 && !cancelled.getAsBoolean()) {
      TimeUnit.NANOSECONDS.sleep(waitNs);
      waitNs = tryBurst(read, System.nanoTime());
    }
    waited.accept(System.nanoTime() - beganNs);
    return waitNs <= 0;
  }

  /** Notes that a read has ended. */
  synchronized void ended(Read read) {
    if (turn == read) {
      turn = null;
    }
  }

  /** Takes note of what a read has read; returns whether it still has its turn. */
  synchronized boolean goesOn(Read read, int bytes, long nowNs) {
    guarantee.addBounded(bytes, nowNs);
    if (turn != read) {
      return false;
    }
    reading = false;
    turnBytes += bytes;
    burstBytes += bytes;
    if (burstBytes >= BURST_BYTES && (turnBytes >= TURN_BYTES || nowNs - turnBeganNs >= TURN_NS)) {
      turn = null;
    }
    return turn != null;
  }

  /** Returns 0 if the read has its turn now, else how long to wait before the next try. */
  synchronized long tryTurn(Read read, long nowNs) {
    if (turn != null && !(reading && nowNs - passedNs >= GONE_NS)
        && !(reading && nowNs - passedNs >= AWAY_NS && inFlight() == 0)) {
      return POLL_NS;
    }
    turn = read;
    turnBeganNs = nowNs;
    turnBytes = 0;
    burstBytes = BURST_BYTES;
    reading = false;
    return 0;
  }

  /** Returns 0 if the read may go on now, else how long to wait before the next try. */
  synchronized long tryBurst(Read read, long nowNs) {
    if (turn == read && burstBytes < BURST_BYTES) {
      return pass(nowNs);
    }
    look(nowNs);
    boolean free = !busy && (!clientsRead || nowNs - idleSinceNs >= QUIET_NS);
    if (free || guarantee.untilEmptyNs(nowNs) <= 0) {
      clientsRead = clientsRead && !free;
      burstBytes = 0;
      return pass(nowNs);
    }
    return POLL_NS;
  }

  private long pass(long nowNs) {
    passedNs = nowNs;
    reading = true;
    return 0;
  }

  private void look(long nowNs) {
    boolean now = inFlight() > 0;
    if (now && !busy) {
      busySinceNs = nowNs;
    } else if (!now && busy) {
      idleSinceNs = nowNs;
    }
    busy = now;
    clientsRead |= busy && nowNs - busySinceNs >= OWN_NS;
  }

  private int inFlight() {
    try {
      return disk.readsInFlight();
    } catch (IOException unknown) {
      return 0;
    }
  }
}
