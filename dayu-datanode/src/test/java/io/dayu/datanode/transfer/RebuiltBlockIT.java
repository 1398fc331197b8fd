/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.datanode.transfer.MiniGroupCluster.Group;
import io.dayu.protocol.DayuProtos.FinishedTransferProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.RunningTransferProto;
import io.dayu.protocol.DayuProtos.SourceProto;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.test.MetricsAsserts;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static io.dayu.datanode.transfer.MiniGroupCluster.CELL;
import static io.dayu.datanode.transfer.MiniGroupCluster.FAST;
import static io.dayu.datanode.transfer.MiniGroupCluster.LIMIT;
import static io.dayu.datanode.transfer.MiniGroupCluster.SMALL_CELL;
import static io.dayu.datanode.transfer.MiniGroupCluster.from;
import static io.dayu.datanode.transfer.MiniGroupCluster.grant;
import static io.dayu.datanode.transfer.MiniGroupCluster.sources;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Internal blocks that transfers rebuild have the content and the checksums of the lost ones, whatever happens. */
@Timeout(300)
class RebuiltBlockIT {
  private static final Map<String, Integer> DATA_UNITS =
      Map.of("RS-3-2-1024k", 3, "RS-6-3-1024k", 6, "XOR-2-1-1024k", 2);
  private static final long SEED = Long.getLong("rebuild.seed", 1);

  private static MiniGroupCluster cluster;
  private final Random random = new Random(SEED);

  @BeforeAll
  static void start() throws Exception {
    System.out.println("rebuild.seed " + SEED);
    cluster = new MiniGroupCluster(11, SEED, conf -> {
      conf.setBoolean(DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_KEY, true);
      conf.setBoolean(DFSConfigKeys.DFS_DN_EC_RECONSTRUCTION_VALIDATION_KEY, true);
    });
  }

