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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Commands of the paper's evaluation that are refused before the work begins, in one line that says why. */
class RefusedPaperCommandTest extends CommandFixture {
  @Test
  void outputFolder_thatCannotBeWritten_isRefused() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "x");
    assertEquals(2, run("figures --only fig5 --out " + file));
    assertTrue(err.toString().contains("cannot write " + file), err::toString);
    assertEquals(2, run("scale --nodes 120 --time 15s --out " + file.resolve("below")));
    Files.writeString(Files.createDirectory(folder.resolve("out")).resolve("cases.csv"), "what,is,this\n");
    assertEquals(2, run("figures --only fig5 --out " + folder.resolve("out")));
    assertTrue(err.toString().lines().skip(2).findFirst().orElseThrow().contains("is no file of results"),
        err::toString);
    assertEquals("x", Files.readString(file));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"largest --algorithm ,| --algorithm is an empty list",
      "largest --nodes ,| --nodes is an empty list",
      "scale --nodes ,| --nodes is an empty list",
      "scale --algorithm ,| --algorithm is an empty list",
      "scale --seeds ,| --seeds is an empty list",
      "figures --out x --only ,| --only is an empty list",
      "figures --out x --seeds ,| --seeds is an empty list",
      "largest --nodes 10,2000000000| --nodes = 2000000000, expected at most 100000",
      "largest --nodes 2| replicas = 3, expected 2 to the number of racks, which is 2",
      "largest --nodes 0| nodes = 0",
      "largest --blocks 0| --blocks = 0",
      "largest --algorithm best| unknown algorithm best",
      "figures| Missing required option: '--out=DIR'",
      "figures --out x --only fig2| --only = fig2, expected some of fig1a, fig1b",
      "figures --out x --failures 0| --failures = 0",
      "figures --out x --seeds 1,1| --seeds = [1, 1]",
      "figures --out x --threads -1| --threads = -1",
      "figures --out x --nodes 5| --nodes = 5",
      "figures --out /proc/nowhere| cannot write /proc/nowhere",
      "scale --nodes 1000000| --nodes = 1000000",
      "scale --nodes many| --nodes",
      "scale --algorithm best| unknown algorithm best; known: dayu",
      "scale --time 0s| --time = 0s",
      "scale --knowledge all| Invalid value for option '--knowledge'",
      "scale --nodes 120 --json /nowhere/f.json| cannot write /nowhere/f.json"})
  void badInput_isRefused_inOneLine(String command, String message) {
    assertBadInput(command, message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"scale --nodes 120 --time 1s --json X", "figures --only fig5 --out F --json X"})
  void unwritableOutput_isToldWithoutJava(String command) {
    assertOutputIsChecked(command);
  }

  @Test
  void unwritableOutputFolder_isToldWithoutJava() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "x");
    for (Path place : List.of(file, file.resolve("below"))) {
      for (String command : List.of("figures --only fig5 --out ", "scale --nodes 120 --time 1s --out ")) {
        err.getBuffer().setLength(0);
        assertEquals(2, run(command + place));
        assertTrue(
            err.toString().startsWith("dayu-sim: cannot write " + place + ": ") && !err.toString().contains("java."),
            err::toString);
      }
    }
  }
}
