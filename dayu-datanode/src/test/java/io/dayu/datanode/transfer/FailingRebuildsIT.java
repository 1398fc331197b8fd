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
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.SourceProto;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerTestUtil;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import static io.dayu.datanode.transfer.MiniGroupCluster.FAST;
import static io.dayu.datanode.transfer.MiniGroupCluster.LIMIT;
import static io.dayu.datanode.transfer.MiniGroupCluster.SMALL_CELL;
import static io.dayu.datanode.transfer.MiniGroupCluster.grant;
import static io.dayu.datanode.transfer.MiniGroupCluster.sources;
import static io.dayu.datanode.transfer.MiniGroupCluster.withCodec;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

/**
 * After many rebuilds that have failed, a DataNode still gets work of stock HDFS, and does it (HDFS-12044, HDFS-14353,
 * HDFS-16839: it counted those under way wrongly, and its NameNode gave it too much or nothing).
 * {@code -Drebuilds.count} says how many.
 */
@Tag("default-line")
class FailingRebuildsIT {
  private static final int COUNT = TestNumber.count("rebuilds.count", 200, 1);
  private static final long SEED = TestNumber.seed("rebuilds.seed", 1);
  private static final int LOST = 1;

  /** How a rebuild fails. */
  private enum Failure {
    CODER, CODEC, SOURCE, LEASE
  }

  private MiniGroupCluster cluster;
  private Group group;
  private TransferService service;
  private int closedPort;

  @Test
  @Timeout(900)
  void stocksWork_isStillDone() throws Exception {
    System.out.println("rebuilds.seed " + SEED);
    // One DataNode has nothing of the group: all is rebuilt there.
    try (ClosedPort closed = new ClosedPort();
        MiniGroupCluster started = MiniGroupCluster.withTokensAndValidation(6, SEED)) {
      closedPort = closed.number();
      cluster = started;
      group = cluster.write(cluster.smallCells("rs", 3, 2), 6 * SMALL_CELL);
      DataNode target = cluster.free(group);
      service = cluster.service(target);
      Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);
      for (int i = 0; i < COUNT; i++) {
        outcomes.merge(fail(Failure.values()[i % Failure.values().length]), 1, Integer::sum);
      }
      System.out.println(COUNT + " rebuilds: " + outcomes);
      PullCluster.assertNoTrace(group.internalBlock(LOST), target);
      cluster.assertNothingLeaks();
      assertEquals(0, target.getXmitsInProgress());
      rebuildByStock(target);
      assertEquals(0, target.getXmitsInProgress());
    }
  }

  private Outcome fail(Failure how) throws Exception {
    List<SourceProto> from = new ArrayList<>(sources(cluster.shuffled(group, LOST)).subList(0, 3));
    if (how == Failure.SOURCE) {
      from.set(2, from.get(2).toBuilder().setTransferPort(closedPort).build());
    }
    GrantProto sound = grant(group, LOST, from, how == Failure.LEASE ? 1 << 10 : FAST);
    GrantProto grant = switch (how) {
      case CODER -> withCodec(sound, TestCoders.FLIPPING);
      case CODEC -> withCodec(sound, "rs-unknown");
      case SOURCE, LEASE -> sound;
    };
    cluster.apply(service, grant);
    if (how == Failure.SOURCE) {
      Poll.until("the failure is reported", LIMIT, () -> cluster.running(service).hasFailedSourceUuid(),
          () -> cluster.running(service));
      cluster.apply(service);
    } else if (how == Failure.LEASE) {
      cluster.apply(service, grant.toBuilder().setLeaseMs(1).build());
    }
    Outcome outcome = cluster.end(service, grant).getOutcome();
    assertNotEquals(Outcome.DONE, outcome);
    service.granted().acknowledge(cluster.pool(), List.of(grant.getAttempt()));
    return outcome;
  }

  /** The holder dies, and stock HDFS makes a pass. */
  private void rebuildByStock(DataNode target) throws Exception {
    ExtendedBlock lost = group.internalBlock(LOST);
    DataNode holder = group.holders().get(LOST);
    cluster.hdfs.stopDataNode(holder.getDatanodeId().getXferAddr());
    cluster.hdfs.setDataNodeDead(holder.getDatanodeId());
    BlockManagerTestUtil.getComputedDatanodeWork(cluster.hdfs.getNamesystem().getBlockManager());
    Poll.until("stock HDFS has rebuilt the block", LIMIT, () -> target.getFSDataset().isValidBlock(lost),
        () -> target.getFSDataset().getReplicaString(lost.getBlockPoolId(), lost.getBlockId()));
    Poll.until("its work has ended", LIMIT, () -> target.getXmitsInProgress() == 0, target::getXmitsInProgress);
  }
}
