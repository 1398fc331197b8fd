/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

import io.dayu.model.IntRows;
import io.dayu.sim.Cluster;
import io.dayu.sim.incident.ClusterEvent;
import io.dayu.sim.incident.Incident;
import io.dayu.sim.placement.LostBlocks;
import io.dayu.sim.placement.RackRule;

import java.util.Arrays;
import java.util.List;

/**
 * Which nodes are there and where the replicas of the blocks are, as events change it: which blocks lack copies, and
 * which cannot be recovered any more. Of an erasure-coded group the other internal blocks count as replicas, of which k
 * are needed; a rebuilt one takes the place of a lost one, so that no index counts twice if a node comes back. Not
 * thread-safe; arrays are sized once.
 */
final class Replicas {
  /** Maximum number of copies of a block in addition to its first replicas. */
  private static final int MORE_COPIES = 3;
  /** {@link #lackingCount} tells apart up to so many copies that a block lacks: m of HDFS's codes is not larger. */
  static final int MAX_LACKING = 4;

  private final LostBlocks blocks;
  private final Incident incident;
  private final int width;
  /** The nodes that have a replica, whether they are there or not; -1 for none. */
  private final int[] holders;
  private final boolean[] down;
  private final boolean[] leaving;
  private final byte[] lacks;
  private final int[] sourceCount;
  private final int[] live;
  /** Blocks that lack a copy and have no more sources than are needed. */
  private int singleCount;
  /** Blocks that can be recovered, by the number of copies that they lack. */
  private final int[] lackingCount = new int[MAX_LACKING + 1];
  private long version;
  private int nextEvent;

  Replicas(Incident incident, int nodes) {
    this.incident = incident;
    blocks = incident.blocks();
    boolean changes = !incident.events().isEmpty();
    width = blocks.holdersPerBlock() + (changes ? MORE_COPIES : 0);
    holders = changes ? widened() : blocks.holders();
    down = new boolean[nodes];
    leaving = new boolean[nodes];
    lacks = new byte[blocks.count()];
    sourceCount = new int[blocks.count()];
    live = new int[width];
    if (blocks.failedNode() >= 0) {
      down[blocks.failedNode()] = true;
      Arrays.fill(lacks, (byte) 1);
    }
    for (int block = 0; block < sourceCount.length; block++) {
      sourceCount[block] = blocks.holderCount(block);
      count(block, 1);
    }
  }

  /** Whether the block lacks a copy and has no more sources than it needs. */
  boolean isSingle(int block) {
    return lacks[block] > 0 && sourceCount[block] == blocks.width(block);
  }

  private void set(int block, int moreSources, int moreLacking) {
    count(block, -1);
    sourceCount[block] += moreSources;
    lacks[block] += moreLacking;
    count(block, 1);
    version++;
  }

  private void count(int block, int by) {
    singleCount += isSingle(block) ? by : 0;
    if (recoverable(block)) {
      lackingCount[Math.min(lacks[block], MAX_LACKING)] += by;
    }
  }

  private int[] widened() {
    int[] wide = new int[blocks.count() * width];
    Arrays.fill(wide, -1);
    for (int block = 0; block < blocks.count(); block++) {
      System.arraycopy(blocks.holders(), block * blocks.holdersPerBlock(), wide, block * width,
          blocks.holdersPerBlock());
    }
    return wide;
  }

  /** When the next event happens, or {@link Long#MAX_VALUE}. */
  long nextEventMs() {
    return hasEvents() ? incident.events().get(nextEvent).atMs() : Long.MAX_VALUE;
  }

  boolean hasEvents() {
    return nextEvent < incident.events().size();
  }

  /** Applies all events that are due. Blocks may lack more copies afterwards, or fewer. */
  void advance(long nowMs) {
    List<ClusterEvent> events = incident.events();
    for (; nextEvent < events.size() && events.get(nextEvent).atMs() <= nowMs; nextEvent++) {
      happen(events.get(nextEvent));
    }
  }

  private void happen(ClusterEvent event) {
    int node = event.node();
    boolean was = event.kind() == ClusterEvent.Kind.DECOMMISSION ? leaving[node] || down[node] : down[node];
    switch (event.kind()) {
      case NODE_LOST -> down[node] = true;
      case BACK -> down[node] = false;
      case DECOMMISSION -> leaving[node] = true;
      default -> {}
    }
    if (was != (event.kind() == ClusterEvent.Kind.BACK)) {
      return; // The event changes nothing.
    }
    for (int block = 0; block < lacks.length; block++) {
      int at = indexOf(block, node);
      if (at >= 0) {
        change(block, at, event);
      }
    }
  }

  private void change(int block, int at, ClusterEvent event) {
    int counted = leaving[event.node()] ? 0 : 1;
    switch (event.kind()) {
      case DISK_LOST -> {
        if (incident.isOnDisk(block, event.node())) {
          holders[at] = -1;
          set(block, -1, counted);
        }
      }
      case NODE_LOST -> set(block, -1, counted);
      case BACK -> set(block, 1, -counted);
      default -> set(block, 0, 1);
    }
  }

