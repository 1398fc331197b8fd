/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.web;

import io.dayu.admin.AdminException;
import io.dayu.admin.AdminOperations;
import io.dayu.admin.AdminRequest;
import io.dayu.admin.Command;
import io.dayu.admin.ExitCode;

import com.fasterxml.jackson.databind.ObjectMapper;

import org.apache.hadoop.http.HttpServer2;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;

import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/**
 * Serves the page and {@code /dayu/api/v1/<status, nodes, plan, history>}, behind the HTTP server's authentication and, like {@code /jmx}, to
 * whom Hadoop allows to see instrumentation. Only GET; whoever wants to change something has {@code hdfs dayu}. Thread-safe.
 */
public final class DayuServlet extends HttpServlet {
  /** The attribute of the HTTP server that holds what answers: {@link Source}. */
  public static final String SOURCE = "io.dayu.web.source";

  /** The path that the servlet is mapped to. */
  public static final String PATH = "/dayu/*";

  private static final long serialVersionUID = 1L;
  private static final String API = "/api/v1/";
  private static final ObjectMapper JSON = new ObjectMapper();

  /** What the servlet shows. */
  public interface Source {
    AdminOperations operations();

    /** The last half hour, past recoveries and changes of state. */
    Map<String, Object> history();
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
      api(path.substring(API.length()), response);
    } else {
      response.sendError(HttpServletResponse.SC_NOT_FOUND);
    }
  }

  private static void page(HttpServletResponse response) throws IOException {
    response.setContentType("text/html; charset=utf-8");
    response.setHeader("Content-Security-Policy", "default-src 'self'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:");
    try (InputStream page = DayuServlet.class.getResourceAsStream("index.html")) {
      page.transferTo(response.getOutputStream());
    }
  }

  private void api(String what, HttpServletResponse response) throws IOException {
    Source source = (Source) getServletContext().getAttribute(SOURCE);
    Command command = what.equals("history") ? null : Command.of(what);
    if (source == null || command == null && !what.equals("history") || command != null && command != Command.STATUS && command != Command.NODES
        && command != Command.PLAN) {
      response.sendError(HttpServletResponse.SC_NOT_FOUND);
      return;
    }
    response.setContentType("application/json; charset=utf-8");
    response.setHeader("Cache-Control", "no-store");
    try {
      Map<String, Object> answer = command == null ? source.history() : source.operations().run(new AdminRequest(command, "", "web"));
      JSON.writeValue(response.getOutputStream(), answer);
    } catch (AdminException e) {
      response.setStatus(e.code() == ExitCode.STANDBY ? HttpServletResponse.SC_CONFLICT : HttpServletResponse.SC_SERVICE_UNAVAILABLE);
      JSON.writeValue(response.getOutputStream(), Map.of("error", e.getMessage()));
    }
  }
}
