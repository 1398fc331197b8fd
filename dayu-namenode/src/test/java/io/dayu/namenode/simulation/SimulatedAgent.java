/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import io.dayu.blocks.GroupTransfer;
import io.dayu.datanode.AgentExchanges;
import io.dayu.datanode.transfer.TransferRegistry;
import io.dayu.protocol.DayuProtos.AgentCommandsProto;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.LoadProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import io.dayu.protocol.DayuProtos.VolumeProto;
import org.apache.hadoop.fs.StorageType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * An agent. Production code makes its reports, decides which commands it obeys, starts and stops its transfers, and
 * decides what each of them does next; simulated are its threads, its calls, the bytes, and the partial replicas. Not
 * thread-safe.
 */
final class SimulatedAgent {
  static final String POOL = "BP-1";
  /** Of no NameNode here. */
  static final String OTHER_POOL = "BP-3";
  private static final int RPC_TIMEOUT_MS = 5_000;
  private static final long TICK_MS = 250;
  private static final long OTHER_REPORT_MS = 1_000;
  private static final int MAX_TRANSFERS = 4;
  /** A link that is used to more than this makes packets wait. */
  private static final double FULL = 0.9;
  /** Before it obeys one answer in {@code PAUSES}, a reporter's thread stands still for up to {@code MAX_PAUSE_MS}. */
  private static final int PAUSES = 128;
  private static final int MAX_PAUSE_MS = 60_000;
  /** One incarnation in {@code WRONG_CLOCKS} starts while the clock of its host is an hour behind. */
  private static final int WRONG_CLOCKS = 16;
  private static final long BEHIND_MS = 3_600_000;
  private static final long EPOCH_MS = 1_700_000_000_000L;

  /** When commands were issued: later terms of active NameNodes, activations in them and sequences are higher. */
  record Issued(long term, long activation, long sequence) {
    boolean isBefore(Issued other) {
      return Arrays.compare(new long[] {term, activation, sequence},
          new long[] {other.term, other.activation, other.sequence}) < 0;
    }
  }

  /** The thread that reports to one NameNode. */
  private final class Reporter {
    private final int nameNode;
    private final AgentExchanges.Exchange exchange;
    private int call;
    /** Calls that have been answered. */
    private final Set<Integer> answered = new HashSet<>();
    /** For the answer to its report, or with an answer that has arrived. */
    private boolean busy = true;
    private boolean waits;
    private boolean woken;
    private boolean retired;
    private long earliestNs;
    /** The activation that was obeyed when transfers were last claimed that nobody has granted. */
    private long claimedIn = -1;

    private Reporter(int nameNode) {
      this.nameNode = nameNode;
      this.exchange =
          exchanges.with(POOL, "nn" + nameNode, () -> node.holdsForActive(cluster.nameNodes.get(nameNode)));
    }

    private void pause(long delayMs) {
      long spacingMs = Math.min(delayMs, exchange.minSpacingMs());
      busy = false;
      earliestNs = cluster.events.nowNs() + spacingMs * EventQueue.MS;
      reportAfter(woken && exchange.isReporting() ? spacingMs : delayMs);
    }

    private void reportAfter(long delayMs) {
      int mine = ++call;
      cluster.events.after(delayMs, () -> reportIfDue(mine));
    }

    private void reportIfDue(int mine) {
      if (mine == call && !retired) {
        whenRunning(() -> {
          if (mine == call && !retired) {
            report();
          }
        });
      }
    }

    private void retire() {
      retired = true;
      exchange.stop();
    }

    /** A transfer has ended: there is something to say, and room for new work. */
    private void wake() {
      woken = true;
      if (!busy && exchange.isReporting()) {
        reportAfter(Math.max(0, (earliestNs - cluster.events.nowNs()) / EventQueue.MS));
      }
    }

    private void report() {
      woken = false;
      busy = true;
      ReportProto report = claimingTransfers(reported(exchange));
      if (newestObeyed != null && report.getObeyedActivation() == newestObeyed.activation
          && report.getObeyedSequence() == newestObeyed.sequence) {
        checkNamed(transfer -> !grantedByNobody.contains(transfer), "says that it has obeyed, and still has");
      }
      long sentNs = cluster.events.nowNs();
      int mine = ++call;
      waits = true;
      cluster.network.sendRequest(node, nameNode,
          to -> to.receive(report, commands -> {
            Issued issued =
                new Issued(to.termOf(commands.getActivation()), commands.getActivation(), commands.getSequence());
            cluster.network.sendAnswer(node, nameNode, () -> answered(mine, commands, issued, sentNs));
          }));
      cluster.events.after(RPC_TIMEOUT_MS, () -> {
        if (mine == call && waits) {
          waits = false;
          whenRunning(() -> pause(exchange.failed(new SocketTimeoutException("no answer"))));
        }
      });
    }

