/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.cli;

import io.dayu.sim.cli.CommandFixture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The simulator's command line has this module's commands and algorithms. */
class PaperCommandsTest extends CommandFixture {
  @ParameterizedTest
  @ValueSource(strings = {"figures --help", "scale --help", "largest --help"})
  void help_isThere_everywhere(String command) {
    assertEquals(0, run(command));
    assertTrue(out.toString().startsWith("Usage: dayu-sim"), out::toString);
  }

  @Test
  void algorithms_areListed() {
    assertEquals(0, run("algorithms"));
    assertTrue(out.toString().contains("dayu-paper") && out.toString().contains("choosy-once"), out::toString);
  }
}
