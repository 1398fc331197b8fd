/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.CommitResult;
import io.dayu.blocks.GroupFixture;
import io.dayu.blocks.GroupTransfer;
import io.dayu.blocks.IndexedNode;
import io.dayu.blocks.PendingCheck;
import io.dayu.blocks.PendingCheck.State;
import io.dayu.blocks.TransferRequest;
import io.dayu.blocks.WaitingBlock;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.planning.TimeslotDecision;
import io.dayu.namenode.transfers.AgentState;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.namenode.transfers.AvoidedNodes.Role;
import io.dayu.namenode.transfers.TransferSource;
import io.dayu.protocol.DayuProtos.BlockSpecProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.GroupProto;
import io.dayu.protocol.DayuProtos.RunningTransferProto;
import io.dayu.protocol.DayuProtos.SourceProto;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentCaptor;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import static io.dayu.blocks.GroupFixture.BYTES;
import static io.dayu.blocks.GroupFixture.GROUP_BYTES;
import static io.dayu.blocks.GroupFixture.GROUP_ID;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

/** A transfer that rebuilds an internal block of a group, from its grant to its end. */
final class RebuildTransferTest extends TransferCoordinatorFixture {
  private static final WaitingBlock NEEDED = GroupFixture.lost(GROUP_ID, 1, 4);
  private static final BlockKey GROUP = NEEDED.key();
  private static final GroupTransfer FROM_0_1_2 = new GroupTransfer(GroupFixture.RS_3_2, GROUP_BYTES, 4,
      List.of(new IndexedNode("n0", 0), new IndexedNode("n1", 1), new IndexedNode("n2", 2)));

  @BeforeEach
  void nodesOfTheGroup() {
    for (int i = 0; i < 5; i++) {
      nodes.put("n" + i, node("n" + i));
      agents.register("n" + i, startNs);
    }
  }

  private Attempt rebuild() {
    commit(CommitResult.committed("DS-1", "DISK"));
    return tracker.all().get(0);
  }

  private void commit(CommitResult result) {
    when(blocks.commit(anyList(), any())).thenReturn(List.of(result));
    TransferRequest request = new TransferRequest(GROUP, BYTES, 1, "n0", "target", 4, FROM_0_1_2);
    coordinator.carryOut(new TimeslotDecision(List.of(), List.of(),
        List.of(new TimeslotDecision.Copy(request, NEEDED, 10)), List.of(), List.of(), 100, 100, 0), startNs);
  }

  private static RunningTransferProto.Builder running(long attempt, long doneBytes, int... indices) {
    RunningTransferProto.Builder running = RunningTransferProto.newBuilder().setAttempt(attempt)
        .setBlock(BlockSpecProto.newBuilder().setBlockId(GROUP_ID + 4).setGenerationStamp(1).setNumBytes(BYTES))
        .setSource(source(indices[0])).setStorageType("DISK").setDoneBytes(doneBytes).setRateBytesPerSec(10)
        .setAchievedBytesPerSec(9).setGroup(GroupProto.newBuilder().setNumBytes(GROUP_BYTES).setCodec("rs")
            .setDataUnits(3).setParityUnits(2).setCellBytes(1_000));
    for (int i = 1; i < indices.length; i++) {
      running.addFurtherSources(source(indices[i]));
    }
    return running;
  }

  private static SourceProto source(int index) {
    return SourceProto.newBuilder().setDatanodeUuid("n" + index).setIpAddress("10.0.0.1").setHostName("h")
        .setTransferPort(9866).setIndex(index).build();
  }

  private static List<String> sources(Attempt attempt) {
    return attempt.sources().stream().map(TransferSource::node).toList();
  }

  /** Stock would place the group on that target without asking. */
  @Test
  void targetThatHasToDeleteAnotherInternalBlock_isWaitedFor_andTheGroupStaysDayus() {
    for (int i = 0; i < 5; i++) {
      commit(CommitResult.rejected(CommitResult.Verdict.TARGET_DELETES, "index 3"));
    }
    assertEquals(List.of("target"), history.refusedTargets(GROUP, startNs));
    assertFalse(history.isLeftToStock(GROUP, startNs));
    assertEquals(List.of(), history.refusedTargets(GROUP, startNs + TimeUnit.SECONDS.toNanos(18)));
  }

  /** Only its agent may know of it. */
  @Test
  void agentThatHasAnotherInternalBlock_isWaitedFor_andNotBlamed() {
    for (int i = 0; i < 5; i++) {
      Attempt attempt = rebuild();
      publish();
      try (InfoLog log = new InfoLog(TransferCoordinator.class)) {
        read(report(1).addFinished(finished(attempt.id(), Outcome.TARGET_FAILED).toBuilder().setTargetDeletes(true)
            .setMessage("it has index 3")), atNs(100 * i));
        assertEquals(List.of(), log.lines(), "a line for each block is for DEBUG");
      }
      assertEquals(List.of("target"), history.refusedTargets(GROUP, atNs(100 * i + 17)));
      assertEquals(List.of(), history.refusedTargets(GROUP, atNs(100 * i + 18)));
    }
    assertFalse(history.isLeftToStock(GROUP, atNs(500)));
    assertFalse(coordinator.avoided().isAvoided(Role.TARGET, "target", atNs(500)));
  }

