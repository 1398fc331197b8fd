/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.planning;

import io.dayu.blocks.WaitingBlock;
import io.dayu.model.NodeTable;
import org.apache.hadoop.fs.StorageType;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import static io.dayu.blocks.WaitingBlockBuilder.waitingBlock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.withSettings;

/** What it costs to find that a block cannot be placed: not the number of nodes for each block. */
class AcceptingNodesTest {
  private static final int NODES = 500;
  private static final int BLOCKS = 2_000;
  private static final int DISK = StorageType.DISK.ordinal();
  private static final int ARCHIVE = StorageType.ARCHIVE.ordinal();
  private static final int SSD = StorageType.SSD.ordinal();
  private static final long LARGE_BYTES = 1_000;
  private static final long SMALL_BYTES = 100;

  private final Map<String, Integer> nodeIds = new HashMap<>();
  private final long[][] roomBytes = new long[StorageType.values().length][NODES];
  private long looks;

  private static String uuid(int node) {
    return "node" + node;
  }

  /** Nodes of one rack with room on disks, a few bytes of room on SSDs, and no archive. */
  private AcceptingNodes accepting(List<WaitingBlock> blocks) {
    Arrays.fill(roomBytes[DISK], LARGE_BYTES);
    Arrays.fill(roomBytes[SSD], SMALL_BYTES - 1);
    long[] bandwidth = new long[NODES];
    boolean[] accepts = new boolean[NODES];
    Arrays.fill(bandwidth, 1);
    Arrays.fill(accepts, true);
    int[] streams = new int[NODES];
    Arrays.fill(streams, 1);
    for (int node = 0; node < NODES; node++) {
      nodeIds.put(uuid(node), node);
    }
    NodeTable table =
        new NodeTable(bandwidth, bandwidth, new int[NODES], 1, accepts, streams, streams, roomBytes);
    NodeTable counted = mock(NodeTable.class, withSettings().stubOnly().defaultAnswer(call -> {
      looks++;
      return call.getMethod().invoke(table, call.getArguments());
    }));
    return new AcceptingNodes(counted, counted.acceptsTransfers(),
        SelectedBlocks.of(blocks).numbered(nodeIds, Map.of("/r", 0)));
  }

  /** Blocks of a type, the last of them large. */
  private static List<WaitingBlock> blocks(int type) {
    List<WaitingBlock> blocks = new ArrayList<>();
    for (int i = 0; i < BLOCKS; i++) {
      List<String> holders = List.of(uuid(i % NODES));
      blocks.add(waitingBlock(i).bytes(i == BLOCKS - 1 ? LARGE_BYTES : SMALL_BYTES).on(holders).storageTypes(1 << type)
          .build());
    }
    return blocks;
  }

  private long looksFor(int type, boolean placeable) {
    List<WaitingBlock> blocks = blocks(type);
    AcceptingNodes accepting = accepting(blocks);
    looks = 0;
    for (int block = 0; block < BLOCKS; block++) {
      assertEquals(placeable, accepting.isPlaceable(block));
    }
    return looks;
  }

  @Test
  void typeThatNoNodeHas_isFoundWithoutALookAtEachNode() {
    assertTrue(looksFor(ARCHIVE, false) <= 20L * BLOCKS, () -> looks + " looks");
  }

  @Test
  void typeWithoutRoom_isFoundWithoutALookAtEachNode() {
    assertTrue(looksFor(SSD, false) <= 20L * BLOCKS, () -> looks + " looks");
  }

  @Test
  void typeWithRoom_isFoundWithoutALookAtEachNode() {
    assertTrue(looksFor(DISK, true) <= 20L * BLOCKS, () -> looks + " looks");
  }

  /** The counting counts: where only a small block has room, each node may have to be looked at. */
  @Test
  void roomForASmallBlockOnly_isSearchedNodeByNode() {
    List<WaitingBlock> blocks = blocks(DISK);
    List<String> everywhere = IntStream.range(0, NODES).mapToObj(AcceptingNodesTest::uuid).toList();
    blocks.set(0, waitingBlock(0).bytes(SMALL_BYTES).on(everywhere).build());
    AcceptingNodes accepting = accepting(blocks);
    looks = 0;
    assertFalse(accepting.isPlaceable(0));
    assertTrue(looks >= NODES, () -> looks + " looks");
  }
}
