/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.planning;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.BlockManagement;
import io.dayu.blocks.CommitResult;
import io.dayu.blocks.GroupTransfer;
import io.dayu.blocks.LiveNode;
import io.dayu.blocks.TransferRequest;
import io.dayu.blocks.WaitReason;
import io.dayu.blocks.WaitingBlock;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.model.ClusterSnapshot;
import io.dayu.model.IntRows;
import io.dayu.model.TimeslotPlan;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.planning.TimeslotDecision.ForStock;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.namenode.transfers.TransferTracker;
import io.dayu.rules.PlanTiming;
import io.dayu.rules.RemainingWork;
import io.dayu.schedule.PlanningAlgorithm;
import io.dayu.schedule.TimeslotScheduler;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/**
 * Says when a timeslot is due and what it decides: reads work from the NameNode's queues and has it planned without any
 * lock. The caller carries the decision out and returns with the results. Owned by the recovery loop; not thread-safe.
 */
public final class TimeslotPlanner {
  /** Blocks of the highest risk that are read anew in each timeslot. */
  private static final int HIGHEST_RISK_LIMIT = 2_000;
  /**
   * Maximum number of reads of further work in one timeslot while bandwidth is left; each is a short hold of the lock.
   */
  private static final int MAX_READS = 40;
  /**
   * A timeslot reads this many times the number of blocks that were planned last, so that the pass over the queues goes
   * on.
   */
  private static final double READ_AHEAD = 1.25;
  /**
   * While all that waits seems to be known, or the pool has refused most of it, a pass over the queues takes at most
   * this many timeslots.
   */
  private static final int MAX_PASS_TIMESLOTS = 32;
  /** Number of such reads if the last timeslot had enough work. */
  private static final int MIN_READS = 2;
  /**
   * Bound on the time of a timeslot's reads: if others always wait for the namesystem lock, holds are short and the
   * waits between them long.
   */
  private static final long MAX_READ_NS = TimeUnit.SECONDS.toNanos(1);

  /**
   * Unplaceable blocks that are read again in one timeslot; the others wait for a later one. Each costs a look at all
   * nodes with room, on the loop's thread.
   */
  private static final int MAX_READ_AGAIN = 2_000;

  /** Blocks whose transfers have ended that are read again in one timeslot. */
  private static final int MAX_RETURNED = 10_000;

  private final BlockManagement blocks;
  private final Settings settings;
  private final TimeslotScheduler scheduler;
  private final boolean pressedSourcesFirst;
  private final BlockHistory history;
  private final LongSupplier stopwatchNs;
  private final WaitingBlockPool pool = new WaitingBlockPool();
  /** Blocks whose transfers have ended without a replica, not read again yet. */
  private final Set<BlockKey> returned = new LinkedHashSet<>();
  /** Blocks that the last timeslot could not place, to be read again. */
  private final Set<BlockKey> unplaced = new LinkedHashSet<>();
  /** Those of them that this timeslot has read again. */
  private final Set<BlockKey> readAgain = new HashSet<>();
  private final PlanTiming timing;
  private final BlockSelection selection;
  private final UnplannedBlocks unplanned = new UnplannedBlocks();
  private int timeslot;
  /** Blocks that the last timeslot left to stock since it could not place them. */
  private int leftToStock;
  private boolean plannedAll;
  private boolean recoveredGroups;
  private boolean highestRiskOnly;
  /** Whether the blocks that wait have been read since the last timeslot, and not to the end: their rows must stay. */
  private boolean beingRead;
  /** Blocks that were read and that no timeslot before has known of. */
  private List<WaitingBlock> added = new ArrayList<>();
  /** Blocks of kinds that are left to stock, as this timeslot has read them: they are never planned. */
  private final List<WaitingBlock> neverPlanned = new ArrayList<>();
  /** Blocks whose first copies this timeslot waits for. */
  private final Set<BlockKey> awaited = new HashSet<>();

  /** @param stopwatchNs measures how long planning takes; decides nothing */
  public TimeslotPlanner(BlockManagement blocks, Settings settings, PlanningAlgorithm algorithm, BlockHistory history,
      LongSupplier stopwatchNs) {
    this.blocks = blocks;
    this.settings = settings;
    this.scheduler = algorithm.newScheduler();
    this.pressedSourcesFirst = algorithm.pressedSourcesFirst();
    this.history = history;
    this.stopwatchNs = stopwatchNs;
    this.timing = new PlanTiming(settings.millis(Setting.TIMESLOT_INTERVAL),
        settings.millis(Setting.TIMESLOT_MIN_INTERVAL));
    this.selection = new BlockSelection(settings, pool);
  }

