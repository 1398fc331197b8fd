/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;

/**
 * Carries reports to NameNodes and answers back; while it is bad it loses, delays, duplicates and reorders. Not
 * thread-safe.
 */
final class SimulatedNetwork {
  private static final int MAX_NORMAL_DELAY_MS = 20;
  private static final int MAX_BAD_DELAY_MS = 6_000;
  private static final double LOST = 0.15;
  private static final double LATE = 0.15;
  private static final double DUPLICATED = 0.15;

  private final SimulatedCluster cluster;
  private final Random random;
  /** What waits in connections that hang, in the order in which it would have arrived. */
  private final Map<SimulatedDataNode, List<Held>> held = new HashMap<>();
  boolean bad;

  /** A message of an agent or to it. */
  private record Held(int nameNode, SimulatedNameNode process, Consumer<SimulatedNameNode> deliver) {
  }

  SimulatedNetwork(SimulatedCluster cluster, Random random) {
    this.cluster = cluster;
    this.random = random;
  }

  /**
   * A report may arrive twice, as when a client that has given up waiting has sent it, and its connection still
   * delivers it. While a NameNode stands still, reports to it wait in its sockets.
   */
  void sendRequest(SimulatedDataNode from, int nameNode, Consumer<SimulatedNameNode> deliver) {
    Consumer<SimulatedNameNode> receive = process -> process.whenRunning(() -> deliver.accept(process));
    send(from, nameNode, receive);
    if (bad && random.nextDouble() < DUPLICATED) {
      send(from, nameNode, receive);
    }
  }

  /**
   * An answer may arrive twice. Hadoop's RPC client would drop the second one, which belongs to no call any more. This
   * stands for a report that is sent again below the agent, by a retry policy or a proxy, and both of whose answers are
   * handed up: what keeps an agent from obeying old commands must not depend on who carries them.
   */
  void sendAnswer(SimulatedDataNode to, int nameNode, Runnable deliver) {
    send(to, nameNode, any -> deliver.run());
    if (bad && random.nextDouble() < DUPLICATED) {
      send(to, nameNode, any -> deliver.run());
    }
  }

  private void send(SimulatedDataNode node, int nameNode, Consumer<SimulatedNameNode> deliver) {
    if (bad && random.nextDouble() < LOST) {
      return;
    }
    SimulatedNameNode process = cluster.nameNodes.get(nameNode);
    int delayMs = 1 + random.nextInt(bad && random.nextDouble() < LATE ? MAX_BAD_DELAY_MS : MAX_NORMAL_DELAY_MS);
    cluster.events.after(delayMs, () -> arrive(node, new Held(nameNode, process, deliver)));
  }

  private void arrive(SimulatedDataNode node, Held message) {
    if (node.connectionHangs[message.nameNode]) {
      held.computeIfAbsent(node, any -> new ArrayList<>()).add(message);
    } else if (message.process.up && message.process == cluster.nameNodes.get(message.nameNode)
        && !node.cutFromNameNode[message.nameNode]) {
      // A process that has ended takes its connections along.
      message.deliver.accept(message.process);
    }
  }

  /** Delivers what has waited in connections of this agent that hang no longer. */
  void deliverHeld(SimulatedDataNode node) {
    List<Held> waiting = held.remove(node);
    if (waiting != null) {
      waiting.forEach(message -> cluster.events.after(1, () -> arrive(node, message)));
    }
  }
}
