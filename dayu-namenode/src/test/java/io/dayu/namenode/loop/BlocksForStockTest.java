/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.BlockManagement;
import io.dayu.blocks.LiveNode;
import io.dayu.blocks.WaitReason;
import io.dayu.blocks.WaitingBlock;
import io.dayu.namenode.cluster.LiveCluster;
import io.dayu.namenode.planning.TimeslotDecision.ForStock;
import io.dayu.namenode.planning.TimeslotPlanner;
import io.dayu.namenode.status.DayuStatus;
import io.dayu.namenode.status.RecoveryState;
import io.dayu.namenode.transfers.ClockStart;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

import static io.dayu.blocks.WaitingBlockBuilder.waitingBlock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.clearInvocations;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

/** {@link BlocksForStock} of three DataNodes, of each of which stock HDFS would schedule two blocks in a round. */
final class BlocksForStockTest {
  private final BlockManagement blocks = mock(BlockManagement.class);
  private final DayuStatus status = new DayuStatus();
  private final TransferCoordinator coordinator = mock(TransferCoordinator.class);
  private final TimeslotPlanner timeslots = mock(TimeslotPlanner.class);
  private final LiveCluster cluster = mock(LiveCluster.class);
  private final CorruptReplicas corruptReplicas = mock(CorruptReplicas.class);
  private final Map<String, LiveNode> nodes = new HashMap<>();
  private final BlocksForStock forStock = new BlocksForStock(blocks, status, new StockSuspension(blocks, ClockStart.NS),
      coordinator, timeslots, cluster, corruptReplicas, () -> 0);

  @BeforeEach
  void dayuRecovers() {
    status.enter(RecoveryState.DAYU, "test");
    when(blocks.stockMultiplier()).thenReturn(2);
    when(cluster.nodes()).thenReturn(nodes);
    for (String node : List.of("a", "b", "c")) {
      nodes.put(node, TransferCoordinatorFixture.node(node));
    }
  }

  private static long at(long sec) {
    return ClockStart.NS + TimeUnit.SECONDS.toNanos(sec);
  }

  private static List<WaitingBlock> waiting(long firstId, int count, int risk) {
    return LongStream.range(firstId, firstId + count).mapToObj(id -> waitingBlock(id).risk(risk).build()).toList();
  }

  private void offer(List<WaitingBlock> waiting, WaitReason reason, long sec) {
    forStock.offer(waiting.stream().map(block -> new ForStock(block, reason)).toList(), at(sec));
  }

  /** The ids of the blocks that stock gets now. */
  private List<Long> handedOver(boolean limitedToHighestRisk, boolean awaitsReports, long sec) {
    List<Long> ids = new ArrayList<>();
    doAnswer(call -> {
      StockHandover handover = call.getArgument(0);
      for (List<WaitingBlock> chunk = handover.next(); !chunk.isEmpty(); chunk = handover.next()) {
        chunk.forEach(block -> ids.add(block.key().blockId()));
      }
      return null;
    }).when(coordinator).handOver(any(), any(), anyLong());
    forStock.audit(limitedToHighestRisk, awaitsReports, at(sec));
    return ids;
  }

  @Test
  void blocksThatAPlanLeavesOut_areHandedOver_asManyAsStockWouldSchedule() {
    offer(waiting(1, 10, 2), WaitReason.NO_TARGET, 0);
    verify(corruptReplicas).offer(anyList(), anyLong());
    assertEquals(List.of(1L, 2L, 3L, 4L, 5L, 6L), handedOver(false, false, 0));
    assertEquals(List.of(7L, 8L, 9L, 10L), handedOver(false, false, 3));
  }

  @Test
  void lowerRisks_areHeldBack_ifTheyAreFromDayu() {
    offer(waiting(1, 2, 0), WaitReason.NO_TARGET, 0);
    offer(waiting(3, 2, 2), WaitReason.NO_TARGET, 0);
    assertEquals(List.of(1L, 2L), handedOver(true, false, 0));
    assertEquals(List.of(), handedOver(false, false, 3));
  }

  @Test
  void highestRisk_isOfferedWhileReportsAreAwaited_ifDayuRecovers() {
    when(blocks.readHighestRisk(anyInt())).thenReturn(waiting(1, 2, 0));
    assertEquals(List.of(), handedOver(false, false, 0));
    assertEquals(List.of(1L, 2L), handedOver(false, true, 3));
    status.enter(RecoveryState.STOCK, "test");
    clearInvocations(blocks);
    assertEquals(List.of(), handedOver(false, true, 60));
    verify(blocks, never()).readHighestRisk(anyInt());
  }

  @Test
  void blockOfWhichACorruptReplicaIsDeleted_isKeptBack_andGoesToTheTimeslots() {
    List<WaitingBlock> two = waiting(1, 2, 2);
    List<BlockKey> freed = List.of(two.get(0).key());
    offer(two, WaitReason.NO_TARGET, 0);
    when(corruptReplicas.judge(anyLong())).thenReturn(freed);
    assertEquals(List.of(2L), handedOver(false, false, 0));
    verify(timeslots).returned(freed);
    status.enter(RecoveryState.STOCK, "test");
    clearInvocations(corruptReplicas);
    handedOver(false, false, 3);
    verify(corruptReplicas, never()).judge(anyLong());
  }

  @Test
  void blockThatNoNodeCouldTake_isTriedAgainSoon_afterAnotherNodeHasCome() {
    WaitingBlock block = waiting(1, 1, 2).get(0);
    int tries = 0;
    for (int sec = 0; sec < 100; sec++) {
      offer(List.of(block), WaitReason.NO_TARGET, sec);
      tries += handedOver(false, false, sec).size();
    }
    assertEquals(6, tries, "the last one after 93 s");
    nodes.put("d", TransferCoordinatorFixture.node("d"));
    handedOver(false, false, 100);
    offer(List.of(block), WaitReason.NO_TARGET, 110);
    assertEquals(List.of(1L), handedOver(false, false, 110));
  }

  @Test
  void whatWaitsForStock_canBeForgotten() {
    offer(waiting(1, 2, 2), WaitReason.NO_TARGET, 0);
    forStock.clear();
    verify(corruptReplicas).clear();
    assertEquals(List.of(), handedOver(false, false, 0));
  }
}