  /** Begins anew, with a timeslot due at once. */
  public void begin(long nowNs) {
    pool.clear();
    timing.begin(nowNs);
  }

  /** Forgets the blocks that were read; the NameNode's queues still have them. */
  public void clear() {
    pool.clear();
    returned.clear();
    unplaced.clear();
    readAgain.clear();
    added = new ArrayList<>();
    neverPlanned.clear();
    timing.clear();
    selection.reset();
    unplanned.clear();
    leftToStock = 0;
    plannedAll = false;
  }

  /** Whether to plan now, by the rules of {@link PlanTiming}. */
  public boolean isDue(TransferTracker tracker, long nowNs) {
    timing.timeslotMs(settings.millis(Setting.TIMESLOT_INTERVAL));
    return !timing.isTooEarly(nowNs) && timing.isDue(blocks.waitingBlocks(), tracker.liveCount(), !tracker.isEmpty(),
        tracker.needsPlan(), nowNs);
  }

  /**
   * The transfers of these blocks have ended without a replica: the next timeslot plans them before others of their
   * risk. Beyond {@link #MAX_RETURNED} they are planned when a pass over the queues meets them.
   */
  public void returned(List<BlockKey> keys) {
    keys.stream().limit(Math.max(0, MAX_RETURNED - returned.size())).forEach(returned::add);
  }

  /** From now on plans only blocks of the highest risk, or all. */
  public void limitToHighestRisk(boolean limited) {
    highestRiskOnly = limited;
  }

  /**
   * Plans one timeslot.
   *
   * @param liveNodes by UUID, as of now
   * @param loads what the live agents last reported, by UUID
   * @param attempts the transfers under way
   */
  public TimeslotDecision plan(Map<String, LiveNode> liveNodes, Map<String, NodeLoad> loads, List<Attempt> attempts,
      long nowNs) {
    long startNs = stopwatchNs.getAsLong();
    if (recoveredGroups != blocks.recoversGroups()) {
      // What was read before says otherwise who is to recover groups.
      pool.clear();
      unplanned.clear();
      recoveredGroups = blocks.recoversGroups();
    }
    timing.planning(blocks.waitingBlocks(), nowNs);
    takeWork(new FirstCopies(attempts, nowNs), highestRiskOnly ? MIN_READS : MAX_READS);
    long waitingBlocks = blocks.waitingBlocks() - awaited.size();
    pool.retainServedBy(liveNodes.keySet());
    List<LiveNode> nodes = new ArrayList<>(liveNodes.values());
    nodes.sort(Comparator.comparing(LiveNode::uuid));
    SelectedBlocks selected = selection.select(liveNodes.values(), loads);
    if (highestRiskOnly) {
      selected = selected.ofHighestRisk();
      neverPlanned.removeIf(block -> block.risk() > 0);
    }
    PlanningView view = new PlanningViewBuilder(settings, nodes, loads, PlanningView.plannable(attempts, nodes),
        pressedSourcesFirst).build(selected, history, nowNs);
    unplanned.placeable(view.waiting());
    // A part of the work does not tell how near the end is.
    ClusterSnapshot all = view.snapshot().with(selection.unselected(nodes));
    ClusterSnapshot snapshot =
        secondCopiesAreFew(attempts) && pool.isComplete(waitingBlocks) ? all
            : all.with(all.parameters().farFromTheEnd());
    TimeslotPlan plan = scheduler.plan(snapshot);
    ClusterSnapshot rebuilt = LeavingGroups.rebuilt(view, snapshot, plan, settings);
    if (rebuilt != snapshot) {
      view = view.with(rebuilt);
      snapshot = rebuilt;
      plan = scheduler.plan(rebuilt);
    }
    timing.planned(RemainingWork.timeslotMs(snapshot));
    List<ForStock> forStock = new ArrayList<>();
    neverPlanned.forEach(block -> forStock.add(new ForStock(block, block.stockReason())));
    forStock.addAll(forStock(view.unplaceable(), nowNs));
    SkippedBlocks.find(view, plan, timeslot++).stream().filter(block -> history.skipped(block.key(), nowNs))
        .forEach(block -> forStock.add(new ForStock(block, WaitReason.PASSED_OVER)));
    forStock.forEach(one -> unplanned.leftToStock(one.block(), one.reason(), pool.passes()));
    unplanned.planned(pool.passes());
    if (!highestRiskOnly) {
      // Else bandwidth is left on purpose, and more work would not be planned either.
      selection.planned(plan, snapshot);
    }
    plannedAll = !highestRiskOnly && secondCopiesAreFew(attempts) && pool.knowsAll(waitingBlocks)
        && all.unselected().copyBytes() == 0
        && plan.count() == IntStream.of(all.tasks().copies()).sum();
    List<WaitingBlock> addedNow = added;
    added = new ArrayList<>();
    return decision(view, plan, forStock, addedNow, TimeUnit.NANOSECONDS.toMillis(stopwatchNs.getAsLong() - startNs));
  }