  @Test
  void grant_namesTheInternalBlock_itsGroup_andEachIndex() {
    rebuild();
    GrantProto grant = publish().getGrants(0);
    assertEquals(GROUP_ID + 4, grant.getBlock().getBlockId());
    assertEquals(BYTES, grant.getBlock().getNumBytes());
    assertEquals(0, grant.getSource().getIndex());
    assertTrue(grant.getSource().hasIndex());
    assertEquals(List.of(1, 2), grant.getFurtherSourcesList().stream().map(SourceProto::getIndex).toList());
    assertEquals(GROUP_BYTES, grant.getGroup().getNumBytes());
    assertEquals("rs", grant.getGroup().getCodec());
    assertEquals(3, grant.getGroup().getDataUnits());
    assertEquals(2, grant.getGroup().getParityUnits());
    assertEquals(1_000, grant.getGroup().getCellBytes());
    assertFalse(grant.getOnlySource(), "there is a fourth");
  }

  @Test
  void copyOfAnInternalBlock_isAPullOfThatBlock() {
    WaitingBlock leaving = GroupFixture.leaving(GROUP_ID, 3, 2);
    GroupTransfer copy = new GroupTransfer(GroupFixture.RS_3_2, GROUP_BYTES, 2, List.of(new IndexedNode("n2", 2)));
    tracker.grant(new TransferRequest(GROUP, BYTES, 3, "n2", "target", 4, copy), leaving,
        CommitResult.committed("DS-1", "DISK"), 10, startNs);
    GrantProto grant = publish().getGrants(0);
    assertEquals(GROUP_ID + 2, grant.getBlock().getBlockId());
    assertFalse(grant.hasGroup());
    assertEquals(0, grant.getFurtherSourcesCount());
    assertTrue(grant.getOnlySource());
  }

  @Test
  void alternate_hasAnIndexThatIsNotInUse() {
    NodeLoad load = new NodeLoad(
        new NodeLoad.Link(900, 0), new NodeLoad.Link(600, 0), 1, 1);
    for (AgentState agent : agents.all()) {
      agent.reportedLoad = load;
    }
    rebuild();
    GrantProto grant = publish().getGrants(0);
    assertEquals(List.of(source(3)), grant.getAlternatesList().stream()
        .map(one -> one.toBuilder().setHostName("h").build()).toList());
    assertEquals(285, grant.getMaxBytesPerSec(), "0.95 of a third of what the target receives");
  }

  @Test
  void sourceThatFails_isReplacedAlone_andItsInternalBlockChecked() {
    Attempt attempt = rebuild();
    publish();
    read(report(1).addRunning(running(attempt.id(), 500, 0, 1, 2).setFailedSourceUuid("n1")), atNs(1));
    assertTrue(attempt.sourceLost());
    assertEquals(List.of(false, true, false), attempt.sources().stream().map(TransferSource::isLost).toList());
    assertEquals(List.of("n0", "n2", "n3"), attempt.usableSources());
    assertTrue(tracker.needsPlan());
    Map<BlockKey, Long> suspects = new HashMap<>();
    agents.get("n1").suspects.forEach(suspects::put);
    assertEquals(Map.of(new BlockKey(GROUP_ID + 1, 1), BYTES), suspects);
    when(blocks.commit(anyList(), any())).thenReturn(List.of());
    coordinator.carryOut(new TimeslotDecision(List.of(),
        List.of(new TimeslotDecision.Redirection(attempt, List.of("n0", "n3", "n2"), 20)), List.of(), List.of(),
        List.of(), 0, 0, 0), atNs(1));
    GrantProto grant = publish().getGrants(0);
    assertEquals(List.of(3, 2), grant.getFurtherSourcesList().stream().map(SourceProto::getIndex).toList());
    assertEquals(0, grant.getSource().getIndex());
    assertEquals(20, grant.getRateBytesPerSec());
  }

  @Test
  void agentThatHasGoneOnFromAnAlternate_isFollowed() {
    Attempt attempt = rebuild();
    publish();
    read(report(1).addRunning(running(attempt.id(), 500, 0, 3, 2).setFailedSourceUuid("n1")), atNs(1));
    assertFalse(attempt.sourceLost());
    assertEquals(List.of("n0", "n3", "n2"), sources(attempt));
    assertEquals(3, attempt.sources().get(1).index());
    assertEquals(1, status.getTotalResumed());
  }

  @Test
  void sourceThatIsLostAndDelivers_isGoodAgain() {
    Attempt attempt = rebuild();
    publish();
    read(report(1).addRunning(running(attempt.id(), 500, 0, 1, 2).setFailedSourceUuid("n2")), atNs(1));
    assertTrue(attempt.sourceLost());
    read(report(1).addRunning(running(attempt.id(), 600, 0, 1, 2)), atNs(2));
    assertFalse(attempt.sourceLost());
  }

