/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.rival;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.TimeslotPlan;
import io.dayu.schedule.DayuScheduler;
import io.dayu.schedule.PlanVerifier;
import io.dayu.schedule.Snapshots;
import io.dayu.schedule.choice.NodeLoads;
import io.dayu.schedule.choice.TargetRules;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** {@link RandomTargets} and {@link RandomSources}: what they draw, how often, and that chance is repeatable. */
class RandomAlgorithmsTest {
  private static final int DRAWS = 40_000;
  private static final long MB = Snapshots.MB;

  /** Node i has (i + 1) MB/s each way; blocks on all of 0 to 2, which cannot be targets; 3 is on a forbidden rack. */
  private static ClusterSnapshot cluster(int nodes) {
    Snapshots snapshots = new Snapshots(nodes, MB);
    for (int node = 0; node < nodes; node++) {
      snapshots.in(node, (node + 1) * MB).out(node, (node + 1) * MB);
    }
    snapshots.block(MB, 0, 1, 2).forbiddenFaultDomains(3);
    return snapshots.build();
  }

  private static double[] targetShares(RandomTargets.Kind kind, ClusterSnapshot snapshot, long loadOfLast) {
    NodeLoads loads = new NodeLoads();
    loads.reset(snapshot);
    loads.assign(0, loads.count() - 1, loadOfLast);
    TargetRules rules = new TargetRules();
    rules.reset(snapshot.nodes(), snapshot.tasks(), loads);
    rules.begin(0);
    RandomTargets targets = new RandomTargets(kind);
    targets.reset(loads);
    double[] shares = new double[loads.count()];
    for (int i = 0; i < DRAWS; i++) {
      shares[targets.select(MB, rules)] += 1.0 / DRAWS;
    }
    return shares;
  }

  private static double[] sourceShares(RandomTargets.Kind kind, boolean[] among) {
    ClusterSnapshot snapshot = cluster(5);
    NodeLoads loads = new NodeLoads();
    loads.reset(snapshot);
    RandomSources sources = new RandomSources(kind);
    sources.reset(snapshot.nodes(), snapshot.tasks().sources(), loads);
    double[] shares = new double[5];
    for (int i = 0; i < DRAWS; i++) {
      shares[sources.select(0, MB, among)] += 1.0 / DRAWS;
    }
    return shares;
  }

  @Test
  void uniformTargets_areDrawnEquallyOften_amongThoseAllowed() {
    assertArrayEquals(new double[] {0, 0, 0, 0, 1 / 3.0, 1 / 3.0, 1 / 3.0},
        targetShares(RandomTargets.Kind.UNIFORM, cluster(7), 0), 0.02);
  }

  @Test
  void weightedTargets_areDrawnInProportionToTheirBandwidth() {
    assertArrayEquals(new double[] {0, 0, 0, 0, 5 / 18.0, 6 / 18.0, 7 / 18.0},
        targetShares(RandomTargets.Kind.BY_BANDWIDTH, cluster(7), 0), 0.02);
  }

  /** Times 1 / 5, 1 / 6 and 15 / 7: of the three pairs, node 5 wins two, node 4 one, and node 6 none. */
  @Test
  void betterOfTwoTargets_isTheOneThatEndsFirst() {
    assertArrayEquals(new double[] {0, 0, 0, 0, 1 / 3.0, 2 / 3.0, 0},
        targetShares(RandomTargets.Kind.BEST_OF_TWO, cluster(7), 14 * MB), 0.02);
  }

  @Test
  void onlyAllowedTarget_isFound_amongMany() {
    Snapshots snapshots = new Snapshots(2000, MB);
    snapshots.block(MB, 0).excluded(IntStream.range(0, 2000).filter(node -> node != 1234).toArray());
    for (RandomTargets.Kind kind : RandomTargets.Kind.values()) {
      NodeLoads loads = new NodeLoads();
      ClusterSnapshot snapshot = snapshots.build();
      loads.reset(snapshot);
      TargetRules rules = new TargetRules();
      rules.reset(snapshot.nodes(), snapshot.tasks(), loads);
      rules.begin(0);
      RandomTargets targets = new RandomTargets(kind);
      targets.reset(loads);
      assertEquals(1234, targets.select(MB, rules), kind.name());
      rules.addCopy(1234);
      assertEquals(-1, targets.select(MB, rules), kind.name());
    }
  }

