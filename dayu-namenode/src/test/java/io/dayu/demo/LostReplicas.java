/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.demo;

import io.dayu.harness.DayuCluster;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerTestUtil;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * The blocks that had a replica on the dead node, and how many of them the NameNode's block map shows at full replication again: the
 * truth that Dayu's own counters are held against. Single-threaded.
 */
final class LostReplicas {
  private static final long RATE_WINDOW_NS = TimeUnit.SECONDS.toNanos(10);

  /** How much had come back at one moment. */
  private record Sample(long atNs, long doneBytes) {
  }

  private final DayuCluster cluster;
  private final int blocks;
  private final long bytes;
  private final List<BlockInfo> open;
  private final long startNs = System.nanoTime();
  private final Deque<Sample> recent = new ArrayDeque<>();
  private long openBytes;
  private long lastRecoveryNs = startNs;

  LostReplicas(DayuCluster cluster, List<BlockInfo> lost) {
    this.cluster = cluster;
    this.open = new ArrayList<>(lost);
    this.blocks = lost.size();
    this.bytes = lost.stream().mapToLong(BlockInfo::getNumBytes).sum();
    this.openBytes = bytes;
  }

  /** Looks at the blocks that were still open last time. */
  void refresh() {
    if (open.removeIf(this::isRecovered)) {
      openBytes = open.stream().mapToLong(BlockInfo::getNumBytes).sum();
      lastRecoveryNs = System.nanoTime();
    }
  }

  private boolean isRecovered(BlockInfo block) {
    int liveReplicas = BlockManagerTestUtil.getReplicaInfo(cluster.namesystem(), block)[1];
    return liveReplicas >= block.getReplication();
  }

  int blocks() {
    return blocks;
  }

  long bytes() {
    return bytes;
  }

  boolean allRecovered() {
    return open.isEmpty();
  }

  int recoveredBlocks() {
    return blocks - open.size();
  }

  long sinceLastRecoveryMs() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - lastRecoveryNs);
  }

  /** From the loss until the last block that has been seen recovered. */
  long elapsedMs() {
    return TimeUnit.NANOSECONDS.toMillis(lastRecoveryNs - startNs);
  }

  /**
   * Bar, blocks, bytes, and the rate of the last ten seconds with the ETA that follows from it, on one line.
   *
   * @param underWayBytes what transfers under way have received
   */
  String progress(long underWayBytes) {
    long nowNs = System.nanoTime();
    long doneBytes = bytes - Math.max(0, openBytes - underWayBytes);
    recent.add(new Sample(nowNs, doneBytes));
    while (nowNs - recent.getFirst().atNs() > RATE_WINDOW_NS) {
      recent.removeFirst();
    }
    Sample first = recent.getFirst();
    double bytesPerSec = (doneBytes - first.doneBytes()) * 1e9 / Math.max(1, nowNs - first.atNs());
    String eta = bytesPerSec == 0 ? "ETA ?" : String.format(Locale.ROOT, "ETA %.0f s", (bytes - doneBytes) / bytesPerSec);
    return Screen.bar((double) doneBytes / Math.max(1, bytes)) + "  " + recoveredBlocks() + "/" + blocks + " blocks  "
        + Screen.mib(doneBytes) + " of " + Screen.mib(bytes) + "  " + Screen.mib(bytesPerSec) + "/s  " + eta;
  }
}
