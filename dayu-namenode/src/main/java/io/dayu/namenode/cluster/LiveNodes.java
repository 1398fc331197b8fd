/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.cluster;

import io.dayu.blocks.BlockManagement;
import io.dayu.blocks.LiveNode;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The live DataNodes as last read from the NameNode. Owned by the recovery loop; not thread-safe. */
public final class LiveNodes {
  /** The list is read again this much before its maximum age, since a tick may come early. */
  private static final long SLACK_NS = TimeUnit.MILLISECONDS.toNanos(50);

  private final BlockManagement blocks;
  private final long maxAgeNs;
  private Map<String, LiveNode> nodes = Map.of();
  private long readNs;
  private int countRead;

  /** @param maxAgeNs maximum age of the list, if their number has not changed */
  public LiveNodes(BlockManagement blocks, long maxAgeNs) {
    this.blocks = blocks;
    this.maxAgeNs = maxAgeNs - SLACK_NS;
  }

  /**
   * The live DataNodes by UUID; reads them again if they are too old, if their number has changed, or if storages fill
   * up.
   */
  Map<String, LiveNode> refresh(long nowNs) {
    int count = blocks.liveNodeCount();
    if (nodes.isEmpty() || count != countRead || nowNs - readNs >= maxAgeNs || blocks.isRoomChanging()) {
      readNs = nowNs;
      countRead = count;
      nodes = new HashMap<>();
      for (LiveNode node : blocks.liveNodes()) {
        nodes.put(node.uuid(), node);
      }
    }
    return nodes;
  }

  /** Has the next {@link #refresh} read them again. */
  void expire() {
    countRead = -1;
  }
}
