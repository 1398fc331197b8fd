/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.benchmark;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.IntRows;
import io.dayu.model.RunningTable;
import io.dayu.model.TaskTable;
import io.dayu.model.TimeslotPlan;
import io.dayu.model.UnselectedBlocks;
import io.dayu.queue.WaitingBlocks;
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

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * The plan of a whole timeslot, the default scheduler's, with the selection of work from all waiting blocks, stragglers
 * and rates, for 72 waiting
 * blocks and 0.57 stragglers a node (252,000 and 2,000 at 3,500 nodes). Allocation: {@code -prof gc}.
 * <pre>java -jar dayu-sim/target/benchmarks.jar TimeslotPlanBenchmark -rf json</pre>
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(value = 1, jvmArgsAppend = "-Xmx2g")
public class TimeslotPlanBenchmark {
  /** As {@code BlockSelection} of the NameNode has it. */
  private static final double CHOICE = 1.25;

  @Param({"3500", "25000", "100000"})
  public int nodes;

  @Param("72")
  public int blocksPerNode;

  private final DayuScheduler scheduler = new DayuScheduler();
  private final WaitingBlocks waiting = new WaitingBlocks();
  private ClusterSnapshot all;
  private long[] quotaBytes;
  private long[] typeBytes;

  @Setup
  public void draw() {
    all = BenchmarkCluster.draw(nodes, blocksPerNode * nodes, (int) (nodes * 2000L / 3500));
    TaskTable tasks = all.tasks();
    for (int task = all.running().count(); task < tasks.count(); task++) {
      IntRows sources = tasks.sources();
      IntRows racks = tasks.forbiddenFaultDomains();
      int[] ids = {sources.values()[sources.start(task)], sources.values()[sources.start(task) + 1],
          racks.values()[racks.start(task)], racks.values()[racks.start(task) + 1]};
      waiting.put(task, 1, tasks.sizeBytes()[task], tasks.risk()[task], 1, false, tasks.storageTypes()[task],
          ids, 2, 0);
    }
    quotaBytes = Arrays.stream(all.nodes().recoverOutBytesPerSec()).map(this::quota).toArray();
    typeBytes = new long[] {Arrays.stream(all.nodes().recoverInBytesPerSec()).map(this::quota).sum()};
  }

  private long quota(long bytesPerSec) {
    return (long) (CHOICE * bytesPerSec * all.parameters().horizonMs() / 1000);
  }

  @Benchmark
  public TimeslotPlan plan() {
    return scheduler.plan(snapshot(waiting.select(quotaBytes, typeBytes)));
  }

  /** What is selected, and behind it the blocks that are under way. */
  private ClusterSnapshot snapshot(int selected) {
    RunningTable running = all.running();
    int rows = selected + running.count();
    long[] size = new long[rows];
    int[] risk = new int[rows];
    int[] copies = new int[rows];
    int[] types = new int[rows];
    IntRows.Builder sources = new IntRows.Builder();
    IntRows.Builder excluded = new IntRows.Builder();
    IntRows.Builder racks = new IntRows.Builder();
    for (int i = 0; i < selected; i++) {
      int row = waiting.selected(i);
      size[i] = waiting.bytes(row);
      risk[i] = waiting.risk(row);
      copies[i] = waiting.copies(row);
      types[i] = waiting.storageTypes(row);
      sources.add(waiting.id(row, 0)).add(waiting.id(row, 1)).endRow();
      // Targets are never sources, said or not.
      excluded.endRow();
      racks.add(waiting.id(row, 2)).add(waiting.id(row, 3)).endRow();
    }
    int[] task = new int[running.count()];
    for (int r = 0; r < running.count(); r++) {
      int row = running.task()[r];
      task[r] = selected + r;
      size[selected + r] = all.tasks().sizeBytes()[row];
      risk[selected + r] = all.tasks().risk()[row];
      types[selected + r] = all.tasks().storageTypes()[row];
      sources.add(all.tasks().sources().values()[all.tasks().sources().start(row)])
          .add(all.tasks().sources().values()[all.tasks().sources().start(row) + 1]).endRow();
      excluded.endRow();
      racks.endRow();
    }
    TaskTable tasks =
        new TaskTable(size, risk, copies, sources.build(), excluded.build(), racks.build(), new boolean[rows], types);
    return new ClusterSnapshot(all.parameters(), all.leadMs(), all.nodes(), tasks,
        new RunningTable(task, running.source(), running.target(), running.doneBytes(), running.rateBytesPerSec()),
        new UnselectedBlocks(Arrays.copyOf(waiting.restBytes(), nodes), waiting.restCopyBytes()));
  }
}
