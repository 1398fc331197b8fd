/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.CommitResult;
import io.dayu.blocks.GroupNeed;
import io.dayu.blocks.GroupTransfer;
import io.dayu.blocks.IndexedNode;
import io.dayu.blocks.TransferRequest;
import io.dayu.blocks.WaitingBlock;
import io.dayu.namenode.exchange.RunningTransfer;
import io.dayu.namenode.exchange.SourceAddress;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * One try at making one copy, or one internal block of a group, from its commit until the NameNode's registration of it
 * has ended. Anyone in the loop may read it; only {@link TransferTracker} changes it, by the steps at the end of this
 * class. Owned by the recovery loop; not thread-safe.
 *
 * <p>GRANTED (published, not reported yet) → RUNNING (reported) → ended when complete; or → CANCELLED (no longer
 * published; the agent may still be working on it) → ended when the agent has obeyed or the lease has ended. Only
 * then may the block go elsewhere.
 */
public final class Attempt {
  /** Where it stands. */
  public enum Phase { GRANTED, RUNNING, CANCELLED }

  /** A transfer that brings nothing for this long stands still; as long as a horizon, within which it should end. */
  private static final long STILL_NS = TimeUnit.SECONDS.toNanos(15);
  /** By so much more than twice the time that was planned it may be late, and is still on its way. */
  private static final long LATE_NS = TimeUnit.SECONDS.toNanos(30);

  private final long id;
  private final TransferRequest request;
  private final BlockKey replica;
  private final String storageId;
  private final String storageType;
  private final long startedNs;
  private final long initialRateBytesPerSec;
  private final long earlierBytes;
  private final List<String> holders;
  private final List<String> forbiddenFaultDomains;
  private final boolean rebuildsLeaving;
  private final CandidateSources candidates;
  private final ProgressWatch watch = new ProgressWatch();

  private Phase phase;
  private int index;
  private final List<TransferSource> sources;
  private String slowestSource;
  private long rateBytesPerSec;
  private long achievedBytesPerSec;
  private long doneBytes;
  private long reportedNs;
  /** When bytes last came, or it was granted or adopted, or its agent said that it was done; later by each pause. */
  private long advancedNs;
  private long sequence;
  private long checkedNs;
  private long comparedNs;
  private long cancelledNs;
  private boolean reportedDone;
  private long reportedDoneNs;

  private Attempt(long id, Phase phase, TransferRequest request, CommitResult committed, WaitingBlock block,
      long doneBytes, long rateBytesPerSec, long sequence, long nowNs) {
    this.id = id;
    this.phase = phase;
    this.request = request;
    this.replica = request.group() == null ? request.block().name() : internalBlock(request.group().index());
    this.storageId = committed.storageId();
    this.storageType = committed.storageType();
    this.sources = request.group() == null ? List.of(new TransferSource(request.source(), SourceAddress.NO_INDEX))
        : request.group().sources().stream().map(one -> new TransferSource(one.node(), one.index())).toList();
    this.candidates = new CandidateSources(request, block);
    this.holders = block == null ? List.of() : block.holders();
    this.forbiddenFaultDomains = block == null ? List.of() : block.forbiddenFaultDomains();
    this.rebuildsLeaving = rebuilds() && block != null && block.group().kind() == GroupNeed.Kind.LEAVING;
    this.doneBytes = doneBytes;
    this.earlierBytes = doneBytes;
    this.rateBytesPerSec = rateBytesPerSec;
    this.initialRateBytesPerSec = rateBytesPerSec;
    this.sequence = sequence;
    this.startedNs = nowNs;
    this.reportedNs = nowNs;
    this.advancedNs = nowNs;
    this.checkedNs = nowNs;
    this.comparedNs = nowNs;
    watch.begin(doneBytes, nowNs);
  }

