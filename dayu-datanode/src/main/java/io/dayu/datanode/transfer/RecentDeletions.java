/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Which replicas of this DataNode have been deleted so lately that the NameNode may not know. A DataNode reports a
 * deletion with its next heartbeat, and orders what one report has by the blocks' ids, not by time: so the report of a
 * deletion may come after that of a replica that was made later.
 *
 * <p>A replica counts as gone when it is first asked for here and is no longer there, and the report as made a few
 * heartbeats later. If nobody asked for it while it was there, HDFS knows: it says that a replica is being deleted from
 * when it begins until 64 replicas have been deleted. Thread-safe; the replicas that were asked for least recently are
 * forgotten first.
 */
final class RecentDeletions {
  /** Heartbeats until a deletion counts as reported. */
  private static final int HEARTBEATS = 5;
  private static final int MAX_REPLICAS = 10_000;

  /** A replica of a block pool. */
  private record Replica(String blockPoolId, long blockId) {
  }

  private final DataNodeAccess node;
  private final long reportedNs;
  /** When each was first missed; null if it was there when it was last asked for. */
  private final Map<Replica, Long> missedNs = new LinkedHashMap<>(16, 0.75f, true) {
    @Override
    protected boolean removeEldestEntry(Map.Entry<Replica, Long> eldest) {
      return size() > MAX_REPLICAS;
    }
  };

  RecentDeletions(DataNodeAccess node) {
    this.node = node;
    this.reportedNs = HEARTBEATS * node.conf().getTimeDuration(DFSConfigKeys.DFS_HEARTBEAT_INTERVAL_KEY,
        DFSConfigKeys.DFS_HEARTBEAT_INTERVAL_DEFAULT, TimeUnit.SECONDS, TimeUnit.NANOSECONDS);
  }

  /** What the DataNode has of this replica, or the NameNode may think that it has; null if nothing. */
  synchronized String remains(String blockPoolId, long blockId, long nowNs) throws IOException {
    Replica replica = new Replica(blockPoolId, blockId);
    if (node.hasReplica(blockPoolId, blockId)) {
      missedNs.put(replica, null);
      return "still has";
    }
    boolean deleting = node.isDeleting(blockPoolId, blockId);
    if (!deleting && !missedNs.containsKey(replica)) {
      return null;
    }
    Long sinceNs = missedNs.get(replica);
    if (sinceNs == null) {
      sinceNs = nowNs;
      missedNs.put(replica, nowNs);
    }
    if (nowNs - sinceNs < reportedNs) {
      return "has just deleted";
    }
    if (!deleting) {
      missedNs.remove(replica);
    }
    return null;
  }
}
