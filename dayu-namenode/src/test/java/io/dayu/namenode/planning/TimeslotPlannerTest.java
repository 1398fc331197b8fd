/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.planning;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.BlockManagement;
import io.dayu.blocks.CommitResult;
import io.dayu.blocks.LiveNode;
import io.dayu.blocks.LiveNodeFixture;
import io.dayu.blocks.TransferRequest;
import io.dayu.blocks.WaitReason;
import io.dayu.blocks.WaitingBlock;
import io.dayu.conf.Settings;
import io.dayu.model.TimeslotPlan;
import io.dayu.namenode.NameNodeRuntime;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.exchange.NodeLoad.Link;
import io.dayu.namenode.planning.TimeslotDecision.ForStock;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.namenode.transfers.AttemptFixture;
import io.dayu.schedule.PlanningAlgorithm;
import io.dayu.schedule.TimeslotScheduler;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.LongStream;

import static io.dayu.blocks.WaitingBlockBuilder.waitingBlock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

class TimeslotPlannerTest {
  private static final int DISK = StorageType.DISK.ordinal();
  private static final int ARCHIVE = StorageType.ARCHIVE.ordinal();
  private static final int BATCH = 1_024;
  private static final long MB = 1_000_000;
  private static final CommitResult REFUSED = CommitResult.rejected(CommitResult.Verdict.TARGET_REFUSED, "busy");

  private static final CommitResult COMMITTED = CommitResult.committed("DS", "DISK");

  private final Map<String, LiveNode> nodes = new HashMap<>();
  private final Map<String, NodeLoad> loads = new HashMap<>();
  private final BlockManagement blocks = mock(BlockManagement.class);
  private long read;

  private void node(String uuid, int type) {
    long[] room = new long[StorageType.values().length];
    int[] volumes = new int[room.length];
    room[type] = 1L << 40;
    volumes[type] = 3;
    nodes.put(uuid, LiveNodeFixture.liveNode(uuid, "10.0.0.1", uuid, 9866, "/r", true, room, volumes));
    loads.put(uuid, new NodeLoad(new Link(100 * MB, 0), new Link(100 * MB, 0), 1, 8));
  }

  /** Adds a node for each of these, with disks. */
  private void disks(String... uuids) {
    for (String uuid : uuids) {
      node(uuid, DISK);
    }
  }

  /**
   * {@code waiting} blocks wait in HDFS's queues. Those of the highest risk are read once; the others are added to a
   * batch by {@code readNext}, which returns whether all have been read.
   */
  private void queues(long waiting, Predicate<List<WaitingBlock>> readNext, WaitingBlock... highestRisk)
      throws Exception {
    when(blocks.waitingBlocks()).thenReturn(waiting);
    when(blocks.readHighestRisk(anyInt())).thenReturn(List.of(highestRisk), List.of());
    when(blocks.readNext(anyList())).thenAnswer(call -> readNext.test(call.<List<WaitingBlock>>getArgument(0)));
  }

  /** The same, where no others wait. */
  private void queues(WaitingBlock... highestRisk) throws Exception {
    queues(highestRisk.length, batch -> true, highestRisk);
  }

  /** In its first timeslot, with the scheduler and the settings of production. */
  private TimeslotPlanner planner() throws Exception {
    return planner(NameNodeRuntime.algorithm(Settings.read(new Configuration(false))), new BlockHistory());
  }

  private TimeslotPlanner planner(PlanningAlgorithm algorithm, BlockHistory history) throws Exception {
    TimeslotPlanner planner =
        new TimeslotPlanner(blocks, Settings.read(new Configuration(false)), algorithm, history, () -> 0);
    planner.begin(0);
    return planner;
  }

  private WaitingBlock next(long firstOfDisk) {
    int type = read >= firstOfDisk ? DISK : ARCHIVE;
    String holder = read % 2 == 0 ? "a" : "b";
    return waitingBlock(++read).bytes(64 * MB).on(holder).storageTypes(1 << type).build();
  }

