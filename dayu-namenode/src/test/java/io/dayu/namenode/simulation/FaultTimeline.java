/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import java.util.ArrayList;
import java.util.List;

/** When faults of a sequence begin and end, and its log. Not thread-safe. */
final class FaultTimeline {
  private final EventQueue events;
  private final StringBuilder log;
  private final List<FaultStep> applied = new ArrayList<>();
  private boolean over;

  /** @param log receives a line for each thing that is done */
  FaultTimeline(EventQueue events, StringBuilder log) {
    this.events = events;
    this.log = log;
  }

  /** No fault ends any more by itself. */
  void stop() {
    over = true;
    line("faults are over");
  }

  void later(FaultStep step, String what, Runnable action) {
    afterwards(step.durationMs(), what, action);
  }

  void afterwards(long delayMs, String what, Runnable action) {
    events.after(delayMs, () -> {
      if (!over) {
        line(what);
        action.run();
      }
    });
  }

  /** The steps that happened: a fault finds nothing that it can be about now and then. */
  List<FaultStep> applied() {
    return List.copyOf(applied);
  }

  void note(FaultStep step, String about) {
    applied.add(step);
    line(step.kind() + " " + about + (step.durationMs() == 0 ? ", for good" : ", for " + step.durationMs() + " ms"));
  }

  void line(String what) {
    log.append(String.format("  %7d ms  %s%n", events.elapsedMs(), what));
  }
}
