/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.replay;

import com.google.common.math.Quantiles;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.model.PlanningParameters;
import io.dayu.schedule.AlgorithmRegistry;
import io.dayu.schedule.PlanningAlgorithm;
import io.dayu.schedule.TimeslotScheduler;
import io.dayu.schedule.choice.TieBreak;
import io.dayu.sim.Capacities;
import io.dayu.sim.Cluster;
import io.dayu.sim.Uplinks;
import io.dayu.sim.algorithm.Algorithm;
import io.dayu.sim.algorithm.Algorithms;
import io.dayu.sim.engine.IdealRecovery;
import io.dayu.sim.engine.Knowledge;
import io.dayu.sim.engine.LinkPhysics;
import io.dayu.sim.engine.LoadReports;
import io.dayu.sim.engine.RecoveryOutcome;
import io.dayu.sim.engine.RecoverySimulation;
import io.dayu.sim.engine.Refinements;
import io.dayu.sim.engine.Shaping;
import io.dayu.sim.engine.SimulationSettings;
import io.dayu.sim.foreground.ClientBursts;
import io.dayu.sim.foreground.ForegroundModel;
import io.dayu.sim.incident.ClusterEvent;
import io.dayu.sim.incident.Incident;
import io.dayu.sim.placement.BlockKind;
import io.dayu.sim.placement.BlockKinds;
import io.dayu.sim.placement.LostBlocks;
import io.dayu.sim.placement.RackRule;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.DoubleConsumer;

/**
 * A recorded recovery as an input of the simulator: its nodes with their links and their foreground, its blocks with
 * their sources, and when they lacked copies. Immutable.
 *
 * <p>What made a block lack a copy need not be known: a missing replica is on a node of its own that has no bandwidth
 * and is lost at that moment. A node that was lost while its blocks were being copied is lost then in the simulation
 * too. A node that was not live at the begin takes part only if it serves a block, since it was live again then.
 */
public final class Replay {
  /** A node that is lost at the begin may be noticed a little later. */
  private static final long NOTICED_MS = 2_000;
  private static final long ARRIVAL_STEP_MS = 1_000;
  /** Moments at which blocks lack copies; later ones are counted at the last one. */
  private static final int MAX_MOMENTS = 200;
  /** Clients come in bursts, as in the prediction of recoveries on emulated hosts. */
  private static final long BURST_STEP_MS = 100;
  private static final long LIMIT_MS = 6 * 3_600_000L;
  /** Agents of clusters of up to this size report twice per interval, and receive a plan sooner. */
  private static final int SMALL_CLUSTER = 500;
  private static final long SMALL_LEAD_MS = 200;

  private final Cluster cluster;
  private final RecordedForeground recorded;
  private final ForegroundModel foreground;
  private final Incident incident;

  private Replay(Cluster cluster, RecordedForeground recorded, ForegroundModel foreground, Incident incident) {
    this.cluster = cluster;
    this.recorded = recorded;
    this.foreground = foreground;
    this.incident = incident;
  }

  /**
   * Makes a simulation's input of a recorded recovery.
   *
   * @param endMs what was recorded of foreground up to then is used
   * @param headers whether blocks take checksums and headers too on their way, as meters of real links count them
   * @throws IllegalArgumentException if no node has a known bandwidth, or there is nothing to copy
   */
  public static Replay of(RecordedJournal journal, RecordedRecovery recovery, long endMs, boolean headers) {
    Map<Integer, Integer> idOfIndex = new LinkedHashMap<>();
    List<RecordedNode> nodes = new ArrayList<>();
    Set<Integer> sources = new HashSet<>();
    recovery.blocks().forEach(block -> sources.addAll(block.sources()));
    for (int index = 0; index < journal.nodes().size(); index++) {
      if (journal.nodes().get(index).bytesPerSec() > 0
          && (sources.contains(index) || !lostAtBegin(recovery, index))) {
        idOfIndex.put(index, nodes.size());
        nodes.add(journal.nodes().get(index));
      }
    }
    if (nodes.size() < 2) {
      throw new IllegalArgumentException(
          "the journal knows the bandwidth of " + nodes.size() + " nodes, expected at least 2");
    }
    Missing missing = new Missing(nodes.size());
    LostBlocks blocks = blocks(recovery, idOfIndex, missing, headers ? LinkPhysics.WIRE_BYTES_PER_BLOCK_BYTE : 1);
    int[] onNoDisk = new int[blocks.count()];
    Arrays.fill(onNoDisk, -1);
    Incident incident = new Incident(blocks, onNoDisk, events(recovery, idOfIndex, missing));
    Cluster cluster = cluster(nodes, missing.count);
    RecordedForeground recorded = new RecordedForeground(nodes, missing.count, recovery.span().beginMs(), endMs);
    return new Replay(cluster, recorded, new ClientBursts(recorded, BURST_STEP_MS, cluster, recovery.span().beginMs()),
        incident);
  }

