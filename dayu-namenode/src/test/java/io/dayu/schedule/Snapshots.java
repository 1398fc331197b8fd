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

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Builds small snapshots by hand for tests: every node alike, every block unconstrained, unless said otherwise. Not
 * thread-safe.
 */
public final class Snapshots {
  public static final long MB = 1_000_000;
  public static final long HORIZON_MS = 6000;
  public static final long LEAD_MS = 1000;

  private final int nodes;
  private final int[] rack;
  private final long[] in;
  private final long[] out;
  private final boolean[] accepts;
  private final int[] maxIncoming;
  private final int[] maxOutgoing;
  private final long[][] room;
  private boolean[] leaving;
  private double[] weight;
  private long[] write;
  private long bucketBytesPerSec;
  private double underemployedRatio;
  private boolean pressedSourcesFirst;
  private double evictionFactor;
  private long minTimeslotMs = 3000;
  private final List<Block> blocks = new ArrayList<>();
  private final List<long[]> running = new ArrayList<>();
  private final List<int[]> further = new ArrayList<>();

  /** One row of the task table; change it before {@link Snapshots#build}. */
  public static final class Block {
    long sizeBytes;
    int risk;
    int copies = 1;
    int[] sources;
    int[] excluded = {};
    int[] forbiddenFaultDomains = {};
    boolean distinctRacks;
    int storageTypes = 1;
    int width = 1;

    public Block risk(int level) {
      risk = level;
      return this;
    }

    public Block copies(int wanted) {
      copies = wanted;
      return this;
    }

    public Block excluded(int... nodes) {
      excluded = nodes;
      return this;
    }

    public Block forbiddenFaultDomains(int... racks) {
      forbiddenFaultDomains = racks;
      return this;
    }

    public Block onDistinctRacks() {
      distinctRacks = true;
      return this;
    }

    public Block storageTypes(int set) {
      storageTypes = set;
      return this;
    }

    /** A group, of which an internal block is rebuilt from several nodes at once. */
    public Block rebuiltFrom(int nodes) {
      width = nodes;
      return this;
    }
  }

  /**
   * {@code nodes}, each on a rack of its own, with {@code bytesPerSec} each way and endless room in two storage types.
   */
  public Snapshots(int nodes, long bytesPerSec) {
    this.nodes = nodes;
    rack = new int[nodes];
    in = new long[nodes];
    out = new long[nodes];
    accepts = new boolean[nodes];
    maxIncoming = new int[nodes];
    maxOutgoing = new int[nodes];
    room = new long[2][nodes];
    Arrays.setAll(rack, i -> i);
    Arrays.fill(in, bytesPerSec);
    Arrays.fill(out, bytesPerSec);
    Arrays.fill(accepts, true);
    Arrays.fill(maxIncoming, 1000);
    Arrays.fill(maxOutgoing, 1000);
    Arrays.fill(room[0], Long.MAX_VALUE);
    Arrays.fill(room[1], Long.MAX_VALUE);
  }

  /** A node that is being decommissioned, or enters maintenance. */
  public Snapshots leaving(int node) {
    if (leaving == null) {
      leaving = new boolean[nodes];
    }
    leaving[node] = true;
    return this;
  }

  /** All others weigh 1. */
  public Snapshots weight(int node, double targetWeight) {
    if (weight == null) {
      weight = new double[nodes];
      Arrays.fill(weight, 1);
    }
    weight[node] = targetWeight;
    return this;
  }

  /** What the disks of a node write; those of all others write anything. */
  public Snapshots write(int node, long bytesPerSec) {
    if (write == null) {
      write = new long[nodes];
      Arrays.fill(write, NodeTable.MAX_BYTES_PER_SEC);
    }
    write[node] = bytesPerSec;
    return this;
  }

  public Snapshots in(int node, long bytesPerSec) {
    in[node] = bytesPerSec;
    return this;
  }

  public Snapshots out(int node, long bytesPerSec) {
    out[node] = bytesPerSec;
    return this;
  }

  public Snapshots racks(int... rackOfNode) {
    System.arraycopy(rackOfNode, 0, rack, 0, nodes);
    return this;
  }

