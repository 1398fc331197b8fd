/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.admin;

import io.dayu.blocks.BlockDetails;
import io.dayu.blocks.BlockDetails.FileState;
import io.dayu.blocks.BlockInspection;
import io.dayu.blocks.BlockKey;
import io.dayu.blocks.BlockManagement;
import io.dayu.blocks.GroupFixture;
import io.dayu.blocks.GroupNeed;
import io.dayu.blocks.IndexedNode;
import io.dayu.blocks.InternalBlock;
import io.dayu.blocks.LiveNode;
import io.dayu.blocks.LiveNodeFixture;
import io.dayu.blocks.TransferRequest;
import io.dayu.blocks.WaitReason;
import io.dayu.blocks.WaitingBlock;
import io.dayu.conf.Settings;
import io.dayu.namenode.NameNodeRuntime;
import io.dayu.namenode.cluster.LiveCluster;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.loop.AdminControl;
import io.dayu.namenode.loop.PauseRequest;
import io.dayu.namenode.loop.RecoveryController;
import io.dayu.namenode.loop.RecoveryParts;
import io.dayu.namenode.planning.FailedCopies;
import io.dayu.namenode.planning.FailedCopies.FailedCopy;
import io.dayu.namenode.status.RecoveryState;
import io.dayu.namenode.transfers.AttemptFixture;
import io.dayu.namenode.transfers.AvoidedNodes;
import io.dayu.schedule.PlanningAlgorithm;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import static io.dayu.blocks.WaitingBlockBuilder.waitingBlock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.AdditionalAnswers.returnsFirstArg;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.spy;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

/** Why a block waits, while no timeslot is planned at all. */
class BlockExplanationTest {
  private static final WaitingBlock BLOCK = waitingBlock(7).build();
  private static final String WAIT =
      "waiting for 3 of 5 live DataNodes to say what they are transferring, for 40 s at most";

  private final BlockManagement blocks = mock(BlockManagement.class);
  private final BlockInspection inspection = mock(BlockInspection.class);
  private RecoveryParts recovery;
  private RecoveryController controller;
  private BlockExplanation explanation;

  @BeforeEach
  void start() throws Exception {
    Settings settings = Settings.read(new Configuration(false));
    PlanningAlgorithm algorithm = NameNodeRuntime.algorithm(settings);
    recovery =
        RecoveryParts.of(blocks, settings, algorithm, "nn", () -> 0L, () -> 0L, mock(ScheduledExecutorService.class));
    when(inspection.detailsOf(7))
        .thenReturn(new BlockDetails(BLOCK.key(), 100, 1, 3, List.of(), 0, FileState.CLOSED, true, BLOCK));
    when(inspection.peek(5_000)).thenReturn(List.of(BLOCK));
    when(blocks.nameOf(anyString())).then(returnsFirstArg());
    controller = spy(recovery.controller());
    explanation = new BlockExplanation(controller, recovery.status(), blocks, inspection,
        new AdminViews(controller, blocks, recovery.agents(), settings, "0.1.0"),
        new DryRun(controller, inspection, settings, algorithm));
    recovery.status().enter(RecoveryState.DAYU, "the NameNode is active");
  }

  private String waitReason() {
    return explanation.of(List.of(7L), 0).get(0).waiting().waitReason().name();
  }

  private String reason() {
    return explanation.of(List.of(7L), 0).get(0).reason();
  }

  @Test
  void severalBlocks_areExplainedByOneDryRun() {
    WaitingBlock other = waitingBlock(8).build();
    when(inspection.detailsOf(8)).thenReturn(
        new BlockDetails(other.key(), 100, 1, 3, List.of(), 0, FileState.CLOSED, true, other));
    List<BlockExplanation.Explained> found = explanation.of(List.of(7L, 9L, 8L), 0);
    assertEquals(List.of("blk_7_1", "none", "blk_8_1"),
        found.stream().map(one -> one == null ? "none" : one.block()).toList());
    verify(inspection, times(1)).peek(5_000);
  }

  @Test
  void adoptionAfterAStartOrFailover_isWhatABlockWaitsFor() {
    recovery.status().waitFor(WAIT);
    assertEquals("no block is copied yet: " + WAIT, reason());
    assertEquals("NOTHING_PLANNED", waitReason());
    recovery.status().waitFor(null);
    assertEquals(true, reason().startsWith("no DataNode can take it now"), reason());
  }

