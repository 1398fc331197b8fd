/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.TimeslotPlan;
import io.dayu.schedule.TimeslotScheduler;

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
      assertTrue(snapshot.tasks().sources().contains(task, plan.source()[i]), "no holder serves " + task);
      assertFalse(snapshot.tasks().sources().contains(task, plan.target()[i]), "a holder receives " + task);
      assertFalse(snapshot.tasks().forbiddenFaultDomains().contains(task, snapshot.nodes().rack()[plan.target()[i]]));
      assertTrue(snapshot.nodes().acceptsTransfers()[plan.target()[i]]);
      out[plan.source()[i]] += plan.rateBytesPerSec()[i];
      in[plan.target()[i]] += plan.rateBytesPerSec()[i];
    }
    for (int r = 0; r < snapshot.running().count(); r++) {
      long left = snapshot.tasks().sizeBytes()[snapshot.running().task()[r]] - snapshot.running().doneBytes()[r];
      boolean finishes = snapshot.running().rateBytesPerSec()[r] * snapshot.leadMs() / 1000 >= left;
      if (plan.runningSource()[r] >= 0 && !finishes) {
        out[plan.runningSource()[r]] += plan.runningRateBytesPerSec()[r];
        in[snapshot.running().target()[r]] += plan.runningRateBytesPerSec()[r];
      }
    }
    for (int node = 0; node < in.length; node++) {
      assertTrue(in[node] <= snapshot.nodes().recoverInBytesPerSec()[node], "target " + node);
      assertTrue(out[node] <= snapshot.nodes().recoverOutBytesPerSec()[node], "source " + node);
    }
    return plan;
  }
}
