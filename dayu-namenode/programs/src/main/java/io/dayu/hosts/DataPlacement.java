/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import io.dayu.hosts.client.DataGroups;
import io.dayu.hosts.client.Topology;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Which DataNodes hold the blocks and groups of the data set, by the files on their volumes. Immutable.
 *
 * @param groups what the groups are like
 * @param held by the id of the block or group
 */
record DataPlacement(Topology topology, DataGroups groups, Map<Long, DataPlacement.Held> held) {
  /** The bits of an internal block's id that are its index; what is left is the id of its group. */
  private static final long INDEX_MASK = 15;
  private static final int NAME_PREFIX_LENGTH = "blk_".length();

  /**
   * One block or group.
   *
   * @param bytes of a replica, or of an internal block
   */
  record Held(long bytes, Set<Integer> nodes) {
  }

  static DataPlacement read(HostConf conf, DataGroups groups) throws IOException {
    Map<Long, Held> held = new TreeMap<>();
    Topology topology = conf.layout().topology();
    for (int node = 0; node < topology.nodes(); node++) {
      for (Map.Entry<Path, Long> block : conf.dataNodeStorage(node).blocks().entrySet()) {
        held.computeIfAbsent(owner(block.getKey()), id -> new Held(block.getValue(), new TreeSet<>())).nodes()
            .add(node);
      }
    }
    return new DataPlacement(topology, groups, held);
  }

  static boolean isInternalBlock(Path file) {
    return id(file) < 0;
  }

  private static long id(Path file) {
    return Long.parseLong(file.getFileName().toString().substring(NAME_PREFIX_LENGTH));
  }

  static int index(Path internalBlock) {
    return (int) (id(internalBlock) & INDEX_MASK);
  }

  /** The id of the block or, for an internal block, which has a negative one, of its group. */
  static long owner(Path file) {
    long id = id(file);
    return id < 0 ? id & ~INDEX_MASK : id;
  }

  /** What the loss of a DataNode takes, by HDFS's rules for racks. */
  List<NeededTransfer> afterLossOf(int victim) {
    List<NeededTransfer> needed = new ArrayList<>();
    held.forEach((id, block) -> {
      if (block.nodes().contains(victim)) {
        List<Integer> sources = block.nodes().stream().filter(node -> node != victim).toList();
        needed.add(id < 0
            ? new NeededTransfer(block.bytes(), groups.dataUnits(), sources,
                targets(victim, sources, Math.min(groups.units(), topology.racks()),
                    topology.maxInRack(groups.units())))
            : new NeededTransfer(block.bytes(), 1, sources, targets(victim, sources, Math.min(2, topology.racks()),
                2 + (Topology.REPLICATION - 1) / topology.racks())));
      }
    });
    return needed;
  }

  /**
   * @param minRacks over how many racks the holders must be afterwards
   * @param maxInRack how many of them a rack may have
   */
  private List<Integer> targets(int victim, List<Integer> holders, int minRacks, int maxInRack) {
    Map<String, Long> inRack = holders.stream().collect(Collectors.groupingBy(topology::rack, Collectors.counting()));
    List<Integer> free = IntStream.range(0, topology.nodes())
        .filter(node -> node != victim && !holders.contains(node)).boxed().toList();
    List<Integer> allowed = free.stream().filter(node -> {
      long already = inRack.getOrDefault(topology.rack(node), 0L);
      return already < maxInRack && (already == 0 || inRack.size() >= minRacks);
    }).toList();
    return allowed.isEmpty() ? free : allowed;
  }
}
