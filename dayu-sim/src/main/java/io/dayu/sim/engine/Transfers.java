/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

import io.dayu.conf.Settings;
import io.dayu.model.IntRows;
import io.dayu.model.TimeslotPlan;
import io.dayu.sim.placement.LostBlocks;

import java.util.Arrays;
import java.util.function.IntConsumer;
import java.util.function.IntUnaryOperator;

/**
 * The state of a recovery: which blocks have been recovered and when, and which transfers are under way. Not
 * thread-safe.
 */
final class Transfers {
  /** A transfer that lacks less than this has ended: rounding. */
  private static final double NO_BYTES = 1e-3;

  private final LostBlocks lost;
  private final Replicas replicas;
  private final Flows flows = new Flows();
  /** Its place among the flows, or -1. */
  private final int[] flowOfBlock;
  /** Time from which on the block may be planned again, by block. */
  private final long[] freeFromMs;
  private final double[] recoveredAtSec;
  /** Blocks that lack a copy and can be recovered. */
  private int openCount;
  private int recoveredCount;
  private double lastRecoveredSec;
  private double movedBytes;
  private double wastedBytes;
  /** The copies that were finished, their sizes, and what their targets received for them. */
  private long copiedCount;
  private long copiedBytes;
  private long receivedBytes;
  /** Room that copies, whole or not, have taken by node. */
  private final long[] takenBytes;

  Transfers(LostBlocks lost, Replicas replicas, int nodes) {
    this.replicas = replicas;
    takenBytes = new long[nodes];
    this.lost = lost;
    flowOfBlock = new int[lost.count()];
    Arrays.fill(flowOfBlock, -1);
    freeFromMs = new long[lost.count()];
    recoveredAtSec = new double[lost.count()];
    Arrays.fill(recoveredAtSec, Double.POSITIVE_INFINITY);
    recount();
  }

  Flows flows() {
    return flows;
  }

  boolean recovered(int block) {
    return recoveredAtSec[block] < Double.POSITIVE_INFINITY;
  }

  int openCount() {
    return openCount;
  }

  private void recount() {
    openCount = 0;
    for (int block = 0; block < lost.count(); block++) {
      openCount += replicas.recoverable(block) ? 1 : 0;
    }
  }

  /**
   * Applies events that have just happened: ends transfers whose target is gone or whose block lacks no copy any more,
   * and takes sources that are gone from the others.
   */
  void follow(double nowSec) {
    for (int flow = 0; flow < flows.count(); flow++) {
      int block = flows.block[flow];
      if (replicas.isDown(flows.target[flow]) || !replicas.recoverable(block)) {
        giveUp(flow);
      } else {
        dropTargetsThatAreGone(flow);
        int[] further = flows.furtherSources[flow].clone();
        Arrays.setAll(further, ifServes(block, further));
        replaceSources(flow, ifServes(block, flows.source[flow]), further);
      }
    }
    flows.compact(flowOfBlock);
    recoveredCount = 0;
    for (int block = 0; block < lost.count(); block++) {
      if (replicas.lacks(block)) {
        recoveredAtSec[block] = Double.POSITIVE_INFINITY;
      } else if (!recovered(block)) {
        recoveredAtSec[block] = nowSec; // It never lacked anything, or is whole again.
      }
      recoveredCount += recovered(block) ? 1 : 0;
    }
    recount();
  }

  /** The node, or -1 if it does not have the block any more. */
  private int ifServes(int block, int node) {
    return node < 0 || !replicas.serves(block, node) ? -1 : node;
  }

  private IntUnaryOperator ifServes(int block, int[] nodes) {
    return index -> ifServes(block, nodes[index]);
  }

  private void dropTargetsThatAreGone(int flow) {
    int[] left = Arrays.stream(flows.furtherTargets[flow]).filter(target -> !replicas.isDown(target)).toArray();
    for (int target : flows.furtherTargets[flow]) {
      takenBytes[target] -= replicas.isDown(target) ? lost.sizeBytes()[flows.block[flow]] : 0;
    }
    flows.furtherTargets[flow] = left;
  }

  /** Sources that stay keep what they have sent ahead, wherever they stand; others begin where the target decodes. */
  private void replaceSources(int flow, int first, int[] further) {
    double[] before = flows.aheadBytes[flow];
    double[] after = new double[before.length];
    for (int i = 0; i < before.length; i++) {
      int kept = -1;
      for (int at = 0; at < after.length && flows.source(flow, i) >= 0; at++) {
        kept = (at == 0 ? first : further[at - 1]) == flows.source(flow, i) ? at : kept;
      }
      if (kept < 0) {
        wastedBytes += before[i];
      } else {
        after[kept] = before[i];
      }
    }
    flows.aheadBytes[flow] = after;
    flows.source[flow] = first;
    flows.furtherSources[flow] = further;
  }

