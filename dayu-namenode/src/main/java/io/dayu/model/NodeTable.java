/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.model;

/**
 * The live nodes of a snapshot, one row each, by dense id. Immutable by convention: the arrays are shared, not copied,
 * and not written to after construction.
 *
 * @param recoverInBytesPerSec B_recover_in of equation 1: what recovery may receive, at least 0
 * @param recoverOutBytesPerSec B_recover_out: what recovery may send, at least 0
 * @param rack dense rack id, 0 to rackCount - 1
 * @param rackCount number of racks, upgrade domains included
 * @param acceptsTransfers whether the node may be a target: it has a live agent, is in service and not stale
 * @param maxIncoming transfers that the node may receive at once, running ones included
 * @param maxOutgoing transfers that the node may serve at once, running ones included
 * @param roomBytes free space, by [storage type][node]; the type is an index of the caller's choosing, at most 31 types
 * @param domain upgrade domain, an id among those of the racks that no rack has; null if no node has any
 * @param leaving whether the node is to leave the cluster, and is the preferred source of its blocks; null if none is
 * @param targetWeight above 0 and at most 1: a node of weight w is chosen as a target as if it received at w times its
 *     bandwidth. The weight limits nothing: before a block waits, a node of less weight with bandwidth is used. null
 *     if all weigh 1
 * @param tieBreak of nodes of one bucket that are equally loaded, the one with the lower number becomes the target;
 *     null if it does not matter which
 * @param writeBytesPerSec what recovery may write to the disks of a target. A copy writes what it receives, a rebuild
 *     writes less, so that this is a link of its own; null if recoverIn says all. Sources need no such number: they
 *     read what they send
 * @param urgent whether blocks that the node can serve go before the others of their risk; null if none do
 */
