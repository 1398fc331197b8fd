/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * One fault of an embedded cluster, or one thing that a client or an admin does. Immutable.
 *
 * @param pauseMs how long nothing is done before it
 * @param kind what
 * @param a picks the node or the file that it is about, among those that it can be about then
 * @param b what the kind makes of it
 */
record ClusterStep(int pauseMs, Kind kind, int a, int b) {
  private static final int MAX_PAUSE_MS = 2_500;
  private static final int MIN_STEPS = 5;
  private static final int MAX_STEPS = 14;

  /** What may happen. */
  enum Kind {
    /** A DataNode dies, and comes back with what is on its disks, at the end at the latest. */
    KILL,
    START_AGAIN,
    /** A DataNode is restarted at once. */
    RESTART,
    /** Dayu's agent on a DataNode reaches no NameNode. */
    PARTITION_AGENT,
    HEAL_AGENT,
    WRITE,
    APPEND,
    DELETE,
    SET_REPLICATION,
    DECOMMISSION,
    RECOMMISSION,
    /** The standby NameNode becomes active; without one, the NameNode is restarted. */
    FAIL_OVER
  }

  /**
   * Faults that follow from nothing but {@code random}; the first is a DataNode's death, so that there is something to
   * recover.
   */
  static List<ClusterStep> draw(Random random) {
    List<ClusterStep> steps = new ArrayList<>();
    int count = MIN_STEPS + random.nextInt(MAX_STEPS - MIN_STEPS + 1);
    for (int i = 0; i < count; i++) {
      Kind kind = i == 0 ? Kind.KILL : Kind.values()[random.nextInt(Kind.values().length)];
      steps.add(new ClusterStep(random.nextInt(MAX_PAUSE_MS), kind, random.nextInt(1_000), random.nextInt(1_000)));
    }
    return steps;
  }
}
