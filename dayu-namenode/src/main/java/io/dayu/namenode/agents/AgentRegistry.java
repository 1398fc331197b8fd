/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.agents;

import io.dayu.protocol.DayuProtocolPB;
import io.dayu.protocol.DayuProtos.ReportProto;

import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiFunction;
import java.util.function.Predicate;

/**
 * Every agent that has ever reported, and which of them have reports that the recovery loop has not read. Thread-safe:
 * RPC handlers put reports in, the recovery loop takes them out.
 *
 * @param <A> what is kept of an agent
 */
public final class AgentRegistry<A extends AgentSession> {
  /**
   * How long the first report of an agent may take once this NameNode accepts it: an agent that met a NameNode without
   * Dayu, or one that was down, pauses, and its next attempt may time out.
   */
  public static final long MAX_FIRST_REPORT_MS =
      DayuProtocolPB.MAX_UNKNOWN_RETRY_MS + DayuProtocolPB.CONNECT_TIMEOUT_MS;

  private final ConcurrentHashMap<String, A> agents = new ConcurrentHashMap<>();
  private final Queue<A> unread = new ConcurrentLinkedQueue<>();
  private final MissingAgentReasons refused = new MissingAgentReasons();
  private final MissingAgentReasons declined = new MissingAgentReasons();
  private final JvmPauses pauses = new JvmPauses();
  private final BiFunction<String, Long, A> factory;

  /** @param factory makes what is kept of an agent, from its DataNode's UUID and the time in nanoseconds */
  public AgentRegistry(BiFunction<String, Long, A> factory) {
    this.factory = factory;
  }

  public Collection<A> all() {
    return agents.values();
  }

  int size() {
    return agents.size();
  }

  /** DataNodes whose agents' reports are refused. */
  public MissingAgentReasons refused() {
    return refused;
  }

  /** DataNodes whose plugin has not started an agent. */
  public MissingAgentReasons declined() {
    return declined;
  }

  /** When this JVM stood still, and no report was taken in. */
  public JvmPauses pauses() {
    return pauses;
  }

  /** The agent of the DataNode with this UUID, or null if none has reported. */
  public A get(String uuid) {
    return agents.get(uuid);
  }

  /** The agent, known from now on if it was not before. */
  public A register(String uuid, long nowNs) {
    A known = agents.get(uuid);
    if (known != null) {
      return known;
    }
    A unknown = factory.apply(uuid, nowNs);
    A registered = agents.putIfAbsent(unknown.uuid, unknown);
    return registered == null ? unknown : registered;
  }

  /** Keeps a report for the recovery loop. */
  A receive(ReportProto report, long nowNs) {
    pauses.noteRunning(nowNs);
    A agent = register(report.getDatanodeUuid(), nowNs);
    refused.remove(agent.uuid);
    declined.remove(agent.uuid);
    if (agent.offer(report, nowNs)) {
      unread.add(agent);
    }
    return agent;
  }

  /** The next agent with a report that the loop has not read, or null. */
  public A nextUnread() {
    return unread.poll();
  }

  public void forgetIf(Predicate<A> condition) {
    agents.values().removeIf(condition);
  }
}
