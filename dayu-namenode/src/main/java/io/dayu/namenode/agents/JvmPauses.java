/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.agents;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

/**
 * The times for which this JVM stood still, as in a long garbage collection: in which neither the recovery loop began a
 * tick nor a handler took in a report. What was to arrive then may be in a socket, so its absence says nothing of who
 * was to send it. Thread-safe.
 */
public final class JvmPauses {
  /** The loop ticks every 100 ms; while it plans or waits for a lock, reports come in, except on tiny clusters. */
  private static final long MIN_PAUSE_NS = TimeUnit.SECONDS.toNanos(1);
  /** A machine that never lets the loop run in time notices silent agents, too. */
  private static final long PAUSE_COUNTS_NS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final int MAX_PAUSES = 32;

  /**
   * @param endNs when the JVM went on
   * @param skippedNs how much of the time before does not count
   */
  private record Pause(long endNs, long skippedNs) {
  }

  private final Deque<Pause> pauses = new ArrayDeque<>();
  private boolean hasRun;
  private long lastNs;

  /** Takes note that this JVM runs at this moment. */
  public synchronized void noteRunning(long nowNs) {
    if (hasRun && nowNs - lastNs <= 0) {
      return;
    }
    if (hasRun && nowNs - lastNs > MIN_PAUSE_NS) {
      if (pauses.size() == MAX_PAUSES) {
        pauses.removeFirst();
      }
      pauses.add(new Pause(nowNs, nowNs - lastNs - PAUSE_COUNTS_NS));
    }
    hasRun = true;
    lastNs = nowNs;
  }

  /** How long ago a moment was; each pause since counts as half a second. */
  public synchronized long since(long momentNs, long nowNs) {
    long sinceNs = nowNs - momentNs;
    long skippedNs = 0;
    for (Pause pause : pauses) {
      // The loop's time is that of the tick's beginning, and a handler may have noted a pause since.
      long sinceEndNs = Math.max(0, nowNs - pause.endNs);
      long sinceBeginNs = nowNs - pause.endNs + pause.skippedNs;
      skippedNs += Math.max(0, Math.min(sinceNs, sinceBeginNs) - sinceEndNs);
    }
    return sinceNs - skippedNs;
  }
}