    private ReportProto claimingTransfers(ReportProto report) {
      SimulatedNameNode to = cluster.nameNodes.get(nameNode);
      if (!node.lies(Lie.CLAIMS_TRANSFERS) || !to.map.active || report.getObeyedActivation() == claimedIn) {
        return report;
      }
      claimedIn = report.getObeyedActivation();
      return new ClaimedTransfers(node, to.map, "dn" + cluster.dataNodes.size()).addTo(report);
    }

    /** An answer has arrived, so the call cannot time out any more. The thread may stand still. */
    private void answered(int mine, AgentCommandsProto commands, Issued issued, long sentNs) {
      if (mine == call && waits) {
        waits = false;
        answered.add(mine);
        boolean standsStill = cluster.threadsStandStill && cluster.random.nextInt(PAUSES) == 0;
        cluster.events.after(standsStill ? cluster.random.nextInt(MAX_PAUSE_MS) : 0,
            () -> whenRunning(() -> pause(obey(commands, issued, sentNs))));
      } else if (answered.contains(mine)) {
        // A second answer changes nothing of when the next report is due.
        whenRunning(() -> obey(commands, issued, sentNs));
      }
    }

    private void whenRunning(Runnable action) {
      if (node.hangs && !stopped) {
        cluster.events.after(TICK_MS, () -> whenRunning(action));
      } else if (!stopped) {
        action.run();
      }
    }

    /** In production, too, no other commands are obeyed between the question who is active and the answer to it. */
    private long obey(AgentCommandsProto commands, Issued issued, long sentNs) {
      newest = issued;
      newestIssuer = nameNode;
      long delayMs = SimulatedAgent.this.obey(POOL, exchange, commands, sentNs);
      if (newestObeyed == issued) {
        named = commands.getGrantsList().stream().map(GrantProto::getAttempt).collect(Collectors.toSet());
        confirm(POOL, commands, sentNs);
        checkNamed(SimulatedTransfer::mayGoOn, "goes on with");
      }
      return delayMs;
    }
  }

  final SimulatedDataNode node;
  final SimulatedCluster cluster;
  private final TransferRegistry granted;
  private final AgentExchanges exchanges;
  private final List<Reporter> reporters = new ArrayList<>();
  /** Those that have not ended. */
  private final List<SimulatedTransfer> transfers = new ArrayList<>();
  private final Set<SimulatedTransfer> grantedByNobody = new HashSet<>();
  /** The commands that are being read, and of which NameNode. */
  private Issued newest;
  private int newestIssuer;
  private Issued newestObeyed;
  /** Attempts that those commands name. */
  private Set<Long> named = Set.of();
  private String obeyedPool;
  private boolean stopped;

  SimulatedAgent(SimulatedDataNode node, SimulatedCluster cluster) {
    this.node = node;
    this.cluster = cluster;
    this.granted = new TransferRegistry((pool, grant, nowNs, onEnd) -> {
      SimulatedTransfer transfer = new SimulatedTransfer(this, pool, grant, nowNs, onEnd);
      transfers.add(transfer);
      if (pool.equals(POOL)) {
        cluster.invariants.agents.beginning(node, term());
      } else if (pool.equals(OTHER_POOL)) {
        grantedByNobody.add(transfer);
      }
      return transfer;
    }, () -> MAX_TRANSFERS, nowNs -> hasRoom(), this::transferEnded, cluster.events::nowNs);
    long incarnation = cluster.random.nextLong() | 1;
    long nowMs = EPOCH_MS + cluster.events.nowNs() / EventQueue.MS;
    long startMs = incarnation % WRONG_CLOCKS == 1 ? nowMs - BEHIND_MS : nowMs;
    this.exchanges = new AgentExchanges(node.uuid, incarnation, startMs, this::load, node.canRebuild,
        granted, new SimulatedReplicas(this, this::wakeReporters), () -> cluster.served(node), this::obeying,
        RPC_TIMEOUT_MS, cluster.events::nowNs);
  }

