/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.cli.DayuAdmin;
import io.dayu.harness.Await;
import io.dayu.harness.ClusterVerifier;
import io.dayu.harness.DayuCluster;
import io.dayu.namenode.status.DayuStatusMXBean;
import io.dayu.namenode.status.RecoveryMetric;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.ToolRunner;

import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * Reads the status of Dayu as an admin's dashboard would, through JMX. With two NameNodes: of the one that is not
 * standing by.
 */
final class StatusProbe {
  static final Duration LIMIT = Duration.ofSeconds(60);

  private StatusProbe() {
  }

  /** Of each NameNode in this JVM. */
  static List<DayuStatusMXBean> all() throws Exception {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    List<DayuStatusMXBean> all = new ArrayList<>();
    for (ObjectName name : server.queryNames(new ObjectName("Hadoop:service=NameNode,name=DayuStatus*"), null)) {
      all.add(JMX.newMXBeanProxy(server, name, DayuStatusMXBean.class));
    }
    return all;
  }

  static DayuStatusMXBean status() throws Exception {
    DayuStatusMXBean found = null;
    for (DayuStatusMXBean status : all()) {
      if (found == null || !status.getState().equals("STANDBY")) {
        found = status;
      }
    }
    return found;
  }

  static void await(String what, Callable<Boolean> condition) throws Exception {
    Await.until(what, LIMIT, condition, StatusProbe::describe);
  }

  static void awaitState(String state) throws Exception {
    await("state " + state, () -> status() != null && status().getState().equals(state));
  }

  /** Waits until every one of {@code agents} agents is known and Dayu recovers. */
  static void awaitDayu(int agents) throws Exception {
    await("state DAYU with " + agents + " agents", () -> status() != null && status().getState().equals("DAYU")
        && status().getLiveAgents() == agents);
  }

  static void awaitRunning(long atLeast) throws Exception {
    await(atLeast + " transfers with progress",
        () -> status().getRunningTransfers() >= atLeast && status().getProgressBytes() > 0);
  }

  /** Waits until Dayu knows that a transfer has finished, which is soon after the block map has the replica. */
  static void awaitFinished() throws Exception {
    await("a finished transfer", () -> status().getTotalFinished() > 0);
  }

  /**
   * Waits until nothing is to be recovered. Returns how many transfers have finished: some may have, where a client's
   * replica was reported late. A transfer whose agent is done is no running one any more, but its bytes count until the
   * loop has met its replica in the block map, and only then it counts as finished.
   */
  static long awaitSettled(DayuCluster cluster) throws Exception {
    new ClusterVerifier(cluster).awaitSettled(LIMIT);
    await("no transfer under way", () -> status().getRunningTransfers() == 0 && status().getProgressBytes() == 0);
    return status().getTotalFinished();
  }

  /** Waits until the loop has ended the timeslot that it is planning: it answers this command between two. */
  static void awaitLoop(Configuration conf) throws Exception {
    await("an answer of the loop", () -> command(conf, "-nodes") == 0);
  }

  private static int command(Configuration conf, String... args) throws Exception {
    return ToolRunner.run(new DayuAdmin(conf, new PrintStream(OutputStream.nullOutputStream()), System.err), args);
  }

  /** The DataNode that the first of the transfers under way reads from. */
  static int firstSource(DayuCluster cluster) throws Exception {
    List<String> transfers = new ArrayList<>();
    await("a transfer under way", () -> transfers.addAll(status().getTransfers()));
    String name = transfers.get(0).replaceFirst(".* from ([^, ]+),? .*", "$1");
    for (int node = 0; node < cluster.nodeCount(); node++) {
      if (cluster.isRunning(node) && cluster.dataNode(node).getDatanodeId().getXferAddrWithHostname().equals(name)) {
        return node;
      }
    }
    throw new AssertionError("no node " + name);
  }

  /** How many planned transfers the NameNode has refused for each cause, as its metrics say. */
  static Map<String, Object> refusals() throws Exception {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    ObjectName metrics = new ObjectName("Hadoop:service=NameNode,name=Dayu");
    Map<String, Object> refusals = new LinkedHashMap<>();
    for (RecoveryMetric metric : RecoveryMetric.values()) {
      if (metric.name().startsWith("TRANSFERS_REJECTED_")) {
        refusals.put(metric.jmxName(), server.getAttribute(metrics, metric.jmxName()));
      }
    }
    return refusals;
  }

  static String describe() throws Exception {
    DayuStatusMXBean s = status();
    return s == null ? "no status"
        : s.getState() + " (" + s.getStateReason() + "), agents " + s.getLiveAgents() + ", planned "
            + s.getTotalPlanned() + ", rejected " + s.getTotalRejected() + ", finished " + s.getTotalFinished()
            + ", failed "
            + s.getTotalFailed() + ", running " + s.getRunningTransfers() + ", waiting " + s.getWaitingBlocks();
  }
}
