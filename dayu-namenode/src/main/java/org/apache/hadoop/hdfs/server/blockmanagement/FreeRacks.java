/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.LiveNode;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The racks on which some node may get a certain internal block of a group: one that has room, and none of the group.
 * Asked for under the namesystem lock, for each group that is read, so it looks at the group's nodes only. Immutable.
 */
final class FreeRacks {
  /** The nodes that may get blocks, and how much room they have. Thread-safe. */
  static final class Targets {
    static final Targets UNKNOWN = new Targets(List.of());

    private final List<LiveNode> nodes;
    private final Map<String, LiveNode> byUuid = new HashMap<>();
    private final Map<Integer, NodesByRoom> byTypes = new ConcurrentHashMap<>();

    Targets(List<LiveNode> nodes) {
      this.nodes = nodes;
      nodes.forEach(node -> byUuid.put(node.uuid(), node));
    }

    /**
     * @param holders nodes that may not get it
     * @param bytes how much room it needs on one of these types of storage
     * @param types as bits by ordinal
     */
    FreeRacks without(Collection<String> holders, long bytes, int types) {
      Map<String, Integer> taken = new HashMap<>();
      for (String holder : holders) {
        LiveNode node = byUuid.get(holder);
        if (node != null && roomBytes(node, types) >= bytes) {
          taken.merge(node.rack(), 1, Integer::sum);
        }
      }
      return new FreeRacks(byTypes.computeIfAbsent(types, of -> new NodesByRoom(nodes, of)).withRoom(bytes), taken);
    }
  }

  /** The nodes by their room on the emptiest volume of certain types of storage. Thread-safe. */
  private static final class NodesByRoom {
    /** Lengths of internal blocks between which the room of a node lies: most have that of their file's blocks. */
    private static final int MAX_KEPT = 64;

    private final long[] roomBytes;
    private final String[] racks;
    /** How many nodes with room each rack has, by how many nodes have none. */
    private final Map<Integer, Map<String, Integer>> byFull = new ConcurrentHashMap<>();

    NodesByRoom(List<LiveNode> nodes, int types) {
      List<LiveNode> sorted =
          nodes.stream().sorted(Comparator.comparingLong(node -> FreeRacks.roomBytes(node, types))).toList();
      roomBytes = sorted.stream().mapToLong(node -> FreeRacks.roomBytes(node, types)).toArray();
      racks = sorted.stream().map(LiveNode::rack).toArray(String[]::new);
    }

    Map<String, Integer> withRoom(long bytes) {
      int full = firstWithRoom(bytes);
      Map<String, Integer> known = byFull.get(full);
      if (known == null) {
        known = count(full);
        if (byFull.size() < MAX_KEPT) {
          byFull.put(full, known);
        }
      }
      return known;
    }

    private int firstWithRoom(long bytes) {
      int low = 0;
      int high = roomBytes.length;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (roomBytes[middle] < bytes) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    }

    private Map<String, Integer> count(int from) {
      Map<String, Integer> count = new HashMap<>();
      Arrays.stream(racks, from, racks.length).forEach(rack -> count.merge(rack, 1, Integer::sum));
      return count;
    }
  }

  /** Nodes with room by rack. */
  private final Map<String, Integer> withRoom;
  /** How many of these may not get it. */
  private final Map<String, Integer> taken;
  private final int size;

  private FreeRacks(Map<String, Integer> withRoom, Map<String, Integer> taken) {
    this.withRoom = withRoom;
    this.taken = taken;
    this.size = withRoom.size() - (int) taken.keySet().stream().filter(rack -> !contains(rack)).count();
  }

  private static long roomBytes(LiveNode node, int types) {
    long[] byType = node.space().maxVolumeFreeBytes();
    long most = 0;
    for (int type = 0; type < byType.length; type++) {
      most = (types & 1 << type) == 0 ? most : Math.max(most, byType[type]);
    }
    return most;
  }

  boolean contains(String rack) {
    return withRoom.getOrDefault(rack, 0) > taken.getOrDefault(rack, 0);
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** How many there are beside these. */
  int beside(Collection<String> others) {
    return size - (int) others.stream().filter(this::contains).count();
  }
}