  @AfterEach
  void nothingLeaks() throws Exception {
    cluster.assertNothingLeaks();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @Test
  void everyIndexOfEveryLength_isRebuiltByteForByte() throws Exception {
    int rebuilt = 0;
    for (Map.Entry<String, Integer> policy : DATA_UNITS.entrySet()) {
      int stripe = policy.getValue() * CELL;
      for (int bytes : new int[] {1, CELL - 1, CELL, CELL + 1, stripe, stripe + 1, 2 * stripe + CELL / 2}) {
        Group group = cluster.write(policy.getKey(), bytes);
        for (int lost : group.holders().keySet()) {
          rebuild(group, lost, sources(cluster.shuffled(group, lost)).subList(0, group.dataBlocks()));
          rebuilt++;
        }
        cluster.fs.delete(group.path(), false);
      }
    }
    assertEquals(90, rebuilt);
  }

  @Test
  void everySetOfSources_givesTheSameBlock() throws Exception {
    int rebuilt = 0;
    for (String policy : List.of(cluster.smallCells("rs", 3, 2), cluster.smallCells("rs", 6, 3))) {
      Group group = cluster.write(policy, (1 + random.nextInt(30)) * SMALL_CELL + random.nextInt(SMALL_CELL));
      for (int lost : group.holders().keySet()) {
        List<SourceProto> others = sources(cluster.shuffled(group, lost));
        for (int set = 0; set < 1 << others.size(); set++) {
          if (Integer.bitCount(set) == group.dataBlocks()) {
            int members = set;
            rebuild(group, lost, IntStream.range(0, others.size()).filter(i -> (members & 1 << i) != 0)
                .mapToObj(others::get).toList());
            rebuilt++;
          }
        }
      }
    }
    System.out.println("sets of sources: " + rebuilt);
  }

  private void rebuild(Group group, int lost, List<SourceProto> from) throws Exception {
    DataNode target = cluster.free(group);
    TransferService service = cluster.service(target);
    GrantProto grant = grant(group, lost, from, FAST);
    cluster.apply(service, grant);
    cluster.assertRebuilt(service, target, group, lost, grant);
  }

  /** As long as a DataNode has not deleted an internal block that HDFS no longer counts. */
  @Test
  void nodeWithAnotherIndex_makesNone_untilItHasDeletedThat() throws Exception {
    Group group = cluster.write("RS-3-2-1024k", 3 * CELL);
    ExtendedBlock other = group.internalBlock(4);
    DataNode target = group.holders().get(4);
    TransferService service = cluster.service(target);
    List<SourceProto> sources =
        List.of(0, 1, 2).stream().map(index -> MiniGroupCluster.source(index, group.holders().get(index))).toList();
    GrantProto rebuild = grant(group, 3, sources, FAST);
    GrantProto copy = grant(group, 0, sources, FAST).toBuilder().clearGroup().clearFurtherSources().build();
    for (GrantProto refused : List.of(rebuild, copy)) {
      cluster.apply(service, refused);
      FinishedTransferProto end = cluster.end(service, refused);
      assertEquals(Outcome.TARGET_FAILED, end.getOutcome(), end::getMessage);
      assertTrue(end.getMessage().contains("still has index 4"), end::getMessage);
      service.granted().acknowledge(cluster.pool(), List.of(refused.getAttempt()));
    }
    MiniGroupCluster.remove(target, other);
    rebuild = grant(group, 3, sources, FAST);
    cluster.apply(service, rebuild);
    cluster.assertRebuilt(service, target, group, 3, rebuild);
    cluster.fs.delete(group.path(), false);
  }

  /** Each grant names another choice of sources, whatever the transfer has got by then. */
  @Test
  void grantsThatNameOtherSources_changeNothing() throws Exception {
    int changes = 0;
    for (String policy : DATA_UNITS.keySet()) {
      Group group = cluster.write(policy, 2 * DATA_UNITS.get(policy) * CELL + CELL / 2 + 100);
      for (int lost : group.holders().keySet()) {
        DataNode target = cluster.free(group);
        TransferService service = cluster.service(target);
        GrantProto grant = grant(group, lost, sources(cluster.shuffled(group, lost)), 4 << 20);
        cluster.apply(service, grant);
        while (cluster.ended(service, grant) == null) {
          Thread.sleep(random.nextInt(150));
          cluster.apply(service, from(grant, group, sources(cluster.shuffled(group, lost))));
          changes++;
        }
        cluster.assertRebuilt(service, target, group, lost, grant);
      }
    }
    System.out.println("grants with other sources: " + changes);
  }

  /** A report names what the next NameNode needs to adopt the transfer. */
  @Test
  void report_namesGroupAllSourcesAndTheSlowest() throws Exception {
    Group group = cluster.write("RS-3-2-1024k", 6 * CELL);
    DataNode target = cluster.free(group);
    TransferService service = cluster.service(target);
    List<SourceProto> from = new ArrayList<>(sources(cluster.shuffled(group, 1)).subList(0, 3));
    try (
        BreakingSource slow = BreakingSource.slow(group.holders().get(from.get(2).getIndex()).getXferPort(), 200_000)) {
      from.set(2, from.get(2).toBuilder().setTransferPort(slow.port()).build());
      GrantProto grant = grant(group, 1, from, 2 << 20);
      cluster.apply(service, grant);
      // At first another one may have been late.
      Poll.until("the slow source is named", LIMIT, () -> running(service).getSlowestSourceUuid()
          .equals(from.get(2).getDatanodeUuid()) && running(service).getWaitedForSlowestMs() > 100,
          () -> running(service));
      RunningTransferProto report = running(service);
      assertEquals(grant.getGroup(), report.getGroup());
      assertEquals(from.get(0), report.getSource());
      assertEquals(from.subList(1, 3), report.getFurtherSourcesList());
      cluster.apply(service, from(grant, group, sources(without(group, from.get(2).getIndex()))));
      cluster.assertRebuilt(service, target, group, 1, grant);
    }
  }

  /** All indices but the lost one and another. */
  private static Map<Integer, DataNode> without(Group group, int other) {
    Map<Integer, DataNode> rest = MiniGroupCluster.shuffled(group, 1, new Random(1));
    rest.remove(other);
    return rest;
  }

  private static RunningTransferProto running(TransferService service) {
    return service.granted().status(cluster.pool()).running().get(0);
  }

  @Test
  void sourceThatFails_isReplacedByAnAlternate_andNamedInReports() throws Exception {
    Group group = cluster.write("RS-6-3-1024k", 12 * CELL);
    DataNode target = cluster.free(group);
    TransferService service = cluster.service(target);
    List<SourceProto> from = new ArrayList<>(sources(cluster.shuffled(group, 0)));
    try (BreakingSource broken = BreakingSource.breaking(
        group.holders().get(from.get(4).getIndex()).getXferPort(), () -> 100_000)) {
      from.set(4, from.get(4).toBuilder().setTransferPort(broken.port()).build());
      // So slow that it is not over before it is looked at.
      GrantProto grant = grant(group, 0, from, 64 << 10);
      cluster.apply(service, grant);
      Poll.until("the failure is reported", LIMIT, () -> running(service).hasFailedSourceUuid(),
          () -> running(service));
      RunningTransferProto report = running(service);
      assertEquals(from.get(4).getDatanodeUuid(), report.getFailedSourceUuid());
      assertEquals(from.get(6), report.getFurtherSources(3));
      cluster.apply(service, grant.toBuilder().setSource(report.getSource()).clearFurtherSources()
          .addAllFurtherSources(report.getFurtherSourcesList()).clearAlternates().setRateBytesPerSec(FAST).build());
      cluster.assertRebuilt(service, target, group, 0, grant);
    }
  }

  @Test
  void corruptSource_isReportedAndReplaced() throws Exception {
    Group group = cluster.write("RS-3-2-1024k", 6 * CELL);
    DataNode target = cluster.free(group);
    TransferService service = cluster.service(target);
    List<SourceProto> from = sources(cluster.shuffled(group, 2));
    DataNode corrupt = group.holders().get(from.get(1).getIndex());
    PullCluster.corruptReplica(group.internalBlock(from.get(1).getIndex()), corrupt, 1_500_000);
    GrantProto grant = grant(group, 2, from, FAST);
    cluster.apply(service, grant);
    cluster.assertRebuilt(service, target, group, 2, grant);
    Poll.until("the NameNode knows of the corrupt replica", LIMIT,
        () -> !cluster.corruptHolders(group).isEmpty(), () -> cluster.corruptHolders(group));
  }

  @Test
  void sourceWithoutAlternate_endsTheTransferAfter15Seconds() throws Exception {
    Group group = cluster.write("XOR-2-1-1024k", 2 * CELL);
    DataNode target = cluster.free(group);
    TransferService service = cluster.service(target);
    List<SourceProto> from = new ArrayList<>(sources(cluster.shuffled(group, 0)));
    from.set(1, from.get(1).toBuilder().setTransferPort(1).build());
    GrantProto grant = grant(group, 0, from, FAST);
    cluster.apply(service, grant);
    FinishedTransferProto end = cluster.end(service, grant);
    assertEquals(Outcome.SOURCE_FAILED, end.getOutcome());
    assertEquals(from.get(1).getDatanodeUuid(), end.getSourceUuid());
    PullCluster.assertNoTrace(group.internalBlock(0), target);
  }

  @Test
  void cancelledPausedAndExpired_leaveNothing() throws Exception {
    Group group = cluster.write("RS-6-3-1024k", 12 * CELL);
    DataNode target = cluster.free(group);
    TransferService service = cluster.service(target);
    for (String how : List.of("cancel", "pause and cancel", "lease", "interrupt", "fewer sources")) {
      GrantProto grant = grant(group, 3, sources(cluster.shuffled(group, 3)), 64 << 10);
      cluster.apply(service, grant);
      Poll.until("bytes are there", LIMIT, () -> running(service).getDoneBytes() > 0, () -> running(service));
      switch (how) {
        case "lease" -> cluster.apply(service, grant.toBuilder().setLeaseMs(1).build());
        case "interrupt" -> Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().startsWith("dayu-transfer-blk")
                && !thread.getName().contains("-source-"))
            .forEach(Thread::interrupt);
        case "fewer sources" -> cluster.apply(service, grant.toBuilder().removeFurtherSources(0).build());
        case "cancel" -> cluster.apply(service);
        default -> {
          cluster.apply(service, grant.toBuilder().setRateBytesPerSec(0).build());
          cluster.apply(service);
        }
      }
      FinishedTransferProto end = cluster.end(service, grant);
      assertEquals(switch (how) {
        case "lease" -> Outcome.LEASE_EXPIRED;
        case "interrupt", "fewer sources" -> Outcome.TARGET_FAILED;
        default -> Outcome.CANCELLED;
      }, end.getOutcome(), how + ": " + end.getMessage());
      assertTrue(end.getWastedBytes() > 0, how);
      PullCluster.assertNoTrace(group.internalBlock(3), target);
    }
  }

