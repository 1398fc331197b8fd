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
 * Has recovery read from a rotating disk, and write to it, where clients leave it idle, and one block at a time. Safe
 * for use by all threads.
 *
 * <p><b>Goals.</b> A client's read waits for one burst of recovery at most, also a short-circuit read, which passes no
 * DataNode. Recovery gets most of what clients leave: the heads move for each burst and for each other block, so both
 * are worth it. Where clients leave nothing, recovery gets {@link #MIN_BYTES_PER_SEC}.
 *
 * <p><b>Algorithm.</b> Streams of recovery, each of which reads or writes one replica, take turns ({@link FairQueue});
 * those at the highest risk go first. A turn is bursts of {@link #BURST_BYTES}, up to {@link #TURN_BYTES} or
 * {@link #TURN_NS}. Before each burst the stream waits until the disk has no read in flight. If one takes longer than
 * what the system reads ahead for recovery itself, it is a client's: then the disk must have been idle for
 * {@link #QUIET_NS}, since a client that reads on does so sooner. A stream that waits for its network leaves its turn
 * to the next one. The first packet of a read waits for nobody, since HDFS asks after each packet.
 *
 * <p>Among the requests of many clients a burst takes long. So whenever recovery has had less than its minimum, the
 * stream whose turn it is does not wait for the disk, and else the next one gets a burst beside it.
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
  /** A stream that does not come back within this time waits for its network, if the disk is idle. */
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

  /** Writes a part of a replica. */
  interface Write {
    /** Returns when the part is on the disk. */
    void run() throws IOException;
  }

  /** What recovery reads from this disk of one replica, or writes to it. */
  static final class Stream {
    private final FairQueue.Flow flow = new FairQueue.Flow();
    /** What it has done of its burst; it needs a new one if that is {@link #BURST_BYTES}. Guarded by the shaper. */
    private long burstBytes = BURST_BYTES;
    /** What it has done since it last waited for its turn. Guarded by the shaper. */
    private int sinceWaitBytes;
    /** What the guarantee was charged for its burst. Guarded by the shaper. */
    private double chargedBytes;
    /** Whether it is writing a burst now. Guarded by the shaper. */
    private boolean writing;
    /** For how long it has waited for its turn, without what it then waited for clients. Its thread's own. */
    private long turnWaitNs;

    /** Says whether its replica goes before others, from when it next waits for its turn on. */
    void setHighestRisk(boolean highestRisk) {
      flow.setWeight(1, highestRisk);
    }

    long turnWaitNs() {
      return turnWaitNs;
    }
  }

  private final Disk disk;
  private final LongConsumer waited;
  private final FairQueue turns = new FairQueue();
  // Guarded by the monitor.
  private final PhantomQueue guarantee;
  /** Whose turn it is; null if nobody's. */
  private Stream turn;
  private long turnBeganNs;
  private long turnBytes;
  /** Whether it was let go on, and has not come back. */
  private boolean goneOn;
  /** When it was last let go on, or last had written. */
  private long passedNs;
  private long busySinceNs;
  private long idleSinceNs;
  private boolean busy;
  /** Whether a client's read was in flight, and the disk was not idle for long since. */
  private boolean clientsRead;
  private int inFlight;
  private long lookedNs;

  /** @param waited is told for how long the stream whose turn it is had to wait for clients, in nanoseconds */
  VolumeShaper(Disk disk, LongConsumer waited, long nowNs) {
    this.disk = disk;
    this.waited = waited;
    this.guarantee = new PhantomQueue(MIN_BYTES_PER_SEC, MIN_CREDIT_SEC, MIN_DEBT_SEC, nowNs);
    this.idleSinceNs = nowNs - QUIET_NS;
    this.lookedNs = nowNs - POLL_NS;
  }

  /**
   * Waits until a read may go on.
   *
   * @param bytes that it has read since
   * @param cancelled asked while waiting; if true this method returns at once
   * @return whether it may; false if it was cancelled
   */
  boolean acquireAfter(Stream stream, int bytes, BooleanSupplier cancelled) throws InterruptedException {
    boolean passed = false;
    try {
      if (!goesOn(stream, bytes, System.nanoTime())) {
        turns.setLastBytes(stream.flow, takeSinceWait(stream));
        long beganNs = System.nanoTime();
        turns.await(stream.flow, BURST_BYTES, () -> tryTurn(stream, System.nanoTime()), cancelled);
        stream.turnWaitNs += System.nanoTime() - beganNs;
      }
      passed = isAdmitted(stream) && awaitBurst(stream, cancelled);
    } finally {
      if (!passed) {
        ended(stream, System.nanoTime());
      }
    }
    return passed;
  }

  /**
   * Writes the next part of a replica as soon as it may.
   *
   * @param bytes how long the part is: {@link #BURST_BYTES}, the last one also less
   * @return whether it has been written; false if it was cancelled
   */
  boolean write(Stream stream, int bytes, Write write, BooleanSupplier cancelled)
      throws IOException, InterruptedException {
    if (!acquireAfter(stream, 0, cancelled)) {
      return false;
    }
    begins(stream, System.nanoTime());
    try {
      write.run();
    } finally {
      wrote(stream, bytes, System.nanoTime());
    }
    return true;
  }

  /** Whether a stream would take nobody's turn, and go before nobody, if it went on now. */
  boolean isFreeFor(Stream stream) {
    Stream holder = turnHolder();
    return holder == stream || holder == null && !turns.isWaitedFor();
  }

  private synchronized Stream turnHolder() {
    return turn;
  }

  /** Returns what the stream has done since it last waited for its turn: a whole turn, or a burst beside another's. */
  private synchronized int takeSinceWait(Stream stream) {
    int bytes = stream.sinceWaitBytes;
    stream.sinceWaitBytes = 0;
    return bytes;
  }

  private synchronized boolean isAdmitted(Stream stream) {
    return turn == stream || stream.burstBytes < BURST_BYTES;
  }

  /** Returns whether the stream may go on; false if it was cancelled. */
  private boolean awaitBurst(Stream stream, BooleanSupplier cancelled) throws InterruptedException {
    long beganNs = System.nanoTime();
    long waitNs = tryBurst(stream, beganNs);
    while (waitNs > 0 && !cancelled.getAsBoolean()) {
      TimeUnit.NANOSECONDS.sleep(waitNs);
      waitNs = tryBurst(stream, System.nanoTime());
    }
    waited.accept(System.nanoTime() - beganNs);
    return waitNs <= 0;
  }

  /** Notes that a stream begins to write its burst. */
  synchronized void begins(Stream stream, long nowNs) {
    stream.writing = true;
    if (turn == stream) {
      passedNs = nowNs;
    }
  }

  /** Notes that a stream has written its burst, and now waits for its network. */
  synchronized void wrote(Stream stream, int bytes, long nowNs) {
    stream.writing = false;
    goesOn(stream, bytes, nowNs);
    if (turn == stream) {
      passedNs = nowNs;
      goneOn = true;
    }
  }

  /** Notes that a stream has ended. */
  synchronized void ended(Stream stream, long nowNs) {
    endBurst(stream, nowNs);
    if (turn == stream) {
      turn = null;
    }
  }

  /** Takes note of what a stream has done; returns whether it may go on without a new turn. */
  synchronized boolean goesOn(Stream stream, int bytes, long nowNs) {
    if (stream.burstBytes >= BURST_BYTES) {
      // It waited for nobody.
      guarantee.addBounded(bytes, nowNs);
    }
    stream.burstBytes += bytes;
    stream.sinceWaitBytes += bytes;
    if (turn == stream) {
      goneOn = false;
      turnBytes += bytes;
      if (stream.burstBytes >= BURST_BYTES && (turnBytes >= TURN_BYTES || nowNs - turnBeganNs >= TURN_NS)) {
        turn = null;
      }
    }
    return isAdmitted(stream);
  }

  /** Returns 0 if the stream has its turn now, or a burst beside another's, else how long to wait for the next try. */
  synchronized long tryTurn(Stream stream, long nowNs) {
    if (turn == null || goneOn && hasLeft(nowNs)) {
      if (turn != null) {
        endBurst(turn, nowNs);
      }
      turn = stream;
      turnBeganNs = nowNs;
      turnBytes = 0;
      goneOn = false;
      return 0;
    }
    if (guarantee.untilEmptyNs(nowNs) <= 0) {
      beginBurst(stream, nowNs);
      return 0;
    }
    return POLL_NS;
  }

  private boolean hasLeft(long nowNs) {
    long awayNs = nowNs - passedNs;
    return awayNs >= GONE_NS || awayNs >= AWAY_NS && !turn.writing && inFlight(nowNs) == 0;
  }

  /** Returns 0 if the stream may go on now, else how long to wait before the next try. */
  synchronized long tryBurst(Stream stream, long nowNs) {
    if (stream.burstBytes >= BURST_BYTES) {
      look(nowNs);
      boolean free = !busy && (!clientsRead || nowNs - idleSinceNs >= QUIET_NS);
      if (!free && guarantee.untilEmptyNs(nowNs) > 0) {
        return POLL_NS;
      }
      clientsRead = clientsRead && !free;
      beginBurst(stream, nowNs);
    }
    if (turn == stream) {
      passedNs = nowNs;
      goneOn = true;
    }
    return 0;
  }

  private void beginBurst(Stream stream, long nowNs) {
    // Now, not when it has been read: a disk that clients keep busy takes long for it.
    stream.chargedBytes = guarantee.addBounded(BURST_BYTES, nowNs);
    stream.burstBytes = 0;
  }

  /** Gives back what a stream leaves of its burst: of a block of one packet, which waited for nobody, all of it. */
  private void endBurst(Stream stream, long nowNs) {
    if (stream.burstBytes < BURST_BYTES) {
      guarantee.add(-Math.max(0, stream.chargedBytes - stream.burstBytes), nowNs);
      stream.burstBytes = BURST_BYTES;
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
