/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.demo;

import io.dayu.demo.ModeResult.Recovered;
import io.dayu.harness.DayuCluster;
import io.dayu.programs.Screen;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * The blocks that had a replica on the dead node, and how many of them the NameNode's block map shows at full
 * replication again: the truth that Dayu's own counters are held against. Single-threaded. A block whose file a client
 * deletes in the meantime is no loss.
 */
final class LostReplicas {
  private static final double RATE_WINDOW_SEC = 10;

  private enum State {
    OPEN, RECOVERED, DELETED
  }

  /** The size as it was: that of a deleted block says nothing. */
  private record Lost(BlockInfo block, long bytes) {
  }

  private final DayuCluster cluster;
  private final long startNs;
  private final List<Lost> open = new ArrayList<>();
  private final List<Lost> recovered = new ArrayList<>();
  private final List<Recovered> course = new ArrayList<>();
  private final Deque<Recovered> recent = new ArrayDeque<>();
  private int blocks;
  private int deletedBlocks;
  private long bytes;
  private long openBytes;
  private long lastRecoveryNs;

  /**
   * @param lost all that the node held; blocks that are being written are left out
   * @param startNs when the node was declared dead
   */
  LostReplicas(DayuCluster cluster, List<BlockInfo> lost, long startNs) {
    this.cluster = cluster;
    this.startNs = startNs;
    cluster.namesystem().readLock();
    try {
      lost.stream().filter(block -> block.isComplete() && !block.isDeleted())
          .forEach(block -> open.add(new Lost(block, block.getNumBytes())));
    } finally {
      cluster.namesystem().readUnlock("LostReplicas");
    }
    this.blocks = open.size();
    this.bytes = bytes(open);
    this.openBytes = bytes;
    this.lastRecoveryNs = startNs;
    course.add(new Recovered(0, 0));
  }

  private static long bytes(List<Lost> blocks) {
    return blocks.stream().mapToLong(Lost::bytes).sum();
  }

  /** Looks at the blocks that were still open last time. */
  void refresh() {
    List<Lost> stillOpen = new ArrayList<>();
    int recoveredBefore = recovered.size();
    for (Lost lost : open) {
      switch (stateOf(lost.block())) {
        case OPEN -> stillOpen.add(lost);
        case RECOVERED -> recovered.add(lost);
        case DELETED -> forget(lost);
      }
    }
    if (recovered.size() > recoveredBefore) {
      lastRecoveryNs = System.nanoTime();
    }
    open.clear();
    open.addAll(stillOpen);
    openBytes = bytes(open);
    if (bytes - openBytes > course.get(course.size() - 1).bytes()) {
      course.add(new Recovered(elapsedSec(), bytes - openBytes));
    }
  }

  private void forget(Lost deleted) {
    blocks--;
    deletedBlocks++;
    bytes -= deleted.bytes();
  }

  private State stateOf(BlockInfo block) {
    cluster.namesystem().readLock();
    try {
      if (block.isDeleted()) {
        return State.DELETED;
      }
      return cluster.blockManager().countNodes(block).liveReplicas() >= block.getReplication() ? State.RECOVERED
          : State.OPEN;
    } finally {
      cluster.namesystem().readUnlock("LostReplicas");
    }
  }

  int blocks() {
    return blocks;
  }

  /** Why there are fewer blocks than at the loss: a clause for people, empty if there are not. */
  String deleted() {
    return deletedBlocks == 0 ? "" : "; clients have deleted the other " + deletedBlocks + " meanwhile";
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

  /** Forgets the recovered blocks that clients have deleted since, as nobody can tell any more who recovered them. */
  void forgetDeleted() {
    for (Lost lost : List.copyOf(recovered)) {
      if (stateOf(lost.block()) == State.DELETED) {
        recovered.remove(lost);
        forget(lost);
      }
    }
  }

  /** What had come back, each time that something had. */
  List<Recovered> course() {
    return List.copyOf(course);
  }

  long startNs() {
    return startNs;
  }

  long sinceStartMs() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
  }

  long sinceLastRecoveryMs() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - lastRecoveryNs);
  }

  /** From the loss until the last block that has been seen recovered. */
  double elapsedSec() {
    return (lastRecoveryNs - startNs) / 1e9;
  }

  /**
   * Bar, blocks, bytes, and the rate of the last ten seconds with the ETA that follows from it, on one line.
   *
   * @param underWayBytes what transfers under way have received
   */
  String progress(long underWayBytes) {
    double nowSec = (System.nanoTime() - startNs) / 1e9;
    long doneBytes = bytes - Math.max(0, openBytes - underWayBytes);
    recent.add(new Recovered(nowSec, doneBytes));
    while (nowSec - recent.getFirst().atSec() > RATE_WINDOW_SEC) {
      recent.removeFirst();
    }
    Recovered first = recent.getFirst();
    double bytesPerSec = (doneBytes - first.bytes()) / Math.max(1e-9, nowSec - first.atSec());
    String eta =
        bytesPerSec == 0 ? "ETA ?" : String.format(Locale.ROOT, "ETA %.0f s", (bytes - doneBytes) / bytesPerSec);
    return Screen.bar((double) doneBytes / Math.max(1, bytes)) + "  " + recoveredBlocks() + "/" + blocks + " blocks  "
        + Screen.mib(doneBytes) + " of " + Screen.mib(bytes) + "  " + Screen.mib(bytesPerSec) + "/s  " + eta;
  }
}
