/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.protocol.DayuProtos.ReportProto;

import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;

/**
 * Every agent that has ever reported, and which of them have reports that the recovery loop has not read. Thread-safe:
 * RPC handlers put reports in, the recovery loop takes them out.
 */
final class AgentRegistry {
  private final ConcurrentHashMap<String, AgentState> agents = new ConcurrentHashMap<>();
  private final Queue<AgentState> unread = new ConcurrentLinkedQueue<>();

  Collection<AgentState> all() {
    return agents.values();
  }

  int size() {
    return agents.size();
  }

  /** The agent of the DataNode with this UUID, or null if none has reported. */
  AgentState get(String uuid) {
    return agents.get(uuid);
  }

  /** The agent, known from now on if it was not before. */
  AgentState register(String uuid, long nowNs) {
    return agents.computeIfAbsent(uuid, unknown -> new AgentState(unknown, nowNs));
  }

  /** Keeps a report for the recovery loop. */
  AgentState receive(ReportProto report, long nowNs) {
    AgentState agent = register(report.getDatanodeUuid(), nowNs);
    if (agent.offer(report, nowNs)) {
      unread.add(agent);
    }
    return agent;
  }

  /** The next agent with a report that the loop has not read, or null. */
  AgentState nextUnread() {
    return unread.poll();
  }

  void forgetIf(Predicate<AgentState> condition) {
    agents.values().removeIf(condition);
  }
}
