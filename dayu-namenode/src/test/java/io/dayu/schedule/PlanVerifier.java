/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.NodeTable;
import io.dayu.model.RunningTable;
import io.dayu.model.TaskTable;
import io.dayu.model.TimeslotPlan;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Holds a plan against its snapshot: what every scheduler must respect, whatever its algorithms. Shares no code with
 * the schedulers. Thread-safe, having no state.
 */
public final class PlanVerifier {
  private PlanVerifier() {
  }

  /** @throws AssertionError naming the first rule that the plan breaks */
  public static void verify(ClusterSnapshot snapshot, TimeslotPlan plan) {
    verifyRunning(snapshot, plan);
    verifyTargets(snapshot, plan);
    verifyRoom(snapshot, plan);
    verifyCopies(snapshot, plan);
    verifyOrder(snapshot, plan);
    verifyNodes(snapshot, plan);
    verifyVolume(snapshot, plan);
  }

  /**
   * Whether the plan leaves no bandwidth that a waiting block could have used. A plan is maximal if S is filled, or if
   * there is no block of which fewer copies are planned than it lacks, with one of its holders as source and a target
   * beside it, so that
   * <ul>
   * <li>both have a stream free, and the target accepts transfers and is allowed: it neither holds the block nor is
   *     excluded, its rack and domain are not forbidden (nor taken by another copy, where racks must be distinct), and
   * some allowed storage type has room,
   * <li>and the whole block still fits into the horizon at both ends, beside all that is planned there.
   * </ul>
   * So bandwidth may be left: in which only part of a block fits, since transfers are to end in the horizon; and, at a
   * target, what its bandwidth is above the lower edge of its bucket, since nodes of one bucket count as equal. Weights
   * of targets change nothing: they say which node goes first, not that a block waits for it. Nothing is said of a plan
   * for a node with fewer bytes a second than transfers, some of which are left out for want of a rate. Random choices
   * of targets or sources are not maximal, nor is one that does not look at the block's size.
   *
   * @throws AssertionError naming a block, and a source and a target with bandwidth left for it
   */
  public static void verifyMaximal(ClusterSnapshot snapshot, TimeslotPlan plan) {
    NodeTable nodes = snapshot.nodes();
    RunningTable running = snapshot.running();
    TaskTable tasks = snapshot.tasks();
    double[] in = new double[nodes.count()];
    double[] out = new double[nodes.count()];
    int[] incoming = new int[nodes.count()];
    int[] outgoing = new int[nodes.count()];
    double total = 0;
    for (int r = 0; r < running.count(); r++) {
      if (plan.runningSource()[r] != TimeslotPlan.EVICTED && !finishes(snapshot, r)) {
        incoming[running.target()[r]]++;
        if (plan.runningSource()[r] >= 0) {
          outgoing[plan.runningSource()[r]]++;
          total += add(snapshot, leftBytes(snapshot, r), plan.runningSource()[r], running.target()[r], in, out);
        }
      }
    }
    int[] copies = tasks.copies().clone();
    for (int i = 0; i < plan.count(); i++) {
      copies[plan.task()[i]]--;
      incoming[plan.target()[i]]++;
      outgoing[plan.source()[i]]++;
      total += add(snapshot, tasks.sizeBytes()[plan.task()[i]], plan.source()[i], plan.target()[i], in, out);
    }
    if (total >= plan.volumeBytes() * (1 - 1e-9) - 1 || lacksRates(nodes, incoming, outgoing)) {
      return;
    }
    PlannedPlaces places = new PlannedPlaces(snapshot, plan);
    for (int task = 0; task < tasks.count(); task++) {
      long size = tasks.sizeBytes()[task];
      for (int i = tasks.sources().start(task); copies[task] > 0 && i < tasks.sources().end(task); i++) {
        int source = tasks.sources().values()[i];
        double max = movable(snapshot, nodes.recoverOutBytesPerSec()[source]);
        if (outgoing[source] >= nodes.maxOutgoing()[source] || max == 0
            || out[source] + size > max * (1 - 1e-9) - 1) {
          continue;
        }
        for (int target = 0; target < nodes.count(); target++) {
          double maxIn = movable(snapshot, lowerEdge(snapshot, nodes.recoverInBytesPerSec()[target]));
          boolean fits = nodes.acceptsTransfers()[target] && incoming[target] < nodes.maxIncoming()[target]
              && maxIn > 0 && in[target] + size <= maxIn * (1 - 1e-9) - 1;
          check(!fits || !places.allows(task, target), "block %d of %d bytes waits, though node %d is to send only "
              + "%.0f of %.0f bytes and node %d to receive only %.0f of %.0f", task, size, source, out[source], max,
              target, in[target], maxIn);
        }
      }
    }
  }

