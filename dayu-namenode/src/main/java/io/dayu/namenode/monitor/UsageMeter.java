/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.monitor;

import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.transfers.AgentState;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.namenode.transfers.NodeBandwidth;
import io.dayu.namenode.transfers.TransferSource;
import io.dayu.rules.RecentProgress.Usage;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Adds up what recovery may use, and the node-seconds in which a link carried more than alpha in the mean of
 * {@link MeanUtilization}. The paper measures interference at each moment (ATC'19 §5). Owned by the recovery loop; not
 * thread-safe.
 */
final class UsageMeter {
  /** What recovery carries on a node's links. */
  private static final class RecoveryRate {
    private long inBytesPerSec;
    private long outBytesPerSec;
  }

  private final Settings settings;
  private final MeanUtilization utilization = new MeanUtilization();
  private double allowedBytes;
  private double nodeSeconds;
  private double nodeSecondsAboveAlpha;

  UsageMeter(Settings settings) {
    this.settings = settings;
  }

  /**
   * Adds the last {@code seconds}.
   *
   * @param running transfers under way, fastest if those to one target follow each other
   * @param agents the live ones
   */
  void count(List<Attempt> running, List<AgentState> agents, double seconds, long nowNs) {
    Map<String, RecoveryRate> recoveries = new HashMap<>(2 * agents.size());
    agents.forEach(agent -> recoveries.put(agent.uuid, new RecoveryRate()));
    String target = null;
    RecoveryRate atTarget = null;
    for (Attempt attempt : running) {
      if (!attempt.target().equals(target)) {
        target = attempt.target();
        atTarget = recoveries.get(target);
      }
      if (atTarget != null) {
        atTarget.inBytesPerSec += attempt.width() * attempt.achievedBytesPerSec();
      }
      for (TransferSource source : attempt.sources()) {
        RecoveryRate atSource = recoveries.get(source.node());
        if (atSource != null) {
          atSource.outBytesPerSec += attempt.achievedBytesPerSec();
        }
      }
    }
    Set<String> rebuilding = Attempt.rebuildingTargets(running);
    double alpha = settings.ratio(Setting.MAX_UTILIZATION);
    NodeBandwidth bandwidth = new NodeBandwidth(settings);
    long allowedIn = 0;
    long allowedOut = 0;
    for (AgentState agent : agents) {
      NodeLoad load = agent.load;
      RecoveryRate recovery = recoveries.get(agent.uuid);
      boolean rebuildsNow = rebuilding.contains(agent.uuid);
      NodeLoad.Link in = load.inLink(rebuildsNow);
      boolean above = utilization.isAbove(alpha, agent.uuid, share(in, recovery.inBytesPerSec),
          share(load.out(), recovery.outBytesPerSec), nowNs);
      allowedIn += bandwidth.receive(load, rebuildsNow);
      allowedOut += bandwidth.recover(load.out());
      nodeSeconds += seconds;
      nodeSecondsAboveAlpha += above ? seconds : 0;
    }
    allowedBytes += seconds * Math.min(allowedIn, allowedOut);
  }

  private static double share(NodeLoad.Link link, long recoveryBytesPerSec) {
    return link.capacityBytesPerSec() <= 0 ? 0
        : (double) (link.foregroundBytesPerSec() + recoveryBytesPerSec) / link.capacityBytesPerSec();
  }

  /** The sums since the start. */
  Usage total() {
    return new Usage(allowedBytes, nodeSeconds, nodeSecondsAboveAlpha);
  }

  /** A recovery has ended or pauses: the means begin anew. The sums stay. */
  void endRecovery() {
    utilization.clear();
  }
}
