/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.dayu.cli.DayuAdmin;
import io.dayu.harness.ClusterBuilder;
import io.dayu.harness.DayuCluster;
import io.dayu.harness.Kerberos;
import io.dayu.harness.RecordedAudit;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.authentication.client.AuthenticatedURL;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.reflect.UndeclaredThrowableException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Who may give commands by the web page of a cluster with Kerberos, and what HDFS's audit log has of them. */
final class SecureWebIT {
  private static final String GROUPS = "hdfs=hdfs;admin=supergroup;mallory=users;gateway=users";
  private static final ObjectMapper JSON = new ObjectMapper();

  private static Kerberos kerberos;

  private DayuCluster cluster;

  @BeforeAll
  static void startKdc() throws Exception {
    Path directory = Path.of(System.getProperty("test.build.data", System.getProperty("java.io.tmpdir")));
    kerberos = new Kerberos(directory, GROUPS, "admin", "mallory", "gateway");
    kerberos.login(Kerberos.DAEMON);
  }

  @AfterAll
  static void stopKdc() throws Exception {
    kerberos.close();
  }

  @AfterEach
  void close() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  private static ClusterBuilder builder() {
    RecordedAudit.clear();
    ClusterBuilder builder = DayuCluster.builder().dataNodes(1)
        .conf("hadoop.user.group.static.mapping.overrides", GROUPS)
        .conf("dfs.namenode.audit.loggers", "default," + RecordedAudit.class.getName());
    kerberos.settings().forEach(builder::conf);
    return builder;
  }

  private URL url(String what) throws IOException {
    return URI.create("http://localhost:" + cluster.nameNode().getHttpAddress().getPort() + "/dayu/api/v1/" + what)
        .toURL();
  }

  /** The code of the answer, and the answer. */
  private record Answer(int code, String text) {
    static Answer of(HttpURLConnection connection) throws IOException {
      connection.setRequestMethod("POST");
      connection.setRequestProperty("X-XSRF-HEADER", "x");
      int code = connection.getResponseCode();
      try (InputStream in = code < 400 ? connection.getInputStream() : connection.getErrorStream()) {
        return new Answer(code, new String(in.readAllBytes(), StandardCharsets.UTF_8));
      }
    }
  }

  private Answer post(String what) throws IOException {
    return Answer.of((HttpURLConnection) url(what).openConnection());
  }

  private Answer post(UserGroupInformation user, String what) throws Exception {
    return user.doAs((PrivilegedExceptionAction<Answer>) () -> Answer
        .of(new AuthenticatedURL().openConnection(url(what), new AuthenticatedURL.Token())));
  }

  private static void assertRefused(Answer answer, String user) {
    assertEquals(403, answer.code, answer.text);
    assertTrue(answer.text.contains(user + " is not authenticated: "), answer.text);
  }

  private static int run(UserGroupInformation caller, DayuCluster cluster, String... args) throws Exception {
    PrintStream nowhere = new PrintStream(new ByteArrayOutputStream());
    return caller.doAs((PrivilegedExceptionAction<Integer>) () -> ToolRunner
        .run(new DayuAdmin(cluster.clientConf(), nowhere, nowhere), args));
  }

  /** RPC asks for tickets. The page takes the user's word, and shows others as one user, who is a superuser. */
  @Test
  void userWhoIsNotAuthenticated_givesNoCommands() throws Exception {
    cluster = builder().conf("hadoop.http.staticuser.user", "admin").start();
    StatusProbe.awaitDayu(1);
    assertRefused(post("pause?user.name=hdfs"), "hdfs");
    assertRefused(post("pause?user.name=admin"), "admin");
    assertEquals(403, post("pause").code);
    assertEquals(400, post("pause?user.name=admin%0Aallowed=true").code);
    assertFalse(JSON.readTree(url("user?user.name=admin")).path("maySteer").asBoolean(true));
    assertEquals("run", JSON.readTree(url("status")).path("control").path("mode").asText());
    assertEquals(
        List.of("false [hdfs (auth:SIMPLE)] [127.0.0.1] [dayu -pause] [] [hdfs is not authenticated",
            "false [admin (auth:SIMPLE)] [127.0.0.1] [dayu -pause] [] [admin is not authenticated"),
        RecordedAudit.events().stream().map(event -> event.replaceAll(":[^:]*$", "")).toList());
  }

  @Test
  void commandsAndRefusals_areInTheAuditLog_withAddressAndRealUser() throws Exception {
    ClusterBuilder builder = builder();
    kerberos.webSettings().forEach(builder::conf);
    cluster = builder.conf("hadoop.proxyuser.gateway.users", "admin,mallory")
        .conf("hadoop.proxyuser.gateway.hosts", "*").start();
    StatusProbe.awaitDayu(1);
    UserGroupInformation admin = kerberos.login("admin");
    UserGroupInformation mallory = kerberos.login("mallory");
    UserGroupInformation gateway = kerberos.login("gateway");
    assertEquals(401, post("pause").code);
    assertEquals(200, post(admin, "pause").code);
    assertEquals(403, post(mallory, "resume").code);
    assertEquals(200, post(gateway, "resume?doAs=admin").code);
    assertEquals(403, post(gateway, "pause?doAs=mallory").code);
    assertEquals(403, post(gateway, "pause").code);
    assertThrows(UndeclaredThrowableException.class, () -> post(mallory, "pause?doAs=admin"));
    assertEquals(0, run(admin, cluster, "-stock", "a", "test"));
    assertEquals(4, run(mallory, cluster, "-pause"));
    assertEquals(4, run(mallory, cluster, "-status"));
    assertEquals(1, run(admin, cluster, "-set", "a=b"));
    String realm = kerberos.principal("").substring(1);
    assertEquals(List.of("true [admin (auth:KERBEROS)] [dayu -pause] [] [null]",
        "false [mallory (auth:KERBEROS)] [dayu -resume] [] [mallory is no",
        "true [admin (auth:PROXY) via gateway (auth:KERBEROS)] [dayu -resume] [] [null]",
        "false [mallory (auth:PROXY) via gateway (auth:KERBEROS)] [dayu -pause] [] [mallory is no",
        "false [gateway (auth:KERBEROS)] [dayu -pause] [] [gateway is no",
        "true [admin@" + realm + " (auth:KERBEROS)] [dayu -stock] [a test] [null]",
        "false [mallory@" + realm + " (auth:KERBEROS)] [dayu -pause] [] [mallory is no",
        "false [mallory@" + realm + " (auth:KERBEROS)] [dayu -status] [] [mallory is no",
        "false [admin@" + realm + " (auth:KERBEROS)] [dayu -set] [a=b] [there is no"),
        RecordedAudit.events().stream()
            .map(event -> event.replace("[127.0.0.1] ", "").replaceAll("((is|there is) no) .*", "$1")).toList());
  }
}
