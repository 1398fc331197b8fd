/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.benchmark;

import io.dayu.model.ClusterSnapshot;
import io.dayu.schedule.choice.BucketScan;
import io.dayu.schedule.choice.BucketTournament;
import io.dayu.schedule.choice.NodeLoads;
import io.dayu.schedule.choice.TargetRules;
import io.dayu.schedule.choice.TargetSelector;
import io.dayu.schedule.paper.HullSelector;
import io.dayu.sim.rival.FullScan;
import io.dayu.sim.rival.RedBlackTree;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

import java.util.concurrent.TimeUnit;

/**
 * The choice of one target, with the update of loads that follows it and its share of a slot's beginning; after 20
 * choices a node a new slot begins.
 * <pre>java -jar dayu-sim/target/benchmarks.jar TargetSelectionBenchmark -rf json</pre>
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class TargetSelectionBenchmark {
  private static final int CHOICES_A_NODE = 20;

  @Param({"1000", "3500", "25000", "100000"})
  public int nodes;

  /** 250 is the paper's; 3000 is 25 Gbit/s, with twelve times as many buckets. */
  @Param("250")
  public int linkMbPerSec;

  private final TargetSelector hull = new HullSelector();
  private final TargetSelector tournament = new BucketTournament();
  private final TargetSelector bucketScan = new BucketScan();
  private final TargetSelector redBlackTree = new RedBlackTree();
  private final TargetSelector fullScan = new FullScan();
  private final NodeLoads loads = new NodeLoads();
  private final TargetRules rules = new TargetRules();
  private ClusterSnapshot snapshot;
  private TargetSelector current;
  private int next;

  @Setup
  public void draw() {
    snapshot = BenchmarkCluster.draw(nodes, CHOICES_A_NODE * nodes, 0, linkMbPerSec);
  }

  private int choose(TargetSelector selector) {
    if (selector != current || next == snapshot.tasks().count()) {
      loads.reset(snapshot);
      rules.reset(snapshot.nodes(), snapshot.tasks(), loads);
      selector.reset(loads);
      current = selector;
      next = 0;
    }
    int task = next++;
    long sizeBytes = snapshot.tasks().sizeBytes()[task];
    rules.begin(task);
    int target = selector.select(sizeBytes, rules);
    loads.assign(snapshot.tasks().sources().values()[2 * task], target, sizeBytes);
    selector.loadChanged(target);
    return target;
  }

  @Benchmark
  public int hull() {
    return choose(hull);
  }

  @Benchmark
  public int tournament() {
    return choose(tournament);
  }

  @Benchmark
  public int bucketScan() {
    return choose(bucketScan);
  }

  @Benchmark
  public int redBlackTree() {
    return choose(redBlackTree);
  }

  @Benchmark
  public int fullScan() {
    return choose(fullScan);
  }
}
