/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.conf.Setting;

import java.util.concurrent.TimeUnit;

/**
 * Decides by the number of live agents when stock re-replication resumes and when Dayu takes over again, with
 * hysteresis. Reads no clock; owned by the recovery loop, not thread-safe.
 *
 * <p>Stock re-replication resumes: fewer DataNodes than {@code minRatio} have an agent, and that for some seconds.
 *
 * <p>Dayu resumes after a loss of agents: {@link #RESUME_FACTOR} times that ratio has had agents for a delay without a
 * break. The delay doubles with each further loss, up to {@link #MAX_DELAY_NS}, and starts over when none has occurred
 * for {@link #RESET_NS} since Dayu resumed. The ratio itself suffices when it has held for {@link #MAX_DELAY_NS}, so
 * that a cluster with exactly as many agents is not left to stock forever.
 *
 * <p>Dayu resumes where there have not been enough agents since the activation: as soon as the ratio is reached. The
 * same holds where no agent was lost, but more DataNodes without an agent have registered than ever before: after a
 * start DataNodes register in any order.
 */
final class AgentQuorum {
  static final double RESUME_FACTOR = 1.1;
  static final long MAX_DELAY_NS = TimeUnit.MINUTES.toNanos(30);
  static final long RESET_NS = TimeUnit.HOURS.toNanos(1);
  /** The loop observes once a second; after a longer time than this it has stood still. */
  private static final long MAX_GAP_NS = TimeUnit.SECONDS.toNanos(2);
  /** What a longer gap counts as: little, but a loop that is always slow notices a lack of agents, too. */
  private static final long LONG_GAP_COUNTS_NS = TimeUnit.MILLISECONDS.toNanos(500);
  /** Makes up for the rounding of a ratio times a number of nodes. */
  private static final double ROUNDING = 1e-9;

  /** Since when a condition has held without a break. */
  private static final class Streak {
    private boolean holds;
    private long sinceNs;

    void observe(boolean holdsNow, long nowNs) {
      if (holdsNow && !holds) {
        sinceNs = nowNs;
      }
      holds = holdsNow;
    }

    /** This time does not count. */
    void skip(long durationNs) {
      sinceNs += durationNs;
    }

    boolean hasLasted(long durationNs, long nowNs) {
      return holds && nowNs - sinceNs >= durationNs;
    }

    long leftNs(long durationNs, long nowNs) {
      return durationNs - (holds ? nowNs - sinceNs : 0);
    }
  }

  private final double minRatio;

  private long observedNs;
  private int agents;
  private int nodes;
  private Streak tooFew;
  private Streak enough;
  private Streak enoughToResume;
  /** The number of agents when they were last enough; 0 if they have not been enough since the activation. */
  private int agentsWhenMet;
  /** The highest number of live DataNodes at any resumption of stock since the activation. */
  private int maxNodes;
  /** Whether stock recovers for lack of agents that were there before. */
  private boolean lost;
  private long delayNs;
  private long resumedNs;

  /** @param minRatio fraction of the live DataNodes that must have an agent, 0 to 1; at least one must */
  AgentQuorum(double minRatio) {
    this.minRatio = minRatio;
    activate(0);
  }

  /** Dayu recovers from now on, and nothing is known of agents. */
  void activate(long nowNs) {
    observedNs = nowNs;
    tooFew = new Streak();
    enough = new Streak();
    enoughToResume = new Streak();
    agentsWhenMet = 0;
    maxNodes = 0;
    lost = false;
    delayNs = 0;
    resumedNs = nowNs;
  }

  /** Records how many live DataNodes have a live agent. Without live DataNodes there is no lack of agents. */
  void observe(int liveAgents, int liveNodes, long nowNs) {
    if (nowNs - observedNs > MAX_GAP_NS) {
      tooFew.skip(nowNs - observedNs - LONG_GAP_COUNTS_NS);
    }
    observedNs = nowNs;
    agents = liveAgents;
    nodes = liveNodes;
    boolean met = agents >= required(minRatio);
    tooFew.observe(nodes > 0 && !met, nowNs);
    enough.observe(met, nowNs);
    enoughToResume.observe(agents >= requiredToResume(), nowNs);
    if (met) {
      agentsWhenMet = agents;
    }
  }

  private int required(double ratio) {
    return Math.max(1, (int) Math.ceil(ratio * nodes - ROUNDING));
  }

  private int requiredToResume() {
    return required(Math.min(1, RESUME_FACTOR * minRatio));
  }

  /**
   * Whether there have been too few agents for long enough that stock re-replication must resume. Time in which the
   * loop stood still hardly counts: it has not read the agents' reports of that time yet.
   *
   * @param shortageNs how long there must be too few
   */
  boolean mustResumeStock(long shortageNs, long nowNs) {
    return tooFew.hasLasted(shortageNs, nowNs);
  }

  /**
   * Stock re-replication resumes for lack of agents. It counts as a loss only if there were more agents before: if only
   * DataNodes without agents have registered, as they do while a cluster starts, no agent was lost.
   *
   * @param minDelayNs the delay after a first loss
   */
  void stockResumed(long nowNs, long minDelayNs) {
    boolean moreNodes = nodes > maxNodes;
    maxNodes = Math.max(maxNodes, nodes);
    if (moreNodes && agents >= agentsWhenMet) {
      return;
    }
    lost = true;
    long lastDelayNs = nowNs - resumedNs >= RESET_NS ? 0 : delayNs;
    delayNs = Math.min(MAX_DELAY_NS, Math.max(minDelayNs, 2 * lastDelayNs));
  }

  /** Whether there are enough agents for Dayu to recover again. */
  boolean mayResume(long nowNs) {
    if (!lost) {
      return enough.hasLasted(0, nowNs);
    }
    return enoughToResume.hasLasted(delayNs, nowNs) || enough.hasLasted(MAX_DELAY_NS, nowNs);
  }

  /** Dayu recovers again. */
  void resumed(long nowNs) {
    if (lost) {
      lost = false;
      resumedNs = nowNs;
    }
  }

  /** Why Dayu recovers again, for people; it is read long afterwards, beside the number of agents at that time. */
  String resumeReason() {
    return "enough DataNodes had an agent then: " + agents + " of " + nodes;
  }

  /** How many have an agent now. */
  private String agentCount() {
    return agents + " of " + nodes + " live DataNodes have an agent";
  }

  /** Why stock re-replication resumes, and what Dayu then waits for. */
  String shortageReason() {
    return agentCount() + ", fewer than " + Setting.MIN_AGENT_RATIO.key() + " = " + minRatio
        + (lost ? "; " + resumeCondition() : "");
  }

  /** What Dayu waits for and how long it takes at least, or null if agents have not been lost. */
  String waitReason(long nowNs) {
    if (!lost) {
      return null;
    }
    long leftNs = Math.min(enoughToResume.leftNs(delayNs, nowNs), enough.leftNs(MAX_DELAY_NS, nowNs));
    return agentCount() + "; " + resumeCondition() + ", in " + seconds(Math.max(0, leftNs)) + " s at the earliest";
  }

  private String resumeCondition() {
    return "Dayu resumes when " + requiredToResume() + " of " + nodes + " have had one for " + seconds(delayNs)
        + " s without a break";
  }

  private static long seconds(long nanos) {
    return TimeUnit.NANOSECONDS.toSeconds(nanos + TimeUnit.SECONDS.toNanos(1) - 1);
  }
}
