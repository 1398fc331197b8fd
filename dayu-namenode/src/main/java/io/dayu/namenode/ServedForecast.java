/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.namenode;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Foresees how much each node will have served to other nodes' transfers when it next reports. Owned by the recovery loop; not thread-safe.
 *
 * <p>A source takes what it is told to have served off what its meter counts; the rest is foreground. What is known here comes from targets'
 * reports and is told in the answer to the source's next but one sample: two reports late. As transfers begin, the source would take them for
 * foreground and so report less bandwidth for recovery than it has. Hence the bytes known are carried on at the rates that targets achieve.
 *
 * <p>Sources that are asked for turns count what these bring themselves; all this is about the others.
 */
final class ServedForecast {
  private static final long PERIOD_NS = TimeUnit.MILLISECONDS.toNanos(250);
  private static final double LONGEST_SEC = 3;

  /** Bytes that a node has served at a moment, and how many more each second. */
  record Serving(double bytes, double bytesPerSec, long atNs) {
    static final Serving NOTHING = new Serving(0, 0, 0);

    /** What will have been served so long after {@code nowNs}; not carried on for ever if the loop should be silent. */
    long bytesAt(long nowNs, long aheadMs) {
      return (long) (bytes + bytesPerSec * Math.min(LONGEST_SEC, (nowNs - atNs) / 1e9 + aheadMs / 1e3));
    }
  }

  private final Function<String, AgentState> agents;
  private List<AgentState> serving = new ArrayList<>();
  private long lastNs;

  /** @param agents by the UUID of the node; null for one without an agent */
  ServedForecast(Function<String, AgentState> agents, long nowNs) {
    this.agents = agents;
    lastNs = nowNs - PERIOD_NS;
  }

  /** Works out anew what the sources of these attempts serve, four times a second. */
  void update(Collection<Attempt> attempts, long nowNs) {
    if (nowNs - lastNs < PERIOD_NS) {
      return;
    }
    lastNs = nowNs;
    Map<AgentState, double[]> sums = new HashMap<>();
    for (Attempt attempt : attempts) {
      if (attempt.phase != Attempt.Phase.RUNNING || attempt.sourceLost || attempt.sourceCounts) {
        continue;
      }
      AgentState source = agents.apply(attempt.source);
      AgentState target = agents.apply(attempt.target());
      if (source != null && target != null) {
        double[] sum = sums.computeIfAbsent(source, each -> new double[2]);
        double sinceSec = Math.min(LONGEST_SEC, (nowNs - target.heardNs()) / 1e9);
        double leftBytes = attempt.request.numBytes() - attempt.doneBytes;
        sum[0] += Math.min(leftBytes, attempt.achievedBytesPerSec * sinceSec);
        sum[1] += Math.min(leftBytes, attempt.achievedBytesPerSec);
      }
    }
    serving.stream().filter(agent -> !sums.containsKey(agent)).forEach(agent -> agent.serves(Serving.NOTHING));
    sums.forEach((agent, sum) -> agent.serves(new Serving(agent.servedBytes() + sum[0], sum[1], nowNs)));
    serving = new ArrayList<>(sums.keySet());
  }
}