  @Test
  void sources_areDrawnAsOftenAsTheirKindHasIt() {
    assertArrayEquals(new double[] {1 / 3.0, 1 / 3.0, 1 / 3.0, 0, 0}, sourceShares(RandomTargets.Kind.UNIFORM, null),
        0.02);
    assertArrayEquals(new double[] {1 / 6.0, 2 / 6.0, 3 / 6.0, 0, 0},
        sourceShares(RandomTargets.Kind.BY_BANDWIDTH, null), 0.02);
    assertArrayEquals(new double[] {0, 1 / 3.0, 2 / 3.0, 0, 0}, sourceShares(RandomTargets.Kind.BEST_OF_TWO, null),
        0.02);
    boolean[] among = {true, false, true, true, true};
    assertArrayEquals(new double[] {0.5, 0, 0.5, 0, 0}, sourceShares(RandomTargets.Kind.UNIFORM, among), 0.02);
  }

  /** Node 0 would be saturated and is not drawn; of the others each is one of the three as often as any. */
  @Test
  void sourcesOfARebuild_differ_andAreDrawnEquallyOften_amongThoseThatCanServe() {
    Snapshots snapshots = new Snapshots(6, MB);
    snapshots.block(MB, 0, 1, 2, 3, 4).rebuiltFrom(3);
    ClusterSnapshot snapshot = snapshots.build();
    NodeLoads loads = new NodeLoads();
    loads.reset(snapshot);
    loads.assign(0, 5, 6 * MB);
    RandomSources sources = new RandomSources(RandomTargets.Kind.UNIFORM);
    sources.reset(snapshot.nodes(), snapshot.tasks().sources(), loads);
    double[] shares = new double[6];
    double[] beside = new double[6];
    for (int i = 0; i < DRAWS; i++) {
      assertTrue(sources.select(0, MB, 3));
      int[] chosen = Arrays.copyOf(sources.chosen(), 3);
      assertEquals(3, Arrays.stream(chosen).distinct().count(), Arrays.toString(chosen));
      Arrays.stream(chosen).forEach(node -> shares[node] += 1.0 / DRAWS);
      beside[sources.selectBeside(0, MB, new int[] {-1, 2}, 0, 2, null)] += 1.0 / DRAWS;
    }
    assertArrayEquals(new double[] {0, 0.75, 0.75, 0.75, 0.75, 0}, shares, 0.02);
    assertArrayEquals(new double[] {0, 1 / 3.0, 0, 1 / 3.0, 1 / 3.0, 0}, beside, 0.02);
    assertFalse(sources.select(0, MB, 5), "four can serve");
  }

  /** The sum of squares of what is drawn uniformly is that of a chi-squared distribution; 1 % of them are larger. */
  @Test
  void rebuilds_loadAllNodesAlike_andGoWhereNothingOfTheirGroupIs() {
    int nodes = 40;
    int width = 6;
    int groups = 4000;
    for (String kind : new String[] {"random", "bestoftwo"}) {
      Random random = new Random(1);
      Snapshots snapshots = new Snapshots(nodes, 1000 * MB);
      for (int group = 0; group < groups; group++) {
        int[] order = IntStream.range(0, nodes).toArray();
        for (int i = 0; i < width + 2; i++) {
          int other = i + random.nextInt(nodes - i);
          int node = order[other];
          order[other] = order[i];
          order[i] = node;
        }
        snapshots.block(MB, Arrays.copyOf(order, width + 2)).rebuiltFrom(width);
      }
      ClusterSnapshot snapshot = snapshots.build();
      TimeslotPlan plan = Rivals.scheduler(kind, "filling").plan(snapshot);
      PlanVerifier.verify(snapshot, plan);
      assertEquals(groups, plan.count(), kind);
      assertArrayEquals(plan.source(), Rivals.scheduler(kind, "filling").plan(snapshot).source(), kind);
      double[] sent = new double[nodes];
      double[] received = new double[nodes];
      for (int i = 0; i < plan.count(); i++) {
        sent[plan.source()[i]]++;
        for (int at = plan.furtherSources().start(i); at < plan.furtherSources().end(i); at++) {
          sent[plan.furtherSources().values()[at]]++;
        }
        assertFalse(snapshot.tasks().sources().contains(plan.task()[i], plan.target()[i]), kind);
        received[plan.target()[i]]++;
      }
      assertTrue(chiSquared(sent, width * groups / (double) nodes) < 62.4, kind + Arrays.toString(sent));
      assertTrue(chiSquared(received, groups / (double) nodes) < 62.4, kind + Arrays.toString(received));
    }
  }

  private static double chiSquared(double[] counts, double expected) {
    return Arrays.stream(counts).map(count -> (count - expected) * (count - expected) / expected).sum();
  }

  @Test
  void otherSnapshot_getsOtherDraws() {
    Snapshots snapshots = new Snapshots(100, 100 * MB);
    Snapshots others = new Snapshots(100, 100 * MB);
    for (int i = 0; i < 50; i++) {
      snapshots.block(MB, i);
      others.block(MB, i + 1);
    }
    DayuScheduler random = Rivals.scheduler("random", "filling");
    assertFalse(Arrays.equals(random.plan(snapshots.build()).target(), random.plan(others.build()).target()));
  }
}