  private static List<WaitingBlock> blocks(TimeslotDecision decision) {
    return decision.forStock().stream().map(ForStock::block).toList();
  }

  @Test
  void blockWhoseTransferHasEnded_isPlannedNext_howeverManyWait() throws Exception {
    disks("a", "b", "c");
    WaitingBlock returned = waitingBlock(7_000_000).bytes(64 * MB).build();
    when(blocks.readAgain(List.of(returned.key()))).thenReturn(List.of(returned));
    queues(1_000_000, batch -> {
      for (int i = 0; i < BATCH; i++) {
        batch.add(next(0));
      }
      return false;
    });
    TimeslotPlanner timeslots = planner();
    timeslots.carriedOut(timeslots.plan(nodes, loads, List.of(), 0), List.of(), 0);
    timeslots.returned(List.of(returned.key()));
    TimeslotDecision decision = timeslots.plan(nodes, loads, List.of(), 2_000_000_000L);
    assertTrue(decision.requests().stream().anyMatch(request -> request.block().equals(returned.key())));
    timeslots.carriedOut(decision, decision.copies().stream().map(copy -> REFUSED).toList(), 0);
    TimeslotDecision next = timeslots.plan(nodes, loads, List.of(), 4_000_000_000L);
    assertTrue(next.requests().stream().anyMatch(request -> request.block().equals(returned.key())),
        "a refused one as well");
  }

  @Test
  void limitToTheHighestRisk_letsOthersWait_withDayuAndWithStock() throws Exception {
    disks("a", "b", "c");
    List<WaitingBlock> all = List.of(waiting(1, 0, null), waiting(2, 0, WaitReason.PROVIDED_STORAGE),
        waiting(3, 2, null), waiting(4, 2, WaitReason.ERASURE_CODED));
    queues(4, batch -> batch.addAll(all));
    TimeslotPlanner timeslots = planner();
    timeslots.limitToHighestRisk(true);
    TimeslotDecision limited = timeslots.plan(nodes, loads, List.of(), 0);
    assertEquals(List.of(1L), limited.requests().stream().map(request -> request.block().blockId()).toList());
    assertEquals(List.of(new ForStock(all.get(1), WaitReason.PROVIDED_STORAGE)), limited.forStock());
    timeslots.carriedOut(limited, List.of(CommitResult.committed("DS-1", "DISK")), 1);
    timeslots.limitToHighestRisk(false);
    TimeslotDecision next = timeslots.plan(nodes, loads, List.of(), 2_000_000_000L);
    assertTrue(next.requests().stream().anyMatch(request -> request.block().blockId() == 3));
    assertTrue(blocks(next).contains(all.get(3)));
  }

  private static WaitingBlock waiting(long id, int risk, WaitReason stockReason) {
    return waitingBlock(id).bytes(64 * MB).risk(risk).forStock(stockReason).build();
  }

  @Test
  void blockOfWhichOneCopyIsCommittedAndOneRefused_isReadAgain() throws Exception {
    disks("a", "b", "c");
    WaitingBlock both = waitingBlock(1).bytes(MB).risk(1).copies(2).build();
    queues(both);
    TimeslotPlanner timeslots = planner();
    TimeslotDecision decision = timeslots.plan(nodes, loads, List.of(), 0);
    assertEquals(2, decision.copies().size());
    timeslots.carriedOut(decision, List.of(CommitResult.committed("s", "DISK"), REFUSED), 1);
    assertEquals(List.of(), timeslots.plan(nodes, loads, List.of(), 2_000_000_000L).copies(),
        "what was known of it is no longer so");
    verify(blocks).readAgain(List.of(both.key()));
  }