  /**
   * A transfer that its target is to be told of.
   *
   * @param block what it was planned for
   * @param sequence of the commands in which its target is told
   */
  static Attempt granted(long id, TransferRequest request, WaitingBlock block, CommitResult committed,
      long rateBytesPerSec, long sequence, long nowNs) {
    return new Attempt(id, Phase.GRANTED, request, committed, block, 0, rateBytesPerSec, sequence, nowNs);
  }

  /**
   * A transfer that an agent already runs. Its sources are the only ones that are known.
   *
   * @param rateBytesPerSec what it is granted until it is planned
   * @param sequence of the commands in which its target is told of it
   */
  static Attempt adopted(RunningTransfer running, TransferRequest request, CommitResult committed,
      long rateBytesPerSec, long sequence, long nowNs) {
    Attempt attempt = new Attempt(running.attempt(), Phase.RUNNING, request, committed, null,
        running.doneBytes(), rateBytesPerSec, sequence, nowNs);
    attempt.sources.get(0).addressed(running.source());
    for (int i = 1; i < attempt.sources.size(); i++) {
      attempt.sources.get(i).addressed(running.rebuild().furtherSources().get(i - 1));
    }
    attempt.achievedBytesPerSec = running.achievedBytesPerSec();
    return attempt;
  }

  /** As grants and reports name it, in their field {@code attempt}. */
  public long id() {
    return id;
  }

  /** What HDFS was asked to register. */
  public TransferRequest request() {
    return request;
  }

  /**
   * Whether the block has only one replica left, or the group no more internal blocks than a rebuild reads, as far as
   * is known now.
   */
  public boolean isAtHighestRisk() {
    return candidates.areKnown() && (request.group() == null || rebuilds()) && candidates.all().size() <= width();
  }

  /** How urgent it is, 0 = highest: as it was planned, or higher by now. */
  public int risk() {
    return isAtHighestRisk() ? 0 : request.risk();
  }

  public BlockKey block() {
    return request.block();
  }

  public String target() {
    return request.target();
  }

  /** The storage that is to hold the copy, and its type by name. */
  String storageId() {
    return storageId;
  }

  String storageType() {
    return storageType;
  }

  public Phase phase() {
    return phase;
  }

  /** Whether the scheduler may still count on it. */
  public boolean live() {
    return phase != Phase.CANCELLED && !reportedDone;
  }

  /** The nodes that it reads: one, or as many as a rebuild needs. */
  public List<TransferSource> sources() {
    return sources;
  }

  /** How many nodes it reads at once. */
  public int width() {
    return sources.size();
  }

  /** Whether its target makes an internal block of a group from others. */
  public boolean rebuilds() {
    return request.group() != null && request.group().rebuild();
  }

  /**
   * The nodes that receive more than they write, since they make internal blocks from several others: their volumes are
   * no limit of what they receive.
   */
  public static Set<String> rebuildingTargets(Collection<Attempt> attempts) {
    Set<String> targets = new HashSet<>();
    for (Attempt attempt : attempts) {
      if (attempt.live() && attempt.width() > 1) {
        targets.add(attempt.target());
      }
    }
    return targets;
  }

  /** Whether the internal block is rebuilt since the leaving node that has it would be slower; false if adopted. */
  public boolean rebuildsLeaving() {
    return rebuildsLeaving;
  }

  /** Bytes that its target receives for all of it: of a rebuild, more than the internal block has. */
  public long receivedBytes() {
    return width() * request.numBytes();
  }

  /** UUID of its source, of a rebuild the first one; of the last one there while that is lost. */
  public String source() {
    return sources.get(0).node();
  }

  /** Its source with this UUID, or null if that is none. */
  TransferSource sourceOn(String node) {
    for (TransferSource source : sources) {
      if (source.node().equals(node)) {
        return source;
      }
    }
    return null;
  }

  /** Whether it needs another source. */
  public boolean sourceLost() {
    for (TransferSource source : sources) {
      if (source.isLost()) {
        return true;
      }
    }
    return false;
  }

  /**
   * The source that is to be replaced if the transfer is slow: of a rebuild the one that its target waits for; null if
   * it is not known which.
   */
  public TransferSource slowestSource() {
    return width() == 1 ? sources.get(0) : slowestSource == null ? null : sourceOn(slowestSource);
  }