  /** More than the memory is enough for wait, and all are rebuilt. */
  @Test
  void memory_boundsHowManyRunAtOnce() throws Exception {
    Group group = cluster.write("RS-3-2-1024k", 3 * CELL);
    DataNode target = cluster.free(group);
    TransferService service = cluster.service(target, PullCluster.shaper(), 2 << 20);
    List<Group> groups = new ArrayList<>();
    List<GrantProto> grants = new ArrayList<>();
    while (groups.size() < 4) {
      Group another = cluster.write("RS-3-2-1024k", 3 * CELL);
      if (!another.holders().containsValue(target)) {
        groups.add(another);
        grants.add(grant(another, 1, sources(cluster.shuffled(another, 1)), 64 << 10));
      }
    }
    cluster.apply(service, grants.toArray(new GrantProto[0]));
    Poll.until("one runs", LIMIT, () -> rebuildsUnderWay(service) > 0,
        () -> service.granted().status(cluster.pool()));
    cluster.apply(service, grants.stream().map(grant -> grant.toBuilder().setRateBytesPerSec(2 << 20).build())
        .toArray(GrantProto[]::new));
    // One takes 19 packets of 64 KiB.
    Poll.until("all have ended", LIMIT, () -> {
      assertTrue(rebuildsUnderWay(service) <= 1, "more than one at once");
      return grants.stream().allMatch(grant -> cluster.ended(service, grant) != null);
    }, () -> service.granted().status(cluster.pool()));
    for (int i = 0; i < groups.size(); i++) {
      cluster.assertRebuilt(service, target, groups.get(i), 1, grants.get(i));
    }
  }

