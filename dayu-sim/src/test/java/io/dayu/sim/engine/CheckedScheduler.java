/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.IntRows;
import io.dayu.model.TimeslotPlan;
import io.dayu.schedule.TimeslotScheduler;

import java.util.Arrays;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Passes everything on to another scheduler, and fails if a plan puts more on a link than it has, or a copy where it
 * must not go.
 */
public record CheckedScheduler(TimeslotScheduler inner) implements TimeslotScheduler {

  @Override
  public String name() {
    return inner.name();
  }

  @Override
  public TimeslotPlan plan(ClusterSnapshot snapshot) {
    TimeslotPlan plan = inner.plan(snapshot);
    long[] out = new long[snapshot.nodes().count()];
    long[] in = new long[snapshot.nodes().count()];
    boolean[] planned = new boolean[snapshot.tasks().count()];
    for (int i = 0; i < plan.count(); i++) {
      int task = plan.task()[i];
      assertFalse(planned[task], "planned twice: " + task);
      planned[task] = true;
      assertTrue(snapshot.tasks().copies()[task] == 1 && plan.rateBytesPerSec()[i] > 0);
      int[] sources = sources(plan.source()[i], plan.furtherSources(), i);
      assertEquals(snapshot.tasks().width(task), Arrays.stream(sources).distinct().count());
      for (int source : sources) {
        assertTrue(snapshot.tasks().sources().contains(task, source), "no holder serves " + task);
        out[source] += plan.rateBytesPerSec()[i];
      }
      assertFalse(snapshot.tasks().sources().contains(task, plan.target()[i]), "a holder receives " + task);
      assertFalse(snapshot.tasks().forbiddenFaultDomains().contains(task, snapshot.nodes().rack()[plan.target()[i]]));
      assertTrue(snapshot.nodes().acceptsTransfers()[plan.target()[i]]);
      in[plan.target()[i]] += sources.length * plan.rateBytesPerSec()[i];
    }
    for (int r = 0; r < snapshot.running().count(); r++) {
      long left = snapshot.tasks().sizeBytes()[snapshot.running().task()[r]] - snapshot.running().doneBytes()[r];
      boolean finishes = snapshot.running().rateBytesPerSec()[r] * snapshot.leadMs() / 1000 >= left;
      if (plan.runningSource()[r] >= 0 && plan.runningRateBytesPerSec()[r] > 0 && !finishes) {
        int[] sources = sources(plan.runningSource()[r], plan.runningFurtherSources(), r);
        for (int source : sources) {
          out[source] += plan.runningRateBytesPerSec()[r];
        }
        in[snapshot.running().target()[r]] += sources.length * plan.runningRateBytesPerSec()[r];
      }
    }
    for (int node = 0; node < in.length; node++) {
      assertTrue(in[node] <= snapshot.nodes().recoverInBytesPerSec()[node], "target " + node);
      assertTrue(out[node] <= snapshot.nodes().recoverOutBytesPerSec()[node], "source " + node);
    }
    return plan;
  }

  private static int[] sources(int first, IntRows further, int row) {
    return IntStream.concat(IntStream.of(first), further == null ? IntStream.empty()
        : Arrays.stream(further.values(), further.start(row), further.end(row))).toArray();
  }

  @Override
  public boolean plansRebuilds() {
    return inner.plansRebuilds();
  }
}
