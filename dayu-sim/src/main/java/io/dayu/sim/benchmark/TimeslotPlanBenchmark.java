/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.sim.benchmark;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.TimeslotPlan;
import io.dayu.schedule.DayuScheduler;
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
 * The plan of a whole timeslot, the default scheduler's, stragglers and rates included, for 72 waiting blocks and 0.57 stragglers a node
 * (252,000 and 2,000 at 3,500 nodes). Allocation: {@code -prof gc}.
 * <pre>java -jar dayu-sim/target/benchmarks.jar TimeslotPlanBenchmark -rf json</pre>
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(value = 1, jvmArgsAppend = "-Xmx2g")
public class TimeslotPlanBenchmark {
  private static final int BLOCKS_A_NODE = 72;

  @Param({"3500", "25000", "100000"})
  public int nodes;

  private final DayuScheduler scheduler = new DayuScheduler();
  private ClusterSnapshot snapshot;

  @Setup
  public void draw() {
    snapshot = BenchmarkCluster.draw(nodes, BLOCKS_A_NODE * nodes, (int) (nodes * 2000L / 3500));
  }

  @Benchmark
  public TimeslotPlan plan() {
    return scheduler.plan(snapshot);
  }
}
