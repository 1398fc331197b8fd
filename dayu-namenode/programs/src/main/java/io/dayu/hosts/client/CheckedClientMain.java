/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts.client;

import com.fasterxml.jackson.databind.ObjectMapper;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/**
 * Entry of the process of the clients that check contents. After each line of input, a command, it says one line: a
 * {@link CheckedReport} as JSON. {@code RESUME} lets the clients work, {@code PAUSE} lets them begin nothing new. After
 * it {@code REPORT} compares and deletes what failed operations have left, and {@code CHECK} reads all files. Ends when
 * its standard input is closed.
 */
public final class CheckedClientMain {
  private CheckedClientMain() {
  }

  public static void main(String[] args) throws Exception {
    ObjectMapper json = new ObjectMapper();
    CheckedFiles files = new CheckedFiles(json.readValue(args[0], CheckedTask.class));
    files.start();
    BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String command = commands.readLine(); command != null; command = commands.readLine()) {
      carryOut(files, command);
      System.out.println(json.writeValueAsString(files.report()));
      System.out.flush();
    }
    System.exit(0);
  }

  private static void carryOut(CheckedFiles files, String command) throws IOException, InterruptedException {
    switch (command) {
      case "RESUME" -> files.resume();
      case "PAUSE" -> files.pause();
      case "CHECK" -> files.check();
      case "REPORT" -> files.deleteAbandoned();
      default -> throw new IOException("unknown command " + command);
    }
  }
}
