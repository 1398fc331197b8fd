/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.sim.algorithm;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.IntRows;
import io.dayu.model.NodeTable;
import io.dayu.model.TaskTable;
import io.dayu.model.TimeslotPlan;
import io.dayu.schedule.TimeslotScheduler;
import io.dayu.sim.SeedMix;

/**
 * A scheduler that may use only one or two holders of each waiting block, drawn by chance, as the random algorithms of the paper do
 * (ATC'19 §5); all else is the inner scheduler's. Transfers under way keep all their holders. Not thread-safe; the same
 * snapshot always gets the same plan.
 */
public final class RandomSources implements TimeslotScheduler {
  private final TimeslotScheduler inner;
  private final RandomTargets.Kind kind;
  private final long seed;

  /** @param kind how a holder is drawn; of the two that {@code BEST_OF_TWO} draws the inner scheduler takes the better one */
  public RandomSources(TimeslotScheduler inner, RandomTargets.Kind kind, long seed) {
    this.inner = inner;
    this.kind = kind;
    this.seed = seed;
  }

  @Override
  public String name() {
    return inner.name();
  }

  @Override
  public TimeslotPlan plan(ClusterSnapshot snapshot) {
    TaskTable tasks = snapshot.tasks();
    IntRows.Builder sources = new IntRows.Builder();
    IntRows.Builder excluded = new IntRows.Builder();
    long state = SeedMix.seed(seed, sum(snapshot.nodes().recoverOutBytesPerSec()));
    for (int task = 0; task < tasks.count(); task++) {
      int first = tasks.sources().start(task);
      int count = tasks.sources().end(task) - first;
      state = SeedMix.next(state);
      int chosen = count == 0 ? 0 : draw(snapshot.nodes(), tasks.sources(), task, SeedMix.uniform(state));
      int second = (chosen + 1 + SeedMix.below(SeedMix.draw(state), Math.max(1, count - 1))) % Math.max(1, count);
      for (int i = 0; i < count; i++) {
        int node = tasks.sources().values()[first + i];
        boolean kept = tasks.copies()[task] == 0 || i == chosen || kind == RandomTargets.Kind.BEST_OF_TWO && i == second;
        (kept ? sources : excluded).add(node);
      }
      for (int i = tasks.excludedTargets().start(task); i < tasks.excludedTargets().end(task); i++) {
        excluded.add(tasks.excludedTargets().values()[i]);
      }
      sources.endRow();
      excluded.endRow();
    }
    TaskTable thinned = new TaskTable(tasks.sizeBytes(), tasks.risk(), tasks.copies(), sources.build(), excluded.build(),
        tasks.forbiddenRacks(), tasks.distinctRacks(), tasks.storageTypes());
    return inner.plan(new ClusterSnapshot(snapshot.parameters(), snapshot.leadMs(), snapshot.nodes(), thinned,
        snapshot.running()));
  }

  private int draw(NodeTable nodes, IntRows holders, int task, double uniform) {
    int first = holders.start(task);
    int count = holders.end(task) - first;
    if (kind != RandomTargets.Kind.BY_BANDWIDTH) {
      return (int) (uniform * count);
    }
    double sum = 0;
    for (int i = 0; i < count; i++) {
      sum += nodes.recoverOutBytesPerSec()[holders.values()[first + i]];
    }
    double wanted = uniform * sum;
    for (int i = 0; i < count - 1; i++) {
      wanted -= nodes.recoverOutBytesPerSec()[holders.values()[first + i]];
      if (wanted < 0) {
        return i;
      }
    }
    return count - 1;
  }

  private static long sum(long[] values) {
    long sum = 0;
    for (long value : values) {
      sum += value;
    }
    return sum;
  }
}