  @Test
  void holderThatCanServeNoMore_isLost() {
    Attempt attempt = rebuild();
    publish();
    checks.add(PendingCheck.ofGroup(State.WANTED,
        List.of(new IndexedNode("n0", 0), new IndexedNode("n2", 2), new IndexedNode("other", 1))));
    audit(false, atNs(2));
    assertEquals(List.of(false, true, false), attempt.sources().stream().map(TransferSource::isLost).toList());
    assertEquals(List.of("n0", "n2", "other"), attempt.usableSources());
  }

  @Test
  void holderThatHasAnotherIndexNow_isLost() {
    Attempt attempt = rebuild();
    publish();
    checks.add(PendingCheck.ofGroup(State.WANTED, List.of(new IndexedNode("n0", 0), new IndexedNode("n1", 3),
        new IndexedNode("n2", 2), new IndexedNode("other", 1))));
    audit(false, atNs(2));
    assertEquals(List.of(false, true, false), attempt.sources().stream().map(TransferSource::isLost).toList(),
        "it would be asked for a block that it does not have");
  }

  @Test
  void stalledRebuild_leavesTheSourceThatItWaitsFor() {
    Attempt attempt = rebuild();
    publish();
    for (int sec = 1; sec <= 125; sec++) {
      read(report(1).addRunning(
          running(attempt.id(), 500, 0, 1, 2).setSlowestSourceUuid("n1").setWaitedForSlowestMs(900)), atNs(sec));
      checks.clear();
      checks.add(PendingCheck.ofGroup(State.WANTED, NEEDED.group().sources()));
      audit(false, atNs(sec));
    }
    assertTrue(attempt.live());
    assertEquals(List.of(false, true, false), attempt.sources().stream().map(TransferSource::isLost).toList());
    assertEquals(List.of("n0", "n2", "n3"), attempt.usableSources());
  }

  @Test
  void sourceThatEndsARebuild_isBlamed_notTheFirstOne() {
    Attempt attempt = rebuild();
    publish();
    for (int i = 0; i < 3; i++) {
      read(report(1).addFinished(
          finished(attempt.id(), Outcome.SOURCE_FAILED).toBuilder().setSourceUuid("n2")), atNs(10 * i + 1));
      attempt = rebuild();
    }
    assertFalse(coordinator.avoided().isAvoided(Role.SOURCE, "n0", atNs(40)));
  }

  private TransferRequest adopted(RunningTransferProto.Builder... reported) {
    when(blocks.adopt(anyList())).thenAnswer(call -> call.<List<?>>getArgument(0).stream()
        .map(request -> CommitResult.committed("DS-1", "DISK")).toList());
    coordinator.activate(ACTIVATION + 1);
    List<RunningTransferProto> all = new ArrayList<>();
    for (RunningTransferProto.Builder one : reported) {
      all.add(one.build());
    }
    read(report(0).addAllRunning(all), startNs);
    ArgumentCaptor<List<TransferRequest>> asked = ArgumentCaptor.captor();
    verify(blocks).adopt(asked.capture());
    return asked.getValue().isEmpty() ? null : asked.getValue().get(0);
  }

  @Test
  void runningRebuild_isAdoptedWithItsIndices() {
    TransferRequest request = adopted(running(99, 700, 2, 0, 3));
    assertEquals(GROUP, request.block());
    assertEquals(4, request.group().index());
    assertEquals(List.of(new IndexedNode("n2", 2), new IndexedNode("n0", 0), new IndexedNode("n3", 3)),
        request.group().sources());
    Attempt attempt = tracker.all().get(0);
    assertEquals(700, attempt.doneBytes());
    assertEquals(List.of("n2", "n0", "n3"), sources(attempt));
    GrantProto grant = publish().getGrants(0);
    assertEquals(List.of(0, 3), grant.getFurtherSourcesList().stream().map(SourceProto::getIndex).toList());
    assertEquals(GROUP_BYTES, grant.getGroup().getNumBytes());
  }

  @Test
  void runningCopyOfAnInternalBlock_isAdopted() {
    TransferRequest request = adopted(running(99, 700, 4).clearGroup());
    assertEquals(GROUP, request.block());
    assertEquals(List.of(new IndexedNode("n4", 4)), request.group().sources());
    assertFalse(publish().getGrants(0).hasGroup());
  }

  @Test
  void secondInternalBlockOfAGroupOnOneTarget_isNotAdopted() {
    RunningTransferProto.Builder second = running(98, 100, 0, 1, 2);
    second.getBlockBuilder().setBlockId(GROUP_ID + 3);
    adopted(running(99, 700, 0, 1, 2), second);
    assertEquals(List.of(99L), tracker.all().stream().map(Attempt::id).toList());
  }

  @Test
  void rebuildFromAnIndexTwice_orFromItsOwn_isNotAdopted() {
    assertEquals(null, adopted(running(99, 700, 0, 1, 1), running(98, 700, 0, 1, 4), running(97, 700, 0, 1, 2, 3)));
    assertTrue(tracker.isEmpty());
  }
}
