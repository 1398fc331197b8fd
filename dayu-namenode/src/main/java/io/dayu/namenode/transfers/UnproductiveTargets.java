/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

import io.dayu.blocks.BlockKey;
import io.dayu.conf.Settings;
import io.dayu.namenode.agents.AgentRegistry;
import io.dayu.namenode.exchange.NodeLoad;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Finds targets that complete nothing, whatever progress they report. Owned by the recovery loop; not thread-safe.
 *
 * <p><b>Why not what is reported.</b> An agent may report any progress. What its sources say that they sent would have
 * to be asked for, sources without an agent say nothing, and two agents may agree on a lie. The block map has a block
 * only if the DataNode has it. So a target is judged by what it completes, not by what it is said to receive.
 *
 * <p><b>Rule.</b> Agents run few transfers at a time, so a target soon completes the first of them. A target is found
 * if for {@link #MIN_NS} none of its transfers has reached the block map, and in that time it was granted
 * {@link #MIN_FACTOR} times the bytes of all that it has under way. Where its disks are the limit, by its agent's word,
 * what these take counts as granted: plans then give it little, and {@link StalledTransfers} bounds the time of what it
 * has. The source must not be the reason: the transfers have had several sources for as long and as much, or theirs has
 * completed a transfer to another target meanwhile. {@link AvoidedNodes} sees to it that a slow network, which makes
 * all targets look like that, does not have most of them avoided.
 *
 * <p><b>The highest risk</b> does not wait for an agent's word on its disks, nor for disks that are that slow: another
 * target may have the block sooner. So each transfer of this kind is judged by itself, from the moment at which it is
 * seen; its source is not the reason if it has served others since, or if another of these that is late, too, has
 * another source. At least B_min counts as granted, and only the bytes of such transfers, since they go before others,
 * which go on. A block leaves a target by this rule once: other targets that it may go to may be as slow, and would
 * begin anew. For the same reason the rule does not hold where the disks are the limit of half of the nodes.
 */
public final class UnproductiveTargets {
  static final long MIN_NS = TimeUnit.SECONDS.toNanos(30);
  private static final double MIN_FACTOR = 3;
  /** A longer time between two looks counts as this time: the loop may have stood still. */
  private static final long MAX_STEP_NS = TimeUnit.SECONDS.toNanos(2);
  private static final double NS_PER_SEC = 1e9;

  /**
   * When something was first seen, or its target last completed something.
   *
   * @param grantedBytes what had been granted by then
   */
  private record Start(long ns, double grantedBytes) {
  }

  /** What a target was granted since it is known. */
  private static final class Granted {
    private Start start;
    /** The same, but not before its transfers had several sources. */
    private Start severalSourcesStart;
    private long observedNs;
    private double bytes;
    /** What counts as granted to its transfers at the highest risk, and where this count was as each began. */
    private double highestRiskBytes;
    private final Map<Attempt, Start> highestRiskStarts = new HashMap<>(0);

    private Granted(long nowNs) {
      restart(nowNs);
      observedNs = nowNs;
    }

    private void restart(long nowNs) {
      start = new Start(nowNs, bytes);
      severalSourcesStart = start;
      highestRiskStarts.clear();
    }

    private void observeHighestRisk(List<Attempt> attempts, long nowNs) {
      highestRiskStarts.keySet().retainAll(attempts);
      attempts.forEach(
          attempt -> highestRiskStarts.computeIfAbsent(attempt, any -> new Start(nowNs, highestRiskBytes)));
    }
  }

  /** What a target has under way. */
  private static final class UnderWay {
    private final List<Attempt> attempts = new ArrayList<>();
    /** Those at the highest risk whose blocks have left no target yet. */
    private final List<Attempt> highestRisk = new ArrayList<>(0);
    private long bytesPerSec;
    private double bytes;
    private double highestRiskBytes;
    private String source;
    private boolean severalSources;

    private void add(Attempt attempt, boolean isHighestRisk) {
      attempts.add(attempt);
      bytes += attempt.request().numBytes();
      if (isHighestRisk) {
        highestRisk.add(attempt);
        highestRiskBytes += attempt.request().numBytes();
      }
      if (!attempt.sourceLost()) {
        bytesPerSec += attempt.rateBytesPerSec();
        severalSources |= attempt.width() > 1 || source != null && !source.equals(attempt.source());
        source = attempt.source();
      }
    }
  }

  private final AgentRegistry<AgentState> agents;
  private final Settings settings;
  private final Predicate<BlockKey> hasLeftTarget;
  private final Map<String, Granted> granted = new HashMap<>();
  /** When a transfer from a source was last completed. */
  private final Map<String, Long> sentNs = new HashMap<>();

  /**
   * @param agents what they can carry and what their disks take, as plans use it
   * @param hasLeftTarget whether the block has left a target before, since that was too slow
   */
  public UnproductiveTargets(AgentRegistry<AgentState> agents, Settings settings,
      Predicate<BlockKey> hasLeftTarget) {
    this.agents = agents;
    this.settings = settings;
    this.hasLeftTarget = hasLeftTarget;
  }

  /**
   * The targets that complete nothing, each with those of its transfers that are to be given up; to be called about
   * once a second.
   *
   * @param attempts all transfers, fastest if those to one target follow each other
   */
  public Map<String, List<Attempt>> find(Collection<Attempt> attempts, long nowNs) {
    Map<String, UnderWay> underWay = new HashMap<>();
    String last = null;
    UnderWay toLast = null;
    for (Attempt attempt : attempts) {
      if (attempt.live()) {
        if (!attempt.target().equals(last)) {
          last = attempt.target();
          toLast = underWay.computeIfAbsent(last, uuid -> new UnderWay());
        }
        toLast.add(attempt, attempt.isAtHighestRisk() && !hasLeftTarget.test(attempt.block()));
      }
    }
    granted.keySet().retainAll(underWay.keySet());
    boolean disksLimitHalf = disksLimitHalf();
    Map<String, List<Attempt>> found = new LinkedHashMap<>();
    underWay.forEach((target, load) -> {
      Granted one = granted.computeIfAbsent(target, uuid -> new Granted(nowNs));
      NodeLoad carries = agents.get(target).load;
      boolean blamesDisks = carries != null && carries.isLimitedByDisks();
      long bytesPerSec = blamesDisks ? carries.withinDisks(load.bytesPerSec) : load.bytesPerSec;
      double sec = Math.min(MAX_STEP_NS, nowNs - one.observedNs) / NS_PER_SEC;
      one.observedNs = nowNs;
      one.bytes += bytesPerSec * sec;
      boolean judgesHighestRisk = blamesDisks && !disksLimitHalf;
      if (judgesHighestRisk && load.bytesPerSec > 0) {
        double minBytesPerSec = settings.minBytesPerSec(carries.in().capacityBytesPerSec());
        one.highestRiskBytes += Math.max(bytesPerSec, minBytesPerSec) * sec;
      }
      one.observeHighestRisk(load.highestRisk, nowNs);
      if (!load.severalSources) {
        one.severalSourcesStart = new Start(nowNs, one.bytes);
      }
      Start start = load.severalSources ? one.severalSourcesStart : one.start;
      if (isLate(start, one.bytes, load.bytes, nowNs) && (load.severalSources || hasSent(load.source, start))) {
        found.put(target, load.attempts);
        one.restart(nowNs);
      } else if (judgesHighestRisk) {
        List<Attempt> late = lateAtHighestRisk(one, load, nowNs);
        if (!late.isEmpty()) {
          found.put(target, late);
          one.highestRiskStarts.keySet().removeAll(late);
        }
      }
    });
    return found;
  }

  /** Those whose sources are not the reason. */
  private List<Attempt> lateAtHighestRisk(Granted one, UnderWay load, long nowNs) {
    UnderWay late = new UnderWay();
    for (Attempt attempt : load.highestRisk) {
      if (!attempt.sourceLost()
          && isLate(one.highestRiskStarts.get(attempt), one.highestRiskBytes, load.highestRiskBytes, nowNs)) {
        late.add(attempt, true);
      }
    }
    return late.severalSources ? late.attempts : late.attempts.stream()
        .filter(attempt -> hasSent(attempt.source(), one.highestRiskStarts.get(attempt))).toList();
  }

  private static boolean isLate(Start start, double grantedBytes, double bytes, long nowNs) {
    return nowNs - start.ns >= MIN_NS && grantedBytes - start.grantedBytes >= MIN_FACTOR * bytes;
  }

  private boolean disksLimitHalf() {
    int known = 0;
    int limited = 0;
    for (AgentState agent : agents.all()) {
      if (agent.load != null) {
        known++;
        limited += agent.load.isLimitedByDisks() ? 1 : 0;
      }
    }
    return 2 * limited >= known;
  }

  /** Whether a transfer from this source has been completed since. */
  private boolean hasSent(String source, Start start) {
    Long lastSentNs = sentNs.get(source);
    return lastSentNs != null && lastSentNs - start.ns > 0;
  }

  /** The block map has what this transfer made. */
  public void confirmed(String source, String target, long nowNs) {
    sentNs.put(source, nowNs);
    Granted one = granted.get(target);
    if (one != null) {
      one.restart(nowNs);
    }
  }

  public void clear() {
    granted.clear();
    sentNs.clear();
  }
}
