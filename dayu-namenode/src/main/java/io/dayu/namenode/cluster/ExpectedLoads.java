/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.cluster;

import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.transfers.AgentState;
import io.dayu.schedule.forecast.ForegroundForecast;
import io.dayu.schedule.forecast.ObservedForeground;

import java.util.Collection;
import java.util.concurrent.TimeUnit;

/**
 * The loads that agents report, as a forecast expects them to be while the plan being made is in effect. Owned by the
 * recovery loop; not thread-safe. What it remembers of a node lies in its {@link AgentState} and goes with it.
 */
final class ExpectedLoads {
  private final ForegroundForecast forecast;
  private long lastRoundNs;

  ExpectedLoads(ForegroundForecast forecast, long nowNs) {
    this.forecast = forecast;
    lastRoundNs = nowNs;
  }

  /**
   * Lets the forecast learn from the reports since the last period; does nothing before the next period is over.
   *
   * @param periodMs the planning period, as it is now, and so the time between the reports that the forecast learns
   *     from
   */
  void observe(Collection<AgentState> agents, long periodMs, long nowNs) {
    if (nowNs - lastRoundNs < TimeUnit.MILLISECONDS.toNanos(periodMs)) {
      return;
    }
    lastRoundNs = nowNs;
    forecast.beginRound();
    for (AgentState agent : agents) {
      if (agent.load != null && agent.load != agent.observedLoad) {
        agent.observedLoad = agent.load;
        observe(agent.foregroundIn, agent.load.in());
        observe(agent.foregroundOut, agent.load.out());
      }
    }
  }

  private void observe(ObservedForeground history, NodeLoad.Link link) {
    if (link.capacityBytesPerSec() > 0) {
      forecast.observe(history, (double) link.foregroundBytesPerSec() / link.capacityBytesPerSec());
    }
  }

  /** The load that the agent last reported, with the expected foreground. */
  NodeLoad of(AgentState agent) {
    NodeLoad load = agent.load;
    long in = expected(agent.foregroundIn, load.in());
    long out = expected(agent.foregroundOut, load.out());
    return load.withForeground(in, out);
  }

  private long expected(ObservedForeground history, NodeLoad.Link link) {
    long foreground = link.foregroundBytesPerSec();
    long capacity = link.capacityBytesPerSec();
    return capacity == 0 ? foreground
        : Math.round(forecast.forecast(history, (double) foreground / capacity) * capacity);
  }
}
