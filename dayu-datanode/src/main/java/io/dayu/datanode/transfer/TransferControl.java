/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.RunningTransferProto;
import io.dayu.protocol.DayuProtos.SourceProto;
import org.apache.hadoop.hdfs.util.Canceler;
import org.apache.hadoop.hdfs.util.DataTransferThrottler;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedByInterruptException;
import java.util.concurrent.TimeUnit;

/**
 * Holds what the grants of a transfer say (source, rates, lease, stop) and which of its sources has failed. The
 * transfer's thread waits here until it may continue. Any thread may call {@link #update}, {@link #stop},
 * {@link #describe} and the methods that only return something; the transfer's thread alone may call the others.
 *
 * <p>While its source fails or its rate is zero the transfer waits, for a bounded time.
 */
final class TransferControl {
  /**
   * How long a transfer waits after its source has failed, for another source or for a successful retry, before it
   * gives up.
   */
  private static final long SOURCE_TIMEOUT_MS = 15_000;
  private static final long INITIAL_RETRY_MS = 3_000;
  /**
   * How long a transfer with rate zero keeps its connection, unless the source ends it sooner, and its partial replica.
   */
  private static final long PAUSED_CONNECTION_MS = 10_000;
  private static final long PAUSED_PARTIAL_MS = 60_000;
  private static final long THROTTLE_PERIOD_MS = 100;
  /** At a lower rate a throttling period would allow next to nothing. */
  private static final long MIN_RATE_BYTES_PER_SEC = 1024;

  /** A source that failed this transfer, until another takes over or the same one delivers again. */
  private record Failure(SourceProto source, String message, boolean corrupt, long sinceNs, long retryNs) {
  }

  /** Ends the transfer's thread. */
  static final class StopException extends Exception {
    private final Outcome outcome;
    private final String sourceUuid;

    private StopException(Outcome outcome, String message, String sourceUuid) {
      super(message, null, false, false);
      this.outcome = outcome;
      this.sourceUuid = sourceUuid;
    }

    Outcome outcome() {
      return outcome;
    }

    /** The source that is the reason, or null. */
    String sourceUuid() {
      return sourceUuid;
    }
  }

  private final Thread thread;
  private final LinkShaper link;
  private final Canceler throttleBreaker = new Canceler() {
    @Override
    public boolean isCancelled() {
      return isPaused(current);
    }
  };

  // Written under the monitor, read anywhere.
  private volatile SourceProto granted;
  private volatile SourceProto current;
  private volatile long rateBytesPerSec;
  private volatile long maxBytesPerSec;
  private volatile StopException stop;
  private volatile DataTransferThrottler throttler;

  // Guarded by the monitor. Ending: the replica is being finalized or removed, and nothing may interrupt the thread.
  private SourceStream stream;
  private Failure failure;
  private boolean ending;
  private boolean stopRequested;
  private long leaseEndNs;
  private long pausedSinceNs;

  /**
   * @param thread the transfer's, interrupted by a stop
   * @param link shapes what this node receives
   */
  TransferControl(GrantProto grant, long nowNs, Thread thread, LinkShaper link) {
    this.thread = thread;
    this.link = link;
    this.pausedSinceNs = nowNs;
    update(grant, nowNs);
  }

  /** Takes rates, source and lease from a newer grant of the same attempt. */
  synchronized void update(GrantProto newer, long nowNs) {
    leaseEndNs = nowNs + TimeUnit.MILLISECONDS.toNanos(newer.getLeaseMs());
    long rate = newer.getRateBytesPerSec();
    if (rate == 0 && rateBytesPerSec > 0) {
      pausedSinceNs = nowNs;
    }
    boolean wasPaused = rateBytesPerSec == 0;
    rateBytesPerSec = rate;
    maxBytesPerSec = Math.max(MIN_RATE_BYTES_PER_SEC, newer.hasMaxBytesPerSec() ? newer.getMaxBytesPerSec() : rate);
    if (throttler != null && rate > 0) {
      if (wasPaused) {
        throttler = new DataTransferThrottler(THROTTLE_PERIOD_MS, maxBytesPerSec);
      } else {
        throttler.setBandwidth(maxBytesPerSec);
      }
    }
    if (!newer.getSource().equals(granted)) {
      granted = newer.getSource();
      if (stream != null) {
        stream.breakOff();
      }
    }
    notifyAll();
  }

  /** Ends the transfer, unless it is already being made final or removed. */
  synchronized void stop(Outcome outcome, String why) {
    stopRequested = true;
    if (stop == null && !ending) {
      stop = new StopException(outcome, why, null);
      thread.interrupt();
      if (stream != null) {
        stream.breakOff();
      }
    }
  }

  synchronized boolean isLeaseOver(long nowNs) {
    return nowNs - leaseEndNs >= 0;
  }

  /** Whether it has been told to stop, even if that came too late. */
  synchronized boolean isStopRequested() {
    return stopRequested;
  }

  /** Adds source, rate and failure to a report. */
  synchronized void describe(RunningTransferProto.Builder report) {
    report.setSource(granted).setRateBytesPerSec(rateBytesPerSec);
    if (failure != null && failure.source() == granted) {
      report.setFailedSourceUuid(granted.getDatanodeUuid()).setFailure(failure.message())
          .setFailedSourceCorrupt(failure.corrupt());
    }
  }

