/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.dayu.admin.AdminException;
import io.dayu.admin.ExitCode;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** What {@code -watch} does while no NameNode is active, with a clock of its own. */
class WatchTest {
  private static final JsonNode DAYU = JsonNodeFactory.instance.objectNode().put("state", "DAYU");
  private static final String RETRY = "dayu: no NameNode is active now; trying again for 60 s: ";

  /** A status, or the exit code of a failure. */
  private final Queue<Object> polls = new ArrayDeque<>();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private int intervalSec = 5;
  private long nowSec;

  private JsonNode poll() throws AdminException {
    Object next = polls.size() > 1 ? polls.remove() : polls.element();
    if (next instanceof ExitCode code) {
      throw new AdminException(code, code.name());
    }
    return (JsonNode) next;
  }

  /** The code with which the watch ends. */
  private ExitCode watch(Object... next) {
    for (Object poll : next) {
      polls.add(poll);
    }
    Watch watch = new Watch(this::poll, intervalSec, true, new PrintStream(out, true), new PrintStream(err, true),
        () -> TimeUnit.SECONDS.toNanos(nowSec), seconds -> nowSec += seconds);
    return assertThrows(AdminException.class, watch::run).code();
  }

  private String err() {
    return err.toString(StandardCharsets.UTF_8);
  }

  @Test
  void failover_isWaitedFor_withOneLine() {
    assertEquals(ExitCode.PERMISSION, watch(DAYU, ExitCode.UNREACHABLE, ExitCode.STANDBY, ExitCode.NOT_ACTIVE, DAYU,
        ExitCode.STANDBY, DAYU, ExitCode.PERMISSION));
    assertEquals((DAYU + "\n").repeat(3), out.toString(StandardCharsets.UTF_8));
    assertEquals(RETRY + "UNREACHABLE\n" + RETRY + "STANDBY\n", err());
  }

  @Test
  void watch_ends_ifNoNameNodeBecomesActiveWithinAMinute() {
    assertEquals(ExitCode.STANDBY, watch(DAYU, ExitCode.STANDBY));
    assertEquals(5 + 60, nowSec, "from the first failure on");
    assertEquals(RETRY + "STANDBY\n", err());
  }

  @Test
  void failover_isWaitedFor_ifTheIntervalIsLongerThanAMinute() {
    intervalSec = 120;
    assertEquals(ExitCode.UNREACHABLE, watch(DAYU, ExitCode.STANDBY, DAYU, ExitCode.STANDBY, ExitCode.UNREACHABLE));
    assertEquals(4 * 120, nowSec);
    assertEquals((DAYU + "\n").repeat(2), out.toString(StandardCharsets.UTF_8));
  }

  @Test
  void watch_endsAtOnce_ifNoNameNodeIsActiveAtFirst() {
    assertEquals(ExitCode.UNREACHABLE, watch(ExitCode.UNREACHABLE));
    assertEquals(0, nowSec);
  }
}
