/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.web;

import io.dayu.admin.AdminCaller;
import io.dayu.admin.AdminException;
import io.dayu.admin.AdminOperations;
import io.dayu.admin.CheckedOperations;
import io.dayu.admin.Command;
import io.dayu.harness.TestOption;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.http.HttpServer2;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.servlet.ServletContextHandler;
import org.eclipse.jetty.servlet.ServletHolder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Arbitrary and damaged requests of the page: each is answered or refused, none by an exception. */
@Timeout(300)
class HttpFuzzTest {
  private static final long SEED = TestOption.seed("fuzz.seed", 20261127);
  private static final int REQUESTS = 4_000;
  private static final int THREADS = 8;
  private static final int LIMIT_MS = 30_000;

  private static final List<String> METHODS = List.of("POST", "POST", "POST", "GET", "HEAD", "OPTIONS", "TRACE", "PUT",
      "post", "\u00e4");
  private static final List<String> PATHS =
      List.of("pause", "resume", "set", "stock", "shadow", "status", "nodes", "user",
          "history", "settings", "peers", "-pause", "", "%00", "..", "PAUSE", "nothing", "%C4%B0", "pause/pause");
  private static final List<String> NAMES =
      List.of("alice", "alice", "alice", "alice", "alice", "alice", "mallory", "a@b/c", "a/b@c", "a%0Ab",
          "%", "%zz", "%1B%5B2J", "", "%E2%80%A8", "a".repeat(300), "%FF");
  private static final List<String> BODIES = List.of("", "", "{\"argument\": \"until six\"}", "{\"argument\": 5}",
      "{\"argument\": \"a=b\"}", "{\"argument\": \"\"}", "{\"argument\": \"\u00e4\", \"b\": [1]}", "[".repeat(4_000),
      "{\"a\":".repeat(700), "{\"argument\": \"\\ud800\"}", "\u0000", "{",
      "\"", "{\"argument\": \"\\u0000\\u001b\\n\"}", "x".repeat(5_000), "argument=5", "1e999999999");

  /** Only alice is a superuser. */
  private static final class Source implements DayuServlet.Source {
    private final AtomicInteger done = new AtomicInteger();
    private final CheckedOperations checked = new CheckedOperations(operations(), () -> {
      if (!UserGroupInformation.getCurrentUser().getShortUserName().equals("alice")) {
        throw new AccessControlException("no superuser");
      }
    }, (caller, command, argument, refusal) -> done.addAndGet(refusal == null ? 1 : 0));

    @Override
    public AdminOperations operations() {
      return request -> Map.of("state", "DAYU");
    }

    @Override
    public Map<String, Object> history() {
      return Map.of();
    }

    @Override
    public Map<String, Object> settings() {
      return Map.of();
    }

    @Override
    public Map<String, Object> peers() {
      return Map.of();
    }

    @Override
    public boolean mayChangeState(AdminCaller caller) {
      return caller.name().equals("alice");
    }

    @Override
    public List<Map<String, Object>> changeState(Command command, CheckedOperations.Argument argument,
        AdminCaller caller) throws AdminException {
      return checked.run(command, argument, caller, given -> List.of(Map.of("namenode", "nn1")));
    }
  }

  @Test
  void whateverIsSent_isAnsweredOrRefused() throws Exception {
    System.out.println("fuzz.seed " + SEED);
    Source source = new Source();
    Server server = new Server(new InetSocketAddress("localhost", 0));
    ServletContextHandler context = new ServletContextHandler();
    context.setAttribute(HttpServer2.CONF_CONTEXT_ATTRIBUTE, new Configuration(false));
    context.setAttribute(DayuServlet.SOURCE, source);
    context.addServlet(new ServletHolder(new DayuServlet()), DayuServlet.PATH);
    server.setHandler(context);
    server.start();
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      Random random = new Random(SEED);
      List<Future<?>> sent = new ArrayList<>();
      for (int i = 0; i < REQUESTS; i++) {
        byte[] request = next(random);
        sent.add(threads.submit(() -> {
          String answer = answer(server.getURI().getPort(), request);
          assertFalse(answer.startsWith("HTTP/1.1 500"),
              () -> new String(request, StandardCharsets.ISO_8859_1) + "\n" + answer);
          return null;
        }));
      }
      for (Future<?> one : sent) {
        one.get();
      }
      assertTrue(source.done.get() > REQUESTS / 100, source.done + " of " + REQUESTS + " commands were done");
    } finally {
      threads.shutdownNow();
      server.stop();
    }
  }

  private static <T> T one(Random random, List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  private static byte[] next(Random random) {
    String body = one(random, BODIES);
    StringBuilder request = new StringBuilder(one(random, METHODS)).append(" /dayu/api/v1/")
        .append(one(random, PATHS)).append("?user.name=").append(one(random, NAMES))
        .append(" HTTP/1.1\r\nHost: nn\r\n");
    if (random.nextInt(8) > 0) {
      request.append("X-XSRF-HEADER: x\r\n");
    }
    if (random.nextInt(4) == 0) {
      request.append("Content-Type: application/x-www-form-urlencoded\r\n");
    }
    request.append("Connection: close\r\nContent-Length: ").append(body.length()).append("\r\n\r\n").append(body);
    byte[] bytes = request.toString().getBytes(StandardCharsets.ISO_8859_1);
    if (random.nextInt(3) == 0) {
      for (int i = 1 + random.nextInt(4); i > 0; i--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      }
    }
    return random.nextInt(50) == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length)) : bytes;
  }

  private static String answer(int port, byte[] request) throws IOException {
    try (Socket socket = new Socket("localhost", port)) {
      socket.setSoTimeout(LIMIT_MS);
      socket.getOutputStream().write(request);
      socket.shutdownOutput();
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (SocketException e) {
      // The server has closed the connection without reading all.
      return "";
    }
  }
}
