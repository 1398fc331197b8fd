/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import org.apache.hadoop.hdfs.protocol.Block;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * What DataNodes have of erasure-coded groups on their disks, what of it is corrupt, and what they have yet to report
 * to the NameNode of a {@link GroupCluster}. For one thread.
 */
final class GroupDisks {
  /** A report of a DataNode that the NameNode has yet to get: of a deletion, or of an internal block that it made. */
  record Report(BlockInfoStriped group, int node, int index, boolean deleted) {
  }

  private final GroupCluster cluster;
  private final Random random;
  /** What is on the nodes' disks: by group, the index of each node. */
  private final Map<BlockInfoStriped, Map<Integer, Integer>> disks = new LinkedHashMap<>();
  /** Of these, the nodes whose internal block is corrupt, and the NameNode knows. */
  private final Map<BlockInfoStriped, Set<Integer>> corrupt = new HashMap<>();
  private final List<Report> late = new ArrayList<>();

  GroupDisks(GroupCluster cluster, Random random) {
    this.cluster = cluster;
    this.random = random;
  }

  /** A group with the index that each of these nodes has. */
  void add(BlockInfoStriped group, Map<Integer, Integer> indices) {
    disks.put(group, indices);
    corrupt.put(group, new HashSet<>());
  }

  /** The index that each node has. */
  Map<Integer, Integer> of(BlockInfoStriped group) {
    return disks.get(group);
  }

  /** How many indices some node has a good internal block of. */
  long good(BlockInfoStriped group) {
    return disks.get(group).entrySet().stream().filter(one -> !corrupt.get(group).contains(one.getKey()))
        .map(Map.Entry::getValue).distinct().count();
  }

  /** The first index that no node has; -1 if there is none. */
  int firstLost(BlockInfoStriped group) {
    return IntStream.range(0, group.getTotalBlockNum())
        .filter(index -> isReal(group, index) && !disks.get(group).containsValue(index)).findFirst().orElse(-1);
  }

  private static boolean isReal(BlockInfoStriped group, int index) {
    return index < group.getRealDataBlockNum() || index >= group.getDataBlockNum();
  }

  /** The node has made an internal block; the test reports it. */
  void put(BlockInfoStriped group, int node, int index) {
    disks.get(group).put(node, index);
  }

  /** The node has made an internal block, and reports it later. */
  void putUnreported(BlockInfoStriped group, int node, int index) {
    put(group, node, index);
    late.add(new Report(group, node, index, false));
  }

  /** How many reports are late. */
  int late() {
    return late.size();
  }

  /** The NameNode gets a late report. */
  Report deliver(int which) throws Exception {
    Report report = late.remove(which);
    deliver(report);
    return report;
  }

  private void deliver(Report report) throws Exception {
    if (report.deleted) {
      cluster.reportDeleted(report.group, report.index, report.node);
    } else {
      cluster.report(report.group, report.index, report.node);
    }
    cluster.enqueue(report.group);
  }

  /** A holder is lost for good. */
  void lose(BlockInfoStriped group) {
    int node = dispensable(group);
    if (node >= 0) {
      disks.get(group).remove(node);
      corrupt.get(group).remove(node);
      cluster.lose(group, node);
    }
  }

  void findCorrupt(BlockInfoStriped group) throws Exception {
    int node = dispensable(group);
    if (node >= 0 && corrupt.get(group).add(node)) {
      cluster.corrupt(group, disks.get(group).get(node), node);
      cluster.enqueue(group);
    }
  }

  /** A holder whose internal block the group can do without, or -1. */
  private int dispensable(BlockInfoStriped group) {
    Map<Integer, Integer> disk = disks.get(group);
    List<Integer> nodes = new ArrayList<>(
        disk.keySet().stream().filter(node -> isKnown(group, node)).sorted().toList());
    if (nodes.isEmpty()) {
      return -1;
    }
    int node = nodes.get(random.nextInt(nodes.size()));
    long rest = disk.entrySet().stream().filter(one -> one.getKey() != node && stays(group, one.getKey()))
        .map(Map.Entry::getValue).distinct().count();
    return rest >= group.getRealDataBlockNum() ? node : -1;
  }

  /** Whether a holder's internal block is good, and is not to be deleted. */
  private boolean stays(BlockInfoStriped group, int node) {
    return isKnown(group, node) && !corrupt.get(group).contains(node)
        && !cluster.blocks.isExcess(cluster.node(node), group);
  }

  /** Whether the NameNode knows of what this node has. */
  private boolean isKnown(BlockInfoStriped group, int node) {
    return group.findStorageInfo(cluster.node(node)) != null;
  }

  /** What an agent looks for: its DataNode has no index, and has reported all deletions. */
  boolean isClear(BlockInfoStriped group, int node) {
    return !disks.get(group).containsKey(node)
        && late.stream().noneMatch(report -> report.group == group && report.node == node);
  }

  /** The node deletes what HDFS has it delete, and reports that at once or later. */
  void delete(int node) throws Exception {
    for (Block block : cluster.takeDeletions(node)) {
      for (BlockInfoStriped group : disks.keySet()) {
        int index = (int) (block.getBlockId() - group.getBlockId());
        if (index >= 0 && index < group.getTotalBlockNum() && disks.get(group).remove(node, index)) {
          corrupt.get(group).remove(node);
          Report report = new Report(group, node, index, true);
          if (random.nextBoolean()) {
            deliver(report);
          } else {
            late.add(report);
          }
        }
      }
    }
  }

  /** What the NameNode has to know: but what is late, and what it has dropped since it is corrupt. */
  Map<Integer, Integer> reported(BlockInfoStriped group) {
    Map<Integer, Integer> reported = new HashMap<>(disks.get(group));
    late.stream().filter(report -> report.group == group && !report.deleted)
        .forEach(report -> reported.remove(report.node));
    corrupt.get(group).stream().filter(node -> !isKnown(group, node)).forEach(reported::remove);
    // A deletion that is yet to be reported: HDFS still knows of what was excess.
    late.stream().filter(report -> report.group == group && report.deleted && isKnown(group, report.node))
        .forEach(report -> reported.put(report.node, report.index));
    return reported;
  }
}
