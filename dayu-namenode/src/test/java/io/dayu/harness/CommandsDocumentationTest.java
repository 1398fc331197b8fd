/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness;

import io.dayu.admin.Command;
import io.dayu.admin.ExitCode;
import io.dayu.conf.Setting;
import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** Holds {@code docs/commands.md} against the commands, their exit codes and the settings that can be changed live. */
class CommandsDocumentationTest {
  private static String page() throws Exception {
    return Files.readString(Path.of("..").toAbsolutePath().normalize().resolve("docs/commands.md"));
  }

  @Test
  void page_hasEachCommandWithItsArguments() throws Exception {
    for (Command command : Command.values()) {
      String form = ("-" + command.word() + " " + command.arguments()).trim().replace("|", "\\|");
      assertTrue(page().contains("| `" + form + "` | "
          + (command.changesState() || command == Command.STATUS ? "every" : "the active") + " NameNode |"), form);
    }
  }

  @Test
  void page_hasEachExitCode() throws Exception {
    for (ExitCode code : ExitCode.values()) {
      assertTrue(code == ExitCode.OTHER_NAMENODE || page().contains("\n| " + code.code() + " | "), code::toString);
    }
  }

  @Test
  void page_namesEachLiveSetting() throws Exception {
    for (Setting setting : Setting.values()) {
      assertTrue(page().contains("`" + setting.key() + "`") == setting.live(), setting.key());
    }
  }
}
