/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness;

import org.apache.hadoop.hdfs.server.blockmanagement.BlockPlacementPolicyRackFaultTolerant;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * Chooses the DataNodes of each block's replicas by a seed, the file's path and the block's place in the file, where
 * HDFS would choose at random. The choice satisfies every placement policy of HDFS if the cluster can. HDFS takes it as
 * a hint (favored nodes): it disregards a node that has no room, or that is busy where the policy considers load. No
 * state that changes; safe for use by several threads.
 */
final class SeededPlacement {
  private final DayuCluster cluster;
  private final long seed;

  SeededPlacement(DayuCluster cluster, long seed) {
    this.cluster = cluster;
    this.seed = seed;
  }

  /** The addresses of the nodes for the {@code block}-th block of a file. */
  InetSocketAddress[] choose(String path, int block, int replication) {
    List<Integer> nodes = new ArrayList<>();
    for (int node = 0; node < cluster.nodeCount(); node++) {
      if (cluster.isRunning(node) && cluster.descriptor(node).isInService()) {
        nodes.add(node);
      }
    }
    Collections.shuffle(nodes, new Random((seed * 31 + path.hashCode()) * 31 + block));
    List<Integer> chosen = new ArrayList<>();
    Map<String, Integer> replicasInRack = new HashMap<>();
    Set<String> domains = new HashSet<>();
    int maxInRack = maxInRack(nodes, replication);
    for (int max = spreadsEvenly() ? 1 : maxInRack; max <= maxInRack; max++) {
      for (int node : nodes) {
        String rack = rack(node);
        if (chosen.size() < replication && replicasInRack.getOrDefault(rack, 0) < max
            && domains.add(domain(cluster.descriptor(node)))) {
          replicasInRack.merge(rack, 1, Integer::sum);
          chosen.add(node);
        }
      }
    }
    return chosen.stream().map(node -> cluster.dataNode(node).getXferAddress()).toArray(InetSocketAddress[]::new);
  }

  /** As {@code getMaxNodesPerRack} of the placement policies. */
  private int maxInRack(List<Integer> nodes, int replication) {
    int racks = (int) nodes.stream().map(this::rack).distinct().count();
    if (racks < 2 || replication < 2) {
      return replication;
    }
    int max = (replication - 1) / racks + (spreadsEvenly() ? 1 : 2);
    return max == replication ? max - 1 : max;
  }

  private boolean spreadsEvenly() {
    return cluster.blockManager().getBlockPlacementPolicy() instanceof BlockPlacementPolicyRackFaultTolerant;
  }

  /** The first part of the node's location; a second one is its node group. */
  private String rack(int node) {
    return cluster.descriptor(node).getNetworkLocation().replaceFirst("(?<=.)/.*", "");
  }

  /** What may hold one replica of a block only: the node's upgrade domain, or its node group, or the node itself. */
  private static String domain(DatanodeDescriptor node) {
    if (node.getUpgradeDomain() != null) {
      return node.getUpgradeDomain();
    }
    return node.getNetworkLocation().lastIndexOf('/') > 0 ? node.getNetworkLocation() : node.getDatanodeUuid();
  }
}
