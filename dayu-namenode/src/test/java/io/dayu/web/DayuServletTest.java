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
import io.dayu.admin.ExitCode;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.http.HttpServer2;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.servlet.ServletContextHandler;
import org.eclipse.jetty.servlet.ServletHolder;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The servlet in Jetty, with a source that notes what it is told. */
@Timeout(60)
class DayuServletTest {
  private static final String FORM = "application/x-www-form-urlencoded";
  private static final String JSON = "application/json";

  /** A note. The source answers it with a warning of one NameNode and an error of the other one. */
  private static final String WITH_WARNING = "with a warning";

  private static final List<String> RECEIVED = new CopyOnWriteArrayList<>();
  /** How many views were made. */
  private static final AtomicInteger VIEWS = new AtomicInteger();
  private static final int THREADS = 20;
  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  /** Jetty's default is half a minute. */
  private static final int IDLE_MS = 5_000;

  private static Server server;
  private static ServerConnector impatient;

  /** Takes each command of each caller. */
  private static final class Source implements DayuServlet.Source {
    @Override
    public AdminOperations operations() {
      return request -> {
        VIEWS.incrementAndGet();
        return Map.of("state", "DAYU");
      };
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
      return Map.of("peers", List.of(Map.of("namenode", "nn2:8020", "page", "http://nn2:9870/dayu/")));
    }

    @Override
    public boolean mayChangeState(AdminCaller caller) {
      return true;
    }

    @Override
    public List<Map<String, Object>> changeState(Command command, CheckedOperations.Argument argument,
        AdminCaller caller) throws AdminException {
      String given;
      try {
        given = argument.read();
      } catch (IOException e) {
        throw new AdminException(ExitCode.REFUSED, e.getMessage());
      }
      RECEIVED.add(caller.name() + ": " + command.word() + " " + given);
      return given.equals(WITH_WARNING)
          ? List.of(Map.of("warning", "a restart undoes it"), Map.of("error", "nn2: no answer"))
          : List.of(Map.of("namenode", "nn1"));
    }
  }

  @BeforeAll
  static void start() throws Exception {
    server = new Server(new QueuedThreadPool(THREADS));
    ServerConnector connector = new ServerConnector(server, 1, 1);
    impatient = new ServerConnector(server, 1, 1);
    impatient.setIdleTimeout(IDLE_MS);
    for (ServerConnector one : List.of(connector, impatient)) {
      one.setHost("localhost");
      server.addConnector(one);
    }
    ServletContextHandler context = new ServletContextHandler();
    context.setAttribute(HttpServer2.CONF_CONTEXT_ATTRIBUTE, new Configuration(false));
    context.setAttribute(DayuServlet.SOURCE, new Source());
    context.addServlet(new ServletHolder(new DayuServlet()), DayuServlet.PATH);
    server.setHandler(context);
    server.start();
  }

  @AfterAll
  static void stop() throws Exception {
    server.stop();
  }

  @BeforeEach
  void nothingReceived() {
    RECEIVED.clear();
  }

  private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private static HttpRequest.Builder to(String path) {
    return HttpRequest.newBuilder(URI.create(server.getURI() + "dayu/api/v1/" + path));
  }