  /** Else the end is far, whatever else is known: one more copy of each awaited block is still to be planned. */
  private boolean secondCopiesAreFew(List<Attempt> attempts) {
    return awaited.size() <= 1 + attempts.size() / 10;
  }

  /**
   * Plans over a view without any effect.
   *
   * @return the plan, and the view that it is of
   */
  public static Map.Entry<PlanningView, TimeslotPlan> dryRun(PlanningView view, TimeslotScheduler scheduler,
      Settings settings) {
    TimeslotPlan plan = scheduler.plan(view.snapshot());
    ClusterSnapshot rebuilt = LeavingGroups.rebuilt(view, view.snapshot(), plan, settings);
    return rebuilt == view.snapshot() ? Map.entry(view, plan)
        : Map.entry(view.with(rebuilt), scheduler.plan(rebuilt));
  }

  /** Reads the head of the queues again and goes on with the rest where the last timeslot stopped. */
  private void takeWork(FirstCopies firstCopies, int maxReads) {
    neverPlanned.clear();
    awaited.clear();
    pool.plan(selection.plannedBlocks());
    // Those whose copies are on their way are there, too, and must not hide the others.
    take(blocks.readHighestRisk(HIGHEST_RISK_LIMIT + firstCopies.max()), firstCopies, pool::putHead);
    long enough = enough(blocks.waitingBlocks() - awaited.size());
    long asPlanned = asPlanned();
    long blocksRead = 0;
    boolean ended = false;
    boolean goesFirst = false;
    long beginNs = stopwatchNs.getAsLong();
    for (int i = 0; i < maxReads && !ended && (i < MIN_READS || stopwatchNs.getAsLong() - beginNs < MAX_READ_NS
        && (blocksRead < enough || goesFirst && blocksRead < asPlanned)); i++) {
      List<WaitingBlock> read = new ArrayList<>();
      ended = blocks.readNext(read);
      take(read, firstCopies, pool::put);
      blocksRead += read.size();
      goesFirst = !read.isEmpty() && pool.holdsLowerRisk(read.get(read.size() - 1).risk());
    }
    if (ended) {
      pool.endPass();
    }
    readAgain.clear();
    readAgain.addAll(unplaced);
    // Those that are not in the queues any more are not to be planned; those that were appended since are.
    unplaced.forEach(pool::remove);
    returned.addAll(unplaced);
    unplaced.clear();
    if (!returned.isEmpty()) {
      blocks.readAgain(List.copyOf(returned)).stream().filter(block -> !leaveOut(block, firstCopies))
          .forEach(block -> pool.putFirst(FirstCopies.withCopiesAtOnce(block)));
      returned.clear();
    }
    if (beingRead) {
      // The selection gives them rows that may have been read already.
      added.addAll(pool.first());
    }
  }

  /** Sorts the blocks that were read: those of kinds that are never planned go to stock at once. */
  private void take(List<WaitingBlock> read, FirstCopies firstCopies,
      Function<List<WaitingBlock>, List<WaitingBlock>> into) {
    List<WaitingBlock> own = new ArrayList<>(read.size());
    for (WaitingBlock block : read) {
      if (block.isForStock()) {
        neverPlanned.add(block);
        pool.leaveToStock(block.key());
      } else if (!leaveOut(block, firstCopies)) {
        own.add(FirstCopies.withCopiesAtOnce(block));
      }
    }
    unplanned.read(own, pool.passes());
    added.addAll(into.apply(own));
  }

