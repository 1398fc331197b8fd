/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.dayu.hosts.client.CheckedClientMain;
import io.dayu.hosts.client.CheckedReport;
import io.dayu.hosts.client.CheckedTask;
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
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The processes of an HDFS with two NameNodes, which share edits by a JournalNode, and of clients that check contents.
 * Each daemon can be killed, and started again with either version of the jars. Thread-safe; one thread at a time asks
 * the clients.
 */
final class FaultCluster implements Closeable {
  private static final String NAME_NODE_MAIN = "org.apache.hadoop.hdfs.server.namenode.NameNode";
  private static final String DATA_NODE_MAIN = "org.apache.hadoop.hdfs.server.datanode.DataNode";
  private static final String JOURNAL_NODE_MAIN = "org.apache.hadoop.hdfs.qjournal.server.JournalNode";
  private static final String ADMIN_MAIN = "org.apache.hadoop.hdfs.tools.DFSHAAdmin";
  private static final int JOURNAL_PORT = 8485;
  private static final int START_LIMIT_SEC = 240;
  private static final int ADMIN_LIMIT_SEC = 90;
  private static final int MAX_ACTIVATIONS = 20;
  private static final String HTTP_TIMEOUT_MS = "5000";

  private final HostConf conf;
  private final HostJars jars;
  private final Optional<HostJars> earlier;
  private final HostClocks clocks;
  private final Path logs;
  private final List<HostProcess> all = new ArrayList<>();
  private final Map<String, HostProcess> daemons = new HashMap<>();
  private final Map<String, Integer> starts = new HashMap<>();
  private final Set<String> onEarlier = new HashSet<>();
  private volatile int active;
  private HostProcess client;
  private BufferedReader fromClient;

  /**
   * Without processes yet.
   *
   * @param earlier another version of the jars, with which every second daemon begins, if there is one
   */
  FaultCluster(HostConf conf, HostJars jars, Optional<HostJars> earlier, HostClocks clocks, Path logs) {
    this.conf = conf;
    this.jars = jars;
    this.earlier = earlier;
    this.clocks = clocks;
    this.logs = logs;
    if (earlier.isPresent()) {
      addEverySecond(conf.layout().nameNodeHosts());
      addEverySecond(conf.layout().dataNodeHosts());
    }
  }

  private void addEverySecond(List<String> hosts) {
    for (int i = 0; i < hosts.size(); i += 2) {
      onEarlier.add(hosts.get(i));
    }
  }

  /** What this cluster needs besides the settings of all that are emulated. */
  static Map<String, String> settings(Path directory) {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("dfs.namenode.shared.edits.dir", "qjournal://" + Topology.CLIENT + ":" + JOURNAL_PORT + "/cluster");
    settings.put("dfs.journalnode.edits.dir", directory.resolve("journal").toString());
    settings.put("dfs.ha.tail-edits.period", "1s");
    // A standby that starts is in safe mode until it has read of the last changes. The default is 120 s.
    settings.put("dfs.ha.log-roll.period", "5s");
    // A NameNode that starts while DataNodes are away does not wait for them.
    settings.put("dfs.namenode.safemode.min.datanodes", "0");
    settings.put("dfs.datanode.failed.volumes.tolerated", "1");
    settings.put("dfs.datanode.disk.check.min.gap", "1s");
    // A volume has less than the default, 1 GB, in all.
    settings.put("dfs.datanode.round-robin-volume-choosing-policy.additional-available-space", "0");
    // Until a DataNode's next full report after a failover HDFS removes no excess replica of it. The default is 6 h.
    settings.put("dfs.blockreport.intervalMsec", "20000");
    // For up to twice this time HDFS itself waits for a replica that a writer's pipeline lacks.
    settings.put("dfs.namenode.reconstruction.pending.timeout-sec", "20");
    // So long HDFS waits until an excess replica is gone before it tells the DataNode again (HDFS-17218). The default
    // is an hour; what it told a DataNode that stood still or ended meanwhile is lost.
    settings.put("dfs.namenode.excess.redundancy.timeout-sec", "30");
    return settings;
  }

  /** DataNodes are registered some time later. */
  void start() throws IOException, InterruptedException {
    startProcess(Topology.CLIENT, "journalnode", "128m", jars.hadoop(), false, List.of(JOURNAL_NODE_MAIN));
    String first = conf.layout().nameNodeHosts().get(0);
    Files.createDirectories(conf.storage(first));
    run(first, "format", List.of(NAME_NODE_MAIN, "-format", "-force", "-nonInteractive"));
    for (String host : conf.layout().nameNodeHosts()) {
      if (!host.equals(first)) {
        DirectoryTree.cloneStorage(conf.storage(first), conf.storage(host));
      }
      startDaemon(host);
    }
    NameNodeStatus status = startStatusClients().get(0);
    for (int polls = 0; status.bean("NameNodeStatus").isEmpty() && polls < START_LIMIT_SEC; polls++) {
      TimeUnit.SECONDS.sleep(1);
    }
    activate(0);
    for (String host : conf.layout().dataNodeHosts()) {
      startDaemon(host);
    }
  }

