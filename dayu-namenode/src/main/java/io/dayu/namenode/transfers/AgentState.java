/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

import io.dayu.namenode.agents.AgentSession;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.schedule.forecast.ObservedForeground;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What the recovery loop knows of one agent. {@link AgentSession} has what the loop shares with the RPC handlers. Owned
 * by the recovery loop; not thread-safe, but for the methods of {@link AgentSession}.
 */
public final class AgentState extends AgentSession {
  private static final long DISKS_LIMITED_NS = TimeUnit.MINUTES.toNanos(1);

  final List<Long> acknowledged = new ArrayList<>();
  /** The load as reported, and as plans use it: where agents share a meter, it is this agent's share. */
  public NodeLoad reportedLoad;
  public NodeLoad load;
  public int meterSharers = 1;
  /** What its disks took when they were last the limit, and when. */
  private long disksBytesPerSec;
  private long disksLimitedNs;
  /** The load that the forecast has used last, and its history of the node's links. */
  public NodeLoad observedLoad;
  public ObservedForeground foregroundIn = new ObservedForeground();
  public ObservedForeground foregroundOut = new ObservedForeground();
  public final SuspectReplicas suspects = new SuspectReplicas();
  final ReplicaVerifications verifications = new ReplicaVerifications();
  /** When a transfer to it was last seen to make progress. */
  public long progressNs;
  /** The incarnation of the last report that was read. */
  public long incarnation;
  /** Whether a report of this activation has been read, and so its running transfers adopted. */
  public boolean adopted;
  /**
   * Whether it has accepted commands of this activation. From then on it receives nothing that the NameNode does not
   * know of, except for transfers that it is stopping.
   */
  public boolean confirmed;

  public AgentState(String uuid, long nowNs) {
    super(uuid, nowNs);
    this.progressNs = nowNs;
  }

  /**
   * The load with what its disks took, if they were the limit lately: without transfers the agent measures nothing, and
   * would get as many as its link carries once more.
   */
  NodeLoad withRecentDisks(NodeLoad now, long nowNs) {
    if (now.isLimitedByDisks()) {
      disksBytesPerSec = now.disksBytesPerSec();
      disksLimitedNs = nowNs;
    }
    return nowNs - disksLimitedNs <= DISKS_LIMITED_NS ? now.withDisks(disksBytesPerSec) : now;
  }

  /** Whether its transfers wait for its disks by its last report, not by an earlier one that plans still count on. */
  boolean waitsForDisks() {
    return reportedLoad != null && reportedLoad.isLimitedByDisks();
  }

  /** The ends that its commands acknowledge. */
  public List<Long> acknowledged() {
    return List.copyOf(acknowledged);
  }

  @Override
  public void reset() {
    super.reset();
    acknowledged.clear();
    suspects.clear();
    verifications.clear();
    foregroundIn = new ObservedForeground();
    foregroundOut = new ObservedForeground();
    adopted = false;
    confirmed = false;
  }
}
