/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule.choice;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.IntRows;
import io.dayu.model.NodeTable;
import io.dayu.model.PlanningParameters;
import io.dayu.model.RunningTable;
import io.dayu.model.TaskTable;
import io.dayu.schedule.paper.HullSelector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.Arrays;
import java.util.List;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Every selector of least finish time against a brute-force look at all nodes, choice by choice while the loads grow.
 */
public class TargetSelectorTest {
  private static final int SEEDS = 60;
  private static final long GB = 1_000_000_000;

  /** How often a selector could have taken a node that loses a tie. */
  private long ties;

  /** How the clusters of a test are drawn. */
  protected enum Cluster {
    RANDOM, EQUAL_BANDWIDTHS, ONE_NODE, ZERO_BANDWIDTHS, SATURATED, NEARLY_EQUAL, WIDE_RANGE, FEW_STREAMS, EXACT,
    CONCAVE
  }

  protected List<TargetSelector> selectors() {
    return List.of(new HullSelector(), new BucketTournament(), new BucketScan());
  }

  @ParameterizedTest
  @EnumSource
  void selectors_chooseAsWellAsBruteForce(Cluster kind) {
    long chosen = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      for (TargetSelector selector : selectors()) {
        chosen += fill(kind, seed, selector);
      }
    }
    System.out.println(kind + ", seeds 0 to " + (SEEDS - 1) + ": " + chosen + " choices");
    assertTrue(chosen > 1000, "the clusters exercise little");
    assertTrue(ties > 1000 || kind != Cluster.EQUAL_BANDWIDTHS, "few ties: " + ties);
  }

  private long fill(Cluster kind, long seed, TargetSelector selector) {
    Random random = new Random(seed);
    ClusterSnapshot snapshot = draw(kind, random);
    NodeLoads loads = new NodeLoads();
    TargetRules rules = new TargetRules();
    // Used before: what it kept from the other cluster must not matter.
    ClusterSnapshot other = draw(Cluster.RANDOM, random);
    loads.reset(other);
    selector.reset(loads);
    loads.reset(snapshot);
    int nodes = snapshot.nodes().count();
    for (int node = 0; node < nodes && kind == Cluster.SATURATED; node++) {
      loads.assign(0, node, loads.volumeIn(node) - random.nextInt(100));
    }
    for (int node = 0; node < nodes && kind == Cluster.CONCAVE; node++) {
      // All points but the outermost lie above the hull, so that stretches are as long as can be.
      loads.assign(0, node, (long) (1_000_000 * Math.sqrt(loads.selectionBandwidth(node))));
    }
    selector.reset(loads);
    rules.reset(snapshot.nodes(), snapshot.tasks(), loads);
    long chosen = 0;
    for (int task = 0; task < snapshot.tasks().count(); task++) {
      rules.begin(task);
      long size = snapshot.tasks().sizeBytes()[task];
      String message = selector.name() + ", " + kind + ", seed " + seed + ", task " + task;
      double min = Double.POSITIVE_INFINITY;
      for (int node = 0; node < nodes; node++) {
        if (loads.acceptsMore(node) && rules.allows(node)) {
          min = Math.min(min, (loads.assignedIn(node) + size) / loads.selectionBandwidth(node));
        }
      }
      int target = selector.select(size, rules);
      if (min == Double.POSITIVE_INFINITY) {
        assertEquals(-1, target, message);
        continue;
      }
      assertTrue(target >= 0 && loads.acceptsMore(target) && rules.allows(target), message + ": node " + target);
      double seconds = (loads.assignedIn(target) + size) / loads.selectionBandwidth(target);
      assertEquals(min, seconds, min * 1e-9, message);
      for (int node = 0; node < nodes; node++) {
        boolean equal = loads.assignedIn(node) == loads.assignedIn(target)
            && loads.selectionBandwidth(node) == loads.selectionBandwidth(target);
        if (equal && loads.acceptsMore(node) && rules.allows(node)) {
          assertFalse(loads.winsTie(node, target), message + ": node " + node + " wins the tie with " + target);
          ties += loads.winsTie(target, node) ? 1 : 0;
        }
      }
      loads.assign(0, target, size);
      selector.loadChanged(target);
      chosen++;
    }
    return chosen;
  }

  protected static ClusterSnapshot draw(Cluster kind, Random random) {
    int nodes = kind == Cluster.ONE_NODE ? 1 : kind == Cluster.CONCAVE ? 1200 : 2 + random.nextInt(150);
    long[] in = new long[nodes];
    int[] rack = new int[nodes];
    int[] streams = new int[nodes];
    boolean[] accepts = new boolean[nodes];
    int racks = 1 + random.nextInt(20);
    for (int node = 0; node < nodes; node++) {
      in[node] = switch (kind) {
        case EQUAL_BANDWIDTHS, ONE_NODE -> 100_000_000;
        case ZERO_BANDWIDTHS -> random.nextInt(3) * 1_000_000L;
        case NEARLY_EQUAL, EXACT -> 100_000_000 + random.nextInt(50);
        case WIDE_RANGE -> 1L << random.nextInt(40);
        default -> random.nextInt(250_000_000);
      };
      rack[node] = random.nextInt(racks);
      streams[node] = kind == Cluster.FEW_STREAMS ? random.nextInt(4) : Integer.MAX_VALUE;
      accepts[node] = random.nextInt(20) != 0 || nodes == 1;
    }
    long bucket = switch (kind) {
      case EXACT, WIDE_RANGE, CONCAVE -> 0;
      case NEARLY_EQUAL -> 3;
      default -> random.nextInt(4) == 0 ? 0 : 1_000_000;
    };
    long[][] room = new long[1][nodes];
    Arrays.fill(room[0], Long.MAX_VALUE);
    long[] tieBreak = null;
    if (random.nextInt(3) > 0) {
      tieBreak = random.longs(nodes, 0, 5).toArray();
    }
    int count = 400;
    long[] size = new long[count];
    IntRows.Builder sources = new IntRows.Builder();
    IntRows.Builder excluded = new IntRows.Builder();
    IntRows.Builder forbidden = new IntRows.Builder();
    int sizes = random.nextInt(3);
    for (int task = 0; task < count; task++) {
      // All of one size, most of one size, or all different.
      size[task] =
          sizes == 0 || sizes == 1 && random.nextInt(4) > 0 ? 64_000_000 : (long) Math.pow(GB, random.nextDouble());
      for (int i = 0; i < 3 && nodes > 1; i++) {
        excluded.add(random.nextInt(nodes));
        forbidden.add(random.nextInt(10) == 0 ? random.nextInt(racks) : rack[0]);
      }
      sources.endRow();
      excluded.endRow();
      forbidden.endRow();
    }
    int[] storageTypes = new int[count];
    Arrays.fill(storageTypes, 1);
    return new ClusterSnapshot(new PlanningParameters(3000, 6000, bucket, 0), 0,
        new NodeTable(in, in, rack, racks, accepts, streams, streams, room).withTieBreak(tieBreak),
        new TaskTable(size, new int[count],
            new int[count], sources.build(), excluded.build(), forbidden.build(), new boolean[count], storageTypes),
        new RunningTable(new int[0], new int[0], new int[0], new long[0], new long[0]));
  }

  @Test
  void bucketed_isTheLowerEdgeOfTheBucket() {
    assertEquals(7_000_000, NodeLoads.bucketed(7_999_999, 1_000_000));
    assertEquals(1, NodeLoads.bucketed(1, 1_000_000));
    assertEquals(0, NodeLoads.bucketed(0, 1_000_000));
    assertEquals(7_999_999, NodeLoads.bucketed(7_999_999, 0));
  }
}
