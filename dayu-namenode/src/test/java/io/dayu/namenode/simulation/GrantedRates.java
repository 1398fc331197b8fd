/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import java.util.Arrays;
import java.util.List;

/**
 * Sums at each DataNode, in each direction, the rates that are granted to all transfers that run (those that wait to be
 * started are left out), by whichever plan of whichever NameNode. Not thread-safe.
 *
 * <p><b>What is promised.</b> One plan grants a node no more than alpha of its link ({@link PlanObserver}). Agents obey
 * a new plan one by one, so for a while the grants of two plans add up at a source: a target that has obeyed begins,
 * another one that has not goes on. Also, a transfer that was to end before its timeslot, and did not, keeps its rate
 * beside what was planned. A grant that is not renewed ends with its lease. So the sum may exceed what the link carries
 * for at most one lease in a row, with or without a failover. A failover adds nothing to that:
 * {@link Invariants#NOTHING_BEGUN_BEFORE_ADOPTION}.
 *
 * <p>Whatever is granted, in production each end shapes what it sends and receives by its own counters. So clients are
 * not harmed meanwhile; transfers are slower than planned.
 */
final class GrantedRates {
  private static final long WITHIN = Long.MAX_VALUE;

  private final SimulatedCluster cluster;
  /** Since when, in milliseconds, the sums of a node in this direction exceed its link. */
  private long[] inSinceMs = {};
  private long[] outSinceMs = {};

  GrantedRates(SimulatedCluster cluster) {
    this.cluster = cluster;
  }

  void check() {
    List<SimulatedDataNode> nodes = cluster.dataNodes;
    if (inSinceMs.length == 0) {
      inSinceMs = new long[nodes.size()];
      outSinceMs = new long[nodes.size()];
      Arrays.fill(inSinceMs, WITHIN);
      Arrays.fill(outSinceMs, WITHIN);
    }
    long[] in = new long[nodes.size()];
    long[] out = new long[nodes.size()];
    for (int target = 0; target < in.length; target++) {
      for (SimulatedTransfer transfer : nodes.get(target).receiving()) {
        // What a lying agent claims is believed within bounds, so its links may be granted more than they carry.
        if (!nodes.get(target).hasLied() && transfer.sources().stream().noneMatch(SimulatedDataNode::hasLied)) {
          for (SimulatedDataNode source : transfer.sources()) {
            in[target] += transfer.rateBytesPerSec();
            out[nodes.indexOf(source)] += transfer.rateBytesPerSec();
          }
        }
      }
    }
    for (int node = 0; node < in.length; node++) {
      check(nodes.get(node), "in", in[node], node, inSinceMs);
      check(nodes.get(node), "out", out[node], node, outSinceMs);
    }
  }

  /**
   * The paper's rates use up a link, so a transfer that is wrongly predicted to finish, which keeps its rate beside the
   * new plan for a timeslot, exceeds it more often, and at both ends of a lease.
   */
  private long slackMs() {
    return cluster.settings.algorithm().equals("paper") ? 2 * SequenceSettings.TIMESLOT_MS : 0;
  }

  private void check(SimulatedDataNode node, String direction, long grantedBytesPerSec, int index, long[] sinceMs) {
    long nowMs = cluster.events.elapsedMs();
    sinceMs[index] = grantedBytesPerSec > node.bandwidthBytesPerSec ? Math.min(sinceMs[index], nowMs) : WITHIN;
    if (nowMs - sinceMs[index] > cluster.settings.leaseMs() + slackMs()) {
      cluster.invariants.violated(Invariants.NODE_LINK, node.uuid + " is granted " + grantedBytesPerSec + " bytes/s "
          + direction + ", more than the " + node.bandwidthBytesPerSec + " of its link for "
          + (nowMs - sinceMs[index]) + " ms");
    }
  }
}
