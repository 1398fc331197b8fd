/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;

/**
 * Holds back all blocks but those of the highest risk when a large share of the DataNodes is lost within minutes. Such
 * nodes are seldom gone for good: a switch splits the cluster, say, and the rest would copy everything. Watches the
 * number of live DataNodes also while the NameNode is not active, so that a failover does not hide a loss. Owned by the
 * recovery loop; not thread-safe.
 *
 * <p>It ends when enough of the nodes are back, when an admin resumes recovery, or after {@link #MAX_NS}.
 */
final class NodeLossBrake {
  private static final Logger LOG = LoggerFactory.getLogger(NodeLossBrake.class);

  static final long WINDOW_NS = TimeUnit.MINUTES.toNanos(10);
  static final long MAX_NS = TimeUnit.MINUTES.toNanos(30);
  /** The minimum number of lost nodes, whatever their share: a small cluster may lose a host or two. */
  static final int MIN_LOST = 5;
  private static final long SAMPLE_NS = TimeUnit.SECONDS.toNanos(5);

  private record Sample(long atNs, int live) {
  }

  private final DoubleSupplier maxRatio;
  /** The last {@link #WINDOW_NS}, oldest first. */
  private final Deque<Sample> samples = new ArrayDeque<>();
  private boolean on;
  private int liveBefore;
  private int live;
  private long beganNs;
  private long beganMs;

  /** @param maxRatio the share of the live DataNodes that may be lost at once, as it is set now */
  NodeLossBrake(DoubleSupplier maxRatio) {
    this.maxRatio = maxRatio;
  }

  /**
   * Looks at the number of live DataNodes.
   *
   * @param resumedMs when an admin last resumed recovery, in milliseconds since the epoch; 0 = never
   */
  void observe(int liveNow, long resumedMs, long nowMs, long nowNs) {
    live = liveNow;
    if (on) {
      release(resumedMs, nowNs);
      return;
    }
    while (!samples.isEmpty() && nowNs - samples.getFirst().atNs() > WINDOW_NS) {
      samples.removeFirst();
    }
    if (samples.isEmpty() || live > samples.getLast().live() || nowNs - samples.getLast().atNs() >= SAMPLE_NS) {
      samples.addLast(new Sample(nowNs, live));
    }
    int most = live;
    for (Sample sample : samples) {
      most = Math.max(most, sample.live());
    }
    if (isLoss(most)) {
      on = true;
      liveBefore = most;
      beganNs = nowNs;
      beganMs = nowMs;
      LOG.warn("Dayu: {} of {} DataNodes were lost within {} minutes; only blocks of the highest risk are recovered "
          + "until they are back, but for {} minutes at most; hdfs dayu -resume ends this", most - live, most,
          TimeUnit.NANOSECONDS.toMinutes(WINDOW_NS), TimeUnit.NANOSECONDS.toMinutes(MAX_NS));
    }
  }

  private boolean isLoss(int before) {
    return before - live >= MIN_LOST && before - live > maxRatio.getAsDouble() * before;
  }

  private void release(long resumedMs, long nowNs) {
    boolean back = !isLoss(liveBefore);
    if (back || resumedMs >= beganMs || nowNs - beganNs >= MAX_NS) {
      on = false;
      // The same loss does not count again.
      samples.clear();
      LOG.info("Dayu: all blocks are recovered again after a loss of DataNodes: {}", back ? "enough of them are back"
          : resumedMs >= beganMs ? "an admin has resumed recovery"
          : "the time is over");
    }
  }

  boolean isOn() {
    return on;
  }

  /** What it waits for, for people. */
  String reason(long nowNs) {
    return liveBefore - live + " of " + liveBefore + " DataNodes were lost within minutes; only blocks of the highest "
        + "risk are recovered until they are back or hdfs dayu -resume, for "
        + TimeUnit.NANOSECONDS.toMinutes(beganNs + MAX_NS - nowNs) + " more minutes at most";
  }
}