public record NodeTable(long[] recoverInBytesPerSec, long[] recoverOutBytesPerSec, int[] rack, int rackCount,
    boolean[] acceptsTransfers, int[] maxIncoming, int[] maxOutgoing, long[][] roomBytes, int[] domain,
    boolean[] leaving, double[] targetWeight, long[] tieBreak, long[] writeBytesPerSec, boolean[] urgent) {

  /** Nodes whose blocks have no haste. */
  public NodeTable(long[] recoverInBytesPerSec, long[] recoverOutBytesPerSec, int[] rack, int rackCount,
      boolean[] acceptsTransfers, int[] maxIncoming, int[] maxOutgoing, long[][] roomBytes, int[] domain,
      boolean[] leaving, double[] targetWeight, long[] tieBreak, long[] writeBytesPerSec) {
    this(recoverInBytesPerSec, recoverOutBytesPerSec, rack, rackCount, acceptsTransfers, maxIncoming, maxOutgoing,
        roomBytes, domain, leaving, targetWeight, tieBreak, writeBytesPerSec, null);
  }

  /** Nodes of which any may become the target among equals. */
  public NodeTable(long[] recoverInBytesPerSec, long[] recoverOutBytesPerSec, int[] rack, int rackCount,
      boolean[] acceptsTransfers, int[] maxIncoming, int[] maxOutgoing, long[][] roomBytes, int[] domain,
      boolean[] leaving, double[] targetWeight) {
    this(recoverInBytesPerSec, recoverOutBytesPerSec, rack, rackCount, acceptsTransfers, maxIncoming, maxOutgoing,
        roomBytes, domain, leaving, targetWeight, null, null);
  }

  /** Nodes without upgrade domains, of which none is leaving and all weigh the same. */
  public NodeTable(long[] recoverInBytesPerSec, long[] recoverOutBytesPerSec, int[] rack, int rackCount,
      boolean[] acceptsTransfers, int[] maxIncoming, int[] maxOutgoing, long[][] roomBytes) {
    this(recoverInBytesPerSec, recoverOutBytesPerSec, rack, rackCount, acceptsTransfers, maxIncoming, maxOutgoing,
        roomBytes, null, null, null);
  }

  public NodeTable {
    int count = recoverInBytesPerSec.length;
    Preconditions.length("recoverOutBytesPerSec", recoverOutBytesPerSec.length, count);
    Preconditions.length("rack", rack.length, count);
    Preconditions.length("acceptsTransfers", acceptsTransfers.length, count);
    Preconditions.length("maxIncoming", maxIncoming.length, count);
    Preconditions.length("maxOutgoing", maxOutgoing.length, count);
    Preconditions.within("roomBytes", 0, roomBytes.length, 1, 31);
    if (domain != null) {
      Preconditions.length("domain", domain.length, count);
    }
    if (leaving != null) {
      Preconditions.length("leaving", leaving.length, count);
    }
    if (targetWeight != null) {
      Preconditions.length("targetWeight", targetWeight.length, count);
    }
    if (urgent != null) {
      Preconditions.length("urgent", urgent.length, count);
    }
    if (tieBreak != null) {
      Preconditions.length("tieBreak", tieBreak.length, count);
    }
    if (writeBytesPerSec != null) {
      Preconditions.length("writeBytesPerSec", writeBytesPerSec.length, count);
      for (int node = 0; node < count; node++) {
        Preconditions.within("writeBytesPerSec", node, writeBytesPerSec[node], 0, MAX_BYTES_PER_SEC);
      }
    }
    for (int type = 0; type < roomBytes.length; type++) {
      Preconditions.length("roomBytes[" + type + "]", roomBytes[type].length, count);
    }
    for (int node = 0; node < count; node++) {
      Preconditions.within("recoverInBytesPerSec", node, recoverInBytesPerSec[node], 0, MAX_BYTES_PER_SEC);
      Preconditions.within("recoverOutBytesPerSec", node, recoverOutBytesPerSec[node], 0, MAX_BYTES_PER_SEC);
      Preconditions.within("rack", node, rack[node], 0, rackCount - 1L);
      if (domain != null) {
        Preconditions.within("domain", node, domain[node], 0, rackCount - 1L);
      }
      if (targetWeight != null && !(targetWeight[node] > 0 && targetWeight[node] <= 1)) {
        throw new IllegalArgumentException("targetWeight[" + node + "] = " + targetWeight[node]
            + ", expected above 0 and at most 1");
      }
      Preconditions.within("maxIncoming", node, maxIncoming[node], 0, Integer.MAX_VALUE);
      Preconditions.within("maxOutgoing", node, maxOutgoing[node], 0, Integer.MAX_VALUE);
      for (int type = 0; type < roomBytes.length; type++) {
        Preconditions.within("roomBytes[" + type + "]", node, roomBytes[type][node], 0, Long.MAX_VALUE);
      }
    }
  }

  /** Far above any link (1 PB/s), low enough that sums over a million nodes do not overflow. */
  public static final long MAX_BYTES_PER_SEC = 1L << 40;

  /** These nodes, with such an order among equals. */
  public NodeTable withTieBreak(long[] order) {
    return new NodeTable(recoverInBytesPerSec, recoverOutBytesPerSec, rack, rackCount, acceptsTransfers, maxIncoming,
        maxOutgoing, roomBytes, domain, leaving, targetWeight, order, writeBytesPerSec, urgent);
  }

  /** These nodes, whose network carries more to them than their disks write. */
  public NodeTable withDisks(long[] networkInBytesPerSec, long[] diskBytesPerSec) {
    return new NodeTable(networkInBytesPerSec, recoverOutBytesPerSec, rack, rackCount, acceptsTransfers, maxIncoming,
        maxOutgoing, roomBytes, domain, leaving, targetWeight, tieBreak, diskBytesPerSec, urgent);
  }

  /** These nodes, of which some have blocks that go before the others of their risk. */
  public NodeTable withUrgent(boolean[] first) {
    return new NodeTable(recoverInBytesPerSec, recoverOutBytesPerSec, rack, rackCount, acceptsTransfers, maxIncoming,
        maxOutgoing, roomBytes, domain, leaving, targetWeight, tieBreak, writeBytesPerSec, first);
  }

  public int count() {
    return recoverInBytesPerSec.length;
  }

  public int storageTypes() {
    return roomBytes.length;
  }
}
