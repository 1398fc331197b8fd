/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.IntRows;
import io.dayu.model.NodeTable;
import io.dayu.model.RunningTable;
import io.dayu.model.TaskTable;
import io.dayu.model.TimeslotPlan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

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
   * there is no block of which fewer copies are planned than it lacks, with one of its holders as source (for a
   * group: k of them) and a target beside it, so that
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
   * of targets or sources are not maximal, nor is one that does not look at the block's size. Where disks limit what
   * targets write nothing is said either, since targets are compared by one number each.
   *
   * @throws AssertionError naming a block, and a source and a target with bandwidth left for it
   */
  public static void verifyMaximal(ClusterSnapshot snapshot, TimeslotPlan plan) {
    NodeTable nodes = snapshot.nodes();
    RunningTable running = snapshot.running();
    TaskTable tasks = snapshot.tasks();
    Loads loads = new Loads(snapshot);
    int[] incoming = new int[nodes.count()];
    int[] outgoing = new int[nodes.count()];
    int[] needed = new int[nodes.count()];
    for (int r = 0; r < running.count(); r++) {
      if (plan.runningSource()[r] != TimeslotPlan.EVICTED && !finishes(snapshot, r)) {
        int[] sources = runningSources(plan, r);
        needed[running.target()[r]] += sources.length;
        if (Arrays.stream(sources).allMatch(source -> source >= 0)) {
          incoming[running.target()[r]]++;
          Arrays.stream(sources).forEach(source -> outgoing[source]++);
          loads.add(leftBytes(snapshot, r), sources, running.target()[r]);
        }
      }
    }
    int[] copies = tasks.copies().clone();
    for (int i = 0; i < plan.count(); i++) {
      int[] sources = sources(plan, i);
      copies[plan.task()[i]]--;
      incoming[plan.target()[i]]++;
      needed[plan.target()[i]] += sources.length;
      Arrays.stream(sources).forEach(source -> outgoing[source]++);
      loads.add(tasks.sizeBytes()[plan.task()[i]], sources, plan.target()[i]);
    }
    if (nodes.writeBytesPerSec() != null || loads.total >= plan.volumeBytes() * (1 - 1e-9) - 1
        || lacksRates(snapshot, needed, outgoing)) {
      return;
    }
    PlannedPlaces places = new PlannedPlaces(snapshot, plan);
    for (int task = 0; task < tasks.count(); task++) {
      long size = tasks.sizeBytes()[task];
      List<Integer> fitting = new ArrayList<>();
      for (int i = tasks.sources().start(task); copies[task] > 0 && i < tasks.sources().end(task); i++) {
        int source = tasks.sources().values()[i];
        double max = movable(snapshot, nodes.recoverOutBytesPerSec()[source]);
        if (outgoing[source] < nodes.maxOutgoing()[source] && max > 0
            && loads.out[source] + size <= max * (1 - 1e-9) - 1) {
          fitting.add(source);
        }
      }
      for (int target = 0; fitting.size() >= tasks.width(task) && target < nodes.count(); target++) {
        double maxIn = movable(snapshot, lowerEdge(snapshot, nodes.recoverInBytesPerSec()[target]));
        boolean fits = nodes.acceptsTransfers()[target] && incoming[target] < nodes.maxIncoming()[target]
            && maxIn > 0 && loads.in[target] + tasks.receivedBytes(task) <= maxIn * (1 - 1e-9) - 1;
        check(!fits || !places.allows(task, target), "block %d of %d bytes waits for %d of the nodes %s, which can "
            + "send it, and node %d is to receive only %.0f of %.0f", task, size, tasks.width(task), fitting, target,
            loads.in[target], maxIn);
      }
    }
  }

  /** The nodes that the new transfer is from: one for a copy, k for a rebuild. */
  private static int[] sources(TimeslotPlan plan, int transfer) {
    return withFurther(plan.source()[transfer], plan.furtherSources(), transfer);
  }

  /** The sources of a running transfer from now on. */
  private static int[] runningSources(TimeslotPlan plan, int r) {
    return withFurther(plan.runningSource()[r], plan.runningFurtherSources(), r);
  }

  private static int[] withFurther(int first, IntRows further, int row) {
    int count = further == null ? 0 : further.end(row) - further.start(row);
    int[] all = new int[1 + count];
    all[0] = first;
    if (count > 0) {
      System.arraycopy(further.values(), further.start(row), all, 1, count);
    }
    return all;
  }

  /** The least bandwidth that counts as equal to this one. */
  private static long lowerEdge(ClusterSnapshot snapshot, long bytesPerSec) {
    long width = snapshot.parameters().bucketBytesPerSec();
    return width == 0 || bytesPerSec < width ? bytesPerSec : bytesPerSec - bytesPerSec % width;
  }

  /**
   * Whether the transfers of some node get so little bandwidth each that the node may have had more of them: the plan
   * leaves out what would get less than one byte a second from each source.
   *
   * @param needed bytes a second that the node receives if each source sends it one
   */
  private static boolean lacksRates(ClusterSnapshot snapshot, int[] needed, int[] outgoing) {
    NodeTable nodes = snapshot.nodes();
    int widest = IntStream.range(0, snapshot.tasks().count()).map(snapshot.tasks()::width).max().orElse(1);
    for (int node = 0; node < nodes.count(); node++) {
      long in = nodes.recoverInBytesPerSec()[node];
      if (in > 0 && needed[node] + widest > in
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
    double ahead = hasAllSources(snapshot, r)
        ? Math.floor((double) running.rateBytesPerSec()[r] * snapshot.leadMs() / 1000) : 0;
    return ahead >= left ? 0 : left - (long) ahead;
  }

  /**
   * Whether the transfer is predicted to end before the timeslot begins. Then it needs no bandwidth of the timeslot.
   */
  public static boolean finishes(ClusterSnapshot snapshot, int r) {
    return hasAllSources(snapshot, r) && leftBytes(snapshot, r) == 0;
  }

  private static boolean hasAllSources(ClusterSnapshot snapshot, int r) {
    return Arrays.stream(withFurther(snapshot.running().source()[r], snapshot.running().furtherSources(), r))
        .allMatch(source -> source >= 0);
  }

  private static void verifyRunning(ClusterSnapshot snapshot, TimeslotPlan plan) {
    RunningTable running = snapshot.running();
    check(plan.runningSource().length == running.count(), "answers for %d of %d running transfers",
        plan.runningSource().length, running.count());
    for (int r = 0; r < running.count(); r++) {
      long rate = plan.runningRateBytesPerSec()[r];
      check(rate >= 0, "running %d has rate %d", r, rate);
      if (plan.runningSource()[r] == TimeslotPlan.EVICTED) {
        check(rate == 0, "running %d has no source but rate %d", r, rate);
        check(!finishes(snapshot, r), "running %d is evicted but finishes by itself", r);
        continue;
      }
      int[] before = withFurther(running.source()[r], running.furtherSources(), r);
      int[] sources = runningSources(plan, r);
      check(sources.length == before.length, "running %d has %d sources of %d", r, sources.length, before.length);
      check(!finishes(snapshot, r) || Arrays.equals(sources, before) && rate >= 1,
          "running %d finishes by itself but gets sources %s, rate %d", r, Arrays.toString(sources), rate);
      Set<Integer> distinct = new HashSet<>();
      for (int i = 0; i < sources.length; i++) {
        if (sources[i] == TimeslotPlan.NO_SOURCE) {
          check(rate == 0, "running %d has no source but rate %d", r, rate);
          check(before[i] < 0, "running %d loses source %d", r, before[i]);
        } else {
          check(sources[i] == before[i] || snapshot.tasks().sources().contains(running.task()[r], sources[i]),
              "running %d is moved to node %d, which does not hold the block", r, sources[i]);
          check(distinct.add(sources[i]), "running %d has source %d twice", r, sources[i]);
        }
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
      int[] sources = sources(plan, i);
      check(Arrays.stream(sources).distinct().count() == tasks.width(task), "block %d comes from %s, expected %d nodes",
          task, Arrays.toString(sources), tasks.width(task));
      for (int source : sources) {
        check(tasks.sources().contains(task, source), "node %d does not hold block %d", source, task);
      }
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
    long[] written = new long[nodes.count()];
    int[] incoming = new int[nodes.count()];
    int[] outgoing = new int[nodes.count()];
    boolean[] newIncoming = new boolean[nodes.count()];
    boolean[] newOutgoing = new boolean[nodes.count()];
    for (int r = 0; r < running.count(); r++) {
      long rate = plan.runningRateBytesPerSec()[r];
      if (rate > 0 && !finishes(snapshot, r)) {
        int[] before = withFurther(running.source()[r], running.furtherSources(), r);
        int[] sources = runningSources(plan, r);
        in[running.target()[r]] += sources.length * rate;
        written[running.target()[r]] += rate;
        incoming[running.target()[r]]++;
        for (int s = 0; s < sources.length; s++) {
          out[sources[s]] += rate;
          outgoing[sources[s]]++;
          newOutgoing[sources[s]] |= sources[s] != before[s];
        }
      }
    }
    for (int i = 0; i < plan.count(); i++) {
      int[] sources = sources(plan, i);
      in[plan.target()[i]] += sources.length * plan.rateBytesPerSec()[i];
      written[plan.target()[i]] += plan.rateBytesPerSec()[i];
      incoming[plan.target()[i]]++;
      newIncoming[plan.target()[i]] = true;
      for (int source : sources) {
        out[source] += plan.rateBytesPerSec()[i];
        outgoing[source]++;
        newOutgoing[source] = true;
      }
    }
    for (int node = 0; node < nodes.count(); node++) {
      check(in[node] <= nodes.recoverInBytesPerSec()[node], "node %d receives %d of %d bytes/s", node, in[node],
          nodes.recoverInBytesPerSec()[node]);
      check(out[node] <= nodes.recoverOutBytesPerSec()[node], "node %d sends %d of %d bytes/s", node, out[node],
          nodes.recoverOutBytesPerSec()[node]);
      check(nodes.writeBytesPerSec() == null || written[node] <= nodes.writeBytesPerSec()[node],
          "node %d writes %d bytes/s, more than its disks", node, written[node]);
      check(!newIncoming[node] || incoming[node] <= nodes.maxIncoming()[node], "node %d receives %d streams of %d",
          node, incoming[node], nodes.maxIncoming()[node]);
      check(!newOutgoing[node] || outgoing[node] <= nodes.maxOutgoing()[node], "node %d sends %d streams of %d", node,
          outgoing[node], nodes.maxOutgoing()[node]);
    }
  }

  /**
   * No node has more than one transfer unless all of them fit into the horizon, but at targets for rebuilds that have
   * begun, which stay; and S holds with each counted as it can move, but for what targets have too much by these.
   */
  private static void verifyVolume(ClusterSnapshot snapshot, TimeslotPlan plan) {
    NodeTable nodes = snapshot.nodes();
    Loads loads = new Loads(snapshot);
    Loads withoutStaying = new Loads(snapshot);
    long planned = 0;
    for (int r = 0; r < snapshot.running().count(); r++) {
      if (plan.runningRateBytesPerSec()[r] > 0 && !finishes(snapshot, r)) {
        int[] sources = runningSources(plan, r);
        planned += sources.length * leftBytes(snapshot, r);
        loads.add(leftBytes(snapshot, r), sources, snapshot.running().target()[r]);
        if (sources.length == 1 || snapshot.running().doneBytes()[r] == 0) {
          withoutStaying.add(leftBytes(snapshot, r), sources, snapshot.running().target()[r]);
        }
      }
    }
    for (int i = 0; i < plan.count(); i++) {
      long size = snapshot.tasks().sizeBytes()[plan.task()[i]];
      planned += sources(plan, i).length * size;
      loads.add(size, sources(plan, i), plan.target()[i]);
      withoutStaying.add(size, sources(plan, i), plan.target()[i]);
    }
    check(planned == plan.plannedBytes(), "plannedBytes is %d, but %d are planned", plan.plannedBytes(), planned);
    double sumIn = 0;
    double sumOut = 0;
    double beyond = 0;
    for (int node = 0; node < nodes.count(); node++) {
      double maxIn = movable(snapshot, nodes.recoverInBytesPerSec()[node]);
      double maxOut = movable(snapshot, nodes.recoverOutBytesPerSec()[node]);
      beyond += Math.max(0, loads.in[node] - maxIn);
      check(withoutStaying.in[node] <= maxIn * (1 + 1e-12), "node %d is to receive %.0f bytes, more than %.0f", node,
          withoutStaying.in[node], maxIn);
      check(loads.out[node] <= maxOut * (1 + 1e-12), "node %d is to send %.0f bytes, more than %.0f", node,
          loads.out[node], maxOut);
      check(nodes.writeBytesPerSec() == null
          || withoutStaying.written[node] <= movable(snapshot, nodes.writeBytesPerSec()[node]) * (1 + 1e-12),
          "node %d is to write %.0f bytes, more than its disks", node, withoutStaying.written[node]);
      sumIn += nodes.recoverInBytesPerSec()[node];
      sumOut += nodes.recoverOutBytesPerSec()[node];
    }
    double volume = Math.min(sumIn, sumOut) * snapshot.parameters().horizonMs() / 1000;
    check(Math.abs(plan.volumeBytes() - volume) <= 1 + volume * 1e-12, "volumeBytes is %d, expected %.0f",
        plan.volumeBytes(), volume);
    check(loads.total - beyond <= volume * (1 + 1e-12), "%.0f bytes are planned, more than S = %.0f", loads.total,
        volume);
  }

  /** What transfers move within the horizon, by node: each as much as all of its ends can, alone on them. */
  private static final class Loads {
    final double[] in;
    final double[] out;
    final double[] written;
    double total;
    private final ClusterSnapshot snapshot;

    Loads(ClusterSnapshot snapshot) {
      this.snapshot = snapshot;
      in = new double[snapshot.nodes().count()];
      out = new double[snapshot.nodes().count()];
      written = new double[snapshot.nodes().count()];
    }

    void add(long bytes, int[] sources, int target) {
      NodeTable nodes = snapshot.nodes();
      double counted =
          Math.min(bytes, Math.floor(movable(snapshot, nodes.recoverInBytesPerSec()[target]) / sources.length));
      if (nodes.writeBytesPerSec() != null) {
        counted = Math.min(counted, movable(snapshot, nodes.writeBytesPerSec()[target]));
      }
      for (int source : sources) {
        counted = Math.min(counted, movable(snapshot, nodes.recoverOutBytesPerSec()[source]));
      }
      for (int source : sources) {
        out[source] += counted;
      }
      in[target] += sources.length * counted;
      written[target] += counted;
      total += sources.length * counted;
    }
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
