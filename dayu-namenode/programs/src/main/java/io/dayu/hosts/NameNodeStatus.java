/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dayu.harness.FsckReport;
import io.dayu.hosts.client.Topology;
import io.dayu.programs.LargestRecovery;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** What the NameNode says of itself, asked by a process that can reach it. Not thread-safe. */
final class NameNodeStatus {
  private static final String FSCK_END = "The filesystem under path";

  private final Process process;
  private final String nameNode;
  private final BufferedReader answers;
  private final ObjectMapper json = new ObjectMapper();

  /**
   * Does not ask anything yet.
   *
   * @param process of {@link io.dayu.hosts.client.HttpQueryMain}
   * @param nameNode the host to be asked
   */
  NameNodeStatus(Process process, String nameNode) {
    this.process = process;
    this.nameNode = nameNode;
    this.answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /** The attributes of a bean of the NameNode; nothing if it has no such bean or does not answer. */
  Optional<JsonNode> bean(String name) throws IOException {
    Optional<String> body = body("jmx?qry=Hadoop:service=NameNode,name=" + name);
    return body.isEmpty() ? Optional.empty()
        : Optional.ofNullable(json.readTree(body.get()).path("beans").get(0));
  }

  /** The largest that Dayu has made there; nothing if it does not answer, or there was none. */
  Optional<LargestRecovery> recovery() throws IOException {
    Optional<String> body = body("dayu/api/v1/history");
    return body.isEmpty() ? Optional.empty() : LargestRecovery.in(json.readTree(body.get()));
  }

  /** Whether it answers and knows this number of live DataNodes and has left safe mode. */
  boolean isReady(int liveDataNodes) throws IOException {
    Optional<JsonNode> state = bean("FSNamesystemState");
    return state.isPresent() && state.get().path("NumLiveDataNodes").asInt() == liveDataNodes
        && state.get().path("FSState").asText().equals("Operational");
  }

  /** Nothing if the NameNode does not answer. */
  Optional<FsckReport> fsck() throws IOException {
    return body(fsckQuery()).map(FsckReport::new);
  }

  /** The blocks of closed files; nothing if the NameNode does not answer, or is not active. */
  Optional<List<FsckBlock>> blocks() throws IOException {
    return body(fsckQuery() + "&files=1&blocks=1&locations=1").filter(text -> text.contains(FSCK_END))
        .map(FsckBlock::all);
  }

  /** How many DataNodes it knows as live, and what its safe mode waits for. */
  String state() throws IOException {
    Optional<JsonNode> info = bean("NameNodeInfo");
    return info.isEmpty() ? "does not answer" : json.readTree(info.get().path("LiveNodes").asText("{}")).size()
        + " live DataNodes, safe mode: " + info.get().path("Safemode").asText("unknown");
  }

  /** The replicas of closed files that it wants to be deleted; nothing if it does not answer. */
  Optional<List<String>> excessReplicas() throws IOException {
    return body(fsckQuery() + "&files=1&blocks=1&replicadetails=1").map(FsckBlock::excess);
  }

  /** The hosts of the DataNodes that it counts as live; nothing if it does not answer. */
  Optional<Set<String>> liveHosts() throws IOException {
    Optional<JsonNode> info = bean("NameNodeInfo");
    if (info.isEmpty()) {
      return Optional.empty();
    }
    Set<String> hosts = new TreeSet<>();
    json.readTree(info.get().path("LiveNodes").asText("{}")).fieldNames()
        .forEachRemaining(name -> hosts.add(name.split(":")[0]));
    return Optional.of(hosts);
  }

  private static String fsckQuery() {
    return "fsck?ugi=" + System.getProperty("user.name") + "&path=%2F";
  }

  private Optional<String> body(String path) throws IOException {
    String address = "http://" + nameNode + ":" + Topology.HTTP_PORT + "/" + path;
    process.getOutputStream().write((address + "\n").getBytes(StandardCharsets.UTF_8));
    process.getOutputStream().flush();
    String line = answers.readLine();
    if (line == null) {
      throw new IOException("the process that asks the NameNode has ended");
    }
    return Optional.ofNullable(json.readValue(line, String.class));
  }
}
