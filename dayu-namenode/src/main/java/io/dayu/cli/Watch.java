/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dayu.admin.AdminException;
import io.dayu.admin.ExitCode;

import java.io.PrintStream;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The loop of {@code -watch}: prints a status every few seconds. Once a NameNode has been active, it goes on through a
 * failover, as long as some NameNode becomes active within a minute of the first failure. Single-threaded.
 */
final class Watch {
  private static final int RETRY_SEC = 60;
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Asks the active NameNode. */
  interface Status {
    JsonNode get() throws AdminException;
  }

  /** Waits between two statuses. */
  interface Pause {
    void seconds(int seconds) throws InterruptedException;
  }

  private final Status status;
  private final int intervalSec;
  private final boolean json;
  private final PrintStream out;
  private final PrintStream err;
  private final LongSupplier clockNs;
  private final Pause pause;
  private final WatchReport report = new WatchReport();

  Watch(Status status, int intervalSec, boolean json, PrintStream out, PrintStream err) {
    this(status, intervalSec, json, out, err, System::nanoTime, TimeUnit.SECONDS::sleep);
  }

  /** For tests: with this clock and this way to wait. */
  Watch(Status status, int intervalSec, boolean json, PrintStream out, PrintStream err, LongSupplier clockNs,
      Pause pause) {
    this.status = status;
    this.intervalSec = intervalSec;
    this.json = json;
    this.out = out;
    this.err = err;
    this.clockNs = clockNs;
    this.pause = pause;
  }

  /**
   * Ends only by an exception.
   *
   * @throws AdminException if no NameNode is active, at the beginning or for a minute, or if one refuses
   */
  void run() throws AdminException, JsonProcessingException, InterruptedException {
    print(status.get());
    long failedNs = 0;
    boolean retrying = false;
    while (true) {
      pause.seconds(intervalSec);
      try {
        print(status.get());
        retrying = false;
      } catch (AdminException e) {
        long nowNs = clockNs.getAsLong();
        if (!mayPass(e.code()) || retrying && nowNs - failedNs >= TimeUnit.SECONDS.toNanos(RETRY_SEC)) {
          throw e;
        }
        if (!retrying) {
          failedNs = nowNs;
          err.println("dayu: no NameNode is active now; trying again for " + RETRY_SEC + " s: " + e.getMessage());
        }
        retrying = true;
      }
    }
  }

  /** Whether a failover, or a restart of a NameNode, may end the failure. */
  private static boolean mayPass(ExitCode code) {
    return code == ExitCode.STANDBY || code == ExitCode.UNREACHABLE || code == ExitCode.NOT_ACTIVE;
  }

  private void print(JsonNode status) throws JsonProcessingException {
    out.println(json ? JSON.writeValueAsString(status) : report.lines(status, System.currentTimeMillis()));
    out.flush();
  }
}