  /** Leaves a block out of this timeslot if it waits for its first copy. */
  private boolean leaveOut(WaitingBlock block, FirstCopies firstCopies) {
    boolean waits = firstCopies.isAwaited(block);
    if (waits) {
      awaited.add(block.key());
      pool.remove(block.key());
    }
    return waits;
  }

  /**
   * The unplaceable blocks for stock. The next timeslot reads such a block again first: since it was read, nodes and
   * room may have changed, and so may its storage type. If it is still unplaceable then, stock gets it.
   */
  private List<ForStock> forStock(List<WaitingBlock> unplaceable, long nowNs) {
    List<ForStock> forStock = new ArrayList<>(unplaceable.size());
    for (WaitingBlock block : unplaceable) {
      WaitReason reason = unplaceableReason(block, readAgain, nowNs);
      unplanned.unplaceable(block, reason, pool.passes());
      if (reason != WaitReason.READ_AGAIN) {
        forStock.add(new ForStock(block, reason));
      } else if (unplaced.size() < MAX_READ_AGAIN) {
        unplaced.add(block.key());
      }
    }
    return forStock;
  }

  /**
   * Why a block waits that the next timeslot cannot place. {@link WaitReason#READ_AGAIN}: it is read again first;
   * else it goes to stock.
   */
  public WaitReason unplaceableReason(WaitingBlock block, long nowNs) {
    return unplaceableReason(block, unplaced, nowNs);
  }

  /** @param before blocks that the timeslot before could not place either */
  private WaitReason unplaceableReason(WaitingBlock block, Set<BlockKey> before, long nowNs) {
    if (block.isForStock()) {
      return block.stockReason();
    }
    WaitReason known = history.stockReason(block.key(), nowNs);
    return known != null ? known : before.contains(block.key()) ? WaitReason.NO_TARGET : WaitReason.READ_AGAIN;
  }

  /**
   * How many blocks to read from HDFS's queues in this timeslot:
   * <ul>
   * <li>The last timeslot had work for nearly all bandwidth: {@link #READ_AHEAD} times the blocks that it planned, but
   *     none while the pool has enough for several timeslots, unless they are of a higher risk than others there.
   * <li>Bandwidth was left, and the pool knows all waiting blocks or has refused most: {@link #READ_AHEAD} times the
   *     blocks that it planned or left to stock, but enough that a pass over the queues ends within
   *     {@link #MAX_PASS_TIMESLOTS}.
   * <li>Bandwidth was left, and the pool does not know all of them: as many as {@link #MAX_READS} and
   *     {@link #MAX_READ_NS} allow.
   * </ul>
   */
  private long enough(long waitingBlocks) {
    if (selection.hadEnough()) {
      return pool.isFilled() ? 0 : asPlanned();
    }
    return pool.knowsAll(waitingBlocks) || pool.refusedMost() && pool.isFilled()
        ? Math.max(asPlanned() + (long) (READ_AHEAD * leftToStock), waitingBlocks / MAX_PASS_TIMESLOTS)
        : Long.MAX_VALUE;
  }

  private long asPlanned() {
    return (long) (READ_AHEAD * selection.plannedBlocks());
  }

  /** Whether no DataNode can take this block now, as far as timeslots have found. Safe for use by all threads. */
  public boolean isUnplaceable(long blockId) {
    return unplanned.isUnplaceable(blockId);
  }

  /** Waiting blocks that no DataNode can take now. */
  public int unplaceableBlocks() {
    return unplanned.unplaceable();
  }

  /** Whether the algorithm plans rebuilds of internal blocks of groups. */
  public boolean plansRebuilds() {
    return scheduler.plansRebuilds();
  }

  /** Why blocks wait that the next timeslots cannot plan, and how many, by risk. Safe for use by all threads. */
  public Map<WaitReason, long[]> unplanned() {
    return unplanned.counts();
  }

  /** Whether the last timeslot planned all copies that wait and can be placed. */
  public boolean plannedAll() {
    return plannedAll;
  }