  /** Whether a node that it does not read could serve it. */
  boolean hasOtherSource() {
    return usableSources().stream().anyMatch(node -> sourceOn(node) == null);
  }

  /** All nodes that could send it, as far as is known. */
  public List<String> candidateSources() {
    return candidates.all();
  }

  /** The nodes that could send it, without those that failed, and without slow ones unless too few others are left. */
  public List<String> usableSources() {
    return candidates.usable(width());
  }

  /** Index of the internal block of a group that a node has; below 0 if that is not known, or for a block. */
  int indexOn(String node) {
    int known = candidates.indexOn(node);
    TransferSource source = sourceOn(node);
    return known >= 0 || source == null ? known : source.index();
  }

  /** What its target makes, as DataNodes know it: the block, or the internal block. */
  public BlockKey replica() {
    return replica;
  }

  /** What a source has, as DataNodes know it. */
  BlockKey replicaOn(TransferSource source) {
    return request.group() == null ? replica : internalBlock(source.index());
  }

  private BlockKey internalBlock(int blockIndex) {
    return new BlockKey(GroupTransfer.internalBlockId(block().blockId(), blockIndex), block().generationStamp());
  }

  /** Length of what a source has. */
  long bytesOn(TransferSource source) {
    GroupTransfer group = request.group();
    return group == null || source.index() == group.index() || group.policy() == null ? request.numBytes()
        : group.policy().internalBytes(group.groupBytes(), source.index());
  }

  /** The nodes that have the block, as far as they are known: for when another target would be better. */
  public List<String> holders() {
    return holders;
  }

  /** The racks that the block may not go to, as far as they are known: for when another target would be better. */
  public List<String> forbiddenFaultDomains() {
    return forbiddenFaultDomains;
  }

  /** What it is granted now. */
  public long rateBytesPerSec() {
    return rateBytesPerSec;
  }

  /** At which rate it was granted or adopted. */
  public long initialRateBytesPerSec() {
    return initialRateBytesPerSec;
  }

  /** Its rate as its target's agent last reported it. */
  public long achievedBytesPerSec() {
    return achievedBytesPerSec;
  }

  /** The bytes that its target has, as its agent last reported them; at most the block's length. */
  public long doneBytes() {
    return doneBytes;
  }

  /** The bytes that its target had when this NameNode adopted the transfer. */
  public long earlierBytes() {
    return earlierBytes;
  }

  /** When it was granted or adopted. */
  public long startedNs() {
    return startedNs;
  }

  /** When its target's agent last reported how far it is, or when it was granted or adopted. */
  long reportedNs() {
    return reportedNs;
  }

  /**
   * Whether it can be waited for: bytes come, or it has begun or is done since a short time only, and it is not far
   * behind its plan. A plan may pause it for as long: the next one would plan another from the same source meanwhile.
   */
  public boolean isOnItsWay(long nowNs) {
    return phase != Phase.CANCELLED && nowNs - advancedNs <= STILL_NS
        && (reportedDone || !isBehindPlan(LATE_NS, nowNs));
  }

  /** Whether the agent has said that it was done. */
  public boolean reportedDone() {
    return reportedDone;
  }

  /** When the agent said so. */
  public long reportedDoneNs() {
    return reportedDoneNs;
  }

  /** When its registration was last refreshed, or made. */
  long checkedNs() {
    return checkedNs;
  }

  /** When it was last compared with the block map, or registered. */
  long comparedNs() {
    return comparedNs;
  }

  /** When it was cancelled. */
  long cancelledNs() {
    return cancelledNs;
  }

  /** Sequence of the target's commands in which it was first granted or, once cancelled, first left out. */
  long sequence() {
    return sequence;
  }

  /** Its place in the tracker's list. */
  int index() {
    return index;
  }

  /** What {@link StalledTransfers} notes of it: no part of its state. */
  ProgressWatch watch() {
    return watch;
  }

