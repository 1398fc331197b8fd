/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.web;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dayu.admin.AdminException;
import io.dayu.admin.AdminOperations;
import io.dayu.admin.AdminRequest;
import io.dayu.admin.Command;
import io.dayu.admin.ExitCode;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.http.HttpServer2;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.http.RestCsrfPreventionFilter;

import java.io.IOException;
import java.io.InputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.servlet.ServletException;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/**
 * The web page {@code /dayu/} and its JSON under {@code /dayu/api/v1/}, on the NameNode's own HTTP server and behind
 * its authentication. Every user who may see {@code /jmx} may see it. Commands that change something are taken by POST,
 * with Hadoop's header against cross-site requests, from HDFS superusers only. Thread-safe.
 */
public final class DayuServlet extends HttpServlet {
  /** The attribute of the HTTP server that holds what answers: {@link Source}. */
  public static final String SOURCE = "io.dayu.web.source";

  /** The path that the servlet is mapped to. */
  public static final String PATH = "/dayu/*";

  private static final long serialVersionUID = 1L;
  private static final String API = "/api/v1/";
  private static final int MAX_BODY_BYTES = 4_096;
  /** What is read of a body that is refused: a client that is still sending when the server closes loses the answer. */
  private static final int MAX_DISCARDED_BYTES = 16 << 20;
  /** Hadoop's own client authenticates by OPTIONS. */
  private static final Set<String> METHODS = Set.of("GET", "HEAD", "POST", "OPTIONS");
  /** The commands whose answers can be read; they change nothing. */
  private static final Set<Command> READABLE = Set.of(Command.STATUS, Command.NODES, Command.PLAN);
  private static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private final transient ResponseCache cache = new ResponseCache(System::nanoTime);

  /** Provides what the servlet shows, and carries out its commands. */
  public interface Source {
    AdminOperations operations();

    /** The last half hour, past recoveries, timeslots and changes of state. */
    Map<String, Object> history();

    /** Every setting with its value and where that comes from. */
    Map<String, Object> settings();

    /** Whether the caller may give commands that change the state. */
    boolean mayChangeState(UserGroupInformation caller);

    /**
     * Carries a command out on every NameNode of the nameservice, this one first.
     *
     * @return the answers; one with {@code error} is of another NameNode that did not do it
     * @throws AdminException if this NameNode has not done it; then no other one was asked
     */
    List<Map<String, Object>> changeState(Command command, String argument, UserGroupInformation caller)
        throws AdminException;
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws ServletException, IOException {
    String path = request.getPathInfo();
    if (path != null && path.startsWith(API) && !METHODS.contains(request.getMethod())) {
      error(response, HttpServletResponse.SC_METHOD_NOT_ALLOWED, "the methods are GET and POST");
    } else {
      super.service(request, response);
    }
  }

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
    if (!HttpServer2.isInstrumentationAccessAllowed(getServletContext(), request, response)) {
      return;
    }
    String path = request.getPathInfo();
    if (path == null) {
      response.sendRedirect("/dayu/");
    } else if (path.equals("/")) {
      page(response);
    } else if (path.startsWith(API)) {
      read(path.substring(API.length()), request, response);
    } else {
      response.sendError(HttpServletResponse.SC_NOT_FOUND);
    }
  }

  private static void page(HttpServletResponse response) throws IOException {
    response.setContentType("text/html; charset=utf-8");
    response.setHeader("Content-Security-Policy",
        "default-src 'self'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:;"
            + " frame-ancestors 'self'; base-uri 'none'; form-action 'none'");
    try (InputStream page = DayuServlet.class.getResourceAsStream("index.html")) {
      page.transferTo(response.getOutputStream());
    }
  }

  private Source source() {
    return (Source) getServletContext().getAttribute(SOURCE);
  }

  private void read(String what, HttpServletRequest request, HttpServletResponse response) throws IOException {
    Source source = source();
    Command command = Command.of(what);
    if (source == null) {
      error(response, HttpServletResponse.SC_NOT_FOUND, "there is no " + API + what);
    } else if (what.equals("user")) {
      answer(response, ResponseCache.CachedResponse.of(HttpServletResponse.SC_OK, user(source, request)));
    } else if (what.equals("history")) {
      answer(response,
          cache.get(what, () -> ResponseCache.CachedResponse.of(HttpServletResponse.SC_OK, source.history())));
    } else if (what.equals("settings")) {
      answer(response,
          cache.get(what, () -> ResponseCache.CachedResponse.of(HttpServletResponse.SC_OK, source.settings())));
    } else if (command != null && READABLE.contains(command)) {
      answer(response, cache.get(command.word(), () -> read(source, command)));
    } else if (command != null && command.changesState()) {
      error(response, HttpServletResponse.SC_METHOD_NOT_ALLOWED, API + what + " is given by POST");
    } else {
      error(response, HttpServletResponse.SC_NOT_FOUND, "there is no " + API + what);
    }
  }

  private static ResponseCache.CachedResponse read(Source source, Command command) {
    try {
      return ResponseCache.CachedResponse.of(HttpServletResponse.SC_OK,
          source.operations().run(new AdminRequest(command, "", "web")));
    } catch (AdminException e) {
      return ResponseCache.CachedResponse.of(
          e.code() == ExitCode.STANDBY ? HttpServletResponse.SC_CONFLICT : HttpServletResponse.SC_SERVICE_UNAVAILABLE,
          Map.of("error", e.getMessage()));
    }
  }

  private Map<String, Object> user(Source source, HttpServletRequest request) {
    UserGroupInformation caller = caller(request);
    Map<String, Object> view = new LinkedHashMap<>();
    view.put("user", caller == null ? "" : caller.getShortUserName());
    view.put("maySteer", caller != null && source.mayChangeState(caller));
    view.put("named", isNobody(request));
    return view;
  }

