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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Traces, listings, tables and reports that name nodes differently, and what is said of how they were matched. */
class InputFilesTest extends CommandFixture {
  private static final String FSCK = "--fsck " + TraceImportCommandTest.file("fsck-plain.txt");
  private static final String BY_HOST = " --trace " + TraceImportCommandTest.file("trace-by-host-name.csv");

  private Path write(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  private void assertRefused(String command, String... messages) {
    err.getBuffer().setLength(0);
    assertEquals(2, run(command), out::toString);
    for (String message : messages) {
      assertTrue(err.toString().contains(message), err::toString);
    }
  }

  /** As dfsadmin prints it, of dn1 to dn9 with the addresses of the listing, and of one node that holds nothing. */
  private Path report() throws IOException {
    StringBuilder text = new StringBuilder("Configured Capacity: 9000 (8.79 KB)\nDFS Remaining: 8000 (7.81 KB)\n"
        + "-------------------------------------------------\nLive datanodes (10):\n\n");
    for (int node = 1; node <= 10; node++) {
      text.append("Name: 10.0.0.").append(node).append(":9866 (dn").append(node).append(".example.org)\nHostname: dn")
          .append(node).append(".example.org\nRack: /rack").append((node - 1) % 3)
          .append("\nDecommission Status : Normal\nConfigured Capacity: 1000000000000 (931.32 GB)\n")
          .append("DFS Used: 24576 (24 KB)\nDFS Remaining: ").append(node == 9 ? 0 : 500_000_000_000L)
          .append(" (465.66 GB)\nDFS Used%: 0.00%\nXceivers: 0\nLast contact: Mon Nov 23 10:00:00 UTC 2026\n\n\n");
    }
    return write("report.txt", text + "Dead datanodes (1):\n\nName: 10.0.0.99:9866 (dn99.example.org)\nHostname: dn99\n"
        + "Decommission Status : Normal\nDFS Remaining: 0 (0 B)\n");
  }

  @Test
  void traceByHostName_isNotGivenByOrder() {
    assertRefused("recover " + FSCK + BY_HOST, "the trace has traffic of 0 of the listing's 9 nodes",
        "it lacks 10.0.0.1:9866 and has dn9.example.org, which is none of them", "--dfs-report", "--trace-rows drawn");
    assertEquals(0, run("recover " + FSCK + BY_HOST + " --trace-rows drawn"), err::toString);
    assertTrue(
        out.toString().contains("nodes: each has the rows of a node of the trace, drawn by chance (--trace-rows)"),
        out::toString);
    assertRefused("recover " + FSCK + BY_HOST + " --trace-rows mine", "--trace-rows = mine, expected named or drawn");
  }

  @Test
  void report_isABridgeBetweenNames_andHasRacksAndRoom() throws IOException {
    Path trace = write("trace.csv", Files.readString(Path.of(TraceImportCommandTest.file("trace-by-host-name.csv")))
        + "dn10:9864,tx" + ",5".repeat(40) + "\ndn10:9864,rx" + ",5".repeat(40) + "\n"
        + "edge1,tx" + ",5".repeat(40) + "\nedge1,rx" + ",5".repeat(40) + "\n");
    String options = " --dfs-report " + report() + " --trace " + trace;
    assertEquals(0, run("recover " + FSCK + options + " --lost dn4.example.org:9864"), err::toString);
    assertTrue(out.toString().contains("listing: 10 nodes on 3 racks, 18 blocks"), out::toString);
    assertTrue(out.toString().contains("lost: 10.0.0.4:9866 on /rack0, "), out::toString);
    assertTrue(
        out.toString().contains("nodes: 10 of 10 have their rows of the trace: 9 as it is, 1 without a domain; left "
            + "out: 1 of the trace, such as edge1"),
        out::toString);
    assertEquals(0, run("recover " + FSCK + options + " --leave-out edge1"), err::toString);
    assertTrue(out.toString().contains("left out: edge1"), out::toString);
    assertRefused("recover " + FSCK + options + " --leave-out edge2",
        "--leave-out = edge2: no such node; there are 11");
    assertEquals(0, run("recover --chunks 100" + options + " --lost dn1"), err::toString);
    assertTrue(out.toString().contains("report: 10 live nodes on 3 racks"), out::toString);
    assertRefused("recover --rack-size 3" + options, "--rack-size cannot be given with --dfs-report");
    assertRefused("recover --dfs-report " + trace, trace + ": line 23: no live DataNode so far");
    assertRefused("recover " + FSCK + " --dfs-report "
        + write("moved.txt", Files.readString(report()).replace("Rack: /rack0", "Rack: /r")),
        "is on /rack0 in the listing and on /r in the report");
  }

  @Test
  void addressesOfPolls_areThoseOfAListing_withAnotherPort() throws IOException {
    Path trace = write("trace.csv", Files.readString(Path.of(TraceImportCommandTest.file("trace-by-host-name.csv")))
        .replaceAll("dn(\\d)\\.example\\.org", "10.0.0.$1:9864"));
    Path table = write("nodes.csv", "# measured\nnode;bandwidth\n10.0.0.9;\"62,5MB\"\n");
    assertEquals(0, run("recover " + FSCK + " --trace " + trace + " --lost 10.0.0.7:9864 --node-table " + table),
        err::toString);
    assertTrue(out.toString().contains("nodes: 9 of 9 have their rows of the trace: 9 without its port"),
        out::toString);
    assertTrue(out.toString().contains("lost: 10.0.0.7:9866"), out::toString);
    assertEquals(0, run("recover " + FSCK + " --event 0s:node:10.0.0.7:9864"), err::toString);
    Files.writeString(trace, Files.readString(trace).replace("10.0.0.2:9864", "10.0.0.1:9866"));
    assertRefused("recover " + FSCK + " --trace " + trace, "two nodes, 10.0.0.1:9864 and 10.0.0.1:9866, that are both "
        + "10.0.0.1:9866");
    Files.writeString(table, "node,bandwidth\n10.0.0.9:1,1GB\n10.0.0.9,1GB\n");
    assertRefused("recover " + FSCK + " --node-table " + table, "line 3: a second row of 10.0.0.9");
    Files.writeString(table, "node,bandwidth\nnode17,1GB\n");
    assertRefused("recover " + FSCK + " --node-table " + table, "line 2: node17: no such node; there are 9");
  }

  @Test
  void slotOfAnImportedTrace_isNotTakenForAnother() throws IOException {
    Path trace = folder.resolve("trace.csv");
    assertEquals(0,
        run("trace import --slot 10m --sar " + TraceImportCommandTest.file("sar-10min.txt") + " --out " + trace),
        err::toString);
    Files.writeString(trace, Files.readString(trace)
        + "dn2,tx,1,1,1,1,1\ndn2,rx,1,1,1,1,1\ndn3,tx,1,1,1,1,1\ndn3,rx,1,1,1,1,1\n"
        + "dn4,tx,1,1,1,1,1\ndn4,rx,1,1,1,1,1\n");
    String recover = "recover --rack-size 1 --chunks 40 --hour 22 --trace " + trace;
    assertEquals(0, run(recover), err::toString);
    assertTrue(out.toString().contains("trace: 4 nodes, 5 slots of 600s, as it says"), out::toString);
    assertTrue(out.toString().contains("hours: the trace begins at 2026-11-23T22:00:00Z and hours are of UTC"),
        out::toString);
    assertRefused(recover + " --trace-slot 15s", "--trace-slot = 15s, but the trace says that its slots are of 600s");
    Files.writeString(trace, Files.readString(trace).replaceFirst("#.*\n", ""));
    assertEquals(0, run("recover --rack-size 1 --chunks 40 --trace " + trace), err::toString);
    assertTrue(out.toString().contains("5 slots of 15s, the default, since it does not say (--trace-slot)"),
        out::toString);
  }

  @ParameterizedTest
  @ValueSource(strings = {"recover", "inspect", "tune --budget 1 --max-interference 100%"})
  void trafficAboveTheBandwidth_isCutOff_withAWord(String command) throws IOException {
    StringBuilder trace = new StringBuilder("node;dir;s0;s1\n");
    for (int node = 0; node < 6; node++) {
      trace.append("n" + node + ";tx;100,0;33,0\nn" + node + ";rx;100;33\n");
    }
    Path file = write("trace.csv", trace.toString());
    assertEquals(0, run(command + " --rack-size 1 --chunks 20 --bandwidth 50MB --failures 1 --trace " + file),
        err::toString);
    assertTrue(
        out.toString().contains("cut: 12 of 24 values to the bandwidth of their node; mean 66.5 became 41.5 MB/s"),
        out::toString);
  }

  @Test
  void idleSlots_leaveStatisticsKnown() throws IOException {
    Path json = folder.resolve("found.json");
    assertEquals(0, run("inspect --rack-size 1 --chunks 1000 --json " + json + " --trace "
        + TraceImportCommandTest.file("trace-one-idle-slot.csv")), err::toString);
    assertTrue(out.toString().contains("0.41/0.41/0.41") && !out.toString().contains("NaN"), out::toString);
    JsonNode found = new ObjectMapper().readTree(json.toFile()).get("foreground");
    double correlation = found.get("lagOneCorrelation").asDouble();
    assertTrue(correlation >= -1 && correlation <= 1, found::toString);
    for (JsonNode cov : found.get("slotCov")) {
      assertEquals(Math.sqrt(1 / 6.0), cov.asDouble(), 1e-6);
    }
  }

  private static String listing(int nodes, String... more) {
    StringBuilder text = new StringBuilder();
    String holders = "";
    for (int node = 1; node <= nodes; node++) {
      holders += (node == 1 ? "" : ", ") + "/r/10.0.0." + node + ":9866";
    }
    text.append("/a 9 bytes, replicated: replication=3, 1 block(s):  OK\n0. BP-1:blk_1_1 len=9 Live_repl=")
        .append(nodes)
        .append("  [").append(holders).append("]\n");
    for (String file : more) {
      text.append(file).append("\n");
    }
    return text + "Status: HEALTHY\n";
  }

  @Test
  void fewerNodesThanReplicas_areSaid() throws IOException {
    Path fsck = write("fsck.txt", listing(3));
    assertRefused("recover --failures 2 --fsck " + fsck,
        "nothing can be recovered if 10.0.0.", "none may take any of its 1 blocks",
        "It takes more nodes than replicas");
    assertRefused("tune --budget 1 --fsck " + fsck, "nothing can be recovered if 10.0.0.");
    assertRefused("recover --rack-size 1 --trace " + TraceImportCommandTest.file("trace-one-idle-slot.csv"),
        "nothing can be recovered if n");
    write("fsck.txt", listing(3, "/b 9 bytes, replicated: replication=2, 1 block(s):  OK",
        "0. BP-1:blk_2_1 len=9 Live_repl=2  [/r/10.0.0.1:9866, /r/10.0.0.2:9866]"));
    assertEquals(0, run("recover --lost 10.0.0.1 --fsck " + fsck), err::toString);
    assertTrue(out.toString().contains("1.0 blocks of a failure are left out: no node that is left may take them"),
        out::toString);
  }

  @Test
  void codeThatNoFileOfTheListingHas_isRefusedWithThoseThatThereAre() throws IOException {
    Path fsck = write("fsck.txt", listing(4));
    assertRefused("recover --code rs-6-3 --fsck " + fsck,
        "--code = rs-6-3, but the erasure-coded files in " + fsck + " are none");
    write("fsck.txt", listing(4, group("/x", "XOR-2-1-1024k", 2), group("/y", "RS-3-2-64k", 3),
        group("/z", "XOR-2-1-1024k", 4), group("/own", "lrc-4", 5)));
    assertRefused("recover --code rs-6-3 --fsck " + fsck,
        "--code = rs-6-3, but the erasure-coded files in " + fsck + " have RS-3-2-64k, XOR-2-1-1024k, lrc-4");
    assertEquals(0, run("inspect --code xor-2-1 --fsck " + fsck), err::toString);
  }

  @Test
  void blocksAndGroupsOfAListing_areRecoveredTogether_inTheTimeOfBoth() throws IOException {
    Path fsck = write("fsck.txt", listing(6, group("/x", "XOR-2-1-1024k", 2), group("/y", "XOR-2-1-64k", 3),
        group("/own", "lrc-4", 5), "/b 5000000 bytes, replicated: replication=3, 1 block(s):  OK",
        "0. BP-1:blk_9_1 len=5000000 Live_repl=3  [/r/10.0.0.1:9866, /r/10.0.0.2:9866, /r/10.0.0.6:9866]"));
    String recover = "recover --lost 10.0.0.1 --failures 2 --algorithm dayu,hdfs,R+W --fsck " + fsck;
    double blocks = idealSeconds(recover);
    double groups = idealSeconds(recover + " --code xor-2-1");
    double both = idealSeconds(recover + " --code all");
    assertTrue(out.toString().contains("2 blocks and 2 groups; left out: 1 erasure-coded block groups whose policy"),
        out::toString);
    assertTrue(out.toString().contains(" blocks and internal blocks to recover"), out::toString);
    assertEquals(blocks + groups, both, 1e-6);
    assertEquals(0, run("recover --code all --event 0s:node:10.0.0.1,5s:node:10.0.0.6 --algorithm dayu,hdfs,R+W --fsck "
        + fsck), err::toString);
    assertTrue(out.toString().contains("hdfs: time of blocks and groups that lacked one internal block, in sum: "),
        out::toString);
    assertRefused("recover --code all", "--code = all needs --fsck");
    assertRefused("recover --code all --algorithm pangu-slow --fsck " + fsck, "pangu-slow plans copies only");
  }

  private double idealSeconds(String command) throws IOException {
    Path json = folder.resolve("out.json");
    assertEquals(0, run(command + " --json " + json), err::toString);
    return new ObjectMapper().readTree(json.toFile()).get("results").get(0).get("idealTimeSec").asDouble();
  }

  /** A file with one group of 3 MB, of which three nodes have a part. */
  private static String group(String path, String policy, int block) {
    return path + " 3000000 bytes, erasure-coded: policy=" + policy + ", 1 block(s):  OK\n0. BP-1:blk_-" + 16 * block
        + "_1 len=3000000 Live_repl=3  [blk_-" + 16 * block + ":/r/10.0.0.1:9866, blk_-" + (16 * block - 1)
        + ":/r/10.0.0.2:9866, blk_-" + (16 * block - 2) + ":/r/10.0.0.3:9866]";
  }

  @Test
  void recoveryThatDidNotFinish_hasNoTimeLost_andTheBoundKeepsAlpha() {
    assertEquals(1, run("recover " + SMALL + "--limit 1s"), err::toString);
    assertTrue(out.toString().contains("no recovery that keeps alpha is shorter than "), out::toString);
    assertTrue(out.toString().lines().anyMatch(line -> line.matches("dayu +-")), out::toString);
  }
}