  private void giveUp(int flow) {
    int block = flows.block[flow];
    for (int i = 0; i < flows.targetCount(flow); i++) {
      takenBytes[flows.target(flow, i)] -= lost.sizeBytes()[block];
    }
    wastedBytes += lost.width(block) * (lost.sizeBytes()[block] - flows.leftBytes[flow]) + flows.aheadBytes(flow);
    flowOfBlock[block] = -1;
    flows.end(flow);
  }

  /** Whether the block has a transfer, begun or not. */
  boolean underWay(int block) {
    return flowOfBlock[block] >= 0;
  }

  /** Whether the block may be planned: it has no transfer, and the agent that gave one up has said so. */
  boolean waits(int block, long nowMs) {
    return !underWay(block) && freeFromMs[block] <= nowMs;
  }

  int recoveredCount() {
    return recoveredCount;
  }

  /** Blocks without a transfer. */
  int waitingCount() {
    return openCount - flows.count();
  }

  boolean done() {
    return openCount == 0;
  }

  /** When the last block so far was recovered. */
  double lastRecoveredSec() {
    return lastRecoveredSec;
  }

  /** By block; infinite for those that were not. Live. */
  double[] recoveredAtSec() {
    return recoveredAtSec;
  }

  /** Bytes moved since the last call. */
  double takeMovedBytes() {
    double moved = movedBytes;
    movedBytes = 0;
    return moved;
  }

  long takenBytes(int node) {
    return takenBytes[node];
  }

  /** Copies that were finished. */
  long copiedCount() {
    return copiedCount;
  }

  /** What targets received for them: of rebuilds, all that is read. */
  long receivedBytes() {
    return receivedBytes;
  }

  double wastedBytes() {
    return wastedBytes;
  }

  /**
   * Applies a plan.
   *
   * @param rowBlock the block of each row of its snapshot
   * @param runningBlock the block of each transfer that was under way then
   * @param nowMs the moment
   * @return transfers that were given up
   */
  int apply(TimeslotPlan plan, int[] rowBlock, int[] runningBlock, long nowMs) {
    int evicted = 0;
    for (int r = 0; r < runningBlock.length; r++) {
      int flow = flowOfBlock[runningBlock[r]];
      if (flow < 0) {
        continue; // It ended since the snapshot.
      }
      if (plan.runningSource()[r] == TimeslotPlan.EVICTED) {
        evicted++;
        giveUp(flow);
        freeFromMs[runningBlock[r]] = nowMs + reportedAfterMs();
      } else {
        int[] further = further(plan.runningFurtherSources(), r);
        Arrays.setAll(further, ifServes(runningBlock[r], further));
        replaceSources(flow, ifServes(runningBlock[r], plan.runningSource()[r]), further);
        flows.grantBytesPerSec[flow] = plan.runningRateBytesPerSec()[r];
      }
    }
    for (int i = 0; i < plan.count(); i++) {
      int block = rowBlock[plan.task()[i]];
      if (i > 0 && plan.task()[i] == plan.task()[i - 1] && lost.width(block) > 1) {
        addTarget(block, plan.target()[i]);
      } else {
        begin(block, plan.source()[i], further(plan.furtherSources(), i), plan.target()[i], plan.rateBytesPerSec()[i],
            nowMs);
      }
    }
    flows.compact(flowOfBlock);
    return evicted;
  }

  private static int[] further(IntRows rows, int row) {
    return rows == null ? new int[0] : Arrays.copyOfRange(rows.values(), rows.start(row), rows.end(row));
  }

  /** The block of a transfer that was given up cannot be planned before its agent has reported that. */
  private long reportedAfterMs() {
    return Math.max(Settings.PROMPT_REPORT_MS, 1000L * takenBytes.length / Settings.MAX_REPORTS_PER_SEC);
  }

  private void begin(int block, int source, int[] further, int target, long bytesPerSec, long nowMs) {
    if (!replicas.recoverable(block) || !replicas.serves(block, source)
        || !Arrays.stream(further).allMatch(node -> replicas.serves(block, node)) || !replicas.accepts(target)) {
      return; // Something happened since the snapshot: rejected.
    }
    if (underWay(block)) {
      throw new IllegalStateException("block " + block + " was planned twice");
    }
    takenBytes[target] += lost.sizeBytes()[block];
    int flow = flows.add(block, source, target, lost.sizeBytes()[block], bytesPerSec, nowMs);
    flows.rebuildFrom(flow, further);
    flowOfBlock[block] = flow;
  }

  /** The rebuild of the group makes another internal block. */
  private void addTarget(int group, int target) {
    if (underWay(group) && replicas.accepts(target)) {
      flows.addTarget(flowOfBlock[group], target);
      takenBytes[target] += lost.sizeBytes()[group];
    }
  }

