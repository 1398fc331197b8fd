/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.EnumMap;
import java.util.Map;

/**
 * Runs the stages of a tick, and counts how often each has failed in a row. Owned by the recovery loop; not
 * thread-safe.
 */
final class TickStages {
  private static final Logger LOG = LoggerFactory.getLogger(TickStages.class);

  private static final int MAX_FAILURES_IN_A_ROW = 3;

  /** What a tick consists of. */
  enum Stage { STATE, REPORTS, AUDIT, UNREGISTRATION, TIMESLOT, COMMANDS }

  private final Map<Stage, Integer> failures = new EnumMap<>(Stage.class);
  private String reason;

  /** Runs one stage. Returns whether it has not failed; what it throws goes no further. */
  boolean run(Stage stage, Runnable work) {
    reason = null;
    try {
      work.run();
      failures.remove(stage);
      return true;
    } catch (RuntimeException e) {
      int inARow = failures.merge(stage, 1, Integer::sum);
      if (inARow == 1) {
        LOG.error("Dayu: the recovery loop failed at {}", stage, e);
      } else {
        LOG.debug("Dayu: the recovery loop failed at {} ({} in a row)", stage, inARow, e);
      }
      if (inARow >= MAX_FAILURES_IN_A_ROW) {
        reason = "the recovery loop failed " + inARow + " times in a row at " + stage + ": " + e;
      }
      return false;
    }
  }

  /** Why stock is to take over, if the last stage has failed once too often, whatever the others did; else null. */
  String givesUp() {
    return reason;
  }

  /** Forgets past failures. */
  void clear() {
    failures.clear();
  }
}
