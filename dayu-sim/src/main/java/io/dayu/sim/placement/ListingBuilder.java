/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.placement;

import io.dayu.model.IntRows;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Puts a {@link FsckListing} together, block by block. Blocks of nodes that are not wanted are counted and forgotten,
 * so that a listing of any length fits into memory if one node's loss is asked for. Not thread-safe.
 */
final class ListingBuilder {
  private static final BlockKind REPLICA = BlockKind.replica(RackRule.TWO_RACKS);

  private final Predicate<String> wanted;
  private final Map<String, Integer> nodeIds = new HashMap<>();
  private final List<String> nodes = new ArrayList<>();
  private final Map<String, Integer> rackIds = new HashMap<>();
  private final List<String> rackNames = new ArrayList<>();
  private int[] rack = new int[64];
  private boolean[] outOfService = new boolean[64];
  private boolean[] isWanted = new boolean[64];
  private int[] stripedOn = new int[64];

  private final IntRows.Builder holders = new IntRows.Builder();
  private boolean[] isLive = new boolean[1024];
  private int keptLocations;
  private long[] sizeBytes = new long[1024];
  private byte[] replicaSurplus = new byte[1024];
  private final BlockKinds.Builder kinds = new BlockKinds.Builder();
  private int kept;

  private long size;
  private int[] location = new int[16];
  private boolean[] locationIsLive = new boolean[16];
  private int locations;
  private boolean keep;
  private long blocks;
  private long groups;
  private long striped;
  private long leftOut;
  private long underConstruction;
  private long missing;
  private long unusable;

  ListingBuilder(Predicate<String> wanted) {
    this.wanted = wanted;
  }

  int nodeCount() {
    return nodes.size();
  }

  void beginBlock(long bytes) {
    size = bytes;
    locations = 0;
    keep = false;
  }

  /**
   * Adds a location of the block.
   *
   * @param state as fsck has it, or empty if it does not tell
   * @return false if the node was said to be on another rack before
   */
  boolean add(String name, String rackName, String state) {
    int node = nodeIds.computeIfAbsent(name, this::newNode);
    int rackId = rackIds.computeIfAbsent(rackName, newRack -> {
      rackNames.add(newRack);
      return rackNames.size() - 1;
    });
    if (rack[node] >= 0 && rack[node] != rackId) {
      return false;
    }
    rack[node] = rackId;
    boolean leaving = state.startsWith("DECOMMISSION") || state.endsWith("MAINTENANCE");
    outOfService[node] |= leaving;
    if (state.equals("CORRUPT") || state.equals("IN MAINTENANCE")) {
      unusable++;
      return true;
    }
    if (locations == location.length) {
      location = Arrays.copyOf(location, locations * 2);
      locationIsLive = Arrays.copyOf(locationIsLive, locations * 2);
    }
    location[locations] = node;
    locationIsLive[locations++] = !leaving && !state.equals("EXCESS");
    keep |= isWanted[node];
    return true;
  }

  private int newNode(String name) {
    int node = nodes.size();
    if (node == rack.length) {
      rack = Arrays.copyOf(rack, node * 2);
      outOfService = Arrays.copyOf(outOfService, node * 2);
      isWanted = Arrays.copyOf(isWanted, node * 2);
      stripedOn = Arrays.copyOf(stripedOn, node * 2);
    }
    rack[node] = -1;
    isWanted[node] = wanted.test(name);
    nodes.add(name);
    return node;
  }

  /** Of a replicated file. */
  void endBlock(int live, int replication) {
    blocks++;
    end(live - replication, REPLICA);
  }

  /** A group of which internal blocks count as replicas. */
  void endGroup(int live, int dataBlocks, int parityBlocks) {
    groups++;
    end(live - dataBlocks - parityBlocks, new BlockKind(dataBlocks, RackRule.EVEN));
  }

  private void end(int surplus, BlockKind kind) {
    missing += locations == 0 ? 1 : 0;
    if (!keep) {
      return;
    }
    if (kept == sizeBytes.length) {
      sizeBytes = Arrays.copyOf(sizeBytes, kept * 2);
      replicaSurplus = Arrays.copyOf(replicaSurplus, kept * 2);
    }
    sizeBytes[kept] = size;
    kinds.add(kind);
    replicaSurplus[kept++] = (byte) Math.max(Byte.MIN_VALUE, Math.min(Byte.MAX_VALUE, surplus));
    for (int i = 0; i < locations; i++) {
      holders.add(location[i]);
      if (keptLocations == isLive.length) {
        isLive = Arrays.copyOf(isLive, keptLocations * 2);
      }
      isLive[keptLocations++] = locationIsLive[i];
    }
    holders.endRow();
  }

  /** A block of a replicated file, where groups were asked for. */
  void endLeftOut() {
    leftOut++;
  }

  void endStriped() {
    striped++;
    for (int i = 0; i < locations; i++) {
      stripedOn[location[i]]++;
    }
  }

  void endUnderConstruction() {
    underConstruction++;
  }

  FsckListing build(int dataNodes, FsckListing.Source source) {
    int count = nodes.size();
    return new FsckListing(List.copyOf(nodes), Arrays.copyOf(rack, count), List.copyOf(rackNames),
        Arrays.copyOf(outOfService, count),
        Arrays.copyOf(sizeBytes, kept), Arrays.copyOf(replicaSurplus, kept), holders.build(),
        Arrays.copyOf(isLive, keptLocations), Arrays.copyOf(stripedOn, count),
        kept == 0 ? BlockKinds.all(REPLICA) : kinds.build(),
        new FsckListing.Counts(blocks, groups, striped, leftOut, underConstruction, missing, unusable, dataNodes),
        source);
  }
}
