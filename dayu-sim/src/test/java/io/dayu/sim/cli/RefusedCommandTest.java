/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.cli;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Commands that are refused before the work begins, in one line that says why. */
class RefusedCommandTest extends CommandFixture {
  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"recover --nodes 0| nodes = 0",
      "recover --nodes 80| --replicas = 3, expected 2 to the number of racks, which is 2 (80 nodes, --rack-size = 40)",
      "recover --algorithm best| unknown algorithm best; known: dayu, dayu-alpha",
      "recover --algorithm ,| --algorithm is an empty list",
      "recover --algorithm dayu,dayu| --algorithm = [dayu, dayu], expected each once",
      "recover --code rs-3-2 --algorithm pangu-slow| --algorithm = pangu-slow plans copies only, expected",
      "recover --nodes 200 --placement weighted --weights ,| --weights is an empty list",
      "recover --plot x.png| --plot = x.png, expected a name that ends in .svg",
      "recover --chunks 0| --chunks = 0",
      "recover --chunks many| --chunks",
      "recover --chunk-size 64QB| '64QB' is no number of bytes",
      "recover --bandwidth 250| '250' is no number of bytes with a unit like",
      "recover --nodes 2000000000| --nodes = 2000000000, expected at most 100000",
      "generate --nodes 2000000000 --out t.csv| --nodes = 2000000000, expected at most 100000",
      "recover --trace-scale 2| --trace-scale needs --trace",
      "recover --trace-min-mean 2| --trace-min-mean needs --trace",
      "inspect --trace-slot 2s| --trace-slot needs --trace",
      "tune --trace-unit 2MB| --trace-unit needs --trace",
      "recover --timeslot 15| '15' is no time",
      "recover --timeslot 0s| timeslotMs = 0",
      "recover --rhythm mine| --rhythm = mine, expected own, product or paper",
      "recover --paper-threads| --paper-threads needs --count-planning",
      "recover --alpha 1.5| alpha = 1.5",
      "recover --beta 2| underemployedRatio = 2.0",
      "recover --sharing some| Invalid value for option '--sharing': 'some', expected priority or fair",
      "recover --sharing fair --foreground-flows 0| foreground flows = 0.0, expected above 0",
      "recover --foreground-flows 5| --foreground-flows needs --sharing fair",
      "trace import --jmx pom.xml --bits --out t.csv| --bits needs --prometheus-sent",
      "trace import --jmx pom.xml --device eth0 --out t.csv| --device needs --sar",
      "recover --peak 2| peak = 2.0",
      "recover --algorithm C+W --credit 1s| --credit needs --peak",
      "recover --knowledge all| Invalid value for option '--knowledge': 'all', expected last-report or current",
      "recover --failures 0| --failures = 0",
      "recover --threads -1| --threads = -1, expected at least 0 (0 = all cores)",
      "recover --forecast best| no forecast of foreground 'best'; known are recent, last",
      "recover --tie-break best| --tie-break = best, expected one of none, space, latency, journal",
      "recover --report-interval 1h| report interval = 3600000 ms",
      "recover --trace /nowhere/t.csv| no such file: /nowhere/t.csv",
      "recover --fsck /nowhere/fsck.txt| no such file: /nowhere/fsck.txt",
      "recover --lost 10.0.0.1| --lost = 10.0.0.1: no such node; there are 3500, such as node0",
      "recover --scatter 5| --scatter needs --placement copysets",
      "recover --code rs-3-2 --rack-size 10 --event 0s:decommission:node1| decommission of nodes that hold groups "
          + "(--code) is not simulated",
      "recover --event 0s:node| --event = 0s:node, expected TIME:WHAT:WHICH",
      "recover --event 0s:nodes:node1| --event = 0s:nodes:node1: 'nodes', expected node, rack, disk, back or "
          + "decommission",
      "recover --event 0s:rack:99| --event = 0s:rack:99: no such rack, expected 0 to 87",
      "recover --event 1s:node:node1| expected a first event that loses something at 0s",
      "recover --event 0s:node:node1 --lost node1| --lost cannot be given with --event",
      "recover --event 0s:node:node1,1m:back:node2| --event = 1m:back:node2: no event before it takes that node away",
      "recover --event 0s:disk:random,1m:back:same| --event = 1m:back:same: no event before it takes that node away",
      "recover --event 0s:node:node1,2m:node:node2,1m:back:node2| --event = 1m:back:node2: no event before it",
      "recover --event 0s:rack:0,1m:back:node45| --event = 1m:back:node45: no event before it takes that node away",
      "recover --event 0s:node:node1,7h:node:node2| --limit = 21600s, expected at least 25200s, when the last event",
      "recover --hour 24| hour = 24, expected 0 to 23",
      "recover --hour -1| --hour = -1, expected 0 to 23",
      "recover --lost all --nodes 60 --rack-size 10 --failures 2| --failures cannot be given with --lost all",
      "recover --trace-start 07:30| --trace-start needs --trace",
      "recover --placement best| --placement = best, expected epochs, random, copysets or weighted",
      "recover --weights 1,2| --weights needs --placement weighted",
      "recover --nodes 200 --placement weighted --weights 1,0| expected a number above 0 for each of 200 nodes",
      "recover --nodes 80 --placement weighted| replicas = 3, expected 2 to the number of racks, which is 2",
      "recover --uplink 1GB --uplink-oversubscription 2| --uplink and --uplink-oversubscription say the same",
      "recover --uplink 0| uplink = 0 bytes/s, expected at least 1",
      "recover --uplink-oversubscription 0| oversubscription = 0.0, expected above 0",
      "recover --uplink 1GB --uplink-foreground 2| foreground share of the uplinks = 2.0, expected 0 to 1",
      "tune --budget 0| --failures = 3 and --budget = 0",
      "tune --max-interference 2| '2' is no percentage",
      "tune --max-interference 0%| largest interference = 0.0 %",
      "tune --tie 100%| tie = 1.0",
      "tune --nodes 80| replicas = 3, expected 2 to the number of racks, which is 2",
      "tune --nodes 60 --rack-size 10 --threads 0| threads = 0, expected at least 1",
      "tune --max-streams 0| maximum streams = 0",
      "tune --nodes 60 --rack-size 10 --out /nowhere/s.xml| cannot write /nowhere/s.xml",
      "recover --frobnicate| Unknown option: '--frobnicate'",
      "recover --level 99 --min-bandwidth 0 --nodes 6 --rack-size 2 --chunks 9| the foreground leaves nothing",
      "generate --out /nowhere/t.csv| cannot write /nowhere/t.csv",
      "generate --slots 0 --out t.csv| --slots = 0",
      "inspect --failures 0| --failures = 0",
      "destroy| Unmatched argument",
      "''| no command given"})
  void badInput_isRefused_inOneLine(String command, String message) {
    assertBadInput(command, message);
  }

  @Test
  void badTrace_isNamedByLineAndColumn_andLeavesNoOutput() throws IOException {
    Path trace = Files.writeString(Files.createTempFile("trace", ".csv"), "node,dir,s0\na,tx,1\na,rx,x\n");
    assertEquals(2, run("recover --trace " + trace + " --json " + folder.resolve("out.json")));
    assertTrue(err.toString().contains(trace + ": line 3, column 3 (s0)"), err::toString);
    assertNoFile();
    Files.delete(trace);
  }

  @Test
  void unwritableOutput_isRefused_beforeTheWork() throws IOException {
    assertEquals(2, run("recover " + SMALL + "--json " + folder.resolve("no/such/folder/out.json")));
    assertEquals(2, run("recover " + SMALL + "--json " + folder));
    assertTrue(err.toString().contains("it is a directory") && out.toString().isEmpty(), err::toString);
    assertNoFile();
  }

  @Test
  void controlCharacters_areShownEscaped() throws IOException {
    Path trace = Files.write(folder.resolve("t.csv.gz"), new byte[] {'P', 'K', 3, 4, 27, '[', '3', '1', 'm'});
    assertEquals(2, run("recover --trace " + trace));
    assertTrue(err.toString().contains("'PK\\u0003\\u0004\\u001b[31m'"), err::toString);
    assertTrue(err.toString().strip().chars().noneMatch(Character::isISOControl), err::toString);
  }

  @Test
  void lineThatNoMemoryHolds_isRefused_byItsNumber() throws IOException {
    Path small = folder.resolve("small.gz");
    try (OutputStream gzip = new GZIPOutputStream(Files.newOutputStream(small))) {
      gzip.write("node,dir,s0\n".getBytes(StandardCharsets.UTF_8));
      for (int i = 0; i < 64; i++) {
        gzip.write(new byte[1 << 20]);
      }
    }
    for (String command : List.of("recover --trace ", "recover --fsck ", "recover --node-table ",
        "recover --dfs-report ",
        "trace import --out t.csv --csv ", "trace import --out t.csv --sar ", "trace import --out t.csv --jmx ")) {
      err.getBuffer().setLength(0);
      assertEquals(2, run(command + small));
      assertTrue(err.toString().startsWith("dayu-sim: ") && err.toString().contains("small.gz: line "), err::toString);
    }
  }

  @Test
  void truncatedGzip_isNamed() throws IOException {
    Path whole = folder.resolve("whole.csv.gz");
    assertEquals(0, run("generate --nodes 60 --slots 20 --out " + whole), err::toString);
    byte[] bytes = Files.readAllBytes(whole);
    Path part = Files.write(folder.resolve("part.csv.gz"), Arrays.copyOf(bytes, bytes.length / 2));
    for (String option : List.of("--trace ", "--fsck ")) {
      err.getBuffer().setLength(0);
      assertEquals(2, run("recover " + option + part));
      assertEquals("dayu-sim: cannot read " + part + ": Unexpected end of ZLIB input stream", err.toString().trim());
    }
    assertEquals(2, run("recover --trace " + folder));
    assertTrue(err.toString().contains("cannot read " + folder + ": it is a directory"), err::toString);
  }

  @ParameterizedTest
  @ValueSource(strings = {"recover " + SMALL + "--json X", "generate --nodes 60 --slots 1 --out X",
      "tune " + SMALL + "--out X",
      "inspect " + SMALL + "--json X"})
  void unwritableOutput_isToldWithoutJava(String command) {
    assertOutputIsChecked(command);
  }

  @Test
  void twoOutputs_inOneFile_areRefused() throws IOException {
    Path same = folder.resolve("same.svg");
    for (String command : List.of("recover " + SMALL + "--json X --csv X", "recover " + SMALL + "--csv X --plot X",
        "tune --out X --json X")) {
      err.getBuffer().setLength(0);
      assertEquals(2, run(command.replace("X", same.toString())));
      assertEquals("dayu-sim: " + same + " is named for two outputs, expected a file for each", err.toString().trim());
      assertNoFile();
    }
  }
}
