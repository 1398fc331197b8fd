/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class MainTest {
  private static final String SMALL = "--nodes 60 --rack-size 10 --chunks 900 ";

  @TempDir
  private Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String command) {
    out.getBuffer().setLength(0);
    return Main.run(command.isEmpty() ? new String[0] : command.trim().split(" +"), new PrintWriter(out),
        new PrintWriter(err, true));
  }

  private void assertNoFile() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      assertEquals(0, files.count());
    }
  }

  @Test
  void recover_writesEachCase_andTheMeans() throws IOException {
    Path json = folder.resolve("out.json");
    assertEquals(0, run("recover " + SMALL + "--failures 3 --algorithm dayu,R+W --json " + json), err::toString);
    JsonNode report = new ObjectMapper().readTree(json.toFile());
    assertTrue(report.get("complete").asBoolean());
    assertEquals(2, report.get("results").size());
    JsonNode dayu = report.get("results").get(0);
    assertEquals("dayu", dayu.get("algorithm").asText());
    assertEquals(60, dayu.get("nodes").asInt());
    assertEquals(900, dayu.get("chunks").asInt());
    assertEquals(3, dayu.get("cases").size());
    for (String field : new String[] {"recoveryTimeSec", "idealTimeSec", "ratioToIdeal", "interferencePercent",
        "timeTo99PercentSec", "planMillisMedian"}) {
      double sum = 0;
      for (JsonNode one : dayu.get("cases")) {
        sum += one.get(field).asDouble();
      }
      assertEquals(sum / 3, dayu.get(field).asDouble(), 1e-9, field);
      assertTrue(dayu.get("standardDeviation").get(field).asDouble() >= 0, field);
    }
    assertTrue(dayu.get("ratioToIdeal").asDouble() > 0.7);
    assertTrue(out.toString().contains("dayu: estimates of the time after two timeslots would have missed by "),
        out::toString);
    assertTrue(dayu.get("cases").get(0).get("firstEstimateSec").asDouble() > 0, dayu::toString);
    JsonNode random = report.get("results").get(1);
    for (int i = 0; i < 3; i++) {
      assertEquals(dayu.get("cases").get(i).get("idealTimeSec"), random.get("cases").get(i).get("idealTimeSec"));
    }
    String table = out.toString();
    assertTrue(table.contains("dayu ") && table.contains("R+W ") && table.contains("Means over 3 failures"), table);
    assertEquals(0, run("recover " + SMALL + "--failures 3 --algorithm dayu,R+W"));
    assertEquals(table, out.toString(), "the same seed gives the same table");
  }

  @Test
  void recover_isTheSame_onAnyNumberOfThreads() {
    assertEquals(0, run("recover " + SMALL + "--failures 3 --algorithm dayu,R+W --threads 1"), err::toString);
    String one = out.toString();
    assertEquals(0, run("recover " + SMALL + "--failures 3 --algorithm dayu,R+W --threads 3"), err::toString);
    assertEquals(one, out.toString());
    assertEquals(0,
        run("recover " + SMALL
            + "--algorithm dayu-paper --forecast recent --plan-early --peak 0.9 --credit 2s --sharing fair"),
        err::toString);
  }

  @Test
  void recover_usesATrace_thatGenerateWrote() throws IOException {
    Path trace = folder.resolve("trace.csv.gz");
    assertEquals(0, run("generate --nodes 60 --slots 100 --seed 5 --out " + trace), err::toString);
    assertEquals(0, run("recover --trace " + trace + " --rack-size 10 --chunks 900"), err::toString);
    String scaled = out.toString();
    assertEquals(0, run("recover --trace " + trace + " --rack-size 10 --chunks 900 --trace-scale 0.1"), err::toString);
    assertTrue(!scaled.equals(out.toString()), "a smaller scale leaves more bandwidth");
    Path json = folder.resolve("inspect.json");
    assertEquals(0, run("inspect --trace " + trace + " --rack-size 10 --chunks 900 --failures 2 --json " + json),
        err::toString);
    assertTrue(out.toString().lines().anyMatch(line -> line.matches("CoV of means over a day .* too short to tell")),
        out::toString);
    JsonNode found = new ObjectMapper().readTree(json.toFile());
    assertEquals(0.4, found.get("foreground").get("meanShare").asDouble(), 0.1);
    assertTrue(!found.get("foreground").has("dayCov") && found.get("placement").get("idealTimeSec").asDouble() > 0);
    assertEquals(2, run("recover --trace " + trace + " --trace-min-mean 1e9"));
    assertTrue(err.toString().contains("--trace-min-mean"), err::toString);
  }

  @Test
  void recover_takesATrace_thatWasImported() throws IOException {
    StringBuilder polls = new StringBuilder();
    for (int second = 0; second <= 30; second += 15) {
      for (int node = 0; node < 12; node++) {
        polls.append(second).append(" dn").append(node)
            .append(" {\"beans\":[{\"name\":\"Hadoop:service=DataNode,name=DayuAgent\",")
            .append("\"ForegroundInBytesPerSec\":1000000,\"ForegroundOutBytesPerSec\":2000000}]}\n");
      }
    }
    Path file = Files.writeString(folder.resolve("polls.txt"), polls);
    Path trace = folder.resolve("trace.csv.gz");
    assertEquals(0, run("trace import --jmx " + file + " --line-rate 250MB --out " + trace), err::toString);
    assertTrue(
        out.toString().startsWith("12 nodes, 2 slots of 15s from 1970-01-01T00:00:00Z; sent 2.00 MB/s on average"),
        out::toString);
    assertEquals(0, run("recover --trace " + trace + " --rack-size 3 --chunks 200"), err::toString);
    assertEquals(2, run("trace import --jmx " + file + " --sar " + file + " --out " + trace));
    assertTrue(err.toString().contains("expected files of one kind"), err::toString);
    assertEquals(2, run("trace"));
  }

  @Test
  void recover_losesOneNode_orEach_inAnHourOfTheDay() throws IOException {
    Path json = folder.resolve("out.json");
    Path html = folder.resolve("out.html");
    assertEquals(0, run("recover " + SMALL + "--lost node17 --hour 6 --failures 2 --json " + json), err::toString);
    for (JsonNode one : new ObjectMapper().readTree(json.toFile()).get("results").get(0).get("cases")) {
      assertEquals("node17", one.get("failedNodeName").asText());
      assertEquals(6, one.get("firstSlot").asLong() % 5760 / 240, "a day has 5760 slots, an hour 240");
    }
    assertEquals(0, run("recover --nodes 12 --rack-size 3 --chunks 100 --lost all --html " + html), err::toString);
    assertTrue(out.toString().contains("dayu: worst is node") && out.toString().contains("Means over 12 failures"),
        out::toString);
    String page = Files.readString(html);
    assertTrue(
        page.contains("<svg") && page.contains("dayu-sim recover --nodes 12") && page.contains("<td>node11</td>"),
        page);
  }

  @Test
  void recover_followsAListOfEvents() throws IOException {
    Path json = folder.resolve("out.json");
    String events =
        "--event 0s:node:node1,2s:node:random,3s:rack:5,4s:disk:node30,5s:decommission:node40,6s:back:node1 ";
    assertEquals(0,
        run("recover " + SMALL + events + "--failures 2 --algorithm dayu,dayu-paper,hdfs-fast --json " + json),
        err::toString);
    for (JsonNode result : new ObjectMapper().readTree(json.toFile()).get("results")) {
      for (JsonNode one : result.get("cases")) {
        assertTrue(one.get("finished").asBoolean() && one.get("ratioToIdeal").asDouble() > 0.6, one::toString);
        assertTrue(one.get("failedNodeName").asText().startsWith("0s node node1; 2s node node"), one::toString);
        assertTrue(one.get("exposedNodeSec").asDouble() > 0, one::toString);
      }
    }
    assertTrue(out.toString().contains("blocks lost for good"), out::toString);
  }

  @Test
  void recover_takesATableOfNodes() throws IOException {
    Path json = folder.resolve("out.json");
    Path table =
        Files.writeString(folder.resolve("nodes.csv"), "node,bandwidth,disks,free\nnode1,25MB,,\nnode2,1GB,50MB,0\n");
    assertEquals(0, run("recover " + SMALL + "--lost node30 --node-table " + table + " --json " + json), err::toString);
    double slow = new ObjectMapper().readTree(json.toFile()).get("results").get(0).get("idealTimeSec").asDouble();
    assertEquals(0, run("recover " + SMALL + "--lost node30 --json " + json), err::toString);
    double usual = new ObjectMapper().readTree(json.toFile()).get("results").get(0).get("idealTimeSec").asDouble();
    assertEquals(59 / (59 - 0.9 - 0.8), slow / usual, 0.03);
    Files.writeString(table, "node,bandwidth\nnode1,25MB\nnode1,25MB\n");
    assertEquals(2, run("recover " + SMALL + "--node-table " + table));
    assertTrue(err.toString().contains("line 3: a second row of node1"), err::toString);
    Files.writeString(table, "node,bandwidth\nnode1,25\n");
    assertEquals(2, run("recover " + SMALL + "--node-table " + table));
    assertTrue(err.toString().contains("line 2, bandwidth: '25' is no number of bytes with a unit"), err::toString);
  }

  private static String listing(String name) throws URISyntaxException {
    return Path.of(MainTest.class.getResource("/io/dayu/sim/placement/" + name).toURI()).toString();
  }

  @Test
  void recover_losesANodeOfAListing() throws Exception {
    String fsck = "--fsck " + listing("fsck-3.5.0-racks-details-open.txt");
    Path json = folder.resolve("out.json");
    assertEquals(0, run("recover " + fsck + " --lost 127.0.0.1:37813 --failures 2 --json " + json), err::toString);
    assertTrue(
        out.toString().contains("listing: 6 nodes, 1 of them leaving, on 3 racks, 8 blocks; left out: 2 erasure-coded"),
        out::toString);
    assertTrue(
        out.toString().contains("lost: 127.0.0.1:37813 on /rack1, 4 blocks to recover; not simulated: 1 erasure-coded"),
        out::toString);
    for (JsonNode one : new ObjectMapper().readTree(json.toFile()).get("results").get(0).get("cases")) {
      assertEquals("127.0.0.1:37813", one.get("failedNodeName").asText());
      assertTrue(one.get("finished").asBoolean());
    }
    assertEquals(0, run("recover " + fsck + " --failures 3 --algorithm dayu,hdfs"), err::toString);
    assertEquals(2, run("recover " + fsck + " --lost 127.0.0.1"));
    assertTrue(err.toString().contains("--lost = 127.0.0.1: the listing has 6 such nodes"), err::toString);
    assertEquals(2, run("recover " + fsck + " --lost 127.0.0.2:9866"));
    assertTrue(err.toString().contains("no such node in the listing, which names 6 by ip:port"), err::toString);
    assertEquals(2, run("recover " + fsck + " --lost 127.0.0.1:43419"));
    assertTrue(err.toString().contains("nothing to recover if 127.0.0.1:43419 is lost"), err::toString);
    assertEquals(2, run("recover " + fsck + " --chunks 7"));
    assertTrue(err.toString().contains("--chunks cannot be given with --fsck"), err::toString);
  }

  @Test
  void recover_findsTheTrafficOfAListingsNodes_byName() throws Exception {
    String fsck = "--fsck " + listing("fsck-3.5.0-racks-details-open.txt") + " --lost 127.0.0.1:37813 --bandwidth 1MB";
    StringBuilder busy = new StringBuilder("node,dir,s0\n");
    for (String port : List.of("34081", "43603", "37813", "38679", "44229", "43419")) {
      busy.append("127.0.0.1:" + port + ",tx,0\n127.0.0.1:" + port + ",rx," + (port.equals("38679") ? 0 : 1) + "\n");
    }
    Path trace = Files.writeString(folder.resolve("trace.csv"), busy);
    assertEquals(0, run("recover " + fsck + " --algorithm dayu --min-bandwidth 0 --trace " + trace), err::toString);
    Files.writeString(trace, busy.toString().replace("127.0.0.1:34081,", "other,"));
    assertEquals(2, run("recover " + fsck + " --trace " + trace));
    assertTrue(
        err.toString().contains(
            "the trace has traffic of 5 of the listing's 6 nodes, expected all or none; it lacks 127.0.0.1:34081"),
        err::toString);
  }

  @Test
  void tune_recommendsSettings_theSameForTheSameSeed_howeverManyThreads() throws IOException {
    Path snippet = folder.resolve("snippet.xml");
    Path json = folder.resolve("tune.json");
    String command =
        "tune " + SMALL + "--failures 2 --budget 9 --max-interference 50% --out " + snippet + " --json " + json;
    assertEquals(0, run(command + " --threads 1"), err::toString);
    String table = out.toString();
    assertEquals(0, run(command + " --threads 3"), err::toString);
    assertEquals(table, out.toString());
    JsonNode report = new ObjectMapper().readTree(json.toFile());
    assertTrue(report.get("complete").asBoolean());
    assertEquals(9, report.get("measured").size());
    assertTrue(report.get("checked").size() >= 1);
    assertTrue(table.endsWith(Files.readString(snippet)), table);
    report.get("recommended").fields().forEachRemaining(property -> assertTrue(table.contains(
        "<name>" + property.getKey() + "</name>\n    <value>" + property.getValue().asText() + "</value>"), table));
  }

  @Test
  void tune_saysSo_ifNothingStaysBelowTheBound() throws IOException {
    assertEquals(1, run("tune " + SMALL + "--failures 1 --budget 2 --max-interference 0.000001% --out "
        + folder.resolve("snippet.xml")));
    assertTrue(out.toString().contains("Nothing to recommend"), out::toString);
    assertNoFile();
  }

  @Test
  void largest_triesSizes_untilOneIsTooLate() {
    assertEquals(0, run("largest --algorithm dayu-paper,G1+W --nodes 10,60 --chunk-size 1MB --within 2m"),
        err::toString);
    String[] lines = out.toString().lines().toArray(String[]::new);
    assertTrue(lines[1].matches(" +10 +714 dayu-paper .*") && lines[4].matches(" +60 +4284 G1\\+W .*"), out::toString);
    assertTrue(lines[6].matches("  dayu-paper   60 nodes, 4284 blocks \\(the last that was tried\\)"), out::toString);
    assertEquals(0, run("largest --algorithm G1+W --nodes 400,10 --uneven --within 1ms"), err::toString);
    assertTrue(out.toString().contains("too late") && out.toString().contains("G1+W         none of these sizes"),
        out::toString);
    assertTrue(out.toString().lines().noneMatch(line -> line.startsWith("     10")), out::toString);
  }

  @Test
  void oversubscribedUplinks_slowRecoveryDown() throws IOException {
    Path json = folder.resolve("out.json");
    double[] seconds = new double[3];
    String[] options = {"", "--uplink-oversubscription 1", "--uplink-oversubscription 5 --uplink-foreground 0.3"};
    for (int i = 0; i < 3; i++) {
      assertEquals(0, run("recover " + SMALL + options[i] + " --json " + json), err::toString);
      seconds[i] = new ObjectMapper().readTree(json.toFile()).get("results").get(0).get("recoveryTimeSec").asDouble();
    }
    assertEquals(seconds[0], seconds[1], 1e-9, "such uplinks are as fast as the nodes together");
    assertTrue(seconds[2] > 1.5 * seconds[0], seconds[2] + " s against " + seconds[0] + " s");
  }

  @Test
  void recover_takesOtherPlacements() {
    for (String placement : List.of("random", "copysets --scatter 8", "weighted", "weighted --weights 1,1,2")) {
      assertEquals(0, run("recover " + SMALL + "--placement " + placement), err::toString);
    }
  }

  @Test
  void recover_writesNumbersAndPlot() throws IOException {
    Path csv = folder.resolve("cases.csv");
    Path plot = folder.resolve("plot.svg");
    assertEquals(0, run("recover " + SMALL + "--failures 2 --algorithm dayu,R+W --csv " + csv + " --plot " + plot),
        err::toString);
    String numbers = Files.readString(csv);
    assertEquals(1 + 4, numbers.lines().count(), numbers);
    assertTrue(numbers.startsWith("algorithm,seed,failedNode,failedNodeName,firstSlot,finished,recoveryTimeSec,")
        && numbers.contains("\nR+W,"), numbers);
    String svg = Files.readString(plot);
    assertTrue(svg.startsWith("<svg") && svg.contains("blocks recovered (%)") && svg.contains("ideal recovery time"),
        svg);
    assertEquals(2, run("recover " + SMALL + "--csv " + folder));
    assertTrue(err.toString().contains("it is a directory"), err::toString);
  }

  @Test
  void figures_areWritten_andGoneOnWith() throws IOException {
    Path json = folder.resolve("figures.json");
    Path out = folder.resolve("out");
    String command = "figures --only fig5 --failures 1 --seeds 1 --quick --out " + out + " --json " + json;
    assertEquals(0, run(command), err::toString);
    assertTrue(out().contains("fig5") && out().contains("dayu-paper is faster than pangu-slow"), out::toString);
    String cases = Files.readString(out.resolve("cases.csv"));
    assertEquals(1 + 5, cases.lines().count(), cases);
    String csv = Files.readString(out.resolve("figures/fig5.csv"));
    assertEquals(1 + 5, csv.lines().count(), csv);
    assertTrue(Files.readString(out.resolve("figures/fig5-time.svg")).startsWith("<svg"));
    assertTrue(!Files.exists(out.resolve("figures/fig6.csv")), "only what was asked for");
    String page = Files.readString(out.resolve("index.html"));
    assertTrue(page.contains("Fig. 5") && page.contains("2.96× as fast") && page.contains("<svg"), page);
    assertTrue(Files.readString(out.resolve("results.md"))
        .contains("| dayu-paper is faster than pangu-slow | 2.96× as fast |"));
    JsonNode report = new ObjectMapper().readTree(json.toFile());
    assertEquals("fig5", report.get("figures").get(0).get("id").asText());
    assertEquals(5, report.get("figures").get(0).get("rows").size());
    assertEquals("1.19", report.get("figures").get(0).get("claims").get(0).get("paper").asText());
    assertEquals(0, run(command), err::toString);
    assertEquals(cases, Files.readString(out.resolve("cases.csv")), "nothing was simulated again");
    assertEquals(csv, Files.readString(out.resolve("figures/fig5.csv")));
  }

  @Test
  void scale_isMeasured_forEachSizeAndAlgorithm() throws IOException {
    Path json = folder.resolve("scale.json");
    assertEquals(0,
        run("scale --nodes 240,120 --algorithm C+W,G1+W --time 30s --json " + json + " --out " + folder.resolve("out")),
        err::toString);
    JsonNode figure = new ObjectMapper().readTree(json.toFile()).get("figures").get(0);
    assertEquals(4, figure.get("rows").size());
    assertEquals("120", figure.get("rows").get(0).get(0).asText());
    assertTrue(Double.parseDouble(figure.get("rows").get(0).get(2).asText()) > 0);
    assertTrue(Files.exists(folder.resolve("out/fig7.csv")) && Files.exists(folder.resolve("out/fig7-recovered.svg")));
    assertTrue(out().contains("recovered (TB)") && out().contains("G1 stops scaling"), out::toString);
    assertEquals(0, run("scale --nodes 120 --algorithm R+W --time 15s"), err::toString);
  }

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

  private String out() {
    return out.toString();
  }

  @Test
  void unfinishedRecovery_isTold_byTheExitCode() {
    assertEquals(1, run("recover " + SMALL + "--limit 2s"), err::toString);
    assertTrue(out.toString().contains("1 of 1 not finished"), out::toString);
  }

  @Test
  void unfinishedRecovery_countsInNoMeanTime() throws IOException {
    Path json = folder.resolve("out.json");
    Path csv = folder.resolve("out.csv");
    assertEquals(1, run("recover " + SMALL + "--limit 1s --json " + json + " --csv " + csv), err::toString);
    assertTrue(out.toString().lines()
        .anyMatch(line -> line.matches("dayu +- +[0-9.]+ s +- +- +- +- +- .*1 of 1 not finished")), out::toString);
    JsonNode none = new ObjectMapper().readTree(json.toFile()).get("results").get(0);
    assertEquals(1, none.get("unfinished").asInt());
    for (JsonNode numbers : List.of(none, none.get("cases").get(0), none.get("standardDeviation"))) {
      assertTrue(numbers.get("recoveryTimeSec").isNull() && numbers.get("ratioToIdeal").isNull(), numbers::toString);
      assertTrue(!numbers.get("idealTimeSec").isNull(), numbers::toString);
    }
    String rows = Files.readString(csv);
    assertTrue(rows.lines().skip(1).allMatch(line -> line.matches("dayu,1,\\d+,node\\d+,\\d+,false,,[0-9.]+,,.*")),
        rows);
  }

  @Test
  void unfinishedRecovery_leavesTheMeansToThoseThatFinished() throws IOException {
    Path json = folder.resolve("out.json");
    assertEquals(0, run("recover " + SMALL + "--failures 4 --json " + json), err::toString);
    JsonNode all = new ObjectMapper().readTree(json.toFile()).get("results").get(0).get("cases");
    double[] seconds = StreamSupport.stream(all.spliterator(), false)
        .mapToDouble(one -> one.get("recoveryTimeSec").asDouble()).sorted().toArray();
    assertTrue(seconds[1] + 0.002 < seconds[2], "the limit tells two from two");
    long limitMs = Math.round(500 * (seconds[1] + seconds[2]));
    assertEquals(1, run("recover " + SMALL + "--failures 4 --limit " + limitMs + "ms --json " + json), err::toString);
    JsonNode some = new ObjectMapper().readTree(json.toFile()).get("results").get(0);
    assertEquals(2, some.get("unfinished").asInt());
    assertEquals((seconds[0] + seconds[1]) / 2, some.get("recoveryTimeSec").asDouble(), 1e-9);
    double ratio =
        StreamSupport.stream(some.get("cases").spliterator(), false).filter(one -> one.get("finished").asBoolean())
            .mapToDouble(one -> one.get("ratioToIdeal").asDouble()).average().orElseThrow();
    assertEquals(ratio, some.get("ratioToIdeal").asDouble(), 1e-9);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"recover --nodes 0| nodes = 0",
      "recover --nodes 80| replicas = 3, expected 2 to the number of racks, which is 2",
      "recover --algorithm best| unknown algorithm best; known: dayu, dayu-alpha",
      "recover --algorithm ,| --algorithm is an empty list",
      "recover --algorithm dayu,dayu| --algorithm = [dayu, dayu], expected each once",
      "recover --nodes 200 --placement weighted --weights ,| --weights is an empty list",
      "largest --algorithm ,| --algorithm is an empty list", "largest --nodes ,| --nodes is an empty list",
      "scale --nodes ,| --nodes is an empty list", "scale --algorithm ,| --algorithm is an empty list",
      "scale --seeds ,| --seeds is an empty list", "figures --out x --only ,| --only is an empty list",
      "figures --out x --seeds ,| --seeds is an empty list",
      "recover --plot x.png| --plot = x.png, expected a name that ends in .svg", "recover --chunks 0| --chunks = 0",
      "recover --chunks many| --chunks", "recover --chunk-size 64QB| '64QB' is no number of bytes",
      "recover --bandwidth 250| '250' is no number of bytes with a unit like",
      "recover --nodes 2000000000| --nodes = 2000000000, expected at most 100000",
      "generate --nodes 2000000000 --out t.csv| --nodes = 2000000000, expected at most 100000",
      "largest --nodes 10,2000000000| --nodes = 2000000000, expected at most 100000",
      "recover --trace-scale 2| --trace-scale needs --trace",
      "recover --trace-min-mean 2| --trace-min-mean needs --trace",
      "inspect --trace-slot 2s| --trace-slot needs --trace", "tune --trace-unit 2MB| --trace-unit needs --trace",
      "recover --timeslot 15| '15' is no time", "recover --timeslot 0s| timeslotMs = 0",
      "recover --alpha 1.5| alpha = 1.5", "recover --beta 2| underemployedRatio = 2.0",
      "recover --sharing some| --sharing = some, expected priority or fair",
      "recover --sharing fair --foreground-flows 0| foreground flows = 0.0, expected above 0",
      "recover --peak 2| peak = 2.0", "recover --algorithm C+W --credit 1s| --credit needs --peak",
      "recover --knowledge all| --knowledge = all", "recover --failures 0| --failures = 0",
      "recover --threads -1| --threads = -1, expected at least 0 (0 = all cores)",
      "recover --forecast best| no forecast of foreground 'best'; known are recent, last",
      "recover --report-interval 1h| report interval = 3600000 ms",
      "recover --trace /nowhere/t.csv| no such file: /nowhere/t.csv",
      "recover --fsck /nowhere/fsck.txt| no such file: /nowhere/fsck.txt",
      "recover --lost 10.0.0.1| --lost = 10.0.0.1: no such node; there are 3500, such as node0",
      "recover --scatter 5| --scatter needs --placement copysets",
      "recover --event 0s:node| --event = 0s:node, expected TIME:WHAT:WHICH",
      "recover --event 0s:nodes:node1| --event = 0s:nodes:node1: 'nodes', expected node, rack, disk, back or "
          + "decommission",
      "recover --event 0s:rack:99| --event = 0s:rack:99: no such rack, expected 0 to 87",
      "recover --event 1s:node:node1| expected a first event that loses something at 0s",
      "recover --event 0s:node:node1 --lost node1| --lost cannot be given with --event",
      "recover --hour 24| hour = 24, expected 0 to 23",
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
      "largest --nodes 2| replicas = 3, expected 2 to the number of racks, which is 2", "largest --nodes 0| nodes = 0",
      "largest --blocks 0| --blocks = 0", "largest --algorithm best| unknown algorithm best",
      "tune --budget 0| --failures = 3 and --budget = 0", "tune --max-interference 2| '2' is no percentage",
      "tune --max-interference 0%| largest interference = 0.0 %", "tune --tie 100%| tie = 1.0",
      "tune --nodes 80| replicas = 3, expected 2 to the number of racks, which is 2",
      "tune --nodes 60 --rack-size 10 --threads 0| threads = 0, expected at least 1",
      "tune --max-streams 0| maximum streams = 0",
      "tune --nodes 60 --rack-size 10 --out /nowhere/s.xml| cannot write /nowhere/s.xml",
      "recover --frobnicate| Unknown option: '--frobnicate'",
      "recover --level 99 --min-bandwidth 0 --nodes 60 --rack-size 10 --chunks 9| the foreground leaves nothing",
      "generate --out /nowhere/t.csv| cannot write /nowhere/t.csv", "generate --slots 0 --out t.csv| --slots = 0",
      "inspect --failures 0| --failures = 0", "figures| Missing required option: '--out=DIR'",
      "figures --out x --only fig2| --only = fig2, expected some of fig1a, fig1b",
      "figures --out x --failures 0| --failures = 0", "figures --out x --seeds 1,1| --seeds = [1, 1]",
      "figures --out x --threads -1| --threads = -1", "figures --out x --nodes 5| --nodes = 5",
      "figures --out /proc/nowhere| cannot write /proc/nowhere", "scale --nodes 1000000| --nodes = 1000000",
      "scale --nodes many| --nodes", "scale --algorithm best| unknown algorithm best; known: dayu",
      "scale --time 0s| --time = 0s", "scale --knowledge all| --knowledge = all",
      "scale --nodes 120 --json /nowhere/f.json| cannot write /nowhere/f.json", "destroy| Unmatched argument",
      "''| no command given"})
  void badInput_isRefused_inOneLine(String command, String message) {
    assertEquals(2, run(command == null ? "" : command), out::toString);
    assertTrue(err.toString().startsWith("dayu-sim: ") && err.toString().contains(message), err::toString);
    assertEquals(1, err.toString().lines().count(), err::toString);
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
      "scale --nodes 120 --time 1s --json X", "figures --only fig5 --out F --json X", "inspect " + SMALL + "--json X"})
  void unwritableOutput_isToldWithoutJava(String command) {
    Path missing = folder.resolve("nonexist");
    assertEquals(2,
        run(command.replace("X", missing.resolve("x").toString()).replace(" F ", " " + folder.resolve("f") + " ")));
    assertEquals("dayu-sim: cannot write " + missing.resolve("x") + ": no such folder " + missing,
        err.toString().trim());
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

  @ParameterizedTest
  @ValueSource(strings = {"--help", "recover --help", "figures --help", "scale --help", "largest --help", "tune --help",
      "generate --help", "inspect --help", "algorithms --help"})
  void help_isThere_everywhere(String command) {
    assertEquals(0, run(command));
    assertTrue(out.toString().startsWith("Usage: dayu-sim"), out::toString);
  }

  @Test
  void algorithms_areListed() {
    assertEquals(0, run("algorithms"));
    assertTrue(out.toString().contains("dayu-paper") && out.toString().contains("B2R+DA"), out::toString);
  }
}
