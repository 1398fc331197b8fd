/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.sim.engine;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.PlanningParameters;
import io.dayu.model.RunningTable;
import io.dayu.model.TaskTable;
import io.dayu.model.TimeslotPlan;
import io.dayu.schedule.TimeslotScheduler;

import java.util.Arrays;

/**
 * Plans transfers beyond the horizon: a second plan of the same scheduler, for a longer horizon, in which what the first one planned is
 * running already. Not thread-safe.
 */
final class QueuePlanner {
  private final TimeslotScheduler scheduler;
  private final long queueMs;

  QueuePlanner(TimeslotScheduler scheduler, long queueMs) {
    this.scheduler = scheduler;
    this.queueMs = queueMs;
  }

  ExtendedPlan.Queued queue(ClusterSnapshot snapshot, TimeslotPlan plan) {
    PlanningParameters longer = snapshot.parameters().withHorizonMs(snapshot.parameters().horizonMs() + queueMs);
    TaskTable tasks = snapshot.tasks();
    int[] copies = tasks.copies().clone();
    for (int task : plan.task()) {
      copies[task]--;
    }
    TaskTable waiting = new TaskTable(tasks.sizeBytes(), tasks.risk(), copies, tasks.sources(), tasks.excludedTargets(),
        tasks.forbiddenRacks(), tasks.distinctRacks(), tasks.storageTypes());
    TimeslotPlan further = scheduler.plan(new ClusterSnapshot(longer, snapshot.leadMs(), snapshot.nodes(), waiting,
        running(snapshot.running(), plan)));
    return new ExtendedPlan.Queued(further.task(), further.source(), further.target());
  }

  /** What will be running when the plan has taken effect. */
  private static RunningTable running(RunningTable before, TimeslotPlan plan) {
    int most = before.count() + plan.count();
    int[] task = new int[most];
    int[] source = new int[most];
    int[] target = new int[most];
    long[] done = new long[most];
    long[] rate = new long[most];
    int count = 0;
    for (int r = 0; r < before.count(); r++) {
      if (plan.runningSource()[r] != TimeslotPlan.EVICTED) {
        task[count] = before.task()[r];
        source[count] = Math.max(-1, plan.runningSource()[r]);
        target[count] = before.target()[r];
        done[count] = before.doneBytes()[r];
        rate[count++] = before.rateBytesPerSec()[r];
      }
    }
    System.arraycopy(plan.task(), 0, task, count, plan.count());
    System.arraycopy(plan.source(), 0, source, count, plan.count());
    System.arraycopy(plan.target(), 0, target, count, plan.count());
    count += plan.count();
    return new RunningTable(Arrays.copyOf(task, count), Arrays.copyOf(source, count), Arrays.copyOf(target, count),
        Arrays.copyOf(done, count), Arrays.copyOf(rate, count));
  }
}
