/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.planning;

import io.dayu.blocks.GroupNeed;
import io.dayu.blocks.IndexedNode;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.model.ClusterSnapshot;
import io.dayu.model.IntRows;
import io.dayu.model.NodeTable;
import io.dayu.model.RunningTable;
import io.dayu.model.TaskTable;
import io.dayu.model.TimeslotPlan;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.rules.WidenedHorizon;
import io.dayu.schedule.choice.NodeLoads;

import java.util.HashMap;
import java.util.Map;

/**
 * Has internal blocks on leaving nodes rebuilt from the others of their groups, where the leaving nodes would hold the
 * recovery up. No state.
 *
 * <p><b>Goal.</b> A leaving node sends its blocks no faster than its link allows, while all other nodes idle. A rebuild
 * moves k times as many bytes and does not read from the leaving node.
 *
 * <p><b>Rule.</b> A plan copies first. Of the rows that it leaves out since their leaving nodes are saturated within
 * the horizon, the next plan of the same timeslot rebuilds as many as fit a share of all that can be transferred;
 * rebuilds of this kind that are under way count. They come after all that is lost or copied.
 */
final class LeavingGroups {
  /** After all rows that HDFS has queued. */
  private static final int LAST_RISK = TaskTable.RISK_LEVELS - 1;

  private LeavingGroups() {
  }

  /** How much of what can be transferred may go into such rebuilds. */
  static double maxShare(Settings settings) {
    return settings.choice(Setting.DECOMMISSION_REBUILD).equals("auto")
        ? settings.ratio(Setting.DECOMMISSION_REBUILD_SHARE) : 0;
  }

  /**
   * The snapshot to plan with instead; the same one if no row changes.
   *
   * @param snapshot what {@code plan} was made from
   */
  static ClusterSnapshot rebuilt(PlanningView view, ClusterSnapshot snapshot, TimeslotPlan plan, Settings settings) {
    double maxShare = maxShare(settings);
    if (view.leaving().length == 0 || maxShare == 0) {
      return snapshot;
    }
    double leftBytes = maxShare * plan.volumeBytes() - bytesUnderWay(view);
    boolean[] planned = new boolean[snapshot.tasks().count()];
    for (int task : plan.task()) {
      planned[task] = true;
    }
    long[] assignedOut = assignedOut(snapshot, plan);
    Map<Integer, GroupNeed> rebuilt = new HashMap<>();
    for (int i = 0; i < view.leaving().length && leftBytes > 0; i++) {
      int task = view.leaving()[i];
      if (!planned[task] && isSaturated(snapshot, task, assignedOut)) {
        GroupNeed need = view.waiting().get(task).group();
        rebuilt.put(task, need);
        leftBytes -= (double) need.width() * snapshot.tasks().sizeBytes()[task];
      }
    }
    return rebuilt.isEmpty() ? snapshot
        : WidenedHorizon.widen(snapshot.with(tasks(view, snapshot.tasks(), rebuilt)),
            settings.millis(Setting.TIMESLOT_HORIZON));
  }

  private static double bytesUnderWay(PlanningView view) {
    double bytes = 0;
    for (Attempt attempt : view.running()) {
      if (attempt.rebuildsLeaving()) {
        bytes += (double) attempt.width() * (attempt.request().numBytes() - attempt.doneBytes());
      }
    }
    return bytes;
  }

  private static long[] assignedOut(ClusterSnapshot snapshot, TimeslotPlan plan) {
    TaskTable tasks = snapshot.tasks();
    RunningTable running = snapshot.running();
    long[] assigned = new long[snapshot.nodes().count()];
    for (int i = 0; i < plan.count(); i++) {
      long bytes = tasks.sizeBytes()[plan.task()[i]];
      assigned[plan.source()[i]] += bytes;
      addFurther(assigned, plan.furtherSources(), i, bytes);
    }
    for (int r = 0; r < running.count(); r++) {
      if (plan.runningSource()[r] >= 0) {
        long leftBytes = tasks.sizeBytes()[running.task()[r]] - running.doneBytes()[r];
        assigned[plan.runningSource()[r]] += leftBytes;
        addFurther(assigned, plan.runningFurtherSources(), r, leftBytes);
      }
    }
    return assigned;
  }

  private static void addFurther(long[] assigned, IntRows further, int row, long bytes) {
    for (int i = further == null ? 0 : further.start(row); further != null && i < further.end(row); i++) {
      if (further.values()[i] >= 0) {
        assigned[further.values()[i]] += bytes;
      }
    }
  }

  /** Whether no source of the row can send it within the horizon, besides what the plan has it send. */
  private static boolean isSaturated(ClusterSnapshot snapshot, int task, long[] assignedOut) {
    IntRows sources = snapshot.tasks().sources();
    NodeTable nodes = snapshot.nodes();
    for (int i = sources.start(task); i < sources.end(task); i++) {
      int node = sources.values()[i];
      long volume = NodeLoads.bytesIn(nodes.recoverOutBytesPerSec()[node], snapshot.parameters().horizonMs());
      if (assignedOut[node] + snapshot.tasks().sizeBytes()[task] <= volume) {
        return false;
      }
    }
    return true;
  }

  private static TaskTable tasks(PlanningView view, TaskTable before, Map<Integer, GroupNeed> rebuilt) {
    Map<String, Integer> rows = new HashMap<>();
    for (int id = 0; id < view.nodes().size(); id++) {
      rows.put(view.nodes().get(id).uuid(), id);
    }
    int count = before.count();
    int[] risk = before.risk().clone();
    int[] width = new int[count];
    IntRows.Builder sources = new IntRows.Builder();
    IntRows.Builder excluded = new IntRows.Builder();
    for (int task = 0; task < count; task++) {
      GroupNeed need = rebuilt.get(task);
      width[task] = before.width(task);
      copyRow(before.excludedTargets(), task, excluded);
      if (need == null || knownOthers(need, rows) < need.width()) {
        copyRow(before.sources(), task, sources);
      } else {
        width[task] = need.width();
        risk[task] = LAST_RISK;
        need.others().stream().map(IndexedNode::node).filter(rows::containsKey)
            .forEach(node -> sources.add(rows.get(node)));
        view.rebuilding().addOthers(need.policy().codec(), excluded);
      }
      sources.endRow();
      excluded.endRow();
    }
    return new TaskTable(before.sizeBytes(), risk, before.copies(), sources.build(), excluded.build(),
        before.forbiddenFaultDomains(), before.distinctRacks(), before.storageTypes(), width);
  }

  private static long knownOthers(GroupNeed need, Map<String, Integer> rows) {
    return need.others().stream().filter(other -> rows.containsKey(other.node())).count();
  }

  private static void copyRow(IntRows from, int row, IntRows.Builder to) {
    for (int i = from.start(row); i < from.end(row); i++) {
      to.add(from.values()[i]);
    }
  }
}