  /**
   * How many held memory between two looks: they had bytes at the first one, and lacked some at the second one. One
   * that has all its bytes may have given its memory back.
   */
  private static long rebuildsUnderWay(TransferService service) {
    Set<Long> begun = service.granted().status(cluster.pool()).running().stream()
        .filter(rebuild -> rebuild.getDoneBytes() > 0).map(RunningTransferProto::getAttempt)
        .collect(Collectors.toSet());
    return service.granted().status(cluster.pool()).running().stream()
        .filter(rebuild -> begun.contains(rebuild.getAttempt())
            && rebuild.getDoneBytes() < rebuild.getBlock().getNumBytes())
        .count();
  }

  @Test
  void stocksCounters_countRebuilds() throws Exception {
    Group group = cluster.write("RS-3-2-1024k", 3 * CELL);
    DataNode target = cluster.free(group);
    String metrics = target.getMetrics().name();
    long tasks = MetricsAsserts.getLongCounter("EcReconstructionTasks", MetricsAsserts.getMetrics(metrics));
    long read = MetricsAsserts.getLongCounter("EcReconstructionBytesRead", MetricsAsserts.getMetrics(metrics));
    long written = MetricsAsserts.getLongCounter("EcReconstructionBytesWritten", MetricsAsserts.getMetrics(metrics));
    rebuild(group, 1, sources(cluster.shuffled(group, 1)));
    cluster.assertNothingLeaks();
    assertEquals(tasks + 1, MetricsAsserts.getLongCounter("EcReconstructionTasks", MetricsAsserts.getMetrics(metrics)));
    assertEquals(read + 3 * CELL,
        MetricsAsserts.getLongCounter("EcReconstructionBytesRead", MetricsAsserts.getMetrics(metrics)));
    assertEquals(written + CELL,
        MetricsAsserts.getLongCounter("EcReconstructionBytesWritten", MetricsAsserts.getMetrics(metrics)));
  }
}
