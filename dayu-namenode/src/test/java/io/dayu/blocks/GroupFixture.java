/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.blocks;

import java.util.ArrayList;
import java.util.List;

/** Groups of tests: RS-3-2 with cells of 1,000 bytes, whose index i is on the DataNode {@code n<i>}. */
public final class GroupFixture {
  public static final GroupPolicy RS_3_2 = new GroupPolicy("RS-3-2-1k", "rs", 3, 2, 1_000);
  /** The same by a codec that is not Hadoop's. */
  public static final GroupPolicy LRC_3_2 = new GroupPolicy("LRC-3-2-1k", "lrc", 3, 2, 1_000);
  /** Two full stripes: each internal block has 2,000 bytes. */
  public static final long GROUP_BYTES = 6_000;
  public static final long BYTES = 2_000;
  /** As HDFS numbers groups. */
  public static final long GROUP_ID = -(1L << 62);

  private GroupFixture() {
  }

  /** A group that has lost these internal blocks. */
  public static WaitingBlock lost(long id, int risk, int... indices) {
    return lost(RS_3_2, id, risk, indices);
  }

  public static WaitingBlock lost(GroupPolicy policy, long id, int risk, int... indices) {
    List<InternalBlock> wanted = new ArrayList<>();
    for (int index : indices) {
      wanted.add(new InternalBlock(index, BYTES));
    }
    List<IndexedNode> sources = new ArrayList<>();
    for (int index = 0; index < 5; index++) {
      int holder = index;
      if (wanted.stream().noneMatch(lost -> lost.index() == holder)) {
        sources.add(new IndexedNode("n" + index, index));
      }
    }
    return of(id, risk, indices.length,
        new GroupNeed(policy, GROUP_BYTES, 3, GroupNeed.Kind.REBUILD, wanted, sources, List.of()));
  }

  /** A group whose internal block of this index is on a leaving DataNode, {@code n<index>}. */
  public static WaitingBlock leaving(long id, int risk, int index) {
    return leaving(RS_3_2, id, risk, index);
  }

  public static WaitingBlock leaving(GroupPolicy policy, long id, int risk, int index) {
    List<IndexedNode> others = new ArrayList<>();
    for (int other = 0; other < 5; other++) {
      if (other != index) {
        others.add(new IndexedNode("n" + other, other));
      }
    }
    return of(id, risk, 1, new GroupNeed(policy, GROUP_BYTES, 3, GroupNeed.Kind.LEAVING,
        List.of(new InternalBlock(index, BYTES)), List.of(new IndexedNode("n" + index, index)), others));
  }

  /** A group on too few racks: one of its first internal blocks is to be copied. */
  public static WaitingBlock misplaced(long id, int risk) {
    return of(id, risk, 1, new GroupNeed(RS_3_2, GROUP_BYTES, 3, GroupNeed.Kind.PLACEMENT,
        List.of(new InternalBlock(0, BYTES), new InternalBlock(1, BYTES)),
        List.of(new IndexedNode("n0", 0), new IndexedNode("n1", 1)), List.of()));
  }

  private static WaitingBlock of(long id, int risk, int copies, GroupNeed need) {
    return WaitingBlockBuilder.waitingBlock(id).bytes(BYTES).risk(risk).copies(copies)
        .on("n0", "n1", "n2", "n3", "n4").group(need).build();
  }
}