  /**
   * Moves every transfer on at the rate that its links let through.
   *
   * @param movedIn by node, is increased by the bytes received; {@code movedOut} by those sent
   * @param unused by link, first what nodes send, then what they receive: is increased by what a transfer that ended
   *     could have moved until the end of the step
   */
  void move(long fromMs, double seconds, double[] movedIn, double[] movedOut, double[] unused) {
    boolean ended = false;
    long toMs = fromMs + Math.round(seconds * 1000);
    for (int flow = 0; flow < flows.count(); flow++) {
      double rate = flows.rateBytesPerSec[flow];
      double left = flows.leftBytes[flow];
      if (flows.width(flow) > 1) {
        moveLegs(flow, seconds, movedIn, movedOut, unused);
      } else if (rate > 0) {
        moveLeg(flow, 0, Math.min(left, rate * seconds), movedIn, movedOut);
        flows.leftBytes[flow] = left - Math.min(left, rate * seconds);
      }
      if (flows.leftBytes[flow] < NO_BYTES) {
        end(flow, fromMs / 1000.0 + (rate > 0 ? Math.min(seconds, left / rate) : 0));
        if (rate > 0 && flows.width(flow) == 1) {
          leaveUnused(flow, 0, rate * seconds - Math.min(left, rate * seconds), movedIn.length, unused);
        }
        ended = true;
      } else {
        flows.measure(flow, toMs);
      }
    }
    if (ended) {
      flows.compact(flowOfBlock);
    }
  }

  /** Each source goes on by itself; the target decodes what it has of all of them. */
  private void moveLegs(int flow, double seconds, double[] movedIn, double[] movedOut, double[] unused) {
    double[] ahead = flows.aheadBytes[flow];
    double decoded = flows.leftBytes[flow];
    for (int i = 0; i < ahead.length; i++) {
      double could = flows.legBytesPerSec[flow][i] * seconds;
      double moved = Math.min(could, flows.leftBytes[flow] - ahead[i]);
      moveLeg(flow, i, moved, movedIn, movedOut);
      if (moved < could) {
        leaveUnused(flow, i, could - moved, movedIn.length, unused);
      }
      ahead[i] += moved;
      decoded = Math.min(decoded, ahead[i]);
    }
    for (int i = 0; i < ahead.length; i++) {
      ahead[i] -= decoded;
    }
    flows.leftBytes[flow] -= decoded;
  }

  private void moveLeg(int flow, int leg, double moved, double[] movedIn, double[] movedOut) {
    if (moved <= 0) {
      return; // Its source may be gone.
    }
    movedOut[flows.source(flow, leg)] += moved;
    movedIn[flows.target[flow]] += moved;
    movedBytes += moved;
  }

  /** @param nodes the links of what they receive come after those of what they send */
  private void leaveUnused(int flow, int leg, double bytes, int nodes, double[] unused) {
    unused[flows.source(flow, leg)] += bytes;
    unused[nodes + flows.target[flow]] += bytes;
  }

  /** Loses every recovered block again; {@code draw} gives each one new holders. */
  void renew(IntConsumer draw) {
    for (int block = 0; block < recoveredAtSec.length; block++) {
      if (recovered(block)) {
        draw.accept(block);
        replicas.renew(block);
        recoveredAtSec[block] = Double.POSITIVE_INFINITY;
      }
    }
    recoveredCount = 0;
    recount();
  }

  /** Adds up all blocks and all transfers. */
  CaseTotals totals() {
    int recovered = 0;
    int gone = 0;
    int unfinished = 0;
    long recoveredBytes = 0;
    for (int block = 0; block < lost.count(); block++) {
      recovered += recovered(block) ? 1 : 0;
      recoveredBytes += recovered(block) ? lost.sizeBytes()[block] : 0;
      gone += replicas.gone(block) ? 1 : 0;
      unfinished += replicas.recoverable(block) ? 1 : 0;
    }
    long partialSizeBytes = 0;
    double partialBytes = 0;
    for (int flow = 0; flow < flows.count(); flow++) {
      int block = flows.block[flow];
      partialSizeBytes += flows.targetCount(flow) * lost.sizeBytes()[block];
      partialBytes += lost.width(block) * (lost.sizeBytes()[block] - flows.leftBytes[flow]) + flows.aheadBytes(flow);
    }
    return new CaseTotals(new CaseTotals.Blocks(lost.count(), recovered, gone, unfinished, recoveredBytes),
        new CaseTotals.Bytes(copiedBytes, receivedBytes, partialBytes, wastedBytes, partialSizeBytes,
            Arrays.stream(takenBytes).sum()));
  }

  private void end(int flow, double atSec) {
    int block = flows.block[flow];
    for (int i = 0; i < flows.targetCount(flow); i++) {
      if (replicas.lacks(block)) {
        replicas.copied(block, flows.target(flow, i));
        copiedBytes += lost.sizeBytes()[block];
      } else {
        takenBytes[flows.target(flow, i)] -= lost.sizeBytes()[block]; // A node is back: HDFS deletes what is too many.
      }
    }
    copiedCount++;
    receivedBytes += lost.receivedBytes(block);
    flows.end(flow);
    flowOfBlock[block] = -1;
    lastRecoveredSec = Math.max(lastRecoveredSec, atSec);
    if (!replicas.lacks(block)) {
      recoveredAtSec[block] = atSec;
      recoveredCount++;
      openCount--;
    }
  }
}
