/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts.client;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * The names of the hosts and the racks of the DataNodes, and where HDFS's placement policy may put the replicas of a
 * block. Immutable.
 *
 * @param nodes DataNodes
 * @param racks racks, over which the DataNodes are dealt out
 */
public record Topology(int nodes, int racks) {
  public static final String NAME_NODE = "nn";
  /** The host of the second NameNode, if there is one. */
  public static final String STANDBY = "nn2";
  /** Of the NameNodes' web servers. */
  public static final int HTTP_PORT = 9870;
  public static final String CLIENT = "client";
  public static final int REPLICATION = 3;

  public static String dataNode(int node) {
    return "d" + node;
  }

  public String rack(int node) {
    return "/rack" + node % racks;
  }

  /**
   * As the default policy places a block of a client outside of the cluster: one replica in a rack, two in another
   * one.
   */
  public List<Integer> replicas(SplittableRandom random) {
    return replicas(random.nextInt(nodes), random);
  }

  /** The same where the first of them is given. */
  List<Integer> replicas(int first, SplittableRandom random) {
    List<Integer> others = IntStream.range(0, nodes).filter(node -> node % racks != first % racks).boxed().toList();
    int second = others.isEmpty() ? other(random, List.of(first)) : others.get(random.nextInt(others.size()));
    List<Integer> besideSecond = IntStream.range(0, nodes)
        .filter(node -> node % racks == second % racks && node != second && node != first).boxed().toList();
    int third = besideSecond.isEmpty() ? other(random, List.of(first, second))
        : besideSecond.get(random.nextInt(besideSecond.size()));
    return List.of(first, second, third);
  }

  /** As the policy for groups places one: over the racks as evenly as their sizes allow. */
  List<Integer> group(int units, SplittableRandom random) {
    List<Integer> order = new ArrayList<>(IntStream.range(0, nodes).boxed().toList());
    for (int i = nodes - 1; i > 0; i--) {
      Collections.swap(order, i, random.nextInt(i + 1));
    }
    List<Integer> chosen = new ArrayList<>();
    int[] inRack = new int[racks];
    for (int limit = 1; chosen.size() < units; limit++) {
      for (int node : order) {
        if (chosen.size() < units && inRack[node % racks] < limit && !chosen.contains(node)) {
          inRack[node % racks]++;
          chosen.add(node);
        }
      }
    }
    return chosen;
  }

  /** How many internal blocks of a group HDFS's policy allows in a rack. */
  public int maxInRack(int units) {
    return (units - 1) / racks + 1;
  }

  /** How many internal blocks of one group there is room for by that rule, if a rack has lost DataNodes. */
  public int maxUnits(int units, int lostNodes) {
    return IntStream.range(0, racks).map(lossy -> IntStream.range(0, racks).map(rack -> Math.min(maxInRack(units),
        Math.max(0, sizeOf(rack) - (rack == lossy ? lostNodes : 0)))).sum()).min().orElseThrow();
  }

  private int sizeOf(int rack) {
    return (nodes - rack + racks - 1) / racks;
  }

  private int other(SplittableRandom random, List<Integer> taken) {
    List<Integer> free = IntStream.range(0, nodes).filter(node -> !taken.contains(node)).boxed().toList();
    return free.get(random.nextInt(free.size()));
  }
}