  /**
   * Reads the blocks that wait, as {@link WaitingBlockPool#read}. The row to go on with is valid until the second
   * timeslot from now is carried out.
   */
  public int readWaiting(int fromRow, int limit, List<WaitingBlock> read) {
    int next = pool.read(fromRow, limit, read);
    beingRead = next >= 0;
    return next;
  }

  public static TimeslotDecision decision(PlanningView view, TimeslotPlan plan, List<ForStock> forStock,
      List<WaitingBlock> added, long planMs) {
    List<Attempt> evicted = new ArrayList<>();
    List<TimeslotDecision.Redirection> redirected = new ArrayList<>();
    for (int r = 0; r < view.running().size(); r++) {
      List<String> sources = sources(view, plan.runningSource()[r], plan.runningFurtherSources(), r);
      if (plan.runningSource()[r] == TimeslotPlan.EVICTED) {
        evicted.add(view.running().get(r));
      } else if (sources != null) {
        // Without a source the grant stays: the plan counts nothing for it, and the target gives up after a few tries.
        redirected.add(new TimeslotDecision.Redirection(view.running().get(r), sources,
            plan.runningRateBytesPerSec()[r]));
      }
    }
    return new TimeslotDecision(evicted, redirected, copies(view, plan), forStock, added, plan.plannedBytes(),
        plan.volumeBytes(), planMs);
  }

  /** The sources of a transfer, by name; null if one of them is missing. */
  private static List<String> sources(PlanningView view, int first, IntRows further, int row) {
    if (first < 0) {
      return null;
    }
    if (further == null || further.start(row) == further.end(row)) {
      return List.of(view.nodes().get(first).uuid());
    }
    List<String> sources = new ArrayList<>();
    sources.add(view.nodes().get(first).uuid());
    for (int i = further.start(row); i < further.end(row); i++) {
      if (further.values()[i] < 0) {
        return null;
      }
      sources.add(view.nodes().get(further.values()[i]).uuid());
    }
    return sources;
  }

  private static List<TimeslotDecision.Copy> copies(PlanningView view, TimeslotPlan plan) {
    List<TimeslotDecision.Copy> copies = new ArrayList<>(plan.count());
    // How many internal blocks of a group the plan makes so far.
    Map<BlockKey, Integer> madeOfGroup = new HashMap<>();
    for (int i = 0; i < plan.count(); i++) {
      WaitingBlock block = view.waiting().get(plan.task()[i]);
      List<String> sources = sources(view, plan.source()[i], plan.furtherSources(), i);
      int before = block.group() == null ? 0 : madeOfGroup.merge(block.key(), 1, Integer::sum) - 1;
      GroupTransfer group = block.group() == null ? null : GroupRequests.of(block, sources, before);
      long bytes = group == null ? block.numBytes() : GroupRequests.bytes(block.group(), group.index());
      copies.add(new TimeslotDecision.Copy(new TransferRequest(block.key(), bytes, block.risk(), sources.get(0),
          view.nodes().get(plan.target()[i]).uuid(), block.storageTypes(), group), block, plan.rateBytesPerSec()[i]));
    }
    return copies;
  }

  /**
   * Notes how the decision was carried out.
   *
   * @param results of the new transfers, in the decision's order
   * @param granted transfers under way now
   */
  public void carriedOut(TimeslotDecision decision, List<CommitResult> results, int granted) {
    Map<BlockKey, WaitingBlock> refused = new LinkedHashMap<>();
    for (int i = 0; i < results.size(); i++) {
      WaitingBlock block = decision.copies().get(i).block();
      pool.remove(block.key());
      if (results.get(i).refusedByTarget()) {
        refused.put(block.key(), block);
      }
    }
    for (int i = 0; i < results.size() && !refused.isEmpty(); i++) {
      BlockKey key = decision.copies().get(i).block().key();
      if (results.get(i).committed() && refused.remove(key) != null) {
        // What the pool knows of it is out of date, since one of its copies is registered now.
        returned.add(key);
      }
    }
    refused.values().forEach(pool::putFirst);
    decision.forStock().forEach(one -> pool.leaveToStock(one.block().key()));
    leftToStock = decision.forStock().size() - neverPlanned.size();
    if (!beingRead) {
      pool.shrink();
    }
    // Whoever reads goes on before the next timeslot, or never.
    beingRead = false;
    timing.carriedOut(granted, blocks.waitingBlocks());
  }
}