  private static HttpResponse<String> post(String what, String type, String body) throws Exception {
    return send(to(what).header("X-XSRF-HEADER", "x").header("Content-Type", type)
        .POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  /** {@code curl -d} declares a form. */
  @ParameterizedTest
  @ValueSource(strings = {FORM, JSON, "text/plain"})
  void argument_arrives_whateverTypeTheBodyIsDeclaredAs(String type) throws Exception {
    assertEquals(200, post("pause?user.name=alice", type, "{\"argument\": \"until six\"}").statusCode());
    assertEquals(200, post("set?x=1&user.name=al%69ce", type, "{\"argument\": \"a=b\"}").statusCode());
    assertEquals(200, post("resume?user.name=alice", type, "").statusCode());
    assertEquals(List.of("alice: pause until six", "alice: set a=b", "alice: resume "), RECEIVED);
  }

  @Test
  void resumption_thatSomeNameNodeUndoes_isAnsweredWithWhy() throws Exception {
    HttpResponse<String> answer = post("resume?user.name=alice", JSON, "{\"argument\": \"" + WITH_WARNING + "\"}");
    assertEquals(502, answer.statusCode());
    assertEquals("[{\"warning\":\"a restart undoes it\"},{\"error\":\"nn2: no answer\"}]", answer.body());
  }

  @Test
  void peers_areAnsweredWithTheirPages() throws Exception {
    HttpResponse<String> answer = send(to("peers"));
    assertEquals(200, answer.statusCode());
    assertTrue(answer.body().contains("\"page\":\"http://nn2:9870/dayu/\""), answer.body());
  }

  /** Of the text of the page only: no browser runs here. */
  @Test
  void pagesFunctionForOutcomes_namesTheFieldsAndTheWordsOfTheCommand() throws Exception {
    String page = send(HttpRequest.newBuilder(URI.create(server.getURI() + "dayu/"))).body();
    String outcome = page.substring(page.indexOf("function outcome("), page.indexOf("async function post("));
    for (String shown : List.of("one.error", "one.warning", "NameNodes only; ",
        "one that is down takes it over when it starts; for any other repeat it, or a failover undoes it")) {
      assertTrue(outcome.contains(shown), () -> shown + " is not in\n" + outcome);
    }
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"'{\"argument\": '", "{\"argument\": 5}", "{\"argument\": null}",
      "{\"argument\": \"a\"} b", "{\"arg\": \"5\"}", "{}", "[1]", "5", "argument=5&user.name=alice", "' '"})
  void brokenBody_isRefused_andNothingIsDone(String body) throws Exception {
    for (String type : List.of(FORM, JSON)) {
      HttpResponse<String> refused = post("pause?user.name=alice", type, body);
      assertEquals(400, refused.statusCode(), refused.body());
      assertTrue(refused.body().startsWith("{\"error\":\"the body is not "), refused.body());
    }
    assertEquals(List.of(), RECEIVED);
  }

  /** What follows the first bytes is not read: the server closes the connection. */
  @ParameterizedTest
  @ValueSource(ints = {5_000, 3_000_000, Integer.MAX_VALUE})
  void bodyThatIsTooLong_isRefused(int bytes) throws Exception {
    String refused = raw("POST /dayu/api/v1/pause?user.name=alice HTTP/1.1\r\nHost: nn\r\nX-XSRF-HEADER: x\r\n"
        + "Content-Length: " + bytes + "\r\n\r\n{\"argument\": \"nnn");
    assertTrue(refused.startsWith("HTTP/1.1 400 "), refused);
    assertTrue(refused.contains("\r\nConnection: close\r\n"), refused);
    assertTrue(refused.endsWith("{\"error\":\"the body is longer than 4096 bytes\"}"), refused);
    assertEquals(List.of(), RECEIVED);
  }

  @Test
  void bodyThatArrivesInPieces_isRead() throws Exception {
    try (Socket socket = new Socket("localhost", server.getURI().getPort())) {
      String body = "{\"argument\": \"until six\"}";
      send(socket, "POST /dayu/api/v1/pause?user.name=alice HTTP/1.1\r\nHost: nn\r\nX-XSRF-HEADER: x\r\n"
          + "Content-Length: " + body.length() + "\r\n\r\n");
      for (String piece : body.split("(?<=:)")) {
        send(socket, piece);
      }
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertTrue(answer.startsWith("HTTP/1.1 200 "), answer);
    }
    assertEquals(List.of("alice: pause until six"), RECEIVED);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"Content-Length: 20 | the body has not arrived within a second",
      "Transfer-Encoding: chunked | the body has no Content-Length"})
  void bodyThatDoesNotEnd_isRefused_andTheConnectionClosed(String length, String error) throws Exception {
    String refused = raw("POST /dayu/api/v1/pause?user.name=alice HTTP/1.1\r\nHost: nn\r\nX-XSRF-HEADER: x\r\n" + length
        + "\r\n\r\n5");
    assertTrue(refused.startsWith("HTTP/1.1 400 "), refused);
    assertTrue(refused.endsWith("{\"error\":\"" + error + "\"}"), refused);
    assertEquals(List.of(), RECEIVED);
  }

