/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.BlockManagement;
import io.dayu.blocks.WaitReason;
import io.dayu.blocks.WaitingBlock;
import io.dayu.conf.Settings;
import io.dayu.namenode.agents.AgentRegistry;
import io.dayu.namenode.agents.ReportResponder;
import io.dayu.namenode.planning.BlockHistory;
import io.dayu.namenode.planning.TimeslotDecision.ForStock;
import io.dayu.namenode.status.DayuStatus;
import io.dayu.namenode.transfers.AgentState;
import io.dayu.namenode.transfers.AgentUpdates;
import io.dayu.namenode.transfers.TransferTracker;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.stream.LongStream;

import static io.dayu.blocks.WaitingBlockBuilder.waitingBlock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

/** How fast blocks are handed to stock HDFS, and in which order. */
final class StockHandoverTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final StockHandover handover = new StockHandover();

  private static List<ForStock> blocks(long firstId, int count, int risk) {
    return blocks(firstId, count, risk, WaitReason.ERASURE_CODED);
  }

  private static List<ForStock> blocks(long firstId, int count, int risk, WaitReason reason) {
    return LongStream.range(firstId, firstId + count)
        .mapToObj(id -> new ForStock(waitingBlock(id).risk(risk).build(), reason)).toList();
  }

  private int takeAll() {
    int taken = 0;
    for (List<WaitingBlock> chunk = handover.next(); !chunk.isEmpty(); chunk = handover.next()) {
      taken += chunk.size();
    }
    return taken;
  }

  private static List<Long> ids(List<WaitingBlock> blocks) {
    return blocks.stream().map(block -> block.key().blockId()).toList();
  }

  @Test
  void round_mayBeTakenBitByBit() {
    handover.offer(blocks(1, 1_000, 2), 0);
    handover.begin(0, 100);
    int first = handover.next().size();
    handover.begin(SECOND, 100);
    assertEquals(100 - first, takeAll(), "the rest of the same round");
    handover.begin(3 * SECOND, 100);
    assertEquals(100, takeAll());
  }

  /** Timeslots of one second, each of which offers a round's blocks: all are handed over before the next ones come. */
  @Test
  void offersToAnEmptyHandover_beginNoRoundBeforeItsTime() {
    int taken = 0;
    for (int second = 0; second < 30; second++) {
      handover.offer(blocks(1_000 * second, 100, 2), second * SECOND);
      handover.begin(second * SECOND, 100);
      taken += takeAll();
    }
    assertEquals(10 * 100, taken);
  }

  @Test
  void firstRound_beginsAtOnce_whateverTheClockSays() {
    handover.begin(Long.MIN_VALUE / 2, 100);
    handover.offer(blocks(1, 1_000, 2), 0);
    assertEquals(100, takeAll());
    handover.clear();
    handover.offer(blocks(1, 1_000, 2), 0);
    handover.begin(Long.MIN_VALUE / 2 + SECOND, 100);
    assertEquals(100, takeAll(), "stock may have recovered by itself meanwhile, and what was known is gone");
  }

  @Test
  void highestRisk_isHandedOverFirst_andEveryRiskHasAShare() {
    handover.offer(blocks(1, 50, 3), 0);
    handover.offer(blocks(100, 50, 0), 0);
    handover.begin(0, 32);
    List<Integer> risks = handover.next().stream().map(WaitingBlock::risk).toList();
    assertEquals(28, risks.lastIndexOf(0) + 1);
    assertEquals(4, risks.stream().filter(risk -> risk == 3).count());
  }

  /**
   * Erasure-coded groups on 14 nodes, in the order of HDFS's queue: 40 that stock cannot schedule before 100 that it
   * can. Each timeslot of two seconds offers all that wait.
   */
  @Test
  void blocksBehindOthersThatStockCannotSchedule_areHandedOverSoon() {
    Map<Long, ForStock> queue = new LinkedHashMap<>();
    blocks(1, 140, 2).forEach(one -> queue.put(one.block().key().blockId(), one));
    int triedInVain = 0;
    long second = 0;
    while (queue.size() > 40 && second < 1_800) {
      if (second % 2 == 0) {
        handover.offer(List.copyOf(queue.values()), second * SECOND);
      }
      handover.begin(second * SECOND, 2 * 14);
      for (List<WaitingBlock> chunk = handover.next(); !chunk.isEmpty(); chunk = handover.next()) {
        for (WaitingBlock block : chunk) {
          if (block.key().blockId() > 40) {
            queue.remove(block.key().blockId());
          } else {
            triedInVain++;
          }
        }
      }
      second++;
    }
    assertTrue(second <= 30, "140 blocks at 28 in three seconds take 15 s; it took " + second + " s");
    assertTrue(triedInVain <= 2 * 40, triedInVain + " times in vain");
  }

  @Test
  void blockThatComesBack_isTakenAgainLaterEachTime() {
    List<Integer> taken = new ArrayList<>();
    for (int second = 0; second < 120; second++) {
      handover.offer(blocks(1, 1, 2), second * SECOND);
      handover.begin(second * SECOND, 100);
      if (takeAll() > 0) {
        taken.add(second);
      }
    }
    assertEquals(List.of(0, 3, 9, 21, 36, 51, 66, 81, 96, 111), taken);
  }

  /** Seconds in which a block was taken that is offered each second. */
  private List<Integer> takenOf(WaitReason reason, int seconds, IntConsumer eachSecond) {
    List<Integer> taken = new ArrayList<>();
    for (int second = 0; second < seconds; second++) {
      eachSecond.accept(second);
      handover.offer(blocks(1, 1, 2, reason), second * SECOND);
      handover.begin(second * SECOND, 100);
      if (takeAll() > 0) {
        taken.add(second);
      }
    }
    return taken;
  }

  @Test
  void blockThatNoNodeCanTake_isTakenAgainEverMoreSeldom() {
    assertEquals(List.of(0, 3, 9, 21, 45, 93, 189, 309, 429), takenOf(WaitReason.NO_TARGET, 500, second -> {}));
  }

  @Test
  void blockThatNoNodeCouldTake_isTakenAgainSoonAfterTargetsHaveImproved() {
    assertEquals(List.of(0, 3, 9, 21, 45, 93, 120, 240, 360), takenOf(WaitReason.NO_TARGET, 400, second -> {
      if (second == 120) {
        handover.targetsHaveImproved();
      }
    }));
  }

  @Test
  void blockWhoseCorruptReplicaIsBeingDeleted_isKeptBack() {
    handover.offer(blocks(1, 2, 2), 0);
    handover.keepBack(List.of(waitingBlock(1).build().key()), 0);
    handover.begin(0, 100);
    assertEquals(List.of(2L), ids(handover.next()));
    handover.targetsHaveImproved();
    handover.offer(blocks(1, 1, 2), 14 * SECOND);
    handover.begin(14 * SECOND, 100);
    assertEquals(0, takeAll(), "its DataNode may still have the corrupt one");
    handover.offer(blocks(1, 1, 2), 15 * SECOND);
    handover.begin(17 * SECOND, 100);
    assertEquals(1, takeAll());
  }

  @Test
  void offersAreBounded_andAHigherRiskDisplacesALowerOne() {
    handover.offer(blocks(0, StockHandover.LIMIT, 3), 0);
    handover.offer(blocks(StockHandover.LIMIT, 10, 1), 0);
    handover.begin(0, 10);
    assertEquals(List.of(1, 1, 1, 1, 1, 1, 1, 1, 1, 3), handover.next().stream().map(WaitingBlock::risk).toList());
    handover.offer(blocks(2 * StockHandover.LIMIT, StockHandover.LIMIT + 10, 0), 0);
    handover.begin(3 * SECOND, 2 * StockHandover.LIMIT);
    assertEquals(StockHandover.LIMIT, takeAll());
  }

  @Test
  void blockWhoseRiskHasChanged_isHandedOverOnce_withTheNewOne() {
    handover.offer(blocks(1, 1, 3), 0);
    handover.offer(blocks(1, 1, 0), 0);
    handover.begin(0, 100);
    assertEquals(List.of(0), handover.next().stream().map(WaitingBlock::risk).toList());
    assertEquals(0, takeAll());
  }

  @Test
  void blocksOfTheSameRisk_areNotDisplaced() {
    handover.offer(blocks(0, StockHandover.LIMIT + 1, 3), 0);
    handover.begin(0, 1);
    assertEquals(List.of(0L), ids(handover.next()));
  }

  @Test
  void blocksThatMayComeBack_areBounded_andTheFirstIsForgottenFirst() {
    handover.offer(blocks(1, StockHandover.LIMIT, 2), 0);
    handover.begin(0, StockHandover.LIMIT);
    assertEquals(StockHandover.LIMIT, takeAll());
    handover.offer(blocks(1, 2, 2), SECOND);
    handover.begin(3 * SECOND, 100);
    assertEquals(0, takeAll(), "they were handed over a second before");
    handover.keepBack(List.of(waitingBlock(0).build().key()), SECOND);
    handover.offer(blocks(1, 2, 2), 2 * SECOND);
    assertEquals(List.of(1L), ids(handover.next()));
  }

  /** What has stayed away for half a minute more than it was not to be taken was scheduled, and is needed once more. */
  @Test
  void blockThatComesBackLate_isTakenAgainAsSoonAsANewOne() {
    handover.offer(blocks(1, 2, 2), 0);
    handover.begin(0, 100);
    assertEquals(2, takeAll());
    handover.offer(blocks(1, 1, 2), 33 * SECOND);
    handover.begin(33 * SECOND, 100);
    assertEquals(1, takeAll());
    handover.offer(blocks(2, 1, 2), 36 * SECOND);
    handover.begin(36 * SECOND, 100);
    assertEquals(1, takeAll());
    handover.offer(blocks(1, 2, 2), 38 * SECOND);
    handover.begin(39 * SECOND, 100);
    assertEquals(0, takeAll());
    handover.offer(blocks(1, 2, 2), 39 * SECOND);
    assertEquals(List.of(1L, 2L), ids(handover.next()), "after six seconds, and after three");
  }

  @Test
  void lowerRisks_areForgotten_andMayBeOfferedAgain() {
    handover.offer(blocks(1, 1, 0), 0);
    handover.offer(blocks(2, 1, 1), 0);
    handover.offer(blocks(3, 1, 4), 0);
    handover.retainHighestRisk();
    handover.begin(0, 100);
    assertEquals(List.of(1L), ids(handover.next()));
    handover.offer(blocks(2, 2, 1), 0);
    assertEquals(List.of(2L, 3L), ids(handover.next()));
  }

  @Test
  void endOfTheRecovery_leavesNothing() {
    handover.offer(blocks(1, 2, 2), 0);
    handover.begin(0, 1);
    assertEquals(List.of(1L), ids(handover.next()));
    handover.clear();
    handover.begin(SECOND, 100);
    assertEquals(0, takeAll());
    handover.offer(blocks(1, 1, 2), SECOND);
    assertEquals(1, takeAll(), "when it was handed over is forgotten");
  }

  /** Stock takes 60 ms for a chunk; a call may take 100 ms. */
  @Test
  void slowRound_keepsTheLoopForABoundedTime_andGoesOnWithTheNextCall() throws Exception {
    BlockManagement blocks = mock(BlockManagement.class);
    AgentRegistry<AgentState> agents = new AgentRegistry<>(AgentState::new);
    AgentUpdates updates = new AgentUpdates(agents);
    TransferCoordinator coordinator = new TransferCoordinator(blocks, new StockSuspension(blocks, 0),
        new PendingRegistrations(blocks), agents, mock(ReportResponder.class), new DayuStatus(),
        new BlockHistory(), new TransferTracker(updates), updates, Settings.read(new Configuration(false)), false);
    long[] nowNs = {0};
    when(blocks.scheduleByStock(anyList())).thenAnswer(call -> {
      nowNs[0] += TimeUnit.MILLISECONDS.toNanos(60);
      return call.<List<?>>getArgument(0).size();
    });
    handover.offer(blocks(1, 20_000, 2), 0);
    handover.begin(0, 20_000);
    coordinator.handOver(handover, () -> nowNs[0], 0);
    verify(blocks, times(2)).scheduleByStock(anyList());
    coordinator.handOver(handover, () -> nowNs[0], 0);
    verify(blocks, times(4)).scheduleByStock(anyList());
  }
}
