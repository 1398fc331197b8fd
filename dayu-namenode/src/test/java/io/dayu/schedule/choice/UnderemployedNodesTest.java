/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule.choice;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.IdHeap;
import io.dayu.model.UnselectedBlocks;
import io.dayu.schedule.SnapshotGenerator;
import io.dayu.schedule.Snapshots;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

import static io.dayu.schedule.Snapshots.MB;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** {@link UnderemployedNodes} and its heaps against sorting. */
class UnderemployedNodesTest {

  @Test
  void heap_popsInTheOrderOfSorting_withEqualKeys() {
    for (long seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      int count = random.nextInt(200);
      IdHeap heap = new IdHeap();
      heap.reset(count);
      long[] keys = random.longs(count, -5, 5).toArray();
      List<Integer> expected = new ArrayList<>();
      for (int id = 0; id < count; id++) {
        heap.append(id, keys[id]);
        expected.add(id);
      }
      heap.heapify();
      if (count > 0) {
        keys[heap.first()] += 3;
        heap.raiseFirst(keys[heap.first()]);
      }
      expected.sort(Comparator.<Integer>comparingLong(id -> keys[id]).thenComparing(id -> id));
      for (int id : expected) {
        assertEquals(keys[id], heap.firstKey(), "seed " + seed);
        assertEquals(id, heap.pop(), "seed " + seed);
      }
    }
  }

  @Test
  void found_equalsTheIntersectionOfTwoSortedLists() {
    int found = 0;
    for (long seed = 0; seed < 500; seed++) {
      ClusterSnapshot snapshot = SnapshotGenerator.draw(seed);
      double ratio = new Random(seed).nextDouble();
      UnderemployedNodes underemployed = new UnderemployedNodes();
      underemployed.find(snapshot.nodes(), common(snapshot), ratio);
      List<Integer> expected = expected(snapshot, ratio);
      for (int node = 0; node < snapshot.nodes().count(); node++) {
        assertEquals(expected.contains(node), underemployed.found()[node], "seed " + seed + ", node " + node);
        found += underemployed.found()[node] ? 1 : 0;
      }
      assertEquals(!expected.isEmpty(), underemployed.any(), "seed " + seed);
    }
    assertTrue(found > 500, "the snapshots exercise little");
  }

  private static CommonSizes common(ClusterSnapshot snapshot) {
    CommonSizes common = new CommonSizes();
    common.sum(snapshot.tasks(), UnselectedBlocks.NONE, snapshot.nodes().count());
    return common;
  }

  private static List<Integer> expected(ClusterSnapshot snapshot, double ratio) {
    long[] common = new long[snapshot.nodes().count()];
    for (int task = 0; task < snapshot.tasks().count(); task++) {
      for (int node = 0; node < common.length; node++) {
        if (snapshot.tasks().copies()[task] > 0 && snapshot.tasks().sources().contains(task, node)) {
          common[node] += snapshot.tasks().sizeBytes()[task];
        }
      }
    }
    List<Integer> nodes = new ArrayList<>();
    for (int node = 0; node < common.length; node++) {
      if (common[node] > 0 && snapshot.nodes().recoverOutBytesPerSec()[node] > 0) {
        nodes.add(node);
      }
    }
    int share = (int) Math.ceil(ratio * nodes.size());
    List<Integer> fast = new ArrayList<>(nodes);
    fast.sort(
        Comparator.<Integer>comparingLong(n -> -snapshot.nodes().recoverOutBytesPerSec()[n]).thenComparing(n -> n));
    List<Integer> few = new ArrayList<>(nodes);
    few.sort(Comparator.<Integer>comparingLong(n -> common[n]).thenComparing(n -> n));
    List<Integer> both = new ArrayList<>(fast.subList(0, share));
    both.retainAll(few.subList(0, share));
    return both;
  }

  @Test
  void nodesWithoutWaitingBlocks_areNotCounted() {
    Snapshots snapshots = new Snapshots(100, MB).out(7, 2 * MB);
    snapshots.block(MB, 7, 8);
    snapshots.block(MB, 8);
    snapshots.block(MB, 9).copies(0);
    UnderemployedNodes underemployed = new UnderemployedNodes();
    ClusterSnapshot snapshot = snapshots.build();
    underemployed.find(snapshot.nodes(), common(snapshot), 0.05);
    assertTrue(underemployed.found()[7]);
    assertFalse(underemployed.found()[9]);
    underemployed.find(snapshot.nodes(), common(snapshot), 0);
    assertFalse(underemployed.any());
  }
}
