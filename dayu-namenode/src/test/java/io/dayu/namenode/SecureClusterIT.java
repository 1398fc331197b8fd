/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.cli.DayuAdmin;
import io.dayu.harness.ClusterBuilder;
import io.dayu.harness.ClusterVerifier;
import io.dayu.harness.DayuCluster;
import io.dayu.harness.Kerberos;
import io.dayu.protocol.DayuProtocolPB;
import io.dayu.protocol.DayuProtos.AgentCommandsProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocolPB.ClientNamenodeProtocolPB;
import org.apache.hadoop.io.retry.RetryPolicies;
import org.apache.hadoop.ipc.Client;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.net.StandardSocketFactory;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.authentication.client.AuthenticatedURL;
import org.apache.hadoop.test.GenericTestUtils;
import org.apache.hadoop.test.GenericTestUtils.LogCapturer;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.UndeclaredThrowableException;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.util.List;
import javax.net.SocketFactory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Dayu on clusters with Kerberos: who is let in, and that blocks are recovered where data transfers are authenticated
 * and encrypted.
 */
final class SecureClusterIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int BLOCK_BYTES = 1 << 20;
  private static final int NODES = 3;

  private static Kerberos kerberos;
  private static UserGroupInformation daemon;
  private static UserGroupInformation admin;
  private static UserGroupInformation mallory;

  private DayuCluster cluster;

  /** Binds to another address of this host than the caller asks for. */
  private static final class OtherAddressSockets extends StandardSocketFactory {
    @Override
    public Socket createSocket() {
      return new Socket() {
        @Override
        public void bind(SocketAddress asked) throws IOException {
          super.bind(new InetSocketAddress("127.0.0.2", 0));
        }
      };
    }
  }

  @BeforeAll
  static void startKdc() throws Exception {
    Path directory = Path.of(System.getProperty("test.build.data", System.getProperty("java.io.tmpdir")));
    kerberos = new Kerberos(directory, "hdfs=hdfs;admin=supergroup;mallory=users", "admin", "mallory", "hdfs",
        "hdfs/elsewhere");
    daemon = kerberos.login(Kerberos.DAEMON);
    admin = kerberos.login("admin");
    mallory = kerberos.login("mallory");
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

  private ClusterBuilder builder() {
    ClusterBuilder builder = DayuCluster.builder().dataNodes(NODES).blockSizeBytes(BLOCK_BYTES)
        .bandwidthBytesPerSec(20 << 20).conf("dayu.timeslot.interval", "600ms").conf("dayu.timeslot.lead", "100ms")
        .conf("dayu.heartbeat.interval", "200ms")
        .conf("hadoop.user.group.static.mapping.overrides", "hdfs=hdfs;admin=supergroup;mallory=users");
    kerberos.settings().forEach(builder::conf);
    return builder;
  }

  private void assertDayuRecovers() throws Exception {
    for (int i = 0; i < 3; i++) {
      cluster.write("/f" + i, 2L * BLOCK_BYTES - 1_000 * i - 1, 2);
    }
    long before = StatusProbe.awaitSettled(cluster);
    int node = cluster.fullestNode();
    int lost = cluster.blocksOn(node).size();
    cluster.kill(node);
    new ClusterVerifier(cluster).assertRecovers(LIMIT);
    StatusProbe.await(lost + " transfers finished", () -> StatusProbe.status().getTotalFinished() == before + lost);
  }

  /** Kerberos, service authorization, encrypted RPC, SASL data transfer with privacy, SPNEGO. */
  @Test
  void withAuthorizationAndPrivacy_dayuRecoversAndAdminsSteer() throws Exception {
    ClusterBuilder builder = builder().conf("hadoop.security.authorization", "true")
        .conf("hadoop.rpc.protection", "privacy").conf("dfs.data.transfer.protection", "privacy");
    kerberos.webSettings().forEach(builder::conf);
    cluster = builder.start();
    StatusProbe.awaitDayu(NODES);
    ReportProto report = report(uuid(0));
    assertDayuRecovers();

    assertEquals(0, run(admin, "-status").code);
    assertEquals(0, run(admin, "-pause", "a", "test").code);
    assertEquals(0, run(admin, "-resume").code);
    for (String command : new String[] {"-status", "-pause", "-set dayu.timeslot.interval=1s"}) {
      Result result = run(mallory, command.split(" "));
      assertEquals(4, result.code, result.err);
      assertTrue(result.err.contains("mallory is no HDFS superuser"), result.err);
    }

    Logger client = LoggerFactory.getLogger(Client.class);
    GenericTestUtils.setLogLevel(client, Level.DEBUG);
    LogCapturer attempts = LogCapturer.captureLogs(client);
    for (String wrong : new String[] {"hdfs/elsewhere", "nobody/localhost"}) {
      Configuration misled = new Configuration(cluster.clientConf());
      misled.set("dfs.namenode.kerberos.principal", kerberos.principal(wrong));
      // A login of its own has a connection of its own.
      UserGroupInformation another = kerberos.login("admin");
      Result result = run(another, misled, "-status");
      assertEquals(4, result.code, result.err);
      assertEquals(1, result.err.lines().count(), result.err);
      assertTrue(result.err.contains("Server has invalid Kerberos principal: " + kerberos.principal(Kerberos.DAEMON)
          + ", expecting: " + kerberos.principal(wrong)), result.err);
      assertTrue(result.err.contains("dfs.namenode.kerberos.principal"), result.err);
    }
    GenericTestUtils.setLogLevel(client, Level.INFO);
    attempts.stopCapturing();
    // Hadoop's own client would wait up to 5 s before each of five further attempts. It logs each that fails.
    long failed = attempts.getOutput().lines()
        .filter(line -> line.startsWith("Exception encountered while connecting to the server ")
            || line.startsWith("Couldn't setup connection for "))
        .count();
    assertEquals(2, failed, attempts::getOutput);
    URL page =
        URI.create("http://localhost:" + cluster.nameNode().getHttpAddress().getPort() + "/dayu/api/v1/status").toURL();
    assertEquals(HttpURLConnection.HTTP_UNAUTHORIZED, ((HttpURLConnection) page.openConnection()).getResponseCode());
    assertEquals(HttpURLConnection.HTTP_OK,
        mallory.doAs((PrivilegedExceptionAction<Integer>) () -> new AuthenticatedURL()
            .openConnection(page, new AuthenticatedURL.Token()).getResponseCode()));

    assertRefused("not authorized", () -> call(mallory, report));
    // Hadoop looks at the ACL of the protocol that a connection names when it begins.
    assertRefused("is not the DataNode's principal",
        () -> call(mallory, report, ClientNamenodeProtocolPB.class, new StandardSocketFactory()));
  }

  /** Kerberos and encrypted data transfer, but no service authorization: Dayu's own checks are all there is. */
  @Test
  void withEncryption_dayuRecoversAndWhoIsNoDataNodeGetsNothing() throws Exception {
    cluster = builder().conf("dfs.encrypt.data.transfer", "true").conf("dfs.data.transfer.protection", "authentication")
        .start();
    StatusProbe.awaitDayu(NODES);
    long agents = StatusProbe.status().getLiveAgents();
    ReportProto own = report(uuid(0));
    for (String name : new String[] {"mallory", "admin", "hdfs"}) {
      UserGroupInformation other = kerberos.login(name);
      assertRefused("is not the DataNode's principal", () -> call(other, own));
      assertRefused("is not the DataNode's principal", () -> call(other, report("no-such-uuid")));
    }
    assertRefused("is not registered from 127.0.0.2",
        () -> call(daemon, own, DayuProtocolPB.class, new OtherAddressSockets()));
    // Who passes all checks of the caller comes as far as this. The NameNode is configured with a host of its own.
    for (UserGroupInformation dataNode : List.of(daemon, kerberos.login("hdfs/elsewhere"))) {
      assertRefused("report for block pool BP-1-127.0.0.1-1",
          () -> call(dataNode, own.toBuilder().setBlockPoolId("BP-1-127.0.0.1-1").build()));
    }

    AgentCommandsProto unknown = call(daemon, report("no-such-uuid"));
    assertEquals(0, unknown.getActivation(), "commands of no activation are obeyed by nobody");
    assertTrue(!unknown.getAuthoritative() && unknown.getGrantsCount() == 0 && unknown.getSuspectsCount() == 0,
        unknown::toString);
    // An agent whose report is late does not count for a moment.
    StatusProbe.await(agents + " agents", () -> StatusProbe.status().getLiveAgents() == agents);

    assertDayuRecovers();
  }

  private String uuid(int node) {
    return cluster.dataNode(node).getDatanodeUuid();
  }

  private ReportProto report(String uuid) {
    return ReportProto.newBuilder().setProtocolVersion(DayuProtocolPB.REVISION)
        .setBlockPoolId(cluster.namesystem().getBlockPoolId())
        .setDatanodeUuid(uuid).setAgentIncarnation(1).setReportSequence(1).build();
  }

  private static void assertRefused(String why, Executable call) {
    Exception refusal = assertThrows(Exception.class, call);
    assertTrue(String.valueOf(refusal.getMessage()).contains(why), refusal::toString);
  }

  private AgentCommandsProto call(UserGroupInformation caller, ReportProto report) throws Exception {
    return call(caller, report, DayuProtocolPB.class, new StandardSocketFactory());
  }

  /** @param named the protocol that the connection names when it begins */
  private AgentCommandsProto call(UserGroupInformation caller, ReportProto report, Class<?> named,
      SocketFactory sockets) throws Exception {
    Configuration conf = new Configuration(cluster.conf());
    RPC.setProtocolEngine(conf, DayuProtocolPB.class, ProtobufRpcEngine2.class);
    Client.ConnectionId connection = new Client.ConnectionId(cluster.nameNode().getNameNodeAddress(), named, caller, 0,
        RetryPolicies.TRY_ONCE_THEN_FAIL, conf);
    DayuProtocolPB proxy = new ProtobufRpcEngine2()
        .getProxy(DayuProtocolPB.class, DayuProtocolPB.VERSION, connection, conf, sockets, null).getProxy();
    try {
      return caller.doAs((PrivilegedExceptionAction<AgentCommandsProto>) () -> proxy.report(null, report));
    } catch (UndeclaredThrowableException e) {
      throw e.getCause() instanceof ServiceException refused && refused.getCause() instanceof IOException cause ? cause
          : e;
    } finally {
      RPC.stopProxy(proxy);
    }
  }

  /** What a command printed on the error stream, and its exit code. */
  private record Result(int code, String err) {
  }

  private Result run(UserGroupInformation caller, String... args) throws Exception {
    return run(caller, cluster.clientConf(), args);
  }

  private static Result run(UserGroupInformation caller, Configuration conf, String... args) throws Exception {
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    int code = caller.doAs((PrivilegedExceptionAction<Integer>) () -> ToolRunner
        .run(new DayuAdmin(conf, new PrintStream(out, true), new PrintStream(err, true)), args));
    return new Result(code, err.toString(StandardCharsets.UTF_8));
  }
}