  /** Whether the HTTP server authenticates nobody, so that users name themselves. */
  private boolean isNobody(HttpServletRequest request) {
    Configuration conf = (Configuration) getServletContext().getAttribute(HttpServer2.CONF_CONTEXT_ATTRIBUTE);
    String user = request.getRemoteUser();
    return !UserGroupInformation.isSecurityEnabled() && (user == null
        || user.equals(conf.get(CommonConfigurationKeys.HADOOP_HTTP_STATIC_USER,
            CommonConfigurationKeys.DEFAULT_HADOOP_HTTP_STATIC_USER)));
  }

  /**
   * The user that the HTTP server has authenticated; without authentication the user that the request names, as for
   * WebHDFS. Null if neither is known.
   */
  private UserGroupInformation caller(HttpServletRequest request) {
    String named = isNobody(request) ? queryParameter(request, "user.name") : null;
    String user = named == null || named.isEmpty() ? request.getRemoteUser() : named;
    return user == null ? null : UserGroupInformation.createRemoteUser(user);
  }

  /**
   * A parameter of the query string, or null if it has none that can be decoded. {@code getParameter} would read the
   * body as well if that is declared as a form, as {@code curl -d} does, and the command's argument would be lost.
   */
  private static String queryParameter(HttpServletRequest request, String name) {
    String query = request.getQueryString() == null ? "" : request.getQueryString();
    for (String parameter : query.split("&")) {
      String[] sides = parameter.split("=", 2);
      if (sides.length == 2 && sides[0].equals(name)) {
        try {
          return URLDecoder.decode(sides[1], StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
          return null;
        }
      }
    }
    return null;
  }

  @Override
  protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
    if (!HttpServer2.isInstrumentationAccessAllowed(getServletContext(), request, response)) {
      return;
    }
    byte[] body = body(request);
    String path = request.getPathInfo();
    Source source = source();
    if (path == null || !path.startsWith(API)) {
      response.sendError(HttpServletResponse.SC_NOT_FOUND);
      return;
    }
    Command command = Command.of(path.substring(API.length()));
    if (source == null || command == null) {
      error(response, HttpServletResponse.SC_NOT_FOUND, "there is no " + path);
      return;
    }
    if (!command.changesState()) {
      error(response, HttpServletResponse.SC_METHOD_NOT_ALLOWED, path + " is read by GET");
      return;
    }
    try {
      answer(response, changeState(source, command, request, body));
    } catch (AdminException e) {
      answer(response, ResponseCache.CachedResponse.of(status(e.code()), Map.of("error", e.getMessage())));
    } finally {
      cache.clear();
    }
  }

  private ResponseCache.CachedResponse changeState(Source source, Command command, HttpServletRequest request,
      byte[] body) throws AdminException, IOException {
    if (request.getHeader(RestCsrfPreventionFilter.HEADER_DEFAULT) == null) {
      throw new AdminException(ExitCode.REFUSED,
          "the header " + RestCsrfPreventionFilter.HEADER_DEFAULT + " is missing; it may have any value");
    }
    UserGroupInformation caller = caller(request);
    if (caller == null) {
      throw new AdminException(ExitCode.PERMISSION, "it is not known who asks; name an HDFS superuser by ?user.name=");
    }
    List<Map<String, Object>> answers = source.changeState(command, argument(request, body), caller);
    boolean done = answers.stream().noneMatch(answer -> answer.containsKey("error"));
    return ResponseCache.CachedResponse.of(done ? HttpServletResponse.SC_OK : HttpServletResponse.SC_BAD_GATEWAY,
        answers);
  }

  /** The body's first {@link #MAX_BODY_BYTES} and one more; the rest of it is read and discarded. */
  private static byte[] body(HttpServletRequest request) throws IOException {
    InputStream in = request.getInputStream();
    byte[] body = in.readNBytes(MAX_BODY_BYTES + 1);
    in.skip(MAX_DISCARDED_BYTES);
    return body;
  }

  /** What the body has as {@code argument}; an empty body has none. */
  private static String argument(HttpServletRequest request, byte[] body) throws AdminException, IOException {
    if (body.length > MAX_BODY_BYTES) {
      throw new AdminException(ExitCode.REFUSED, "the body is longer than " + MAX_BODY_BYTES + " bytes");
    }
    if (body.length == 0 && request.getContentLengthLong() > 0) {
      throw new AdminException(ExitCode.REFUSED,
          "a filter of the HTTP server has read the body as a form; send it as Content-Type: application/json");
    }
    if (body.length == 0) {
      return "";
    }
    try {
      JsonNode argument = JSON.readTree(body).path("argument");
      if (argument.isTextual()) {
        return argument.asText().trim();
      }
    } catch (JsonProcessingException e) {
      // The message is below.
    }
    throw new AdminException(ExitCode.REFUSED, "the body is not {\"argument\": \"...\"}");
  }

  private static int status(ExitCode code) {
    return switch (code) {
      case PERMISSION -> HttpServletResponse.SC_FORBIDDEN;
      case STANDBY -> HttpServletResponse.SC_CONFLICT;
      default -> HttpServletResponse.SC_BAD_REQUEST;
    };
  }

  private static void error(HttpServletResponse response, int status, String message) throws IOException {
    answer(response, ResponseCache.CachedResponse.of(status, Map.of("error", message)));
  }

  private static void answer(HttpServletResponse response, ResponseCache.CachedResponse answer) throws IOException {
    response.setStatus(answer.status());
    response.setContentType("application/json; charset=utf-8");
    response.setHeader("Cache-Control", "no-store");
    response.setContentLength(answer.json().length);
    response.getOutputStream().write(answer.json());
  }
}