  private static List<ClusterEvent> events(RecordedRecovery recovery, Map<Integer, Integer> idOfIndex,
      Missing missing) {
    List<ClusterEvent> events = new ArrayList<>();
    missing.ids.forEach((moment, ids) -> ids
        .forEach(id -> events.add(new ClusterEvent(moment * ARRIVAL_STEP_MS, ClusterEvent.Kind.NODE_LOST, id))));
    recovery.lostMs().forEach((index, atMs) -> {
      if (idOfIndex.containsKey(index)) {
        events.add(new ClusterEvent(Math.max(0, atMs - recovery.span().beginMs()), ClusterEvent.Kind.NODE_LOST,
            idOfIndex.get(index)));
      }
    });
    events.sort(Comparator.comparingLong(ClusterEvent::atMs));
    return events;
  }

  private static boolean lostAtBegin(RecordedRecovery recovery, int index) {
    Long lostMs = recovery.lostMs().get(index);
    return recovery.goneAtBegin().contains(index)
        || lostMs != null && lostMs - recovery.span().beginMs() <= NOTICED_MS;
  }

  /** The nodes that stand for missing replicas, by the moment since which these are missing. Not thread-safe. */
  private static final class Missing {
    private final Map<Long, List<Integer>> ids = new HashMap<>();
    private final int firstId;
    private int count;

    Missing(int firstId) {
      this.firstId = firstId;
    }

    /** One for the n-th replica of a block that is missing since a moment. */
    int id(long moment, int ofBlock) {
      long known = ids.containsKey(moment) || ids.size() < MAX_MOMENTS ? moment
          : ids.keySet().stream().max(Long::compare).orElseThrow();
      List<Integer> there = ids.computeIfAbsent(known, any -> new ArrayList<>());
      while (there.size() <= ofBlock) {
        there.add(firstId + count++);
      }
      return there.get(ofBlock);
    }
  }

  private static LostBlocks blocks(RecordedRecovery recovery, Map<Integer, Integer> idOfIndex, Missing missing,
      double wireBytesPerBlockByte) {
    List<int[]> rows = new ArrayList<>();
    List<Long> sizes = new ArrayList<>();
    List<RecordedBlock> kept = new ArrayList<>();
    int maxHolders = 1;
    for (RecordedBlock block : recovery.blocks()) {
      List<Integer> holders = new ArrayList<>();
      block.sources().stream().filter(idOfIndex::containsKey).forEach(index -> holders.add(idOfIndex.get(index)));
      if (holders.size() < block.width()) {
        continue;
      }
      int copy = 0;
      for (long lackedMs : block.lackedMs()) {
        holders.add(missing.id((lackedMs - recovery.span().beginMs()) / ARRIVAL_STEP_MS, copy++));
      }
      rows.add(holders.stream().mapToInt(Integer::intValue).toArray());
      sizes.add(Math.round(block.bytes() * wireBytesPerBlockByte));
      kept.add(block);
      maxHolders = Math.max(maxHolders, holders.size());
    }
    if (rows.isEmpty()) {
      throw new IllegalArgumentException("no source of any block is known");
    }
    int[] holders = new int[rows.size() * maxHolders];
    Arrays.fill(holders, -1);
    for (int row = 0; row < rows.size(); row++) {
      System.arraycopy(rows.get(row), 0, holders, row * maxHolders, rows.get(row).length);
    }
    return new LostBlocks(-1, maxHolders, holders, sizes.stream().mapToLong(Long::longValue).toArray(), kinds(kept));
  }

  /** Blocks have one rule for their racks, and groups have one. A group with one data block counts as a block. */
  private static BlockKinds kinds(List<RecordedBlock> blocks) {
    RackRule[] rules = {RackRule.TWO_RACKS, RackRule.TWO_RACKS};
    for (RecordedBlock block : blocks) {
      if (block.distinctRacks()) {
        rules[block.width() == 1 ? 0 : 1] = RackRule.ALL_DISTINCT;
      }
    }
    BlockKinds.Builder kinds = new BlockKinds.Builder();
    blocks.forEach(block -> kinds.add(new BlockKind(block.width(), rules[block.width() == 1 ? 0 : 1])));
    return kinds.build();
  }

