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

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.StreamSupport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** {@code dayu-sim recover}: what it simulates and what it writes. */
class RecoverCommandTest extends CommandFixture {
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
  void recover_rebuildsGroups() {
    String groups = "recover --code rs-3-2 --nodes 12 --rack-size 1 --chunks 50 --chunk-size 4MB --bandwidth 6MB ";
    assertEquals(0, run(groups + "--algorithm dayu,dayu-granted,C+W,R+W --failures 2"), err::toString);
    assertTrue(out.toString().contains("Means over 2 failures of 50 chunks"), out::toString);
    String table = out.toString();
    assertEquals(0, run(groups + "--algorithm dayu,dayu-granted,C+W,R+W --failures 2"), err::toString);
    assertEquals(table, out.toString(), "the same seed gives the same table");
  }

  /** Nodes as on emulated hosts, where a plan has room for all of the recovery. */
  @Test
  void recover_estimatesTheTimeOfGroups() throws IOException {
    Path json = folder.resolve("groups.json");
    assertEquals(0, run("recover --code rs-3-2 --nodes 10 --rack-size 1 --chunks 68 --chunk-size 2MB "
        + "--bandwidth 3.125MB --failures 10 --json " + json), err::toString);
    double sum = 0;
    for (JsonNode one : new ObjectMapper().readTree(json.toFile()).get("results").get(0).get("cases")) {
      sum += Math.abs(one.get("firstEstimateErrorPercent").asDouble());
    }
    assertTrue(sum / 10 < 35, "estimates were wrong by " + sum / 10 + " % on average");
  }

  @Test
  void oneFailure_isNoMean() {
    assertEquals(0, run("recover " + SMALL + "--failures 1"), err::toString);
    assertTrue(out.toString().contains("One failure of 900 chunks"), out::toString);
    assertTrue(out.toString().lines().anyMatch(line -> line.matches("dayu +\\S+ s +\\S+ s +[0-9.]+ +- .*")),
        out::toString);
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
    Path csv = folder.resolve("out.csv");
    String events =
        "--event 0s:node:node1,2s:node:random,3s:rack:5,4s:disk:node30,5s:decommission:node40,6s:back:node1 ";
    assertEquals(0,
        run("recover " + SMALL + events + "--failures 2 --algorithm dayu,dayu-paper,hdfs-fast --json " + json
            + " --csv " + csv),
        err::toString);
    for (JsonNode result : new ObjectMapper().readTree(json.toFile()).get("results")) {
      for (JsonNode one : result.get("cases")) {
        assertTrue(one.get("finished").asBoolean() && one.get("ratioToIdeal").asDouble() > 0.6, one::toString);
        assertTrue(one.get("failedNodeName").asText().startsWith("0s node node1; 2s node node"), one::toString);
        assertTrue(one.get("exposedNodeSec").asDouble() > 0, one::toString);
        double expected = -Math.expm1(-one.get("exposedNodeSec").asDouble() / (4 * 31_557_600.0));
        assertEquals(one.get("lostBlocks").asInt() > 0 ? 1 : expected, one.get("dataLossProbability").asDouble(),
            1e-6 * expected);
      }
      assertTrue(result.get("yearsToDataLoss").asDouble() > 0, result::toString);
    }
    List<String> lines = Files.readAllLines(csv);
    assertTrue(List.of(lines.get(0).split(",")).containsAll(List.of("chunk-size", "bandwidth", "placement", "skew",
        "level", "trace", "event", "foreground-period", "bucket", "rhythm")), lines.get(0));
    assertTrue(lines.get(1).contains("\"0s:node:node1,2s:node:random,3s:rack:5,4s:disk:node30"), lines.get(1));
    assertTrue(out.toString().contains("blocks lost for good"), out::toString);
  }

  @Test
  void recover_followsAListOfEvents_thatHitsGroups() throws IOException {
    Path json = folder.resolve("out.json");
    assertEquals(0, run("recover --code rs-3-2 --nodes 14 --rack-size 1 --chunks 60 --chunk-size 4MB --bandwidth 6MB "
        + "--event 0s:node:node1,4s:node:node2,6s:disk:node3,40s:back:node1 --failures 2 "
        + "--algorithm dayu,C+W,R+W,hdfs,selectiveec,repairboost --json " + json), err::toString);
    for (JsonNode result : new ObjectMapper().readTree(json.toFile()).get("results")) {
      for (JsonNode one : result.get("cases")) {
        assertTrue(one.get("finished").asBoolean(), one::toString);
        double atRisk = one.get("oneReplicaBlockSec").asDouble();
        assertTrue(atRisk > 0 && one.get("exposedNodeSec").asDouble() > 0, one::toString);
        assertEquals(atRisk, one.get("lackingTwoBlockSec").asDouble(), 1e-6, "with two of RS-3-2 missing");
      }
    }
    assertTrue(out.toString().contains("dayu: 0.0 groups lost for good; they had nothing to spare for "),
        out::toString);
    assertTrue(out.toString().contains("hdfs: time of groups that lacked one internal block, in sum: "),
        out::toString);
  }

  @Test
  void causedBytes_areAShareOfTheCopiesOfAllLostNodes() throws IOException {
    Path json = folder.resolve("out.json");
    assertEquals(0, run("recover " + SMALL
        + "--event 0s:node:node1,0s:node:node2,0s:node:node3 --algorithm dayu --failures 1 --json " + json),
        err::toString);
    JsonNode report = new ObjectMapper().readTree(json.toFile());
    JsonNode dayu = report.get("results").get(0);
    double copied = dayu.get("copiedBytes").asDouble();
    double ofThree = 3 * report.get("chunks").asDouble() * report.get("chunkBytes").asDouble();
    assertTrue(copied > 0.9 * ofThree && copied <= ofThree, copied + " of " + ofThree);
    String caused = String.format(Locale.ROOT, "%.1f %%", 100 * dayu.get("causedAboveAlphaBytes").asDouble() / copied);
    assertTrue(out.toString().lines().anyMatch(line -> line.startsWith("dayu ") && line.endsWith(" " + caused)),
        () -> caused + " in " + out);
  }

  @Test
  void recover_takesATableOfNodes() throws IOException {
    Path json = folder.resolve("out.json");
    Path table =
        Files.writeString(folder.resolve("nodes.csv"),
            "\uFEFFnode,bandwidth,disks,free\nnode1,25MB,,\nnode2,1GB,50MB,0\n");
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
    return Path.of(RecoverCommandTest.class.getResource("/io/dayu/sim/placement/" + name).toURI()).toString();
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
    assertTrue(err.toString().contains("--lost = 127.0.0.1: 127.0.0.1 may be any of 6 nodes"), err::toString);
    assertEquals(2, run("recover " + fsck + " --lost 127.0.0.2:9866"));
    assertTrue(err.toString().contains("--lost = 127.0.0.2:9866: no such node; there are 6, such as 127.0.0.1:"),
        err::toString);
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
            "the trace has traffic of 5 of the listing's 6 nodes; it lacks 127.0.0.1:34081"),
        err::toString);
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
    assertTrue(none.get("standardDeviation").get("idealTimeSec").isNull(), "one failure has none");
    for (JsonNode numbers : List.of(none, none.get("cases").get(0))) {
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
}
