/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.conf.Setting;
import io.dayu.harness.Await;
import io.dayu.harness.ClusterBuilder;
import io.dayu.harness.ClusterVerifier;
import io.dayu.harness.DayuCluster;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.test.GenericTestUtils.LogCapturer;
import org.junit.jupiter.api.AfterEach;
import org.slf4j.LoggerFactory;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * A cluster on which faults are made while Dayu recovers, and the faults that are made with security and without it.
 * Each of these kills a DataNode, makes the fault, and waits until all is as if nothing had gone wrong. One thread.
 */
abstract class FaultsFixture {
  static final int NODES = 6;
  static final Duration LIMIT = Duration.ofSeconds(90);
  static final int BLOCK_BYTES = 3 << 20;
  static final int LARGE_BLOCK_BYTES = 16 << 20;
  private static final long LINK_BYTES_PER_SEC = 8_000_000;

  final TransferLog log = new TransferLog();
  DayuCluster cluster;

  /** A block that a node has received in part: the target of a transfer under way. */
  record Partial(int node, long blockId, long bytes) {
  }

  @AfterEach
  void close() throws Exception {
    log.close();
    if (cluster != null) {
      cluster.close();
    }
  }

  void start(ClusterBuilder builder, int agents) throws Exception {
    cluster = builder.start();
    StatusProbe.awaitDayu(agents);
  }

  /**
   * Links of which recovery may use no more than 0.75 times this bandwidth, until {@link #hurry}. So a fault finds
   * transfers under way, and the rest of the recovery takes no time after {@link #hurry}.
   */
  static ClusterBuilder slowAtFirst(ClusterBuilder builder, long bytesPerSec) {
    return builder.bandwidthBytesPerSec(LINK_BYTES_PER_SEC).conf("dayu.recovery.max-utilization",
        Double.toString(0.75 * bytesPerSec / LINK_BYTES_PER_SEC));
  }

  /** Lets recovery fill links as far as it does by default, in a cluster that is {@link #slowAtFirst}. */
  static void hurry(DayuCluster cluster) throws Exception {
    cluster.admin().setMaxUtilization(Setting.MAX_UTILIZATION.defaultText());
  }

  void hurry() throws Exception {
    hurry(cluster);
  }

  /** Files of two blocks each, with three replicas. */
  void write(int files) throws Exception {
    for (int i = 0; i < files; i++) {
      cluster.write("/f" + i, 2L * BLOCK_BYTES - 1_000 * i - 1, 3);
    }
  }

  /** Files of one large block each, with three replicas. */
  void writeLarge(int files) throws Exception {
    for (int i = 0; i < files; i++) {
      cluster.write("/f" + i, LARGE_BLOCK_BYTES - 1, 3);
    }
  }

  void assertRecovered() throws Exception {
    new ClusterVerifier(cluster).assertRecovers(LIMIT);
  }

  void killFullestNode() {
    cluster.kill(cluster.fullestNode());
  }

  Partial awaitPartial() throws Exception {
    return awaitPartial(Set.of());
  }

  private Partial awaitPartial(Set<Long> exceptBlocks) throws Exception {
    ClusterVerifier verifier = new ClusterVerifier(cluster);
    List<Partial> found = new ArrayList<>();
    Await.until("a node that receives a block", LIMIT, () -> {
      for (int node = 0; node < NODES; node++) {
        for (Path partial : cluster.isRunning(node) ? verifier.partialReplicas(node) : List.<Path>of()) {
          String name = partial.getFileName().toString();
          long block = Long.parseLong(name.split("_")[1]);
          long bytes = partial.toFile().length();
          // 0 if the replica has become final meanwhile.
          if (!name.endsWith(".meta") && bytes > 0 && !exceptBlocks.contains(block)) {
            found.add(new Partial(node, block, bytes));
          }
        }
      }
      return !found.isEmpty();
    }, StatusProbe::describe);
    // The one with the fewest bytes, so that it does not arrive before it is cancelled.
    return Collections.min(found, Comparator.comparingLong(Partial::bytes));
  }

  /** What happens to a file while one of its blocks is under way. */
  @FunctionalInterface
  interface FileFault {
    void on(String path) throws Exception;
  }

