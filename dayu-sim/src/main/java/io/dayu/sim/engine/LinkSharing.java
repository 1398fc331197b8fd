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
 * The rates that flows get: those that agents allow, or less where a link is too small for them. Not thread-safe;
 * arrays are sized once.
 *
 * <p>Recovery shares what {@link LinkPhysics} leaves it of the link. Where the grants on a link exceed that, its flows
 * get shares in proportion to their grants, and none gets more than its grant (weighted max-min fairness, the steady
 * state of TCP with equal round-trip times and weights). Each source of a rebuild sends its rate, and its target
 * receives that of all: a link carries a flow as often as it is on the way. Links are fixed from the most overloaded
 * on; what a flow cannot use for another link's sake is left to the others. A flow between racks crosses the uplinks of
 * both, if these are bounded.
 */
final class LinkSharing {
  private final Cluster cluster;
  private final int nodes;
  private final int links;
  private final double[] left;
  private final double[] granted;
  private final int[] overloaded;
  /** Overloaded links by level, the least first, and what their levels were when they were put there. */
  private final int[] heap;
  private final double[] heapLevel;
  private int open;
  private final LinkPhysics physics;
  private final double[] waitingBytes;
  private final int[] flowsOf;
  private final int[] firstMember;
  private int[] hops = new int[4];
  /** How many of the flow's sources are behind the hop. */
  private int[] factors = new int[4];
  private int[] members = new int[0];
  private boolean[] fixed = new boolean[0];

  /**
   * Links 0 to nodes - 1 are what the nodes send, the next ones what they receive, then what the racks send and
   * receive.
   */
  LinkSharing(Cluster cluster, LinkPhysics physics) {
    this(cluster, physics, new double[2 * cluster.nodes()]);
  }

  /** @param waitingBytes foreground that waits on the links of nodes; live */
  LinkSharing(Cluster cluster, LinkPhysics physics, double[] waitingBytes) {
    this.waitingBytes = waitingBytes;
    this.cluster = cluster;
    this.physics = physics;
    nodes = cluster.nodes();
    links = 2 * nodes + 2 * cluster.uplinks().bytesPerSec().length;
    left = new double[links];
    granted = new double[links];
    overloaded = new int[links];
    heap = new int[links];
    heapLevel = new double[links];
    flowsOf = new int[2 * nodes];
    firstMember = new int[links + 1];
  }

  /** Finds the {@link #hops} of a flow, none twice, and returns how many they are. */
  private int route(Flows flows, int flow) {
    int width = flows.width(flow);
    if (hops.length < 2 * width + 2) {
      hops = new int[2 * width + 2];
      factors = new int[2 * width + 2];
    }
    for (int i = 0; i < width; i++) {
      hops[i] = flows.source(flow, i);
      factors[i] = 1;
    }
    hops[width] = nodes + flows.target[flow];
    factors[width] = width;
    return links > 2 * nodes ? addUplinks(flows, flow, width + 1) : width + 1;
  }

  private int addUplinks(Flows flows, int flow, int first) {
    int count = first;
    int crossing = 0;
    int to = cluster.rack(flows.target[flow]);
    for (int i = 0; i < flows.width(flow); i++) {
      int from = cluster.rack(flows.source(flow, i));
      if (from != to) {
        crossing++;
        int at = first;
        while (at < count && hops[at] != 2 * nodes + from) {
          at++;
        }
        if (at == count) {
          hops[count] = 2 * nodes + from;
          factors[count++] = 0;
        }
        factors[at]++;
      }
    }
    if (crossing > 0) {
      hops[count] = 2 * nodes + (links - 2 * nodes) / 2 + to;
      factors[count++] = crossing;
    }
    return count;
  }

  /** Sets the rate of every flow; what it is allowed counts as its grant. */
  void share(Flows flows, long[] foregroundIn, long[] foregroundOut) {
    leave(flows, foregroundIn, foregroundOut);
    share(flows);
  }

  /**
   * Finds what recovery can have of each link at most: the first {@code nodes} are what nodes send, the next ones what
   * they receive.
   */
  double[] leave(Flows flows, long[] foregroundIn, long[] foregroundOut) {
    countFlows(flows);
    for (int link = 0; link < 2 * nodes; link++) {
      long foreground = link < nodes ? foregroundOut[link] : foregroundIn[link - nodes];
      left[link] = physics.leftBytesPerSec(cluster.bandwidthBytesPerSec(link % nodes), foreground, waitingBytes[link],
          flowsOf[link]);
    }
    if (links > 2 * nodes) {
      leaveOnUplinks(foregroundIn, foregroundOut);
    }
    return left;
  }

  private void countFlows(Flows flows) {
    if (physics.fair()) {
      Arrays.fill(flowsOf, 0);
      for (int flow = 0; flow < flows.count(); flow++) {
        if (flows.hasSources(flow) && flows.allowedBytesPerSec[flow] > LinkPhysics.QUEUED_BYTES_PER_SEC) {
          for (int i = 0; i < flows.width(flow); i++) {
            flowsOf[flows.source(flow, i)]++;
          }
          flowsOf[nodes + flows.target[flow]] += flows.width(flow);
        }
      }
    }
  }

