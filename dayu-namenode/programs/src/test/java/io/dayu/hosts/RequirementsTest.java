/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Systems that lack something for the emulated network. */
class RequirementsTest {
  private final List<String> commands = new ArrayList<>();

  /** A system on which commands with this word fail. */
  private Requirements.Shell without(String word) {
    return command -> {
      commands.add(command);
      if (command.contains(word)) {
        throw new IOException("`" + command + "` failed: a test has no " + word);
      }
      return "";
    };
  }

  private String refusal(LinkQueue.Kind kind, String word) {
    return assertThrows(CannotRunException.class,
        () -> Requirements.checkNetwork(new LinkQueue(kind, 20, 2048, 0.08), without(word))).getMessage();
  }

  @ParameterizedTest
  @CsvSource({"FIFO, netns, namespaces", "FIFO, veth, veth", "FIFO, tbf, tbf", "CLASSES, htb, htb", "CLASSES, u32, u32",
      "CLASSES, bfifo, htb", "CLASSES, tcp_reflect_tos, tcp_reflect_tos"})
  void missing_isNamedInOneLine(LinkQueue.Kind kind, String word, String named) {
    String refusal = refusal(kind, word);
    assertEquals(1, refusal.lines().count(), refusal);
    assertTrue(refusal.startsWith("this system has no network namespaces with bridge, veth and "), refusal);
    assertTrue(refusal.contains(named) && refusal.endsWith("a test has no " + word), refusal);
  }

  @Test
  void directoryInWhichDataNodesDoNotStart_isNamed() throws Exception {
    Requirements.checkDirectory(Path.of("/home/me/dayu-0.1/target/hosts"));
    Path directory = Path.of("/home/me/my dayu/target/hosts");
    String refusal =
        assertThrows(CannotRunException.class, () -> Requirements.checkDirectory(directory)).getMessage();
    assertTrue(refusal.endsWith("and this is " + directory), refusal);
  }

  @Test
  void oneQueue_needsNoClasses() throws Exception {
    Requirements.checkNetwork(new LinkQueue(LinkQueue.Kind.FIFO, 20, 2048, 0.08), without("htb"));
    assertTrue(commands.stream().noneMatch(command -> command.contains("tcp_reflect_tos")), commands::toString);
  }
}
