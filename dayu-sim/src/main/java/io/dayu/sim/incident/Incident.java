/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.incident;

import io.dayu.sim.SeedMix;
import io.dayu.sim.placement.BlockKinds;
import io.dayu.sim.placement.LostBlocks;
import io.dayu.sim.placement.Placement;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What happens to a cluster, and every block that it touches. Immutable by convention: the arrays are shared.
 *
 * @param blocks with all their holders. If {@code blocks.failedNode()} is a node it is gone from the begin, with a
 *     replica of each block beside those named; -1 if only events change anything
 * @param diskOfNode by block the node n on whose failing disk it is, {@code -n - 2} if it is on another disk of that
 *     node, else -1; null without events
 * @param events in the order of time
 */
public record Incident(LostBlocks blocks, int[] diskOfNode, List<ClusterEvent> events) {
  /** Disks of a node, which hold the same share each. */
  public static final int DISKS = 12;

  /** One node is lost and nothing else happens. */
  public static Incident of(LostBlocks lost) {
    return new Incident(lost, null, List.of());
  }

  /**
   * The blocks of a list of events. A block that several lost nodes hold is that of the one that is lost first.
   *
   * @param chunks as {@link Placement#lose} takes them, like the other two
   */
  public static Incident of(List<ClusterEvent> unordered, Placement placement, int chunks, long chunkBytes, long seed) {
    List<ClusterEvent> events = new ArrayList<>(unordered);
    events.sort(Comparator.comparingLong(ClusterEvent::atMs));
    Blocks all = new Blocks();
    Set<Integer> whole = new HashSet<>();
    Set<Integer> disk = new HashSet<>();
    for (ClusterEvent event : events) {
      int node = event.node();
      boolean ofDisk = event.kind() == ClusterEvent.Kind.DISK_LOST;
      if (event.loses() && !whole.contains(node) && !(ofDisk && disk.contains(node))) {
        all.add(placement.lose(node, chunks, chunkBytes, SeedMix.seed(seed, node)), ofDisk, disk.contains(node), whole);
        (ofDisk ? disk : whole).add(node);
      }
    }
    return new Incident(all.table(), all.diskOfNode(), List.copyOf(events));
  }

  /** Whether the block's replica on a node is on the disk of it that fails. */
  public boolean isOnDisk(int block, int node) {
    return diskOfNode[block] == node
        || diskOfNode[block] != -node - 2 && SeedMix.below(SeedMix.seed(node, block), DISKS) == 0;
  }

  /** Collects blocks. Used once. */
  private static final class Blocks {
    private final List<int[]> holders = new ArrayList<>();
    private final List<Long> sizes = new ArrayList<>();
    private final List<Integer> disks = new ArrayList<>();
    private final BlockKinds.Builder kinds = new BlockKinds.Builder();
    private int maxHolders;

    /**
     * Adds the blocks of a node.
     *
     * @param ofDisk only those of one disk
     * @param rest only the others
     * @param known nodes whose blocks are here
     */
    void add(LostBlocks lost, boolean ofDisk, boolean rest, Set<Integer> known) {
      int node = lost.failedNode();
      for (int block = 0; block < lost.count(); block++) {
        boolean onDisk = block % DISKS == 0;
        int[] row = new int[lost.holderCount(block) + 1];
        row[0] = node;
        for (int i = 1; i < row.length; i++) {
          row[i] = lost.holder(block, i - 1);
        }
        if ((ofDisk ? onDisk : !(rest && onDisk)) && Arrays.stream(row).noneMatch(known::contains)) {
          holders.add(row);
          sizes.add(lost.sizeBytes()[block]);
          kinds.add(lost.kinds().of(block));
          disks.add(ofDisk ? node : rest ? -node - 2 : -1);
          maxHolders = Math.max(maxHolders, row.length);
        }
      }
    }

    LostBlocks table() {
      int[] flat = new int[holders.size() * maxHolders];
      Arrays.fill(flat, -1);
      for (int block = 0; block < holders.size(); block++) {
        System.arraycopy(holders.get(block), 0, flat, block * maxHolders, holders.get(block).length);
      }
      return new LostBlocks(-1, maxHolders, flat, sizes.stream().mapToLong(size -> size).toArray(), kinds.build());
    }

    int[] diskOfNode() {
      return disks.stream().mapToInt(disk -> disk).toArray();
    }
  }
}
