/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.IntList;
import io.dayu.model.IntRows;
import io.dayu.model.NodeTable;
import io.dayu.model.TaskTable;
import io.dayu.model.TimeslotPlan;
import io.dayu.schedule.choice.BucketScan;
import io.dayu.schedule.choice.BucketTournament;
import io.dayu.schedule.choice.CommonSizes;
import io.dayu.schedule.choice.LeastLoadedRebuildSources;
import io.dayu.schedule.choice.LeastLoadedSources;
import io.dayu.schedule.choice.NodeLoads;
import io.dayu.schedule.choice.RebuildSources;
import io.dayu.schedule.choice.SourcePressure;
import io.dayu.schedule.choice.SourceSelector;
import io.dayu.schedule.choice.TargetRules;
import io.dayu.schedule.choice.TargetSelector;
import io.dayu.schedule.choice.TaskQueues;
import io.dayu.schedule.choice.UnderemployedNodes;
import io.dayu.schedule.rates.ProgressiveFilling;
import io.dayu.schedule.rates.RateAllocator;
import io.dayu.schedule.rates.TransferLinks;

/**
 * The Dayu scheduler (Wang et al., USENIX ATC'19, §3 and §4): plans one timeslot of recovery. Not thread-safe; one
 * thread owns an instance, which reuses arrays between calls; answers do not depend on them.
 *
 * <h2>Goals</h2>
 * Use the bandwidth that foreground traffic leaves (goal 1 of §3), finish in the timeslot what is begun in it (goal 2),
 * and leave many small stragglers rather than a few large ones (goal 3). HDFS adds one above these: blocks at the
 * highest risk go first.
 *
 * <h2>Constraints</h2>
 * <ul>
 * <li>No node sends or receives more than its B_recover (equation 1), nor has more streams than it allows.
 * <li>No block goes to a node or rack that its placement forbids, nor to more targets than it lacks, nor where there is
 *     no room.
 * <li>Transfers end within the horizon, except that a node's only transfer may be of any size: a block larger than
 *     B·horizon would otherwise never be recovered.
 * <li>A block that cannot be planned uses up nothing (HDFS-17569): the next one is tried until S (equation 2) is filled
 *     or none is left.
 * </ul>
 *
 * <h2>Algorithm</h2>
 * <ol>
 * <li>{@link StragglerPolicy}: running transfers that will not be finished keep their targets where they can, and take
 *     their share of the horizon first (§4.4).
 * <li>{@link UnderemployedNodes}: their blocks are tried before the others of the same risk, with them as sources; if
 *     they are saturated, once more after the others with any source (§4.2).
 * <li>For each block the least loaded source, then for each copy the least loaded allowed target
 *     ({@link SourceSelector}, {@link TargetSelector}); where even that one is saturated the block waits (§4.1).
 *     Weights of targets are a preference: where the choice by weight is saturated, the one without weights is taken.
 * <li>{@link RateAllocator}: a constant rate for every transfer (§4.3).
 * </ol>
 *
 * <p><b>Rebuilds.</b> A group of which an internal block is lost is one transfer with k sources. Its target receives k
 * bytes for each that it writes, so the target is chosen first, for k times the size, and then the k least loaded
 * sources ({@link LeastLoadedRebuildSources}). All of them send at the rate of the transfer.
 *
 * <h2>Example</h2>
 * Nodes A, B, C, D each way 10 MB/s, horizon 6 s, so 60 MB each. Blocks of 40 MB: x on A and B, y on A, z on A. x: A
 * and B are idle, the lowest id serves: A (40 of 60 MB), target C, say. y: A would have to send 80 MB: it waits. z: the
 * same. So the order of blocks matters; were A and B of different bandwidth and B underemployed (much bandwidth, few
 * blocks), then x would be in the prioritised queue, B would serve it, and A would be free for y.
 */
public final class DayuScheduler implements TimeslotScheduler {
  private final String name;
  private final TargetSelector targets;
  private final SourceSelector sources;
  private final RebuildSources rebuildSources;
  private final boolean plansRebuilds;
  private final RateAllocator allocator;