  /**
   * Deletes or reopens the file of a block under way, and awaits that its transfer is cancelled for that. Just before,
   * it may have been received, or evicted by a plan; then the file of another one takes its turn. Returns the block.
   */
  long cancelInMidTransfer(FileFault fault) throws Exception {
    Set<Long> tried = new HashSet<>();
    while (true) {
      Partial partial = awaitPartial(tried);
      String path = fileOf(partial.blockId());
      cluster.blocksOf(path).forEach(block -> tried.add(block.getBlock().getBlockId()));
      fault.on(path);
      if (awaitLastEnd(partial).equals("the block was deleted or reopened")) {
        return partial.blockId();
      }
    }
  }

  /** Why the last transfer of the block to the node ended, of which an earlier one may be all that is there. */
  private String awaitLastEnd(Partial partial) throws Exception {
    String target = cluster.dataNode(partial.node()).getDatanodeUuid();
    Predicate<TransferLog.End> isEnd = end -> end.blockId() == partial.blockId() && end.target().equals(target);
    Await.until("the end of the transfer of " + partial, LIMIT, () -> log.ended().stream().anyMatch(isEnd), log::ended);
    return log.ended().stream().filter(isEnd).reduce((earlier, later) -> later).orElseThrow().why();
  }

  String fileOf(long blockId) throws Exception {
    for (String path : cluster.files().lengthsBytes().keySet()) {
      for (LocatedBlock block : cluster.blocksOf(path)) {
        if (block.getBlock().getBlockId() == blockId) {
          return path;
        }
      }
    }
    throw new AssertionError("no file has block " + blockId);
  }

  /**
   * The target reports a corrupt source to the NameNode, and another source serves. Needs an underemployed-ratio of 0.
   * Returns the number of the DataNode that was killed.
   */
  int corruptSource() throws Exception {
    cluster.write("/corrupt", BLOCK_BYTES - 1, 3);
    new ClusterVerifier(cluster).awaitSettled(LIMIT);
    // Of two sources with nothing else to do, the one with the lesser UUID is chosen: that is the one to damage.
    LocatedBlock block = cluster.blocksOf("/corrupt").get(0);
    List<String> holders = new ArrayList<>();
    for (DatanodeInfo holder : block.getLocations()) {
      holders.add(holder.getDatanodeUuid());
    }
    int lost = cluster.nodeOf(holders.remove(0));
    Collections.sort(holders);
    cluster.corruptReplica(block.getBlock(), cluster.nodeOf(holders.get(0)));
    LogCapturer nameNodeLog = LogCapturer.captureLogs(LoggerFactory.getLogger("BlockStateChange"));
    cluster.kill(lost);
    // The agent may go on from another source, and be done, before the NameNode hears of it.
    String damaged = cluster.dataNode(cluster.nodeOf(holders.get(0))).getDatanodeId().getXferAddr();
    StatusProbe.await("the target has reported the corrupt source",
        () -> nameNodeLog.getOutput().contains("added as corrupt on " + damaged));
    hurry();
    assertRecovered();
    nameNodeLog.stopCapturing();
    return lost;
  }

  /** A transfer of a block that is appended to is cancelled, for the new version is copied. */
  void appendInMidTransfer() throws Exception {
    // Of one block each, so that the block that is pulled is the one that is appended to.
    for (int i = 0; i < 12; i++) {
      cluster.write("/appended" + i, BLOCK_BYTES - 400_000, 3);
    }
    killFullestNode();
    StatusProbe.awaitRunning(2);
    cancelInMidTransfer(path -> cluster.append(path, 300_000));
    hurry();
    assertRecovered();
  }

  /** Restarts the active NameNode, which adopts the running transfers. They must outlast the restart. */
  void restartNameNodeInMidTransfer() throws Exception {
    write(6);
    killFullestNode();
    StatusProbe.awaitRunning(2);
    cluster.nameNodes().restart();
    StatusProbe.await("adoption", () -> StatusProbe.status() != null && StatusProbe.status().getTotalAdopted() > 0);
    hurry();
    assertRecovered();
  }
}
