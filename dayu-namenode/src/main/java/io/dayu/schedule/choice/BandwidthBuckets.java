/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule.choice;

import java.util.Arrays;
import java.util.function.IntToDoubleFunction;

/**
 * The nodes that can be targets, in buckets of equal bandwidth, by ascending bandwidth, and in each bucket a heap by
 * load (ATC'19 §4.1: within a bucket only the least loaded node can be the answer). Among equal loads the snapshot's
 * order decides, if it has one ({@link NodeLoads#winsTie}). Loads only grow. Not thread-safe; arrays are sized once and
 * reused.
 */
public final class BandwidthBuckets {
  /** Bits of a node id in a sort key; a bandwidth has 41. */
  private static final int NODE_BITS = 20;

  private NodeLoads loads;
  private int count;
  private long[] order = new long[0];
  private double[] bandwidth = new double[0];
  private double[] inverse = new double[0];
  private double[] minLoad = new double[0];
  private int[] first = new int[1];
  private int[] end = new int[0];
  /** The heaps, bucket after bucket: node and load by place, and the place of a node. */
  private int[] heapNode = new int[0];
  private long[] heapLoad = new long[0];
  private int[] place = new int[0];
  private int[] bucketOf = new int[0];
  private int found;
  private long foundLoad;

  /** Begins a plan with buckets by {@link NodeLoads#selectionBandwidth}. */
  public void reset(NodeLoads planLoads) {
    reset(planLoads, planLoads::selectionBandwidth);
  }

  /** Begins a plan with buckets by {@code bandwidthOf} a node, bytes a second. */
  public void reset(NodeLoads planLoads, IntToDoubleFunction bandwidthOf) {
    loads = planLoads;
    if (order.length < loads.count()) {
      int size = loads.count();
      if (size >= 1 << NODE_BITS) {
        throw new IllegalArgumentException("nodes = " + size + ", expected less than " + (1 << NODE_BITS));
      }
      order = new long[size];
      bandwidth = new double[size];
      inverse = new double[size];
      minLoad = new double[size];
      first = new int[size + 1];
      end = new int[size];
      heapNode = new int[size];
      heapLoad = new long[size];
      place = new int[size];
      bucketOf = new int[size];
    }
    int usable = 0;
    for (int node = 0; node < loads.count(); node++) {
      place[node] = -1;
      if (loads.acceptsMore(node)) {
        order[usable++] = (long) bandwidthOf.applyAsDouble(node) << NODE_BITS | node;
      }
    }
    Arrays.sort(order, 0, usable);
    count = 0;
    long previous = -1;
    for (int i = 0; i < usable; i++) {
      int node = (int) order[i] & (1 << NODE_BITS) - 1;
      if (order[i] >>> NODE_BITS != previous) {
        previous = order[i] >>> NODE_BITS;
        bandwidth[count] = bandwidthOf.applyAsDouble(node);
        inverse[count] = 1 / bandwidth[count];
        first[count++] = i;
      }
      heapNode[i] = node;
      heapLoad[i] = loads.assignedIn(node);
      place[node] = i;
      bucketOf[node] = count - 1;
    }
    first[count] = usable;
    for (int bucket = 0; bucket < count; bucket++) {
      end[bucket] = first[bucket + 1];
      for (int i = (end[bucket] - first[bucket]) / 2 - 1; i >= 0; i--) {
        siftDown(bucket, first[bucket] + i);
      }
      minLoad[bucket] = heapLoad[first[bucket]];
    }
  }

  public int count() {
    return count;
  }

  /** Bandwidth by bucket; not to be written to. */
  public double[] bandwidth() {
    return bandwidth;
  }

  /** 1 / bandwidth by bucket; not to be written to. */
  public double[] inverse() {
    return inverse;
  }

  /** Load of the least loaded node by bucket, infinite for a bucket without nodes; not to be written to. */
  public double[] minLoad() {
    return minLoad;
  }

  /** Load of a node that is in a bucket. */
  public long load(int node) {
    return heapLoad[place[node]];
  }

  /** The least loaded node of a bucket that has one. */
  public int minLoaded(int bucket) {
    return heapNode[first[bucket]];
  }

  /** The least loaded node of the bucket among those allowed, or -1. */
  public int minLoaded(int bucket, TargetRules rules) {
    found = -1;
    foundLoad = Long.MAX_VALUE;
    search(bucket, first[bucket], rules);
    return found;
  }

  /** Descends only below nodes that are not allowed and come before the best so far. */
  private void search(int bucket, int at, TargetRules rules) {
    if (at >= end[bucket] || !comesBefore(at, found, foundLoad)) {
      return;
    }
    if (rules.allows(heapNode[at])) {
      found = heapNode[at];
      foundLoad = heapLoad[at];
      return;
    }
    int child = 2 * at - first[bucket] + 1;
    search(bucket, child, rules);
    search(bucket, child + 1, rules);
  }

  /** Records a node's new load. Returns its bucket if the smallest load of the bucket has changed, else -1. */
  public int loadChanged(int node) {
    int at = place[node];
    if (at < 0) {
      return -1;
    }
    int bucket = bucketOf[node];
    if (loads.acceptsMore(node)) {
      heapLoad[at] = loads.assignedIn(node);
      siftDown(bucket, at);
    } else {
      remove(bucket, at);
    }
    double now = first[bucket] < end[bucket] ? heapLoad[first[bucket]] : Double.POSITIVE_INFINITY;
    if (now == minLoad[bucket]) {
      return -1;
    }
    minLoad[bucket] = now;
    return bucket;
  }

  private void remove(int bucket, int at) {
    place[heapNode[at]] = -1;
    int last = --end[bucket];
    if (at < last) {
      put(at, heapNode[last], heapLoad[last]);
      siftUp(bucket, at);
      siftDown(bucket, place[heapNode[at]]);
    }
  }

  private void siftUp(int bucket, int from) {
    int node = heapNode[from];
    long load = heapLoad[from];
    int at = from;
    while (at > first[bucket]) {
      int parent = first[bucket] + (at - first[bucket] - 1) / 2;
      if (!(load < heapLoad[parent] || load == heapLoad[parent] && loads.winsTie(node, heapNode[parent]))) {
        break;
      }
      put(at, heapNode[parent], heapLoad[parent]);
      at = parent;
    }
    put(at, node, load);
  }

  private void siftDown(int bucket, int from) {
    int node = heapNode[from];
    long load = heapLoad[from];
    int at = from;
    for (int child = 2 * at - first[bucket] + 1; child < end[bucket]; child = 2 * at - first[bucket] + 1) {
      if (child + 1 < end[bucket] && comesBefore(child + 1, heapNode[child], heapLoad[child])) {
        child++;
      }
      if (!comesBefore(child, node, load)) {
        break;
      }
      put(at, heapNode[child], heapLoad[child]);
      at = child;
    }
    put(at, node, load);
  }

  /** Whether the node at this place goes before another one of its bucket that has such a load; -1 = none. */
  private boolean comesBefore(int at, int node, long load) {
    return heapLoad[at] < load || heapLoad[at] == load && node >= 0 && loads.winsTie(heapNode[at], node);
  }

  private void put(int at, int node, long load) {
    heapNode[at] = node;
    heapLoad[at] = load;
    place[node] = at;
  }
}
