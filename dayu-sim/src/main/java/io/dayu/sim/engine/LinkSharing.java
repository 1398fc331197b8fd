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
 * receives that of all: a link carries a flow as often as it is on the way. Some sources may be ahead of others, as far
 * as their target has memory for. Links are fixed from the most overloaded
 * on; what a flow cannot use for another link's sake is left to the others. A flow between racks crosses the uplinks of
 * both, if these are bounded.
 */
final class LinkSharing {
  private final Cluster cluster;
  private final int nodes;
  private final int links;
  private final double[] left;
  private final double[] leftAtFirst;
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
  private final int[] hops = new int[4];
  private int[] members = new int[0];
  /** What each source of a flow sends, in the order of the flows. */
  private int legs;
  private int[] legSource = new int[1024];
  private int[] legTarget = new int[1024];
  /** What it may send, what the links let through, and what it is capped to; infinite if it is not. */
  private double[] legGrant = new double[1024];
  private double[] legBytesPerSec = new double[1024];
  private double[] cap = new double[1024];
  private boolean[] fixed = new boolean[1024];

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
    leftAtFirst = new double[links];
    granted = new double[links];
    overloaded = new int[links];
    heap = new int[links];
    heapLevel = new double[links];
    flowsOf = new int[2 * nodes];
    firstMember = new int[links + 1];
  }

  /** Finds the {@link #hops} of a leg, none twice, and returns how many they are. */
  private int route(int leg) {
    hops[0] = legSource[leg];
    hops[1] = nodes + legTarget[leg];
    int from = cluster.rack(legSource[leg]);
    int to = cluster.rack(legTarget[leg]);
    if (links == 2 * nodes || from == to) {
      return 2;
    }
    hops[2] = 2 * nodes + from;
    hops[3] = 2 * nodes + (links - 2 * nodes) / 2 + to;
    return 4;
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
    share(flows, Double.POSITIVE_INFINITY, 1);
  }

  /**
   * As above. A source of a rebuild that is far ahead of the others goes on only as fast as its target decodes, and
   * leaves the rest of its share to other flows. Looked at once: if the rest makes other sources faster, those that are
   * far ahead follow in the next step.
   *
   * @param maxAheadBytes how far
   * @param seconds length of the step
   */
  void share(Flows flows, double maxAheadBytes, double seconds) {
    boolean bounded = maxAheadBytes < Double.POSITIVE_INFINITY;
    if (bounded) {
      System.arraycopy(left, 0, leftAtFirst, 0, links);
    }
    listLegs(flows);
    fill();
    if (bounded && capLegs(flows, maxAheadBytes, seconds)) {
      System.arraycopy(leftAtFirst, 0, left, 0, links);
      for (int leg = 0; leg < legs; leg++) {
        fixed[leg] = cap[leg] < Double.POSITIVE_INFINITY;
        legBytesPerSec[leg] = fixed[leg] ? cap[leg] : legGrant[leg];
      }
      fill();
    }
    takeRates(flows, seconds);
  }

  private void listLegs(Flows flows) {
    legs = 0;
    for (int flow = 0; flow < flows.count(); flow++) {
      double grant = flows.hasSources(flow) ? flows.allowedBytesPerSec[flow] : 0;
      for (int i = 0; i < flows.width(flow); i++) {
        if (legs == legSource.length) {
          growLegs();
        }
        boolean sends = flows.width(flow) == 1 || flows.aheadBytes[flow][i] < flows.leftBytes[flow];
        legSource[legs] = flows.source(flow, i);
        legTarget[legs] = flows.target[flow];
        legGrant[legs] = sends ? grant : 0;
        legBytesPerSec[legs] = legGrant[legs];
        fixed[legs++] = false;
      }
    }
  }

  private void growLegs() {
    int capacity = 2 * legs;
    legSource = Arrays.copyOf(legSource, capacity);
    legTarget = Arrays.copyOf(legTarget, capacity);
    legGrant = Arrays.copyOf(legGrant, capacity);
    legBytesPerSec = Arrays.copyOf(legBytesPerSec, capacity);
    cap = Arrays.copyOf(cap, capacity);
    fixed = Arrays.copyOf(fixed, capacity);
  }

  /** Lowers the rates of all legs that are not fixed to what the links let through beside those that are. */
  private void fill() {
    Arrays.fill(granted, 0);
    for (int leg = 0; leg < legs; leg++) {
      if (legBytesPerSec[leg] > 0) {
        for (int hop = route(leg) - 1; hop >= 0; hop--) {
          if (fixed[leg]) {
            left[hops[hop]] = Math.max(0, left[hops[hop]] - legBytesPerSec[leg]);
          } else {
            granted[hops[hop]] += legBytesPerSec[leg];
          }
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
      fix(count);
    }
  }

  /** Finds the legs that would be too far ahead after the step, and the rates at which they would not be. */
  private boolean capLegs(Flows flows, double maxAheadBytes, double seconds) {
    boolean any = false;
    int first = 0;
    for (int flow = 0; flow < flows.count(); flow++) {
      double[] ahead = flows.aheadBytes[flow];
      double decoded = decodedBytesPerSec(ahead, first, seconds);
      for (int i = 0; i < ahead.length; i++) {
        double max = decoded + (maxAheadBytes - ahead[i]) / seconds;
        cap[first + i] = legBytesPerSec[first + i] > max ? Math.max(0, max) : Double.POSITIVE_INFINITY;
        any |= cap[first + i] < Double.POSITIVE_INFINITY;
      }
      if (ahead.length == 0) {
        cap[first] = Double.POSITIVE_INFINITY;
      }
      first += flows.width(flow);
    }
    return any;
  }

  /** How fast a rebuild's target can decode what its legs bring and what is there of them. */
  private double decodedBytesPerSec(double[] ahead, int first, double seconds) {
    double decoded = Double.POSITIVE_INFINITY;
    for (int i = 0; i < ahead.length; i++) {
      decoded = Math.min(decoded, legBytesPerSec[first + i] + ahead[i] / seconds);
    }
    return decoded;
  }

  private void takeRates(Flows flows, double seconds) {
    int first = 0;
    for (int flow = 0; flow < flows.count(); flow++) {
      double[] ahead = flows.aheadBytes[flow];
      System.arraycopy(legBytesPerSec, first, flows.legBytesPerSec[flow], 0, ahead.length);
      flows.rateBytesPerSec[flow] =
          ahead.length == 0 ? legBytesPerSec[first] : decodedBytesPerSec(ahead, first, seconds);
      first += flows.width(flow);
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

  private void fix(int overloadedCount) {
    listMembers(overloadedCount);
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
          fix(members[i], level);
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

  private void fix(int leg, double level) {
    if (fixed[leg]) {
      return;
    }
    fixed[leg] = true;
    double grant = legBytesPerSec[leg];
    double rate = grant * level;
    legBytesPerSec[leg] = rate;
    for (int hop = route(leg) - 1; hop >= 0; hop--) {
      left[hops[hop]] = Math.max(0, left[hops[hop]] - rate);
      granted[hops[hop]] -= grant;
    }
  }

  /** Legs that are fixed already are no members. */
  private void listMembers(int overloadedCount) {
    Arrays.fill(firstMember, 0);
    boolean[] over = new boolean[links];
    for (int i = 0; i < overloadedCount; i++) {
      over[overloaded[i]] = true;
    }
    for (int leg = 0; leg < legs; leg++) {
      if (legBytesPerSec[leg] > 0 && !fixed[leg]) {
        for (int hop = route(leg) - 1; hop >= 0; hop--) {
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
    for (int leg = 0; leg < legs; leg++) {
      if (legBytesPerSec[leg] > 0 && !fixed[leg]) {
        for (int hop = route(leg) - 1; hop >= 0; hop--) {
          if (over[hops[hop]]) {
            members[next[hops[hop]]++] = leg;
          }
        }
      }
    }
  }
}