  @Test
  void otherNameNodes_areAskedFirst() {
    recovery.controller().adminControl().askPeers();
    assertEquals("no block is copied yet: the other NameNodes are asked whether an admin has paused recovery",
        reason());
    recovery.controller().adminControl().peersAnswered();
    when(blocks.inSafeMode()).thenReturn(true);
    assertEquals("no block is copied yet: the NameNode is in safe mode", reason());
  }

  /** As with ten replicas on five nodes: it would wait for ever, although the nodes have bandwidth left. */
  @Test
  void blockThatNoDataNodeCanTake_doesNotWaitForItsTurn() {
    assertEquals("no DataNode can take it now, for the reasons below; the next timeslot reads it again, since that may "
        + "have changed", reason());
  }

  @Test
  void lastBlockOfAnOpenFile_isBeingWritten() {
    when(inspection.detailsOf(7)).thenReturn(
        new BlockDetails(BLOCK.key(), 100, 0, 3, List.of(), 0, FileState.OPEN, true, null));
    assertTrue(reason().startsWith("it is being written: "), reason());
  }

  @Test
  void groupOfAFileThatWasJustClosed_mayNotBeReportedYet() {
    when(inspection.detailsOf(7)).thenReturn(
        new BlockDetails(BLOCK.key(), 100, 2, 3, List.of(), 0, FileState.JUST_CLOSED, true, null));
    assertEquals("its file was just closed: what it lacks may be written and not reported yet", reason());
    when(inspection.detailsOf(7)).thenReturn(
        new BlockDetails(BLOCK.key(), 100, 3, 3, List.of(), 0, FileState.JUST_CLOSED, false, null));
    assertEquals("it has enough replicas", reason());
  }

  @Test
  void groupOfWhichTooFewInternalBlocksCanBeRead_waitsForMore_andNothingIsPlanned() {
    WaitingBlock group = GroupFixture.lost(7, 0, 0, 1, 2);
    when(inspection.detailsOf(7)).thenReturn(details(group));
    assertEquals("TOO_FEW_SOURCES", waitReason());
    assertEquals("too few of its internal blocks can be read to rebuild another: it waits for more of them: 2 can be "
        + "read and it takes 3, so bring back DataNodes that have others", reason());
    assertEquals(List.of(), explanation.of(List.of(7L), 0).get(0).next());
  }

  private static BlockDetails details(WaitingBlock group) {
    return new BlockDetails(group.key(), 6_000, 2, 5, List.of(), 0, FileState.CLOSED, true, group);
  }

  @Test
  void stocksGroup_saysThatTooFewInternalBlocksCanBeRead_byAnybody() {
    WaitingBlock group = GroupFixture.lost(7, 0, 0, 1, 2).leftToStock(WaitReason.ERASURE_CODED);
    when(inspection.detailsOf(7)).thenReturn(details(group));
    assertEquals("ERASURE_CODED", waitReason());
    assertEquals("it is left to stock HDFS: it is erasure-coded (see dayu.recovery.erasure-coding); stock HDFS cannot "
        + "rebuild it now, nor could Dayu: of its internal blocks 2 can be read and it takes 3, so bring back "
        + "DataNodes that have others", reason());
    assertEquals("internal blocks (RS-3-2-1k) of index 0, 1, 2, each rebuilt from 3, and 2 can be read",
        explanation.of(List.of(7L), 0).get(0).waiting().work());
    recovery.status().enter(RecoveryState.STOCK, "too few agents");
    assertEquals("it waits for stock HDFS: too few agents; stock HDFS cannot rebuild it now, nor could Dayu: of its "
        + "internal blocks 2 can be read and it takes 3, so bring back DataNodes that have others", reason());
  }

  /** Stock HDFS never copies it; Dayu would. */
  @Test
  void stocksGroup_ofWhichOneOfTheLastInternalBlocksLeaves_cannotBeRebuiltByStock() {
    GroupNeed need = new GroupNeed(GroupFixture.RS_3_2, 6_000, 3, GroupNeed.Kind.LEAVING,
        List.of(new InternalBlock(0, 100)), List.of(new IndexedNode("a", 0)), List.of(new IndexedNode("b", 1)));
    WaitingBlock group = waitingBlock(7).on("a", "b").group(need).build().leftToStock(WaitReason.ERASURE_CODED);
    when(inspection.detailsOf(7)).thenReturn(details(group));
    assertTrue(reason().endsWith("; stock HDFS cannot rebuild it now: of its internal blocks 2 can be read and it "
        + "takes 3, so bring back DataNodes that have others"), reason());
  }

