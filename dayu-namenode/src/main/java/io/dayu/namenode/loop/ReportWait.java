/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.namenode.agents.AgentRegistry;
import io.dayu.namenode.transfers.AgentState;
import io.dayu.namenode.transfers.TransferTracker;

import java.util.concurrent.TimeUnit;

/**
 * Decides for how long transfers are neither planned nor judged after this JVM has stood still: until the agents that
 * run some have reported. What is known of transfers is as old as the pause was long, so they would count as stalled or
 * late, and targets as idle. Owned by the recovery loop; not thread-safe.
 *
 * <p>An agent sends its next report when it has the answer to the last one. So what comes in right after a pause was
 * sent before it or early in it, and does not count; the next report comes after an interval, or when the agent tries
 * again if its RPC has timed out meanwhile. The wait ends after {@link #MAX_WAIT_NS} at the latest. Then there is none
 * for {@link #PERIOD_NS}: a JVM that stands still again and again, with an agent that is gone, has to plan, too.
 */
final class ReportWait {
  /** Shorter ones make no transfer look stalled. */
  private static final long MIN_PAUSE_NS = TimeUnit.SECONDS.toNanos(2);
  /** Later reports were sent after the pause: earlier ones were in sockets. */
  private static final long SOCKETS_NS = TimeUnit.MILLISECONDS.toNanos(300);
  private static final long MAX_WAIT_NS = TimeUnit.SECONDS.toNanos(5);
  private static final long PERIOD_NS = TimeUnit.MINUTES.toNanos(1);

  private final AgentRegistry<AgentState> agents;
  private final TransferTracker tracker;
  private boolean on;
  private long lastNs;
  /** When the wait began, and since when there are reports that were sent after the last pause. */
  private long beganNs;
  private long freshNs;
  /** When a wait last ended without all reports. */
  private long inVainNs;

  /** @param startedNs when this NameNode was started */
  ReportWait(AgentRegistry<AgentState> agents, TransferTracker tracker, long startedNs) {
    this.agents = agents;
    this.tracker = tracker;
    this.lastNs = startedNs;
    this.inVainNs = startedNs - PERIOD_NS;
  }

  /** Whether to wait now. To be called in each tick, before reports are read. */
  boolean isOn(long nowNs) {
    long stoodStillNs = nowNs - lastNs - agents.pauses().since(lastNs, nowNs);
    lastNs = nowNs;
    if (stoodStillNs >= MIN_PAUSE_NS && nowNs - inVainNs >= PERIOD_NS) {
      beganNs = on ? beganNs : nowNs;
      freshNs = nowNs + SOCKETS_NS;
      on = true;
    }
    on = on && tracker.all().stream().anyMatch(one -> agents.get(one.target()).lastReportNs() - freshNs < 0);
    if (on && agents.pauses().since(beganNs, nowNs) >= MAX_WAIT_NS) {
      inVainNs = nowNs;
      on = false;
    }
    return on;
  }
}
