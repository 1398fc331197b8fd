/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.rules;

/**
 * Says when a timeslot is due, by what the caller tells of the recovery. Times are of one clock that the caller reads,
 * in nanoseconds. Not thread-safe.
 *
 * <p>A timeslot ends after T, near the end of a recovery sooner ({@link RemainingWork#timeslotMs}). It ends early,
 * though not before a third of T nor before the shortest timeslot, when half of what it had is done, when a transfer
 * has lost its source, or when most blocks are new: when the first of them is seen, the NameNode may still be listing
 * what a dead node held.
 */
public final class PlanTiming {
  private static final int MIN_PART = 3;
  private static final long NS_PER_MS = 1_000_000;

  private final long minTimeslotNs;
  private long timeslotNs;
  private long lastPlanNs;
  /** After which time the next plan is due. */
  private long periodNs;
  private int grantedAtPlan;
  private long waitingAtPlan;
  private long waitingBeforePlan;

  /**
   * @param timeslotMs T
   * @param minTimeslotMs the shortest timeslot; T or more makes all equally long
   */
  public PlanTiming(long timeslotMs, long minTimeslotMs) {
    minTimeslotNs = minTimeslotMs * NS_PER_MS;
    timeslotNs = timeslotMs * NS_PER_MS;
    clear();
  }

  /** Sets T. A timeslot that is under way ends by the new T if that is sooner. */
  public void timeslotMs(long timeslotMs) {
    timeslotNs = timeslotMs * NS_PER_MS;
    periodNs = Math.min(periodNs, timeslotNs);
  }

  /** Begins anew, with a timeslot due at once. */
  public void begin(long nowNs) {
    clear();
    lastPlanNs = nowNs - periodNs;
  }

  /** Forgets what was planned before. */
  public void clear() {
    periodNs = timeslotNs;
    grantedAtPlan = 0;
    waitingAtPlan = 0;
    waitingBeforePlan = 0;
  }

  /** Whether no timeslot can be due, whatever has happened. */
  public boolean isTooEarly(long nowNs) {
    return nowNs - lastPlanNs < Math.min(periodNs, Math.max(minTimeslotNs, timeslotNs / MIN_PART));
  }

  /**
   * Whether to plan now, if it {@link #isTooEarly is not too early}.
   *
   * @param waiting blocks that wait for a transfer
   * @param live transfers that make progress or are about to
   * @param any whether there are transfers at all, those that end included
   * @param lostSource whether a transfer has lost its source
   */
  public boolean isDue(long waiting, int live, boolean any, boolean lostSource, long nowNs) {
    boolean newWork = waiting > 0 && (grantedAtPlan > 0 || waiting != waitingAtPlan);
    boolean early = lostSource || newWork && live * 2 <= grantedAtPlan || waiting / 2 > waitingBeforePlan;
    return early || nowNs - lastPlanNs >= periodNs && (waiting > 0 || any);
  }

  /** Notes that a plan is begun. */
  public void planning(long waiting, long nowNs) {
    lastPlanNs = nowNs;
    waitingBeforePlan = waiting;
  }

  /** A plan is made; the next one is due after this time. */
  public void planned(long periodMs) {
    periodNs = periodMs * NS_PER_MS;
  }

  /** A plan is carried out: this many transfers are live now, and this many blocks still wait. */
  public void carriedOut(int granted, long waiting) {
    grantedAtPlan = granted;
    waitingAtPlan = waiting;
  }
}
