/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.conf.Settings;
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
 * are worth it. Where clients leave nothing, recovery gets {@link #MIN_BYTES_PER_SEC}.
 *
 * <p><b>Algorithm.</b> Reads of recovery take turns ({@link FairQueue}). A turn is bursts of {@link #BURST_BYTES}, up
 * to {@link #TURN_BYTES} or {@link #TURN_NS}. Before each burst the read waits until the disk has no read in flight.
 * If one takes longer than what the system reads ahead for recovery itself, it is a client's: then the disk must have
 * been idle for {@link #QUIET_NS}, since a client that reads on does so sooner. A read that waits for its network
 * leaves its turn to the next one. The first packet of a read waits for nobody, since HDFS asks after each packet.
 *
 * <p>Among the requests of many clients a burst takes long. So whenever recovery has had less than its minimum, the
 * read whose turn it is does not wait for the disk, and else the next one gets a burst beside it.
 *
 * <p><b>Why not by latency.</b> Recovery's reads are small and in order, clients' are large and anywhere, so the mean
 * latency of the disk depends on how many there are of each. And a rate that follows it over seconds lets recovery
 * read while clients wait. The number of reads in flight says at each moment whether one waits.
 */
final class VolumeShaper {
  /** What a client waits for: 2.6 ms at 100 MB/s, and the time to position. */
  static final int BURST_BYTES = 256 * 1024;
  /** The heads move from block to block in 6 ms, and read so much in 42 ms. */
  static final long TURN_BYTES = 4 << 20;
  /** On a disk that clients keep busy {@link #TURN_BYTES} take seconds, for which the other reads would wait. */
  static final long TURN_NS = TimeUnit.MILLISECONDS.toNanos(250);
  /** How long the disk must have been idle after a client's read: a client that reads on asks sooner. */
  static final long QUIET_NS = TimeUnit.MILLISECONDS.toNanos(4);
  /** Reads that are in flight for no longer may be what the system reads ahead for the read itself. */
  static final long OWN_NS = TimeUnit.MILLISECONDS.toNanos(3);
  /** How often the disk is looked at, at most: more often than a client that reads on pauses. */
  static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(1);
  /** A read that does not come back within this time waits for its network, if the disk is idle. */
  static final long AWAY_NS = TimeUnit.MILLISECONDS.toNanos(2);
  /** A read that does not come back within this time has ended: HDFS does not say that one has failed. */
  static final long GONE_NS = TimeUnit.MILLISECONDS.toNanos(500);

  /**
   * What 12 % of the time of a disk bring that positions in 6 ms and reads 100 MB/s, for each 128 KiB: the bytes that
   * Linux reads ahead by default, thus between two such movements if clients read, too. What share of its time it is on
   * other disks is not known: where they read more at once it is less.
   */
  static final double MIN_BYTES_PER_SEC = Settings.DEFAULT_MIN_RATIO * (128 << 10) / (0.006 + (128 << 10) / 100e6);
  /** For this time the guarantee may be taken later than due: those who wait look once in {@link #POLL_NS}. */
  private static final double MIN_CREDIT_SEC = 0.1;
  /** For no longer does recovery make up for having read more than the guarantee. */
  private static final double MIN_DEBT_SEC = 1;

  /** Counts a disk's reads. */
  interface Disk {
    int readsInFlight() throws IOException;
  }

  /** A read of recovery on this disk. */
  static final class Read {
    private final FairQueue.Flow flow = new FairQueue.Flow();
    /** What it has read of its burst; it needs a new one if that is {@link #BURST_BYTES}. Guarded by the shaper. */
    private long burstBytes = BURST_BYTES;
    /** What it has read since it last waited for its turn. Guarded by the shaper. */
    private int sinceWaitBytes;
    /** What the guarantee was charged for its burst. Guarded by the shaper. */
    private double chargedBytes;
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
  /** Whether it was let go on, and has not come back. */
  private boolean reading;
  /** When the read whose turn it is was last let go on. */
  private long passedNs;
  private long busySinceNs;
  private long idleSinceNs;
  private boolean busy;
  /** Whether a client's read was in flight, and the disk was not idle for long since. */
  private boolean clientsRead;
  private int inFlight;
  private long lookedNs;

  /** @param waited is told for how long the read whose turn it is had to wait for clients, in nanoseconds */
  VolumeShaper(Disk disk, LongConsumer waited, long nowNs) {
    this.disk = disk;
    this.waited = waited;
    this.guarantee = new PhantomQueue(MIN_BYTES_PER_SEC, MIN_CREDIT_SEC, MIN_DEBT_SEC, nowNs);
    this.idleSinceNs = nowNs - QUIET_NS;
    this.lookedNs = nowNs - POLL_NS;
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
        turns.setLastBytes(read.flow, takeSinceWait(read));
        turns.await(read.flow, BURST_BYTES, () -> tryTurn(read, System.nanoTime()), cancelled);
      }
      passed = isAdmitted(read) && awaitBurst(read, cancelled);
    } finally {
      if (!passed) {
        ended(read, System.nanoTime());
      }
    }
  }

  /** Returns what the read has read since it last waited for its turn: a whole turn, or a burst beside another's. */
  private synchronized int takeSinceWait(Read read) {
    int bytes = read.sinceWaitBytes;
    read.sinceWaitBytes = 0;
    return bytes;
  }

  private synchronized boolean isAdmitted(Read read) {
    return turn == read || read.burstBytes < BURST_BYTES;
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
  synchronized void ended(Read read, long nowNs) {
    endBurst(read, nowNs);
    if (turn == read) {
      turn = null;
    }
  }

  /** Takes note of what a read has read; returns whether it may go on without a new turn. */
  synchronized boolean goesOn(Read read, int bytes, long nowNs) {
    if (read.burstBytes >= BURST_BYTES) {
      // It waited for nobody.
      guarantee.addBounded(bytes, nowNs);
    }
    read.burstBytes += bytes;
    read.sinceWaitBytes += bytes;
    if (turn == read) {
      reading = false;
      turnBytes += bytes;
      if (read.burstBytes >= BURST_BYTES && (turnBytes >= TURN_BYTES || nowNs - turnBeganNs >= TURN_NS)) {
        turn = null;
      }
    }
    return isAdmitted(read);
  }

  /** Returns 0 if the read has its turn now, or a burst beside another's, else how long to wait for the next try. */
  synchronized long tryTurn(Read read, long nowNs) {
    if (turn == null || reading && hasLeft(nowNs)) {
      if (turn != null) {
        endBurst(turn, nowNs);
      }
      turn = read;
      turnBeganNs = nowNs;
      turnBytes = 0;
      reading = false;
      return 0;
    }
    if (guarantee.untilEmptyNs(nowNs) <= 0) {
      beginBurst(read, nowNs);
      return 0;
    }
    return POLL_NS;
  }

  private boolean hasLeft(long nowNs) {
    return nowNs - passedNs >= GONE_NS || nowNs - passedNs >= AWAY_NS && inFlight(nowNs) == 0;
  }

  /** Returns 0 if the read may go on now, else how long to wait before the next try. */
  synchronized long tryBurst(Read read, long nowNs) {
    if (read.burstBytes >= BURST_BYTES) {
      look(nowNs);
      boolean free = !busy && (!clientsRead || nowNs - idleSinceNs >= QUIET_NS);
      if (!free && guarantee.untilEmptyNs(nowNs) > 0) {
        return POLL_NS;
      }
      clientsRead = clientsRead && !free;
      beginBurst(read, nowNs);
    }
    if (turn == read) {
      passedNs = nowNs;
      reading = true;
    }
    return 0;
  }

  private void beginBurst(Read read, long nowNs) {
    // Now, not when it has been read: a disk that clients keep busy takes long for it.
    read.chargedBytes = guarantee.addBounded(BURST_BYTES, nowNs);
    read.burstBytes = 0;
  }

  /** Gives back what a read leaves of its burst: of a block of one packet, which waited for nobody, all of it. */
  private void endBurst(Read read, long nowNs) {
    if (read.burstBytes < BURST_BYTES) {
      guarantee.add(-Math.max(0, read.chargedBytes - read.burstBytes), nowNs);
      read.burstBytes = BURST_BYTES;
    }
  }

  private void look(long nowNs) {
    boolean now = inFlight(nowNs) > 0;
    if (now && !busy) {
      busySinceNs = nowNs;
    } else if (!now && busy) {
      idleSinceNs = nowNs;
    }
    busy = now;
    clientsRead |= busy && nowNs - busySinceNs >= OWN_NS;
  }

  /** Asks the system once in {@link #POLL_NS} at most. It answers from memory, also if the disk hangs. */
  private int inFlight(long nowNs) {
    if (nowNs - lookedNs >= POLL_NS) {
      lookedNs = nowNs;
      try {
        inFlight = disk.readsInFlight();
      } catch (IOException unknown) {
        inFlight = 0;
      }
    }
    return inFlight;
  }
}
