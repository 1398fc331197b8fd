/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.dayu.harness.ClusterVerifier;
import io.dayu.harness.DeadDataNodes;
import io.dayu.namenode.transfers.EndedTransfer.Result;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DFSUtil;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManager;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.PrivilegedExceptionAction;
import java.util.List;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** {@code hdfs dayu} against two NameNodes and five DataNodes, as an admin calls it. */
final class DayuAdminIT extends DayuAdminCluster {
  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "''                                            | 2 | Usage: hdfs dayu",
      "-stauts                                       | 2 | there is no command -stauts",
      "status                                        | 2 | there is no command status",
      "-explain                                      | 2 | -explain needs <block|path>",
      "-nodes dn1                                    | 2 | -nodes takes no argument",
      "-watch often                                  | 2 | seconds between two looks",
      "-set dayu.recovery.max-utilization            | 2 | needs <key=value>",
      "-set =                                        | 2 | needs <key=value>",
      "-set dayu.recovery.max-utilization=2          | 1 | from 0.01 to 1.0",
      "-set dayu.recovery.max-utilisation=0.5        | 1 | the nearest is dayu.recovery.max-utilization",
      "-set foo=1                                    | 1 | there is no setting foo. What can be set live",
      "-set dayu.transfer.lease=30s                  | 1 | What can be set live: dayu.recovery.max-utilization",
      "-set dayu.timeslot.horizon=500ms              | 1 | at least dayu.timeslot.interval = 600ms",
      "-set dayu.timeslot.interval=200ms             | 0 | ''",
      "-explain blk_1                                | 1 | has no block blk_1",
      "-set dayu.datanode.bandwidthPerSec=1m         | 1 | is read when the daemon starts (DataNode)",
      "-set dayu.transfer.traffic-class=none         | 1 | is read when the daemon starts (NameNode and DataNode)",
      "-explain /f0 /f1                              | 2 | takes one block or path, but there are 2",
      "-explain nonsense                             | 1 | expected blk_<number>",
      "-explain /nowhere                             | 1 | /nowhere does not exist",
      "-explain /                                    | 1 | / is a directory",
      "-fs file:/// -status                          | 2 | is no HDFS; name one by -fs",
      "-fs hdfs://other-cluster -status              | 3 | no answer",
  })
  void command_endsWithItsExitCodeAndOneLine(String line, int code, String expected) throws Exception {
    Result result = run(line.isEmpty() ? new String[0] : line.split(" "));
    assertEquals(code, result.code(), result.out() + result.err());
    assertTrue((result.err() + result.out()).contains(expected), result.err());
    assertTrue(line.isEmpty() || result.err().lines().count() <= 1, result.err());
    assertFalse(result.err().contains("\tat "), "no trace: " + result.err());
  }

  @Test
  void help_listsEveryCommand() throws Exception {
    Result result = run("-help");
    assertEquals(0, result.code());
    for (io.dayu.admin.Command command : io.dayu.admin.Command.values()) {
      assertTrue(result.out().contains("-" + command.word()), result.out());
    }
  }

  @Test
  void nobodyButASuperuser_mayReadOrSteer() throws Exception {
    String before = active().path("control").path("mode").asText();
    UserGroupInformation mallory = UserGroupInformation.createUserForTesting("mallory", new String[] {"users"});
    for (String command : List.of("-status", "-nodes", "-plan", "-dryRun", "-explain blk_1", "-explain /f0", "-watch",
        "-pause", "-stock", "-shadow", "-resume", "-set dayu.recovery.max-utilization=0.5")) {
      Result result = mallory.doAs((PrivilegedExceptionAction<Result>) () -> run(command.split(" ")));
      assertEquals(4, result.code(), result.err());
      assertTrue(result.err().contains("mallory is no HDFS superuser"), result.err());
      assertEquals(1, result.err().lines().count(), result.err());
    }
    assertEquals(before, active().path("control").path("mode").asText());
  }

  @Test
  void namenodeThatIsDown_isNamed() throws Exception {
    // Bound, so that nobody else takes the port, and not listening.
    try (Socket socket = new Socket()) {
      socket.bind(new InetSocketAddress("localhost", 0));
      int port = socket.getLocalPort();
      Configuration conf = new Configuration(false);
      FileSystem.setDefaultUri(conf, URI.create("hdfs://localhost:" + port));
      for (String command : List.of("-status", "-nodes", "-plan", "-dryRun", "-explain blk_1", "-explain /f0", "-watch",
          "-pause", "-resume", "-set dayu.recovery.max-utilization=0.5")) {
        Result result = run(conf, command.split(" "));
        assertEquals(3, result.code(), command + ": " + result.err());
        assertTrue(result.err().contains("localhost:" + port + ": no answer"), result.err());
        assertEquals(1, result.err().lines().count(), result.err());
      }
    }
  }

  @Test
  void standby_isNamed() throws Exception {
    String standby = cluster.mini().getNameNode(1 - cluster.active()).getNameNodeAddressHostPortString();
    Configuration conf = new Configuration(false);
    FileSystem.setDefaultUri(conf, URI.create("hdfs://" + standby));
    for (String command : List.of("-status", "-nodes", "-plan", "-dryRun", "-explain blk_1", "-explain /f0",
        "-watch")) {
      Result result = run(conf, command.split(" "));
      assertEquals(6, result.code(), command + ": " + result.err());
      assertTrue((result.err() + result.out()).contains(standby + ": "), result.err());
      assertTrue(result.err().contains("hdfs haadmin -getAllServiceState"), result.err());
      assertEquals(1, result.err().lines().count(), result.err());
    }
  }

  @Test
  void status_isReadableAndNamesWhatIsUnknown() throws Exception {
    Result result = awaitStatus("agents        5 of 5 live DataNodes report");
    assertEquals(0, result.code(), result.err());
    assertTrue(result.out().contains(": STANDBY since ") && result.out().contains(": DAYU since "), result.out());
    assertEquals(4, active().path("queues").path("secondsSinceEmpty").size(), result.out());
    assertEquals("dayu.timeslot.intervall", active().path("unknownSettings").get(0).asText());
  }

  @Test
  void nodes_showEachDataNodeWithItsBandwidth() throws Exception {
    JsonNode nodes = json("-nodes").path("nodes");
    assertEquals(5, nodes.size());
    for (JsonNode node : nodes) {
      assertTrue(node.path("target").asBoolean(), node::toString);
      assertTrue(node.path("in").path("bandwidthBytesPerSec").asLong() > 0, node::toString);
    }
    assertEquals(6, run("-nodes").out().lines().count());
  }

  /** A sixth DataNode whose setting is wrong, for as long as the test. */
  @Test
  void dataNodeWhosePluginHasNotStarted_isNamedWithTheReason() throws Exception {
    Configuration bad = new Configuration(cluster.conf());
    bad.set(DFSConfigKeys.DFS_DATANODE_PLUGINS_KEY, "io.dayu.datanode.DayuDataNodePlugin");
    bad.set("dayu.datanode.meter", "snmp");
    cluster.mini().startDataNodes(bad, 1, true, null, null);
    DataNode node = cluster.mini().getDataNodes().get(5);
    try {
      await("the reason", () -> active().path("agents").path("declined").size() == 1);
      Result result = awaitStatus("agents        5 of 6 live DataNodes report");
      assertTrue(
          result.out().contains("; not started: ") && result.out().contains("(setting dayu.datanode.meter = 'snmp'"),
          result.out());
      assertEquals(1, json("-nodes").path("nodes").findValuesAsText("agent").stream().filter("declined"::equals)
          .count());
    } finally {
      cluster.mini().stopDataNode(5);
      for (int i = 0; i < 2; i++) {
        BlockManager blocks = cluster.mini().getNamesystem(i).getBlockManager();
        DeadDataNodes.declare(blocks, blocks.getDatanodeManager().getDatanode(node.getDatanodeUuid()));
      }
    }
    await("the cluster as it was", () -> active().path("agents").path("dataNodes").asInt() == 5);
  }

  /** The active NameNode restarts, and is told the address of its peer, which an embedded one does not know. */
  @Test
  void namenodeThatRestarts_isPausedAndSetAsItsPeer() throws Exception {
    json("-set", "dayu.recovery.max-utilization=0.55");
    assertEquals(0, run("-pause", "-all", "until", "six").code());
    int restarted = cluster.active();
    Configuration conf = cluster.mini().getConfiguration(restarted);
    Configuration ofPeer = cluster.mini().getConfiguration(1 - restarted);
    String peersKey = DFSUtil.addKeySuffixes(DFSConfigKeys.DFS_NAMENODE_RPC_ADDRESS_KEY,
        DFSUtil.getNamenodeNameServiceId(ofPeer), ofPeer.get(DFSConfigKeys.DFS_HA_NAMENODE_ID_KEY));
    conf.set(peersKey, cluster.mini().getNameNode(1 - restarted).getNameNodeAddressHostPortString());
    cluster.nameNodes().restart();
    await("the NameNode as it was", () -> {
      JsonNode status = active();
      return status.path("control").path("mode").asText().equals("paused")
          && status.path("agents").path("live").asInt() == 5 && status.path("reason").asText().endsWith("until six")
          && status.path("settings").toString().contains("\"value\":\"0.55\",\"origin\":\"peer localhost:");
    });
    assertEquals(0, run("-resume").code());
    json("-set", "dayu.recovery.max-utilization=");
    awaitState("DAYU");
  }

  @Test
  void webPage_shows_andChangesNothingByGet() throws Exception {
    HttpURLConnection page = get("/dayu/", "GET");
    assertTrue(page.getContentType().startsWith("text/html"), page.getContentType());
    assertTrue(new String(page.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
        .contains("<title>Dayu: recovery</title>"));
    // They are left out if the loop does not answer within half a second.
    await("all agents", () -> JSON.readTree(get("/dayu/api/v1/status", "GET").getInputStream()).path("agents")
        .path("dataNodes").asInt() == 5);
    assertEquals(5, JSON.readTree(get("/dayu/api/v1/nodes", "GET").getInputStream()).path("nodes").size());
    assertTrue(JSON.readTree(get("/dayu/api/v1/plan", "GET").getInputStream()).has("transfers"));
    JsonNode history = JSON.readTree(get("/dayu/api/v1/history", "GET").getInputStream());
    assertTrue(history.path("timeMs").size() > 0, history::toString);
    assertEquals(history.path("timeMs").size(), history.path("recoveredBytes").size());
    assertTrue(
        JSON.readTree(get("/dayu/api/v1/settings", "GET").getInputStream()).toString().contains("\"live\":true"));
    assertEquals(405, get("/dayu/api/v1/pause", "GET").getResponseCode());
    assertEquals(404, get("/dayu/nothing", "GET").getResponseCode());
    assertEquals(405, get("/dayu/api/v1/status", "POST").getResponseCode());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|',
      value = {"pause?user.name=root    | false | ''                   | 400 | the header X-XSRF-HEADER is missing",
          "pause                   | true  | ''                   | 403 | name an HDFS superuser by ?user.name=",
          "pause?user.name=mallory | true  | ''                   | 403 | mallory is no HDFS superuser",
          "pause?user.name=root    | true  | nonsense             | 400 | the body is not",
          "set?user.name=root      | true  | {\"argument\":\"a=b\"} | 400 | there is no setting a",
          "deadline?user.name=root | true  | {\"argument\":\"all\"} | 400 | -deadline needs ",
          "status?user.name=root   | true  | ''                   | 405 | ''",
          "nothing?user.name=root  | true  | ''                   | 404 | ''",})
  void webCommand_isRefused_andChangesNothing(String what, boolean header, String body, int code, String expected)
      throws Exception {
    String superuser = UserGroupInformation.getCurrentUser().getShortUserName();
    HttpURLConnection refused = post("/dayu/api/v1/" + what.replace("=root", "=" + superuser), header, body);
    assertEquals(code, refused.getResponseCode());
    String answer = new String(refused.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(answer.contains(expected), answer);
    assertEquals("run", active().path("control").path("mode").asText());
  }

  @Test
  void webPage_steers_forASuperuser() throws Exception {
    String superuser = "?user.name=" + UserGroupInformation.getCurrentUser().getShortUserName();
    assertEquals(false, JSON.readTree(get("/dayu/api/v1/user", "GET").getInputStream()).path("maySteer").asBoolean());
    assertEquals(true,
        JSON.readTree(get("/dayu/api/v1/user" + superuser, "GET").getInputStream()).path("maySteer").asBoolean());
    String note = "by <web> & \\\"quotes\\\"";
    HttpURLConnection paused = post("/dayu/api/v1/pause" + superuser, true, "{\"argument\":\"" + note + "\"}");
    // The NameNodes of an embedded cluster do not know each other's ports, so the other one does not answer.
    assertEquals(502, paused.getResponseCode());
    JsonNode answers = JSON.readTree(paused.getErrorStream());
    assertEquals("paused", answers.get(0).path("control").path("mode").asText(), answers::toString);
    assertEquals("by <web> & \"quotes\"", answers.get(0).path("control").path("note").asText());
    assertTrue(answers.get(1).path("error").asText().contains("no answer"), answers::toString);
    // Views are made once a second.
    await("the page shows it", () -> JSON.readTree(get("/dayu/api/v1/status", "GET").getInputStream()).path("control")
        .path("mode").asText().equals("paused"));
    assertEquals(0, run("-resume").code());
  }

  /**
   * One recovery as an admin steers it: paused with a note, looked at, failed over, resumed, left to stock and taken
   * back.
   */
  @Test
  void recovery_isPausedExplainedAndResumed() throws Exception {
    assertEquals(0, run("-pause", "-for", "2h", "-all", "backup", "until", "six").code());
    int victim = cluster.fullestNode();
    cluster.kill(victim);
    await("blocks that wait, by risk", () -> {
      JsonNode queues = active().path("queues");
      long sum = 0;
      for (JsonNode blocks : queues.path("waitingByRisk")) {
        sum += blocks.asLong();
      }
      return sum > 0 && sum == queues.path("waitingBlocks").asLong();
    });
    await("what they wait for", () -> active().path("queues").path("waitReasons").findValuesAsText("reason")
        .equals(List.of("HELD_BACK")));
    // Some fields are there only while blocks wait.
    json("-status");
    JsonNode status = active();
    assertEquals("DAYU", status.path("state").asText());
    assertTrue(status.path("reason").asText().endsWith("backup until six"), status::toString);

    JsonNode planned = json("-dryRun").path("transfers");
    assertTrue(planned.size() > 0, planned::toString);
    assertEquals(0, json("-plan").path("transfers").size(), "a dry run does nothing");
    String block = planned.get(0).path("block").asText();
    JsonNode explained = json("-explain", block).get(0);
    assertTrue(explained.path("reason").asText().startsWith("recovery is paused"), explained::toString);
    assertTrue(explained.path("targets").path("count").asInt() > 0, explained::toString);
    assertTrue(explained.path("sources").size() > 0, explained::toString);
    assertTrue(run("-explain", block).out().contains("source"), "text as well");

    cluster.nameNodes().failover();
    await("the other NameNode", () -> active().path("state").asText().equals("DAYU"));
    await("paused there too",
        () -> active().path("reason").asText().contains("paused") && transfers() == 0);

    json("-set", "dayu.recovery.max-utilization=0.6");
    JsonNode set = active().path("settings");
    assertTrue(set.toString().contains("\"value\":\"0.6\""), set::toString);
    assertEquals(List.of("0.75", "0.75"), json("-set", "dayu.recovery.max-utilization=").findValuesAsText("value"));
    // So slow that they are seen.
    cluster.admin().setMaxUtilization("0.05");
    json("-resume");
    await("transfers under way", () -> active().path("recovery").path("active").asBoolean() && transfers() > 0);
    json("-plan");
    cluster.admin().setMaxUtilization("");
    new ClusterVerifier(cluster).assertRecovers(LIMIT);
    assertEquals(2, json("-explain", "/f0").size());
    await("an explanation",
        () -> json("-explain", "/f0").get(0).path("reason").asText().equals("it has enough replicas"));

    assertEquals(0, run("-stock", "comparison").code());
    awaitState("STOCK");
    Result refused = run("-pause");
    assertEquals(0, refused.code(), "stock is left to an admin's word, which another word replaces: " + refused.err());
    awaitState("DAYU");
    assertEquals(0, run("-shadow").code());
    awaitState("STOCK");
    assertEquals(0, run("-resume").code());
    awaitState("DAYU");
    cluster.restart(victim);
    await("the cluster as it was", () -> active().path("agents").path("live").asInt() == 5);
    checkJsonPage();
  }

  /** After a recovery each field of each answer has occurred. */
  private static void checkJsonPage() throws Exception {
    json("-status");
    json("-nodes");
    for (String what : List.of("history", "settings", "user", "peers")) {
      jsonPage.see(what, JSON.readTree(get("/dayu/api/v1/" + what, "GET").getInputStream()));
    }
    assertEquals(Set.of(), jsonPage.unlisted(), "not in docs/json.md");
    List<String> unseen = jsonPage.unseen();
    // There only if a NameNode's loop was slow to answer.
    unseen.remove("status warning");
    // LeavingIT sees these: no DataNode leaves here.
    unseen.removeIf(field -> field.startsWith("leaving ") || field.startsWith("deadline "));
    // TransfersReportTest has a group.
    unseen.remove("explain sources[].index");
    // DayuAdminTest has copies that failed: none does here.
    unseen.removeIf(field -> field.startsWith("explain failed[]."));
    // Neither a profile nor a deadline decides a setting here.
    unseen.removeIf(field -> field.startsWith("status settings[].set.") || field.startsWith("set now"));
    assertEquals(List.of("steer warning"), unseen, "in docs/json.md only");
  }
}
