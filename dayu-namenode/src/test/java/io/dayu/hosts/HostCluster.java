/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.hosts;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.dayu.hosts.client.ClientMain;
import io.dayu.hosts.client.ClientTask;
import io.dayu.hosts.client.StatusMain;
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

/** The processes of one HDFS and of its clients on a network. Not thread-safe, but for {@link #close}. */
final class HostCluster implements Closeable {
  private static final String NAME_NODE_MAIN = "org.apache.hadoop.hdfs.server.namenode.NameNode";
  private static final String DATA_NODE_MAIN = "org.apache.hadoop.hdfs.server.datanode.DataNode";
  private static final String NAME_NODE_HEAP = "1g";
  private static final String DATA_NODE_HEAP = "256m";
  private static final String CLIENT_HEAP = "768m";
  private static final String STATUS_HEAP = "64m";
  private static final int FORMAT_LIMIT_SEC = 120;
  private static final int LOAD_LIMIT_SEC = 1_800;

  private final HostConf conf;
  private final HostJars jars;
  private final RecoveryMode mode;
  private final Path logs;
  private final List<HostProcess> all = new ArrayList<>();
  private final List<HostProcess> dataNodes = new ArrayList<>();
  private HostProcess nameNode;
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

  void startDaemons() throws IOException {
    startNameNode();
    for (int node = 0; node < conf.topology().nodes(); node++) {
      startDataNode(node);
    }
  }

  void startNameNode() throws IOException {
    nameNode = start(Topology.NAME_NODE, "namenode", NAME_NODE_HEAP, jars.nameNode(mode), false,
        List.of(NAME_NODE_MAIN));
  }

  HostProcess startDataNode(int node) throws IOException {
    String host = Topology.dataNode(node);
    Files.createDirectories(conf.storage(host));
    HostProcess dataNode = start(host, host, DATA_NODE_HEAP, jars.dataNode(mode), false, List.of(DATA_NODE_MAIN));
    dataNodes.add(dataNode);
    return dataNode;
  }

  /** What the NameNode says over HTTP, asked by a process on the host of the clients. */
  NameNodeStatus startStatusClient() throws IOException {
    return new NameNodeStatus(start(Topology.CLIENT, "status", STATUS_HEAP, jars.client(), true,
        List.of(StatusMain.class.getName())).process());
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
    tell("BEGIN");
    return Long.parseLong(expect("BEGUN").split(" ")[1]);
  }

  /**
   * Returns once the operations that were under way have ended, or have had time to, and are written to the task's
   * directory.
   */
  void endForeground() throws IOException {
    tell("STOP");
    expect("ENDED");
  }

  private void tell(String line) throws IOException {
    client.process().getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
    client.process().getOutputStream().flush();
  }

  private String expect(String word) throws IOException {
    String line = fromClient.readLine();
    if (line == null || !line.startsWith(word)) {
      throw new IOException("the clients said " + line + " instead of " + word + ": see " + logs.resolve("client.out"));
    }
    return line;
  }

  private HostProcess startClient(String command, ClientTask task, boolean talks) throws IOException {
    return start(Topology.CLIENT, "client", CLIENT_HEAP, jars.client(), talks,
        List.of(ClientMain.class.getName(), command, new ObjectMapper().writeValueAsString(task)));
  }

  private synchronized HostProcess start(String host, String name, String heap, String classPath, boolean talks,
      List<String> main) throws IOException {
    HostProcess process = HostProcess.start(conf, host, name, logs, heap, classPath, talks, main);
    all.add(process);
    return process;
  }

  HostProcess nameNode() {
    return nameNode;
  }

  List<HostProcess> dataNodes() {
    return List.copyOf(dataNodes);
  }

  HostProcess client() {
    return client;
  }

  /** In good order, so that the storage can be used again. */
  void stopDaemons() throws IOException, InterruptedException {
    for (HostProcess dataNode : dataNodes) {
      dataNode.stop();
    }
    nameNode.stop();
  }

  @Override
  public synchronized void close() {
    all.forEach(HostProcess::kill);
  }
}
