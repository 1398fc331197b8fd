/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.planning;

import io.dayu.blocks.LiveNode;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.model.ClusterSnapshot;
import io.dayu.model.IntRows;
import io.dayu.model.NodeTable;
import io.dayu.model.PlanningParameters;
import io.dayu.model.RunningTable;
import io.dayu.model.TaskTable;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.namenode.transfers.NodeBandwidth;
import io.dayu.namenode.transfers.TransferSource;
import io.dayu.rules.WidenedHorizon;
import io.dayu.schedule.choice.TieBreak;
import org.apache.hadoop.fs.StorageType;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

/**
 * Builds a timeslot's {@link PlanningView} from live nodes, agents' reports, waiting blocks ({@link AcceptingNodes}
 * says which are for stock) and running attempts. Used once; not thread-safe.
 */
public final class PlanningViewBuilder {
  private static final int TYPES = StorageType.values().length;
  /**
   * Where emptier nodes are preferred: how much less a full node weighs than an empty one. Of two nodes of one
   * bandwidth an empty one then gets three blocks for two of a full one, as with the default preference of HDFS's
   * policy (0.6).
   */
  private static final double FULL_NODE_PENALTY = 1 / 3.0;
  /**
   * What a node weighs that HDFS finds too busy for a target: it comes after nearly all that others can take. It is not
   * left out, since the number of its threads says little of what its links carry, which its agent measures.
   */
  private static final double BUSY_NODE_WEIGHT = 1 / 16.0;
  /** Weights go in tenths of a node's space, so that there are few different ones. */
  private static final int WEIGHTS = 10;

  private final Settings settings;
  private final List<LiveNode> nodes;
  private final Map<String, NodeLoad> loads;
  private final List<Attempt> running;
  private final boolean pressedSourcesFirst;
  private final Map<String, Integer> nodeIds = new HashMap<>();
  /** By running transfer, the row of its target. */
  private final int[] targets;
  /** Racks and upgrade domains. */
  private final Map<String, Integer> rackIds = new HashMap<>();

  /**
   * @param nodes the live nodes, which become the rows of the node table in this order
   * @param loads what the live agents last reported, by UUID
   * @param running the transfers under way, each to one of the nodes (see {@link PlanningView#plannable})
   * @param pressedSourcesFirst see {@link io.dayu.schedule.PlanningAlgorithm}
   */
  public PlanningViewBuilder(Settings settings, List<LiveNode> nodes, Map<String, NodeLoad> loads,
      List<Attempt> running, boolean pressedSourcesFirst) {
    this.settings = settings;
    this.nodes = nodes;
    this.loads = loads;
    this.running = running;
    this.targets = new int[running.size()];
    this.pressedSourcesFirst = pressedSourcesFirst;
  }

  /**
   * Builds the view.
   *
   * @param candidates the waiting blocks that may be planned
   * @param history which targets a block avoids, and which blocks are left to stock
   */
  public PlanningView build(SelectedBlocks candidates, BlockHistory history, long nowNs) {
    for (int id = 0; id < nodes.size(); id++) {
      nodeIds.put(nodes.get(id).uuid(), id);
      rackIds.putIfAbsent(nodes.get(id).rack(), rackIds.size());
    }
    for (int r = 0; r < targets.length; r++) {
      targets[r] = nodeIds.get(running.get(r).target());
    }
    int[] domains = domains();
    SelectedBlocks numbered = candidates.numbered(nodeIds, rackIds);
    NodeTable table = nodeTable(domains, sendsLast());
    RebuildingNodes rebuilding = new RebuildingNodes(nodes, loads);
    TaskRows rows = new TaskRows(nodeIds, rackIds, lastSources(), rebuilding, candidates.size() + running.size());
    AcceptingNodes accepting = new AcceptingNodes(table, table.acceptsTransfers(), numbered);
    Map<String, AcceptingNodes> byCodec = new HashMap<>();
    IntFunction<AcceptingNodes> acceptingOf = block -> !numbered.rebuilds(block) ? accepting
        : byCodec.computeIfAbsent(numbered.group(block).policy().codec(),
            codec -> accepting.only(rebuilding.by(codec)));
    rows.addWaiting(numbered, block -> !history.isLeftToStock(numbered.key(block), nowNs)
        && acceptingOf.apply(block).isPlaceable(block), history, nowNs);
    rows.addRunning(running, history, nowNs);
    TaskTable tasks = rows.table();
    ClusterSnapshot snapshot = new ClusterSnapshot(parameters(), settings.millis(Setting.TIMESLOT_LEAD),
        tasks.width() == null ? table : withDisks(table), tasks, runningTable(rows.waiting().size()));
    return new PlanningView(nodes, rows.waiting(), rows.unplaceable(), rows.leaving(), rebuilding, running,
        WidenedHorizon.widen(withTieBreak(snapshot)));
  }

