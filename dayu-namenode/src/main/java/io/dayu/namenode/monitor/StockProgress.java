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
 * How far stock HDFS is while it recovers, also in shadow mode: counts blocks, since HDFS does not tell bytes. The
 * recovery loop calls it about once a second; {@link #latest} is safe for use by all threads.
 */
public final class StockProgress {
  /** Stock HDFS schedules every 3 s, and DataNodes fetch their work with heartbeats: shorter windows tell nothing. */
  private static final long WINDOW_NS = TimeUnit.SECONDS.toNanos(60);
  private static final long MIN_WINDOW_NS = TimeUnit.SECONDS.toNanos(10);
  /** The number of blocks left is read this often: a window holds a bounded number of them. */
  private static final long SAMPLE_NS = TimeUnit.SECONDS.toNanos(1);

  /**
   * How far it is.
   *
   * @param active whether blocks wait or are copied
   * @param beganMs since when, in milliseconds since the epoch
   * @param blocksDone that no longer wait and are not under way
   * @param blocksLeft that wait or are under way
   * @param blocksPerSec of the last minute
   * @param etaSeconds how long it will still take at this rate; negative = not known
   */
  public record Progress(boolean active, long beganMs, long seconds, long blocksDone, long blocksLeft,
      double blocksPerSec, long etaSeconds) {
    public static final Progress NONE = new Progress(false, 0, 0, 0, 0, 0, -1);
  }

  private record Sample(long atNs, long done) {
  }

  private final Deque<Sample> samples = new ArrayDeque<>();
  private long beganNs;
  private long done;
  private volatile Progress latest = Progress.NONE;

  public Progress latest() {
    return latest;
  }

  /**
   * Records a moment in which stock HDFS recovers.
   *
   * @param left blocks that wait or are under way
   */
  void observe(long left, long nowNs, long nowMs) {
    if (left == 0) {
      end();
      return;
    }
    if (!latest.active) {
      beganNs = nowNs;
      done = 0;
      samples.clear();
      latest = new Progress(true, nowMs, 0, 0, left, 0, -1);
    }
    // What comes in addition is left, and what goes is done: blocks of an earlier and a later loss are not told apart.
    done += Math.max(0, latest.blocksLeft - left);
    if (samples.isEmpty() || nowNs - samples.peekLast().atNs >= SAMPLE_NS) {
      samples.addLast(new Sample(nowNs, done));
    }
    while (nowNs - samples.peekFirst().atNs > WINDOW_NS) {
      samples.removeFirst();
    }
    long windowNs = nowNs - samples.peekFirst().atNs;
    double perSec = windowNs < MIN_WINDOW_NS ? 0 : (done - samples.peekFirst().done) * 1e9 / windowNs;
    latest = new Progress(true, latest.beganMs, TimeUnit.NANOSECONDS.toSeconds(nowNs - beganNs), done, left, perSec,
        perSec > 0 ? Math.round(left / perSec) : -1);
  }

  /** Says that nothing is left, or that it is no longer stock HDFS that recovers. */
  void end() {
    latest = Progress.NONE;
  }
}
