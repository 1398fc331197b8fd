/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.planning;

import io.dayu.blocks.WaitingBlock;
import io.dayu.model.IntRows;
import io.dayu.model.NodeTable;
import io.dayu.model.RunningTable;
import io.dayu.model.TaskTable;
import io.dayu.model.TimeslotPlan;

import java.util.ArrayList;
import java.util.List;

/**
 * Finds the blocks that a plan leaves out although less than half of the bandwidth is used at as many of their sources
 * as send at once, and at a node that may receive them. So the reason is not a lack of bandwidth, and the planner may
 * never plan them by itself. No state.
 */
final class SkippedBlocks {
  /** Blocks that are found in a timeslot; others are found in later ones. */
  private static final int MAX_FOUND = 1_000;
  /** Possible targets that a timeslot looks at; later ones look at others. */
  private static final int MAX_TARGETS = 16;

  private SkippedBlocks() {
  }

  /** @param timeslot grows by one with each timeslot, and chooses the possible targets that are looked at */
  static List<WaitingBlock> find(PlanningView view, TimeslotPlan plan, int timeslot) {
    NodeTable nodes = view.snapshot().nodes();
    TaskTable tasks = view.snapshot().tasks();
    RunningTable running = view.snapshot().running();
    EndUsage in = new EndUsage(nodes.recoverInBytesPerSec(), nodes.maxIncoming());
    EndUsage write = new EndUsage(nodes.writeBytesPerSec() == null ? nodes.recoverInBytesPerSec()
        : nodes.writeBytesPerSec(), nodes.maxIncoming());
    EndUsage out = new EndUsage(nodes.recoverOutBytesPerSec(), nodes.maxOutgoing());
    boolean[] planned = new boolean[tasks.count()];
    for (int i = 0; i < plan.count(); i++) {
      planned[plan.task()[i]] = true;
      in.add(plan.target()[i], tasks.width(plan.task()[i]) * plan.rateBytesPerSec()[i]);
      write.add(plan.target()[i], plan.rateBytesPerSec()[i]);
      out.add(plan.source()[i], plan.rateBytesPerSec()[i]);
      out.addAll(plan.furtherSources(), i, plan.rateBytesPerSec()[i]);
    }
    for (int r = 0; r < running.count(); r++) {
      if (plan.runningSource()[r] != TimeslotPlan.EVICTED) {
        in.add(running.target()[r], tasks.width(running.task()[r]) * plan.runningRateBytesPerSec()[r]);
        write.add(running.target()[r], plan.runningRateBytesPerSec()[r]);
      }
      if (plan.runningSource()[r] >= 0) {
        out.add(plan.runningSource()[r], plan.runningRateBytesPerSec()[r]);
        out.addAll(plan.runningFurtherSources(), r, plan.runningRateBytesPerSec()[r]);
      }
    }
    List<Integer> targets = new ArrayList<>();
    int firstTarget = nodes.count() == 0 ? 0 : Math.floorMod(timeslot * MAX_TARGETS, nodes.count());
    for (int i = 0; i < nodes.count() && targets.size() < MAX_TARGETS; i++) {
      int node = (firstTarget + i) % nodes.count();
      if (nodes.acceptsTransfers()[node] && in.hasRoom(node) && write.hasRoom(node)) {
        targets.add(node);
      }
    }
    List<WaitingBlock> found = new ArrayList<>();
    for (int task = 0; task < view.waiting().size() && !targets.isEmpty() && found.size() < MAX_FOUND; task++) {
      if (!planned[task] && canBeSent(tasks, task, out) && canBeReceived(tasks, task, nodes, targets)) {
        found.add(view.waiting().get(task));
      }
    }
    return found;
  }

  private static boolean canBeSent(TaskTable tasks, int task, EndUsage out) {
    int withRoom = 0;
    for (int i = tasks.sources().start(task); i < tasks.sources().end(task); i++) {
      withRoom += out.hasRoom(tasks.sources().values()[i]) ? 1 : 0;
    }
    return withRoom >= tasks.width(task);
  }

  private static boolean canBeReceived(TaskTable tasks, int task, NodeTable nodes, List<Integer> targets) {
    int type = Integer.numberOfTrailingZeros(tasks.storageTypes()[task]);
    for (int target : targets) {
      if (!tasks.excludedTargets().contains(task, target) && !tasks.sources().contains(task, target)
          && !tasks.forbiddenFaultDomains().contains(task, nodes.rack()[target])
          && (nodes.domain() == null || !tasks.forbiddenFaultDomains().contains(task, nodes.domain()[target]))
          && nodes.roomBytes()[type][target] >= Math.max(1, tasks.sizeBytes()[task])) {
        return true;
      }
    }
    return false;
  }

  /** The bandwidth that a plan uses at all nodes in one direction. */
  private static final class EndUsage {
    private final long[] recoverBytesPerSec;
    private final int[] maxStreams;
    private final long[] usedBytesPerSec;
    private final int[] streams;

    EndUsage(long[] recoverBytesPerSec, int[] maxStreams) {
      this.recoverBytesPerSec = recoverBytesPerSec;
      this.maxStreams = maxStreams;
      this.usedBytesPerSec = new long[maxStreams.length];
      this.streams = new int[maxStreams.length];
    }

    void add(int node, long bytesPerSec) {
      usedBytesPerSec[node] += bytesPerSec;
      streams[node]++;
    }

    void addAll(IntRows nodes, int row, long bytesPerSec) {
      for (int i = nodes == null ? 0 : nodes.start(row); nodes != null && i < nodes.end(row); i++) {
        if (nodes.values()[i] >= 0) {
          add(nodes.values()[i], bytesPerSec);
        }
      }
    }

    boolean hasRoom(int node) {
      return usedBytesPerSec[node] < recoverBytesPerSec[node] / 2 && streams[node] < maxStreams[node];
    }
  }
}
