/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.benchmark;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.NodeTable;
import io.dayu.model.TimeslotPlan;
import io.dayu.schedule.DayuScheduler;
import io.dayu.schedule.paper.IterativeWss;
import io.dayu.schedule.rates.ProgressiveFilling;
import io.dayu.schedule.rates.RateAllocator;
import io.dayu.schedule.rates.TransferLinks;
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
 * Rates for the first transfers of a plan over 3,500 nodes: to exhaustion by progressive filling, and five iterations
 * of WSS.
 * <pre>java -jar dayu-sim/target/benchmarks.jar RateAllocationBenchmark -rf json</pre>
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class RateAllocationBenchmark {
  private static final int NODES = 3500;

  @Param({"20000", "85000"})
  public int transfers;

  private final RateAllocator filling = new ProgressiveFilling();
  private final RateAllocator wss = new IterativeWss(IterativeWss.PAPER_ITERATIONS);
  private final TransferLinks links = new TransferLinks();
  private long[] rates;

  @Setup
  public void plan() {
    // More blocks than fit into the slot, so that enough of them can be planned.
    ClusterSnapshot snapshot = BenchmarkCluster.draw(NODES, 4 * transfers, 0);
    TimeslotPlan plan = new DayuScheduler().plan(snapshot);
    if (plan.count() < transfers) {
      throw new IllegalStateException("the plan has only " + plan.count() + " transfers");
    }
    NodeTable nodes = snapshot.nodes();
    links.reset(2 * NODES);
    for (int node = 0; node < NODES; node++) {
      links.setCapacity(node, nodes.recoverOutBytesPerSec()[node]);
      links.setCapacity(NODES + node, nodes.recoverInBytesPerSec()[node]);
    }
    for (int transfer = 0; transfer < transfers; transfer++) {
      links.add(snapshot.tasks().sizeBytes()[plan.task()[transfer]]);
      links.crosses(plan.source()[transfer]);
      links.crosses(NODES + plan.target()[transfer]);
    }
    rates = new long[transfers];
  }

  @Benchmark
  public long[] progressiveFilling() {
    filling.allocate(links, rates);
    return rates;
  }

  @Benchmark
  public long[] iterativeWss() {
    wss.allocate(links, rates);
    return rates;
  }
}