  private final NodeLoads loads = new NodeLoads();
  /** Chooses the target where the one chosen by weight is saturated; used only if nodes weigh differently. */
  private final BucketScan unweightedTargets = new BucketScan();
  private boolean weighted;
  private final TargetRules rules = new TargetRules();
  private final StragglerPolicy stragglers;
  private final CommonSizes common = new CommonSizes();
  private final SourcePressure pressure = new SourcePressure();
  private final UnderemployedNodes underemployed = new UnderemployedNodes();
  private final TaskQueues queues = new TaskQueues();
  private final RunningCopies runningCopies = new RunningCopies();
  private final NewTransfers planned = new NewTransfers();
  /**
   * Blocks of the prioritised queue whose underemployed holders were saturated, to be tried again with any source (the
   * second corner case of ATC'19 §4.2): their rows, and where the copies begin and end that had been planned by then.
   */
  private final IntList retried = new IntList();
  private final IntList retriedFirst = new IntList();
  private final IntList retriedEnd = new IntList();
  private final TransferLinks links = new TransferLinks();
  private long[] rates = new long[0];
  private TaskTable tasks;

  /** With Dayu's own choice of algorithms. */
  public DayuScheduler() {
    this("dayu", new BucketTournament(), new LeastLoadedSources(), new ProgressiveFilling(), Stragglers.RESCHEDULE);
  }

  /** With other algorithms for targets and rates. */
  public DayuScheduler(String name, TargetSelector targets, RateAllocator allocator) {
    this(name, targets, new LeastLoadedSources(), allocator, Stragglers.RESCHEDULE);
  }

  /** With other sources. If these are not the least loaded ones, it plans no rebuilds. */
  public DayuScheduler(String name, TargetSelector targets, SourceSelector sources, RateAllocator allocator,
      Stragglers treatment) {
    this(name, targets, sources, sources instanceof LeastLoadedSources ? new LeastLoadedRebuildSources() : null,
        allocator, treatment);
  }

