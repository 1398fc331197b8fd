/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.model;

/**
 * The settings that the scheduler works by. Immutable.
 *
 * @param timeslotMs T, the planning period (ATC'19 §3)
 * @param horizonMs how much work is planned: transfers that can finish within this time; the paper has horizon = T
 * @param bucketBytesPerSec width of the bandwidth buckets of §4.1; 0 = exact
 * @param underemployedRatio β of §4.2, 0 to 1
 * @param pressedSourcesFirst whether, within a queue, blocks whose sources have most to send for their bandwidth come
 *     first; else in the order of the snapshot
 * @param evictionFactor a straggler leaves a node on which it needs more than this multiple of the time that all work
 *     left needs at full bandwidth; 0 = only if it would not end within the horizon, as in the paper
 * @param minTimeslotMs near the end of a recovery timeslots become shorter than T, but not shorter than this
 */
public record PlanningParameters(long timeslotMs, long horizonMs, long bucketBytesPerSec, double underemployedRatio,
    boolean pressedSourcesFirst, double evictionFactor, long minTimeslotMs) {

  /** Largest {@link #evictionFactor}. */
  public static final double MAX_EVICTION_FACTOR = 100;

  public PlanningParameters {
    Preconditions.atLeast("timeslotMs", timeslotMs, 1);
    Preconditions.atLeast("horizonMs", horizonMs, 1);
    Preconditions.atLeast("minTimeslotMs", minTimeslotMs, 1);
    Preconditions.atLeast("bucketBytesPerSec", bucketBytesPerSec, 0);
    if (bucketBytesPerSec > NodeTable.MAX_BYTES_PER_SEC) {
      throw new IllegalArgumentException("bucketBytesPerSec = " + bucketBytesPerSec + ", expected at most "
          + NodeTable.MAX_BYTES_PER_SEC);
    }
    if (!(underemployedRatio >= 0 && underemployedRatio <= 1)) {
      throw new IllegalArgumentException("underemployedRatio = " + underemployedRatio + ", expected 0 to 1");
    }
    if (!(evictionFactor >= 0 && evictionFactor <= MAX_EVICTION_FACTOR)) {
      throw new IllegalArgumentException(
          "evictionFactor = " + evictionFactor + ", expected 0 to " + MAX_EVICTION_FACTOR);
    }
  }

  /** As in the paper: in the order of the snapshot, evicting by the horizon only, all timeslots alike. */
  public PlanningParameters(long timeslotMs, long horizonMs, long bucketBytesPerSec, double underemployedRatio) {
    this(timeslotMs, horizonMs, bucketBytesPerSec, underemployedRatio, false, 0, timeslotMs);
  }

  /** These, with another horizon. */
  public PlanningParameters withHorizonMs(long otherMs) {
    return new PlanningParameters(timeslotMs, otherMs, bucketBytesPerSec, underemployedRatio, pressedSourcesFirst,
        evictionFactor, minTimeslotMs);
  }

  /** These, with the blocks of a queue in the order of the snapshot. */
  public PlanningParameters inSnapshotOrder() {
    return new PlanningParameters(timeslotMs, horizonMs, bucketBytesPerSec, underemployedRatio, false, evictionFactor,
        minTimeslotMs);
  }

  /** These, for a recovery that is far from its end or not known to be near it. */
  public PlanningParameters farFromTheEnd() {
    return new PlanningParameters(timeslotMs, horizonMs, bucketBytesPerSec, underemployedRatio, pressedSourcesFirst, 0,
        timeslotMs);
  }
}
