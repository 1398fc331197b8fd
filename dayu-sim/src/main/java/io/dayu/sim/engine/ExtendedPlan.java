/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.sim.engine;

import io.dayu.model.TimeslotPlan;

/**
 * A plan, and what is to be done beyond it before the next one takes effect. Immutable by convention; rows are those of the snapshot.
 *
 * @param plan as the scheduler made it
 * @param queued transfers that an agent may begin when there is bandwidth left, in the order in which they are to be begun
 * @param splits second sources
 */
record ExtendedPlan(TimeslotPlan plan, Queued queued, Splits splits) {

  /** Transfers without a rate. */
  record Queued(int[] task, int[] source, int[] target) {
    static final Queued NONE = new Queued(new int[0], new int[0], new int[0]);
  }

  /** The blocks, by row of the task table, of which a part is pulled from a second source, and at which rate. */
  record Splits(int[] task, int[] source, long[] rateBytesPerSec) {
    static final Splits NONE = new Splits(new int[0], new int[0], new long[0]);
  }
}