  /** @param rebuildSources null if it is to plan no rebuilds; those that run get the least loaded sources then */
  public DayuScheduler(String name, TargetSelector targets, SourceSelector sources, RebuildSources rebuildSources,
      RateAllocator allocator, Stragglers treatment) {
    this.name = name;
    this.targets = targets;
    this.sources = sources;
    this.rebuildSources = rebuildSources == null ? new LeastLoadedRebuildSources() : rebuildSources;
    plansRebuilds = rebuildSources != null;
    this.allocator = allocator;
    stragglers = new StragglerPolicy(treatment);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public boolean plansRebuilds() {
    return plansRebuilds;
  }

  @Override
  public TimeslotPlan plan(ClusterSnapshot snapshot) {
    NodeTable nodes = snapshot.nodes();
    tasks = snapshot.tasks();
    loads.reset(snapshot);
    sources.reset(nodes, tasks.sources(), loads);
    rebuildSources.reset(nodes, tasks.sources(), loads);
    stragglers.place(snapshot, loads, sources, rebuildSources);

    rules.reset(nodes, tasks, loads);
    targets.reset(loads);
    runningCopies.fill(snapshot.running());
    if (stragglers.leaveSlowTargets(targets, rules, runningCopies)) {
      targets.reset(loads);
    }
    weighted = nodes.targetWeight() != null;
    if (weighted) {
      unweightedTargets.resetUnweighted(loads);
    }
    common.sum(tasks, snapshot.unselected(), nodes.count());
    underemployed.find(nodes, common, snapshot.parameters().underemployedRatio());
    if (snapshot.parameters().pressedSourcesFirst()) {
      pressure.find(nodes, tasks, common);
    } else {
      pressure.findNone(nodes, tasks);
    }
    queues.fill(tasks, underemployed, pressure, nodes.urgent());
    planned.clear();
    for (int risk = 0; risk < TaskTable.RISK_LEVELS && !loads.volumeIsFilled(); risk++) {
      planRisk(risk);
    }
    allocateRates(snapshot);
    return answer(snapshot);
  }

  private void planRisk(int risk) {
    retried.clear();
    retriedFirst.clear();
    retriedEnd.clear();
    planInTurn(queues.urgentStart(risk), queues.prioritisedStart(risk));
    for (int i = queues.prioritisedStart(risk); i < queues.normalStart(risk) && !loads.volumeIsFilled(); i++) {
      int first = planned.count();
      if (!planCopies(queues.task(i), 0, 0, underemployed.sources())) {
        retried.add(queues.task(i));
        retriedFirst.add(first);
        retriedEnd.add(planned.count());
      }
    }
    planInTurn(queues.normalStart(risk), queues.end(risk));
    for (int i = 0; i < retried.size() && !loads.volumeIsFilled(); i++) {
      planCopies(retried.get(i), retriedFirst.get(i), retriedEnd.get(i), null);
    }
  }

  /** Plans the blocks of these positions, with any source. */
  private void planInTurn(int begin, int end) {
    for (int i = begin; i < end && !loads.volumeIsFilled(); i++) {
      if (tasks.width(queues.task(i)) > 1) {
        planRebuilds(queues.task(i));
      } else {
        planCopies(queues.task(i), 0, 0, null);
      }
    }
  }

  /**
   * Plans the copies that the block lacks.
   *
   * @param first first of the transfers that are the block's copies planned already
   * @param end the transfer after the last of them
   * @param among if not null, the only nodes that may be sources
   * @return false if the block still lacks copies for want of a source
   */
  private boolean planCopies(int task, int first, int end, boolean[] among) {
    long sizeBytes = tasks.sizeBytes()[task];
    boolean begun = false;
    for (int copy = end - first; copy < tasks.copies()[task]; copy++) {
      int source = sources.select(task, sizeBytes, among);
      if (source < 0) {
        return false;
      }
      if (!begun) {
        beginBlock(task, first, end);
        begun = true;
      }
      int target = selectTarget(sizeBytes, 1);
      if (target < 0) {
        return true;
      }
      loads.assign(source, target, loads.movableBytes(sizeBytes, source, target));
      planned.add(task, source, target);
      targetTaken(task, target);
    }
    return true;
  }

  /**
   * Plans the internal blocks that the group lacks: for each the target first, since it receives k times what any
   * source sends, then the k sources.
   */
  private void planRebuilds(int task) {
    long sizeBytes = tasks.sizeBytes()[task];
    int width = tasks.width(task);
    beginBlock(task, 0, 0);
    for (int copy = 0; copy < tasks.copies()[task]; copy++) {
      int target = selectTarget(sizeBytes, width);
      if (target < 0 || !rebuildSources.select(task, sizeBytes, width)) {
        return;
      }
      int[] chosen = rebuildSources.chosen();
      loads.assign(chosen, 0, width, target, loads.movableBytes(sizeBytes, chosen, 0, width, target));
      planned.addRebuild(task, chosen, width, target);
      targetTaken(task, target);
    }
  }

  private void targetTaken(int task, int target) {
    loads.takeRoom(target, tasks.sizeBytes()[task], tasks.storageTypes()[task]);
    targets.loadChanged(target);
    if (weighted) {
      unweightedTargets.loadChanged(target);
    }
    rules.addCopy(target);
  }

  /**
   * The target of the next transfer of the block that {@link #rules} are about, or -1 if it has to wait.
   *
   * @param bytes what the target gets from each of {@code width} sources
   */
  private int selectTarget(long bytes, int width) {
    int target = targets.select(width * bytes, rules);
    if (weighted && target >= 0 && loads.saturatesTarget(target, bytes, width)) {
      target = unweightedTargets.select(width * bytes, rules);
    }
    return target >= 0 && !loads.saturatesTarget(target, bytes, width) ? target : -1;
  }

  private void beginBlock(int task, int first, int end) {
    rules.begin(task);
    runningCopies.addTo(rules, task);
    for (int transfer = first; transfer < end; transfer++) {
      rules.addCopy(planned.target(transfer));
    }
  }

  private void allocateRates(ClusterSnapshot snapshot) {
    NodeTable nodes = snapshot.nodes();
    int count = nodes.count();
    boolean limitsWrites = nodes.writeBytesPerSec() != null;
    links.reset((limitsWrites ? 3 : 2) * count);
    links.setHorizonMs(snapshot.parameters().horizonMs());
    for (int node = 0; node < count; node++) {
      links.setCapacity(node, nodes.recoverOutBytesPerSec()[node]);
      links.setCapacity(count + node, nodes.recoverInBytesPerSec()[node]);
      if (limitsWrites) {
        links.setCapacity(2 * count + node, nodes.writeBytesPerSec()[node]);
      }
    }
    for (int r = 0; r < snapshot.running().count(); r++) {
      if (stragglers.keeps(r)) {
        // The weight is what is left now, not when the timeslot begins. Rates apply as soon as agents hear of them, and
        // a nearly finished transfer needs more than a tiny rate for its last bytes.
        int task = snapshot.running().task()[r];
        addToLinks(task, tasks.sizeBytes()[task] - snapshot.running().doneBytes()[r]);
        for (int i = stragglers.firstSource(r); i < stragglers.firstSource(r + 1); i++) {
          links.crosses(stragglers.source(i));
        }
        crossesTarget(nodes, snapshot.running().target()[r], tasks.width(task));
      }
    }
    for (int transfer = 0; transfer < planned.count(); transfer++) {
      addToLinks(planned.task(transfer), tasks.sizeBytes()[planned.task(transfer)]);
      links.crosses(planned.source(transfer));
      for (int i = planned.furtherStart(transfer); i < planned.furtherStart(transfer + 1); i++) {
        links.crosses(planned.further(i));
      }
      crossesTarget(nodes, planned.target(transfer), tasks.width(planned.task(transfer)));
    }
    if (rates.length < links.count()) {
      rates = new long[links.count()];
    }
    allocator.allocate(links, rates);
  }

  /** Transfers at the highest risk go first where there are groups; rates of copies alone are those of the paper. */
  private void addToLinks(int task, long bytes) {
    links.add(Math.max(1, bytes));
    if (tasks.width() != null && tasks.risk()[task] == 0) {
      links.setFirst();
    }
  }

  private void crossesTarget(NodeTable nodes, int target, int width) {
    links.crosses(nodes.count() + target, width);
    if (nodes.writeBytesPerSec() != null) {
      links.crosses(2 * nodes.count() + target);
    }
  }

  private TimeslotPlan answer(ClusterSnapshot snapshot) {
    int runningCount = snapshot.running().count();
    int[] runningSource = new int[runningCount];
    long[] runningRate = new long[runningCount];
    long plannedBytes = 0;
    int next = 0;
    for (int r = 0; r < runningCount; r++) {
      runningSource[r] = stragglers.plannedSource(r);
      runningRate[r] = stragglers.keeps(r) ? rates[next++] : stragglers.idleRateBytesPerSec(r);
      if (stragglers.keeps(r) && runningRate[r] > 0) {
        plannedBytes += tasks.width(snapshot.running().task()[r]) * stragglers.leftBytes(r);
      }
    }
    int withRate = 0;
    for (int transfer = 0; transfer < planned.count(); transfer++) {
      withRate += rates[next + transfer] > 0 ? 1 : 0;
    }
    int[] task = new int[withRate];
    int[] source = new int[withRate];
    int[] target = new int[withRate];
    long[] rate = new long[withRate];
    boolean rebuilds = tasks.width() != null;
    IntRows.Builder further = rebuilds ? new IntRows.Builder() : null;
    int count = 0;
    for (int transfer = 0; transfer < planned.count(); transfer++) {
      long bytesPerSec = rates[next++];
      if (bytesPerSec > 0) {
        task[count] = planned.task(transfer);
        source[count] = planned.source(transfer);
        target[count] = planned.target(transfer);
        rate[count++] = bytesPerSec;
        plannedBytes += tasks.receivedBytes(planned.task(transfer));
        if (rebuilds) {
          addFurther(further, transfer);
        }
      }
    }
    return new TimeslotPlan(task, source, target, rate, runningSource, runningRate, plannedBytes, loads.volumeBytes(),
        rebuilds ? further.build() : null, rebuilds ? runningFurther(runningCount) : null);
  }

  private void addFurther(IntRows.Builder further, int transfer) {
    for (int i = planned.furtherStart(transfer); i < planned.furtherStart(transfer + 1); i++) {
      further.add(planned.further(i));
    }
    further.endRow();
  }

  private IntRows runningFurther(int runningCount) {
    IntRows.Builder further = new IntRows.Builder();
    for (int r = 0; r < runningCount; r++) {
      for (int i = stragglers.firstSource(r) + 1; i < stragglers.firstSource(r + 1); i++) {
        further.add(stragglers.source(i) >= 0 ? stragglers.source(i) : TimeslotPlan.NO_SOURCE);
      }
      further.endRow();
    }
    return further.build();
  }
}
