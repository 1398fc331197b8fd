/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.figures;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.TimeslotPlan;
import io.dayu.schedule.TimeslotScheduler;

/** A scheduler that notes which node is made to send how much. Not thread-safe. */
final class SentBytes implements TimeslotScheduler {
  private final TimeslotScheduler inner;
  private final long[] bytes;

  SentBytes(TimeslotScheduler inner, int nodes) {
    this.inner = inner;
    bytes = new long[nodes];
  }

  @Override
  public String name() {
    return inner.name();
  }

  @Override
  public TimeslotPlan plan(ClusterSnapshot snapshot) {
    TimeslotPlan plan = inner.plan(snapshot);
    for (int i = 0; i < plan.count(); i++) {
      bytes[plan.source()[i]] += snapshot.tasks().sizeBytes()[plan.task()[i]];
    }
    return plan;
  }

  /** By node, live. */
  long[] bytes() {
    return bytes;
  }
}