  private static Cluster cluster(List<RecordedNode> nodes, int missing) {
    long typicalBytesPerSec =
        (long) Quantiles.median().compute(nodes.stream().map(RecordedNode::bytesPerSec).toList());
    int count = nodes.size() + missing;
    Map<String, Integer> rackIds = new HashMap<>();
    int[] rack = new int[count];
    boolean[] closed = new boolean[count];
    long[] bytesPerSec = new long[count];
    long[] free = new long[count];
    Arrays.fill(closed, true);
    Arrays.fill(bytesPerSec, 1);
    Arrays.fill(free, Long.MAX_VALUE);
    for (int node = 0; node < nodes.size(); node++) {
      rack[node] = rackIds.computeIfAbsent(nodes.get(node).rack(), name -> rackIds.size());
      closed[node] = !nodes.get(node).accepts();
      bytesPerSec[node] = nodes.get(node).bytesPerSec();
    }
    return new Cluster(rack, closed, typicalBytesPerSec, new Capacities(bytesPerSec, free), Uplinks.UNBOUNDED);
  }

  /** Nodes that take part. */
  public int nodes() {
    return recorded.nodes() - recorded.silent();
  }

  /**
   * The recovery by the product's algorithm with these settings.
   *
   * @param progress is told the share of the blocks that are recovered
   */
  public RecoveryOutcome byProduct(Settings settings, LinkPhysics physics, DoubleConsumer progress) {
    return run(productSettings(settings).with(physics),
        algorithm(settings).newScheduler(), progress);
  }

  /** The recovery by another algorithm in its own rhythm, with α and B_min of these settings. */
  public RecoveryOutcome by(Algorithm algorithm, Settings settings, LinkPhysics physics, long seed,
      DoubleConsumer progress) {
    Algorithm.Rhythm rhythm = algorithm.rhythm();
    PlanningParameters planning = new PlanningParameters(rhythm.timeslotMs(), rhythm.horizonMs(),
        settings.bytesPerSec(Setting.BUCKET_BANDWIDTH), settings.ratio(Setting.UNDEREMPLOYED_RATIO), true,
        algorithm.evictionFactor(), algorithm.minTimeslotMs());
    SimulationSettings own =
        settings(planning, settings, rhythm.reports(), rhythm.leadMs()).with(rhythm.refinements());
    return run(own.with(physics), algorithm.factory().create(rhythm.horizonMs(), seed), progress);
  }

  private RecoveryOutcome run(SimulationSettings settings, TimeslotScheduler scheduler, DoubleConsumer progress) {
    return new RecoverySimulation(cluster, foreground, 0, incident, settings, scheduler).onProgress(progress).run();
  }

  /** The ideal time with these settings. */
  public double idealSeconds(Settings settings) {
    return IdealRecovery.seconds(cluster, foreground, 0, incident, productSettings(settings));
  }

  private static PlanningAlgorithm algorithm(Settings settings) {
    return AlgorithmRegistry.named(settings.choice(Setting.ALGORITHM), Replay.class.getClassLoader());
  }

  private SimulationSettings productSettings(Settings product) {
    Algorithm.Rhythm rhythm = Algorithms.named("dayu").rhythm();
    PlanningAlgorithm algorithm = algorithm(product);
    boolean small = nodes() <= SMALL_CLUSTER;
    PlanningParameters planning = new PlanningParameters(product.millis(Setting.TIMESLOT_INTERVAL),
        product.millis(Setting.TIMESLOT_HORIZON), product.bytesPerSec(Setting.BUCKET_BANDWIDTH),
        product.ratio(Setting.UNDEREMPLOYED_RATIO), algorithm.pressedSourcesFirst(),
        product.ratio(Setting.EVICTION_FACTOR), product.millis(Setting.TIMESLOT_MIN_INTERVAL));
    Refinements refinements = new Refinements(algorithm.forecasts(), true, true,
        algorithm.holdsRates() ? null
            : new Shaping(product.peakUtilization(), Settings.CREDIT_SEC, Settings.MIN_RUNNING),
        TieBreak.named(product.choice(Setting.TIE_BREAK)));
    long reportMs = product.millis(Setting.HEARTBEAT_INTERVAL);
    LoadReports reports = new LoadReports(small ? reportMs / 2 : reportMs, rhythm.reports().windowMs(),
        rhythm.reports().delayMs(), rhythm.reports().spread());
    return settings(planning, product, reports, small ? SMALL_LEAD_MS : rhythm.leadMs()).with(refinements);
  }

  private SimulationSettings settings(PlanningParameters planning, Settings product, LoadReports reports,
      long leadMs) {
    return new SimulationSettings(planning,
        new SimulationSettings.Limits(product.ratio(Setting.MAX_UTILIZATION),
            Math.round(product.minBytesPerSec(cluster.bandwidthBytesPerSec())), true),
        Knowledge.LAST_REPORT, reports, new SimulationSettings.Execution(leadMs, 0, Integer.MAX_VALUE, LIMIT_MS),
        Refinements.NONE, LinkPhysics.PRIORITY);
  }
}
