/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

import io.dayu.blocks.BlockKey;
import io.dayu.namenode.agents.AgentRegistry;

import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Notes which agents need new commands, and numbers commands, so that agents can tell new ones from old ones. The
 * number has two parts: the activation, which changes each time this NameNode becomes active, and a sequence. Owned by
 * the recovery loop; not thread-safe.
 */
public final class AgentUpdates {
  private final AgentRegistry<AgentState> agents;
  /** With new commands; of those in {@link #onlyEnded} only ends are new. */
  private final Set<String> changed = new LinkedHashSet<>();
  private final Set<String> onlyEnded = new HashSet<>();
  private long activation;
  private long sequence;

  public AgentUpdates(AgentRegistry<AgentState> agents) {
    this.agents = agents;
  }

  /** Begins an activation: nothing that was published before counts any more. */
  public void activate(long newActivation) {
    clear();
    activation = newActivation;
  }

  /** Forgets what agents were told and what they said. */
  public void clear() {
    changed.clear();
    onlyEnded.clear();
    agents.all().forEach(AgentState::reset);
  }

  public long activation() {
    return activation;
  }

  /** The sequence of the commands that are published next. */
  long nextSequence() {
    return sequence + 1;
  }

  /** Takes {@link #nextSequence} for commands that are published now. */
  public long takeSequence() {
    return ++sequence;
  }

  /** This DataNode's agent needs new commands. */
  public void changed(String uuid) {
    changed.add(uuid);
    onlyEnded.remove(uuid);
  }

  /**
   * This DataNode's agent has ended transfers: its new commands are to acknowledge them, and to grant them no longer.
   * What else the commands say may stay.
   */
  void ended(String uuid) {
    if (changed.add(uuid)) {
      onlyEnded.add(uuid);
    }
  }

  /** A source of a transfer failed: its own DataNode is to check what it has, if it has an agent. */
  public void suspect(Attempt attempt, TransferSource source) {
    AgentState agent = agents.get(source.node());
    if (agent != null && agent.suspects.add(attempt.replicaOn(source), attempt.bytesOn(source), nextSequence())) {
      changed(source.node());
    }
  }

  /** Has the DataNode's agent read a replica as a whole. Returns whether it has an agent that is asked now. */
  public boolean verify(String node, BlockKey block, long numBytes) {
    AgentState agent = agents.get(node);
    if (agent == null || !agent.adopted || !agent.verifications.add(block, numBytes)) {
      return false;
    }
    changed(node);
    return true;
  }

  /** Whether the replica that the agent was to read is good; null while that is not known. */
  public Boolean verified(String node, BlockKey block) {
    AgentState agent = agents.get(node);
    return agent == null ? null : agent.verifications.result(block);
  }

  /** The DataNode's agent need not read the replica any longer. */
  public void endVerification(String node, BlockKey block) {
    AgentState agent = agents.get(node);
    if (agent != null && agent.verifications.remove(block)) {
      changed(node);
    }
  }

  /** The agents whose commands are to be published anew. */
  public List<String> changed() {
    return List.copyOf(changed);
  }

  /** Whether an agent's commands change only by transfers that it has ended. */
  public boolean hasOnlyEnded(String uuid) {
    return onlyEnded.contains(uuid);
  }

  /** The commands of the agent of this DataNode are published as they are now. */
  public void published(String uuid) {
    changed.remove(uuid);
    onlyEnded.remove(uuid);
  }
}
