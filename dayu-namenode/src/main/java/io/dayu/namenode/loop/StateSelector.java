/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.namenode.agents.ReportResponder;
import io.dayu.namenode.cluster.LiveCluster;
import io.dayu.namenode.status.RecoveryState;

import java.util.concurrent.TimeUnit;

/**
 * Decides who recovers while the NameNode is active: Dayu or stock HDFS. A failure of Dayu takes precedence over an
 * admin's command, and a command over the number of agents. It only decides; {@link RecoveryController} carries it out.
 * Reads no clock; owned by the recovery loop, not thread-safe.
 */
final class StateSelector {
  /**
   * Stock re-replication resumes when there have been too few agents for this many intervals between reports, or for
   * the interval of idle agents if that is longer. Time in which the loop stood still hardly counts.
   */
  private static final int SHORTAGE_REPORTS = 3;

  /** What to do about the state. */
  enum Action {
    /** The state and what it waits for stay as they are. */
    KEEP,
    /** The state stays, and waits for {@link Decision#reason}. */
    WAIT, RESUME_STOCK, TAKE_OVER
  }

  /** @param reason for the status; null for nothing */
  record Decision(Action action, String reason) {
    private static final Decision KEEP = new Decision(Action.KEEP, null);
  }

  private final Settings settings;
  private final LiveCluster cluster;
  private final ReportResponder responder;
  private final AdminControl adminControl;
  private final AgentQuorum quorum;
  private final StockBackoff backoff;
  private long activatedNs;

  StateSelector(Settings settings, LiveCluster cluster, ReportResponder responder, AdminControl adminControl,
      long startedNs) {
    this.settings = settings;
    this.cluster = cluster;
    this.responder = responder;
    this.adminControl = adminControl;
    this.quorum = new AgentQuorum(settings.ratio(Setting.MIN_AGENT_RATIO));
    this.backoff = new StockBackoff(startedNs);
  }

  /** Dayu recovers from now on, and nothing is known of agents. */
  void activate(long nowNs) {
    activatedNs = nowNs;
    quorum.activate(nowNs);
  }

  /** Dayu has failed, so stock HDFS recovers for a while. */
  void failed(long nowNs) {
    backoff.failed(TimeUnit.MILLISECONDS.toNanos(settings.millis(Setting.WATCHDOG_TIMEOUT)), nowNs);
  }

  /**
   * Decides by what is known now; the caller carries it out.
   *
   * @param state the present one, DAYU or STOCK
   * @param leaseNs the shortest delay after a first loss of agents, and the longest time for which their lack does not
   *     count after an activation, unless an agent may be silent for longer
   */
  Decision decide(RecoveryState state, long leaseNs, long nowNs) {
    quorum.observe(cluster.liveAgents(nowNs), cluster.nodes().size(), nowNs);
    if (adminControl.leftToStock() || adminControl.paused() && state == RecoveryState.DAYU) {
      return obey(state);
    }
    if (state == RecoveryState.DAYU && quorum.mustResumeStock(shortageNs(), nowNs) && couldReport(leaseNs, nowNs)) {
      quorum.stockResumed(nowNs, leaseNs);
      return new Decision(Action.RESUME_STOCK, quorum.shortageReason());
    }
    if (state == RecoveryState.STOCK && quorum.mayResume(nowNs) && backoff.isOver(nowNs)) {
      quorum.resumed(nowNs);
      return new Decision(Action.TAKE_OVER, quorum.resumeReason());
    }
    return state == RecoveryState.STOCK
        ? new Decision(Action.WAIT, quorum.mayResume(nowNs) ? null : lackOfAgents(nowNs))
        : Decision.KEEP;
  }

  /** Whether agents have had time to report since the activation. */
  private boolean couldReport(long leaseNs, long nowNs) {
    long silenceNs = cluster.silenceNs();
    return cluster.runningSince(activatedNs, nowNs) > silenceNs || nowNs - activatedNs > Math.max(silenceNs, leaseNs);
  }

  private Decision obey(RecoveryState state) {
    boolean resumesStock = adminControl.leftToStock() && state == RecoveryState.DAYU;
    return new Decision(resumesStock ? Action.RESUME_STOCK : Action.WAIT,
        "recovery is " + adminControl.modeChange().describe());
  }

  /** What Dayu waits for after a loss of agents, or that there have not been enough yet. */
  private String lackOfAgents(long nowNs) {
    String wait = quorum.waitReason(nowNs);
    return wait == null ? quorum.shortageReason() : wait;
  }

  private long shortageNs() {
    return TimeUnit.MILLISECONDS.toNanos(
        Math.max(SHORTAGE_REPORTS * settings.millis(Setting.HEARTBEAT_INTERVAL), responder.maxIntervalMs()));
  }
}
