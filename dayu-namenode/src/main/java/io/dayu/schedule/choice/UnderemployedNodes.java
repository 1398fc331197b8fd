/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule.choice;

import io.dayu.model.IdHeap;
import io.dayu.model.IntRows;
import io.dayu.model.NodeTable;

import java.util.Arrays;

/**
 * Finds the underemployed nodes of ATC'19 §4.2: among the first β by outgoing bandwidth, and among the first β by least
 * common size, which is the bytes of waiting blocks that the node holds. Not thread-safe; arrays are sized once and
 * reused.
 *
 * <p>Nodes that hold none of the waiting blocks, or can send nothing, are left out of both orders: they cannot be
 * sources, and after a small loss they alone would fill the second set. β of the rest is rounded up, so that a small
 * cluster has a first node too.
 *
 * <p>A node that is leaving the cluster stays the preferred source of its blocks: it may serve the blocks of
 * underemployed nodes, too.
 */
public final class UnderemployedNodes {
  private final IdHeap byBandwidth = new IdHeap();
  private final IdHeap byCommonSize = new IdHeap();
  private boolean[] fast = new boolean[0];
  private boolean[] found = new boolean[0];
  private boolean[] sources = new boolean[0];
  private boolean any;

  public void find(NodeTable nodes, CommonSizes common, double ratio) {
    int count = nodes.count();
    if (fast.length < count) {
      fast = new boolean[count];
      found = new boolean[count];
      sources = new boolean[count];
    }
    Arrays.fill(fast, 0, count, false);
    Arrays.fill(found, 0, count, false);
    Arrays.fill(sources, 0, count, false);
    any = false;
    if (ratio == 0) {
      return;
    }
    byBandwidth.reset(count);
    byCommonSize.reset(count);
    for (int node = 0; node < count; node++) {
      long bytesPerSec = nodes.recoverOutBytesPerSec()[node];
      if (common.bytes(node) > 0 && bytesPerSec > 0) {
        byBandwidth.append(node, -bytesPerSec);
        byCommonSize.append(node, common.bytes(node));
      }
    }
    byBandwidth.heapify();
    byCommonSize.heapify();
    int share = (int) Math.ceil(ratio * byBandwidth.size());
    for (int i = 0; i < share; i++) {
      fast[byBandwidth.pop()] = true;
    }
    for (int i = 0; i < share; i++) {
      int node = byCommonSize.pop();
      if (fast[node]) {
        found[node] = true;
        any = true;
      }
    }
    boolean[] leaving = nodes.leaving();
    for (int node = 0; node < count; node++) {
      sources[node] = found[node] || leaving != null && leaving[node];
    }
  }

  /** The nodes found, by id; not to be written to. */
  boolean[] found() {
    return found;
  }

  /** The nodes that may serve the blocks of those found, by id: they and the leaving ones; not to be written to. */
  public boolean[] sources() {
    return sources;
  }

  boolean any() {
    return any;
  }

  /** Whether one of the block's holders is underemployed. */
  boolean holds(IntRows sources, int task) {
    for (int i = sources.start(task); i < sources.end(task); i++) {
      if (found[sources.values()[i]]) {
        return true;
      }
    }
    return false;
  }
}