  /** The least bandwidth that counts as equal to this one. */
  private static long lowerEdge(ClusterSnapshot snapshot, long bytesPerSec) {
    long width = snapshot.parameters().bucketBytesPerSec();
    return width == 0 || bytesPerSec < width ? bytesPerSec : bytesPerSec - bytesPerSec % width;
  }

  /** Whether some node has so few bytes a second for its transfers that there may have been more of them. */
  private static boolean lacksRates(NodeTable nodes, int[] incoming, int[] outgoing) {
    for (int node = 0; node < nodes.count(); node++) {
      if (incoming[node] > 0 && incoming[node] >= nodes.recoverInBytesPerSec()[node]
          || outgoing[node] > 0 && outgoing[node] >= nodes.recoverOutBytesPerSec()[node]) {
        return true;
      }
    }
    return false;
  }

  /**
   * Bytes that a running transfer lacks when the timeslot begins, by its present rate; 0 for one that will have
   * finished.
   */
  public static long leftBytes(ClusterSnapshot snapshot, int r) {
    RunningTable running = snapshot.running();
    long left = snapshot.tasks().sizeBytes()[running.task()[r]] - running.doneBytes()[r];
    double ahead = running.source()[r] < 0 ? 0
        : Math.floor((double) running.rateBytesPerSec()[r] * snapshot.leadMs() / 1000);
    return ahead >= left ? 0 : left - (long) ahead;
  }

  /** Whether the transfer is predicted to end before the timeslot begins, so that it takes nothing of it. */
  public static boolean finishes(ClusterSnapshot snapshot, int r) {
    return snapshot.running().source()[r] >= 0 && leftBytes(snapshot, r) == 0;
  }

  private static void verifyRunning(ClusterSnapshot snapshot, TimeslotPlan plan) {
    RunningTable running = snapshot.running();
    check(plan.runningSource().length == running.count(), "answers for %d of %d running transfers",
        plan.runningSource().length, running.count());
    for (int r = 0; r < running.count(); r++) {
      int source = plan.runningSource()[r];
      long rate = plan.runningRateBytesPerSec()[r];
      check(rate >= 0, "running %d has rate %d", r, rate);
      if (finishes(snapshot, r)) {
        check(source == running.source()[r] && rate >= 1, "running %d finishes by itself but gets source %d, rate %d",
            r, source, rate);
      } else if (source == TimeslotPlan.EVICTED || source == TimeslotPlan.NO_SOURCE) {
        check(rate == 0, "running %d has no source but rate %d", r, rate);
        check(source == TimeslotPlan.EVICTED || running.source()[r] < 0, "running %d loses source %d", r,
            running.source()[r]);
      } else {
        check(source == running.source()[r] || snapshot.tasks().sources().contains(running.task()[r], source),
            "running %d is moved to node %d, which does not hold the block", r, source);
      }
    }
  }

