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
import io.dayu.admin.AdminRequest;
import io.dayu.admin.CheckedOperations;
import io.dayu.admin.Command;
import io.dayu.admin.ExitCode;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.http.HttpServer2;
import org.apache.hadoop.security.http.RestCsrfPreventionFilter;

import java.io.IOException;
import java.io.InputStream;
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
  private static final Set<String> METHODS = Set.of("GET", "HEAD", "POST", "OPTIONS");
  /** The commands whose answers can be read; they change nothing. */
  private static final Set<Command> READABLE =
      Set.of(Command.STATUS, Command.NODES, Command.PLAN, Command.LEAVING);
  private static final ResponseCache.CachedResponse BUSY = ResponseCache.CachedResponse.of(
      HttpServletResponse.SC_SERVICE_UNAVAILABLE, Map.of("error", "others wait for the same answer; try again"));

  private final transient ResponseCache cache = new ResponseCache(System::nanoTime);
  private final transient CommandBody body = new CommandBody();

  /** Provides what the servlet shows, and carries out its commands. */
  public interface Source {
    AdminOperations operations();

    /** The last half hour, past recoveries, timeslots and changes of state. */
    Map<String, Object> history();

    /** Every setting with its value and where that comes from. */
    Map<String, Object> settings();

    /** The other NameNodes of the nameservice, and where their pages are. */
    Map<String, Object> peers();

    /** Whether the caller may give commands that change the state. */
    boolean mayChangeState(AdminCaller caller);

    /**
     * Carries a command out on every NameNode of the nameservice, this one first.
     *
     * @param argument is read only if the caller may give the command
     * @return the answers; one with {@code error} is of another NameNode that did not do it
     * @throws AdminException if this NameNode has not done it; then no other one was asked
     */
    List<Map<String, Object>> changeState(Command command, CheckedOperations.Argument argument, AdminCaller caller)
        throws AdminException;
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws ServletException, IOException {
    if (CommandBody.has(request)) {
      // Jetty closes the connection then, where it would read the rest of the body to go on with it.
      response.setHeader("Connection", "close");
    }
    if (METHODS.contains(request.getMethod())) {
      super.service(request, response);
    } else {
      error(response, HttpServletResponse.SC_METHOD_NOT_ALLOWED, "the methods are GET and POST");
    }
  }

  /** Hadoop's own client authenticates by OPTIONS. The superclass would name TRACE, too. */
  @Override
  protected void doOptions(HttpServletRequest request, HttpServletResponse response) {
    response.setHeader("Allow", "GET, HEAD, POST, OPTIONS");
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
          cache.get(what, () -> ResponseCache.CachedResponse.of(HttpServletResponse.SC_OK, source.history()), BUSY));
    } else if (what.equals("settings")) {
      answer(response,
          cache.get(what, () -> ResponseCache.CachedResponse.of(HttpServletResponse.SC_OK, source.settings()), BUSY));
    } else if (what.equals("peers")) {
      answer(response, ResponseCache.CachedResponse.of(HttpServletResponse.SC_OK, source.peers()));
    } else if (command != null && READABLE.contains(command)) {
      answer(response, cache.get(command.word(), () -> read(source, command), BUSY));
    } else if (command != null && command.changesState()) {
      error(response, HttpServletResponse.SC_METHOD_NOT_ALLOWED, API + what + " is given by POST");
    } else {
      error(response, HttpServletResponse.SC_NOT_FOUND, "there is no " + API + what);
    }
  }

  private static ResponseCache.CachedResponse read(Source source, Command command) {
    try {
      return ResponseCache.CachedResponse.of(HttpServletResponse.SC_OK,
          source.operations().run(new AdminRequest(command, "", AdminRequest.ANYONE)));
    } catch (AdminException e) {
      return ResponseCache.CachedResponse.of(
          e.code() == ExitCode.STANDBY ? HttpServletResponse.SC_CONFLICT : HttpServletResponse.SC_SERVICE_UNAVAILABLE,
          Map.of("error", e.getMessage()));
    }
  }

  /** Who asks, as JSON. */
  private record User(String user, boolean maySteer, boolean named) {
  }

  private User user(Source source, HttpServletRequest request) {
    boolean named = RequestCaller.isNobody(request, conf());
    try {
      AdminCaller caller = RequestCaller.of(request, conf());
      return new User(caller.name(), source.mayChangeState(caller), named);
    } catch (AdminException e) {
      return new User("", false, named);
    }
  }

  private Configuration conf() {
    return (Configuration) getServletContext().getAttribute(HttpServer2.CONF_CONTEXT_ATTRIBUTE);
  }

  /** Checks everything that anybody may send before it reads the body. */
  @Override
  protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
    String path = request.getPathInfo();
    Source source = source();
    Command command = path == null || !path.startsWith(API) ? null : Command.of(path.substring(API.length()));
    if (source == null || command == null) {
      error(response, HttpServletResponse.SC_NOT_FOUND, "there is no " + path);
    } else if (!command.changesState()) {
      error(response, HttpServletResponse.SC_METHOD_NOT_ALLOWED, path + " is read by GET");
    } else if (request.getHeader(RestCsrfPreventionFilter.HEADER_DEFAULT) == null) {
      error(response, HttpServletResponse.SC_BAD_REQUEST,
          "the header " + RestCsrfPreventionFilter.HEADER_DEFAULT + " is missing; it may have any value");
    } else if (HttpServer2.isInstrumentationAccessAllowed(getServletContext(), request, response)) {
      try {
        answer(response, changeState(source, command, request));
      } catch (AdminException e) {
        error(response, status(e.code()), e.getMessage());
      }
    }
  }

  private ResponseCache.CachedResponse changeState(Source source, Command command, HttpServletRequest request)
      throws AdminException {
    List<Map<String, Object>> answers =
        source.changeState(command, () -> body.argument(request), RequestCaller.of(request, conf()));
    boolean done = answers.stream().noneMatch(answer -> answer.containsKey("error"));
    return ResponseCache.CachedResponse.of(done ? HttpServletResponse.SC_OK : HttpServletResponse.SC_BAD_GATEWAY,
        answers);
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
