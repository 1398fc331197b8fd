/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.TimeslotPlan;

/**
 * Decides one timeslot: which blocks are recovered, from which source, to which target, at which rate (ATC'19 §3, §4).
 * It need not be thread-safe; one thread owns an instance.
 *
 * <p>The same snapshots, given to a new instance in the same order, always give the same plans. A scheduler of the
 * NameNode keeps no state between calls that could change an answer, so its plan depends on the last snapshot alone,
 * and a dry run may ask the same instance. Only a model of another system that the simulator compares with may keep
 * such state; it is used for one recovery.
 */
public interface TimeslotScheduler {

  /** The name by which settings and reports call this scheduler. */
  String name();

  /**
   * Plans one timeslot.
   *
   * @param snapshot the cluster as of the last reports; not modified
   * @return new transfers with their rates, and what becomes of each running one
   */
  TimeslotPlan plan(ClusterSnapshot snapshot);

  /** Whether it plans rows of the task table that need several sources at once. */
  default boolean plansRebuilds() {
    return false;
  }
}