  /** Starts a NameNode or DataNode, also again. */
  synchronized void startDaemon(String host) throws IOException {
    boolean isNameNode = conf.layout().nameNodeHosts().contains(host);
    HostJars version = onEarlier.contains(host) ? earlier.orElseThrow() : jars;
    String name = host + "-" + starts.merge(host, 1, Integer::sum);
    daemons.put(host, startProcess(host, name, isNameNode ? "512m" : "256m",
        isNameNode ? version.nameNode(RecoveryMode.DAYU) : version.dataNode(RecoveryMode.DAYU, 0), false,
        List.of(isNameNode ? NAME_NODE_MAIN : DATA_NODE_MAIN)));
  }

  /** The next start of the host's daemon is with the other version. */
  synchronized void changeVersion(String host) {
    if (!onEarlier.remove(host)) {
      onEarlier.add(host);
    }
  }

  synchronized HostProcess daemon(String host) {
    return daemons.get(host);
  }

  String activeHost() {
    return conf.layout().nameNodeHosts().get(active);
  }

  String standbyHost() {
    return conf.layout().nameNodeHosts().get(1 - active);
  }

  /** Makes the standby active, whatever has become of the other one. */
  void failOver() throws IOException, InterruptedException {
    activate(1 - active);
  }

  private void activate(int nameNode) throws IOException, InterruptedException {
    List<String> main = List.of(ADMIN_MAIN, "-transitionToActive", "--forceactive",
        conf.layout().nameNodeHosts().get(nameNode));
    for (int attempt = 1; startProcess(Topology.CLIENT, "activate", "128m", jars.hadoop(), false, main)
        .await(ADMIN_LIMIT_SEC) != 0; attempt++) {
      if (attempt == MAX_ACTIVATIONS) {
        throw new IOException(String.join(" ", main) + " failed: see " + logs.resolve("activate.out"));
      }
    }
    active = nameNode;
  }

  private void run(String host, String name, List<String> main) throws IOException, InterruptedException {
    if (startProcess(host, name, "256m", jars.hadoop(), false, main).await(ADMIN_LIMIT_SEC) != 0) {
      throw new IOException(String.join(" ", main) + " failed: see " + logs.resolve(name + ".out"));
    }
  }

  /** What {@code hdfs dayu} says, for people. */
  String hdfsDayu(String... command) throws IOException, InterruptedException {
    List<String> main = new ArrayList<>(List.of("io.dayu.cli.DayuAdmin"));
    main.addAll(List.of(command));
    return startProcess(Topology.CLIENT, "hdfs-dayu", "128m", jars.nameNode(RecoveryMode.DAYU), true, main)
        .awaitOutput(ADMIN_LIMIT_SEC);
  }

  /** What the NameNodes say over HTTP, in the order of their hosts. Each is asked by a process of its own. */
  List<NameNodeStatus> startStatusClients() throws IOException {
    List<NameNodeStatus> nameNodes = new ArrayList<>();
    for (String host : conf.layout().nameNodeHosts()) {
      nameNodes.add(new NameNodeStatus(startProcess(Topology.CLIENT, "status-" + host, "64m", jars.client(), true,
          List.of(HttpQueryMain.class.getName(), HTTP_TIMEOUT_MS)).process(), host));
    }
    return nameNodes;
  }

  void startClients(CheckedTask task) throws IOException {
    client = startProcess(Topology.CLIENT, "client", "256m", jars.client(), true,
        List.of(CheckedClientMain.class.getName(), new ObjectMapper().writeValueAsString(task)));
    fromClient = new BufferedReader(new InputStreamReader(client.process().getInputStream(), StandardCharsets.UTF_8));
  }

  /** @param command of {@link CheckedClientMain} */
  CheckedReport tellClients(String command) throws IOException {
    client.process().getOutputStream().write((command + "\n").getBytes(StandardCharsets.UTF_8));
    client.process().getOutputStream().flush();
    String line = fromClient.readLine();
    if (line == null) {
      throw new IOException("the clients have ended: see " + logs.resolve("client.out"));
    }
    return new ObjectMapper().readValue(line, CheckedReport.class);
  }

  private synchronized HostProcess startProcess(String host, String name, String heap, String classPath,
      boolean interactive, List<String> main) throws IOException {
    boolean isDaemon = !host.equals(Topology.CLIENT);
    HostProcess process = HostProcess.start(conf, host, name, logs, heap, classPath, interactive,
        isDaemon ? clocks.environment(host) : Map.of(), main);
    all.removeIf(ended -> !ended.isAlive());
    all.add(process);
    return process;
  }

  @Override
  public synchronized void close() {
    all.forEach(HostProcess::kill);
  }
}
