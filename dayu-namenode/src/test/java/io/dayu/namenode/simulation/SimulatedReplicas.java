/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import io.dayu.datanode.AgentExchanges;
import io.dayu.protocol.DayuProtos.BlockSpecProto;
import io.dayu.protocol.DayuProtos.VerifiedReplicaProto;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * An agent's look at the replicas of its own DataNode, in place of {@code ReplicaCheck} and {@code
 * ReplicaVerification}: it takes time, and not while the node or its disk hangs. Not thread-safe.
 */
final class SimulatedReplicas implements AgentExchanges.Replicas {
  private static final long READ_BYTES_PER_SEC = 20_000_000;
  private static final long RETRY_MS = 250;

  private final SimulatedAgent agent;
  private final Runnable done;
  /** What is to be read as a whole, and whether it is good; null until it is known. */
  private final Map<BlockSpecProto, Boolean> named = new LinkedHashMap<>();

  /** @param done runs when there is a result */
  SimulatedReplicas(SimulatedAgent agent, Runnable done) {
    this.agent = agent;
    this.done = done;
  }

  @Override
  public void check(String pool, List<BlockSpecProto> suspects) {
    for (BlockSpecProto suspect : suspects) {
      read(suspect, () -> {
        if (agent.node.isCorrupt(suspect.getBlockId())) {
          agent.node.reportCorrupt(agent.node.uuid, suspect.getBlockId());
        }
      });
    }
  }

  @Override
  public void verify(String pool, List<BlockSpecProto> replicas) {
    if (pool.equals(SimulatedAgent.POOL)) {
      verify(replicas);
    }
  }

  private void verify(List<BlockSpecProto> replicas) {
    named.keySet().stream().filter(replica -> !replicas.contains(replica))
        .forEach(replica -> agent.cluster.invariants.agents.forgotten(agent.node, replica.getBlockId()));
    named.keySet().retainAll(replicas);
    for (BlockSpecProto replica : replicas) {
      if (!named.containsKey(replica)) {
        named.put(replica, null);
        agent.cluster.invariants.agents.forgotten(agent.node, replica.getBlockId());
        read(replica, () -> verify(replica));
      }
    }
  }

  private void verify(BlockSpecProto replica) {
    if (named.containsKey(replica)) {
      long id = replica.getBlockId();
      boolean good = agent.node.hasGood(id, replica.getGenerationStamp())
          && agent.cluster.numBytes(id) == replica.getNumBytes();
      if (agent.node.isCorrupt(id)) {
        agent.node.reportCorrupt(agent.node.uuid, id);
      }
      named.put(replica, good);
      agent.cluster.invariants.agents.verified(agent.node, id, replica.getGenerationStamp(), good);
      done.run();
    }
  }

  private void read(BlockSpecProto replica, Runnable then) {
    agent.cluster.events.after(replica.getNumBytes() * 1_000 / READ_BYTES_PER_SEC, () -> whenRead(then));
  }

  private void whenRead(Runnable then) {
    if (agent.node.hangs || agent.node.diskHangs) {
      agent.cluster.events.after(RETRY_MS, () -> whenRead(then));
    } else if (!agent.isStopped()) {
      then.run();
    }
  }

  @Override
  public List<VerifiedReplicaProto> verified(String pool) {
    List<VerifiedReplicaProto> results = new ArrayList<>();
    named.forEach((replica, good) -> {
      if (good != null && pool.equals(SimulatedAgent.POOL)) {
        results.add(VerifiedReplicaProto.newBuilder().setBlock(replica).setGood(good).build());
      }
    });
    return results;
  }
}
