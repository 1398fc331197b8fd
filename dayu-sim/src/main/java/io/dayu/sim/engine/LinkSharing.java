/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.sim.engine;

import java.util.Arrays;

/**
 * The rates that flows really get: those that agents allow, unless a link is physically too small for them. Not thread-safe; arrays are sized once.
 *
 * <p>Foreground goes first, and recovery shares what is left of the link. Where the grants on a link exceed that, its flows get shares
 * in proportion to their grants, and none gets more than its grant (weighted max-min fairness, the steady state of TCP with equal
 * round-trip times and weights). Links are settled from the most overloaded on; what a flow cannot use for another link's
 * sake is left to the others.
 */
final class LinkSharing {
  private final int nodes;
  private final double[] left;
  private final double[] granted;
  private final int[] overloaded;
  private final int[] firstMember;
  private int[] members = new int[0];
  private boolean[] settled = new boolean[0];

  /** Links 0 to nodes - 1 are what the nodes send, the next ones what they receive. */
  LinkSharing(int nodes) {
    this.nodes = nodes;
    left = new double[2 * nodes];
    granted = new double[2 * nodes];
    overloaded = new int[2 * nodes];
    firstMember = new int[2 * nodes + 1];
  }

  /** Sets the rate of every flow; what it is allowed counts as its grant. */
  void share(Flows flows, long totalBytesPerSec, long[] foregroundIn, long[] foregroundOut) {
    Arrays.fill(granted, 0);
    for (int flow = 0; flow < flows.count(); flow++) {
      double grant = flows.source[flow] < 0 ? 0 : flows.allowedBytesPerSec[flow];
      flows.rateBytesPerSec[flow] = grant;
      if (grant > 0) {
        granted[flows.source[flow]] += grant;
        granted[nodes + flows.target[flow]] += grant;
      }
    }
    int count = 0;
    for (int link = 0; link < 2 * nodes; link++) {
      long foreground = link < nodes ? foregroundOut[link] : foregroundIn[link - nodes];
      left[link] = Math.max(0, totalBytesPerSec - foreground);
      if (granted[link] > left[link]) {
        overloaded[count++] = link;
      }
    }
    if (count > 0) {
      settle(flows, count);
    }
  }

  private void settle(Flows flows, int overloadedCount) {
    listMembers(flows, overloadedCount);
    int open = overloadedCount;
    while (open > 0) {
      int least = 0;
      for (int i = 1; i < open; i++) {
        if (level(overloaded[i]) < level(overloaded[least])) {
          least = i;
        }
      }
      int link = overloaded[least];
      overloaded[least] = overloaded[--open];
      double level = level(link);
      if (level < 1) {
        for (int i = firstMember[link]; i < firstMember[link + 1]; i++) {
          settle(flows, members[i], level);
        }
      }
    }
  }

  /** Share of its grant that every open flow of the link can have. */
  private double level(int link) {
    return granted[link] > 1e-6 ? left[link] / granted[link] : 1;
  }

  private void settle(Flows flows, int flow, double level) {
    if (settled[flow]) {
      return;
    }
    settled[flow] = true;
    double grant = flows.rateBytesPerSec[flow];
    double rate = grant * level;
    flows.rateBytesPerSec[flow] = rate;
    int out = flows.source[flow];
    int in = nodes + flows.target[flow];
    left[out] = Math.max(0, left[out] - rate);
    left[in] = Math.max(0, left[in] - rate);
    granted[out] -= grant;
    granted[in] -= grant;
  }

  private void listMembers(Flows flows, int overloadedCount) {
    if (settled.length < flows.count()) {
      settled = new boolean[flows.block.length];
      members = new int[2 * flows.block.length];
    }
    Arrays.fill(settled, 0, flows.count(), false);
    Arrays.fill(firstMember, 0);
    boolean[] over = new boolean[2 * nodes];
    for (int i = 0; i < overloadedCount; i++) {
      over[overloaded[i]] = true;
    }
    for (int flow = 0; flow < flows.count(); flow++) {
      if (flows.rateBytesPerSec[flow] > 0) {
        firstMember[flows.source[flow] + 1] += over[flows.source[flow]] ? 1 : 0;
        firstMember[nodes + flows.target[flow] + 1] += over[nodes + flows.target[flow]] ? 1 : 0;
      }
    }
    for (int link = 0; link < 2 * nodes; link++) {
      firstMember[link + 1] += firstMember[link];
    }
    int[] next = Arrays.copyOf(firstMember, 2 * nodes);
    for (int flow = 0; flow < flows.count(); flow++) {
      if (flows.rateBytesPerSec[flow] > 0) {
        int out = flows.source[flow];
        int in = nodes + flows.target[flow];
        if (over[out]) {
          members[next[out]++] = flow;
        }
        if (over[in]) {
          members[next[in]++] = flow;
        }
      }
    }
  }
}
