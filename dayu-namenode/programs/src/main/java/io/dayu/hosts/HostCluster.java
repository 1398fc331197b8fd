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
import io.dayu.hosts.client.ClientMain;
import io.dayu.hosts.client.ClientTask;
import io.dayu.hosts.client.HttpQueryMain;
import io.dayu.hosts.client.Topology;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The processes of one HDFS and of its clients on a network. Not thread-safe, but for {@link #close} and what returns
 * several processes.
 */
final class HostCluster implements Closeable {
  private static final String NAME_NODE_MAIN = "org.apache.hadoop.hdfs.server.namenode.NameNode";
  private static final String DATA_NODE_MAIN = "org.apache.hadoop.hdfs.server.datanode.DataNode";
  private static final String NAME_NODE_HEAP = "1g";
  private static final String DATA_NODE_HEAP = "256m";
  private static final String CLIENT_HEAP = "768m";
  private static final String STATUS_HEAP = "64m";
  private static final String ADMIN_HEAP = "256m";
  private static final int ADMIN_LIMIT_SEC = 60;
  /** The NameNode may not listen yet. */
  private static final int MAX_ACTIVATIONS = 20;
  private static final int FORMAT_LIMIT_SEC = 120;
  private static final int LOAD_LIMIT_SEC = 1_800;

  private final HostConf conf;
  private final HostJars jars;
  private final RecoveryMode mode;
  private final Path logs;
  private final List<HostProcess> all = new ArrayList<>();
  private final Map<Integer, List<HostProcess>> nameNodes = new TreeMap<>();
  private final Map<Integer, List<HostProcess>> dataNodes = new TreeMap<>();
  private int active;
  private HostProcess client;
  private BufferedReader fromClient;

  /** @param logs an existing directory */
  HostCluster(HostConf conf, HostJars jars, RecoveryMode mode, Path logs) {
    this.conf = conf;
    this.jars = jars;
    this.mode = mode;
    this.logs = logs;
  }

  void format() throws IOException, InterruptedException {
    Files.createDirectories(conf.storage(Topology.NAME_NODE));
    int exitCode = start(Topology.NAME_NODE, "format", NAME_NODE_HEAP, jars.nameNode(mode), false,
        List.of(NAME_NODE_MAIN, "-format", "-force", "-nonInteractive")).await(FORMAT_LIMIT_SEC);
    if (exitCode != 0) {
      throw new IOException("the NameNode cannot be formatted: see " + logs.resolve("format.out"));
    }
  }

  void startDaemons() throws IOException, InterruptedException {
    startNameNode();
    for (int node = 0; node < conf.layout().topology().nodes(); node++) {
      startDataNode(node);
    }
    if (conf.layout().nameNodes() > 1) {
      activate(0);
    }
  }

  /** All of them, if there are several. */
  void startNameNode() throws IOException, InterruptedException {
    List<String> hosts = conf.layout().nameNodeHosts();
    if (hosts.size() > 1) {
      administer("shared-edits", List.of(NAME_NODE_MAIN, "-initializeSharedEdits", "-nonInteractive"), 1);
    }
    for (int i = 0; i < hosts.size(); i++) {
      add(nameNodes, i, start(hosts.get(i), logName(hosts.get(i)), NAME_NODE_HEAP, jars.nameNode(mode), false,
          List.of(NAME_NODE_MAIN)));
    }
  }

  /** Starts it with what its volumes hold; also again. */
  void startDataNode(int node) throws IOException {
    String host = Topology.dataNode(node);
    Files.createDirectories(conf.storage(host));
    String name = dataNodes.containsKey(node) ? host + "-again" : host;
    add(dataNodes, node, start(host, name, DATA_NODE_HEAP, jars.dataNode(mode, node), false, List.of(DATA_NODE_MAIN)));
  }

  private synchronized void add(Map<Integer, List<HostProcess>> processes, int number, HostProcess process) {
    processes.computeIfAbsent(number, any -> new ArrayList<>()).add(process);
  }

  private static HostProcess latest(List<HostProcess> processes) {
    return processes.get(processes.size() - 1);
  }

  /** Has the NameNode read again which DataNodes are to be decommissioned. */
  void refreshNodes() throws IOException, InterruptedException {
    administer("refresh-nodes", List.of("org.apache.hadoop.hdfs.tools.DFSAdmin", "-refreshNodes"), 1);
  }

  /** Kills the active NameNode and makes the other one active. */
  void failOver() throws IOException, InterruptedException {
    nameNode().killAndWait();
    activate(1 - active);
  }

  private void activate(int nameNode) throws IOException, InterruptedException {
    administer("activate", List.of("org.apache.hadoop.hdfs.tools.DFSHAAdmin", "-transitionToActive", "--forceactive",
        conf.layout().nameNodeHosts().get(nameNode)), MAX_ACTIVATIONS);
    active = nameNode;
  }

  private void administer(String name, List<String> main, int maxAttempts) throws IOException, InterruptedException {
    for (int attempt = 1; start(Topology.NAME_NODE, name, ADMIN_HEAP, jars.nameNode(RecoveryMode.STOCK_DEFAULT), false,
        main).await(ADMIN_LIMIT_SEC) != 0; attempt++) {
      if (attempt == maxAttempts) {
        throw new IOException(String.join(" ", main) + " failed: see " + logs.resolve(name + ".out"));
      }
    }
  }

  /** What {@code hdfs dayu} answers to a command of an admin, as JSON. */
  JsonNode hdfsDayu(String... command) throws IOException, InterruptedException {
    List<String> main = new ArrayList<>(List.of("io.dayu.cli.DayuAdmin"));
    main.addAll(List.of(command));
    main.add("-json");
    HostProcess admin =
        start(Topology.NAME_NODE, "hdfs-dayu", ADMIN_HEAP, jars.nameNode(RecoveryMode.DAYU), true, main);
    String answer = admin.awaitOutput(ADMIN_LIMIT_SEC);
    if (admin.process().exitValue() != 0) {
      throw new IOException("hdfs dayu " + String.join(" ", command) + " failed: " + answer + "; see "
          + logs.resolve("hdfs-dayu.out"));
    }
    return new ObjectMapper().readTree(answer);
  }

  /** What the active NameNode says over HTTP, asked by a process on the host of the clients. */
  NameNodeStatus startStatusClient() throws IOException {
    return new NameNodeStatus(start(Topology.CLIENT, "status", STATUS_HEAP, jars.client(), true,
        List.of(HttpQueryMain.class.getName())).process(), conf.layout().nameNodeHosts().get(active));
  }

  /** Loads the data set, and returns when that is done. */
  void load(ClientTask task) throws IOException, InterruptedException {
    HostProcess loader = startClient("load", task, false);
    if (loader.await(LOAD_LIMIT_SEC) != 0) {
      throw new IOException("the data set cannot be loaded: see " + logs.resolve("client.out"));
    }
  }

  /** Starts the process of the clients, and returns when the cluster is ready for them. */
  void startForegroundClient(ClientTask task) throws IOException {
    client = startClient("run", task, true);
    fromClient = new BufferedReader(new InputStreamReader(client.process().getInputStream(), StandardCharsets.UTF_8));
    expect("READY");
    all.forEach(HostProcess::raiseGroupPriority);
  }

  /** The moment in milliseconds at which the foreground began. */
  long beginForeground() throws IOException {
    send("BEGIN");
    return Long.parseLong(expect("BEGUN").split(" ")[1]);
  }

  /**
   * Returns once the operations that were under way have ended, or have had time to, and are written to the task's
   * directory.
   */
  void endForeground() throws IOException {
    send("STOP");
    expect("ENDED");
  }

  private void send(String line) throws IOException {
    client.process().getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
    client.process().getOutputStream().flush();
  }

  private String expect(String word) throws IOException {
    String line = fromClient.readLine();
    if (line == null || !line.startsWith(word)) {
      throw new IOException((line == null ? "the clients ended before they said " + word + whyClientsEnded()
          : "the clients said " + line + " instead of " + word) + ": see " + logs.resolve("client.out"));
    }
    return line;
  }

  private String whyClientsEnded() throws IOException {
    try (Stream<String> lines = Files.lines(logs.resolve("client.out"))) {
      return lines.filter(line -> line.startsWith("Exception in ")).findFirst().map(line -> ", " + line).orElse("");
    }
  }

  private HostProcess startClient(String command, ClientTask task, boolean interactive) throws IOException {
    return start(Topology.CLIENT, "client", CLIENT_HEAP, jars.client(), interactive,
        List.of(ClientMain.class.getName(), command, new ObjectMapper().writeValueAsString(task)));
  }

  private synchronized HostProcess start(String host, String name, String heap, String classPath, boolean interactive,
      List<String> main) throws IOException {
    HostProcess process = HostProcess.start(conf, host, name, logs, heap, classPath, interactive, Map.of(), main);
    all.add(process);
    return process;
  }

  /** The active one. */
  HostProcess nameNode() {
    return latest(nameNodes.get(active));
  }

  /** By number; where one was started again, the latest. */
  synchronized List<HostProcess> dataNodes() {
    return dataNodes.values().stream().map(HostCluster::latest).toList();
  }

  /** The NameNodes, the client, and then each DataNode, with all processes that it had. */
  synchronized List<List<HostProcess>> processes() {
    List<List<HostProcess>> processes = new ArrayList<>();
    processes.add(nameNodes.values().stream().flatMap(List::stream).toList());
    processes.add(List.of(client));
    dataNodes.values().forEach(ofNode -> processes.add(List.copyOf(ofNode)));
    return processes;
  }

  /** In the order of their hosts. */
  List<NameNodeLog> nameNodeLogs() {
    return conf.layout().nameNodeHosts().stream().map(host -> new NameNodeLog(logs.resolve(logName(host) + ".log")))
        .toList();
  }

  /** How often Dayu's state has changed, on all NameNodes. */
  long changesOfState(double fromMs, double toMs) throws IOException {
    long changes = 0;
    for (NameNodeLog log : nameNodeLogs()) {
      changes += log.count(fromMs, toMs, NameNodeLog.STATE_OF_DAYU, " -> ");
    }
    return changes;
  }

  /** How many replicas the DataNodes have deleted since a moment, temporary ones aside. */
  long deletions(double fromMs) throws IOException {
    return deletions(fromMs, "");
  }

  /** The same of internal blocks, of which clients have none. */
  long internalBlockDeletions(double fromMs) throws IOException {
    return deletions(fromMs, "-");
  }

  /** @param idPrefix what their ids begin with */
  private long deletions(double fromMs, String idPrefix) throws IOException {
    long deletions = 0;
    for (String host : conf.layout().dataNodeHosts()) {
      deletions += new NameNodeLog(logs.resolve(host + ".log")).count(fromMs, Double.POSITIVE_INFINITY,
          NameNodeLog.DELETION + idPrefix, NameNodeLog.FINALIZED);
    }
    return deletions;
  }

  private static String logName(String nameNodeHost) {
    return nameNodeHost.equals(Topology.NAME_NODE) ? "namenode" : "namenode-" + nameNodeHost;
  }

  HostProcess client() {
    return client;
  }

  /** In good order, so that the storage can be used again. */
  void stopDaemons() throws IOException, InterruptedException {
    for (HostProcess dataNode : dataNodes()) {
      dataNode.stop();
    }
    nameNode().stop();
  }

  @Override
  public synchronized void close() {
    all.forEach(HostProcess::kill);
  }
}
