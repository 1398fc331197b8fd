/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.web;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.dayu.admin.AdminException;
import io.dayu.admin.ExitCode;

import java.io.IOException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.servlet.ServletInputStream;
import javax.servlet.http.HttpServletRequest;

/**
 * Reads the bodies of commands: few bytes, within a second in total, and never on more than a few threads of the HTTP
 * server at once, however slowly callers send. Thread-safe.
 */
final class CommandBody {
  static final int MAX_BYTES = 4_096;
  private static final long MAX_WAIT_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long POLL_MS = 2;
  /** Of a look that takes longer only so much counts: this JVM stood still, and what has arrived was not read. */
  private static final long MAX_LOOK_NS = TimeUnit.MILLISECONDS.toNanos(100);
  /** The number of threads that may wait for the rest of a body. Nearly all bodies arrive with their headers. */
  private static final int MAX_WAITING = 4;
  private static final JsonFactory JSON = new JsonFactory();

  private final Semaphore waiting = new Semaphore(MAX_WAITING);

  /** Whether the request has a body; then its end may never come. */
  static boolean has(HttpServletRequest request) {
    return request.getContentLengthLong() > 0 || request.getHeader("Transfer-Encoding") != null;
  }

  /**
   * What the body has as {@code argument}; an empty body has none.
   *
   * @throws AdminException if it is too long, comes too slowly or is something else
   */
  String argument(HttpServletRequest request) throws AdminException, IOException {
    if (!has(request)) {
      return "";
    }
    long length = request.getContentLengthLong();
    if (length > MAX_BYTES) {
      throw refused("the body is longer than " + MAX_BYTES + " bytes");
    } else if (length < 0) {
      throw refused("the body has no Content-Length");
    }
    return parse(read(request.getInputStream(), (int) length)).trim();
  }

  private byte[] read(ServletInputStream in, int length) throws AdminException, IOException {
    long leftNs = MAX_WAIT_NS;
    long lookedNs = System.nanoTime();
    byte[] body = new byte[length];
    int read = 0;
    boolean mayWait = false;
    try {
      while (read < length) {
        // A read of what is available does not block.
        int available = in.available();
        if (available > 0) {
          read += Math.max(0, in.read(body, read, Math.min(available, length - read)));
        } else if (in.isFinished()) {
          throw refused("the body is cut off, or a filter of the HTTP server has read it as a form; send it as"
              + " Content-Type: application/json");
        } else if (leftNs <= 0) {
          throw refused("the body has not arrived within a second");
        } else if (mayWait || waiting.tryAcquire()) {
          mayWait = true;
          TimeUnit.MILLISECONDS.sleep(POLL_MS);
          long nowNs = System.nanoTime();
          leftNs -= Math.min(nowNs - lookedNs, MAX_LOOK_NS);
          lookedNs = nowNs;
        } else {
          throw refused("too many bodies arrive slowly; try again");
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw refused("the NameNode is stopping");
    } finally {
      if (mayWait) {
        waiting.release();
      }
    }
    return body;
  }

  /** Token by token: a tree of a body that is nested deeply would take a stack as deep. */
  private static String parse(byte[] body) throws AdminException, IOException {
    String argument = null;
    try (JsonParser parser = JSON.createParser(body)) {
      boolean object = parser.nextToken() == JsonToken.START_OBJECT;
      while (object && parser.nextToken() == JsonToken.FIELD_NAME) {
        boolean isArgument = parser.getCurrentName().equals("argument");
        JsonToken value = parser.nextToken();
        if (isArgument) {
          argument = value == JsonToken.VALUE_STRING ? parser.getText() : null;
        }
        parser.skipChildren();
      }
      if (parser.nextToken() != null) {
        argument = null;
      }
    } catch (JsonProcessingException e) {
      argument = null;
    }
    if (argument == null) {
      throw refused("the body is not {\"argument\": \"...\"}");
    }
    return argument;
  }

  private static AdminException refused(String why) {
    return new AdminException(ExitCode.REFUSED, why);
  }
}
