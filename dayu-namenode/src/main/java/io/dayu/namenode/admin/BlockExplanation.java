/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.admin;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.dayu.blocks.BlockDetails;
import io.dayu.blocks.BlockInspection;
import io.dayu.blocks.BlockManagement;
import io.dayu.blocks.GroupNeed;
import io.dayu.blocks.IndexedNode;
import io.dayu.blocks.LiveNode;
import io.dayu.blocks.WaitReason;
import io.dayu.blocks.WaitingBlock;
import io.dayu.model.IntRows;
import io.dayu.model.NodeTable;
import io.dayu.model.RunningTable;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.loop.RecoveryController;
import io.dayu.namenode.planning.FirstCopies;
import io.dayu.namenode.planning.PlanningView;
import io.dayu.namenode.planning.TimeslotDecision;
import io.dayu.namenode.status.DayuStatus;
import io.dayu.namenode.transfers.Attempt;
import org.apache.hadoop.fs.StorageType;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Says of one block why it waits or where it goes: how it stands, what a timeslot would do with it now, and the figures
 * by which sources and targets are chosen (ATC'19 §4.1, 4.2). Called by the recovery loop only; changes nothing.
 */
final class BlockExplanation {
  /** Candidates that are listed, best first. */
  private static final int MAX_CANDIDATES = 20;
  /** {@code PendingReconstructionBlocks.DEFAULT_RECHECK_INTERVAL}. */
  private static final long MAX_RECHECK_MS = TimeUnit.MINUTES.toMillis(5);
  private static final String REFUSED = "it was refused or failed for this block seconds ago";
  private static final String HOLDER = "holds or awaits a replica";
  private static final String NO_ROOM = "no room on a storage type of the file's policy";
  private static final String NO_ROOM_FOR_GROUP =
      "room for an internal block only, and stock HDFS asks for room for the whole group";
  private static final String NO_BANDWIDTH = "no bandwidth for recovery";

  private final RecoveryController controller;
  private final DayuStatus status;
  private final BlockManagement blocks;
  private final BlockInspection inspection;
  private final AdminViews views;
  private final DryRun dryRun;

  BlockExplanation(RecoveryController controller, DayuStatus status, BlockManagement blocks,
      BlockInspection inspection, AdminViews views,
      DryRun dryRun) {
    this.controller = controller;
    this.status = status;
    this.blocks = blocks;
    this.inspection = inspection;
    this.views = views;
    this.dryRun = dryRun;
  }

  /** What is said of a block, as {@code docs/json.md} names it. */
  record Explained(String block, long bytes, int liveReplicas, int expectedReplicas, List<String> pendingTargets,
      List<AdminViews.Running> transfers, List<AdminViews.Planned> next, String reason,
      @JsonUnwrapped Waiting waiting) {
  }

  /** Of a block that waits. */
  record Waiting(WaitReason waitReason, int risk, String work, List<Failed> failed, List<Candidate> sources,
      Targets targets) {
  }

  /** A copy of it that failed or was refused. */
  record Failed(String target, List<String> sources, String reason, long secondsAgo) {
  }

  /** The explanation of each block, by one dry run; null for one that the NameNode does not have. */
  List<Explained> of(List<Long> blockIds, long nowNs) {
    List<BlockDetails> details = blockIds.stream().map(inspection::detailsOf).toList();
    List<WaitingBlock> needed = details.stream().filter(one -> one != null && one.needed() != null)
        .map(BlockDetails::needed).toList();
    DryRun.Result planned = needed.isEmpty() ? null : dryRun.plan(needed, nowNs);
    return details.stream()
        .map(one -> one == null ? null : of(one, one.needed() == null ? null : planned, nowNs)).toList();
  }

  private Explained of(BlockDetails details, DryRun.Result planned, long nowNs) {
    long blockId = details.key().blockId();
    List<Attempt> attempts =
        controller.transfers().stream().filter(a -> a.block().blockId() == blockId).toList();
    WaitingBlock needed = details.needed();
    Waiting waiting = planned == null ? null : waiting(needed, planned, nowNs);
    return new Explained(details.key().toString(), details.numBytes(), details.live(), details.expected(),
        views.names(details.pendingTargets()),
        attempts.stream().map(attempt -> views.transfer(attempt, nowNs)).toList(),
        copies(blockId, planned).stream().map(views::copy).toList(), reason(details, attempts, waiting),
        waiting);
  }

  private Waiting waiting(WaitingBlock needed, DryRun.Result planned, long nowNs) {
    Targets targets = isStocksGroup(needed) ? targetsOfStock(needed) : targets(needed, planned.view(), nowNs);
    return new Waiting(waitReason(needed, planned, targets, nowNs), needed.risk(), work(needed),
        failed(needed, nowNs), sources(needed, planned.view()), targets);
  }

  private static List<TimeslotDecision.Copy> copies(long blockId, DryRun.Result planned) {
    return planned == null ? List.of() : planned.decision().copies().stream()
        .filter(copy -> copy.request().block().blockId() == blockId).toList();
  }

  private String reason(BlockDetails details, List<Attempt> attempts, Waiting waiting) {
    WaitingBlock needed = details.needed();
    if (details.file() == BlockDetails.FileState.OPEN) {
      return "it is being written: HDFS looks whether it lacks replicas when the file is closed, or goes on with "
          + "another block";
    } else if (details.file() == BlockDetails.FileState.JUST_CLOSED && details.queued()) {
      return "its file was just closed: what it lacks may be written and not reported yet";
    } else if (needed == null) {
      return attempts.stream().anyMatch(Attempt::live) ? "it is being copied"
          : details.live() >= details.expected() && !details.queued() ? "it has enough replicas"
          : !attempts.isEmpty() ? "its transfer ends; then it is planned anew if it still needs a copy"
          : !details.pendingTargets().isEmpty() ? awaitedByHdfs(details)
          : "it is queued or was, but needs no copy now";
    }
    WaitReason wait = waiting.waitReason();
    return switch (wait) {
      case STOCK_RECOVERS -> wait.text() + status.getStateReason() + stocksObstacle(needed, waiting.targets());
      case ERASURE_CODED -> wait.text() + stocksObstacle(needed, waiting.targets());
      case HELD_BACK -> wait.text() + controller.adminControl().modeChange().describe();
      case NOTHING_PLANNED -> wait.text() + controller.waits().whatPlanningWaitsFor(needed.risk());
      case TOO_FEW_SOURCES -> wait.text() + ": " + tooFewSources(needed.group());
      default -> wait.text();
    };
  }

  private static String tooFewSources(GroupNeed group) {
    return group.readable() + " can be read and it takes " + group.width() + ", so bring back DataNodes that have "
        + "others";
  }

  /**
   * HDFS makes pending entries for its own recovery, and for what a file lacks when it is closed. It looks for those
   * that have timed out once in a timeout, and once in five minutes at least.
   */
  private String awaitedByHdfs(BlockDetails details) {
    long timeoutMs = blocks.pendingTimeoutMs();
    long sinceMs = details.pendingSinceMs();
    boolean isGroup = details.key().blockId() < 0;
    return "HDFS awaits " + (isGroup ? "an internal block" : "a replica") + ", of its own recovery or of the file's "
        + "writer, since " + time(sinceMs) + "; if no DataNode reports it by " + time(sinceMs + timeoutMs)
        + ", HDFS queues the " + (isGroup ? "group" : "block") + " again within about "
        + TimeUnit.MILLISECONDS.toSeconds(Math.min(timeoutMs, MAX_RECHECK_MS)) + " s";
  }

  private static Instant time(long ms) {
    return Instant.ofEpochMilli(ms).truncatedTo(ChronoUnit.SECONDS);
  }

  private static boolean isStocksGroup(WaitingBlock needed) {
    return needed.isForStock() && needed.group() != null;
  }

  /** What keeps stock HDFS from rebuilding a group, as far as the NameNode knows; empty if nothing, or of a block. */
  private static String stocksObstacle(WaitingBlock needed, Targets targets) {
    GroupNeed group = needed.group();
    if (group == null || group.kind() == GroupNeed.Kind.PLACEMENT) {
      return "";
    } else if (group.readable() < group.width()) {
      return "; stock HDFS cannot rebuild it now" + (needed.lacksSources() ? ", nor could Dayu" : "")
          + ": of its internal blocks " + tooFewSources(group);
    }
    return isStocksGroup(needed) && targets.count() == 0
        ? "; stock HDFS has no target that answers now"
            + (targets.excluded().containsKey(NO_ROOM_FOR_GROUP) ? "" : ", nor would Dayu have one")
            + ", for the reasons below"
        : "";
  }

  private WaitReason waitReason(WaitingBlock needed, DryRun.Result planned, Targets targets, long nowNs) {
    WaitReason all = controller.waits().waitReason(needed.risk());
    WaitReason unplaceable = planned.unplaceable().get(needed.key().blockId());
    WaitReason history = controller.history().stockReason(needed.key(), nowNs);
    return all != null ? all
        : needed.isForStock() ? needed.stockReason()
        : history != null ? history
        : needed.sources().isEmpty() ? WaitReason.NO_SOURCE
        : needed.lacksSources() ? WaitReason.TOO_FEW_SOURCES
        : !copies(needed.key().blockId(), planned).isEmpty() ? WaitReason.PLANNED_NEXT
        : new FirstCopies(controller.transfers(), nowNs).isAwaited(needed) ? WaitReason.FIRST_COPY
        : unplaceable != null ? unplaceable
        : targets.areSoon() ? WaitReason.TARGET_SOON
        : WaitReason.TURN;
  }

  private List<Failed> failed(WaitingBlock needed, long nowNs) {
    return controller.history().failedCopies().of(needed.key()).stream()
        .map(copy -> new Failed(views.name(copy.target()), views.names(copy.sources()), copy.reason(),
            TimeUnit.NANOSECONDS.toSeconds(nowNs - copy.endedNs())))
        .toList();
  }

  /** What is to be made for a block, for people. */
  private static String work(WaitingBlock needed) {
    GroupNeed group = needed.group();
    if (group == null) {
      return needed.copies() == 1 ? "a copy" : needed.copies() + " copies";
    }
    String indices = group.wanted().stream().map(wanted -> String.valueOf(wanted.index()))
        .collect(Collectors.joining(", "));
    return switch (group.kind()) {
      case REBUILD -> "internal blocks (" + group.policy().name() + ") of index " + indices + ", each rebuilt from "
          + group.width() + (needed.lacksSources() ? ", and " + needed.sources().size() + " can be read"
              : " of " + needed.sources().size());
      case LEAVING -> "the internal block (" + group.policy().name() + ") of index " + indices
          + ", which a leaving DataNode has, as a copy or rebuilt from " + group.width() + " others";
      case PLACEMENT -> "a copy of the internal block (" + group.policy().name() + ") of one of the indices " + indices
          + " on another rack";
    };
  }

  private static List<Candidate> sources(WaitingBlock block, PlanningView view) {
    long[] queued = queuedAtSources(view);
    NodeTable table = view.snapshot().nodes();
    List<Candidate> found = new ArrayList<>();
    for (int id = 0; id < view.nodes().size(); id++) {
      LiveNode node = view.nodes().get(id);
      if (block.sources().contains(node.uuid())) {
        found.add(Candidate.of(node, index(block, node), table.recoverOutBytesPerSec()[id], queued[id],
            block.numBytes()));
      }
    }
    return found;
  }

  /** Index of the internal block of a group that this source has; null for a block. */
  private static Integer index(WaitingBlock block, LiveNode source) {
    return block.group() == null ? null : block.group().sources().stream()
        .filter(one -> one.node().equals(source.uuid())).map(IndexedNode::index).findFirst().orElse(null);
  }

  /** The possible targets by the time at which they would be done, and how many nodes cannot be targets, by reason. */
  record Targets(int count, List<Candidate> best, Map<String, Integer> excluded) {
    /** Whether a node that has refused the block shortly before could receive it, and no other. */
    boolean areSoon() {
      return count == 0 && excluded.containsKey(REFUSED) && !excluded.containsKey(NO_BANDWIDTH);
    }
  }

  /**
   * The nodes that stock HDFS may choose, whether they have an agent or not: not by Dayu's figures. To make an internal
   * block it looks for room for the length of the group's data ({@code BlockReconstructionWork.getBlockSize}).
   */
  private Targets targetsOfStock(WaitingBlock group) {
    int possible = 0;
    Map<String, Integer> excluded = new LinkedHashMap<>();
    for (LiveNode node : controller.cluster().nodes().values()) {
      String why = group.holders().contains(node.uuid()) ? HOLDER
          : !node.target() ? AdminViews.NOT_IN_SERVICE
          : lacksRoom(group, group.numBytes(), node) ? NO_ROOM
          : lacksRoom(group, group.group().groupBytes(), node) ? NO_ROOM_FOR_GROUP
          : null;
      if (why == null) {
        possible++;
      } else {
        excluded.merge(why, 1, Integer::sum);
      }
    }
    return new Targets(possible, List.of(), excluded);
  }

  private Targets targets(WaitingBlock block, PlanningView view, long nowNs) {
    long[] queued = queuedAtTargets(view);
    int width = block.group() == null ? 1 : block.group().sourcesAtOnce();
    NodeTable table = view.snapshot().nodes();
    Map<String, NodeLoad> loads = controller.cluster().loads(nowNs);
    List<String> refused = controller.history().refusedTargets(block.key(), nowNs);
    List<Candidate> possible = new ArrayList<>();
    Map<String, Integer> excluded = new LinkedHashMap<>();
    for (int id = 0; id < view.nodes().size(); id++) {
      LiveNode node = view.nodes().get(id);
      long inBytesPerSec = table.recoverInBytesPerSec()[id];
      if (table.writeBytesPerSec() != null) {
        inBytesPerSec = Math.min(inBytesPerSec, width * table.writeBytesPerSec()[id]);
      }
      String why = whyNot(block, node, loads.get(node.uuid()), refused, inBytesPerSec, nowNs);
      if (why == null) {
        possible.add(Candidate.of(node, null, inBytesPerSec, queued[id], width * block.numBytes()));
      } else {
        excluded.merge(why, 1, Integer::sum);
      }
    }
    possible.sort(Comparator.comparingDouble(Candidate::finishSeconds));
    return new Targets(possible.size(), possible.subList(0, Math.min(MAX_CANDIDATES, possible.size())), excluded);
  }

  private String whyNot(WaitingBlock block, LiveNode node, NodeLoad load, List<String> refused, long inBytesPerSec,
      long nowNs) {
    if (block.holders().contains(node.uuid())) {
      return HOLDER;
    }
    String why = views.notTargetReason(node, load, nowNs);
    if (why != null) {
      return why;
    } else if (block.group() != null && block.group().kind() == GroupNeed.Kind.REBUILD
        && !load.rebuilds(block.group().policy().codec())) {
      return !load.rebuilds()
          ? "its agent cannot rebuild: it is of an older version, dayu.datanode.rebuild.memory is 0, or its DataNode "
              + "could not load Hadoop's codecs"
          : "its agent does not name the codec " + block.group().policy().codec()
              + ": add the codec's jar to the DataNode's class path, or update the agent if it is of an older version";
    } else if (node.isForbidden(block)) {
      return "its rack or upgrade domain has enough replicas";
    } else if (refused.contains(node.uuid())) {
      return REFUSED;
    }
    return lacksRoom(block, block.numBytes(), node) ? NO_ROOM : inBytesPerSec == 0 ? NO_BANDWIDTH : null;
  }

  /** Whether no volume of a storage type of the file's policy has room for so many bytes. */
  private static boolean lacksRoom(WaitingBlock block, long bytes, LiveNode node) {
    long roomBytes = 0;
    for (StorageType type : StorageType.values()) {
      roomBytes = (block.storageTypes() >> type.ordinal() & 1) == 1
          ? Math.max(roomBytes, node.space().maxVolumeFreeBytes()[type.ordinal()]) : roomBytes;
    }
    return roomBytes < bytes;
  }

  /**
   * A possible source or target, as JSON.
   *
   * @param index of the internal block that a source of a group has; null for others
   * @param finishSeconds (c + s) / B of ATC'19 §4.1, with c of the transfers under way; -1 without bandwidth
   */
  record Candidate(String node, String rack, @JsonInclude(JsonInclude.Include.NON_NULL) Integer index,
      long recoveryLimitBytesPerSec, long queuedBytes, double finishSeconds) {
    static Candidate of(LiveNode node, Integer index, long bytesPerSec, long queuedBytes, long blockBytes) {
      return new Candidate(node.name(), node.rack(), index, bytesPerSec, queuedBytes,
          bytesPerSec == 0 ? -1 : (double) (queuedBytes + blockBytes) / bytesPerSec);
    }
  }

  /** The bytes that sources have still to send for running transfers, by node. */
  private static long[] queuedAtSources(PlanningView view) {
    RunningTable running = view.snapshot().running();
    IntRows further = running.furtherSources();
    long[] queued = new long[view.nodes().size()];
    for (int r = 0; r < view.running().size(); r++) {
      add(queued, running.source()[r], leftBytes(view, r));
      for (int i = further == null ? 0 : further.start(r); further != null && i < further.end(r); i++) {
        add(queued, further.values()[i], leftBytes(view, r));
      }
    }
    return queued;
  }

  /** The bytes that targets have still to receive for running transfers, by node. */
  private static long[] queuedAtTargets(PlanningView view) {
    RunningTable running = view.snapshot().running();
    long[] queued = new long[view.nodes().size()];
    for (int r = 0; r < view.running().size(); r++) {
      add(queued, running.target()[r], view.snapshot().tasks().width(running.task()[r]) * leftBytes(view, r));
    }
    return queued;
  }

  private static long leftBytes(PlanningView view, int r) {
    RunningTable running = view.snapshot().running();
    return view.snapshot().tasks().sizeBytes()[running.task()[r]] - running.doneBytes()[r];
  }

  private static void add(long[] queued, int node, long bytes) {
    if (node >= 0) {
      queued[node] += bytes;
    }
  }
}