  private static void verifyTargets(ClusterSnapshot snapshot, TimeslotPlan plan) {
    TaskTable tasks = snapshot.tasks();
    NodeTable nodes = snapshot.nodes();
    Map<Integer, Set<Integer>> nodesOfBlock = new HashMap<>();
    Map<Integer, Set<Integer>> racksOfBlock = new HashMap<>();
    for (int r = 0; r < snapshot.running().count(); r++) {
      int task = snapshot.running().task()[r];
      nodesOfBlock.computeIfAbsent(task, t -> new HashSet<>()).add(snapshot.running().target()[r]);
      if (plan.runningSource()[r] != TimeslotPlan.EVICTED) {
        racksOfBlock.computeIfAbsent(task, t -> new HashSet<>()).add(nodes.rack()[snapshot.running().target()[r]]);
      }
    }
    for (int i = 0; i < plan.count(); i++) {
      int task = plan.task()[i];
      int target = plan.target()[i];
      int rack = nodes.rack()[target];
      check(plan.rateBytesPerSec()[i] >= 1, "transfer %d has rate %d", i, plan.rateBytesPerSec()[i]);
      check(tasks.sources().contains(task, plan.source()[i]), "node %d does not hold block %d", plan.source()[i], task);
      check(nodes.acceptsTransfers()[target], "node %d accepts no transfers", target);
      check(!tasks.sources().contains(task, target), "node %d holds block %d already", target, task);
      check(!tasks.excludedTargets().contains(task, target), "node %d is excluded for block %d", target, task);
      check(!tasks.forbiddenFaultDomains().contains(task, rack), "rack %d is forbidden for block %d", rack, task);
      check(nodes.domain() == null || !tasks.forbiddenFaultDomains().contains(task, nodes.domain()[target]),
          "the domain of node %d is forbidden for block %d", target, task);
      check(nodesOfBlock.computeIfAbsent(task, t -> new HashSet<>()).add(target), "block %d goes to node %d twice",
          task, target);
      boolean newRack = racksOfBlock.computeIfAbsent(task, t -> new HashSet<>()).add(rack);
      check(newRack || !tasks.distinctRacks()[task], "block %d goes to rack %d twice", task, rack);
    }
  }

  /**
   * Each copy takes the first of its storage types, by index, that has room: those that run, where there is any, and
   * then those of the plan in its order.
   *
   * @return the room taken, by storage type and node
   */
  private static Map<Long, Long> verifyRoom(ClusterSnapshot snapshot, TimeslotPlan plan) {
    Map<Long, Long> taken = new HashMap<>();
    for (int r = 0; r < snapshot.running().count(); r++) {
      int task = snapshot.running().task()[r];
      int type = typeWithRoom(snapshot, task, snapshot.running().target()[r], taken);
      if (type >= 0) {
        taken.merge((long) type << 32 | snapshot.running().target()[r], snapshot.tasks().sizeBytes()[task], Long::sum);
      }
    }
    for (int i = 0; i < plan.count(); i++) {
      long size = snapshot.tasks().sizeBytes()[plan.task()[i]];
      int type = typeWithRoom(snapshot, plan.task()[i], plan.target()[i], taken);
      check(type >= 0, "node %d has no room for block %d of %d bytes", plan.target()[i], plan.task()[i], size);
      taken.merge((long) type << 32 | plan.target()[i], size, Long::sum);
    }
    return taken;
  }

  /** The first storage type of the block, by index, that has room on the node, or -1. */
  private static int typeWithRoom(ClusterSnapshot snapshot, int task, int target, Map<Long, Long> taken) {
    for (int type = 0; type < snapshot.nodes().storageTypes(); type++) {
      long used = taken.getOrDefault((long) type << 32 | target, 0L);
      if ((snapshot.tasks().storageTypes()[task] >> type & 1) == 1
          && snapshot.nodes().roomBytes()[type][target] - used >= snapshot.tasks().sizeBytes()[task]) {
        return type;
      }
    }
    return -1;
  }

