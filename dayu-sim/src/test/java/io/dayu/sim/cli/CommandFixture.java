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

/** Runs {@code dayu-sim} in this process, with a folder for what it writes. */
abstract class CommandFixture {
  static final String SMALL = "--nodes 60 --rack-size 10 --chunks 900 ";

  @TempDir
  Path folder;
  final StringWriter out = new StringWriter();
  final StringWriter err = new StringWriter();

  int run(String command) {
    out.getBuffer().setLength(0);
    return Main.run(command.isEmpty() ? new String[0] : command.trim().split(" +"), new PrintWriter(out),
        new PrintWriter(err, true));
  }

  void assertNoFile() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      assertEquals(0, files.count());
    }
  }
}
