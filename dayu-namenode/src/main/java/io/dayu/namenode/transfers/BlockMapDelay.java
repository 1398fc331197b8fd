/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * How long the block map takes to have a block after an agent has said that it is done. It tells a NameNode that is
 * behind with block reports from a DataNode that has not got the block. A pause of this JVM counts as half a second of
 * an age ({@code JvmPauses}). Owned by the recovery loop; not thread-safe.
 *
 * <p>A DataNode announces a replica at once, or with its next heartbeat at the latest. So a block is <i>late</i> after
 * {@link #LATE_NS}. It is <i>overdue</i> after {@link #OVERDUE_NS}, if the block map has one that another agent
 * finished later; without such evidence after {@link #OVERDUE_ALONE_NS}. All of these are {@link #MAX_FACTOR} times the
 * usual delay, if that is longer.
 */
public final class BlockMapDelay {
  static final long LATE_NS = TimeUnit.SECONDS.toNanos(3);
  static final long OVERDUE_NS = TimeUnit.SECONDS.toNanos(10);
  public static final long OVERDUE_ALONE_NS = TimeUnit.SECONDS.toNanos(60);
  private static final long MAX_FACTOR = 5;
  private static final long MEAN_OF = 16;

  /** By target, when the agent finished the latest of its blocks that the block map has. */
  private final Map<String, Long> lastDoneNs = new HashMap<>();
  private long meanNs;

  /**
   * The block map has a block of this target.
   *
   * @param doneNs when its agent said that it had finished it, by the clock
   * @param ageNs how long ago that was; a pause counts as half a second
   */
  void confirmed(String target, long doneNs, long ageNs) {
    lastDoneNs.merge(target, doneNs, (before, later) -> before - later > 0 ? before : later);
    meanNs += (ageNs - meanNs) / MEAN_OF;
  }

  /** Whether the block map should have a block of this age by now. */
  boolean isLate(long ageNs) {
    return ageNs > Math.max(LATE_NS, MAX_FACTOR * meanNs);
  }

  /**
   * Whether the block map will not have a block of this target.
   *
   * @param doneNs when its agent said that it had finished it, by the clock
   * @param ageNs how long ago that was; a pause counts as half a second
   */
  boolean isOverdue(String target, long doneNs, long ageNs) {
    long minNs = hasLaterOfAnother(target, doneNs) ? OVERDUE_NS : OVERDUE_ALONE_NS;
    return ageNs > Math.max(minNs, MAX_FACTOR * meanNs);
  }

  private boolean hasLaterOfAnother(String target, long doneNs) {
    return lastDoneNs.entrySet().stream()
        .anyMatch(other -> !other.getKey().equals(target) && other.getValue() - doneNs >= 0);
  }

  void clear() {
    lastDoneNs.clear();
    meanNs = 0;
  }
}