  private ClusterSnapshot withTieBreak(ClusterSnapshot snapshot) {
    TieBreak tieBreak = TieBreak.named(settings.choice(Setting.TIE_BREAK));
    if (tieBreak == TieBreak.NONE) {
      return snapshot;
    }
    long[] freeBytes = nodes.stream().mapToLong(node -> node.space().freeBytes()).toArray();
    long[] foregroundIn = nodes.stream().map(node -> loads.get(node.uuid()))
        .mapToLong(load -> load == null ? 0 : load.in().foregroundBytesPerSec()).toArray();
    return tieBreak.apply(snapshot, freeBytes, foregroundIn);
  }

  private PlanningParameters parameters() {
    return new PlanningParameters(settings.millis(Setting.TIMESLOT_INTERVAL),
        settings.millis(Setting.TIMESLOT_HORIZON), settings.bytesPerSec(Setting.BUCKET_BANDWIDTH),
        settings.ratio(Setting.UNDEREMPLOYED_RATIO), pressedSourcesFirst,
        settings.ratio(Setting.EVICTION_FACTOR), settings.millis(Setting.TIMESLOT_MIN_INTERVAL));
  }

  /** The nodes' upgrade domains, which get their numbers after the racks; null if there are none. */
  private int[] domains() {
    if (nodes.stream().allMatch(node -> node.placement().upgradeDomain() == null)) {
      return null;
    }
    int[] domain = new int[nodes.size()];
    for (int id = 0; id < domain.length; id++) {
      LiveNode node = nodes.get(id);
      String name = node.placement().upgradeDomain() == null ? node.rack() : node.placement().upgradeDomain();
      rackIds.putIfAbsent(name, rackIds.size());
      domain[id] = rackIds.get(name);
    }
    return domain;
  }

  /**
   * By node, whether it sends blocks at the highest risk, and knows it: not those that came to that after their
   * transfer had begun. One that is only to be planned raises nothing yet: it may find no target. Nor does one in its
   * target's queue: its source gives B_min until it is read.
   */
  private boolean[] sendsLast() {
    boolean[] sends = new boolean[nodes.size()];
    for (Attempt attempt : running) {
      for (TransferSource source : attempt.sources()) {
        if (attempt.doneBytes() > 0 && !attempt.sourceLost() && attempt.isAtHighestRisk()
            && attempt.request().risk() == 0 && row(source) >= 0) {
          sends[row(source)] = true;
        }
      }
    }
    return sends;
  }

  private NodeTable nodeTable(int[] domain, boolean[] sendsLast) {
    NodeBandwidth bandwidth = new NodeBandwidth(settings);
    int count = nodes.size();
    long[] in = new long[count];
    long[] out = new long[count];
    int[] rack = new int[count];
    boolean[] accepts = new boolean[count];
    int[] maxIncoming = new int[count];
    int[] maxOutgoing = new int[count];
    long[][] room = new long[TYPES][count];
    long typicalTotal = typicalTotal(loads);
    FailedSources failed = new FailedSources(nodes, running);
    for (int id = 0; id < count; id++) {
      LiveNode node = nodes.get(id);
      NodeLoad load = loads.get(node.uuid());
      rack[id] = rackIds.get(node.rack());
      maxOutgoing[id] = failed.maxOutgoing(node, bandwidth.readStreams(node));
      if (load == null) {
        out[id] = bandwidth.recoverWithoutAgent(typicalTotal);
      } else {
        in[id] = bandwidth.receive(load);
        out[id] = sendsLast[id] ? bandwidth.recoverAtHighestRisk(load.out()) : bandwidth.recover(load.out());
        accepts[id] = node.target() && load.in().capacityBytesPerSec() > 0;
        maxIncoming[id] = load.writeStreams();
      }
      for (int type = 0; type < TYPES; type++) {
        room[type][id] = node.space().maxVolumeFreeBytes()[type];
      }
    }
    limitTotal(in, accepts);
    return new NodeTable(in, out, rack, Math.max(1, rackIds.size()), accepts, maxIncoming, maxOutgoing, room, domain,
        leaving(), targetWeights()).withUrgent(urgent());
  }

  /**
   * A copy writes what it receives, so the slower of network and disks is its limit. Rebuilds receive more than they
   * write: beside them the disks are a limit of their own.
   */
  private NodeTable withDisks(NodeTable table) {
    NodeBandwidth bandwidth = new NodeBandwidth(settings);
    long[] write = table.recoverInBytesPerSec();
    long[] in = write.clone();
    boolean slower = false;
    for (int id = 0; id < in.length; id++) {
      NodeLoad load = loads.get(nodes.get(id).uuid());
      if (load != null
          && (load.networkInBytesPerSec() > load.in().capacityBytesPerSec() || load.isLimitedByDisks())) {
        in[id] = Math.max(in[id], bandwidth.recover(load.networkIn()));
        slower = true;
      }
    }
    if (!slower) {
      return table;
    }
    limitToRest(in, write, table.acceptsTransfers());
    return table.withDisks(in, write);
  }

