/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.blocks.BlockManagement;
import io.dayu.blocks.NeededBlock;
import io.dayu.conf.Settings;
import io.dayu.namenode.agents.AgentRegistry;
import io.dayu.namenode.agents.ReportResponder;
import io.dayu.namenode.status.DayuStatus;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

import static io.dayu.blocks.NeededBlockBuilder.neededBlock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

/** How fast blocks are handed to stock HDFS, and in which order. */
final class StockHandoverTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final StockHandover handover = new StockHandover();

  private static List<NeededBlock> blocks(long firstId, int count, int risk) {
    return LongStream.range(firstId, firstId + count).mapToObj(id -> neededBlock(id).risk(risk).build()).toList();
  }

  private int takeAll() {
    int taken = 0;
    for (List<NeededBlock> chunk = handover.next(); !chunk.isEmpty(); chunk = handover.next()) {
      taken += chunk.size();
    }
    return taken;
  }

  @Test
  void round_mayBeTakenBitByBit() {
    handover.offer(blocks(1, 1_000, 2));
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
      handover.offer(blocks(1_000 * second, 100, 2));
      handover.begin(second * SECOND, 100);
      taken += takeAll();
    }
    assertEquals(10 * 100, taken);
  }

  @Test
  void firstRound_beginsAtOnce_whateverTheClockSays() {
    handover.begin(Long.MIN_VALUE / 2, 100);
    handover.offer(blocks(1, 1_000, 2));
    assertEquals(100, takeAll());
    handover.clear();
    handover.offer(blocks(1, 1_000, 2));
    handover.begin(Long.MIN_VALUE / 2 + SECOND, 100);
    assertEquals(100, takeAll(), "stock may have recovered by itself meanwhile, and what was known is gone");
  }

  @Test
  void highestRisk_isHandedOverFirst() {
    handover.offer(blocks(1, 50, 3));
    handover.offer(blocks(100, 10, 0));
    handover.begin(0, 10);
    assertEquals(List.of(0), handover.next().stream().map(NeededBlock::risk).distinct().toList());
  }

  @Test
  void offersAreBounded_andAHigherRiskDisplacesALowerOne() {
    handover.offer(blocks(0, StockHandover.LIMIT, 3));
    handover.offer(blocks(StockHandover.LIMIT, 10, 1));
    handover.begin(0, 10);
    assertEquals(List.of(1), handover.next().stream().map(NeededBlock::risk).distinct().toList());
    handover.offer(blocks(2 * StockHandover.LIMIT, StockHandover.LIMIT + 10, 0));
    handover.begin(3 * SECOND, 2 * StockHandover.LIMIT);
    assertEquals(StockHandover.LIMIT, takeAll());
  }

  /** Stock takes 60 ms for a chunk; a call may take 100 ms. */
  @Test
  void slowRound_keepsTheLoopForABoundedTime_andGoesOnWithTheNextCall() throws Exception {
    BlockManagement blocks = mock(BlockManagement.class);
    AgentRegistry<AgentState> agents = new AgentRegistry<>(AgentState::new);
    AgentUpdates updates = new AgentUpdates(agents);
    RecoveryExecutor executor = new RecoveryExecutor(blocks, new StockSuspension(blocks, 0),
        new PendingRegistrations(blocks), agents, mock(ReportResponder.class), new DayuStatus(), "nn",
        new BlockHistory(), new TransferTracker(updates), updates, Settings.read(new Configuration(false)));
    long[] nowNs = {0};
    when(blocks.scheduleByStock(anyList())).thenAnswer(call -> {
      nowNs[0] += TimeUnit.MILLISECONDS.toNanos(60);
      return call.<List<?>>getArgument(0).size();
    });
    handover.offer(blocks(1, 20_000, 2));
    handover.begin(0, 20_000);
    executor.handOver(handover, () -> nowNs[0]);
    verify(blocks, times(2)).scheduleByStock(anyList());
    executor.handOver(handover, () -> nowNs[0]);
    verify(blocks, times(4)).scheduleByStock(anyList());
  }
}