  /** Whether it was stalled before, and so got another source. */
  public boolean hadSlowSource() {
    return watch.hadSlowSource();
  }

  /**
   * Whether it will take more than twice as long as planned, or has no source, or had a slow one. A grant is a mean
   * rate: an agent runs few of its transfers at a time, so that one waits, then runs faster than it is granted, or
   * pauses for clients, and still is in time. So the time of all of it counts, not the rate of this moment.
   *
   * @param slackNs how much more is in time in any case
   */
  public boolean isBehindPlan(long slackNs, long nowNs) {
    if (!live()) {
      return false;
    }
    double passedSec = (nowNs - startedNs) / 1e9;
    double bytesPerSec = Math.max(achievedBytesPerSec, doneBytes / Math.max(1e-9, passedSec));
    double leftSec = doneBytes == 0 ? 0 : (request.numBytes() - doneBytes) / Math.max(1, bytesPerSec);
    double plannedSec =
        (double) request.numBytes() / Math.max(1, Math.min(rateBytesPerSec, initialRateBytesPerSec));
    return sourceLost() || hadSlowSource() || passedSec + leftSec > 2 * plannedSec + slackNs / 1e9;
  }

  /**
   * One line for people.
   *
   * @param nameOf the name of the DataNode with a UUID
   */
  public String describe(UnaryOperator<String> nameOf) {
    return replica() + " from "
        + sources.stream().map(source -> nameOf.apply(source.node())).collect(Collectors.joining(", ")) + " to "
        + nameOf.apply(target()) + ": " + doneBytes + " of "
        + request.numBytes()
        + " bytes at " + achievedBytesPerSec + " of " + rateBytesPerSec + " bytes/s";
  }

  // The steps, for TransferTracker only: NameNodeRulesTest checks that.

  void place(int newIndex) {
    index = newIndex;
  }

  void grantRate(long bytesPerSec) {
    rateBytesPerSec = bytesPerSec;
  }

  /** Its target's agent says how far it is. */
  void progressed(long bytes, long bytesPerSec, long nowNs) {
    reportedNs = nowNs;
    advancedNs = bytes > doneBytes ? nowNs : advancedNs;
    doneBytes = Math.min(bytes, request.numBytes());
    achievedBytesPerSec = bytesPerSec;
    if (phase == Phase.GRANTED) {
      phase = Phase.RUNNING;
    }
  }

  /** Of the time since bytes last came so much does not count. */
  void stoodStill(long durationNs) {
    advancedNs += durationNs;
  }

  void received(long nowNs) {
    reportedDone = true;
    reportedDoneNs = nowNs;
    advancedNs = nowNs;
  }

  /** Its target's agent says how far it came. */
  void stoppedAt(long bytes) {
    doneBytes = Math.min(bytes, request.numBytes());
  }

  /** @param leftOut sequence of the commands that leave it out */
  void cancelled(long leftOut, long nowNs) {
    phase = Phase.CANCELLED;
    cancelledNs = nowNs;
    sequence = leftOut;
  }

  void checked(long nowNs) {
    checkedNs = nowNs;
  }

  void compared(long nowNs) {
    checkedNs = nowNs;
    comparedNs = nowNs;
  }

  /** @param indexed of a group the same nodes, with what they have; else empty */
  void replaceCandidates(List<String> nodes, List<IndexedNode> indexed) {
    candidates.replace(nodes, indexed);
  }

  void loseSource(TransferSource source) {
    candidates.markFailed(source.node());
    source.lose(false);
  }

  /** The source is to be replaced because it is slow. */
  void leaveSlowSource(TransferSource source) {
    candidates.markSlow(source.node());
    source.lose(true);
  }

  /** A source that was lost delivers again. */
  void regainSource(TransferSource source) {
    candidates.unmarkFailed(source.node());
    source.regain();
  }

  /** @param uuid of the source that its target waits for; null if it waits for none in particular */
  void waitsFor(String uuid) {
    slowestSource = uuid;
  }
}
