/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Runs programs of the system to their end. Stateless. */
final class SystemCommands {
  private SystemCommands() {
  }

  /** What a program printed, and how it ended. */
  record Ended(int exitCode, String output) {
    String firstLine() {
      return output.lines().filter(line -> !line.isBlank()).findFirst().orElse("no message").strip();
    }
  }

  static Ended tryRun(List<String> command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Ended(process.waitFor(), output);
  }

  /** The output; a failure is an exception that names the command. Arguments are separated by single spaces. */
  static String run(String command) throws IOException, InterruptedException {
    Ended ended = tryRun(List.of(command.split(" ")));
    if (ended.exitCode() != 0) {
      throw new IOException("`" + command + "` failed: " + ended.firstLine());
    }
    return ended.output();
  }
}