  /** Both copies would be read from the last source, and each get half of what it has. */
  @Test
  void blockAtTheHighestRisk_getsOneCopyFirst_andAnotherWhenThatIsNoLongerUnderWay() throws Exception {
    disks("a", "b", "c", "d");
    WaitingBlock last = waitingBlock(1).bytes(MB).risk(0).copies(2).build();
    WaitingBlock other = waitingBlock(2).bytes(MB).risk(1).copies(2).build();
    when(blocks.waitingBlocks()).thenReturn(1L);
    when(blocks.readHighestRisk(anyInt())).thenReturn(List.of(last));
    when(blocks.readNext(anyList())).thenAnswer(call -> call.<List<WaitingBlock>>getArgument(0).add(other));
    when(blocks.readAgain(anyList())).thenReturn(List.of(last));
    TimeslotPlanner timeslots = planner();
    TimeslotDecision decision = timeslots.plan(nodes, loads, List.of(), 0);
    assertEquals(List.of(1L, 2L, 2L), planned(decision));
    timeslots.carriedOut(decision, Collections.nCopies(3, CommitResult.committed("s", "DISK")), 3);
    Attempt first = AttemptFixture.running(1, decision.requests().get(0), MB);
    timeslots.returned(List.of(last.key()));
    assertEquals(List.of(2L, 2L), planned(timeslots.plan(nodes, loads, List.of(first), 2_000_000_000L)));
    assertTrue(timeslots.plannedAll(), "what waits for its first copy does not wait for a plan");
    assertEquals(List.of(1L, 2L, 2L),
        planned(timeslots.plan(nodes, loads, List.of(AttemptFixture.cancelled(first)), 4_000_000_000L)));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      // second of the last report | bytes then | bytes/s granted | second of the plan | waited for
      " 0 |       0 | 1000000 | 14 | true  | it was granted just now",
      " 0 |       0 | 1000000 | 16 | false | its target has a queue, or hangs, or is silent",
      "20 |  500000 |   50000 | 30 | true  | bytes come",
      "20 |       0 |   50000 | 20 | false | its target reports, and receives nothing",
      "60 |   10000 | 1000000 | 61 | false | it is far behind its plan",
      " 0 |       0 |       0 |  2 | true  | a plan has stopped it, and the next one may let it go on",
      " 0 |       0 |       0 | 16 | false | plans have stopped it for long"})
  void secondCopy_waitsForAFirstThatIsOnItsWay(long reportSec, long bytes, long rate, long planSec, boolean waits,
      String why) throws Exception {
    disks("a", "b", "c", "d");
    WaitingBlock last = waitingBlock(1).bytes(MB).risk(0).copies(2).build();
    queues(last);
    Attempt first = AttemptFixture.progressed(
        AttemptFixture.running(1, new TransferRequest(last.key(), MB, 0, "a", "b", 4), rate), bytes, 1,
        TimeUnit.SECONDS.toNanos(reportSec));
    assertEquals(waits ? List.of() : List.of(1L),
        planned(planner().plan(nodes, loads, List.of(first), TimeUnit.SECONDS.toNanos(planSec))), why);
  }

  /** What is left is not known to be near its end, and half of the work is not in the plan yet. */
  @Test
  void manyAwaitedBlocks_areNotTakenForTheEnd() throws Exception {
    disks("a", "b", "c", "d");
    WaitingBlock[] last = new WaitingBlock[3];
    List<Attempt> firsts = new ArrayList<>();
    for (int i = 0; i < last.length; i++) {
      last[i] = waitingBlock(i + 1).bytes(MB).risk(0).copies(2).build();
      firsts.add(AttemptFixture.running(i, new TransferRequest(last[i].key(), MB, 0, "a", "b", 4), MB));
    }
    queues(last);
    TimeslotPlanner timeslots = planner();
    assertEquals(List.of(), planned(timeslots.plan(nodes, loads, firsts, 0)));
    assertFalse(timeslots.plannedAll());
  }

  /** HDFS counts it as being at the highest risk, but each copy has a source of its own. */
  @Test
  void blockOnLeavingNodesOnly_getsAllCopiesAtOnce() throws Exception {
    disks("a", "b", "c", "d", "e");
    WaitingBlock leaving = waitingBlock(1).bytes(MB).on("a", "b", "c").risk(0).copies(2).build();
    queues(leaving);
    assertEquals(List.of(1L, 1L), planned(planner().plan(nodes, loads, List.of(), 0)));
  }

  @Test
  void blocksWhoseCopiesAreOnTheirWay_doNotHideOthersAtTheHeadOfTheQueue() throws Exception {
    disks("a", "b", "c", "d");
    Attempt first = AttemptFixture.running(1, new TransferRequest(new BlockKey(1, 1), MB, 0, "a", "b", 4), MB);
    planner().plan(nodes, loads, List.of(first), 0);
    verify(blocks).readHighestRisk(2_001);
  }

  private static List<Long> planned(TimeslotDecision decision) {
    return decision.requests().stream().map(request -> request.block().blockId()).toList();
  }

  @Test
  void allIsPlanned_onlyWhenEveryBlockThatWaitsIsKnownAndPlanned() throws Exception {
    disks("a", "b", "c");
    List<WaitingBlock> small = List.of(sized(1, MB), sized(2, MB));
    List<WaitingBlock> large = List.of(sized(3, 64_000 * MB), sized(4, 64_000 * MB), sized(5, 64_000 * MB));
    when(blocks.readHighestRisk(anyInt())).thenReturn(small, small, large);
    when(blocks.readNext(anyList())).thenReturn(true);
    TimeslotPlanner timeslots = planner();
    assertFalse(timeslots.plannedAll(), "nothing has been planned");
    when(blocks.waitingBlocks()).thenReturn(3L);
    assertEquals(2, timeslots.plan(nodes, loads, List.of(), 0).copies().size());
    assertFalse(timeslots.plannedAll(), "one is not known");
    when(blocks.waitingBlocks()).thenReturn(2L);
    timeslots.plan(nodes, loads, List.of(), 2_000_000_000L);
    assertTrue(timeslots.plannedAll());
    timeslots.clear();
    assertFalse(timeslots.plannedAll(), "cleared");
    when(blocks.waitingBlocks()).thenReturn(3L);
    assertTrue(timeslots.plan(nodes, loads, List.of(), 4_000_000_000L).copies().size() < 3);
    assertFalse(timeslots.plannedAll(), "some do not fit into the timeslot");
  }

  private static WaitingBlock sized(long id, long bytes) {
    return waitingBlock(id).bytes(bytes).build();
  }

  /** The scheduler here plans nothing, though there is bandwidth at the block's source and at two possible targets. */
  @Test
  void blockThatCouldBePlannedAndIsNot_goesToStockAfterFiveMinutes() throws Exception {
    disks("a", "b", "c");
    WaitingBlock block = waitingBlock(1).bytes(MB).build();
    when(blocks.waitingBlocks()).thenReturn(1L);
    when(blocks.readHighestRisk(anyInt())).thenReturn(List.of(block));
    when(blocks.readNext(anyList())).thenReturn(true);
    TimeslotScheduler scheduler = mock(TimeslotScheduler.class);
    when(scheduler.plan(any())).thenReturn(
        new TimeslotPlan(new int[0], new int[0], new int[0], new long[0], new int[0], new long[0], 0, 1));
    BlockHistory history = new BlockHistory();
    TimeslotPlanner timeslots = planner(new PlanningAlgorithm(() -> scheduler), history);
    for (long nowSec = 0; nowSec < 300; nowSec += 2) {
      TimeslotDecision decision = timeslots.plan(nodes, loads, List.of(), TimeUnit.SECONDS.toNanos(nowSec));
      assertEquals(List.of(), blocks(decision), "after " + nowSec + " s");
      timeslots.carriedOut(decision, List.of(), 0);
    }
    TimeslotDecision decision = timeslots.plan(nodes, loads, List.of(), TimeUnit.SECONDS.toNanos(300));
    assertEquals(List.of(block.key()), blocks(decision).stream().map(WaitingBlock::key).toList());
    assertEquals(WaitReason.PASSED_OVER, decision.forStock().get(0).reason());
    timeslots.carriedOut(decision, List.of(), 0);
    assertTrue(history.isLeftToStock(block.key(), TimeUnit.SECONDS.toNanos(302)));
  }

  private static WaitingBlock wantedOn(int type) {
    return waitingBlock(1).bytes(MB).storageTypes(1 << type).build();
  }

  /** A timeslot that knows of one block, which is to go to a storage type that no node has. */
  private TimeslotPlanner timeslotsWithUnplaceableBlock() throws Exception {
    disks("a", "b");
    queues(wantedOn(ARCHIVE));
    return planner();
  }

  @Test
  void unplaceableBlock_isPlannedNext_ifItIsPlaceableWhenItIsReadAgain() throws Exception {
    when(blocks.readAgain(List.of(wantedOn(ARCHIVE).key()))).thenReturn(List.of(wantedOn(DISK)));
    TimeslotPlanner timeslots = timeslotsWithUnplaceableBlock();
    TimeslotDecision decision = timeslots.plan(nodes, loads, List.of(), 0);
    assertEquals(List.of(), blocks(decision));
    timeslots.carriedOut(decision, List.of(), 0);
    decision = timeslots.plan(nodes, loads, List.of(), 2_000_000_000L);
    assertEquals(List.of(), blocks(decision));
    assertEquals(List.of(wantedOn(DISK)), decision.copies().stream().map(TimeslotDecision.Copy::block).toList());
  }

  @Test
  void unplaceableBlock_goesToStock_ifItIsStillUnplaceableWhenItIsReadAgain() throws Exception {
    when(blocks.readAgain(List.of(wantedOn(ARCHIVE).key()))).thenReturn(List.of(wantedOn(ARCHIVE)));
    TimeslotPlanner timeslots = timeslotsWithUnplaceableBlock();
    assertEquals(WaitReason.READ_AGAIN, timeslots.unplaceableReason(wantedOn(ARCHIVE), 0));
    TimeslotDecision decision = timeslots.plan(nodes, loads, List.of(), 0);
    assertEquals(List.of(), blocks(decision));
    timeslots.carriedOut(decision, List.of(), 0);
    assertEquals(WaitReason.NO_TARGET, timeslots.unplaceableReason(wantedOn(ARCHIVE), 0), "as a dry run says now");
    assertEquals(List.of(new ForStock(wantedOn(ARCHIVE), WaitReason.NO_TARGET)),
        timeslots.plan(nodes, loads, List.of(), 2_000_000_000L).forStock());
  }

  @Test
  void unplaceableBlock_isForgotten_ifItHasLeftTheQueues() throws Exception {
    TimeslotPlanner timeslots = timeslotsWithUnplaceableBlock();
    timeslots.carriedOut(timeslots.plan(nodes, loads, List.of(), 0), List.of(), 0);
    TimeslotDecision decision = timeslots.plan(nodes, loads, List.of(), 2_000_000_000L);
    assertEquals(List.of(), blocks(decision));
    List<WaitingBlock> waiting = new ArrayList<>();
    timeslots.readWaiting(0, 1, waiting);
    assertEquals(List.of(), waiting);
  }

  @Test
  void unplaceableBlockThatIsAppended_isPlannedAtOnceInItsNewGeneration() throws Exception {
    WaitingBlock appended = waitingBlock(new BlockKey(1, 2)).bytes(2 * MB).build();
    TimeslotPlanner timeslots = timeslotsWithUnplaceableBlock();
    timeslots.carriedOut(timeslots.plan(nodes, loads, List.of(), 0), List.of(), 0);
    when(blocks.readNext(anyList())).thenAnswer(call -> call.<List<WaitingBlock>>getArgument(0).add(appended));
    TimeslotDecision decision = timeslots.plan(nodes, loads, List.of(), 2_000_000_000L);
    verify(blocks).readAgain(List.of(wantedOn(ARCHIVE).key()));
    assertEquals(List.of(appended), decision.copies().stream().map(TimeslotDecision.Copy::block).toList());
  }

  /** The second pass over the queues after the first one finds ten blocks only: the others are dropped. */
  @Test
  void blocksThatAreRead_keepTheirRows_untilTheLastIsRead() throws Exception {
    disks("a", "b", "c");
    int all = 20_000;
    int left = 10;
    queues(all, batch -> {
      for (long id = read == 0 ? 0 : all - left; id < all; id++) {
        batch.add(waitingBlock(id).bytes(64 * MB).build());
      }
      read++;
      return true;
    });
    TimeslotPlanner timeslots = planner();
    List<WaitingBlock> waiting = new ArrayList<>();
    int row = 0;
    for (int i = 0; i < 3; i++) {
      timeslots.carriedOut(timeslots.plan(nodes, loads, List.of(), i * 2_000_000_000L), List.of(), 0);
      waiting.clear();
      row = timeslots.readWaiting(row, 1_000, waiting);
    }
    assertEquals(-1, row);
    assertEquals(LongStream.range(all - left, all).boxed().toList(),
        waiting.stream().map(block -> block.key().blockId()).sorted().toList());
    timeslots.carriedOut(timeslots.plan(nodes, loads, List.of(), 6_000_000_000L), List.of(), 0);
    assertEquals(1, timeslots.readWaiting(0, 1, new ArrayList<>()), "memory was given back");
  }

  /** Nothing can be planned here, since each node holds each block: so bandwidth is left in all timeslots. */
  @Test
  void allThatWaits_isNotReadAgainInEveryTimeslot_thoughBandwidthIsLeft() throws Exception {
    disks("a", "b");
    int all = 128 * BATCH;
    when(blocks.readAgain(anyList())).thenAnswer(call -> call.<List<BlockKey>>getArgument(0).stream()
        .map(key -> waitingBlock(key).bytes(64 * MB).on("a", "b").build())
        .toList());
    queues(all, batch -> {
      for (int i = 0; i < BATCH; i++) {
        batch.add(waitingBlock(read++ % all).bytes(64 * MB).on("a", "b").build());
      }
      return read % all == 0;
    });
    TimeslotPlanner timeslots = planner();
    int leftToStock = 0;
    for (int i = 0; i < 4; i++) {
      TimeslotDecision decision = timeslots.plan(nodes, loads, List.of(), i * 2_000_000_000L);
      leftToStock += decision.forStock().size();
      timeslots.carriedOut(decision, List.of(), 0);
    }
    assertEquals(all, read, "while the pool does not have them all");
    assertTrue(leftToStock > 0, "some are in the queues and not in the pool");
    timeslots.carriedOut(timeslots.plan(nodes, loads, List.of(), 8_000_000_000L), List.of(), 0);
    assertEquals(all + 4 * BATCH, read, "one in 32, in case others have come in place of some that are gone");
    when(blocks.waitingBlocks()).thenReturn(all + 1L);
    timeslots.carriedOut(timeslots.plan(nodes, loads, List.of(), 10_000_000_000L), List.of(), 0);
    assertEquals(all + 44 * BATCH, read, "one has come");
  }

  /** Each node could move 7.8 blocks until the horizon: with seven it has as many as it can. */
  @Test
  void furtherBlocks_areNotRead_whereNoWholeOneFits() throws Exception {
    List<String> all = List.of("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l");
    for (String uuid : all) {
      node(uuid, DISK);
      loads.put(uuid, new NodeLoad(new Link(111 * MB, 0), new Link(111 * MB, 0), 1, 8));
    }
    queues(1_000_000, batch -> {
      for (int i = 0; i < BATCH; i++) {
        batch.add(waitingBlock(++read).bytes(64 * MB).on(all.get((int) (read % all.size()))).build());
      }
      return false;
    });
    TimeslotPlanner timeslots = planner();
    TimeslotDecision first = timeslots.plan(nodes, loads, List.of(), 0);
    assertTrue(first.plannedBytes() < 0.9 * first.volumeBytes(), first.copies().size() + " blocks");
    assertTrue(first.copies().size() > 0.9 * 7 * all.size(), first.copies().size() + " blocks");
    timeslots.carriedOut(first, first.copies().stream().map(copy -> COMMITTED).toList(), 0);
    long before = read;
    timeslots.plan(nodes, loads, List.of(), 2_000_000_000L);
    assertEquals(2 * BATCH, read - before);
  }

  /** A type whose only node is busy: nothing of it can be planned, but it does not belong to stock HDFS either. */
  @Test
  void moreBlocksOfABusyTypeThanThePoolEverHeld_keepNoOthersUnread() throws Exception {
    disks("a", "b", "c");
    node("archive", ARCHIVE);
    loads.put("archive",
        new NodeLoad(new Link(1, 1), new Link(1, 1), 1, 8));
    long archived = 300_000;
    long all = archived + 1_000;
    queues(all, batch -> {
      for (int i = 0; i < BATCH && read < all; i++) {
        batch.add(next(archived));
      }
      return read == all;
    });
    TimeslotPlanner timeslots = planner();
    boolean planned = false;
    for (int i = 0; i < 10 && !planned; i++) {
      TimeslotDecision decision = timeslots.plan(nodes, loads, List.of(), i * 2_000_000_000L);
      timeslots.carriedOut(decision, decision.copies().stream().map(copy -> REFUSED).toList(), 0);
      planned = decision.copies().stream().anyMatch(copy -> copy.request().storageTypes() == 1 << DISK);
    }
    assertTrue(planned);
  }

  /** More blocks of one busy source than the pool holds wait before those of another one, and one comes later. */
  @Test
  void moreBlocksOfABusySourceThanThePoolHolds_keepNoOthersOut() throws Exception {
    disks("a", "b", "busy");
    loads.put("busy", new NodeLoad(new Link(100 * MB, 0), new Link(1, 1), 1, 8));
    long ofBusy = 300_000;
    long all = ofBusy + 1_000;
    queues(all, batch -> {
      for (int i = 0; i < BATCH && read < all; i++) {
        batch.add(waitingBlock(read).bytes(64 * MB).risk(2).on(read < ofBusy ? "busy" : "a").build());
        read++;
      }
      return read == all;
    });
    TimeslotPlanner timeslots = planner();
    boolean planned = false;
    for (int i = 0; i < 10 && !planned; i++) {
      TimeslotDecision decision = timeslots.plan(nodes, loads, List.of(), i * 2_000_000_000L);
      timeslots.carriedOut(decision, decision.copies().stream().map(copy -> REFUSED).toList(), 0);
      planned = decision.copies().stream().anyMatch(copy -> copy.request().source().equals("a"));
    }
    assertTrue(planned);
    List<WaitingBlock> known = new ArrayList<>();
    timeslots.readWaiting(0, Integer.MAX_VALUE, known);
    assertTrue(known.size() < 202_000, known.size() + " blocks");
    WaitingBlock late = waitingBlock(all).bytes(64 * MB).risk(0).on("b").build();
    when(blocks.readHighestRisk(anyInt())).thenReturn(List.of(late));
    assertEquals(late.key(),
        timeslots.plan(nodes, loads, List.of(), 30_000_000_000L).copies().get(0).request().block());
  }
}
