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
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import static io.dayu.datanode.transfer.MiniGroupCluster.CELL;
import static io.dayu.datanode.transfer.MiniGroupCluster.FAST;
import static io.dayu.datanode.transfer.MiniGroupCluster.LIMIT;
import static io.dayu.datanode.transfer.MiniGroupCluster.grant;
import static io.dayu.datanode.transfer.MiniGroupCluster.sources;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Rebuilds that wait, and those that end without a block. */
class RebuildEndIT extends RebuildFixture {
  /** As long as a DataNode has not deleted an internal block that HDFS no longer counts, and reported that. */
  @Test
  void nodeWithAnotherIndex_makesNone_untilItHasReportedThatItIsDeleted() throws Exception {
    Group group = cluster.write("RS-3-2-1024k", 3 * CELL);
    ExtendedBlock other = group.internalBlock(4);
    DataNode target = group.holders().get(4);
    TransferService service = cluster.service(target);
    List<SourceProto> sources =
        List.of(0, 1, 2).stream().map(index -> MiniGroupCluster.source(index, group.holders().get(index))).toList();
    GrantProto rebuild = grant(group, 3, sources, FAST);
    GrantProto copy = grant(group, 0, sources, FAST).toBuilder().clearGroup().clearFurtherSources().build();
    assertRefused(service, rebuild, "still has index 4");
    assertRefused(service, copy, "still has index 4");
    MiniGroupCluster.delete(target, other);
    assertRefused(service, grant(group, 3, sources, FAST), "has just deleted index 4");
    long fiveHeartbeats = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
    Poll.until("five heartbeats", LIMIT, () -> System.nanoTime() - fiveHeartbeats > 0, () -> "");
    rebuild = grant(group, 3, sources, FAST);
    cluster.apply(service, rebuild);
    cluster.assertRebuilt(service, target, group, 3, rebuild);
    cluster.fs.delete(group.path(), false);
  }

  /** Nobody had asked for it while it was there: HDFS says so. */
  @Test
  void nodeThatHasJustDeletedAnotherIndex_makesNone() throws Exception {
    Group group = cluster.write("RS-3-2-1024k", 3 * CELL);
    DataNode target = group.holders().get(4);
    MiniGroupCluster.delete(target, group.internalBlock(4));
    List<SourceProto> sources =
        List.of(0, 1, 2).stream().map(index -> MiniGroupCluster.source(index, group.holders().get(index))).toList();
    assertRefused(cluster.service(target), grant(group, 3, sources, FAST), "has just deleted index 4");
    cluster.fs.delete(group.path(), false);
  }

  private static void assertRefused(TransferService service, GrantProto grant, String why) throws Exception {
    cluster.apply(service, grant);
    FinishedTransferProto end = cluster.end(service, grant);
    assertEquals(Outcome.TARGET_FAILED, end.getOutcome(), end::getMessage);
    assertTrue(end.getTargetDeletes() && end.getMessage().contains(why), end::getMessage);
    service.granted().acknowledge(cluster.pool(), List.of(grant.getAttempt()));
  }

  @Test
  void sourceWithoutAlternate_endsTheTransferAfter15Seconds() throws Exception {
    Group group = cluster.write("XOR-2-1-1024k", 2 * CELL);
    DataNode target = cluster.free(group);
    TransferService service = cluster.service(target);
    List<SourceProto> from = new ArrayList<>(sources(cluster.shuffled(group, 0)));
    try (ClosedPort closed = new ClosedPort()) {
      from.set(1, from.get(1).toBuilder().setTransferPort(closed.number()).build());
      GrantProto grant = grant(group, 0, from, FAST);
      cluster.apply(service, grant);
      FinishedTransferProto end = cluster.end(service, grant);
      assertEquals(Outcome.SOURCE_FAILED, end.getOutcome());
      assertEquals(from.get(1).getDatanodeUuid(), end.getSourceUuid());
    }
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
      Poll.until("bytes are there", LIMIT, () -> cluster.running(service).getDoneBytes() > 0,
          () -> cluster.running(service));
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
}
