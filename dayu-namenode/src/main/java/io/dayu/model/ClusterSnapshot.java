/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.model;

/**
 * Everything that a timeslot is planned from: immutable, consistent, and checked, so that a wrong number is refused
 * here with its field and row rather than turning up in a plan.
 *
 * @param parameters settings of the scheduler
 * @param leadMs time from this snapshot to the start of the timeslot; until then running transfers keep their rates
 * @param nodes the live nodes
 * @param tasks the blocks that need copies or have transfers under way
 * @param running the transfers under way
 * @param unselected what waits besides the tasks
 */
public record ClusterSnapshot(PlanningParameters parameters, long leadMs, NodeTable nodes, TaskTable tasks,
    RunningTable running, UnselectedBlocks unselected) {

  /** Without a backlog: the tasks are all that waits. */
  public ClusterSnapshot(PlanningParameters parameters, long leadMs, NodeTable nodes, TaskTable tasks,
      RunningTable running) {
    this(parameters, leadMs, nodes, tasks, running, UnselectedBlocks.NONE);
  }

  public ClusterSnapshot {
    Preconditions.atLeast("leadMs", leadMs, 0);
    if (unselected.commonBytes().length > 0) {
      Preconditions.length("unselected.commonBytes", unselected.commonBytes().length, nodes.count());
    }
    tasks.sources().checkValues("sources", nodes.count());
    tasks.excludedTargets().checkValues("excludedTargets", nodes.count());
    tasks.forbiddenFaultDomains().checkValues("forbiddenFaultDomains", nodes.rackCount());
    long knownTypes = (1L << nodes.storageTypes()) - 1;
    for (int task = 0; task < tasks.count(); task++) {
      Preconditions.within("storageTypes", task, tasks.storageTypes()[task], 0, knownTypes);
    }
    for (int r = 0; r < running.count(); r++) {
      Preconditions.within("running.task", r, running.task()[r], 0, tasks.count() - 1L);
      Preconditions.within("running.source", r, running.source()[r], -1, nodes.count() - 1L);
      Preconditions.within("running.target", r, running.target()[r], 0, nodes.count() - 1L);
      Preconditions.within("running.doneBytes", r, running.doneBytes()[r], 0, tasks.sizeBytes()[running.task()[r]]);
      checkFurtherSources(running, r, tasks.width(running.task()[r]), nodes.count());
    }
  }

  private static void checkFurtherSources(RunningTable running, int r, int width, int nodeCount) {
    IntRows further = running.furtherSources();
    int start = further == null ? 0 : further.start(r);
    int end = further == null ? 0 : further.end(r);
    Preconditions.within("running.furtherSources.length", r, end - start, width - 1, width - 1);
    for (int i = start; i < end; i++) {
      Preconditions.within("running.furtherSources", r, further.values()[i], -1, nodeCount - 1L);
    }
  }

  /** This snapshot, planned by other settings. */
  public ClusterSnapshot with(PlanningParameters others) {
    return new ClusterSnapshot(others, leadMs, nodes, tasks, running, unselected);
  }

  /** This snapshot, with other rows for its nodes. */
  public ClusterSnapshot with(NodeTable others) {
    return new ClusterSnapshot(parameters, leadMs, others, tasks, running, unselected);
  }

  /** This snapshot, with other rows for its blocks. */
  public ClusterSnapshot with(TaskTable others) {
    return new ClusterSnapshot(parameters, leadMs, nodes, others, running, unselected);
  }

  /** This snapshot, with other work that waits besides. */
  public ClusterSnapshot with(UnselectedBlocks others) {
    return new ClusterSnapshot(parameters, leadMs, nodes, tasks, running, others);
  }
}
