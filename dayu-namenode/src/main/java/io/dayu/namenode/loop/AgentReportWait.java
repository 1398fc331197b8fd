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

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Decides for how long transfers are neither planned nor judged after this JVM has stood still: until the agents that
 * run some have reported. What is known of transfers is as old as the pause was long, so they would count as stalled or
 * late, and targets as idle. Owned by the recovery loop; not thread-safe.
 *
 * <p>An agent sends its next report when it has the answer to the last one. So what comes in right after a pause was
 * sent before it or early in it, and does not count; the next report comes after an interval, or when the agent tries
 * again if its RPC has timed out meanwhile. The wait ends after {@link #MAX_WAIT_NS}, of which a further pause takes
 * half a second. Agents that have not reported by then are not awaited for {@link #PERIOD_NS}: a JVM that stands still
 * again and again has to plan, too.
 */
final class AgentReportWait {
  /** Whether a transfer is slow is judged over five seconds or more; shorter pauses change little of that. */
  private static final long MIN_PAUSE_NS = TimeUnit.SECONDS.toNanos(2);
  /** What comes in within this time after a pause may have been sent before it. */
  private static final long SOCKETS_NS = TimeUnit.MILLISECONDS.toNanos(300);
  private static final long MAX_WAIT_NS = TimeUnit.SECONDS.toNanos(5);
  private static final long PERIOD_NS = TimeUnit.MINUTES.toNanos(1);

  private final AgentRegistry<AgentState> agents;
  private final TransferTracker tracker;
  /** When agents were awaited in vain, by the UUIDs of their DataNodes. */
  private final Map<String, Long> missedNs = new HashMap<>();
  private boolean on;
  private long lastNs;
  private long beganNs;
  /** Reports that came in later were sent after the last pause. */
  private long freshNs;

  /** @param startedNs when this NameNode was started */
  AgentReportWait(AgentRegistry<AgentState> agents, TransferTracker tracker, long startedNs) {
    this.agents = agents;
    this.tracker = tracker;
    this.lastNs = startedNs;
  }

  /** Takes note that this JVM runs. To be called in each tick, before reports are read. */
  void noteRunning(long nowNs) {
    long stoodStillNs = nowNs - lastNs - agents.pauses().since(lastNs, nowNs);
    lastNs = nowNs;
    tracker.stoodStill(stoodStillNs);
    if (stoodStillNs >= MIN_PAUSE_NS) {
      beganNs = on ? beganNs : nowNs;
      freshNs = nowNs + SOCKETS_NS;
      on = true;
    }
  }

  /** Whether to wait now. To be called in each tick, after reports have been read. */
  boolean isOn(long nowNs) {
    if (on) {
      missedNs.values().removeIf(missed -> agents.pauses().since(missed, nowNs) >= PERIOD_NS);
      List<String> awaited = tracker.targets().stream()
          .filter(uuid -> !missedNs.containsKey(uuid) && agents.get(uuid).lastReadNs() - freshNs < 0).toList();
      boolean inVain = agents.pauses().since(beganNs, nowNs) >= MAX_WAIT_NS;
      if (inVain) {
        awaited.forEach(uuid -> missedNs.put(uuid, nowNs));
      }
      on = !awaited.isEmpty() && !inVain;
    }
    return on;
  }
}