  @Test
  void stocksGroup_withoutATarget_saysWhy() {
    WaitingBlock group = GroupFixture.lost(7, 0, 0, 1).leftToStock(WaitReason.ERASURE_CODED);
    when(inspection.detailsOf(7)).thenReturn(details(group));
    LiveCluster cluster = mock(LiveCluster.class);
    when(cluster.nodes()).thenReturn(Map.of("full", node("full", 1), "n2", node("n2")));
    doReturn(cluster).when(controller).cluster();
    assertTrue(reason().endsWith("; stock HDFS has no target that answers now, nor would Dayu have one, for the "
        + "reasons below"), reason());
    assertEquals(Map.of("holds or awaits a replica", 1, "no room on a storage type of the file's policy", 1),
        explanation.of(List.of(7L), 0).get(0).waiting().targets().excluded());
    // One without an agent will do for stock.
    when(cluster.nodes()).thenReturn(Map.of("t", node("t"), "n2", node("n2")));
    assertEquals("it is left to stock HDFS: it is erasure-coded (see dayu.recovery.erasure-coding)", reason());
    assertEquals(1, explanation.of(List.of(7L), 0).get(0).waiting().targets().count());
  }

  /** Stock looks for room for the length of the data on one volume, also to rebuild one internal block. */
  @Test
  void stocksGroup_needsATargetWithRoomForTheWholeGroup() {
    WaitingBlock group = GroupFixture.lost(7, 0, 0, 1).leftToStock(WaitReason.ERASURE_CODED);
    when(inspection.detailsOf(7)).thenReturn(details(group));
    LiveCluster cluster = mock(LiveCluster.class);
    when(cluster.nodes())
        .thenReturn(Map.of("full", node("full", 1), "t", node("t", GroupFixture.GROUP_BYTES - 1)));
    doReturn(cluster).when(controller).cluster();
    assertTrue(reason().endsWith("; stock HDFS has no target that answers now, for the reasons below"), reason());
    assertEquals(Map.of("no room on a storage type of the file's policy", 1,
        "room for an internal block only, and stock HDFS asks for room for the whole group", 1),
        explanation.of(List.of(7L), 0).get(0).waiting().targets().excluded());
    when(cluster.nodes()).thenReturn(Map.of("t", node("t", GroupFixture.GROUP_BYTES)));
    assertEquals("it is left to stock HDFS: it is erasure-coded (see dayu.recovery.erasure-coding)", reason());
  }

  @Test
  void stocksGroup_isNotInTheNextPlan() {
    WaitingBlock group = GroupFixture.lost(7, 0, 0, 1);
    nodesWithAgents("n0", "n1", "n2", "n3", "n4", "t");
    when(inspection.detailsOf(7)).thenReturn(details(group));
    assertEquals("PLANNED_NEXT", waitReason());
    when(inspection.detailsOf(7)).thenReturn(details(group.leftToStock(WaitReason.ERASURE_CODED)));
    assertEquals("ERASURE_CODED", waitReason());
    assertEquals(List.of(), explanation.of(List.of(7L), 0).get(0).next());
  }

  @Test
  void blockThatHdfsAwaits_saysSinceWhen_andWhenItsEntryTimesOut() {
    when(blocks.pendingTimeoutMs()).thenReturn(600_000L);
    long sinceMs = Instant.parse("2026-11-23T09:20:41.5Z").toEpochMilli();
    when(inspection.detailsOf(7)).thenReturn(
        new BlockDetails(BLOCK.key(), 100, 1, 3, List.of("b"), sinceMs, FileState.CLOSED, true, null));
    assertEquals("HDFS awaits a replica, of its own recovery or of the file's writer, since 2026-11-23T09:20:41Z; if "
        + "no DataNode reports it by 2026-11-23T09:30:41Z, HDFS queues the block again within about 300 s", reason());
    when(inspection.detailsOf(7)).thenReturn(new BlockDetails(GroupFixture.lost(GroupFixture.GROUP_ID, 0, 1).key(),
        6_000, 4, 5, List.of("b"), sinceMs, FileState.CLOSED, true, null));
    assertEquals("HDFS awaits an internal block, of its own recovery or of the file's writer, since "
        + "2026-11-23T09:20:41Z; if no DataNode reports it by 2026-11-23T09:30:41Z, HDFS queues the group again within "
        + "about 300 s", reason());
  }

