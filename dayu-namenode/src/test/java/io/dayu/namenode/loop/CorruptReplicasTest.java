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
import io.dayu.blocks.CorruptReplica;
import io.dayu.blocks.GroupFixture;
import io.dayu.blocks.WaitReason;
import io.dayu.namenode.planning.BlockHistory;
import io.dayu.namenode.planning.TimeslotDecision.ForStock;
import io.dayu.namenode.transfers.AgentUpdates;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;

import static io.dayu.blocks.WaitingBlockBuilder.waitingBlock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.atLeastOnce;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;
import static org.mockito.Mockito.withSettings;

/** When a corrupt replica that keeps its block from being copied is deleted. */
class CorruptReplicasTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final BlockKey BLOCK = new BlockKey(7, 1);
  private static final CorruptReplica REPLICA = new CorruptReplica(BLOCK, 100, "c", List.of("a", "b"), 2);

  private final BlockManagement blocks = mock(BlockManagement.class);
  private final AgentUpdates updates = mock(AgentUpdates.class);
  private final BlockHistory history = new BlockHistory();
  private final CorruptReplicas corrupt = new CorruptReplicas(blocks, updates, history);

  @BeforeEach
  void agents() {
    when(blocks.corruptReplica(BLOCK)).thenReturn(REPLICA);
    when(blocks.removeCorruptReplica(any(), any())).thenReturn(true);
    when(updates.verify(anyString(), any(), anyLong())).thenReturn(true);
    when(updates.verified(any(), any())).thenReturn(null);
  }

  private void offer(long second) {
    corrupt.offer(List.of(new ForStock(waitingBlock(BLOCK).build(), WaitReason.NO_TARGET)), second * SECOND);
  }

  @Test
  void corruptReplicaGoes_whenTheOthersWereReadAndAreGood() {
    offer(0);
    assertEquals(List.of(), corrupt.judge(SECOND));
    when(updates.verified("a", BLOCK)).thenReturn(true);
    assertEquals(List.of(), corrupt.judge(2 * SECOND), "one is not enough");
    verify(blocks, never()).removeCorruptReplica(any(), any());
    when(updates.verified("b", BLOCK)).thenReturn(true);
    assertEquals(List.of(BLOCK), corrupt.judge(3 * SECOND));
    verify(blocks).removeCorruptReplica(REPLICA, Set.of("a", "b"));
    verify(updates).endVerification("a", BLOCK);
    verify(updates).endVerification("b", BLOCK);
    assertEquals(List.of("c"), history.refusedTargets(BLOCK, 4 * SECOND), "until it has deleted the replica");
    assertEquals(List.of(), history.refusedTargets(BLOCK, 60 * SECOND));
  }

  /** Its last copies failed, or were refused, so it is left to stock HDFS, which can do nothing for it either. */
  @ParameterizedTest
  @EnumSource(names = {"TARGETS_REFUSED", "COPIES_FAILED"})
  void corruptReplicaGoes_alsoOfABlockThatIsLeftToStockForAWhile(WaitReason reason) {
    for (int times = 0; times < 3; times++) {
      history.refuse(BLOCK, "d", SECOND);
    }
    corrupt.offer(List.of(new ForStock(waitingBlock(BLOCK).build(), reason)), SECOND);
    when(updates.verified(any(), any())).thenReturn(true);
    assertEquals(List.of(BLOCK), corrupt.judge(2 * SECOND));
    assertNull(history.stockReason(BLOCK, 3 * SECOND), "there is a target now");
  }

  @Test
  void corruptReplicaStays_ifAnotherIsBad_orNobodyAnswers() {
    offer(0);
    when(updates.verified("a", BLOCK)).thenReturn(true);
    when(updates.verified("b", BLOCK)).thenReturn(false);
    assertEquals(List.of(), corrupt.judge(SECOND));
    verify(updates).endVerification("b", BLOCK);
    when(updates.verified(any(), any())).thenReturn(null);
    offer(100);
    corrupt.judge(200 * SECOND);
    corrupt.judge(500 * SECOND);
    verify(updates, times(2)).endVerification("b", BLOCK);
    verify(blocks, never()).removeCorruptReplica(any(), any());
  }

  @Test
  void blocks_areLookedAtEverMoreSeldom_andNotAtAllForOtherReasons() {
    when(blocks.corruptReplica(BLOCK)).thenReturn(null);
    for (int second = 0; second < 100; second++) {
      offer(second);
    }
    verify(blocks, times(4)).corruptReplica(BLOCK);
    corrupt.clear();
    corrupt.offer(List.of(new ForStock(waitingBlock(BLOCK).build(), WaitReason.PASSED_OVER)), 0);
    verify(blocks, times(4)).corruptReplica(BLOCK);
  }

  /** However long a block has waited without one: a replica that becomes corrupt is found within a minute. */
  @Test
  void blocks_areLookedAtOnceInAMinute_whileNoReplicaIsCorrupt() {
    when(blocks.corruptReplica(BLOCK)).thenReturn(null);
    for (int second = 0; second < 1_000; second++) {
      offer(second);
    }
    verify(blocks, times(4 + 15)).corruptReplica(BLOCK);
    when(blocks.corruptReplica(BLOCK)).thenReturn(REPLICA);
    for (int second = 1_000; second < 1_060; second++) {
      offer(second);
    }
    verify(updates).verify("a", BLOCK, 100);
  }

  /** It is read after 0, 10, 30, 70, 150, 310, 630, 1,270 and 2,550 seconds, then once in an hour at least. */
  @Test
  void blockWithABadReplica_isReadEverMoreSeldom() {
    when(updates.verified("b", BLOCK)).thenReturn(false);
    when(updates.verified("a", BLOCK)).thenReturn(true);
    for (int second = 0; second < 4_000; second++) {
      offer(second);
      corrupt.judge(second * SECOND);
    }
    verify(updates, times(9)).verify("a", BLOCK, 100);
    for (int second = 4_000; second < 4_000 + 3 * 3_600; second++) {
      offer(second);
      corrupt.judge(second * SECOND);
    }
    verify(updates, times(12)).verify("a", BLOCK, 100);
  }

  @Test
  void blocks_areLookedAtInTurns_ifManyAreDue() {
    List<ForStock> many = waiting(0, 200);
    corrupt.offer(many, 0);
    verify(blocks, times(64)).corruptReplica(any());
    for (int second = 1; second < 4; second++) {
      corrupt.offer(many, 20 * second * SECOND);
    }
    for (ForStock one : many) {
      verify(blocks, atLeastOnce()).corruptReplica(one.block().key());
    }
    verify(blocks, times(4 * 64)).corruptReplica(any());
  }

  @Test
  void nothingIsRead_ifTooFewHoldersHaveAgents() {
    when(updates.verify(anyString(), any(), anyLong())).thenReturn(false);
    offer(0);
    when(updates.verified(any(), any())).thenReturn(true);
    assertEquals(List.of(), corrupt.judge(SECOND));
    verify(blocks, never()).removeCorruptReplica(any(), any());
  }

  @Test
  void readingOfTooFewHolders_isNotAskedForAnyLonger() {
    when(updates.verify("b", BLOCK, 100)).thenReturn(false);
    offer(0);
    verify(updates).endVerification("a", BLOCK);
    verify(updates, never()).endVerification("b", BLOCK);
    when(updates.verified(any(), any())).thenReturn(true);
    assertEquals(List.of(), corrupt.judge(SECOND));
  }

  /** Of three others two have to be good. */
  @Test
  void corruptReplicaGoes_whenEnoughOthersAreGood_thoughOneIsBad() {
    when(blocks.corruptReplica(BLOCK)).thenReturn(new CorruptReplica(BLOCK, 100, "c", List.of("a", "b", "d"), 2));
    offer(0);
    when(updates.verified("a", BLOCK)).thenReturn(false);
    when(updates.verified("b", BLOCK)).thenReturn(true);
    assertEquals(List.of(), corrupt.judge(SECOND), "the third may be good");
    when(updates.verified("d", BLOCK)).thenReturn(true);
    assertEquals(List.of(BLOCK), corrupt.judge(2 * SECOND));
    verify(blocks).removeCorruptReplica(any(), eq(Set.of("b", "d")));
  }

  @Test
  void agents_areWaitedForFiveMinutes() {
    offer(100);
    corrupt.judge(399 * SECOND);
    verify(updates, never()).endVerification(any(), any());
    corrupt.judge(400 * SECOND);
    verify(updates).endVerification("a", BLOCK);
    when(updates.verified(any(), any())).thenReturn(true);
    assertEquals(List.of(), corrupt.judge(401 * SECOND), "too late");
  }

  @Test
  void corruptReplicaThatHdfsKeeps_makesNoRoom() {
    when(blocks.removeCorruptReplica(any(), any())).thenReturn(false);
    offer(0);
    when(updates.verified(any(), any())).thenReturn(true);
    assertEquals(List.of(), corrupt.judge(SECOND));
    assertEquals(List.of(), history.refusedTargets(BLOCK, SECOND));
    verify(updates).endVerification("a", BLOCK);
  }

  @Test
  void replicas_areReadOfSixteenBlocksAtATime() {
    when(blocks.corruptReplica(any())).thenAnswer(
        call -> new CorruptReplica(call.getArgument(0), 100, "c", List.of("a", "b"), 2));
    List<ForStock> many = waiting(0, 20);
    corrupt.offer(many, 0);
    corrupt.offer(many, 20 * SECOND);
    verify(updates, times(16)).verify(eq("a"), any(), anyLong());
    when(updates.verified(any(), any())).thenReturn(true);
    assertEquals(16, corrupt.judge(21 * SECOND).size());
    corrupt.offer(many.subList(16, 20), 22 * SECOND);
    verify(updates, times(20)).verify(eq("a"), any(), anyLong());
  }

  @Test
  void block_isLookedAtAgainAfterTenSeconds_notSooner() {
    when(blocks.corruptReplica(BLOCK)).thenReturn(null);
    offer(0);
    offer(9);
    verify(blocks).corruptReplica(BLOCK);
    offer(10);
    verify(blocks, times(2)).corruptReplica(BLOCK);
  }

  @Test
  void groups_haveNoCorruptReplicas() {
    corrupt.offer(List.of(new ForStock(GroupFixture.lost(GroupFixture.GROUP_ID, 1, 3), WaitReason.NO_TARGET)), 0);
    verify(blocks, never()).corruptReplica(any());
  }

  @Test
  void endOfTheRecovery_endsReadings_andForgetsWhenBlocksWereLookedAt() {
    offer(0);
    corrupt.clear();
    verify(updates).endVerification("a", BLOCK);
    verify(updates).endVerification("b", BLOCK);
    when(updates.verified(any(), any())).thenReturn(true);
    assertEquals(List.of(), corrupt.judge(SECOND));
    offer(1);
    verify(blocks, times(2)).corruptReplica(BLOCK);
  }

  @Test
  void blocksThatWereLookedAt_areBounded_andTheFirstIsForgottenFirst() {
    BlockKey first = new BlockKey(0, 1);
    AtomicInteger looks = new AtomicInteger();
    BlockManagement many = mock(BlockManagement.class, withSettings().stubOnly());
    when(many.corruptReplica(any())).thenAnswer(call -> {
      looks.addAndGet(first.equals(call.getArgument(0)) ? 1 : 0);
      return null;
    });
    CorruptReplicas bounded = new CorruptReplicas(many, updates, history);
    for (long id = 0; id < StockHandover.LIMIT; id += 50) {
      bounded.offer(waiting(id, 50), 0);
    }
    bounded.offer(waiting(0, 1), SECOND);
    assertEquals(1, looks.get());
    bounded.offer(waiting(StockHandover.LIMIT, 1), SECOND);
    bounded.offer(waiting(0, 1), SECOND);
    assertEquals(2, looks.get());
  }

  private static List<ForStock> waiting(long firstId, int count) {
    return LongStream.range(firstId, firstId + count)
        .mapToObj(id -> new ForStock(waitingBlock(id).build(), WaitReason.NO_TARGET)).toList();
  }
}
