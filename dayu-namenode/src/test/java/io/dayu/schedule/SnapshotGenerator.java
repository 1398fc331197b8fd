/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.IntRows;
import io.dayu.model.NodeTable;
import io.dayu.model.PlanningParameters;
import io.dayu.model.RunningTable;
import io.dayu.model.TaskTable;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;

/**
 * Draws random snapshots for property tests, odd corners on purpose: nodes without bandwidth, room or streams, full
 * exclusion, empty blocks, blocks far larger than a timeslot, lost sources. The same seed gives the same snapshot. Not
 * thread-safe.
 */
public final class SnapshotGenerator {
  private final Random random;
  private final int nodes;
  private final int racks;
  private final int types;
  /** How rare odd values are: one in this number. */
  private final int oddity;

  private SnapshotGenerator(long seed) {
    random = new Random(seed);
    nodes = 1 + random.nextInt(random.nextBoolean() ? 6 : 80);
    racks = 1 + random.nextInt(nodes);
    types = 1 + random.nextInt(3);
    oddity = 2 + random.nextInt(20);
  }

  /** A small snapshot: up to 80 nodes, 600 blocks and 100 running transfers. */
  public static ClusterSnapshot draw(long seed) {
    return new SnapshotGenerator(seed).draw();
  }

  private ClusterSnapshot draw() {
    NodeTable nodeTable = drawNodes();
    int count = random.nextInt(600);
    long[] size = new long[count];
    int[] risk = new int[count];
    int[] copies = new int[count];
    boolean[] distinct = new boolean[count];
    int[] storageTypes = new int[count];
    IntRows.Builder sources = new IntRows.Builder();
    IntRows.Builder excluded = new IntRows.Builder();
    IntRows.Builder forbidden = new IntRows.Builder();
    long usual = 1L << random.nextInt(28);
    for (int task = 0; task < count; task++) {
      size[task] = odd() ? random.nextInt(2) * (1L << random.nextInt(40)) : 1 + (long) (usual * random.nextDouble());
      risk[task] = random.nextInt(TaskTable.RISK_LEVELS);
      copies[task] = odd() ? random.nextInt(nodes + 2) : 1;
      distinct[task] = random.nextBoolean();
      storageTypes[task] = odd() ? random.nextInt(1 << types) : (1 << types) - 1;
      drawRow(sources, odd() ? 0 : 3, nodes);
      drawRow(excluded, odd() ? nodes : 2, nodes);
      drawRow(forbidden, odd() ? racks : 1, racks);
    }
    PlanningParameters parameters = new PlanningParameters(3000, 1 + random.nextInt(10_000),
        odd() ? 0 : 1L << random.nextInt(24), odd() ? random.nextInt(2) : 0.2, random.nextBoolean(),
        random.nextBoolean() ? 0 : odd() ? PlanningParameters.MAX_EVICTION_FACTOR : 2 * random.nextDouble(),
        1 + random.nextInt(5000));
    return new ClusterSnapshot(parameters, random.nextInt(2000), nodeTable, new TaskTable(size, risk, copies,
        sources.build(), excluded.build(), forbidden.build(), distinct, storageTypes), drawRunning(size));
  }

  private NodeTable drawNodes() {
    long[] in = new long[nodes];
    long[] out = new long[nodes];
    int[] rack = new int[nodes];
    boolean[] accepts = new boolean[nodes];
    int[] maxIncoming = new int[nodes];
    int[] maxOutgoing = new int[nodes];
    long[][] room = new long[types][nodes];
    long fastest = 1L << random.nextInt(30);
    boolean equal = odd();
    for (int node = 0; node < nodes; node++) {
      in[node] = odd() ? random.nextInt(3) : equal ? fastest : (long) (fastest * random.nextDouble());
      out[node] = odd() ? random.nextInt(3) : equal ? fastest : (long) (fastest * random.nextDouble());
      rack[node] = random.nextInt(racks);
      accepts[node] = !odd();
      maxIncoming[node] = odd() ? random.nextInt(3) : 100;
      maxOutgoing[node] = odd() ? random.nextInt(3) : 100;
      for (int type = 0; type < types; type++) {
        room[type][node] = odd() ? random.nextInt(1 << 20) : random.nextLong() >>> 1;
      }
    }
    return new NodeTable(in, out, rack, racks, accepts, maxIncoming, maxOutgoing, room);
  }

  private RunningTable drawRunning(long[] size) {
    int count = size.length == 0 ? 0 : random.nextInt(100);
    int[] task = new int[count];
    int[] source = new int[count];
    int[] target = new int[count];
    long[] done = new long[count];
    long[] rate = new long[count];
    Set<Long> pairs = new HashSet<>();
    int drawn = 0;
    for (int attempt = 0; attempt < 3 * count && drawn < count; attempt++) {
      task[drawn] = random.nextInt(size.length);
      target[drawn] = random.nextInt(nodes);
      if (pairs.add((long) task[drawn] << 32 | target[drawn])) {
        source[drawn] = odd() ? -1 : random.nextInt(nodes);
        done[drawn] = (long) (size[task[drawn]] * random.nextDouble());
        rate[drawn++] = odd() ? 0 : 1L << random.nextInt(30);
      }
    }
    return new RunningTable(Arrays.copyOf(task, drawn), Arrays.copyOf(source, drawn),
        Arrays.copyOf(target, drawn), Arrays.copyOf(done, drawn),
        Arrays.copyOf(rate, drawn));
  }

  private void drawRow(IntRows.Builder rows, int max, int limit) {
    Set<Integer> values = new HashSet<>();
    for (int i = random.nextInt(max + 1); i > 0; i--) {
      int value = random.nextInt(limit);
      if (values.add(value)) {
        rows.add(value);
      }
    }
    rows.endRow();
  }

  private boolean odd() {
    return random.nextInt(oddity) == 0;
  }
}