  private static void verifyCopies(ClusterSnapshot snapshot, TimeslotPlan plan) {
    int[] copies = new int[snapshot.tasks().count()];
    for (int task : plan.task()) {
      copies[task]++;
      check(copies[task] <= snapshot.tasks().copies()[task], "block %d gets more than %d copies", task,
          snapshot.tasks().copies()[task]);
    }
  }

  private static void verifyOrder(ClusterSnapshot snapshot, TimeslotPlan plan) {
    for (int i = 1; i < plan.count(); i++) {
      check(snapshot.tasks().risk()[plan.task()[i - 1]] <= snapshot.tasks().risk()[plan.task()[i]],
          "transfer %d is of higher risk than the one before it", i);
    }
  }

  private static void verifyNodes(ClusterSnapshot snapshot, TimeslotPlan plan) {
    NodeTable nodes = snapshot.nodes();
    RunningTable running = snapshot.running();
    long[] in = new long[nodes.count()];
    long[] out = new long[nodes.count()];
    int[] incoming = new int[nodes.count()];
    int[] outgoing = new int[nodes.count()];
    boolean[] newIncoming = new boolean[nodes.count()];
    boolean[] newOutgoing = new boolean[nodes.count()];
    for (int r = 0; r < running.count(); r++) {
      long rate = plan.runningRateBytesPerSec()[r];
      if (rate > 0 && !finishes(snapshot, r)) {
        in[running.target()[r]] += rate;
        incoming[running.target()[r]]++;
        out[plan.runningSource()[r]] += rate;
        outgoing[plan.runningSource()[r]]++;
        newOutgoing[plan.runningSource()[r]] |= plan.runningSource()[r] != running.source()[r];
      }
    }
    for (int i = 0; i < plan.count(); i++) {
      in[plan.target()[i]] += plan.rateBytesPerSec()[i];
      incoming[plan.target()[i]]++;
      newIncoming[plan.target()[i]] = true;
      out[plan.source()[i]] += plan.rateBytesPerSec()[i];
      outgoing[plan.source()[i]]++;
      newOutgoing[plan.source()[i]] = true;
    }
    for (int node = 0; node < nodes.count(); node++) {
      check(in[node] <= nodes.recoverInBytesPerSec()[node], "node %d receives %d of %d bytes/s", node, in[node],
          nodes.recoverInBytesPerSec()[node]);
      check(out[node] <= nodes.recoverOutBytesPerSec()[node], "node %d sends %d of %d bytes/s", node, out[node],
          nodes.recoverOutBytesPerSec()[node]);
      check(!newIncoming[node] || incoming[node] <= nodes.maxIncoming()[node], "node %d receives %d streams of %d",
          node, incoming[node], nodes.maxIncoming()[node]);
      check(!newOutgoing[node] || outgoing[node] <= nodes.maxOutgoing()[node], "node %d sends %d streams of %d", node,
          outgoing[node], nodes.maxOutgoing()[node]);
    }
  }

