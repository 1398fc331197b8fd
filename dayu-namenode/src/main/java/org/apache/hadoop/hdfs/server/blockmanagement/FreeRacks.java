/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.LiveNode;
import org.apache.hadoop.fs.StorageType;

import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The racks on which some node may get a certain replica, or internal block of a group: one that has room, and none of
 * the block. Asked for under the namesystem lock, so it looks at the block's nodes only. Immutable.
 */
final class FreeRacks {
  /**
   * The nodes that may get blocks, and how much room they have. Looks at all nodes when it is made, which needs no
   * lock. Immutable.
   */
  static final class Targets {
    static final Targets UNKNOWN = new Targets(List.of());

    private final Map<String, LiveNode> byUuid = new HashMap<>();
    /** By ordinal of the type of storage. */
    private final Room[] byType = new Room[StorageType.values().length];

    Targets(List<LiveNode> nodes) {
      nodes.forEach(node -> byUuid.put(node.uuid(), node));
      Arrays.setAll(byType, type -> new Room(nodes, type));
    }

    /**
     * @param holders nodes that may not get it
     * @param bytes how much room it needs, at least 1
     * @param type of storage that has to have it
     */
    FreeRacks without(Collection<String> holders, long bytes, StorageType type) {
      Map<String, Integer> taken = new HashMap<>();
      for (String holder : holders) {
        LiveNode node = byUuid.get(holder);
        if (node != null && node.space().maxVolumeFreeBytes()[type.ordinal()] >= bytes) {
          taken.merge(node.rack(), 1, Integer::sum);
        }
      }
      return new FreeRacks(byType[type.ordinal()], bytes, taken);
    }

    /**
     * Whether any node on another rack than these may get a replica.
     *
     * @param holders nodes that may not get it
     * @param bytes how much room it needs, at least 1
     * @param types of storage, of which one has to have it: bits by ordinal
     */
    boolean haveRoomBeside(Collection<String> racks, Collection<String> holders, long bytes, int types) {
      for (int rest = types; rest != 0; rest &= rest - 1) {
        StorageType type = StorageType.values()[Integer.numberOfTrailingZeros(rest)];
        if (without(holders, bytes, type).beside(racks) > 0) {
          return true;
        }
      }
      return false;
    }
  }

  /** The room of nodes on the emptiest volume of one type of storage, by rack. Immutable. */
  private static final class Room {
    /** The room of each of a rack's nodes that has any, in ascending order. */
    private final Map<String, long[]> byRack = new HashMap<>();
    /** That of each rack's emptiest node, in ascending order. */
    private final long[] maxOfRacks;

    Room(List<LiveNode> nodes, int type) {
      Map<String, Integer> counts = new HashMap<>();
      for (LiveNode node : nodes) {
        if (node.space().maxVolumeFreeBytes()[type] > 0) {
          counts.merge(node.rack(), 1, Integer::sum);
        }
      }
      counts.forEach((rack, count) -> byRack.put(rack, new long[count]));
      for (LiveNode node : nodes) {
        long roomBytes = node.space().maxVolumeFreeBytes()[type];
        if (roomBytes > 0) {
          byRack.get(node.rack())[counts.merge(node.rack(), -1, Integer::sum)] = roomBytes;
        }
      }
      byRack.values().forEach(Arrays::sort);
      maxOfRacks = byRack.values().stream().mapToLong(room -> room[room.length - 1]).sorted().toArray();
    }

    /** How many nodes of a rack have so much. */
    int nodes(String rack, long bytes) {
      long[] room = byRack.get(rack);
      return room == null ? 0 : atLeast(room, bytes);
    }

    /** How many racks have a node that has so much. */
    int racks(long bytes) {
      return atLeast(maxOfRacks, bytes);
    }

    private static int atLeast(long[] ascending, long bytes) {
      int low = 0;
      int high = ascending.length;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (ascending[middle] < bytes) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return ascending.length - low;
    }
  }

  private final Room room;
  private final long bytes;
  /** How many nodes with room may not get it, by rack. */
  private final Map<String, Integer> taken;
  private final int size;

  private FreeRacks(Room room, long bytes, Map<String, Integer> taken) {
    this.room = room;
    this.bytes = bytes;
    this.taken = taken;
    this.size = room.racks(bytes) - (int) taken.keySet().stream().filter(rack -> !contains(rack)).count();
  }

  boolean contains(String rack) {
    return room.nodes(rack, bytes) > taken.getOrDefault(rack, 0);
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** How many there are beside these. */
  int beside(Collection<String> others) {
    return size - (int) others.stream().filter(this::contains).count();
  }
}