  /** The plan's source as of the last {@link #begin}. */
  SourceProto current() {
    return current;
  }

  /** Whether a transfer that reads from this source must not receive now. */
  boolean isPaused(SourceProto source) {
    return stop != null || rateBytesPerSec == 0 || granted != source;
  }

  /** Waits until there is a rate and a source that has not just failed. */
  synchronized SourceProto awaitSource() throws StopException {
    while (true) {
      checkStop();
      long nowNs = System.nanoTime();
      if (failure != null && failure.source() == granted) {
        long leftNs = failure.sinceNs() + TimeUnit.MILLISECONDS.toNanos(SOURCE_TIMEOUT_MS) - nowNs;
        if (leftNs <= 0) {
          throw new StopException(failure.corrupt() ? Outcome.SOURCE_CORRUPT : Outcome.SOURCE_FAILED, failure.message(),
              granted.getDatanodeUuid());
        }
        long retryInNs = failure.corrupt() || rateBytesPerSec == 0 ? leftNs : failure.retryNs() - nowNs;
        if (retryInNs <= 0) {
          return granted;
        }
        await(Math.min(leftNs, retryInNs));
      } else if (rateBytesPerSec > 0) {
        return granted;
      } else {
        long leftNs = pausedSinceNs + TimeUnit.MILLISECONDS.toNanos(PAUSED_PARTIAL_MS) - nowNs;
        if (leftNs <= 0) {
          throw new StopException(Outcome.CANCELLED, "at rate 0 for " + PAUSED_PARTIAL_MS + " ms", null);
        }
        await(leftNs);
      }
    }
  }

  /** Notes the connection, which a grant with another source or a stop closes, until {@link #end}. */
  synchronized void begin(SourceStream opened, SourceProto source) throws StopException {
    checkStop();
    stream = opened;
    current = source;
    throttler = new DataTransferThrottler(THROTTLE_PERIOD_MS, maxBytesPerSec);
  }

  synchronized void end() {
    stream = null;
  }

  /**
   * Waits while the rate is zero. Returns false if the connection must be closed: for another source, or because the
   * pause is a long one.
   */
  synchronized boolean mayContinue(SourceProto source) throws StopException {
    checkStop();
    while (rateBytesPerSec == 0 && granted == source) {
      long leftNs = pausedSinceNs + TimeUnit.MILLISECONDS.toNanos(PAUSED_CONNECTION_MS) - System.nanoTime();
      if (leftNs <= 0) {
        return false;
      }
      await(leftNs);
    }
    return granted == source;
  }

  /**
   * Waits after a packet: as long as it takes at the transfer's maximum rate, and until the link has room for the next.
   */
  void throttle(int bytes) {
    throttler.throttle(bytes, throttleBreaker);
    try {
      link.acquire(bytes, throttleBreaker::isCancelled);
    } catch (InterruptedException e) {
      // The caller checks for a stop before it goes on.
      Thread.currentThread().interrupt();
    }
  }

  /** The source has delivered bytes, so its earlier failure no longer counts. */
  synchronized void delivered() {
    failure = null;
  }

  /** Records a failure of the granted source; returns false if a newer grant names another source. */
  synchronized boolean failed(SourceProto source, String message, boolean corrupt) {
    if (granted != source) {
      return false;
    }
    long nowNs = System.nanoTime();
    long sinceNs = failure != null && failure.source() == source ? failure.sinceNs() : nowNs;
    // Each pause is as long as all pauses before it together.
    long retryNs = nowNs + Math.max(TimeUnit.MILLISECONDS.toNanos(INITIAL_RETRY_MS), nowNs - sinceNs);
    failure = new Failure(source, message, corrupt, sinceNs, retryNs);
    return true;
  }

  /** Notes that the replica is being finalized: from now on a stop has no effect. */
  synchronized void commit() throws StopException {
    commit(System.nanoTime());
  }

  /** For tests: the same at this moment. */
  synchronized void commit(long nowNs) throws StopException {
    checkStop();
    if (isLeaseOver(nowNs)) {
      throw new StopException(Outcome.LEASE_EXPIRED, "not confirmed by the NameNode in time", null);
    }
    ending = true;
  }

  /** Notes that the replica is being removed: from now on nothing interrupts the thread. */
  synchronized void abandon() {
    ending = true;
  }

  void checkStop() throws StopException {
    StopException asked = stop;
    if (asked != null) {
      throw asked;
    }
    if (Thread.currentThread().isInterrupted()) {
      throw interrupted();
    }
  }

  /** As {@link #checkStop()}; {@code e} may be the exception that an interrupt caused. */
  void checkStop(IOException e) throws StopException {
    checkStop();
    if ((e instanceof InterruptedIOException && !(e instanceof SocketTimeoutException))
        || e instanceof ClosedByInterruptException) {
      throw interrupted();
    }
  }

  private static StopException interrupted() {
    return new StopException(Outcome.TARGET_FAILED,
        "interrupted by HDFS, which writes a newer generation of the block or gives up the volume", null);
  }

  private void await(long durationNs) throws StopException {
    try {
      TimeUnit.NANOSECONDS.timedWait(this, durationNs);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      checkStop();
    }
  }
}
