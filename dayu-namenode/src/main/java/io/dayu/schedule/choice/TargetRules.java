/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule.choice;

import io.dayu.model.IntRows;
import io.dayu.model.NodeTable;
import io.dayu.model.TaskTable;

import java.util.Arrays;

/**
 * Which nodes may receive a copy of the block at hand: not its own nodes, not a forbidden rack or upgrade domain, not
 * without room, and not where another copy of the same block forbids it. Nodes and racks are marked with a number that
 * grows from block to block, so that a new block costs nothing but its own marks. Not thread-safe.
 */
public final class TargetRules {
  private NodeLoads loads;
  private int[] rack;
  private int[] domain;
  private TaskTable tasks;
  private int[] nodeMark = new int[0];
  private int[] rackMark = new int[0];
  /** The mark of the block at hand. */
  private int mark;
  private long sizeBytes;
  private int storageTypes;
  private boolean distinctRacks;

  /** Begins a plan. */
  public void reset(NodeTable planNodes, TaskTable planTasks, NodeLoads planLoads) {
    rack = planNodes.rack();
    domain = planNodes.domain();
    tasks = planTasks;
    loads = planLoads;
    if (nodeMark.length < planNodes.count()) {
      nodeMark = new int[planNodes.count()];
    }
    if (rackMark.length < planNodes.rackCount()) {
      rackMark = new int[planNodes.rackCount()];
    }
    Arrays.fill(nodeMark, 0);
    Arrays.fill(rackMark, 0);
    mark = 0;
  }

  /** Begins another block. */
  public void begin(int task) {
    mark++;
    sizeBytes = tasks.sizeBytes()[task];
    storageTypes = tasks.storageTypes()[task];
    distinctRacks = tasks.distinctRacks()[task];
    markNodes(tasks.sources(), task);
    markNodes(tasks.excludedTargets(), task);
    IntRows forbidden = tasks.forbiddenFaultDomains();
    for (int i = forbidden.start(task); i < forbidden.end(task); i++) {
      rackMark[forbidden.values()[i]] = mark;
    }
  }

  private void markNodes(IntRows rows, int task) {
    for (int i = rows.start(task); i < rows.end(task); i++) {
      nodeMark[rows.values()[i]] = mark;
    }
  }

  /** Tells that a copy of the block goes to {@code target}, or is on its way there. */
  public void addCopy(int target) {
    nodeMark[target] = mark;
    if (distinctRacks) {
      rackMark[rack[target]] = mark;
    }
  }

  /** Whether the block may go to the node; ask {@link NodeLoads#acceptsMore} whether any may. */
  public boolean allows(int node) {
    return nodeMark[node] != mark && rackMark[rack[node]] != mark && (domain == null || rackMark[domain[node]] != mark)
        && loads.hasRoom(node, sizeBytes, storageTypes);
  }
}