  /** As above, with what {@link #leave} returned and the caller may have lowered. */
  void share(Flows flows) {
    Arrays.fill(granted, 0);
    for (int flow = 0; flow < flows.count(); flow++) {
      double grant = flows.hasSources(flow) ? flows.allowedBytesPerSec[flow] : 0;
      flows.rateBytesPerSec[flow] = grant;
      if (grant > 0) {
        for (int hop = route(flows, flow) - 1; hop >= 0; hop--) {
          granted[hops[hop]] += factors[hop] * grant;
        }
      }
    }
    int count = 0;
    for (int link = 0; link < links; link++) {
      if (granted[link] > left[link]) {
        overloaded[count++] = link;
      }
    }
    if (count > 0) {
      fix(flows, count);
    }
  }

  private void leaveOnUplinks(long[] foregroundIn, long[] foregroundOut) {
    long[] capacity = cluster.uplinks().bytesPerSec();
    for (int rack = 0; rack < capacity.length; rack++) {
      left[2 * nodes + rack] = capacity[rack];
      left[2 * nodes + capacity.length + rack] = capacity[rack];
    }
    double share = cluster.uplinks().foregroundShare();
    for (int node = 0; node < nodes; node++) {
      left[2 * nodes + cluster.rack(node)] -= share * foregroundOut[node];
      left[2 * nodes + capacity.length + cluster.rack(node)] -= share * foregroundIn[node];
    }
    for (int link = 2 * nodes; link < links; link++) {
      left[link] = Math.max(0, left[link]);
    }
  }

  private void fix(Flows flows, int overloadedCount) {
    listMembers(flows, overloadedCount);
    open = 0;
    for (int i = 0; i < overloadedCount; i++) {
      push(overloaded[i], level(overloaded[i]));
    }
    while (open > 0) {
      int link = heap[0];
      double level = level(link);
      pop();
      // Fixing the flows of other links has only raised it.
      if (open > 0 && level > heapLevel[0]) {
        push(link, level);
      } else if (level < 1) {
        for (int i = firstMember[link]; i < firstMember[link + 1]; i++) {
          fix(flows, members[i], level);
        }
      }
    }
  }

  private void push(int link, double level) {
    int at = open++;
    while (at > 0 && heapLevel[(at - 1) / 2] > level) {
      heap[at] = heap[(at - 1) / 2];
      heapLevel[at] = heapLevel[(at - 1) / 2];
      at = (at - 1) / 2;
    }
    heap[at] = link;
    heapLevel[at] = level;
  }

  private void pop() {
    int link = heap[--open];
    double level = heapLevel[open];
    int at = 0;
    for (int child = 1; child < open; child = 2 * at + 1) {
      child += child + 1 < open && heapLevel[child + 1] < heapLevel[child] ? 1 : 0;
      if (heapLevel[child] >= level) {
        break;
      }
      heap[at] = heap[child];
      heapLevel[at] = heapLevel[child];
      at = child;
    }
    heap[at] = link;
    heapLevel[at] = level;
  }

  /** Share of its grant that every open flow of the link can have. */
  private double level(int link) {
    return granted[link] > 1e-6 ? left[link] / granted[link] : 1;
  }

  private void fix(Flows flows, int flow, double level) {
    if (fixed[flow]) {
      return;
    }
    fixed[flow] = true;
    double grant = flows.rateBytesPerSec[flow];
    double rate = grant * level;
    flows.rateBytesPerSec[flow] = rate;
    for (int hop = route(flows, flow) - 1; hop >= 0; hop--) {
      left[hops[hop]] = Math.max(0, left[hops[hop]] - factors[hop] * rate);
      granted[hops[hop]] -= factors[hop] * grant;
    }
  }

  private void listMembers(Flows flows, int overloadedCount) {
    if (fixed.length < flows.count()) {
      fixed = new boolean[flows.block.length];
    }
    Arrays.fill(fixed, 0, flows.count(), false);
    Arrays.fill(firstMember, 0);
    boolean[] over = new boolean[links];
    for (int i = 0; i < overloadedCount; i++) {
      over[overloaded[i]] = true;
    }
    for (int flow = 0; flow < flows.count(); flow++) {
      if (flows.rateBytesPerSec[flow] > 0) {
        for (int hop = route(flows, flow) - 1; hop >= 0; hop--) {
          firstMember[hops[hop] + 1] += over[hops[hop]] ? 1 : 0;
        }
      }
    }
    for (int link = 0; link < links; link++) {
      firstMember[link + 1] += firstMember[link];
    }
    if (members.length < firstMember[links]) {
      members = new int[2 * firstMember[links]];
    }
    int[] next = Arrays.copyOf(firstMember, links);
    for (int flow = 0; flow < flows.count(); flow++) {
      if (flows.rateBytesPerSec[flow] > 0) {
        for (int hop = route(flows, flow) - 1; hop >= 0; hop--) {
          if (over[hops[hop]]) {
            members[next[hops[hop]]++] = flow;
          }
        }
      }
    }
  }
}
