/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Which groups were closed so lately that what they lack may be written and not reported yet. HDFS keeps no time of the
 * close but the file's modification time, which users set: {@code distcp -pt} to a time long ago as soon as it has
 * closed a file, {@code -touch} to the present as often as somebody likes. So two things count:
 * <ul>
 * <li>The group's generation stamp. The NameNode gives them in ascending order, when it allocates a group or recovers
 * its lease, and nobody can set them. A group is known to be young if its stamp is above one that was the last of all
 * a while ago.
 * <li>The modification time, for groups that were open for longer. What it delays is delayed only once a minute.
 * </ul>
 * Thread-safe. Bounded by the stamps of ten seconds and by {@link #MAX_DELAYED} groups.
 */
final class JustClosedGroups {
  /**
   * By then after the close DataNodes have reported what they have written: most do within a heartbeat. And by then
   * after its allocation a group that is shorter than a stripe is closed and reported, if its writer waits for nothing.
   */
  private static final long REPORTED_MS = 10_000;
  private static final long REPORTED_NS = TimeUnit.MILLISECONDS.toNanos(REPORTED_MS);
  /** Time between two stamps that are kept. */
  private static final long STAMP_INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);
  /** For how long a group is not delayed again by its file's modification time. */
  private static final long DELAYED_ONCE_NS = TimeUnit.MINUTES.toNanos(1);
  /** More than are closed within a minute after their writers had them open for longer than {@link #REPORTED_MS}. */
  private static final int MAX_DELAYED = 10_000;

  /** The last generation stamp that had been given at a time. */
  private record Stamp(long stamp, long atNs) {
  }

  private final Deque<Stamp> stamps = new ArrayDeque<>();
  /** When a group was first delayed by its file's modification time, by the id of the group; oldest first. */
  private final Map<Long, Long> delayedSinceNs = new LinkedHashMap<>();

  /** Takes the last generation stamp that the NameNode has given. */
  synchronized void note(long lastStamp, long nowNs) {
    expire(nowNs);
    if (stamps.isEmpty() || nowNs - stamps.getLast().atNs >= STAMP_INTERVAL_NS) {
      stamps.addLast(new Stamp(lastStamp, nowNs));
    }
  }

  /**
   * Whether a group may have internal blocks that are not reported yet.
   *
   * @param modifiedMs its file's modification time, and {@code nowMs} the time now, since the epoch
   */
  synchronized boolean contains(long groupId, long stamp, long modifiedMs, long nowMs, long nowNs) {
    expire(nowNs);
    Long sinceNs = delayedSinceNs.get(groupId);
    return isYoung(stamp) || isJustModified(modifiedMs, nowMs)
        && (sinceNs == null || nowNs - sinceNs < REPORTED_NS);
  }

  /** Holds a waiting group back if so, for its file's modification time only once a minute. Returns whether it does. */
  synchronized boolean holdBack(long groupId, long stamp, long modifiedMs, long nowMs, long nowNs) {
    boolean delayed = contains(groupId, stamp, modifiedMs, nowMs, nowNs);
    if (delayed && !isYoung(stamp) && delayedSinceNs.size() < MAX_DELAYED) {
      delayedSinceNs.putIfAbsent(groupId, nowNs);
    }
    return delayed;
  }

  private boolean isYoung(long stamp) {
    return !stamps.isEmpty() && stamp > stamps.getFirst().stamp;
  }

  private static boolean isJustModified(long modifiedMs, long nowMs) {
    return modifiedMs <= nowMs && nowMs - modifiedMs < REPORTED_MS;
  }

  private Stamp second() {
    Iterator<Stamp> oldest = stamps.iterator();
    oldest.next();
    return oldest.next();
  }

  private void expire(long nowNs) {
    // The newest that is old enough stays, however old it is.
    while (stamps.size() > 1 && nowNs - second().atNs >= REPORTED_NS) {
      stamps.removeFirst();
    }
    Iterator<Long> since = delayedSinceNs.values().iterator();
    while (since.hasNext() && nowNs - since.next() > DELAYED_ONCE_NS) {
      since.remove();
    }
  }
}
