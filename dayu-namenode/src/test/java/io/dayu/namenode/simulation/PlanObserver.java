/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.IntRows;
import io.dayu.model.RunningTable;
import io.dayu.model.TimeslotPlan;
import io.dayu.namenode.RecoveryDriver;
import io.dayu.protocol.DayuProtos.AgentCommandsProto;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.SourceProto;
import io.dayu.schedule.DayuScheduler;
import io.dayu.schedule.PlanVerifier;
import io.dayu.schedule.TimeslotScheduler;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Holds the plans of the production scheduler, and what is published of them, against each node's budget. Not
 * thread-safe.
 */
final class PlanObserver {
  /** The name of the scheduler whose plans are maximal. */
  private static final String BY_DEFAULT = new DayuScheduler().name();

  /** The default of alpha. */
  private static final double ALPHA = 0.75;

  private final Invariants invariants;
  private final ModelBlockManagement management;
  private final SimulatedCluster cluster;
  private ClusterSnapshot snapshot;
  private TimeslotPlan last;
  private long[] budgetIn;
  private long[] budgetOut;
  private List<String> nodes;

  PlanObserver(SimulatedCluster cluster, ModelBlockManagement management) {
    this.invariants = cluster.invariants;
    this.management = management;
    this.cluster = cluster;
  }

  TimeslotScheduler observe(TimeslotScheduler production) {
    return new TimeslotScheduler() {
      @Override
      public String name() {
        return production.name();
      }

      @Override
      public boolean plansRebuilds() {
        return production.plansRebuilds();
      }

      @Override
      public TimeslotPlan plan(ClusterSnapshot asked) {
        TimeslotPlan plan = production.plan(asked);
        try {
          PlanVerifier.verify(asked, plan);
          if (production.name().equals(BY_DEFAULT)) {
            PlanVerifier.verifyMaximal(asked, plan);
          }
        } catch (AssertionError e) {
          invariants.violated(Invariants.NODE_BUDGET, e.getMessage());
        }
        snapshot = asked;
        last = plan;
        allowances(plan);
        nodes = management.lastLiveNodes;
        checkLimits();
        return plan;
      }
    };
  }

  /** Whatever a node reports, plans use no more of its links than alpha. */
  private void checkLimits() {
    if (nodes.size() != snapshot.nodes().count()) {
      return;
    }
    for (int id = 0; id < nodes.size(); id++) {
      long in = snapshot.nodes().recoverInBytesPerSec()[id];
      long out = snapshot.nodes().recoverOutBytesPerSec()[id];
      double most = ALPHA * cluster.dataNode(nodes.get(id)).bandwidthBytesPerSec;
      // A node without an agent receives nothing, and sends B_min of a typical node.
      if (!cluster.dataNode(nodes.get(id)).hasLied() && (in > most || in > 0 && out > most)) {
        invariants.violated(Invariants.NODE_BUDGET, nodes.get(id) + " may use " + in + " bytes/s in and " + out
            + " out, alpha of its links is " + most);
      }
    }
  }

  /**
   * A transfer that will have ended when the timeslot begins keeps its rate until then, beside those that are planned.
   */
  private void allowances(TimeslotPlan plan) {
    budgetIn = snapshot.nodes().recoverInBytesPerSec().clone();
    budgetOut = snapshot.nodes().recoverOutBytesPerSec().clone();
    RunningTable running = snapshot.running();
    for (int r = 0; r < running.count(); r++) {
      if (PlanVerifier.finishes(snapshot, r)) {
        long rateBytesPerSec = plan.runningRateBytesPerSec()[r];
        budgetIn[running.target()[r]] += rateBytesPerSec;
        budgetOut[plan.runningSource()[r]] += rateBytesPerSec;
        IntRows further = plan.runningFurtherSources();
        for (int i = further == null ? 0 : further.start(r); further != null && i < further.end(r); i++) {
          budgetIn[running.target()[r]] += rateBytesPerSec;
          budgetOut[further.values()[i]] += rateBytesPerSec;
        }
      }
    }
  }

  /**
   * After a tick: the published rates are the planned ones, so no node is granted more than its budget. A transfer that
   * waits for another source receives nothing meanwhile, and keeps the rate that it had.
   */
  void checkPublished(RecoveryDriver recovery) {
    if (snapshot == null || nodes.size() != snapshot.nodes().count()) {
      snapshot = null;
      return;
    }
    Set<Long> waiting = recovery.withoutSource();
    Map<String, Long> in = new HashMap<>();
    Map<String, Long> out = new HashMap<>();
    for (Map.Entry<String, AgentCommandsProto> published : recovery.published().entrySet()) {
      if (nodes.contains(published.getKey())) {
        for (GrantProto grant : published.getValue().getGrantsList()) {
          List<String> sources = Stream.concat(Stream.of(grant.getSource()), grant.getFurtherSourcesList().stream())
              .map(SourceProto::getDatanodeUuid).toList();
          if (!waiting.contains(grant.getAttempt()) && nodes.containsAll(sources)) {
            in.merge(published.getKey(), sources.size() * grant.getRateBytesPerSec(), Long::sum);
            sources.forEach(source -> out.merge(source, grant.getRateBytesPerSec(), Long::sum));
          }
        }
      }
    }
    for (int id = 0; id < nodes.size(); id++) {
      check(recovery, nodes.get(id), "in", in.getOrDefault(nodes.get(id), 0L), budgetIn[id]);
      check(recovery, nodes.get(id), "out", out.getOrDefault(nodes.get(id), 0L), budgetOut[id]);
    }
    snapshot = null;
  }

  private void check(RecoveryDriver recovery, String node, String direction, long granted, long budget) {
    if (granted > budget) {
      invariants.violated(Invariants.NODE_BUDGET, node + " is granted " + granted + " bytes/s " + direction
          + ", its budget is " + budget
          + ", published " + recovery.published().get(node).getGrantsList().stream()
              .map(grant -> grant.getAttempt() + " at " + grant.getRateBytesPerSec()).toList()
          + ", waiting for a source " + recovery.withoutSource() + ", planned sources "
          + Arrays.toString(last.runningSource()) + " and rates " + Arrays.toString(last.runningRateBytesPerSec()));
    }
  }
}
