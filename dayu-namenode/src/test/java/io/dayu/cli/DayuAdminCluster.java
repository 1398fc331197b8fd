/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dayu.harness.Await;
import io.dayu.harness.DayuCluster;
import io.dayu.namenode.status.DayuStatusMXBean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Two NameNodes and five DataNodes, and {@code hdfs dayu} as an admin calls it there. */
abstract class DayuAdminCluster {
  static final Duration LIMIT = Duration.ofSeconds(90);
  static final int BLOCK_BYTES = 1 << 20;
  static final ObjectMapper JSON = new ObjectMapper();

  static DayuCluster cluster;
  static JsonPage jsonPage;

  /** What a command printed, and its exit code. */
  record Result(int code, String out, String err) {
    JsonNode json() throws Exception {
      return JSON.readTree(out);
    }
  }

  @BeforeAll
  static void start() throws Exception {
    jsonPage = JsonPage.read();
    cluster = DayuCluster.builder().highAvailability().dataNodes(5).racks(3).blockSizeBytes(BLOCK_BYTES)
        .bandwidthBytesPerSec(500_000).conf("dayu.timeslot.interval", "600ms").conf("dayu.timeslot.lead", "100ms")
        .conf("dayu.heartbeat.interval", "200ms").conf("dayu.transfer.lease", "4s")
        .conf("dayu.timeslot.intervall", "3s").start();
    for (int i = 0; i < 6; i++) {
      cluster.write("/f" + i, 2L * BLOCK_BYTES - 1_000 * i - 1, 3);
    }
    await("Dayu with all agents",
        () -> active().path("state").asText().equals("DAYU") && active().path("agents").path("live").asInt() == 5);
  }

  @AfterAll
  static void close() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  static Configuration conf() throws Exception {
    Configuration conf = new Configuration(cluster.clientConf());
    FileSystem.setDefaultUri(conf, cluster.clientUri());
    return conf;
  }

  static Result run(Configuration conf, String... args) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int code = ToolRunner.run(new DayuAdmin(conf, new PrintStream(out, true), new PrintStream(err, true)), args);
    return new Result(code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  static Result run(String... args) throws Exception {
    return run(conf(), args);
  }

  /** The answer to a command that must succeed. */
  static JsonNode json(String... args) throws Exception {
    String[] withJson = Arrays.copyOf(args, args.length + 1);
    withJson[args.length] = "-json";
    Result result = run(withJson);
    assertEquals(0, result.code(), result.err());
    JsonNode answer = result.json();
    jsonPage.see(List.of("-pause", "-resume", "-stock", "-shadow").contains(args[0]) ? "steer" : args[0].substring(1),
        answer);
    return answer;
  }

  /** The status of the NameNode that is active. */
  static JsonNode active() throws Exception {
    for (JsonNode status : run("-status", "-json").json()) {
      if (!status.path("state").asText().equals("STANDBY")) {
        return status;
      }
    }
    return JSON.missingNode();
  }

  static void await(String what, Callable<Boolean> condition) throws Exception {
    Await.until(what, LIMIT, condition, () -> run("-status").out());
  }

  /** The first status that contains this: on a busy machine an agent may be late for a moment. */
  static Result awaitStatus(String text) throws Exception {
    AtomicReference<Result> status = new AtomicReference<>();
    await("a status with '" + text + "'", () -> {
      status.set(run("-status"));
      return status.get().out().contains(text);
    });
    return status.get();
  }

  static void awaitState(String state) throws Exception {
    await("state " + state, () -> active().path("state").asText().equals(state));
  }

  /** Transfers under way; -1 while no NameNode says, as in a failover. */
  static int transfers() throws Exception {
    Result plan = run("-plan", "-json");
    return plan.code() == 0 ? plan.json().path("transfers").size() : -1;
  }

  /** Transfers that were ever registered, on both NameNodes. */
  static long totalPlanned() throws Exception {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    long planned = 0;
    for (ObjectName name : server.queryNames(new ObjectName("Hadoop:service=NameNode,name=DayuStatus*"), null)) {
      planned += JMX.newMXBeanProxy(server, name, DayuStatusMXBean.class).getTotalPlanned();
    }
    return planned;
  }

  static HttpURLConnection get(String path, String method) throws Exception {
    URI page = URI.create("http://" + NetUtils.getHostPortString(cluster.nameNode().getHttpAddress()) + path);
    HttpURLConnection connection = (HttpURLConnection) page.toURL().openConnection();
    connection.setRequestMethod(method);
    return connection;
  }

  static HttpURLConnection post(String path, boolean header, String body) throws Exception {
    HttpURLConnection connection = get(path, "POST");
    if (header) {
      connection.setRequestProperty("X-XSRF-HEADER", "a test");
    }
    connection.setRequestProperty("Content-Type", "application/json");
    connection.setDoOutput(true);
    connection.getOutputStream().write(body.getBytes(StandardCharsets.UTF_8));
    return connection;
  }
}
