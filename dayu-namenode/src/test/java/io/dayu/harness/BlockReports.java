/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness;

import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeStorageInfo;
import org.apache.hadoop.hdfs.server.datanode.BlockReportAccess;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.util.Time;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The full block reports of an embedded cluster. Single-threaded.
 *
 * <p>HDFS does not always repeat a report that was lost. After a restart of the NameNode a DataNode registers on one
 * thread and sends heartbeats and reports on another. If the first registration takes longer than a heartbeat, the
 * NameNode asks for a second one. If that arrives after the report, the NameNode forgets that it has the report; and if
 * the DataNode handles the answer to its report last, it plans the next one for some time in the next six hours. So a
 * wait for reports has to ask again for those that are missing.
 */
final class BlockReports {
  private static final long REQUEST_INTERVAL_NANOS = Duration.ofSeconds(1).toNanos();
  private static final Duration HEARTBEAT_LIMIT = Duration.ofSeconds(120);

  private final DayuCluster cluster;
  private long lastRequestNanos = System.nanoTime() - REQUEST_INTERVAL_NANOS;

  BlockReports(DayuCluster cluster) {
    this.cluster = cluster;
  }

  /** A DataNode, by number, without a report to a NameNode, by index. */
  private record Missing(int node, int nameNode) {
  }

  /** Waits until each running DataNode has registered with each running NameNode and has sent a heartbeat to it. */
  void awaitHeartbeats() throws IOException {
    try {
      await("the first heartbeats", HEARTBEAT_LIMIT, DatanodeDescriptor::isHeartbeatedSinceRegistration);
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(e);
    }
  }

  /** Waits until each running NameNode has a full block report of each running DataNode since that registered. */
  void awaitFirst(Duration limit) throws Exception {
    await("all block reports", limit, DatanodeDescriptor::checkBlockReportReceived);
  }

  /**
   * Lets each running DataNode send another full block report to each running NameNode and waits for them. A NameNode
   * that has become active takes a DataNode's replicas as stale until a heartbeat and then a report have arrived.
   */
  void renew(Duration limit) throws Exception {
    long sinceMs = Time.monotonicNow();
    await("new block reports", limit, node -> node.getLastBlockReportMonotonic() > sinceMs
        && Arrays.stream(node.getStorageInfos()).noneMatch(DatanodeStorageInfo::areBlockContentsStale));
  }

  /** Asks all running DataNodes for a full block report, if the last request was a second ago. Does not wait. */
  void requestAll() {
    request(missing(node -> false));
  }

  /** Asks those that have not sent one since they registered, if the last request was a second ago. Does not wait. */
  void requestMissing() {
    request(missing(DatanodeDescriptor::checkBlockReportReceived));
  }

  /** What is known of each DataNode that has not sent a full block report since it registered; empty if all have. */
  String describeMissing() {
    return describe(missing(DatanodeDescriptor::checkBlockReportReceived));
  }

  private void await(String what, Duration limit, Predicate<DatanodeDescriptor> reported) throws Exception {
    Await.until(what, limit, () -> {
      List<Missing> missing = missing(reported);
      request(missing);
      return missing.isEmpty();
    }, () -> describe(missing(reported)));
  }

  private List<Missing> missing(Predicate<DatanodeDescriptor> reported) {
    List<Missing> missing = new ArrayList<>();
    for (int nameNode = 0; nameNode < cluster.mini().getNumNameNodes(); nameNode++) {
      boolean runs = cluster.isNameNodeRunning(nameNode);
      for (int node = 0; node < cluster.nodeCount() && runs; node++) {
        if (cluster.isRunning(node)) {
          DatanodeDescriptor known = cluster.descriptor(node, nameNode);
          if (known == null || !known.isRegistered() || !reported.test(known)) {
            missing.add(new Missing(node, nameNode));
          }
        }
      }
    }
    return missing;
  }

  /** A DataNode that has not registered yet sends its report once it has. */
  private void request(List<Missing> missing) {
    if (System.nanoTime() - lastRequestNanos < REQUEST_INTERVAL_NANOS) {
      return;
    }
    lastRequestNanos = System.nanoTime();
    for (Missing one : missing) {
      DatanodeDescriptor known = cluster.descriptor(one.node, one.nameNode);
      if (known != null && known.isRegistered() && known.isHeartbeatedSinceRegistration()) {
        dataNode(one.node).ifPresent(node -> BlockReportAccess.request(node, address(one.nameNode)));
      }
    }
  }

  private String describe(List<Missing> missing) {
    return missing.stream().map(this::describe).collect(Collectors.joining("\n"));
  }

  private String describe(Missing missing) {
    return "of DataNode " + missing.node + " to NameNode " + missing.nameNode + "\n  NameNode: "
        + describe(cluster.descriptor(missing.node, missing.nameNode)) + "\n"
        + dataNode(missing.node).map(node -> BlockReportAccess.describe(node, address(missing.nameNode)))
            .orElse("  DataNode: has not read its storage yet\n");
  }

  private static String describe(DatanodeDescriptor known) {
    if (known == null) {
      return "the DataNode has not registered";
    }
    long nowMs = Time.monotonicNow();
    String storages = Arrays.stream(known.getStorageInfos())
        .map(storage -> storage.getStorageID() + " " + storage.getStorageType() + " with " + storage
            .getBlockReportCount() + " reports" + (storage.areBlockContentsStale() ? ", stale" : ""))
        .collect(Collectors.joining("; "));
    return (known.isRegistered() ? "registered" : "to register again") + (known.isAlive() ? ", alive" : ", dead")
        + ", last heartbeat " + (nowMs - known.getLastUpdateMonotonic()) + " ms ago"
        + (known.isHeartbeatedSinceRegistration() ? "" : ", none since the registration") + ", last full block report "
        + (known.getLastBlockReportMonotonic() > 0 ? nowMs - known.getLastBlockReportMonotonic() + " ms ago" : "never")
        + ", storages: " + storages;
  }

  /** One that has just been started knows its UUID only when it has asked a NameNode for its namespace. */
  private Optional<DataNode> dataNode(int node) {
    return cluster.mini().getDataNodes().stream()
        .filter(started -> cluster.uuid(node).equals(started.getDatanodeUuid())).findFirst();
  }

  private InetSocketAddress address(int nameNode) {
    return cluster.mini().getNameNode(nameNode).getServiceRpcAddress();
  }
}