  /**
   * More connections than the server has threads for each request, and no byte of a body: none waits for one. Jetty
   * itself handles such a request after its idle timeout only.
   */
  @Test
  void bodyOfARequestThatReadsNone_isNotAwaited() throws Exception {
    Map<Socket, String> requests = new LinkedHashMap<>();
    try {
      for (String request : List.of("POST /dayu/api/v1/pause", "POST /dayu/api/v1/nothing", "POST /dayu/",
          "PUT /dayu/", "GET /dayu/api/v1/status")) {
        for (int i = 0; i < 3 * THREADS; i++) {
          Socket socket = new Socket("localhost", impatient.getLocalPort());
          requests.put(socket, request);
          send(socket, request + " HTTP/1.1\r\nHost: nn\r\nContent-Length: 4000\r\n\r\n");
        }
      }
      assertEquals(200, send(to("status")).statusCode());
      for (Map.Entry<Socket, String> sent : requests.entrySet()) {
        String answer = new String(sent.getKey().getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(answer.contains("\r\nConnection: close\r\n"), () -> sent.getValue() + ": " + answer);
      }
    } finally {
      for (Socket socket : requests.keySet()) {
        socket.close();
      }
    }
  }

  @Test
  void bodyNestedDeeply_isRefused() throws Exception {
    for (String body : List.of("[".repeat(4_000), "{\"a\":".repeat(600), "{\"argument\": " + "[".repeat(4_000))) {
      HttpResponse<String> refused = post("pause?user.name=alice", JSON, body);
      assertEquals(400, refused.statusCode(), refused.body());
      assertTrue(refused.body().startsWith("{\"error\":\"the body is not "), refused.body());
    }
    assertEquals(List.of(), RECEIVED);
  }

  /** A line break would begin a line of the log. */
  @ParameterizedTest
  @ValueSource(strings = {"a%0Ab", "a%0D", "%1B%5B2J", "a%E2%80%A8b", "a@b/c", "a/b/c@D@E", "%20"})
  void nameThatIsNone_isRefused(String name) throws Exception {
    HttpResponse<String> refused = post("pause?user.name=" + name, JSON, "");
    assertEquals(400, refused.statusCode(), refused.body());
    assertEquals(400, post("pause?user.name=" + "a".repeat(300), JSON, "").statusCode());
    HttpResponse<String> user = send(to("user?user.name=" + name));
    assertEquals(200, user.statusCode());
    assertTrue(user.body().startsWith("{\"user\":\"\",\"maySteer\":false,"), user.body());
    assertEquals(List.of(), RECEIVED);
  }

  /** It would show a page of another site the cookies that it is sent with. */
  @Test
  void trace_isRefused() throws Exception {
    for (String path : List.of("/dayu/", "/dayu/api/v1/status", "/dayu/x")) {
      String refused = raw("TRACE " + path + " HTTP/1.1\r\nHost: nn\r\nCookie: secret\r\nConnection: close\r\n\r\n");
      assertTrue(refused.startsWith("HTTP/1.1 405 ") && !refused.contains("secret"), refused);
    }
    String options = raw("OPTIONS /dayu/ HTTP/1.1\r\nHost: nn\r\nConnection: close\r\n\r\n");
    assertTrue(options.contains("\r\nAllow: GET, HEAD, POST, OPTIONS\r\n"), options);
  }

  @Test
  void views_areMadeOnceASecond_whateverComes() throws Exception {
    post("pause?user.name=alice", JSON, "");
    long begunNs = System.nanoTime();
    int before = VIEWS.get();
    for (int i = 0; i < 100; i++) {
      post("pause", JSON, "");
      post("resume?user.name=alice", JSON, "");
      assertEquals(200, send(to("status")).statusCode());
    }
    long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begunNs);
    int made = VIEWS.get() - before;
    assertTrue(made <= seconds + 1, made + " in " + seconds + " s");
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
    socket.getOutputStream().flush();
  }

  /** What the server answers until it closes the connection. */
  private static String raw(String request) throws IOException {
    try (Socket socket = new Socket("localhost", server.getURI().getPort())) {
      send(socket, request);
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void userName_isTakenFromTheQueryOnly() throws Exception {
    HttpResponse<String> refused = post("pause", FORM, "user.name=alice");
    assertEquals(403, refused.statusCode(), refused.body());
    assertEquals(403, post("pause?user.name=", JSON, "").statusCode());
    assertEquals(List.of(), RECEIVED);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"GET | nothing | 404 | there is no /api/v1/nothing",
      "GET | pause | 405 | /api/v1/pause is given by POST", "POST | nothing | 404 | there is no /api/v1/nothing",
      "POST | status | 405 | /api/v1/status is read by GET", "PUT | status | 405 | the methods are GET and POST"})
  void wrongPathOrMethod_isAnsweredInJson(String method, String path, int status, String error) throws Exception {
    HttpResponse<String> refused = send(to(path).method(method, HttpRequest.BodyPublishers.noBody()));
    assertEquals(status, refused.statusCode());
    assertEquals("{\"error\":\"" + error + "\"}", refused.body());
  }

  @Test
  void options_areAnswered_sinceHadoopsClientAuthenticatesByThem() throws Exception {
    assertEquals(200, send(to("status").method("OPTIONS", HttpRequest.BodyPublishers.noBody())).statusCode());
  }
}
