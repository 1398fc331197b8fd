/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

import io.dayu.namenode.agents.AgentRegistry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Finds transfers that renew their leases and make no progress, and decides what is to be done about them.
 * {@code TransferCoordinator} carries that out. Owned by the recovery loop; not thread-safe.
 *
 * <p><b>Goal.</b> A block must not wait forever for a target whose disk hangs, a slow source, or an agent that ignores
 * its commands.
 *
 * <p><b>Rules.</b> A transfer that has received less than {@link #MIN_SHARE} of its grant in {@link #windowNs} is
 * stalled. First it gets another source, if there is one. The next time it is given up, and the block avoids the
 * target. A transfer that has not begun may wait in the agent's queue as long as others to the same target make
 * progress; a target where nothing makes progress is avoided for at least {@link #AVOID_NS}. Every transfer is
 * given up once it was to move {@link #MAX_AGE_FACTOR} times its bytes, but not before {@link #MIN_AGE_NS}, and after
 * {@link #MAX_AGE_NS} at the latest. No more than its first rate counts: a later one may be more than clients leave of
 * the link. While a plan pauses a transfer, its first rate counts, so that the time does not stand still.
 *
 * <p>Time in which transfers at the highest risk go before it ({@link HighestRiskNodes}) does not count in the window:
 * of a rotating disk that clients keep busy they leave it less than this share. But after {@link #MAX_WINDOWS_BEHIND}
 * windows with such time a transfer that has received nothing is stalled, too.
 */
public final class StalledTransfers {
  private static final Logger LOG = LoggerFactory.getLogger(StalledTransfers.class);

  /** Less than what clients leave to recovery on a full link, and than the 65th that the highest risk leaves there. */
  private static final double MIN_SHARE = 0.01;
  private static final int MAX_WINDOWS_BEHIND = 5;
  public static final long AVOID_NS = TimeUnit.MINUTES.toNanos(5);
  private static final long MIN_AGE_NS = TimeUnit.MINUTES.toNanos(10);
  private static final long MAX_AGE_NS = TimeUnit.HOURS.toNanos(6);
  private static final double MAX_AGE_FACTOR = 20;

  /**
   * What is to be done.
   *
   * @param tooSlowSource transfers that are to get another source in the place of their slowest
   * @param givenUp transfers that are to be cancelled; their blocks are to avoid their targets
   * @param idleTargets UUIDs of targets where nothing makes progress
   */
  public record Decision(List<Attempt> tooSlowSource, List<Attempt> givenUp, Set<String> idleTargets) {
  }

  private final AgentRegistry<AgentState> agents;
  private final HighestRiskNodes highestRisk;
  private final long windowNs;

  /**
   * @param windowNs how long a transfer may receive less than its share
   */
  public StalledTransfers(AgentRegistry<AgentState> agents, HighestRiskNodes highestRisk, long windowNs) {
    this.agents = agents;
    this.highestRisk = highestRisk;
    this.windowNs = windowNs;
  }

  /**
   * Looks at the progress of these transfers, all that are under way, and notes it in their {@link ProgressWatch}.
   *
   * @param transfers fastest if those to one target follow each other
   */
  public Decision decide(List<Attempt> transfers, long nowNs) {
    List<Attempt> tooSlowSource = new ArrayList<>();
    List<Attempt> givenUp = new ArrayList<>();
    Set<String> idleTargets = new LinkedHashSet<>();
    AgentState target = null;
    for (Attempt attempt : transfers) {
      if (target == null || !attempt.target().equals(target.uuid)) {
        target = agents.get(attempt.target());
      }
      if (!attempt.live()) {
        continue;
      }
      attempt.watch().addTime(plannedBytesPerSec(attempt), highestRisk.goBefore(attempt), nowNs);
      boolean tooOld = isTooOld(attempt, nowNs);
      if (!tooOld && !isStalled(attempt, target, nowNs)) {
        continue;
      }
      if (!tooOld && !attempt.watch().hadSlowSource() && attempt.slowestSource() != null && attempt.hasOtherSource()) {
        LOG.debug("BLOCK* Dayu: {} on {} makes too little progress from {}", attempt.replica(), attempt.target(),
            attempt.slowestSource().node());
        attempt.watch().noteSlowSource();
        tooSlowSource.add(attempt);
      } else {
        givenUp.add(attempt);
        if (isIdle(target, nowNs)) {
          idleTargets.add(attempt.target());
        }
      }
    }
    return new Decision(tooSlowSource, givenUp, idleTargets);
  }

  /** What it is granted, or its first rate if that is less or a plan has paused it. */
  private static long plannedBytesPerSec(Attempt attempt) {
    long initial = attempt.initialRateBytesPerSec();
    return attempt.rateBytesPerSec() == 0 ? initial : Math.min(initial, attempt.rateBytesPerSec());
  }

  private static boolean isTooOld(Attempt attempt, long nowNs) {
    long ageNs = nowNs - attempt.startedNs();
    return ageNs > MAX_AGE_NS || ageNs > MIN_AGE_NS
        && attempt.watch().plannedBytes() > MAX_AGE_FACTOR * attempt.request().numBytes();
  }

  private boolean isStalled(Attempt attempt, AgentState target, long nowNs) {
    ProgressWatch watch = attempt.watch();
    boolean queued = attempt.doneBytes() == 0 && !isIdle(target, nowNs);
    if (attempt.rateBytesPerSec() == 0 || attempt.sourceLost() || queued) {
      watch.restart(attempt.doneBytes(), nowNs);
      return false;
    }
    boolean windowIsOver = watch.ownLengthNs(nowNs) >= windowNs;
    if (!windowIsOver && watch.lengthNs(nowNs) < MAX_WINDOWS_BEHIND * windowNs) {
      return false;
    }
    double minBytes = windowIsOver ? MIN_SHARE * attempt.rateBytesPerSec() * (windowNs / 1e9) : 1;
    boolean stalled = watch.receivedBytes(attempt.doneBytes()) < minBytes;
    watch.restart(attempt.doneBytes(), nowNs);
    return stalled;
  }

  /** Whether no transfer to this target makes progress. */
  private boolean isIdle(AgentState target, long nowNs) {
    return nowNs - target.progressNs >= windowNs;
  }
}
