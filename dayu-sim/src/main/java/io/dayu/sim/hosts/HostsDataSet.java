/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.hosts;

import io.dayu.sim.placement.ErasureCode;
import io.dayu.sim.placement.LostBlocks;
import io.dayu.sim.placement.RackRule;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * The data set of the benchmark on emulated hosts, and where it is: as the benchmark's {@code DataPlan} and
 * {@code Topology} ({@code io.dayu.hosts.client}) place it, drawn from the seed. Immutable.
 *
 * @param blockBytes of a replica, and of an internal block
 * @param files replicated, of one block each
 * @param code of the groups; empty if there are none
 * @param groups of one full stripe or more
 */
public record HostsDataSet(int nodes, int racks, long blockBytes, int files, Optional<ErasureCode> code, int groups) {
  private static final int REPLICATION = 3;
  /** Beside groups a few replicated blocks, which clients read, may be left out. */
  private static final double MAX_LEFT_OUT = 0.1;

  /** Replicated files alone, of which a host holds about so many bytes. */
  static int files(double bytesOfAHost, int nodes, long blockBytes) {
    return (int) Math.max(1, Math.round(bytesOfAHost * nodes / (REPLICATION * blockBytes)));
  }

  /**
   * What the loss of a host takes: the internal blocks if there are groups, else the blocks.
   *
   * @param victim the host
   * @param lostBytes that it held
   * @param wireShare bytes on the wire for each byte of a block
   * @throws IllegalArgumentException if that is not what the host held by the seed, or too many blocks beside groups
   */
  LostBlocks lost(long seed, int victim, long lostBytes, double wireShare) {
    SplittableRandom random = new SplittableRandom(seed);
    List<List<Integer>> blocks = new ArrayList<>();
    for (int file = 0; file < files; file++) {
      // Where there are groups, each host has the first replica of some file.
      blocks.add(replicas(groups == 0 ? random.nextInt(nodes) : file % nodes, random));
    }
    List<List<Integer>> internal = new ArrayList<>();
    for (int group = 0; group < groups; group++) {
      internal.add(group(code.orElseThrow().units(), random));
    }
    long lostBlocks = blocks.stream().filter(holders -> holders.contains(victim)).count();
    long lostInternal = internal.stream().filter(holders -> holders.contains(victim)).count();
    if ((lostBlocks + lostInternal) * blockBytes != lostBytes) {
      throw new IllegalArgumentException(
          "host " + victim + " held " + lostBytes + " bytes, but by seed " + seed + " it holds "
              + (lostBlocks + lostInternal) + " blocks of " + blockBytes
              + ": the benchmark places its data in another way by now");
    }
    if (groups == 0) {
      return lost(victim, blocks, REPLICATION - 1, RackRule.TWO_RACKS, wireShare);
    }
    int width = code.orElseThrow().dataUnits();
    if (lostBlocks > MAX_LEFT_OUT * lostInternal * width) {
      throw new IllegalArgumentException(lostBlocks + " blocks and " + lostInternal
          + " internal blocks are lost: recoveries of both together are not predicted");
    }
    return lost(victim, internal, code.orElseThrow().units() - 1, RackRule.EVEN, wireShare).asGroups(width);
  }

  private LostBlocks lost(int victim, List<List<Integer>> placed, int others, RackRule rule, double wireShare) {
    int[] holders = placed.stream().filter(nodesOf -> nodesOf.contains(victim)).flatMap(List::stream)
        .filter(node -> node != victim).mapToInt(Integer::intValue).toArray();
    long[] sizes = new long[holders.length / others];
    Arrays.fill(sizes, Math.round(blockBytes * wireShare));
    return new LostBlocks(victim, others, holders, sizes, rule);
  }

  /** One replica in a rack, two in another one. */
  private List<Integer> replicas(int first, SplittableRandom random) {
    int second = pick(random, node -> node % racks != first % racks, List.of(first));
    int third =
        pick(random, node -> node % racks == second % racks && node != second && node != first, List.of(first, second));
    return List.of(first, second, third);
  }

  private int pick(SplittableRandom random, IntPredicate wanted, List<Integer> taken) {
    int[] some = IntStream.range(0, nodes).filter(wanted).toArray();
    int[] candidates =
        some.length > 0 ? some : IntStream.range(0, nodes).filter(node -> !taken.contains(node)).toArray();
    return candidates[random.nextInt(candidates.length)];
  }

  /** Over the racks as evenly as their sizes allow, by index. */
  private List<Integer> group(int units, SplittableRandom random) {
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
    return pipeline(chosen);
  }

  /**
   * In the order in which HDFS gives them their indices ({@code BlockPlacementPolicyDefault.getPipeline}): each node is
   * followed by one of its own rack, if there is one left.
   */
  private List<Integer> pipeline(List<Integer> chosen) {
    for (int next = 1; next < chosen.size(); next++) {
      int rack = chosen.get(next - 1) % racks;
      for (int i = next; i < chosen.size(); i++) {
        if (chosen.get(i) % racks == rack) {
          Collections.swap(chosen, next, i);
          break;
        }
      }
    }
    return chosen;
  }
}
