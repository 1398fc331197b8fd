/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import java.util.List;
import java.util.function.Consumer;

/** Makes faults of NameNodes happen, and undoes them. Not thread-safe. */
final class NameNodeFaults {
  /** The numbers of a step are less. */
  private static final int MAX_B = 1_000;

  private final SimulatedCluster cluster;
  private final FaultTimeline timeline;

  NameNodeFaults(SimulatedCluster cluster, FaultTimeline timeline) {
    this.cluster = cluster;
    this.timeline = timeline;
  }

  /** @param step of a kind that is about NameNodes */
  void apply(FaultStep step) {
    switch (step.kind()) {
      case FAIL_OVER -> failOver(step);
      case TWO_ACTIVE -> activateBeside(step);
      case CRASH_NAMENODE -> crash(step);
      case HANG_LOOP -> withActive(step, active -> {
        active.loopHangs = true;
        cluster.disturbLoop(step.durationMs());
        timeline.later(step, "loop goes on: " + active.name, () -> active.loopHangs = false);
      });
      case HANG_NAMENODE -> hangNameNode(step);
      case BLOCK_MANAGER_FAILS -> withActive(step, active -> {
        active.management.failing = true;
        cluster.disturbLoop(step.durationMs());
        timeline.later(step, "block manager works again: " + active.name, () -> active.management.failing = false);
      });
      case SAFE_MODE -> withActive(step, active -> {
        active.map.safeMode = true;
        timeline.later(step, "out of safe mode: " + active.name, () -> active.map.safeMode = false);
      });
      default -> throw new IllegalArgumentException(step + " is not done here");
    }
  }

  private void withActive(FaultStep step, Consumer<SimulatedNameNode> action) {
    SimulatedNameNode active = cluster.active();
    if (active != null) {
      timeline.note(step, active.name);
      action.accept(active);
    }
  }

  private SimulatedNameNode otherThan(SimulatedNameNode nameNode) {
    return cluster.nameNodes.get(cluster.nameNodes.get(0) == nameNode ? 1 : 0);
  }

  /** Makes a NameNode active after a while, if it runs then and no other one is active. */
  private void activateAfter(long delayMs, SimulatedNameNode nameNode) {
    cluster.events.after(delayMs, () -> {
      if (cluster.active() == null && nameNode.runs()) {
        cluster.activate(nameNode);
      }
    });
  }

  private void failOver(FaultStep step) {
    SimulatedNameNode active = cluster.active();
    SimulatedNameNode other = otherThan(active);
    if (active != null && other.runs()) {
      timeline.note(step, active.name + " to " + other.name);
      other.map.stopActive();
      active.map.stopActive();
      activateAfter(step.b(), other);
    }
  }

  private void activateBeside(FaultStep step) {
    SimulatedNameNode active = cluster.active();
    SimulatedNameNode other = otherThan(active);
    if (active != null && other.runs() && !other.map.active) {
      timeline.note(step, other.name + " beside " + active.name);
      cluster.activateBeside(other);
      boolean ends = step.a() % 2 == 0;
      timeline.later(step, "is no longer active: " + active.name, () -> {
        if (active.up && active.map.active && cluster.nameNodes.contains(active) && active != cluster.active()) {
          active.map.stopActive();
          if (ends) {
            cluster.crash(active);
            timeline.afterwards(MAX_B + 3L * step.b(), "started again: " + active.name, () -> startAgain(active));
          }
        }
      });
    }
  }

  private void hangNameNode(FaultStep step) {
    SimulatedNameNode active = cluster.active();
    if (active != null) {
      SimulatedNameNode other = otherThan(active);
      SimulatedNameNode hangs = other.runs() && step.a() % 4 == 0 ? other : active;
      boolean failsOver = hangs == active && step.b() % 2 == 0;
      if (failsOver) {
        other.map.stopActive();
      }
      timeline.note(step, hangs.name + (failsOver ? ", " + other.name + " takes over" : ""));
      hangs.standStill();
      cluster.disturbLoop(step.durationMs());
      if (failsOver) {
        activateAfter(MAX_B + 3 * step.b(), other);
      }
      timeline.later(step, "goes on: " + hangs.name, () -> {
        hangs.goOn();
        // Of two NameNodes one is active, even if this was to take over while it stood still.
        activateAfter(0, hangs);
      });
    }
  }

  private void crash(FaultStep step) {
    SimulatedNameNode active = cluster.active();
    SimulatedNameNode other = otherThan(active);
    if (active != null && other.runs()) {
      timeline.note(step, active.name + ", " + other.name + " takes over");
      other.map.stopActive();
      cluster.crash(active);
      activateAfter(3 * step.b(), other);
      timeline.later(step, "started again: " + active.name, () -> startAgain(active));
    }
  }

  private void startAgain(SimulatedNameNode ended) {
    if (!ended.up && cluster.nameNodes.contains(ended)) {
      cluster.restart(ended);
    }
  }

  /** Both run, and one of them is active. */
  void stop() {
    for (SimulatedNameNode nameNode : List.copyOf(cluster.nameNodes)) {
      nameNode.loopHangs = false;
      nameNode.goOn();
      nameNode.management.failing = false;
      nameNode.map.safeMode = false;
      if (!nameNode.up) {
        cluster.restart(nameNode);
      }
    }
    if (cluster.active() == null) {
      cluster.activate(cluster.nameNodes.get(0));
    }
    cluster.nameNodes.stream().filter(nameNode -> nameNode != cluster.active() && nameNode.map.active)
        .forEach(nameNode -> nameNode.map.stopActive());
  }
}
