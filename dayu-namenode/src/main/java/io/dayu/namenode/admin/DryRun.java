/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.admin;

import io.dayu.blocks.BlockInspection;
import io.dayu.blocks.LiveNode;
import io.dayu.blocks.WaitReason;
import io.dayu.blocks.WaitingBlock;
import io.dayu.conf.Settings;
import io.dayu.model.TimeslotPlan;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.loop.RecoveryController;
import io.dayu.namenode.planning.FirstCopies;
import io.dayu.namenode.planning.PlanningView;
import io.dayu.namenode.planning.PlanningViewBuilder;
import io.dayu.namenode.planning.SelectedBlocks;
import io.dayu.namenode.planning.TimeslotDecision;
import io.dayu.namenode.planning.TimeslotDecision.ForStock;
import io.dayu.namenode.planning.TimeslotPlanner;
import io.dayu.schedule.PlanningAlgorithm;
import io.dayu.schedule.TimeslotScheduler;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Plans a timeslot by the production scheduler over the heads of the queues as they are now, and does nothing with the
 * plan. The queues' cursor, which stock HDFS uses as well, stays where it is. Called by the recovery loop only.
 */
public final class DryRun {
  /** Blocks of each risk level that are planned with: more than a timeslot of most clusters. */
  private static final int BLOCKS_PER_LEVEL = 5_000;

  private final RecoveryController controller;
  private final BlockInspection inspection;
  private final Settings settings;
  private final TimeslotScheduler scheduler;
  private final boolean pressedSourcesFirst;

  /**
   * What was planned with, and the plan.
   *
   * @param unplaceable why the blocks wait that no agent can receive now, by block id
   */
  record Result(PlanningView view, TimeslotDecision decision, Map<Long, WaitReason> unplaceable) {
    /**
     * Number of blocks that no agent can receive now, and that a timeslot would first have the next one read again, so
     * that they are not left to stock yet.
     */
    int readAgain() {
      return (int) unplaceable.values().stream().filter(reason -> reason == WaitReason.READ_AGAIN).count();
    }
  }

  public DryRun(RecoveryController controller, BlockInspection inspection, Settings settings,
      PlanningAlgorithm algorithm) {
    this.controller = controller;
    this.inspection = inspection;
    this.settings = settings;
    this.scheduler = algorithm.newScheduler();
    this.pressedSourcesFirst = algorithm.pressedSourcesFirst();
  }

  Result plan(long nowNs) {
    return plan(List.of(), nowNs);
  }

  /** Also plans with these blocks, if they are not at the heads of the queues. */
  Result plan(List<WaitingBlock> also, long nowNs) {
    Map<Long, WaitingBlock> candidates = new LinkedHashMap<>();
    for (WaitingBlock block : inspection.peek(BLOCKS_PER_LEVEL)) {
      candidates.put(block.key().blockId(), block);
    }
    also.forEach(block -> candidates.put(block.key().blockId(), block));
    FirstCopies firstCopies = new FirstCopies(controller.transfers(), nowNs);
    List<WaitingBlock> blocks = new ArrayList<>(candidates.values().stream()
        .filter(block -> !firstCopies.isAwaited(block)).map(FirstCopies::withCopiesAtOnce).toList());
    blocks.sort(Comparator.comparingInt(WaitingBlock::risk));
    List<LiveNode> nodes = new ArrayList<>(controller.cluster().nodesToPlanWith(nowNs).values());
    nodes.sort(Comparator.comparing(LiveNode::uuid));
    Map<String, NodeLoad> loads = controller.cluster().loads(nowNs);
    PlanningView read = new PlanningViewBuilder(settings, nodes, loads,
        PlanningView.plannable(controller.transfers(), nodes), pressedSourcesFirst)
        .build(SelectedBlocks.of(blocks), controller.history(), nowNs);
    long startNs = System.nanoTime();
    Map.Entry<PlanningView, TimeslotPlan> planned = TimeslotPlanner.dryRun(read, scheduler, settings);
    PlanningView view = planned.getKey();
    TimeslotPlan plan = planned.getValue();
    Map<Long, WaitReason> unplaceable = new HashMap<>();
    List<ForStock> forStock = new ArrayList<>();
    for (WaitingBlock block : view.unplaceable()) {
      WaitReason reason = controller.waits().unplaceableReason(block, nowNs);
      unplaceable.put(block.key().blockId(), reason);
      if (reason != WaitReason.READ_AGAIN) {
        forStock.add(new ForStock(block, reason));
      }
    }
    return new Result(view,
        TimeslotPlanner.decision(view, plan, forStock, List.of(),
            TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs)),
        unplaceable);
  }
}