  @Test
  void blockOfTheHighestRisk_isNotHeldBackByAPauseOfTheOthers() {
    WaitingBlock urgent = waitingBlock(7).risk(0).build();
    AdminControl adminControl = recovery.controller().adminControl();
    adminControl.pause(new PauseRequest(60_000, false, ""), "alice", 0);
    String pause = "recovery is " + adminControl.modeChange().describe();
    recovery.status().waitFor(pause);
    assertEquals(pause, reason());
    when(inspection.detailsOf(7)).thenReturn(
        new BlockDetails(urgent.key(), 100, 1, 3, List.of(), 0, FileState.CLOSED, true, urgent));
    assertEquals(true, reason().startsWith("no DataNode can take it now"), reason());

    adminControl.pause(new PauseRequest(60_000, true, ""), "alice", 1);
    assertEquals("recovery is " + adminControl.modeChange().describe(), reason());
  }

  @Test
  void blockAtTheHighestRisk_waitsForTheCopyThatIsUnderWay() {
    WaitingBlock last = waitingBlock(7).risk(0).copies(2).build();
    when(inspection.detailsOf(7)).thenReturn(
        new BlockDetails(last.key(), 100, 1, 3, List.of("b"), 0, FileState.CLOSED, true, last));
    assertEquals("READ_AGAIN", waitReason(), "there is no node");
    TransferRequest request = new TransferRequest(last.key(), 100, 0, "a", "b", 4);
    doReturn(List.of(AttemptFixture.granted(1, request, last, 10))).when(controller).transfers();
    assertEquals("FIRST_COPY", waitReason());
  }

  /** As of a group whose only free DataNode has just deleted another of its internal blocks. */
  @Test
  void blockWhoseOnlyTargetHasJustRefusedIt_doesNotWaitForItsTurn() {
    nodesWithAgents("a", "t");
    assertEquals("PLANNED_NEXT", waitReason());
    controller.history().deleting(BLOCK.key(), "t", 0);
    assertEquals("TARGET_SOON", waitReason());
    assertEquals("no DataNode can take it for some seconds, for the reasons below", reason());
  }

  private void nodesWithAgents(String... uuids) {
    NodeLoad load = new NodeLoad(new NodeLoad.Link(1_000_000, 0), new NodeLoad.Link(1_000_000, 0), 1, 8)
        .withCodecs(Set.of("rs"));
    Map<String, LiveNode> nodes = new HashMap<>();
    Map<String, NodeLoad> loads = new HashMap<>();
    for (String uuid : uuids) {
      nodes.put(uuid, node(uuid));
      loads.put(uuid, load);
    }
    LiveCluster cluster = mock(LiveCluster.class);
    when(cluster.nodes()).thenReturn(nodes);
    when(cluster.nodesToPlanWith(anyLong())).thenReturn(nodes);
    when(cluster.loads(anyLong())).thenReturn(loads);
    when(cluster.avoided()).thenReturn(mock(AvoidedNodes.class));
    doReturn(cluster).when(controller).cluster();
  }

  private static LiveNode node(String uuid) {
    return node(uuid, 10_000);
  }

  private static LiveNode node(String uuid, long bytes) {
    long[] freeBytes = new long[StorageType.values().length];
    int[] volumes = new int[freeBytes.length];
    freeBytes[StorageType.DISK.ordinal()] = bytes;
    volumes[StorageType.DISK.ordinal()] = 1;
    return LiveNodeFixture.liveNode(uuid, "10.0.0.1", uuid, 9866, "/" + uuid, true, freeBytes, volumes);
  }

  @Test
  void copiesThatFailed_areNamed() {
    assertEquals(List.of(), explanation.of(List.of(7L), 0).get(0).waiting().failed());
    FailedCopies failed = recovery.controller().history().failedCopies();
    failed.add(BLOCK.key(), new FailedCopy("t", List.of("s"), "its agent reports TARGET_FAILED: disk full", 0));
    failed.add(new BlockKey(8, 1), new FailedCopy("t", List.of("s"), "of another block", 0));
    assertEquals(
        List.of(new BlockExplanation.Failed("t", List.of("s"), "its agent reports TARGET_FAILED: disk full", 9)),
        explanation.of(List.of(7L), TimeUnit.SECONDS.toNanos(9)).get(0).waiting().failed());
  }

  @Test
  void reason_isTheOneThatWasDecided() {
    assertEquals("READ_AGAIN", waitReason(), "there is no node");
    for (int second = 0; second <= 300; second += 100) {
      recovery.controller().history().failed(BLOCK.key(), TimeUnit.SECONDS.toNanos(second - 300));
    }
    assertEquals("COPIES_FAILED", waitReason());
    assertEquals("it is left to stock HDFS for some minutes: three copies failed", reason());
    recovery.status().enter(RecoveryState.STOCK, "too few agents");
    assertEquals("STOCK_RECOVERS", waitReason());
    assertEquals("it waits for stock HDFS: too few agents", reason());
  }
}
