/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.cli;

import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Runs {@code dayu-sim} in this process, with a folder for what it writes. */
public abstract class CommandFixture {
  protected static final String SMALL = "--nodes 60 --rack-size 10 --chunks 900 ";

  @TempDir
  protected Path folder;
  protected final StringWriter out = new StringWriter();
  protected final StringWriter err = new StringWriter();

  protected int run(String command) {
    out.getBuffer().setLength(0);
    return Main.run(command.isEmpty() ? new String[0] : command.trim().split(" +"), new PrintWriter(out),
        new PrintWriter(err, true));
  }

  protected void assertNoFile() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      assertEquals(0, files.count());
    }
  }

  /** Bad input is refused in one line that begins with this message. */
  protected void assertBadInput(String command, String message) {
    assertEquals(2, run(command == null ? "" : command), out::toString);
    assertTrue(err.toString().startsWith("dayu-sim: ") && err.toString().contains(message), err::toString);
    assertEquals(1, err.toString().lines().count(), err::toString);
  }

  /** A command that is to write to X in a folder that does not exist says so in one line. */
  protected void assertOutputIsChecked(String command) {
    Path missing = folder.resolve("nonexist");
    assertEquals(2,
        run(command.replace("X", missing.resolve("x").toString()).replace(" F ", " " + folder.resolve("f") + " ")));
    assertEquals("dayu-sim: cannot write " + missing.resolve("x") + ": no such folder " + missing,
        err.toString().trim());
  }
}