  /**
   * No node has more than one transfer unless all of them fit into the horizon; and S holds with each counted as it can
   * move.
   */
  private static void verifyVolume(ClusterSnapshot snapshot, TimeslotPlan plan) {
    NodeTable nodes = snapshot.nodes();
    double[] in = new double[nodes.count()];
    double[] out = new double[nodes.count()];
    double total = 0;
    long planned = 0;
    for (int r = 0; r < snapshot.running().count(); r++) {
      if (plan.runningRateBytesPerSec()[r] > 0 && !finishes(snapshot, r)) {
        planned += leftBytes(snapshot, r);
        total +=
            add(snapshot, leftBytes(snapshot, r), plan.runningSource()[r], snapshot.running().target()[r], in, out);
      }
    }
    for (int i = 0; i < plan.count(); i++) {
      long size = snapshot.tasks().sizeBytes()[plan.task()[i]];
      planned += size;
      total += add(snapshot, size, plan.source()[i], plan.target()[i], in, out);
    }
    check(planned == plan.plannedBytes(), "plannedBytes is %d, but %d are planned", plan.plannedBytes(), planned);
    double sumIn = 0;
    double sumOut = 0;
    for (int node = 0; node < nodes.count(); node++) {
      double maxIn = movable(snapshot, nodes.recoverInBytesPerSec()[node]);
      double maxOut = movable(snapshot, nodes.recoverOutBytesPerSec()[node]);
      check(in[node] <= maxIn * (1 + 1e-12), "node %d is to receive %.0f bytes, more than %.0f", node, in[node], maxIn);
      check(out[node] <= maxOut * (1 + 1e-12), "node %d is to send %.0f bytes, more than %.0f", node, out[node],
          maxOut);
      sumIn += nodes.recoverInBytesPerSec()[node];
      sumOut += nodes.recoverOutBytesPerSec()[node];
    }
    double volume = Math.min(sumIn, sumOut) * snapshot.parameters().horizonMs() / 1000;
    check(Math.abs(plan.volumeBytes() - volume) <= 1 + volume * 1e-12, "volumeBytes is %d, expected %.0f",
        plan.volumeBytes(), volume);
    check(total <= volume * (1 + 1e-12), "%.0f bytes are planned, more than S = %.0f", total, volume);
  }

  private static double add(ClusterSnapshot snapshot, long bytes, int source, int target, double[] in, double[] out) {
    double counted = Math.min(bytes, Math.min(movable(snapshot, snapshot.nodes().recoverOutBytesPerSec()[source]),
        movable(snapshot, snapshot.nodes().recoverInBytesPerSec()[target])));
    in[target] += counted;
    out[source] += counted;
    return counted;
  }

  private static double movable(ClusterSnapshot snapshot, long bytesPerSec) {
    return Math.floor((double) bytesPerSec * snapshot.parameters().horizonMs() / 1000);
  }

  /** Where copies of blocks are planned or on their way, and the room that the planned ones take. */
  private static final class PlannedPlaces {
    private final ClusterSnapshot snapshot;
    private final Map<Integer, Set<Integer>> nodesOfBlock = new HashMap<>();
    private final Map<Integer, Set<Integer>> racksOfBlock = new HashMap<>();
    private final Map<Long, Long> takenRoom;

    PlannedPlaces(ClusterSnapshot snapshot, TimeslotPlan plan) {
      this.snapshot = snapshot;
      for (int r = 0; r < snapshot.running().count(); r++) {
        add(snapshot.running().task()[r], snapshot.running().target()[r]);
      }
      for (int i = 0; i < plan.count(); i++) {
        add(plan.task()[i], plan.target()[i]);
      }
      takenRoom = verifyRoom(snapshot, plan);
    }

    private void add(int task, int target) {
      nodesOfBlock.computeIfAbsent(task, t -> new HashSet<>()).add(target);
      racksOfBlock.computeIfAbsent(task, t -> new HashSet<>()).add(snapshot.nodes().rack()[target]);
    }

    boolean allows(int task, int target) {
      TaskTable tasks = snapshot.tasks();
      NodeTable nodes = snapshot.nodes();
      int rack = nodes.rack()[target];
      return !tasks.sources().contains(task, target) && !tasks.excludedTargets().contains(task, target)
          && !nodesOfBlock.getOrDefault(task, Set.of()).contains(target)
          && !tasks.forbiddenFaultDomains().contains(task, rack)
          && (nodes.domain() == null || !tasks.forbiddenFaultDomains().contains(task, nodes.domain()[target]))
          && !(tasks.distinctRacks()[task] && racksOfBlock.getOrDefault(task, Set.of()).contains(rack))
          && typeWithRoom(snapshot, task, target, takenRoom) >= 0;
    }
  }

  private static void check(boolean holds, String message, Object... values) {
    if (!holds) {
      throw new AssertionError(String.format(message, values));
    }
  }
}
