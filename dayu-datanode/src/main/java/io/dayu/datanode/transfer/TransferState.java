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

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * What one transfer does next: by its grants and its lease; and, by the {@link Source} of each place for a source, by
 * what has become of these. It decides and does nothing itself. While a source fails or the rate is zero the transfer
 * waits, for a bounded time.
 *
 * <p>A transfer that copies a block reads from one source, one that rebuilds an internal block of an erasure-coded
 * group from several at once. The number of sources does not change.
 *
 * <p>All times are of one monotonic clock, in nanoseconds. Not thread-safe but for {@link #stopped},
 * {@link #rateBytesPerSec}, {@link #isAtHighestRisk} and {@link Source#isPaused}, which any thread may call.
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
  private volatile long rateBytesPerSec;
  private volatile boolean highestRisk;
  private volatile Stop stop;

  private final List<Source> sources;
  private List<SourceProto> alternates = List.of();
  private boolean onlySource;
  /** The alternates that have failed since the granted sources last all delivered bytes. */
  private final Set<String> failedAlternates = new HashSet<>(0);
  private long maxBytesPerSec;
  /** The replica is being finalized or removed. */
  private boolean ending;
  private boolean stopRequested;
  private long leaseEndNs;
  private long pausedSinceNs;

  /** @param sentNs when the report was sent that the grant answers: the lease counts from here */
  public TransferState(GrantProto grant, long sentNs) {
    this.pausedSinceNs = sentNs;
    this.sources = sources(grant).stream().map(Source::new).toList();
    update(grant, sentNs);
  }

  /** The sources that a grant names, alternates apart. */
  static List<SourceProto> sources(GrantProto grant) {
    List<SourceProto> sources = new ArrayList<>(1);
    sources.add(grant.getSource());
    if (grant.hasGroup()) {
      sources.addAll(grant.getFurtherSourcesList());
    }
    return sources;
  }

  /** Takes rates, sources and lease from a newer grant of the same attempt, which names as many sources. */
  public void update(GrantProto newer, long sentNs) {
    renew(newer.getLeaseMs(), sentNs);
    long rate = newer.getRateBytesPerSec();
    if (rate == 0 && rateBytesPerSec > 0) {
      pausedSinceNs = sentNs;
    }
    rateBytesPerSec = rate;
    maxBytesPerSec = Math.max(MIN_RATE_BYTES_PER_SEC, newer.hasMaxBytesPerSec() ? newer.getMaxBytesPerSec() : rate);
    alternates = newer.getAlternatesList();
    onlySource = newer.getOnlySource();
    highestRisk = newer.getHighestRisk();
    List<Left> left = sources.stream().map(Source::left).filter(Objects::nonNull).toList();
    grant(sources(newer));
    sources.forEach(place -> place.failAgain(left, sentNs));
  }

  /** Renews the lease by a grant that says nothing else. */
  public void renew(long leaseMs, long sentNs) {
    leaseEndNs = sentNs + TimeUnit.MILLISECONDS.toNanos(leaseMs);
  }

  /** Gives each place a source: first those that it reads or has been granted, so that as few as possible change. */
  private void grant(List<SourceProto> granted) {
    List<SourceProto> open = new ArrayList<>(granted);
    List<Source> others = new ArrayList<>();
    for (Source place : sources) {
      if (open.remove(place.current())) {
        place.grant(place.current());
      } else {
        others.add(place);
      }
    }
    List<Source> without = new ArrayList<>();
    for (Source place : others) {
      if (open.remove(place.granted())) {
        place.keepGrant(granted);
      } else {
        without.add(place);
      }
    }
    for (Source place : without) {
      if (!open.isEmpty()) {
        place.grant(open.remove(0));
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

  /** As many as the grant names: one, unless the transfer rebuilds. */
  public List<Source> sources() {
    return sources;
  }

  /** Whether no other node can serve the block, as the newest grant says. */
  public boolean isOnlySource() {
    return onlySource;
  }

  /** Whether it goes before others, as the newest grant says. */
  public boolean isAtHighestRisk() {
    return highestRisk;
  }

  public long rateBytesPerSec() {
    return rateBytesPerSec;
  }

  /** What the transfer may use of idle moments: at least what makes a throttling period worth while. */
  public long maxBytesPerSec() {
    return maxBytesPerSec;
  }

  /** What to do at rate zero, without a connection. */
  private Next pauseWithoutConnection(long nowNs) {
    long leftNs = pausedSinceNs + TimeUnit.MILLISECONDS.toNanos(PAUSED_PARTIAL_MS) - nowNs;
    return leftNs <= 0 ? new Stop(Outcome.CANCELLED, "at rate 0 for " + PAUSED_PARTIAL_MS + " ms", null)
        : new Wait(leftNs);
  }

  /** What to do at rate zero, with a connection. */
  private Next pauseWithConnection(long nowNs) {
    long leftNs = pausedSinceNs + TimeUnit.MILLISECONDS.toNanos(PAUSED_CONNECTION_MS) - nowNs;
    return leftNs <= 0 ? new Disconnect() : new Wait(leftNs);
  }

  private void forgetFailedAlternates() {
    if (!failedAlternates.isEmpty() && sources.stream().noneMatch(Source::fails)) {
      failedAlternates.clear();
    }
  }

  /** The best alternate that has not failed and that can take the place of a granted source; empty if none is left. */
  private Optional<SourceProto> alternateFor(Source place) {
    Set<Integer> othersIndices = sources.stream().filter(other -> other != place)
        .flatMap(other -> List.of(other.current().getIndex(), other.granted().getIndex()).stream())
        .collect(Collectors.toSet());
    return alternates.stream().filter(alternate -> !alternate.equals(place.granted())
        && !failedAlternates.contains(alternate.getDatanodeUuid()) && !othersIndices.contains(alternate.getIndex()))
        .findFirst();
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

  /** Whether a source has failed without an alternate: until another grant names one, all it can do is to try again. */
  public boolean awaitsSource() {
    return sources.stream().anyMatch(Source::awaitsGrant);
  }

  /** Adds sources, rate and failure to a report. */
  public void describe(RunningTransferProto.Builder report) {
    report.setSource(sources.get(0).current()).setRateBytesPerSec(rateBytesPerSec);
    sources.stream().skip(1).forEach(source -> report.addFurtherSources(source.current()));
    // A report has room for one; the others are in those that follow.
    sources.stream().filter(Source::fails).findFirst().ifPresent(failing -> failing.describeFailure(report));
  }

  /**
   * One place for a source in a transfer: which node is read there now, what has become of it, and what to do next. A
   * node that fails is replaced by an alternate of the grant, or by another grant.
   */
  public final class Source {
    /** The granted source, or the alternate in its place. Any thread may read it. */
    private volatile SourceProto current;
    private SourceProto granted;
    private Left left;
    private Failure failure;

    private Source(SourceProto granted) {
      this.granted = granted;
      this.current = granted;
    }

    /** The granted source, or the alternate in its place. */
    public SourceProto current() {
      return current;
    }

    private SourceProto granted() {
      return granted;
    }

    private Left left() {
      return left;
    }

    /**
     * A grant gives this place what another one has left, since the NameNode does not know yet that it failed: it is
     * not asked once more.
     */
    private void failAgain(List<Left> known, long nowNs) {
      if (!fails()) {
        known.stream().filter(one -> one.source().equals(current)).findFirst()
            .ifPresent(one -> failed(current, one.message(), one.corrupt(), nowNs));
      }
    }

    /** Takes a source from a newer grant. */
    private void grant(SourceProto source) {
      if (!source.equals(granted)) {
        granted = source;
        left = null;
        failedAlternates.clear();
        if (!source.equals(current)) {
          current = source;
        }
      }
    }

    /**
     * A newer grant names the same source. An alternate in its place stays, unless the grant has another node with the
     * same index.
     */
    private void keepGrant(List<SourceProto> grants) {
      if (left != null && grants.stream().anyMatch(other -> !other.equals(granted) && other.hasIndex()
          && other.getIndex() == current.getIndex())) {
        left = null;
        current = granted;
      }
    }

    /** Whether a transfer that reads here from this source must not receive now. */
    public boolean isPaused(SourceProto source) {
      return stop != null || rateBytesPerSec == 0 || current != source;
    }

    /** What to do without a connection. */
    public Next next(long nowNs) {
      if (stop != null) {
        return stop;
      }
      if (awaitsGrant()) {
        long leftNs = failure.sinceNs() + TimeUnit.MILLISECONDS.toNanos(SOURCE_TIMEOUT_MS) - nowNs;
        if (leftNs <= 0) {
          return new Stop(failure.corrupt() ? Outcome.SOURCE_CORRUPT : Outcome.SOURCE_FAILED, failure.message(),
              current.getDatanodeUuid());
        }
        long retryInNs =
            failure.corrupt() || rateBytesPerSec == 0 ? leftNs : failure.retryNs() - nowNs;
        return retryInNs <= 0 ? new Receive(current) : new Wait(Math.min(leftNs, retryInNs));
      }
      return rateBytesPerSec > 0 ? new Receive(current) : pauseWithoutConnection(nowNs);
    }

    /** What to do with a connection to this source, which is closed for another source or in a long pause. */
    public Next next(SourceProto connected, long nowNs) {
      if (stop != null) {
        return stop;
      }
      if (current != connected) {
        return new Disconnect();
      }
      return rateBytesPerSec > 0 ? new Receive(connected) : pauseWithConnection(nowNs);
    }

    /** The source has delivered bytes, so its earlier failure no longer counts. */
    public void delivered() {
      failure = null;
      forgetFailedAlternates();
    }

    /**
     * Records a failure of the source: the transfer goes on from an alternate, at once, if one is left. Returns false
     * if a newer grant names another source.
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
      Optional<SourceProto> next = alternateFor(this);
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

    /** Whether the granted source has failed, and no later grant has named another. */
    private boolean fails() {
      return left != null || awaitsGrant();
    }

    private boolean awaitsGrant() {
      return failure != null && failure.source() == current;
    }

    private void describeFailure(RunningTransferProto.Builder report) {
      if (left != null) {
        describe(report, left.source(), left.message(), left.corrupt());
      } else {
        describe(report, current, failure.message(), failure.corrupt());
      }
    }

    private static void describe(RunningTransferProto.Builder report, SourceProto failed, String message,
        boolean corrupt) {
      report.setFailedSourceUuid(failed.getDatanodeUuid()).setFailure(message).setFailedSourceCorrupt(corrupt);
    }
  }
}
