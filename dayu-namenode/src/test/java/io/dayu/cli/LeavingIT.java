/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dayu.harness.Await;
import io.dayu.harness.ClusterVerifier;
import io.dayu.harness.DayuCluster;
import io.dayu.harness.nic.EmulatedNic;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** An admin decommissions a DataNode that holds up: a pause, a file that is written, and too few DataNodes. */
final class LeavingIT {
  private static final Duration LIMIT = Duration.ofSeconds(120);
  private static final int BLOCK = 64 << 10;
  private static final long NIC_BYTES_PER_SEC = 400_000;

  @Test
  void decommission_isFollowedToItsEnd_withWhatBlocksIt() throws Exception {
    try (DayuCluster cluster = DayuCluster.builder().dataNodes(4).blockSizeBytes(BLOCK)
        .conf("dayu.heartbeat.interval", "200ms").start()) {
      await("Dayu", cluster, "-status", ": DAYU since");
      await("nobody leaves", cluster, "-leaving", "no DataNode is decommissioning or entering maintenance");
      // On nodes as HDFS chooses them for each block, so that each node has some.
      cluster.files().write(cluster.fileSystem(), "/f", 8L * BLOCK, 3);
      try (FSDataOutputStream open = cluster.fileSystem().create(new Path("/open"), (short) 1)) {
        // A whole block, so that its replica is final and the file is not.
        open.write(new byte[BLOCK]);
        open.hflush();
        int leaving = cluster.nodeOf(cluster.blocksOf("/open").get(0).getLocations()[0].getDatanodeUuid());
        new ClusterVerifier(cluster).awaitSettled(LIMIT);
        run(cluster, "-pause", "-all");
        cluster.admin().decommission(leaving);
        await("it is paused", cluster, "-leaving", ": wait for a copy, such as blk_");
        await("why", cluster, "-leaving", "  for all       recovery is paused until ");
        await("the open file", cluster, "-leaving", "  open files    /open");
        JsonNode deadline = new ObjectMapper().readTree(run(cluster, "-deadline", "all", "1h", "-json"));
        checkJsonPage(new ObjectMapper().readTree(run(cluster, "-leaving", "-json")), deadline);
        run(cluster, "-resume");
        await("only the open file is left", cluster, "-leaving", "nothing is left that recovery can copy");
      }
      await("it has left", cluster, "-leaving", "no DataNode is decommissioning or entering maintenance");
    }
  }

  @Tag("slow")
  @Test
  void deadline_isForecast_plannedFor_andKept() throws Exception {
    try (DayuCluster cluster = DayuCluster.builder().dataNodes(5).blockSizeBytes(BLOCK)
        .conf("dayu.heartbeat.interval", "200ms").conf("dayu.recovery.max-utilization", "0.05")
        .emulatedNics(NIC_BYTES_PER_SEC).start()) {
      await("Dayu", cluster, "-status", ": DAYU since");
      cluster.nics().forEach(EmulatedNic::unlimit);
      cluster.write("/f", 100L * BLOCK, 3);
      new ClusterVerifier(cluster).awaitSettled(LIMIT);
      cluster.nics().forEach(nic -> nic.limitTo(NIC_BYTES_PER_SEC));
      assertTrue(run(cluster, "-deadline", "all", "55s", "0.95").contains("no such DataNode leaves now"));
      int leaving = cluster.nodeOf(cluster.blocksOf("/f").get(0).getLocations()[0].getDatanodeUuid());
      cluster.admin().decommission(leaving);
      await("a higher alpha", cluster, "-status", "dayu.recovery.max-utilization = 0.", "(deadline of all at ");
      await("the forecast", cluster, "-leaving", "  deadline      of all at ", ": can be kept, at alpha 0.");
      await("it has left", cluster, "-leaving", "no DataNode is decommissioning or entering maintenance");
      await("in time", cluster, "-leaving", ": met: nothing is left");
      await("alpha as before", cluster, "-status", status -> !status.contains("(deadline of all at "));
      assertTrue(run(cluster, "-deadline", "all", "none").contains("no deadline of all any more"));
    }
  }

  @Test
  void decommissionThatHasNowhereToGo_saysSo() throws Exception {
    try (DayuCluster cluster = DayuCluster.builder().dataNodes(3).blockSizeBytes(BLOCK)
        .conf("dayu.timeslot.interval", "600ms").conf("dayu.timeslot.lead", "100ms")
        .conf("dayu.heartbeat.interval", "200ms").start()) {
      await("Dayu", cluster, "-status", ": DAYU since");
      cluster.write("/f", 5L * BLOCK, 3);
      new ClusterVerifier(cluster).awaitSettled(LIMIT);
      cluster.admin().decommission(0);
      await("no target", cluster, "-leaving", "  no-target     5, 320.0 KB: fit on no DataNode");
    }
  }

  @Test
  void fileWhoseWholePipelineLeaves_isNamed() throws Exception {
    try (DayuCluster cluster = DayuCluster.builder().dataNodes(4).blockSizeBytes(BLOCK)
        .conf("dayu.heartbeat.interval", "200ms").start()) {
      await("Dayu", cluster, "-status", ": DAYU since");
      // Keeps both from having left: then HDFS could not close the other file.
      cluster.write("/held", BLOCK, 4);
      new ClusterVerifier(cluster).awaitSettled(LIMIT);
      try (FSDataOutputStream open = cluster.fileSystem().create(new Path("/open"), (short) 2)) {
        open.write(new byte[BLOCK / 2]);
        open.hflush();
        for (DatanodeInfo node : cluster.blocksOf("/open").get(0).getLocations()) {
          cluster.admin().decommission(cluster.nodeOf(node.getDatanodeUuid()));
        }
        await("the file at risk", cluster, "-leaving", "  at risk       /open: it is being written to ");
      }
      await("it is closed", cluster, "-leaving", lines -> !lines.contains("/open"));
    }
  }

  private static void checkJsonPage(JsonNode answer, JsonNode deadline) throws Exception {
    JsonPage page = JsonPage.read();
    page.see("leaving", answer);
    page.see("deadline", deadline);
    assertEquals(Set.of(), page.unlisted(), "not in docs/json.md");
    assertEquals(List.of(), page.unseen().stream()
        .filter(field -> field.startsWith("leaving ") || field.startsWith("deadline ")).toList(),
        "in docs/json.md only");
  }

  private static void await(String what, DayuCluster cluster, String command, String... parts) throws Exception {
    await(what, cluster, command, text -> Arrays.stream(parts).allMatch(text::contains));
  }

  private static void await(String what, DayuCluster cluster, String command, Predicate<String> lines)
      throws Exception {
    // An answer may be missing if the recovery loop does not give it in time.
    Await.until(what, LIMIT, () -> {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      return run(cluster, out, command) == 0 && lines.test(out.toString(StandardCharsets.UTF_8));
    }, () -> run(cluster, command));
  }

  private static String run(DayuCluster cluster, String... args) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    assertEquals(0, run(cluster, out, args));
    return out.toString(StandardCharsets.UTF_8);
  }

  private static int run(DayuCluster cluster, ByteArrayOutputStream out, String... args) throws Exception {
    return ToolRunner.run(new DayuAdmin(new Configuration(cluster.conf()), new PrintStream(out, true), System.err),
        args);
  }
}
