/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness;

import org.apache.hadoop.conf.Configurable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.net.StandardSocketFactory;

import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The sockets over which one agent reports to the NameNodes, all cut at once when a test says so; HDFS's own, and those
 * over which blocks are pulled, are not touched. Thread-safe. Hadoop makes one for each agent, by the name of the
 * class.
 */
public final class AgentSockets extends StandardSocketFactory implements Configurable {
  /** Hadoop's setting for the socket factory of one protocol. */
  static final String KEY = "hadoop.rpc.socket.factory.class.DayuProtocolPB";
  /** Tells agents apart, over all clusters of this JVM. */
  static final String AGENT = "harness.agent";
  private static final Map<String, Set<Socket>> OPEN = new ConcurrentHashMap<>();
  private static final Set<String> CUT = ConcurrentHashMap.newKeySet();

  private Configuration conf;

  static void cut(String agent) throws IOException {
    CUT.add(agent);
    for (Socket socket : OPEN.getOrDefault(agent, Set.of())) {
      socket.close();
    }
  }

  static void heal(String agent) {
    CUT.remove(agent);
  }

  /** Forgets an agent that is there no more. */
  static void forget(String agent) {
    CUT.remove(agent);
    OPEN.remove(agent);
  }

  private String agent() {
    return conf.get(AGENT, "");
  }

  @Override
  public Socket createSocket() throws IOException {
    Socket socket = super.createSocket();
    Set<Socket> open = OPEN.computeIfAbsent(agent(), agent -> ConcurrentHashMap.newKeySet());
    open.removeIf(Socket::isClosed);
    open.add(socket);
    // Looked at after it is in the set, so that whichever comes first, this or the cut, it is closed.
    if (CUT.contains(agent())) {
      socket.close();
      throw new ConnectException("the network of agent " + agent() + " is cut");
    }
    return socket;
  }

  @Override
  public void setConf(Configuration newConf) {
    conf = newConf;
  }

  @Override
  public Configuration getConf() {
    return conf;
  }

  /** Equal factories share connections, which those of different agents must not. */
  @Override
  public boolean equals(Object other) {
    return other instanceof AgentSockets factory && factory.agent().equals(agent());
  }

  @Override
  public int hashCode() {
    return agent().hashCode();
  }
}
