/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.web;

import io.dayu.admin.AdminOperations;
import io.dayu.admin.Command;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.http.HttpServer2;
import org.apache.hadoop.security.UserGroupInformation;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.servlet.ServletContextHandler;
import org.eclipse.jetty.servlet.ServletHolder;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The servlet in Jetty, with a source that notes what it is told. */
class DayuServletTest {
  private static final String FORM = "application/x-www-form-urlencoded";
  private static final String JSON = "application/json";

  /** A note. The source answers it with a warning of one NameNode and an error of the other one. */
  private static final String WITH_WARNING = "with a warning";

  private static final List<String> RECEIVED = new CopyOnWriteArrayList<>();
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  private static Server server;

  /** Takes each command of each caller. */
  private static final class Source implements DayuServlet.Source {
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
    public boolean mayChangeState(UserGroupInformation caller) {
      return true;
    }

    @Override
    public List<Map<String, Object>> changeState(Command command, String argument, UserGroupInformation caller) {
      RECEIVED.add(caller.getShortUserName() + ": " + command.word() + " " + argument);
      return argument.equals(WITH_WARNING)
          ? List.of(Map.of("warning", "a restart undoes it"), Map.of("error", "nn2: no answer"))
          : List.of(Map.of("namenode", "nn1"));
    }
  }

  @BeforeAll
  static void start() throws Exception {
    server = new Server(new InetSocketAddress("localhost", 0));
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

  @ParameterizedTest
  @ValueSource(ints = {5_000, 3_000_000, 12_000_000})
  void bodyThatIsTooLong_isRefused(int bytes) throws Exception {
    HttpResponse<String> refused =
        post("pause?user.name=alice", FORM, "{\"argument\": \"" + "n".repeat(bytes) + "\"}");
    assertEquals(400, refused.statusCode(), refused.body());
    assertTrue(refused.body().startsWith("{\"error\":\"the body is longer than "), refused.body());
    assertEquals(List.of(), RECEIVED);
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