  void start() {
    for (int nameNode = 0; nameNode < cluster.nameNodes.size(); nameNode++) {
      reporters.add(new Reporter(nameNode));
      reporters.get(nameNode).reportAfter(cluster.random.nextInt(500));
    }
    if (cluster.otherNamespace != null) {
      reportToOther(exchanges.with(OtherNamespace.POOL, "other", () -> true));
    }
    tick();
  }

  private void reportToOther(AgentExchanges.Exchange exchange) {
    if (stopped) {
      return;
    }
    cluster.events.after(OTHER_REPORT_MS, () -> reportToOther(exchange));
    if (!node.hangs && cluster.otherNamespace.answers()) {
      long sentNs = cluster.events.nowNs();
      AgentCommandsProto commands = cluster.otherNamespace.answer(node, reported(exchange));
      obey(OtherNamespace.POOL, exchange, commands, sentNs);
      confirm(OtherNamespace.POOL, commands, sentNs);
    }
  }

  private long obey(String pool, AgentExchanges.Exchange exchange, AgentCommandsProto commands, long sentNs) {
    obeyedPool = pool;
    try {
      return exchange.answered(commands, sentNs);
    } catch (IOException e) {
      throw new UncheckedIOException("an agent refuses " + commands, e);
    } finally {
      obeyedPool = null;
    }
  }

  private ReportProto reported(AgentExchanges.Exchange exchange) {
    ReportProto report = exchange.report();
    cluster.invariants.agents.reporting(node, report, granted.activePools());
    return report;
  }

  /** By the contract of the protocol, leases of what commands name are renewed. */
  private void confirm(String pool, AgentCommandsProto commands, long sentNs) {
    commands.getGrantsList().forEach(grant -> transfers.stream()
        .filter(transfer -> transfer.attempt() == grant.getAttempt() && transfer.pool().equals(pool))
        .forEach(transfer -> transfer.confirmed(grant, sentNs)));
  }

  private void obeying(String pool) {
    if (pool.equals(POOL)) {
      noteObeyed(newest, newestIssuer);
    }
  }

  /** The pool whose commands are being obeyed, or null. */
  String obeyedPool() {
    return obeyedPool;
  }

  /** As if commands of this pool were being obeyed. */
  void obeyingAs(String pool) {
    obeyedPool = pool;
  }

  /**
   * The DataNode forgets a NameNode and finds it again: another reporter of the same agent begins to count anew. The
   * thread of the old one may still stand still with an answer, which it must not obey.
   */
  void reconnect(int nameNode) {
    reporters.get(nameNode).retire();
    reporters.set(nameNode, new Reporter(nameNode));
    reporters.get(nameNode).reportAfter(cluster.random.nextInt(500));
  }

  void stop() {
    stopped = true;
    transfers.clear();
  }

  boolean isStopped() {
    return stopped;
  }

  private LoadProto load() {
    long total = node.lies() ? Lie.CLAIMED_BYTES_PER_SEC : node.bandwidthBytesPerSec;
    long foreground = node.lies() ? 0 : cluster.foreground(node);
    LoadProto.Builder load = LoadProto.newBuilder().setCapacityInBytesPerSec(total).setCapacityOutBytesPerSec(total)
        .setForegroundInBytesPerSec(foreground)
        .setForegroundOutBytesPerSec(foreground / 2);
    node.storages().stream().filter(node::hasStorage)
        .forEach(type -> load.addVolumes(VolumeProto.newBuilder().setStorageId(ModelNode.storageId(node.uuid, type))
            .setStorageType(type.name()).setMaxStreams(MAX_TRANSFERS)));
    if (node.blamesDisks() && !transfers.isEmpty()) {
      load.setDisksBytesPerSec(1);
    }
    return load.build();
  }

  void noteObeyed(Issued issued, int issuer) {
    if (newestObeyed != null && issued.isBefore(newestObeyed)) {
      cluster.invariants.violated(Invariants.NO_STALE_COMMANDS, node.uuid + " obeys " + issued + " after "
          + newestObeyed);
    }
    if (!node.holdsForActive(cluster.nameNodes.get(issuer))) {
      cluster.invariants.violated(Invariants.NO_STALE_COMMANDS, node.uuid + " obeys " + issued + " of nn" + issuer
          + ", which it does not consider active");
    }
    newestObeyed = issued;
  }

