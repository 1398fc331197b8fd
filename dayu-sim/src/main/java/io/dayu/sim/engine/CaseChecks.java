/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

import io.dayu.sim.Cluster;

import java.util.Arrays;

/**
 * Checks a case: recomputes the load of each link in each step, and at the end bytes and counts, and throws
 * {@link IllegalStateException} if they disagree. It keeps sums of its own. Not thread-safe; arrays are sized once.
 *
 * <p>Links 0 to nodes - 1 are what the nodes send, the next ones what they receive, then what the racks send, and what
 * they receive.
 */
final class CaseChecks {
  /** Sums of floating-point numbers differ by less than this share. */
  private static final double ROUNDING = 1e-6;
  /** A transfer ends when it lacks less than a byte. */
  private static final double ROUNDING_BYTES = 1;

  private final Cluster cluster;
  private final LinkPhysics physics;
  private final double[] waitingBytes;
  private final int nodes;
  private final double[] bytesPerSec;
  private final int[] flowsOf;
  private double receivedBytes;

  CaseChecks(Cluster cluster, LinkPhysics physics) {
    this(cluster, physics, new double[2 * cluster.nodes()]);
  }

  /** @param waitingBytes foreground that waits on the links of nodes; live */
  CaseChecks(Cluster cluster, LinkPhysics physics, double[] waitingBytes) {
    this.waitingBytes = waitingBytes;
    this.cluster = cluster;
    this.physics = physics;
    nodes = cluster.nodes();
    bytesPerSec = new double[2 * nodes + 2 * cluster.uplinks().bytesPerSec().length];
    flowsOf = new int[2 * nodes];
  }

  /** The rates of a step are set: no link carries more recovery than foreground leaves of it. */
  void rates(Flows flows, long[] foregroundIn, long[] foregroundOut, long nowMs) {
    Arrays.fill(bytesPerSec, 0);
    Arrays.fill(flowsOf, 0);
    for (int flow = 0; flow < flows.count(); flow++) {
      if (flows.hasSources(flow) && flows.allowedBytesPerSec[flow] > 0) {
        int begun = flows.allowedBytesPerSec[flow] > LinkPhysics.QUEUED_BYTES_PER_SEC ? 1 : 0;
        for (int i = 0; i < flows.width(flow); i++) {
          add(flows.source(flow, i), flows.target[flow],
              flows.width(flow) == 1 ? flows.rateBytesPerSec[flow] : flows.legBytesPerSec[flow][i], begun);
        }
      }
    }
    for (int node = 0; node < nodes; node++) {
      checkLink("node " + node + " sends", node, cluster.bandwidthBytesPerSec(node), foregroundOut[node], nowMs);
      checkLink("node " + node + " receives", nodes + node, cluster.bandwidthBytesPerSec(node), foregroundIn[node],
          nowMs);
    }
    if (cluster.uplinks().bounded()) {
      checkUplinks("sends", 2 * nodes, foregroundOut, nowMs);
      checkUplinks("receives", 2 * nodes + cluster.rackCount(), foregroundIn, nowMs);
    }
  }

  private void add(int source, int target, double rate, int begun) {
    bytesPerSec[source] += rate;
    bytesPerSec[nodes + target] += rate;
    flowsOf[source] += begun;
    flowsOf[nodes + target] += begun;
    if (cluster.uplinks().bounded() && cluster.rack(source) != cluster.rack(target)) {
      bytesPerSec[2 * nodes + cluster.rack(source)] += rate;
      bytesPerSec[2 * nodes + cluster.rackCount() + cluster.rack(target)] += rate;
    }
  }

  private void checkLink(String what, int link, long linkBytesPerSec, long foreground, long nowMs) {
    atMost(what, bytesPerSec[link],
        physics.leftBytesPerSec(linkBytesPerSec, foreground, waitingBytes[link], flowsOf[link]), nowMs);
  }

  private void checkUplinks(String what, int first, long[] foreground, long nowMs) {
    double[] clients = new double[cluster.rackCount()];
    for (int node = 0; node < nodes; node++) {
      clients[cluster.rack(node)] += cluster.uplinks().foregroundShare() * foreground[node];
    }
    for (int rack = 0; rack < clients.length; rack++) {
      double left = Math.max(0, cluster.uplinks().bytesPerSec()[rack] - clients[rack]);
      atMost("rack " + rack + " " + what, bytesPerSec[first + rack], left, nowMs);
    }
  }

  private static void atMost(String what, double bytesPerSec, double left, long nowMs) {
    if (bytesPerSec > left * (1 + ROUNDING) + ROUNDING_BYTES) {
      throw new IllegalStateException(what + " " + bytesPerSec + " bytes/s of recovery after " + nowMs
          + " ms, expected at most the " + left + " that its link has left");
    }
  }

  /** A step is over: each node moved no more than its rates allow, and as much was received as was sent. */
  void moved(double[] movedIn, double[] movedOut, double seconds, long nowMs) {
    double in = 0;
    double out = 0;
    for (int node = 0; node < nodes; node++) {
      atMost("node " + node + " sent", movedOut[node] / seconds, bytesPerSec[node], nowMs);
      atMost("node " + node + " received", movedIn[node] / seconds, bytesPerSec[nodes + node], nowMs);
      in += movedIn[node];
      out += movedOut[node];
    }
    agree("bytes received and sent after " + nowMs + " ms", in, out, ROUNDING_BYTES);
    receivedBytes += in;
  }

  /**
   * The case is over.
   *
   * @param once whether each block can be lost, and copied, only once
   */
  void finished(CaseTotals totals, RecoveryOutcome outcome, boolean once) {
    CaseTotals.Blocks blocks = totals.blocks();
    CaseTotals.Bytes bytes = totals.bytes();
    agree("blocks, and recovered + lost for good + unfinished ones", blocks.all(),
        (double) blocks.recovered() + blocks.lost() + blocks.unfinished(), 0);
    agree("blocks lost for good, and those reported", blocks.lost(), outcome.risk().lostBlocks(), 0);
    if (outcome.finished()) {
      agree("unfinished blocks of a finished recovery, and none", blocks.unfinished(), 0, 0);
    }
    double copies = bytes.received() + bytes.partial() + bytes.wasted();
    agree("bytes received, and those of copies, finished, partial and given up", receivedBytes, copies, ROUNDING_BYTES);
    double slots = 0;
    for (SlotOutcome slot : outcome.slots()) {
      slots += slot.movedBytes();
    }
    agree("bytes received, and those of all timeslots", receivedBytes, slots,
        ROUNDING_BYTES * (1 + outcome.slots().size()));
    agree("room taken, and sizes of copies", bytes.taken(),
        (double) bytes.copied() + bytes.partialSizes(), 0);
    if (once) {
      agree("bytes copied, and sizes of the recovered blocks", bytes.copied(), blocks.recoveredBytes(), 0);
    }
  }

  private static void agree(String what, double one, double other, double tolerance) {
    if (!(Math.abs(one - other) <= tolerance + ROUNDING * Math.abs(one) * Math.signum(tolerance))) {
      throw new IllegalStateException(what + " disagree: " + one + " and " + other);
    }
  }
}
