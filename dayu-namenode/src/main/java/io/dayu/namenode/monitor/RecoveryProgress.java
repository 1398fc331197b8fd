/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.monitor;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.rules.RecentProgress;
import io.dayu.rules.RecentProgress.Usage;
import io.dayu.rules.RecentProgress.Work;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Follows a recovery from the first block that waits to the last copy: how much is done and left, how fast, and when it
 * will end. Says its beginning and its end in one line each at INFO. The recovery loop calls it about once a second;
 * {@link #latest} is safe for use by all threads. {@link RecentProgress} has the estimate of the time left.
 */
public final class RecoveryProgress {
  /** A recovery has ended when nothing has waited or run for this time. */
  private static final long QUIET_NS = TimeUnit.SECONDS.toNanos(5);
  /** It has also ended when blocks wait and nothing has run for this time: they cannot be placed now. */
  private static final long STUCK_NS = TimeUnit.MINUTES.toNanos(2);
  /**
   * A recovery is announced after this time. By then the list of live DataNodes, which tells the cause, is newer than
   * the start of the recovery.
   */
  private static final long ANNOUNCE_NS = TimeUnit.MILLISECONDS.toNanos(1_500);
  private static final long MIN_WINDOW_NS = TimeUnit.SECONDS.toNanos(5);
  /** A recovery is estimated anew if it has this factor more left than at its begin: something else was lost. */
  private static final double GROWN = 1.5;

  private static final Logger LOG = LoggerFactory.getLogger(RecoveryProgress.class);

  /**
   * The figures of one moment, of all transfers of this NameNode since it became active.
   *
   * @param waiting blocks in the low-redundancy queues
   * @param unplaceable those of them that no DataNode can take, such as blocks with more replicas than DataNodes
   * @param running transfers under way, each with its block's length and what it has received
   * @param finished transfers completed since the start
   * @param finishedBytes their bytes
   * @param earlierBytes those of them that their targets had received before this NameNode adopted the transfers
   * @param failed transfers that failed since the start
   * @param usage what recoveries could have used and what clients saw of them, since the start
   */
  record Observation(long waiting, long unplaceable, List<Attempt> running, long finished, long finishedBytes,
      long earlierBytes, long failed, Usage usage) {
    /** Blocks that wait and that Dayu can copy. */
    long placeable() {
      return Math.max(0, waiting - unplaceable);
    }
  }

  /**
   * How far the recovery is; also as JSON, whose names are those of {@code docs/json.md}.
   *
   * @param number of this recovery since the NameNode started; 0 = there was none
   * @param active whether it is going on
   * @param cause what began it, for people
   * @param endReason why it ended with blocks left, for people; empty if it goes on or nothing was left
   * @param beganMs when, in milliseconds since the epoch
   * @param seconds how long it has taken, or took
   */
  public record Progress(long number, boolean active, String cause, String endReason, long beganMs, long seconds,
      @JsonUnwrapped Amounts amounts, @JsonUnwrapped LinkUse linkUse, @JsonUnwrapped Estimate estimate) {
    public static final Progress NONE = new Progress(0, false, "", "", 0, 0, new Amounts(0, 0, 0, 0, 0, 0, 0),
        new LinkUse(0, 0, 0), new Estimate(-1, -1, 0));
  }

  /**
   * How much is done and left.
   *
   * @param notCopied blocks that were counted as lacking replicas and that Dayu has neither copied nor has left: stock
   *     HDFS copied them, or they needed no copy any more
   * @param bytesPerSec the rate of late
   * @param failed transfers that failed
   */
  @JsonPropertyOrder({"blocksDone", "blocksLeft", "blocksNotCopied", "bytesDone", "bytesLeft", "bytesPerSec",
      "failedTransfers"})
  public record Amounts(long blocksDone, long blocksLeft, @JsonProperty("blocksNotCopied") long notCopied,
      long bytesDone, long bytesLeft, long bytesPerSec, @JsonProperty("failedTransfers") long failed) {
    /** When the recovery has ended. */
    private Amounts ended(long blocks) {
      return new Amounts(blocksDone, blocks, notCopied, bytesDone, bytesLeft, 0, failed);
    }
  }

  /**
   * How much of the links recovery used.
   *
   * @param shareOfAllowed bytes that recovery moved, as a share of those that it was allowed to move
   * @param timeAboveAlpha share of node-seconds with a link above alpha
   * @param worstTimeAboveAlpha the largest such share of any {@link RecentProgress#WINDOW_NS} of this recovery, or
   *     of all of it if it is shorter
   */
  @JsonPropertyOrder({"shareOfAllowed", "interference", "worstInterference"})
  public record LinkUse(double shareOfAllowed, @JsonProperty("interference") double timeAboveAlpha,
      @JsonProperty("worstInterference") double worstTimeAboveAlpha) {
  }

  /**
   * When the recovery will end.
   *
   * @param etaSeconds how long it will still take; negative = not known
   * @param etaError by how much the first estimate was wrong, as a fraction, as far as can be seen now; negative = not
   *     known
   * @param firstEndMs when it should end by the first estimate, in milliseconds since the epoch; 0 = not known
   */
  public record Estimate(long etaSeconds, double etaError, long firstEndMs) {
  }

  /**
   * What the NameNode that was active before had done of a recovery when it was interrupted.
   *
   * @param beganMs when it began, in milliseconds since the epoch
   * @param firstEndMs when it should end by the first estimate; 0 = there was none
   */
  public record Predecessor(String cause, long beganMs, long blocksDone, long bytesDone, long firstEndMs) {
  }

  private final LongSupplier timeslotMs;
  private final RecentProgress recent = new RecentProgress();
  /** Of the last recovery that was announced. */
  private volatile long number;
  private boolean active;
  private boolean quiet;
  private boolean announced;
  private String cause;
  private long beganNs;
  private long beganMs;
  private long busyNs;
  private long movedNs;
  /** Whether it is paused at this moment, and was at the last one. */
  private boolean paused;
  private boolean wasPaused;
  /** When it began, was last found paused, or has grown. */
  private long steadySinceNs;
  /** Its blocks that were left when it began, or when it had last grown. */
  private long estimatedBlocks;
  /** How long it was paused. */
  private long pausedNs;
  private long observedNs;
  /** The largest number of {@link #blocks} so far. */
  private long maxBlocks;
  private long finishedBefore;
  private long bytesBefore;
  private long earlierBytesBefore;
  private long failedBefore;
  private Usage usageBefore = Usage.NONE;
  private double worstTimeAboveAlpha;
  private long firstEstimateNs;
  private long firstEndNs;
  /** What the NameNode before this one has copied of it, and of what it was for; empty without one. */
  private long predecessorBytes;
  private String predecessorCause = "";
  /** Blocks with which the last recovery ended, since they could not be placed: they begin no other one. */
  private long unplacedBlocks;
  private long endedNs;
  private volatile Progress latest = Progress.NONE;
  /** The latest when this one began. */
  private Progress before = Progress.NONE;

  /**
   * @param timeslotMs T, as it is set now: an estimate is compared with later ones from the end of the second timeslot
   *     on
   */
  RecoveryProgress(LongSupplier timeslotMs) {
    this.timeslotMs = timeslotMs;
  }

  Progress latest() {
    return latest;
  }

  /** Recoveries since the start that had blocks to copy. */
  long count() {
    return number;
  }

  /**
   * Until when what happened is a cause of the last recovery that has ended; what happened later, in the quiet seconds
   * by which its end was recognized, is one of the next.
   */
  long causesUntilNs() {
    return endedNs + ANNOUNCE_NS;
  }

  /** Whether {@link #latest} is a recovery that had blocks to copy. */
  boolean isAnnounced() {
    return latest.number > 0 && latest.number <= number;
  }

  /**
   * Records a moment.
   *
   * @param presentCause what a recovery that begins now would be for
   * @return whether a recovery has ended just now, with nothing left
   */
  boolean observe(Observation observation, String presentCause, long nowNs, long nowMs) {
    if (paused != wasPaused) {
      recent.clear();
    }
    boolean ended = follow(observation, presentCause, nowNs, nowMs);
    wasPaused = paused;
    paused = false;
    return ended;
  }

  /**
   * The recovery that goes on, or began a moment ago, is the one that another NameNode had begun.
   *
   * @return whether there is one
   */
  boolean continueFrom(Predecessor predecessor, long nowNs, long nowMs) {
    if (!active) {
      return false;
    }
    beganNs = Math.min(beganNs, nowNs - TimeUnit.MILLISECONDS.toNanos(nowMs - predecessor.beganMs));
    beganMs = Math.min(beganMs, predecessor.beganMs);
    finishedBefore -= predecessor.blocksDone;
    bytesBefore -= predecessor.bytesDone;
    predecessorBytes += predecessor.bytesDone;
    predecessorCause = predecessor.cause;
    maxBlocks += predecessor.blocksDone;
    if (predecessor.firstEndMs > 0) {
      firstEstimateNs = nowNs;
      firstEndNs = nowNs + TimeUnit.MILLISECONDS.toNanos(predecessor.firstEndMs - nowMs);
    }
    // Else what was done before would count as done at this moment.
    recent.clear();
    LOG.info("Dayu: recovery {} goes on from another NameNode, which had copied {} blocks, {} bytes since {}; {}",
        announced ? number : number + 1, predecessor.blocksDone, predecessor.bytesDone,
        Instant.ofEpochMilli(predecessor.beganMs), predecessor.cause);
    return true;
  }

  private boolean follow(Observation observation, String presentCause, long nowNs, long nowMs) {
    boolean busy = observation.placeable() > 0 || !observation.running.isEmpty();
    if (active && !announced && blocks(observation) == 0) {
      // What waited needed no copy after all.
      forget();
    }
    unplacedBlocks = Math.min(unplacedBlocks, observation.waiting);
    if (!active && busy && (!observation.running.isEmpty() || observation.waiting > unplacedBlocks)) {
      begin(observation, presentCause, nowNs, nowMs);
    }
    if (!active) {
      return false;
    }
    observedNs = nowNs;
    String knownCause = presentCause.startsWith(RecoveryCause.NOT_KNOWN) && !predecessorCause.isEmpty()
        ? predecessorCause : presentCause;
    if (!cause.equals(knownCause) && busy) {
      cause = knownCause;
      if (announced) {
        LOG.info("Dayu: recovery {} continues; its cause is now: {}", number, cause);
      }
    }
    if (!announced && nowNs - beganNs >= ANNOUNCE_NS && blocks(observation) > 0) {
      announce(observation);
    }
    long left = observation.running.size() + observation.waiting;
    if (left > GROWN * estimatedBlocks) {
      estimatedBlocks = left;
      steadySinceNs = nowNs;
      firstEstimateNs = 0;
      recent.clear();
    }
    busyNs = busy ? nowNs : busyNs;
    movedNs = observation.running.isEmpty() ? movedNs : nowNs;
    // The quiet seconds at the end, by which the end is recognized, do not count.
    if (busy || !quiet) {
      latest = progress(observation, nowNs);
    }
    quiet = !busy;
    if (nowNs - busyNs >= QUIET_NS || nowNs - movedNs >= STUCK_NS) {
      if (announced) {
        unplacedBlocks = observation.waiting;
        end(busy ? movedNs : busyNs, unplacedBlocks,
            unplacedBlocks == 0 ? "" : "the blocks that are left cannot be placed now");
        return unplacedBlocks == 0;
      } else {
        // What waited needed no copy after all.
        forget();
      }
    }
    return false;
  }

  /**
   * Says that recovery is paused, before {@link #observe} at the same moment. The time of a pause counts as time of the
   * recovery, but not where an estimate is compared with it. Rates begin anew with it and after it, there are no
   * estimates during it, and blocks that wait are not taken for blocks that cannot be placed.
   */
  void paused(long nowNs) {
    if (active) {
      pausedNs += nowNs - observedNs;
      // The first estimate knew of no pause.
      firstEndNs += nowNs - observedNs;
    }
    movedNs = nowNs;
    steadySinceNs = nowNs;
    paused = true;
  }

  /**
   * Ends the recovery, if one is going on, since it is no longer this NameNode's Dayu that recovers.
   *
   * @param why for people
   */
  void handOver(String why, long nowNs) {
    unplacedBlocks = 0;
    if (active && announced) {
      end(quiet ? busyNs : nowNs, latest.amounts.blocksLeft(), quiet ? "" : why);
    } else if (active) {
      forget();
    }
  }

  private void forget() {
    active = false;
    latest = before;
    recent.clear();
  }

  private void begin(Observation observation, String presentCause, long nowNs, long nowMs) {
    before = latest;
    active = true;
    quiet = false;
    cause = presentCause;
    beganNs = nowNs;
    beganMs = nowMs;
    predecessorBytes = 0;
    predecessorCause = "";
    busyNs = nowNs;
    movedNs = nowNs;
    steadySinceNs = nowNs;
    pausedNs = 0;
    maxBlocks = 0;
    estimatedBlocks = 0;
    finishedBefore = observation.finished;
    bytesBefore = observation.finishedBytes;
    earlierBytesBefore = observation.earlierBytes;
    failedBefore = observation.failed;
    usageBefore = observation.usage;
    worstTimeAboveAlpha = 0;
    firstEstimateNs = 0;
    recent.clear();
    announced = false;
  }

  private void announce(Observation observation) {
    announced = true;
    number++;
    LOG.info("Dayu: recovery {} begins: {} blocks lack replicas; {}", number, blocks(observation), cause);
  }

  /** Blocks of this recovery, done or not. */
  private long blocks(Observation observation) {
    return observation.finished - finishedBefore + observation.running.size() + observation.waiting;
  }

  private Progress progress(Observation observation, long nowNs) {
    long runningBytes = 0;
    long runningDone = 0;
    long plannedBytesPerSec = 0;
    long earlierBytes = observation.earlierBytes - earlierBytesBefore;
    for (Attempt attempt : observation.running) {
      runningBytes += attempt.receivedBytes();
      long done = Math.min(attempt.doneBytes(), attempt.request().numBytes());
      runningDone += attempt.width() * done;
      // One that has lost its source keeps its grant until another is found.
      plannedBytesPerSec += attempt.live() && !attempt.sourceLost() ? attempt.width() * attempt.rateBytesPerSec() : 0;
      earlierBytes += attempt.width() * Math.min(attempt.earlierBytes(), done);
    }
    Work work = new Work(observation.placeable(), observation.finished - finishedBefore,
        observation.finishedBytes - bytesBefore, observation.running.size(), runningBytes, runningDone, earlierBytes,
        plannedBytesPerSec);
    maxBlocks = Math.max(maxBlocks, blocks(observation));
    recent.add(work, observation.usage, nowNs);
    if (recent.windowNs() >= MIN_WINDOW_NS) {
      worstTimeAboveAlpha = Math.max(worstTimeAboveAlpha, recent.timeAboveAlpha());
    }
    double timeAboveAlpha = observation.usage.timeAboveAlpha(usageBefore);
    long etaSeconds = paused ? -1 : recent.secondsLeft();
    double etaError = error(etaSeconds, nowNs);
    return new Progress(announced ? number : number + 1, true, cause, "", beganMs,
        TimeUnit.NANOSECONDS.toSeconds(nowNs - beganNs),
        new Amounts(work.finished(), work.waiting() + work.running(), maxBlocks - blocks(observation),
            work.doneBytes(), work.leftBytes(), recent.bytesPerSec(), observation.failed - failedBefore),
        new LinkUse(observation.usage.shareOfAllowed(work.doneBytes() - predecessorBytes, usageBefore), timeAboveAlpha,
            Math.max(timeAboveAlpha, worstTimeAboveAlpha)),
        new Estimate(etaSeconds, etaError,
            firstEstimateNs == 0 ? 0 : beganMs + TimeUnit.NANOSECONDS.toMillis(firstEndNs - beganNs)));
  }

  /** The first estimate of the end, against the present one. */
  private double error(long etaSeconds, long nowNs) {
    if (etaSeconds < 0
        || nowNs - steadySinceNs < TimeUnit.MILLISECONDS
            .toNanos(RecentProgress.TIMESLOTS_UNTIL_ESTIMATE * timeslotMs.getAsLong())) {
      return -1;
    }
    long endNs = nowNs + TimeUnit.SECONDS.toNanos(etaSeconds);
    if (firstEstimateNs == 0) {
      firstEstimateNs = nowNs;
      firstEndNs = endNs;
    }
    return error(endNs);
  }

  /** By how much the first estimate is wrong if the recovery ends then: a fraction of its time without pauses. */
  private double error(long endNs) {
    return Math.abs((double) (firstEndNs - endNs)) / Math.max(TimeUnit.SECONDS.toNanos(1), endNs - beganNs - pausedNs);
  }

  /** The share of the allowed bytes, for people. A share above 100 % gets a remark. */
  static String describeShare(double shareOfAllowed) {
    return Math.round(100 * shareOfAllowed) + " % of what alpha allowed" + (shareOfAllowed > 1
        ? " (over 100 %: by agents' credit from before the recovery, or the meter does not see this traffic)" : "");
  }

  private void end(long endNs, long blocksLeft, String why) {
    active = false;
    endedNs = endNs;
    long seconds = TimeUnit.NANOSECONDS.toSeconds(endNs - beganNs);
    Amounts amounts = latest.amounts.ended(blocksLeft);
    LinkUse use = latest.linkUse;
    latest = new Progress(number, false, cause, why, beganMs, seconds, amounts, use, new Estimate(-1,
        firstEstimateNs == 0 || !why.isEmpty() ? -1 : error(endNs), latest.estimate.firstEndMs()));
    String firstEstimate = firstEstimateNs == 0 ? "none" : TimeUnit.NANOSECONDS.toSeconds(firstEndNs - beganNs) + " s";
    LOG.info(
        "Dayu: recovery {} ends after {} s (first estimate: {}): {} blocks, {} bytes copied, {}; {} % of node-seconds "
            + "above alpha, {} % at worst; {} transfers failed, {} blocks left{}; {} blocks were copied by stock HDFS "
            + "or needed no copy any more; {}",
        number, seconds, firstEstimate, amounts.blocksDone(), amounts.bytesDone(), describeShare(use.shareOfAllowed()),
        Math.round(100 * use.timeAboveAlpha()), Math.round(100 * use.worstTimeAboveAlpha()), amounts.failed(),
        amounts.blocksLeft(), why.isEmpty() ? "" : ": " + why, amounts.notCopied(), cause);
  }
}
