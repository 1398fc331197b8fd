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
import io.dayu.namenode.status.DayuStatusMXBean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.test.GenericTestUtils.LogCapturer;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** An admin begins with shadow mode, from the first start of a NameNode with Dayu on. */
final class ShadowIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int BLOCKS = 60;
  private static final String PACE = "dfs.namenode.replication.work.multiplier.per.iteration";
  private static final Pattern PLAN = Pattern.compile("Dayu \\(shadow\\): timeslot \\d+: would copy [1-9]\\d* blocks, "
      + "[1-9]\\d* bytes, \\d+ fit the horizon; would leave \\d+ to stock; plan \\d+ ms");

  @Test
  void shadow_fromTheStartOn_logsPlansAndCommitsNothing_untilResume() throws Exception {
    LogCapturer log = LogCapturer.captureLogs(LoggerFactory.getLogger("io.dayu.namenode.admin.ShadowPlanner"));
    // Stock HDFS hands out few blocks at a time, so that some wait until the shadow has planned.
    try (DayuCluster cluster = DayuCluster.builder().dataNodes(5).blockSizeBytes(64 << 10)
        .conf("dayu.namenode.startup.mode", "shadow").conf("dayu.timeslot.interval", "200ms")
        .conf("dayu.timeslot.lead", "100ms").conf("dayu.heartbeat.interval", "200ms")
        .conf(PACE, "1").start()) {
      await("all agents", cluster, "5 of 5 live DataNodes report");
      String status = run(cluster, "-status");
      assertTrue(status.contains(": STOCK since "), status);
      assertTrue(status.contains("by an admin   shadow by dayu.namenode.startup.mode in hdfs-site.xml"), status);
      cluster.write("/f", BLOCKS * (64L << 10), 3);
      new ClusterVerifier(cluster).awaitSettled(LIMIT);
      cluster.kill(cluster.fullestNode());
      Await.until("a plan of the shadow", LIMIT, () -> PLAN.matcher(log.getOutput()).find(), log::getOutput);
      cluster.nameNode().reconfigureProperty(PACE, "100");
      new ClusterVerifier(cluster).assertRecovers(LIMIT);
      assertEquals(0, bean().getTotalPlanned(), "nothing is begun");
      assertEquals(0, bean().getRecoveredBytes());

      String resumed = run(cluster, "-resume");
      assertTrue(resumed.contains("remove dayu.namenode.startup.mode from hdfs-site.xml"), resumed);
      await("Dayu", cluster, ": DAYU since");
      JsonNode after = new ObjectMapper().readTree(run(cluster, "-status", "-json")).get(0);
      assertEquals("run", after.path("control").path("mode").asText());
      cluster.kill(cluster.fullestNode());
      Await.until("Dayu copies", LIMIT, () -> bean().getTotalPlanned() > 0, log::getOutput);
    } finally {
      log.stopCapturing();
    }
  }

  private static DayuStatusMXBean bean() throws Exception {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    List<ObjectName> names =
        List.copyOf(server.queryNames(new ObjectName("Hadoop:service=NameNode,name=DayuStatus*"), null));
    assertEquals(1, names.size(), names::toString);
    return JMX.newMXBeanProxy(server, names.get(0), DayuStatusMXBean.class);
  }

  private static void await(String what, DayuCluster cluster, String line) throws Exception {
    Await.until(what, LIMIT, () -> text(cluster, "-status").contains(line), () -> text(cluster, "-status"));
  }

  private static String run(DayuCluster cluster, String... args) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    assertEquals(0, run(cluster, out, args));
    return out.toString(StandardCharsets.UTF_8);
  }

  /** Nothing, if the recovery loop does not answer in time. */
  private static String text(DayuCluster cluster, String... args) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    run(cluster, out, args);
    return out.toString(StandardCharsets.UTF_8);
  }

  private static int run(DayuCluster cluster, ByteArrayOutputStream out, String... args) throws Exception {
    return ToolRunner.run(new DayuAdmin(new Configuration(cluster.conf()), new PrintStream(out, true), System.err),
        args);
  }
}