  public Snapshots refuses(int node) {
    accepts[node] = false;
    return this;
  }

  public Snapshots maxIncoming(int node, int max) {
    maxIncoming[node] = max;
    return this;
  }

  public Snapshots maxOutgoing(int node, int max) {
    maxOutgoing[node] = max;
    return this;
  }

  public Snapshots room(int storageType, int node, long bytes) {
    room[storageType][node] = bytes;
    return this;
  }

  public Snapshots underemployedRatio(double beta) {
    underemployedRatio = beta;
    return this;
  }

  public Snapshots bucket(long bytesPerSec) {
    bucketBytesPerSec = bytesPerSec;
    return this;
  }

  /** Adds a block; the first one is row 0. */
  public Block block(long sizeBytes, int... sources) {
    Block block = new Block();
    block.sizeBytes = sizeBytes;
    block.sources = sources;
    blocks.add(block);
    return block;
  }

  /** Blocks in the order of their sources' pressure, not of their rows. */
  public Snapshots pressedSourcesFirst() {
    pressedSourcesFirst = true;
    return this;
  }

  public Snapshots evictionFactor(double factor) {
    evictionFactor = factor;
    return this;
  }

  public Snapshots minTimeslotMs(long millis) {
    minTimeslotMs = millis;
    return this;
  }

  /** Adds a running transfer. */
  public Snapshots running(int task, int source, int target, long doneBytes, long rateBytesPerSec) {
    return runningRebuild(task, new int[] {source}, target, doneBytes, rateBytesPerSec);
  }

  /** Adds a running rebuild. */
  public Snapshots runningRebuild(int task, int[] sources, int target, long doneBytes, long rateBytesPerSec) {
    running.add(new long[] {task, sources[0], target, doneBytes, rateBytesPerSec});
    further.add(Arrays.copyOfRange(sources, 1, sources.length));
    return this;
  }

  public ClusterSnapshot build() {
    int count = blocks.size();
    IntRows.Builder sources = new IntRows.Builder();
    IntRows.Builder excluded = new IntRows.Builder();
    IntRows.Builder forbidden = new IntRows.Builder();
    boolean[] distinct = new boolean[count];
    for (int i = 0; i < count; i++) {
      row(sources, blocks.get(i).sources);
      row(excluded, blocks.get(i).excluded);
      row(forbidden, blocks.get(i).forbiddenFaultDomains);
      distinct[i] = blocks.get(i).distinctRacks;
    }
    TaskTable tasks = new TaskTable(blocks.stream().mapToLong(b -> b.sizeBytes).toArray(),
        blocks.stream().mapToInt(b -> b.risk).toArray(), blocks.stream().mapToInt(b -> b.copies).toArray(),
        sources.build(), excluded.build(), forbidden.build(), distinct,
        blocks.stream().mapToInt(b -> b.storageTypes).toArray(),
        blocks.stream().allMatch(b -> b.width == 1) ? null : blocks.stream().mapToInt(b -> b.width).toArray());
    IntRows.Builder furtherSources = new IntRows.Builder();
    further.forEach(nodesOfRow -> row(furtherSources, nodesOfRow));
    int rackCount = Arrays.stream(rack).max().orElse(0) + 1;
    return new ClusterSnapshot(new PlanningParameters(3000, HORIZON_MS, bucketBytesPerSec, underemployedRatio,
        pressedSourcesFirst, evictionFactor, minTimeslotMs), LEAD_MS,
        new NodeTable(in, out, rack, rackCount, accepts, maxIncoming, maxOutgoing, room, null, leaving, weight)
            .withDisks(in, write),
        tasks, new RunningTable(column(0), column(1), column(2), running.stream().mapToLong(r -> r[3]).toArray(),
            running.stream().mapToLong(r -> r[4]).toArray(), furtherSources.build()));
  }

  private int[] column(int index) {
    return running.stream().mapToInt(r -> (int) r[index]).toArray();
  }

  private static void row(IntRows.Builder rows, int[] values) {
    for (int value : values) {
      rows.add(value);
    }
    rows.endRow();
  }
}
