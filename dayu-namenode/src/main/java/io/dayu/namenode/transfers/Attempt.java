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
import io.dayu.blocks.LiveNode;
import io.dayu.blocks.NeededBlock;
import io.dayu.blocks.TransferRequest;
import io.dayu.namenode.exchange.RunningTransfer;
import io.dayu.namenode.exchange.SourceAddress;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One try at making one copy, from its commit until the NameNode's registration of it has ended. Anyone in the loop may
 * read it; only {@link TransferTracker} changes it, by the steps at the end of this class. Owned by the recovery loop;
 * not thread-safe.
 *
 * <p>GRANTED (published, not reported yet) → RUNNING (reported) → ended when complete; or → CANCELLED (no longer
 * published; the agent may still be working on it) → ended when the agent has obeyed or the lease has ended. Only
 * then may the block go elsewhere.
 */
public final class Attempt {
  /** Where it stands. */
  public enum Phase { GRANTED, RUNNING, CANCELLED }

  private final long id;
  private final TransferRequest request;
  private final String storageId;
  private final String storageType;
  private final long startedNs;
  private final long initialRateBytesPerSec;
  private final long earlierBytes;
  private final List<String> holders;
  private final List<String> forbiddenFaultDomains;
  private final Set<String> failedSources = new HashSet<>(0);
  /** Sources that were given up because they are slow. They are used again if no other is left. */
  private final Set<String> slowSources = new HashSet<>(0);
  private final ProgressWatch watch = new ProgressWatch();

  private Phase phase;
  private int index;
  private List<String> candidateSources;
  private String source;
  private boolean sourceLost;
  private boolean sourceSlow;
  private SourceAddress sourceAddress;
  private long rateBytesPerSec;
  private long achievedBytesPerSec;
  private long doneBytes;
  private long reportedNs;
  private long sequence;
  private long checkedNs;
  private long cancelledNs;
  private boolean reportedDone;
  private long reportedDoneNs;

  private Attempt(long id, Phase phase, TransferRequest request, CommitResult committed, NeededBlock block,
      long doneBytes, long rateBytesPerSec, long sequence, long nowNs) {
    this.id = id;
    this.phase = phase;
    this.request = request;
    this.storageId = committed.storageId();
    this.storageType = committed.storageType();
    this.source = request.source();
    this.candidateSources = block == null ? List.of(request.source()) : block.sources();
    this.holders = block == null ? List.of() : block.holders();
    this.forbiddenFaultDomains = block == null ? List.of() : block.forbiddenFaultDomains();
    this.doneBytes = doneBytes;
    this.earlierBytes = doneBytes;
    this.rateBytesPerSec = rateBytesPerSec;
    this.initialRateBytesPerSec = rateBytesPerSec;
    this.sequence = sequence;
    this.startedNs = nowNs;
    this.reportedNs = nowNs;
    this.checkedNs = nowNs;
    watch.restart(doneBytes, nowNs);
  }

  /**
   * A transfer that its target is to be told of.
   *
   * @param block what it was planned for
   * @param sequence of the commands in which its target is told
   */
  static Attempt granted(long id, TransferRequest request, NeededBlock block, CommitResult committed,
      long rateBytesPerSec, long sequence, long nowNs) {
    return new Attempt(id, Phase.GRANTED, request, committed, block, 0, rateBytesPerSec, sequence, nowNs);
  }

  /**
   * A transfer that an agent already runs. Its source is the only one that is known.
   *
   * @param rateBytesPerSec what it is granted until it is planned
   * @param sequence of the commands in which its target is told of it
   */
  static Attempt adopted(RunningTransfer running, TransferRequest request, CommitResult committed,
      long rateBytesPerSec, long sequence, long nowNs) {
    Attempt attempt = new Attempt(running.attempt(), Phase.RUNNING, request, committed, null,
        running.doneBytes(), rateBytesPerSec, sequence, nowNs);
    attempt.sourceAddress = running.source();
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

  /** UUID of the present source, or of the last one while {@link #sourceLost()}. */
  public String source() {
    return source;
  }

  /** Whether it needs another source. */
  public boolean sourceLost() {
    return sourceLost;
  }

  /** Whether the source was given up because it is slow: then bytes from it do not make it a good source again. */
  boolean sourceSlow() {
    return sourceSlow;
  }

  /** Where the source was when last seen alive; null if never. */
  SourceAddress sourceAddress() {
    return sourceAddress;
  }

  /** All nodes that could send it, as far as is known. */
  public List<String> candidateSources() {
    return candidateSources;
  }

  /** The nodes that could send it, without those that failed, and without slow ones unless no other is left. */
  public List<String> usableSources() {
    if (failedSources.isEmpty() && slowSources.isEmpty()) {
      return candidateSources;
    }
    List<String> working = candidateSources.stream().filter(node -> !failedSources.contains(node)).toList();
    List<String> fast = working.stream().filter(node -> !slowSources.contains(node)).toList();
    return fast.isEmpty() ? working : fast;
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

  /** Whether the agent has said that it was done. */
  public boolean reportedDone() {
    return reportedDone;
  }

  /** When the agent said so. */
  public long reportedDoneNs() {
    return reportedDoneNs;
  }

  /** When it was last compared with the block map, or registered. */
  long checkedNs() {
    return checkedNs;
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
    return sourceLost || hadSlowSource() || passedSec + leftSec > 2 * plannedSec + slackNs / 1e9;
  }

  /** One line for people. */
  public String describe(Map<String, LiveNode> nodes) {
    return block() + " from " + name(nodes, source) + " to " + name(nodes, target()) + ": " + doneBytes + " of "
        + request.numBytes()
        + " bytes at " + achievedBytesPerSec + " of " + rateBytesPerSec + " bytes/s";
  }

  private static String name(Map<String, LiveNode> nodes, String uuid) {
    LiveNode node = nodes.get(uuid);
    return node == null ? uuid : node.ipAddress() + ":" + node.transferPort();
  }

  // The steps, for TransferTracker only: ModuleRulesTest checks that.

  void place(int newIndex) {
    index = newIndex;
  }

  void grantRate(long bytesPerSec) {
    rateBytesPerSec = bytesPerSec;
  }

  /** Its target's agent says how far it is. */
  void progressed(long bytes, long bytesPerSec, long nowNs) {
    reportedNs = nowNs;
    doneBytes = Math.min(bytes, request.numBytes());
    achievedBytesPerSec = bytesPerSec;
    if (phase == Phase.GRANTED) {
      phase = Phase.RUNNING;
    }
  }

  void received(long nowNs) {
    reportedDone = true;
    reportedDoneNs = nowNs;
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

  void replaceCandidates(List<String> sources) {
    candidateSources = sources;
  }

  void addressed(SourceAddress address) {
    sourceAddress = address;
  }

  void loseSource() {
    failedSources.add(source);
    sourceLost = true;
  }

  /** The source is to be replaced because it is slow. */
  void leaveSlowSource() {
    slowSources.add(source);
    sourceSlow = true;
    sourceLost = true;
  }

  /** The source that was lost delivers again. */
  void regainSource() {
    failedSources.remove(source);
    sourceLost = false;
    sourceSlow = false;
  }

  void moveTo(String newSource) {
    source = newSource;
    sourceLost = false;
    sourceSlow = false;
  }
}
