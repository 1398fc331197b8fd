/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Follows a recovery from the first block that waits to the last copy: how much is done and left, how fast, and when it
 * will end. Says its beginning and its end in one line each at INFO. The recovery loop calls it about once a second;
 * {@link #latest} is safe for use by all threads.
 *
 * <p>Waiting blocks are assumed to have the mean length of the blocks that were copied or are being copied in this
 * recovery, since the NameNode's queues tell only their number. The time left is the bytes left, plus the tail, divided
 * by a rate. The tail is for the last transfers: transfers run side by side, and when the last ones begin nothing else
 * fills the links, so one of them takes as long as all that run now would take together. Half of that is in the bytes
 * left already. The rate is that of the last {@link #WINDOW_NS}, but not above what equation 1 (ATC'19 §2.1) let pass
 * meanwhile: a recovery begins faster than that, while the agents' credit lasts.
 */
final class RecoveryProgress {
  /** A recovery has ended when nothing has waited or run for this time. */
  private static final long QUIET_NS = TimeUnit.SECONDS.toNanos(5);
  /** It has also ended when blocks wait and nothing has run for this time: they cannot be placed now. */
  private static final long STUCK_NS = TimeUnit.MINUTES.toNanos(2);
  private static final long WINDOW_NS = TimeUnit.SECONDS.toNanos(20);
  /**
   * A recovery is announced after this time. By then the list of live DataNodes, which tells the cause, is newer than
   * the recovery's begin.
   */
  private static final long ANNOUNCE_NS = TimeUnit.MILLISECONDS.toNanos(1_500);
  private static final long MIN_WINDOW_NS = TimeUnit.SECONDS.toNanos(5);
  private static final int MAX_SAMPLES = 400;
  private static final int TIMESLOTS_UNTIL_ESTIMATE = 2;

  private static final Logger LOG = LoggerFactory.getLogger(RecoveryProgress.class);

  /**
   * What is known at one moment, of all transfers of this NameNode since it became active.
   *
   * @param waiting blocks in the low-redundancy queues
   * @param running transfers under way, each with its block's length and what it has received
   * @param finished transfers completed since the start
   * @param finishedBytes their bytes
   * @param failed transfers that failed since the start
   * @param usage what recoveries could have used and what clients saw of them, since the start
   */
  record Observation(long waiting, List<Attempt> running, long finished, long finishedBytes, long failed, Usage usage) {
  }

  /**
   * Sums over the time of all recoveries.
   *
   * @param allowedBytes what the nodes' limits for recovery (equation 1) would have let pass
   * @param nodeSeconds seconds, summed over the nodes
   * @param nodeSecondsAboveAlpha those of them with a link above alpha
   */
  record Usage(double allowedBytes, double nodeSeconds, double nodeSecondsAboveAlpha) {
    static final Usage NONE = new Usage(0, 0, 0);

    /** The bytes as a share of what was allowed since {@code before}. */
    double shareOfAllowed(long bytes, Usage before) {
      return allowedBytes == before.allowedBytes ? 0 : bytes / (allowedBytes - before.allowedBytes);
    }

    /** The share of node-seconds above alpha, since {@code before}. */
    double interference(Usage before) {
      return nodeSeconds == before.nodeSeconds ? 0
          : (nodeSecondsAboveAlpha - before.nodeSecondsAboveAlpha) / (nodeSeconds - before.nodeSeconds);
    }
  }

  /**
   * How far the recovery is.
   *
   * @param number of this recovery since the NameNode started; 0 = there was none
   * @param active whether it is going on
   * @param cause what began it, for people
   * @param endReason why it ended with blocks left, for people; empty if it goes on or nothing was left
   * @param beganMs when, in milliseconds since the epoch
   * @param seconds how long it has taken, or took
   * @param notCopied blocks that were counted as lacking replicas and that Dayu has neither copied nor has left: stock
   *     HDFS copied them, or they needed no copy any more
   * @param etaSeconds how long it will still take; negative = not known
   * @param shareOfAllowed which share of what recovery was allowed to move it moved
   * @param interference share of node-seconds with a link above alpha
   * @param worstInterference the largest such share of any {@link #WINDOW_NS} of this recovery
   * @param etaError by how much the first estimate was wrong, as a fraction, as far as can be seen now; negative = not
   *     known
   */
  record Progress(long number, boolean active, String cause, String endReason, long beganMs, long seconds,
      long blocksDone, long blocksLeft, long notCopied, long bytesDone, long bytesLeft, long bytesPerSec, long failed,
      double shareOfAllowed, double interference, double worstInterference, long etaSeconds, double etaError) {
    static final Progress NONE = new Progress(0, false, "", "", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1);
  }

  private record Sample(long nowNs, long doneBytes, Usage usage) {
    double bytesPerSec(Sample later) {
      return later.nowNs == nowNs ? 0 : Math.max(0, (later.doneBytes - doneBytes) * 1e9 / (later.nowNs - nowNs));
    }

    double allowedBytesPerSec(Sample later) {
      return later.nowNs == nowNs ? 0 : (later.usage.allowedBytes - usage.allowedBytes) * 1e9 / (later.nowNs - nowNs);
    }
  }

  private final LongSupplier timeslotMs;
  private final Deque<Sample> samples = new ArrayDeque<>();
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
  /** When it began, or was last found paused. */
  private long steadySinceNs;
  /** The largest number of {@link #blocks} so far. */
  private long maxBlocks;
  private long finishedBefore;
  private long bytesBefore;
  private long failedBefore;
  private Usage usageBefore = Usage.NONE;
  private double worstInterference;
  private long firstEstimateNs;
  private long firstEndNs;
  /** Blocks with which the last recovery ended, since they could not be placed: they begin no other one. */
  private long unplacedBlocks;
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
    boolean busy = observation.waiting > 0 || !observation.running.isEmpty();
    if (!active && (!observation.running.isEmpty() || observation.waiting > unplacedBlocks)) {
      begin(observation, presentCause, nowNs, nowMs);
    }
    if (!active) {
      return false;
    }
    if (!cause.equals(presentCause) && busy) {
      cause = presentCause;
      if (announced) {
        LOG.info("Dayu: recovery {} continues; its cause is now: {}", number, cause);
      }
    }
    if (!announced && nowNs - beganNs >= ANNOUNCE_NS && blocks(observation) > 0) {
      announce(observation);
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
        unplacedBlocks = latest.blocksLeft();
        end(observation.waiting == 0 ? busyNs : movedNs,
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
   * Says that recovery is paused, before {@link #observe} at the same moment. The time of a pause counts, but rates and
   * estimates begin anew after it, and blocks that wait are not taken for blocks that cannot be placed.
   */
  void paused(long nowNs) {
    movedNs = nowNs;
    steadySinceNs = nowNs;
    firstEstimateNs = 0;
    samples.clear();
  }

  /**
   * Ends the recovery, if one is going on, since it is no longer this NameNode's Dayu that recovers.
   *
   * @param why for people
   */
  void handOver(String why, long nowNs) {
    unplacedBlocks = 0;
    if (active && announced) {
      end(nowNs, why);
    } else if (active) {
      forget();
    }
  }

  private void forget() {
    active = false;
    latest = before;
  }

  private void begin(Observation observation, String presentCause, long nowNs, long nowMs) {
    before = latest;
    active = true;
    quiet = false;
    cause = presentCause;
    beganNs = nowNs;
    beganMs = nowMs;
    busyNs = nowNs;
    movedNs = nowNs;
    steadySinceNs = nowNs;
    maxBlocks = 0;
    finishedBefore = observation.finished;
    bytesBefore = observation.finishedBytes;
    failedBefore = observation.failed;
    usageBefore = observation.usage;
    worstInterference = 0;
    firstEstimateNs = 0;
    samples.clear();
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
    for (Attempt attempt : observation.running) {
      runningBytes += attempt.request.numBytes();
      runningDone += Math.min(attempt.doneBytes, attempt.request.numBytes());
    }
    long blocksDone = observation.finished - finishedBefore;
    maxBlocks = Math.max(maxBlocks, blocks(observation));
    long finishedBytes = observation.finishedBytes - bytesBefore;
    long known = blocksDone + observation.running.size();
    long meanBytes = known == 0 ? 0 : (finishedBytes + runningBytes) / known;
    long bytesDone = finishedBytes + runningDone;
    long bytesLeft = runningBytes - runningDone + observation.waiting * meanBytes;
    Sample now = new Sample(nowNs, bytesDone, observation.usage);
    Sample oldest = oldestInWindow(now);
    long bytesPerSec = Math.round(oldest.bytesPerSec(now));
    if (nowNs - oldest.nowNs >= MIN_WINDOW_NS) {
      worstInterference = Math.max(worstInterference, observation.usage.interference(oldest.usage));
    }
    long tailBytes = observation.running.isEmpty() ? 0
        : runningBytes * (observation.running.size() - 1) / (2L * observation.running.size());
    long etaSeconds = known == 0 ? -1 : seconds(bytesLeft + tailBytes, bytesPerSec, oldest.allowedBytesPerSec(now));
    return new Progress(announced ? number : number + 1, true, cause, "", beganMs,
        TimeUnit.NANOSECONDS.toSeconds(nowNs - beganNs), blocksDone, observation.waiting + observation.running.size(),
        maxBlocks - blocks(observation), bytesDone, bytesLeft, bytesPerSec, observation.failed - failedBefore,
        observation.usage.shareOfAllowed(bytesDone, usageBefore), observation.usage.interference(usageBefore),
        worstInterference, etaSeconds, error(etaSeconds, nowNs));
  }

  private Sample oldestInWindow(Sample now) {
    if (now.doneBytes == 0) {
      // The time until the first bytes are reported says nothing of the rate.
      samples.clear();
    }
    samples.addLast(now);
    while (samples.size() > MAX_SAMPLES || now.nowNs - samples.peekFirst().nowNs > WINDOW_NS) {
      samples.removeFirst();
    }
    return samples.peekFirst();
  }

  /**
   * Seconds that these bytes take, rounded up; negative = nothing moves, so the time is not known. Without agents it is
   * not known what is allowed.
   */
  private static long seconds(long bytes, long bytesPerSec, double allowedBytesPerSec) {
    double lasting = allowedBytesPerSec > 0 ? Math.min(bytesPerSec, allowedBytesPerSec) : bytesPerSec;
    return lasting == 0 ? -1 : (long) Math.ceil(bytes / lasting);
  }

  /** The first estimate of the whole time, against the present one. */
  private double error(long etaSeconds, long nowNs) {
    if (etaSeconds < 0
        || nowNs - steadySinceNs < TimeUnit.MILLISECONDS.toNanos(TIMESLOTS_UNTIL_ESTIMATE * timeslotMs.getAsLong())) {
      return -1;
    }
    long endNs = nowNs + TimeUnit.SECONDS.toNanos(etaSeconds);
    if (firstEstimateNs == 0) {
      firstEstimateNs = nowNs;
      firstEndNs = endNs;
    }
    return Math.abs((double) (firstEndNs - endNs)) / Math.max(1, endNs - beganNs);
  }

  /** The share of what was allowed, for people. More than all of it needs a remark. */
  static String describeShare(double shareOfAllowed) {
    return Math.round(100 * shareOfAllowed) + " % of what alpha allowed" + (shareOfAllowed > 1
        ? " (over 100 %: by agents' credit from before the recovery, or the meter does not see this traffic)" : "");
  }

  private void end(long endNs, String why) {
    active = false;
    long seconds = TimeUnit.NANOSECONDS.toSeconds(endNs - beganNs);
    Progress last = latest;
    latest = new Progress(number, false, cause, why, beganMs, seconds, last.blocksDone(), last.blocksLeft(),
        last.notCopied(), last.bytesDone(), last.bytesLeft(), 0,
        last.failed(), last.shareOfAllowed(), last.interference(), worstInterference, -1,
        firstEstimateNs == 0 ? -1 : Math.abs(firstEndNs - beganNs - seconds * 1e9) / Math.max(1e9, seconds * 1e9));
    String firstEstimate = firstEstimateNs == 0 ? "none" : TimeUnit.NANOSECONDS.toSeconds(firstEndNs - beganNs) + " s";
    LOG.info(
        "Dayu: recovery {} ends after {} s (first estimate: {}): {} blocks, {} bytes copied, {}; {} % of node-seconds "
            + "above alpha, {} % at worst; {} transfers failed, {} blocks left{}; {} blocks were copied by stock HDFS "
            + "or needed no copy any more; {}",
        number, seconds, firstEstimate, latest.blocksDone(),
        latest.bytesDone(), describeShare(latest.shareOfAllowed()), Math.round(100 * latest.interference()),
        Math.round(100 * latest.worstInterference()), latest.failed(), latest.blocksLeft(),
        why.isEmpty() ? "" : ": " + why, latest.notCopied(), cause);
  }
}
