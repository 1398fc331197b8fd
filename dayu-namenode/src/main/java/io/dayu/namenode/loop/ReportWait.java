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
 * <p>Most reports are in sockets, and come within milliseconds; agents whose RPC has timed out report within seconds.
 * The wait ends after {@link #MAX_WAIT_NS} at the latest. There is one in {@link #PERIOD_NS} at most: a JVM that stands
 * still again and again has to plan, too.
 */
final class ReportWait {
  /** Shorter ones make no transfer look stalled. */
  private static final long MIN_PAUSE_NS = TimeUnit.SECONDS.toNanos(2);
  private static final long MAX_WAIT_NS = TimeUnit.SECONDS.toNanos(5);
  private static final long PERIOD_NS = TimeUnit.MINUTES.toNanos(1);

  private final AgentRegistry<AgentState> agents;
  private final TransferTracker tracker;
  private long lastNs;
  private long beganNs;
  private boolean on;

  /** @param startedNs when this NameNode was started */
  ReportWait(AgentRegistry<AgentState> agents, TransferTracker tracker, long startedNs) {
    this.agents = agents;
    this.tracker = tracker;
    this.lastNs = startedNs;
    this.beganNs = startedNs - PERIOD_NS;
  }

  /** Whether to wait now. To be called in each tick, before reports are read. */
  boolean isOn(long nowNs) {
    long stoodStillNs = nowNs - lastNs - agents.pauses().since(lastNs, nowNs);
    lastNs = nowNs;
    if (stoodStillNs >= MIN_PAUSE_NS && nowNs - beganNs >= PERIOD_NS) {
      beganNs = nowNs;
      on = true;
    }
    on = on && nowNs - beganNs < MAX_WAIT_NS
        && tracker.all().stream().anyMatch(one -> agents.get(one.target()).lastReportNs() - beganNs < 0);
    return on;
  }
}
