/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What is read of a process, without the namespace of a host. */
class HostProcessTest {
  private static HostProcess shell(String script) throws IOException {
    return new HostProcess("shell", new ProcessBuilder("sh", "-c", script).start());
  }

  @Test
  void output_isAllThatAProcessPrints_thoughItIsMoreThanAPipeTakes() throws Exception {
    HostProcess process = shell("head -c 300000 /dev/zero | tr '\\0' a; exit 3");
    assertEquals("a".repeat(300_000), process.awaitOutput(60));
    assertEquals(3, process.process().exitValue());
  }

  @Test
  void processThatHangs_isKilledAtTheLimit() throws Exception {
    HostProcess process = shell("echo begun; exec sleep 600");
    IOException hung = assertTimeoutPreemptively(Duration.ofSeconds(60),
        () -> assertThrows(IOException.class, () -> process.awaitOutput(1)));
    assertTrue(hung.getMessage().contains("shell did not end within 1 s"), hung::getMessage);
    assertEquals(128 + 9, process.process().waitFor(), "killed");
  }
}