  private int indexOf(int block, int node) {
    for (int at = block * width; at < (block + 1) * width; at++) {
      if (holders[at] == node) {
        return at;
      }
    }
    return -1;
  }

  /** A copy of the block is whole. */
  void copied(int block, int target) {
    set(block, 1, -1);
    if (incident.events().isEmpty()) {
      return; // Holders matter only to later events.
    }
    int at = blocks.width(block) > 1 ? lostIndex(block) : -1;
    at = at < 0 ? indexOf(block, -1) : at;
    for (int i = block * width; at < 0 && i < (block + 1) * width; i++) {
      at = down[holders[i]] ? i : -1;
    }
    if (at < 0) {
      throw new IllegalStateException("block " + block + " has more than " + width + " replicas");
    }
    holders[at] = target;
  }

  /** The place of the first internal block of a group that is lost, or -1. */
  private int lostIndex(int group) {
    for (int at = group * width; at < group * width + blocks.holderCount(group); at++) {
      if (holders[at] < 0 || down[holders[at]]) {
        return at;
      }
    }
    return -1;
  }

  /** The block lacks one copy again and has new holders. */
  void renew(int block) {
    set(block, blocks.holderCount(block) - sourceCount[block], 1 - lacks[block]);
  }

  /** Changes whenever a replica comes or goes. */
  long version() {
    return version;
  }

  /** Blocks that lack a copy and have no more sources than are needed. */
  int singleCount() {
    return singleCount;
  }

  /** Blocks that can be recovered and lack so many copies, or of the last number so many or more. */
  int lackingCount(int copies) {
    return lackingCount[copies];
  }

  /** Bytes that targets are to receive for the copies that blocks lack. */
  long lackingBytes() {
    long bytes = 0;
    for (int block = 0; block < lacks.length; block++) {
      bytes += recoverable(block) ? lacks[block] * blocks.receivedBytes(block) : 0;
    }
    return bytes;
  }

  boolean isDown(int node) {
    return down[node];
  }

  /** Whether the node is there and has the block. */
  boolean serves(int block, int node) {
    return !down[node] && indexOf(block, node) >= 0;
  }

  /** Whether the node may receive copies. */
  boolean accepts(int node) {
    return !down[node] && !leaving[node];
  }

  boolean lacks(int block) {
    return lacks[block] > 0;
  }

  /** Whether the block lacks a copy and enough nodes can serve it. */
  boolean recoverable(int block) {
    return lacks[block] > 0 && sourceCount[block] >= blocks.width(block);
  }

  /** Whether too few nodes are there that have the block. */
  boolean gone(int block) {
    return sourceCount[block] < blocks.width(block);
  }

  /** How many copies the block lacks, lost or on nodes that are leaving. */
  int lackingCopies(int block) {
    return lacks[block];
  }

  /**
   * The block's level in HDFS's queues: 0 if the next loss is the end of it, 1 if a group has little more than it needs
   * ({@code LowRedundancyBlocks.getPriorityStriped}), else 2.
   */
  int risk(int block) {
    int needed = blocks.width(block);
    int spare = sourceCount[block] - needed;
    int parity = blocks.holderCount(block) + (blocks.failedNode() < 0 ? 0 : 1) - needed;
    return spare == 0 ? 0 : needed > 1 && 3 * spare < parity + 1 ? 1 : 2;
  }

  /** Marks the nodes that can serve the block. */
  void markSources(int block, boolean[] marked) {
    for (int at = block * width; at < (block + 1) * width; at++) {
      if (holders[at] >= 0 && !down[holders[at]]) {
        marked[holders[at]] = true;
      }
    }
  }

  /** Adds what the block's row of a snapshot says of nodes and racks. */
  void describe(int block, Cluster cluster, IntRows.Builder sources, IntRows.Builder excluded, IntRows.Builder racks) {
    RackRule rule = blocks.kinds().of(block).rackRule();
    int count = 0;
    for (int at = block * width; at < (block + 1) * width; at++) {
      int node = holders[at];
      if (node >= 0 && !down[node]) {
        sources.add(node);
        if (rule != RackRule.ALL_DISTINCT) {
          excluded.add(node); // Else its rack is forbidden, and so is the node.
        }
        if (!leaving[node]) {
          live[count++] = node;
        }
      }
    }
    rule.forbid(live, count, cluster, racks);
  }

  /** Whether the block's every source is on a link that foreground fills. */
  boolean isBehindFullLinks(int block, boolean[] full) {
    boolean all = true;
    for (int at = block * width; all && at < (block + 1) * width; at++) {
      all = holders[at] < 0 || down[holders[at]] || full[holders[at]];
    }
    return all;
  }
}