  private void checkNamed(Predicate<SimulatedTransfer> which, String what) {
    transfers.stream().filter(transfer -> !transfer.pool().equals(OtherNamespace.POOL) && which.test(transfer)
        && !named.contains(transfer.attempt()))
        .forEach(transfer -> cluster.invariants.violated(Invariants.UNNAMED_STOPS,
            node.uuid + " " + what + " " + transfer + ", which its commands do not name"));
  }

  /** Begins a transfer that no NameNode has granted. No NameNode ever hears of one of {@link #OTHER_POOL}. */
  void begin(String pool, GrantProto grant) {
    granted.apply(pool, List.of(grant), cluster.events.nowNs());
  }

  private boolean hasRoom() {
    long sum = transfers.stream().mapToLong(transfer -> transfer.width() * transfer.achievedBytesPerSec()).sum();
    return sum < FULL * node.bandwidthBytesPerSec;
  }

  private void tick() {
    if (stopped) {
      return;
    }
    cluster.events.after(TICK_MS, this::tick);
    if (node.hangs) {
      return;
    }
    List<SimulatedTransfer> running = transfers.stream().filter(SimulatedTransfer::runs).toList();
    cluster.invariants.agents.running(node,
        running.stream().filter(transfer -> !transfer.hasWaited()).toList(), MAX_TRANSFERS);
    // In the places of those that wait for a source as many others may begin.
    cluster.invariants.agents.running(node, running, 2 * MAX_TRANSFERS);
    running.forEach(
        transfer -> transfer.advance(node.bandwidthBytesPerSec / running.size() / transfer.width(), TICK_MS));
    granted.tick();
    transfers.forEach(SimulatedTransfer::checkLease);
  }

  private void transferEnded() {
    transfers.removeIf(SimulatedTransfer::hasEnded);
    wakeReporters();
  }

  private void wakeReporters() {
    reporters.forEach(Reporter::wake);
  }

  /** Whether it may make this replica, by its lease: a transfer that it has stopped makes none. */
  boolean mayBeReceiving(long id, long generationStamp) {
    return transfers.stream().anyMatch(transfer -> transfer.blockId() == id
        && transfer.generationStamp() == generationStamp && transfer.mayGoOn());
  }

  /** Of the NameNode whose commands are being read, or were last; 0 before the first. */
  long term() {
    return newest == null ? 0 : newest.term;
  }

  boolean isRebuilding(long id) {
    return transfers.stream().anyMatch(transfer -> transfer.blockId() == id && transfer.rebuilds());
  }

  /** Whether it may make any internal block of this group, by its lease. */
  boolean mayBeMakingOf(long groupId) {
    return transfers.stream()
        .anyMatch(transfer -> GroupTransfer.groupId(transfer.blockId()) == groupId && transfer.mayGoOn());
  }

  /** Whether it may go on with a transfer, by its lease, and has obeyed no commands of this term or a later one. */
  boolean mayRunForPredecessorOf(long term) {
    return newestObeyed != null && newestObeyed.term < term
        && transfers.stream().anyMatch(transfer -> !transfer.pool().equals(OtherNamespace.POOL)
            && transfer.mayGoOn());
  }

  /** The transfers that receive something now. */
  List<SimulatedTransfer> receiving() {
    return transfers.stream().filter(SimulatedTransfer::receives).toList();
  }

  boolean hasPartial(long id) {
    return transfers.stream().anyMatch(transfer -> transfer.blockId() == id && transfer.hasPartial());
  }

  /** What partial replicas reserve on storages of this type. */
  long partialBytes(StorageType type) {
    return transfers.stream().filter(transfer -> transfer.hasPartial() && transfer.storageType() == type)
        .mapToLong(SimulatedTransfer::numBytes).sum();
  }

  /** The storages of its DataNode that are of this type have failed. */
  void failStorage(StorageType type) {
    List.copyOf(transfers).stream().filter(transfer -> transfer.storageType() == type)
        .forEach(SimulatedTransfer::storageFailed);
  }

  boolean hasPartials() {
    return !transfers.isEmpty();
  }

  String describeTransfers() {
    return transfers.toString();
  }
}
