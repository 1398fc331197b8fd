/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.cli.DayuAdmin;
import io.dayu.harness.DayuCluster;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Anybody who reaches the NameNode's HTTP port, without authentication: the server answers others all the same. */
final class HttpAttacksIT {
  /** Of a request to the HTTP server while it is attacked; far more than it takes on a busy machine. */
  private static final int LIMIT_MS = 30_000;
  private static final int COMMANDS = 20;

  private static DayuCluster cluster;
  private static InetSocketAddress http;
  private static String superuser;

  @BeforeAll
  static void start() throws Exception {
    cluster = DayuCluster.builder().dataNodes(2).conf("dayu.timeslot.interval", "600ms")
        .conf("dayu.timeslot.lead", "100ms").start();
    StatusProbe.awaitDayu(2);
    http = cluster.nameNode().getHttpAddress();
    superuser = UserGroupInformation.getCurrentUser().getShortUserName();
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  private static HttpURLConnection connection(String path) throws IOException {
    HttpURLConnection connection =
        (HttpURLConnection) URI.create("http://" + NetUtils.getHostPortString(http) + path).toURL().openConnection();
    connection.setConnectTimeout(LIMIT_MS);
    connection.setReadTimeout(LIMIT_MS);
    return connection;
  }

  /** Prints how soon, since a busy machine bounds nothing. */
  private static void assertAnswersOthers() throws IOException {
    long beganNs = System.nanoTime();
    assertEquals(200, connection("/jmx?qry=Hadoop:service=NameNode,name=DayuStatus").getResponseCode());
    System.out.println("/jmx answers after " + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNs) + " ms");
  }

  /**
   * Sends {@code request} over each of a number of connections, asks others' questions, and awaits that all are closed.
   *
   * @param expected the codes of their answers, as a pattern
   */
  private static void attack(int connections, String request, String expected) throws Exception {
    List<Socket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < connections; i++) {
        Socket socket = new Socket();
        sockets.add(socket);
        socket.setSoTimeout(LIMIT_MS);
        socket.connect(http, LIMIT_MS);
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      }
      for (int i = 0; i < 3; i++) {
        assertAnswersOthers();
      }
      for (Socket socket : sockets) {
        String answer = toEnd(socket.getInputStream());
        assertTrue(answer.matches("(?s)HTTP/1.1 (" + expected + ") .*"), answer);
      }
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  /** All that the server sends until it closes the connection. */
  private static String toEnd(InputStream in) throws IOException {
    ByteArrayOutputStream answer = new ByteArrayOutputStream();
    try {
      in.transferTo(answer);
    } catch (SocketException e) {
      // It has closed the connection without reading what had been sent.
    }
    return answer.toString(StandardCharsets.UTF_8);
  }

  @Test
  void longBodiesThatNeverArrive_holdNoThread() throws Exception {
    attack(1_000, "POST /dayu/api/v1/pause HTTP/1.1\r\nHost: nn\r\nContent-Length: 15000000\r\n\r\n{", "400");
  }

  /** Without authentication anyone may name a superuser, whose body is read. */
  @Test
  void shortBodiesThatNeverArrive_holdFewThreads() throws Exception {
    attack(400, "POST /dayu/api/v1/pause?user.name=" + superuser
        + " HTTP/1.1\r\nHost: nn\r\nX-XSRF-HEADER: x\r\nContent-Length: 100\r\n\r\n{", "400");
    attack(400, "POST /dayu/api/v1/pause?user.name=" + superuser
        + " HTTP/1.1\r\nHost: nn\r\nX-XSRF-HEADER: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{", "400");
    attack(400, "GET /dayu/api/v1/status HTTP/1.1\r\nHost: nn\r\nContent-Length: 100\r\n\r\n{", "200|503");
  }

  @Test
  void refusedCommandsBetweenReads_lockNoAdminOut() throws Exception {
    int callers = 120;
    ExecutorService threads = Executors.newFixedThreadPool(callers);
    AtomicBoolean over = new AtomicBoolean();
    AtomicInteger refused = new AtomicInteger();
    try {
      for (int i = 0; i < callers; i++) {
        String what = List.of("nodes", "plan", "status").get(i % 3);
        threads.execute(() -> {
          while (!over.get()) {
            try {
              HttpURLConnection command = connection("/dayu/api/v1/pause");
              command.setRequestMethod("POST");
              command.setRequestProperty("X-XSRF-HEADER", "x");
              refused.addAndGet(command.getResponseCode() == 403 ? 1 : 0);
              connection("/dayu/api/v1/" + what).getResponseCode();
            } catch (IOException e) {
              // It tries again.
            }
          }
        });
      }
      StatusProbe.await("the attack has begun", () -> refused.get() >= callers);
      int done = 0;
      for (int attempt = 0; done < COMMANDS && attempt < 2 * COMMANDS; attempt++) {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int code = ToolRunner.run(new DayuAdmin(cluster.clientConf(), new PrintStream(new ByteArrayOutputStream()),
            new PrintStream(err, true)), new String[] {"-set", "dayu.recovery.max-utilization=0.7" + done % 10});
        // On a busy machine the loop may not get to a command that it has let in.
        if (!err.toString(StandardCharsets.UTF_8).contains("the recovery loop has not answered for")) {
          assertEquals(0, code, err.toString(StandardCharsets.UTF_8));
          done++;
        }
      }
      assertEquals(COMMANDS, done);
    } finally {
      over.set(true);
      threads.shutdown();
      assertTrue(threads.awaitTermination(2L * LIMIT_MS, TimeUnit.MILLISECONDS));
    }
  }
}