  /**
   * Where recovery in the whole cluster is limited, what the disks leave of that is for rebuilds: by it the nodes whose
   * networks carry more than their disks take may receive more.
   *
   * @param in what the networks carry; then at most what is left
   * @param write what all may write within the limit
   */
  private void limitToRest(long[] in, long[] write, boolean[] accepts) {
    boolean[] receives = receives(accepts);
    double max = settings.bytesPerSec(Setting.MAX_TOTAL_BANDWIDTH);
    double left = max;
    double more = 0;
    for (int id = 0; id < in.length; id++) {
      left -= receives[id] ? write[id] : 0;
      more += receives[id] ? in[id] - write[id] : 0;
    }
    for (int id = 0; max > 0 && more > left && id < in.length; id++) {
      in[id] = write[id] + (long) ((in[id] - write[id]) * (Math.max(0, left) / more));
    }
  }

  private boolean[] urgent() {
    boolean[] urgent = new boolean[nodes.size()];
    boolean any = false;
    for (int id = 0; id < urgent.length; id++) {
      urgent[id] = nodes.get(id).status().urgent();
      any |= urgent[id];
    }
    return any ? urgent : null;
  }

  /**
   * Each transfer has one target, so what targets may receive limits what recovery transfers in the whole cluster. What
   * runs to a node goes on there, even if it accepts no new transfers.
   */
  private void limitTotal(long[] in, boolean[] accepts) {
    boolean[] receives = receives(accepts);
    double total = 0;
    for (int id = 0; id < in.length; id++) {
      total += receives[id] ? in[id] : 0;
    }
    long max = settings.bytesPerSec(Setting.MAX_TOTAL_BANDWIDTH);
    for (int id = 0; max > 0 && total > max && id < in.length; id++) {
      in[id] = (long) (in[id] * (max / total));
    }
  }

  /** By node, whether something runs to it or may. */
  private boolean[] receives(boolean[] accepts) {
    boolean[] receives = accepts.clone();
    for (int target : targets) {
      receives[target] = true;
    }
    return receives;
  }

  private boolean[] lastSources() {
    boolean[] last = new boolean[nodes.size()];
    for (int id = 0; id < last.length; id++) {
      last[id] = nodes.get(id).status().lastSource();
    }
    return last;
  }

  private boolean[] leaving() {
    boolean[] leaving = new boolean[nodes.size()];
    boolean any = false;
    for (int id = 0; id < leaving.length; id++) {
      leaving[id] = nodes.get(id).status().leaving();
      any |= leaving[id];
    }
    return any ? leaving : null;
  }

  private double[] targetWeights() {
    double[] weight = new double[nodes.size()];
    Map<String, Long> serving = nodes.stream().allMatch(node -> node.placement().xceiversIfOverloaded() == 0) ? Map.of()
        : running.stream().flatMap(attempt -> attempt.sources().stream())
            .collect(Collectors.groupingBy(TransferSource::node, Collectors.counting()));
    boolean differ = false;
    for (int id = 0; id < weight.length; id++) {
      double tenths = Math.floor(WEIGHTS * Math.min(100, Math.max(0, nodes.get(id).placement().usedPercent())) / 100);
      // Threads that serve our own transfers, if they are at least half of all, do not make it busy.
      boolean busy =
          nodes.get(id).placement().xceiversIfOverloaded() > 2 * serving.getOrDefault(nodes.get(id).uuid(), 0L);
      weight[id] = (1 - FULL_NODE_PENALTY * tenths / WEIGHTS) * (busy ? BUSY_NODE_WEIGHT : 1);
      differ |= weight[id] != weight[0];
    }
    return differ ? weight : null;
  }

  /** The median bandwidth of the nodes that report one, in bytes a second. */
  private static long typicalTotal(Map<String, NodeLoad> loads) {
    long[] totals = loads.values().stream().mapToLong(load -> load.out().capacityBytesPerSec()).sorted().toArray();
    return totals.length == 0 ? 0 : totals[totals.length / 2];
  }

  /** @param firstTask the row of the first running attempt's block in the task table */
  private RunningTable runningTable(int firstTask) {
    int count = running.size();
    int[] task = new int[count];
    int[] source = new int[count];
    IntRows.Builder further = new IntRows.Builder();
    boolean rebuilds = false;
    long[] done = new long[count];
    long[] rate = new long[count];
    for (int r = 0; r < count; r++) {
      Attempt attempt = running.get(r);
      task[r] = firstTask + r;
      source[r] = row(attempt.sources().get(0));
      for (int i = 1; i < attempt.width(); i++) {
        further.add(row(attempt.sources().get(i)));
        rebuilds = true;
      }
      further.endRow();
      done[r] = Math.min(attempt.doneBytes(), attempt.request().numBytes());
      rate[r] = attempt.phase() == Attempt.Phase.RUNNING ? attempt.achievedBytesPerSec() : attempt.rateBytesPerSec();
    }
    return new RunningTable(task, source, targets, done, rate, rebuilds ? further.build() : null);
  }

  private int row(TransferSource source) {
    return source.isLost() ? -1 : nodeIds.getOrDefault(source.node(), -1);
  }
}
