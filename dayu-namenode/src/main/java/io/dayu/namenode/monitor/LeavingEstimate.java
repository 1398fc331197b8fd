/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.monitor;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

/**
 * When a DataNode that leaves will have nothing left that is to be copied, by the rate at which that has become less.
 * Used by one thread.
 */
final class LeavingEstimate {
  static final long WINDOW_NS = TimeUnit.MINUTES.toNanos(2);

  private record Sample(long atNs, long bytes) {
  }

  private final Deque<Sample> samples = new ArrayDeque<>();
  private final long beganNs;
  private long firstEndNs;
  private boolean hasFirst;
  private long lastBytes;
  /** What has been added to the work since the begin. */
  private long addedBytes;
  private long etaSeconds = -1;
  private double error = -1;

  LeavingEstimate(long nowNs) {
    beganNs = nowNs;
  }

  /** Records how many bytes are left to copy. */
  void observe(long bytesLeft, long nowNs) {
    if (bytesLeft > lastBytes && lastBytes == 0) {
      // Recovery can copy what was held up until now: the time in which it could not says nothing of its rate.
      samples.clear();
    } else if (bytesLeft > lastBytes && !samples.isEmpty()) {
      // More is left, and the rate is as before.
      addedBytes += bytesLeft - lastBytes;
    }
    lastBytes = bytesLeft;
    samples.addLast(new Sample(nowNs, bytesLeft - addedBytes));
    while (samples.size() > 2 && nowNs - samples.peekFirst().atNs > WINDOW_NS) {
      samples.removeFirst();
    }
    Sample first = samples.peekFirst();
    double bytesPerNs =
        nowNs == first.atNs ? 0 : (double) (first.bytes - (bytesLeft - addedBytes)) / (nowNs - first.atNs);
    long leftNs = bytesLeft == 0 ? 0 : bytesPerNs <= 0 ? -1 : (long) (bytesLeft / bytesPerNs);
    etaSeconds = leftNs < 0 ? -1 : TimeUnit.NANOSECONDS.toSeconds(leftNs);
    if (leftNs < 0 || bytesLeft == 0 && !hasFirst) {
      error = -1;
      return;
    }
    long endNs = nowNs + leftNs;
    if (!hasFirst) {
      hasFirst = true;
      firstEndNs = endNs;
    }
    error = Math.abs((double) (firstEndNs - endNs)) / Math.max(TimeUnit.SECONDS.toNanos(1), endNs - beganNs);
  }

  /** Seconds until nothing is left to copy; negative = not known. */
  long etaSeconds() {
    return etaSeconds;
  }

  /** Since when the rate is measured; valid after the first look. */
  long fromNs() {
    return samples.peekFirst().atNs;
  }

  /** By which fraction of the whole time the first estimate was wrong, as seen now; negative = not known. */
  double error() {
    return error;
  }
}
