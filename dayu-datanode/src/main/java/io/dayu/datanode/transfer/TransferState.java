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

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * What one transfer does next: by its grants, its lease, and what has become of its sources. It decides and does
 * nothing itself. While its source fails or its rate is zero the transfer waits, for a bounded time.
 *
 * <p>All times are of one monotonic clock, in nanoseconds. Not thread-safe but for {@link #isPaused} and
 * {@link #stopped}, which any thread may call.
 */
public final class TransferState {
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
  /** At a lower rate a throttling period would allow next to nothing. */
  private static final long MIN_RATE_BYTES_PER_SEC = 1024;

  /** What a transfer does next. */
  public sealed interface Next {
  }

  /** It receives from this source. */
  public record Receive(SourceProto source) implements Next {
  }

  /** It asks again after this time, or when a grant or a stop arrives before that. */
  public record Wait(long durationNs) implements Next {
  }

  /** It closes its connection and asks again. */
  public record Disconnect() implements Next {
  }

  /**
   * It ends, and removes what it has received.
   *
   * @param sourceUuid the source that is the reason, or null
   */
  public record Stop(Outcome outcome, String message, String sourceUuid) implements Next {
  }

  /** The granted source, while the transfer goes on from one of its alternates because that one has failed. */
  private record Left(SourceProto source, String message, boolean corrupt) {
  }

  /** A source that failed this transfer, until another takes over or the same one delivers again. */
  private record Failure(SourceProto source, String message, boolean corrupt, long sinceNs, long retryNs) {
  }

  // Any thread may read these.
  /** The granted source, or the alternate in its place. */
  private volatile SourceProto current;
  private volatile long rateBytesPerSec;
  private volatile Stop stop;

  private SourceProto granted;
  private List<SourceProto> alternates = List.of();
  private boolean onlySource;
  /** The alternates that have failed since the granted source last delivered bytes. */
  private final Set<String> failedAlternates = new HashSet<>(0);
  private Left left;
  private long maxBytesPerSec;
  private Failure failure;
  /** The replica is being finalized or removed. */
  private boolean ending;
  private boolean stopRequested;
  private long leaseEndNs;
  private long pausedSinceNs;

  /** @param nowNs when the report was sent that the grant answers: the lease counts from here */
  public TransferState(GrantProto grant, long nowNs) {
    this.pausedSinceNs = nowNs;
    update(grant, nowNs);
  }

  /** Takes rates, source and lease from a newer grant of the same attempt. */
  public void update(GrantProto newer, long nowNs) {
    leaseEndNs = nowNs + TimeUnit.MILLISECONDS.toNanos(newer.getLeaseMs());
    long rate = newer.getRateBytesPerSec();
    if (rate == 0 && rateBytesPerSec > 0) {
      pausedSinceNs = nowNs;
    }
    rateBytesPerSec = rate;
    maxBytesPerSec = Math.max(MIN_RATE_BYTES_PER_SEC, newer.hasMaxBytesPerSec() ? newer.getMaxBytesPerSec() : rate);
    alternates = newer.getAlternatesList();
    onlySource = newer.getOnlySource();
    if (!newer.getSource().equals(granted)) {
      granted = newer.getSource();
      left = null;
      failedAlternates.clear();
      if (!granted.equals(current)) {
        current = granted;
      }
    }
  }

  /** Has the transfer end, and returns true, unless it is told already or is being made final or removed. */
  public boolean stop(Outcome outcome, String why) {
    stopRequested = true;
    boolean inTime = stop == null && !ending;
    if (inTime) {
      stop = new Stop(outcome, why, null);
    }
    return inTime;
  }

  /** Why it was told to end; null if it was not, or too late. */
  public Stop stopped() {
    return stop;
  }

  /** Whether it has been told to stop, even if that came too late. */
  public boolean isStopRequested() {
    return stopRequested;
  }

  public boolean isLeaseOver(long nowNs) {
    return nowNs - leaseEndNs >= 0;
  }

  public SourceProto source() {
    return current;
  }

  /** Whether no other node can serve the block, as the newest grant says. */
  public boolean isOnlySource() {
    return onlySource;
  }

  public long rateBytesPerSec() {
    return rateBytesPerSec;
  }

  /** What the transfer may use of idle moments: at least what makes a throttling period worth while. */
  public long maxBytesPerSec() {
    return maxBytesPerSec;
  }

  /** Whether a transfer that reads from this source must not receive now. */
  public boolean isPaused(SourceProto source) {
    return stop != null || rateBytesPerSec == 0 || current != source;
  }

  /** What to do without a connection. */
  public Next next(long nowNs) {
    if (stop != null) {
      return stop;
    }
    if (failure != null && failure.source() == current) {
      long leftNs = failure.sinceNs() + TimeUnit.MILLISECONDS.toNanos(SOURCE_TIMEOUT_MS) - nowNs;
      if (leftNs <= 0) {
        return new Stop(failure.corrupt() ? Outcome.SOURCE_CORRUPT : Outcome.SOURCE_FAILED, failure.message(),
            current.getDatanodeUuid());
      }
      long retryInNs = failure.corrupt() || rateBytesPerSec == 0 ? leftNs : failure.retryNs() - nowNs;
      return retryInNs <= 0 ? new Receive(current) : new Wait(Math.min(leftNs, retryInNs));
    }
    if (rateBytesPerSec > 0) {
      return new Receive(current);
    }
    long leftNs = pausedSinceNs + TimeUnit.MILLISECONDS.toNanos(PAUSED_PARTIAL_MS) - nowNs;
    return leftNs <= 0 ? new Stop(Outcome.CANCELLED, "at rate 0 for " + PAUSED_PARTIAL_MS + " ms", null)
        : new Wait(leftNs);
  }

  /** What to do with a connection to this source, which is closed for another source or in a long pause. */
  public Next next(SourceProto connected, long nowNs) {
    if (stop != null) {
      return stop;
    }
    if (current != connected) {
      return new Disconnect();
    }
    if (rateBytesPerSec > 0) {
      return new Receive(connected);
    }
    long leftNs = pausedSinceNs + TimeUnit.MILLISECONDS.toNanos(PAUSED_CONNECTION_MS) - nowNs;
    return leftNs <= 0 ? new Disconnect() : new Wait(leftNs);
  }

  /** The source has delivered bytes, so its earlier failure no longer counts. */
  public void delivered() {
    failure = null;
    if (left == null) {
      failedAlternates.clear();
    }
  }

  /**
   * Records a failure of the source: the transfer goes on from an alternate, at once, if one is left. Returns false if
   * a newer grant names another source.
   */
  public boolean failed(SourceProto source, String message, boolean corrupt, long nowNs) {
    if (current != source) {
      return false;
    }
    if (left == null) {
      left = new Left(source, message, corrupt);
    } else {
      failedAlternates.add(source.getDatanodeUuid());
    }
    Optional<SourceProto> next = alternates.stream()
        .filter(other -> !other.equals(granted) && !failedAlternates.contains(other.getDatanodeUuid())).findFirst();
    if (next.isPresent()) {
      current = next.get();
      failure = null;
    } else {
      awaitGrant(left, nowNs);
      left = null;
    }
    return true;
  }

  /** No alternate is left: the transfer waits for another grant, and tries the granted source again meanwhile. */
  private void awaitGrant(Left first, long nowNs) {
    SourceProto source = first.source();
    current = source;
    long sinceNs = failure != null && failure.source() == source ? failure.sinceNs() : nowNs;
    // Each pause is as long as all pauses before it together.
    long retryNs = nowNs + Math.max(TimeUnit.MILLISECONDS.toNanos(INITIAL_RETRY_MS), nowNs - sinceNs);
    failure = new Failure(source, first.message(), first.corrupt(), sinceNs, retryNs);
  }

  /**
   * The replica is complete. Returns why it must be removed all the same, or null if it is to be finalized: from now on
   * a stop has no effect.
   */
  public Stop commit(long nowNs) {
    if (stop != null) {
      return stop;
    }
    if (isLeaseOver(nowNs)) {
      return new Stop(Outcome.LEASE_EXPIRED, "not confirmed by the NameNode in time", null);
    }
    ending = true;
    return null;
  }

  /** The replica is being removed: from now on a stop has no effect. */
  public void abandon() {
    ending = true;
  }

  /** Adds source, rate and failure to a report. */
  public void describe(RunningTransferProto.Builder report) {
    report.setSource(current).setRateBytesPerSec(rateBytesPerSec);
    if (left != null) {
      describe(report, left.source(), left.message(), left.corrupt());
    } else if (failure != null && failure.source() == current) {
      describe(report, current, failure.message(), failure.corrupt());
    }
  }

  private static void describe(RunningTransferProto.Builder report, SourceProto failed, String message,
      boolean corrupt) {
    report.setFailedSourceUuid(failed.getDatanodeUuid()).setFailure(message).setFailedSourceCorrupt(corrupt);
  }
}
