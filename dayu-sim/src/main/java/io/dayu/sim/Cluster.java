/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim;

/**
 * The nodes of a simulated cluster, by dense id. Immutable by convention: the arrays are shared.
 *
 * @param rackOfNode rack of each node, 0 to the number of racks - 1
 * @param closed nodes that accept no transfers, although they serve what they have: those that an admin is taking out
 * @param bandwidthBytesPerSec B_total of a usual node, each way
 * @param capacities of each node
 * @param uplinks of the racks
 */
public record Cluster(int[] rackOfNode, boolean[] closed, long bandwidthBytesPerSec, Capacities capacities,
    Uplinks uplinks) {
  public Cluster {
    if (rackOfNode.length < 2) {
      throw new IllegalArgumentException("nodes = " + rackOfNode.length + ", expected at least 2");
    }
    if (closed.length != rackOfNode.length) {
      throw new IllegalArgumentException(closed.length + " entries of closed, expected " + rackOfNode.length);
    }
    if (bandwidthBytesPerSec < 1) {
      throw new IllegalArgumentException("bandwidth = " + bandwidthBytesPerSec + ", expected at least 1 byte/s");
    }
    if (capacities.bytesPerSec().length != rackOfNode.length) {
      throw new IllegalArgumentException(
          capacities.bytesPerSec().length + " capacities, expected " + rackOfNode.length);
    }
    if (uplinks.bounded() && uplinks.bytesPerSec().length != racks(rackOfNode)) {
      throw new IllegalArgumentException(uplinks.bytesPerSec().length + " uplinks, expected " + racks(rackOfNode));
    }
  }

  /** Nodes alike, with uplinks that are never the bottleneck. */
  public Cluster(int[] rackOfNode, boolean[] closed, long bandwidthBytesPerSec) {
    this(rackOfNode, closed, bandwidthBytesPerSec, Capacities.alike(rackOfNode.length, bandwidthBytesPerSec),
        Uplinks.UNBOUNDED);
  }

  /** @param rackSize nodes in each rack; the last rack may be smaller */
  public Cluster(int nodes, int rackSize, long bandwidthBytesPerSec) {
    this(racks(nodes, rackSize), new boolean[Math.max(0, nodes)], bandwidthBytesPerSec);
  }

  private static int[] racks(int nodes, int rackSize) {
    if (nodes < 2) {
      throw new IllegalArgumentException("nodes = " + nodes + ", expected at least 2");
    }
    if (rackSize < 1) {
      throw new IllegalArgumentException("rack size = " + rackSize + ", expected at least 1");
    }
    int[] racks = new int[nodes];
    for (int node = 0; node < nodes; node++) {
      racks[node] = node / rackSize;
    }
    return racks;
  }

  /** This cluster with other uplinks. */
  public Cluster with(Uplinks others) {
    return new Cluster(rackOfNode, closed, bandwidthBytesPerSec, capacities, others);
  }

  /** This cluster with other capacities. */
  public Cluster with(Capacities others) {
    return new Cluster(rackOfNode, closed, bandwidthBytesPerSec, others, uplinks);
  }

  /** B_total of a node. */
  public long bandwidthBytesPerSec(int node) {
    return capacities.bytesPerSec()[node];
  }

  public int nodes() {
    return rackOfNode.length;
  }

  public int rack(int node) {
    return rackOfNode[node];
  }

  /** What the nodes of each rack can send together, in bytes a second. */
  public long[] rackBytesPerSec() {
    long[] sums = new long[rackCount()];
    for (int node = 0; node < nodes(); node++) {
      sums[rack(node)] += bandwidthBytesPerSec(node);
    }
    return sums;
  }

  public int rackCount() {
    return racks(rackOfNode);
  }

  private static int racks(int[] rackOfNode) {
    int last = 0;
    for (int rack : rackOfNode) {
      last = Math.max(last, rack);
    }
    return last + 1;
  }

  /** Whether the node may receive transfers. */
  public boolean accepts(int node) {
    return !closed[node];
  }
}
