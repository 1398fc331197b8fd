/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.datanode.transfer.TransferState.Receive;
import io.dayu.datanode.transfer.TransferState.Stop;
import io.dayu.datanode.transfer.TransferState.Wait;
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
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Has a transfer's threads do what its {@link TransferState} says; those that receive, by the {@link Source} of
 * each source. The transfer's thread alone may call {@link #commit} and {@link #abandon}, any thread the others.
 */
final class TransferControl {
  /** Ends the transfer's thread. */
  static final class StopException extends Exception {
    private final Outcome outcome;
    private final String sourceUuid;

    StopException(Stop stop) {
      super(stop.message(), null, false, false);
      this.outcome = stop.outcome();
      this.sourceUuid = stop.sourceUuid();
    }

    Outcome outcome() {
      return outcome;
    }

    /** The source that is the reason, or null. */
    String sourceUuid() {
      return sourceUuid;
    }
  }

  private static final long THROTTLE_PERIOD_MS = 100;
  /** A source that has not answered for so long may be without power: its transfer needs no place meanwhile. */
  static final long UNANSWERED_NS = TimeUnit.SECONDS.toNanos(1);

  private final Thread thread;
  private final LinkShaper link;
  /** Guarded by the monitor, but for what any thread may ask. */
  private final TransferState state;
  private final List<Source> sources;

  /**
   * @param thread the transfer's, interrupted by a stop
   * @param link shapes what this node receives
   */
  TransferControl(GrantProto grant, long sentNs, Thread thread, LinkShaper link) {
    this.thread = thread;
    this.link = link;
    this.state = new TransferState(grant, sentNs);
    this.sources = state.sources().stream().map(Source::new).toList();
  }

  /** Takes rates, sources and lease from a newer grant of the same attempt, which names as many sources. */
  synchronized void update(GrantProto newer, long sentNs) {
    boolean wasPaused = state.rateBytesPerSec() == 0;
    state.update(newer, sentNs);
    sources.forEach(source -> source.follow(wasPaused));
    notifyAll();
  }

  /** Renews the lease by a grant that says nothing else. */
  synchronized void renew(long leaseMs, long sentNs) {
    state.renew(leaseMs, sentNs);
  }

  /** The rate of the newest grant; 0 while a plan has stopped the transfer. */
  long rateBytesPerSec() {
    return state.rateBytesPerSec();
  }

  /** Ends the transfer, unless it is already being made final or removed. */
  synchronized void stop(Outcome outcome, String why) {
    if (state.stop(outcome, why)) {
      thread.interrupt();
      sources.forEach(Source::breakOff);
      notifyAll();
    }
  }

  synchronized boolean isLeaseOver(long nowNs) {
    return state.isLeaseOver(nowNs);
  }

  /** Whether it has been told to stop, even if that came too late. */
  synchronized boolean isStopRequested() {
    return state.isStopRequested();
  }

  /** Whether the transfer goes before others, as the newest grant says. */
  boolean isAtHighestRisk() {
    return state.isAtHighestRisk();
  }

  /** Whether it can receive nothing for now: a source has failed, or has not answered for a while. */
  synchronized boolean awaitsSource(long nowNs) {
    return state.awaitsSource() || sources.stream().anyMatch(source -> source.isUnanswered(nowNs));
  }

  /** Adds sources, rate and failure to a report. */
  synchronized void describe(RunningTransferProto.Builder report) {
    state.describe(report);
  }

  /** One for each source that is read at once. */
  List<Source> sources() {
    return sources;
  }

  /** Whether no other node can serve the block, as the newest grant says. */
  synchronized boolean isOnlySource() {
    return state.isOnlySource();
  }

  /** Notes that the replica is being finalized: from now on a stop has no effect. */
  synchronized void commit() throws StopException {
    checkStop();
    Stop refused = state.commit(System.nanoTime());
    if (refused != null) {
      throw new StopException(refused);
    }
  }

  /** Notes that the replica is being removed: from now on nothing interrupts the thread. */
  synchronized void abandon() {
    state.abandon();
  }

  /** Whether the transfer has been told to stop in time. */
  boolean isStopped() {
    return state.stopped() != null;
  }

