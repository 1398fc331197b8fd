/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.datanode.TestNumber;
import io.dayu.datanode.transfer.MiniGroupCluster.Group;
import io.dayu.protocol.DayuProtos.GrantProto;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.DatanodeInfoBuilder;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.apache.hadoop.hdfs.server.protocol.BlockECReconstructionCommand.BlockECReconstructionInfo;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * CPU time and speed of rebuilt internal blocks: by the product, by the product on a full link, and by stock HDFS's
 * {@code ErasureCodingWorker}, in turn. One DataNode rebuilds all of a round. Each internal block is compared with what
 * it replaces, outside of what is measured. Not run by {@code mvn verify}:
 *
 * <pre>
 * mvn verify -pl dayu-datanode -DskipUTs=true -Dit.test=RebuildBesideStockBenchmark \
 *   -Dit.jvm.args="-Dbenchmark.block.mb=2" -Dfailsafe.failIfNoSpecifiedTests=false
 * </pre>
 */
class RebuildBesideStockBenchmark {
  private static final long SEED = 20261129;
  private static final int ROUNDS = TestNumber.count("benchmark.rounds", 8, 1);
  /** They warm up the JVM and are not counted. */
  private static final int WARMUP_ROUNDS = TestNumber.count("benchmark.warmups", 3, 0);
  private static final int GROUPS = TestNumber.count("benchmark.groups", 24, 1);
  private static final int INTERNAL_BYTES = (int) TestNumber.number("benchmark.block.mb", 2, 1, 2_047) << 20;
  private static final String POLICY = "RS-3-2-1024k";
  private static final int DATA_UNITS = 3;
  private static final int NODES = 6;
  private static final int LOST = 0;
  /** Far more than two processors can decode. */
  private static final long NO_LIMIT_BYTES_PER_SEC = 1L << 40;
  /** Makes packets wait. */
  private static final long FULL_LINK_BYTES_PER_SEC = 50_000_000;
  private static final Duration LIMIT = Duration.ofMinutes(2);

  private final MiniGroupCluster cluster;
  private final DataNode target;

  RebuildBesideStockBenchmark() throws Exception {
    cluster = new MiniGroupCluster(NODES, SEED, conf -> conf.set(DFSConfigKeys.DFS_HEARTBEAT_INTERVAL_KEY, "3s"));
    target = cluster.hdfs.getDataNodes().get(0);
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  @Test
  void cpuTimeOfARebuiltBlock_besideStock() throws Exception {
    System.out.println("seed " + SEED);
    List<Group> groups = groupsElsewhere();
    long bytes = (long) GROUPS * INTERNAL_BYTES;
    CpuCost stock = new CpuCost("stock", ROUNDS);
    CpuCost dayu = new CpuCost("dayu", ROUNDS);
    CpuCost dayuShaped = new CpuCost("dayu on a full link", ROUNDS);
    List<CpuCost> all = List.of(stock, dayu, dayuShaped);
    for (int round = -WARMUP_ROUNDS; round < ROUNDS; round++) {
      int row = Math.max(0, round);
      shapeSources(NO_LIMIT_BYTES_PER_SEC);
      stock.measure(row, bytes, () -> rebuildAsStock(groups));
      compareAndRemove(groups);
      measureDayu(dayu, row, groups, NO_LIMIT_BYTES_PER_SEC);
      shapeSources(FULL_LINK_BYTES_PER_SEC);
      measureDayu(dayuShaped, row, groups, FULL_LINK_BYTES_PER_SEC);
      System.out.println((round < 0 ? "warm-up " : "round ") + round + ": "
          + all.stream().map(cost -> cost.round(row)).collect(Collectors.joining("; ")));
    }
    System.out.println(GROUPS + " internal blocks of " + (INTERNAL_BYTES >> 20) + " MB, " + POLICY + ", medians of "
        + ROUNDS + " rounds:");
    all.forEach(cost -> System.out.println(cost.medians(stock)));
  }

  /** Groups of which the target has nothing. */
  private List<Group> groupsElsewhere() throws Exception {
    List<Group> groups = new ArrayList<>();
    while (groups.size() < GROUPS) {
      Group group = cluster.write(POLICY, DATA_UNITS * INTERNAL_BYTES);
      if (!group.holders().containsValue(target)) {
        groups.add(group);
      }
    }
    return groups;
  }

  private void shapeSources(long linkBytesPerSec) throws ReflectiveOperationException {
    for (DataNode node : cluster.hdfs.getDataNodes()) {
      DataNodeAccess access = new DataNodeAccess(node);
      NodeShaper shaper = new NodeShaper(PullCluster.settings(), 0, linkBytesPerSec);
      access.setReadThrottler(new RecoveryReadThrottler(shaper, null, new ServedReads(),
          new StockReconstructions(shaper), VolumeShapers.none(), access::countReplicatedBlock));
    }
  }

  private void rebuildAsStock(List<Group> groups) throws Exception {
    target.getErasureCodingWorker().processErasureCodingTasks(groups.stream().map(this::task).toList());
    awaitRebuilt(groups);
  }

  private BlockECReconstructionInfo task(Group group) {
    List<Integer> live = group.holders().keySet().stream().filter(index -> index != LOST).toList();
    DatanodeInfo[] sources = live.stream().map(index -> info(group.holders().get(index))).toArray(DatanodeInfo[]::new);
    byte[] indices = new byte[live.size()];
    for (int i = 0; i < indices.length; i++) {
      indices[i] = live.get(i).byteValue();
    }
    return new BlockECReconstructionInfo(group.block(), sources, new DatanodeInfo[] {info(target)}, new String[] {""},
        new StorageType[] {StorageType.DISK}, indices, new byte[0], group.policy());
  }

  private static DatanodeInfo info(DataNode node) {
    return new DatanodeInfoBuilder().setNodeID(node.getDatanodeId()).build();
  }

  private void measureDayu(CpuCost cost, int row, List<Group> groups, long linkBytesPerSec) throws Exception {
    NodeShaper shaper = new NodeShaper(PullCluster.settings(), 0, linkBytesPerSec);
    try (TransferService service = new TransferService(new DataNodeAccess(target), () -> GROUPS, shaper,
        VolumeShapers.none(), PullCluster.REBUILD_BYTES, () -> {}).start()) {
      GrantProto[] grants = groups.stream().map(group -> MiniGroupCluster.grant(group, LOST,
          MiniGroupCluster.sources(cluster.shuffled(group, LOST)), NO_LIMIT_BYTES_PER_SEC)).toArray(GrantProto[]::new);
      cost.measure(row, (long) GROUPS * INTERNAL_BYTES, () -> {
        cluster.apply(service, grants);
        awaitRebuilt(groups);
      });
      compareAndRemove(groups);
    }
  }

  private void awaitRebuilt(List<Group> groups) throws Exception {
    for (Group group : groups) {
      Poll.until("the internal block of " + group.path(), LIMIT,
          () -> target.getFSDataset().isValidBlock(group.internalBlock(LOST)), group::path);
    }
  }

  /** Removes them, too, so that the next round finds nothing. */
  private void compareAndRemove(List<Group> groups) throws Exception {
    for (Group group : groups) {
      PullCluster.assertSameFiles(group.internalBlock(LOST), group.holders().get(LOST), target);
      MiniGroupCluster.remove(target, group.internalBlock(LOST));
    }
  }
}
