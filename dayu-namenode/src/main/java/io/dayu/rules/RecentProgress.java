/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.rules;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What a recovery did in the last {@link #WINDOW_NS}, and the time that it will still take, by that. The NameNode and
 * the simulator estimate by this class. Not thread-safe.
 *
 * <p>Waiting blocks are assumed to have the mean length of the blocks that were copied or are being copied in this
 * recovery, since the NameNode's queues tell only their number. The time left is the bytes left, plus the tail, divided
 * by a rate. The tail is for the last transfers: transfers run side by side, and when the last ones begin nothing else
 * fills the links, so one of them takes as long as all that run now would take together. Half of that is in the bytes
 * left already. The fewer wait, the less is to begin, and the shorter is the tail: a plan has room for seven blocks a
 * node, which may be all of a small recovery.
 *
 * <p>The rate is that of the window, or at first the planned one, but not above what equation 1 (ATC'19 §2.1) let pass
 * meanwhile: a recovery begins faster than that, while the agents' credit lasts. That saves about
 * {@link #CREDIT_SAVES_SEC} in all.
 */
public final class RecentProgress {
  public static final long WINDOW_NS = 20_000_000_000L;
  /** An estimate is compared with the actual time once this number of timeslots has ended. */
  public static final int TIMESLOTS_UNTIL_ESTIMATE = 2;
  /** Measured in the simulator: a credit of eight seconds of alpha saves less, as not every link uses all of it. */
  private static final double CREDIT_SAVES_SEC = 5;
  private static final int MAX_SAMPLES = 400;

  /**
   * Sums since some moment before the recovery.
   *
   * @param allowedBytes what the nodes' limits for recovery (equation 1) would have let pass
   * @param nodeSeconds seconds, summed over the nodes
   * @param nodeSecondsAboveAlpha those of them with a link above alpha
   */
  public record Usage(double allowedBytes, double nodeSeconds, double nodeSecondsAboveAlpha) {
    public static final Usage NONE = new Usage(0, 0, 0);

    /** The bytes as a share of what was allowed since {@code before}. */
    public double shareOfAllowed(long bytes, Usage before) {
      return allowedBytes == before.allowedBytes ? 0 : bytes / (allowedBytes - before.allowedBytes);
    }

    /** The share of node-seconds above alpha, since {@code before}. */
    public double timeAboveAlpha(Usage before) {
      return nodeSeconds == before.nodeSeconds ? 0
          : (nodeSecondsAboveAlpha - before.nodeSecondsAboveAlpha) / (nodeSeconds - before.nodeSeconds);
    }
  }

  /**
   * The parts of the recovery that are done and left.
   *
   * @param waiting blocks
   * @param finished transfers, with all their bytes
   * @param running transfers, with all their bytes and those that their targets have
   * @param earlierBytes those of finished and running transfers that their targets had before the recovery
   * @param plannedBytesPerSec what the targets of running transfers receive by the plan; 0 = not known
   */
  public record Work(long waiting, long finished, long finishedBytes, int running, long runningBytes,
      long runningDoneBytes, long earlierBytes, long plannedBytesPerSec) {
    /** With transfers that began with the recovery, and rates that are not known. */
    public Work(long waiting, long finished, long finishedBytes, int running, long runningBytes,
        long runningDoneBytes) {
      this(waiting, finished, finishedBytes, running, runningBytes, runningDoneBytes, 0, 0);
    }

    public long doneBytes() {
      return finishedBytes + runningDoneBytes - earlierBytes;
    }

    /** The bytes left, with waiting blocks of the mean length; blocks that are not known yet do not count. */
    public long leftBytes() {
      long known = finished + running;
      long meanBytes = known == 0 ? 0 : (finishedBytes + runningBytes) / known;
      return runningBytes - runningDoneBytes + waiting * meanBytes;
    }

    /** None where all that is left has begun: then all transfers get rates by which they end together. */
    private double tailBytes() {
      return running == 0 ? 0
          : Math.min(1, (double) waiting / running) * runningBytes * (running - 1) / (2.0 * running);
    }
  }

  private record Sample(long nowNs, long doneBytes, Usage usage) {
  }

  private final Deque<Sample> samples = new ArrayDeque<>();
  private Work work;
  /** What was allowed and done at the first moment since {@link #clear}. */
  private double allowedBefore;
  private long doneBefore;

  /** Forgets what was noted: the recovery ends or is paused. */
  public void clear() {
    samples.clear();
    work = null;
  }

  /** Notes a moment; about one a second. */
  public void add(Work now, Usage usage, long nowNs) {
    if (work == null) {
      allowedBefore = usage.allowedBytes;
      doneBefore = now.doneBytes();
    }
    if (now.doneBytes() == 0) {
      // The time until the first bytes are reported says nothing of the rate.
      samples.clear();
    }
    samples.addLast(new Sample(nowNs, now.doneBytes(), usage));
    while (samples.size() > MAX_SAMPLES || nowNs - samples.peekFirst().nowNs > WINDOW_NS) {
      samples.removeFirst();
    }
    work = now;
  }

  /** The time between the first and the last moment of the window. */
  public long windowNs() {
    return samples.isEmpty() ? 0 : samples.peekLast().nowNs - samples.peekFirst().nowNs;
  }

  /** The rate in the window. */
  public long bytesPerSec() {
    return windowNs() == 0 ? 0
        : Math.round(Math.max(0, (samples.peekLast().doneBytes - samples.peekFirst().doneBytes) * 1e9 / windowNs()));
  }

  /**
   * The rate to expect: the planned one, if that is more, as long as little has been measured. In its first seconds a
   * recovery is slower, since connections are made, and bytes count only when they are written: of a rebuild, when all
   * of its sources have sent theirs.
   */
  private double expectedBytesPerSec() {
    double measured = Math.min(1, (double) windowNs() / WINDOW_NS);
    return Math.max(bytesPerSec(), measured * bytesPerSec() + (1 - measured) * work.plannedBytesPerSec);
  }

  /** The share of node-seconds above alpha in the window. */
  public double timeAboveAlpha() {
    return samples.isEmpty() ? 0 : samples.peekLast().usage.timeAboveAlpha(samples.peekFirst().usage);
  }

  /**
   * Seconds that the recovery will still take, rounded up; negative if nothing moves, so that the time is not known.
   * Without agents the allowed rate is not known.
   */
  public long secondsLeft() {
    if (work == null || work.finished + work.running == 0 || windowNs() == 0) {
      return -1;
    }
    double bytesPerSec = expectedBytesPerSec();
    double bytes = work.leftBytes() + work.tailBytes();
    double allowedBytes = samples.peekLast().usage.allowedBytes;
    double allowedBytesPerSec = (allowedBytes - samples.peekFirst().usage.allowedBytes) * 1e9 / windowNs();
    if (bytesPerSec() == 0) {
      return -1;
    }
    if (allowedBytesPerSec == 0 || bytesPerSec <= allowedBytesPerSec) {
      return (long) Math.ceil(bytes / bytesPerSec);
    }
    double savedSec = (work.doneBytes() - doneBefore - (allowedBytes - allowedBefore)) / allowedBytesPerSec;
    double creditSec = Math.min(CREDIT_SAVES_SEC, Math.max(0, CREDIT_SAVES_SEC - savedSec));
    return (long) Math.ceil(Math.max(bytes / bytesPerSec, bytes / allowedBytesPerSec - creditSec));
  }
}