  void checkStop() throws StopException {
    Stop asked = state.stopped();
    if (asked != null) {
      throw new StopException(asked);
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
    return new StopException(new Stop(Outcome.TARGET_FAILED,
        "interrupted by HDFS, which writes a newer generation of the block or gives up the volume", null));
  }

  /**
   * Has the thread that receives from one source of a transfer do what its {@link TransferState.Source} says: wait
   * until it may continue, hold its rate, go to another source. Any thread may call {@link #current}, {@link #wanted},
   * {@link #isPaused} and {@link #breakOff}, the thread that receives alone the other methods.
   */
  final class Source {
    /** The receiving thread's own. */
    private final ReceiveAllowance allowance = new ReceiveAllowance(link.batchBytes());
    /** Weighted by the granted rate, so that a full link is divided as planned, and at the highest risk more. */
    private final FairQueue.Flow flow = new FairQueue.Flow();
    private final Canceler throttleBreaker = new Canceler() {
      @Override
      public boolean isCancelled() {
        return isPaused(current);
      }
    };

    // Written under the monitor, read anywhere.
    private volatile SourceProto current;
    private volatile DataTransferThrottler throttler;
    /** The receiving thread while it waits for the link; else null. */
    private volatile Thread waiting;

    // Guarded by the monitor, but for what any thread may ask.
    private final TransferState.Source source;
    private SourceStream stream;
    /** Whether it is being connected to and has been asked for the block, and since when. */
    private boolean asking;
    private long askedNs;

    private Source(TransferState.Source source) {
      this.source = source;
      weigh();
    }

    /** Follows a newer grant. */
    private void follow(boolean wasPaused) {
      weigh();
      if (throttler != null && state.rateBytesPerSec() > 0) {
        if (wasPaused) {
          throttler = new DataTransferThrottler(THROTTLE_PERIOD_MS, state.maxBytesPerSec());
        } else {
          throttler.setBandwidth(state.maxBytesPerSec());
        }
      }
      if (source.current() != current) {
        breakOff();
      }
      LockSupport.unpark(waiting);
    }

    /** A transfer that pauses keeps its weight: packets that are in the queue still pass. */
    private void weigh() {
      if (state.rateBytesPerSec() > 0) {
        flow.setWeight(state.rateBytesPerSec(), state.isAtHighestRisk());
      }
    }

    /** Makes a read that blocks return at once. */
    void breakOff() {
      synchronized (TransferControl.this) {
        if (stream != null) {
          stream.breakOff();
        }
      }
    }

    /** The plan's source as of the last {@link #begin}. */
    SourceProto current() {
      return current;
    }

    /** Whether a transfer that reads from this source must not receive now. */
    boolean isPaused(SourceProto from) {
      return source.isPaused(from);
    }

    /** The source that is to be read now, or when the transfer goes on. */
    SourceProto wanted() {
      return source.current();
    }

    /** Ends a wait of a throttler when the transfer must not receive. */
    Canceler throttleBreaker() {
      return throttleBreaker;
    }

    /** Waits until there is a rate and a source that has not just failed. */
    SourceProto awaitSource() throws StopException {
      synchronized (TransferControl.this) {
        checkStop();
        TransferState.Next next = source.next(System.nanoTime());
        while (next instanceof Wait pause) {
          await(pause.durationNs());
          checkStop();
          next = source.next(System.nanoTime());
        }
        if (next instanceof Stop end) {
          throw new StopException(end);
        }
        return ((Receive) next).source();
      }
    }

    /** Notes the connection, which a grant with another source or a stop closes, until {@link #end}. */
    void begin(SourceStream opened, SourceProto from) throws StopException {
      synchronized (TransferControl.this) {
        checkStop();
        stream = opened;
        current = from;
        throttler = new DataTransferThrottler(THROTTLE_PERIOD_MS, state.maxBytesPerSec());
      }
    }

    void end() {
      synchronized (TransferControl.this) {
        stream = null;
        asking = false;
      }
    }

    /** The source is connected to and asked for the block, until {@link #answered} or {@link #end}. */
    void asks(long nowNs) {
      synchronized (TransferControl.this) {
        asking = true;
        askedNs = nowNs;
      }
    }

    void answered() {
      synchronized (TransferControl.this) {
        asking = false;
      }
    }

    private boolean isUnanswered(long nowNs) {
      return asking && nowNs - askedNs >= UNANSWERED_NS;
    }

    /**
     * Waits while the rate is zero. Returns false if the connection must be closed: for another source, or because the
     * pause is a long one.
     */
    boolean mayContinue(SourceProto from) throws StopException {
      synchronized (TransferControl.this) {
        checkStop();
        if (!source.isPaused(from)) {
          return true;
        }
        TransferState.Next next = source.next(from, System.nanoTime());
        while (next instanceof Wait pause) {
          await(pause.durationNs());
          next = source.next(from, System.nanoTime());
        }
        if (next instanceof Stop end) {
          throw new StopException(end);
        }
        return next instanceof Receive;
      }
    }

    /** Waits after a packet for as long as it takes at the transfer's maximum rate. */
    void throttle(int bytes) {
      throttler.throttle(bytes, throttleBreaker);
    }

    /**
     * Waits until the link has room for the next packet. Returns false if the transfer must not receive now: the caller
     * asks {@link #mayContinue}.
     *
     * @param restBytes what there is still to receive
     */
    boolean awaitRoom(SourceProto from, long restBytes) {
      int bytes = allowance.missingBytes(restBytes, state.rateBytesPerSec());
      if (bytes <= 0) {
        return true;
      }
      waiting = Thread.currentThread();
      try {
        if (!link.acquire(flow, bytes, throttleBreaker::isCancelled)) {
          return false;
        }
      } catch (InterruptedException e) {
        // The caller checks for a stop before it goes on.
        Thread.currentThread().interrupt();
        return false;
      } finally {
        waiting = null;
      }
      // The link has counted them, so they stay acquired while the transfer pauses or takes another source.
      allowance.acquired(bytes);
      return !isPaused(from);
    }

    /** Takes note of a packet that has come. */
    void received(int bytes) {
      allowance.received(bytes);
    }

    /** The source has delivered bytes, so its earlier failure no longer counts. */
    void delivered() {
      synchronized (TransferControl.this) {
        source.delivered();
      }
    }

    /** Records a failure of the granted source; returns false if a newer grant names another source. */
    boolean failed(SourceProto from, String message, boolean corrupt) {
      synchronized (TransferControl.this) {
        return source.failed(from, message, corrupt, System.nanoTime());
      }
    }

    private void await(long durationNs) throws StopException {
      try {
        TimeUnit.NANOSECONDS.timedWait(TransferControl.this, durationNs);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        checkStop();
      }
    }
  }
}
