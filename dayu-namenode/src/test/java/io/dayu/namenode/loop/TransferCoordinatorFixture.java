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
import io.dayu.blocks.CommitResult;
import io.dayu.blocks.LiveNode;
import io.dayu.blocks.LiveNodeFixture;
import io.dayu.blocks.PendingCheck;
import io.dayu.blocks.TransferRequest;
import io.dayu.blocks.WaitingBlock;
import io.dayu.conf.Settings;
import io.dayu.namenode.agents.AgentRegistry;
import io.dayu.namenode.agents.ReportResponder;
import io.dayu.namenode.planning.BlockHistory;
import io.dayu.namenode.planning.TimeslotDecision;
import io.dayu.namenode.status.DayuStatus;
import io.dayu.namenode.transfers.AgentState;
import io.dayu.namenode.transfers.AgentUpdates;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.namenode.transfers.ClockStart;
import io.dayu.namenode.transfers.TransferTracker;
import io.dayu.protocol.DayuProtos.AgentCommandsProto;
import io.dayu.protocol.DayuProtos.BlockSpecProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.ReportProto;
import io.dayu.protocol.DayuProtos.RunningTransferProto;
import io.dayu.protocol.DayuProtos.SourceProto;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeEach;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import static io.dayu.blocks.WaitingBlockBuilder.waitingBlock;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

/**
 * A recovery coordinator with one agent, which the test plays by hand, and a block map that says what the test wants.
 * Its subclasses follow transfers from their grant to their end.
 */
public abstract class TransferCoordinatorFixture {
  static final long LEASE_NS = TimeUnit.SECONDS.toNanos(10);
  public static final long ACTIVATION = 1_000;
  static final BlockKey BLOCK = new BlockKey(7, 1001);
  static final TransferRequest REQUEST = new TransferRequest(BLOCK, 100, 2, "source", "target", 4);

  final BlockManagement blocks = mock(BlockManagement.class);
  final DayuStatus status = new DayuStatus();
  final PendingRegistrations registrations = new PendingRegistrations(blocks);
  final BlockHistory history = new BlockHistory();
  public final Map<String, LiveNode> nodes =
      new HashMap<>(Map.of("source", node("source"), "other", node("other"), "target", node("target")));
  final List<PendingCheck> checks = new ArrayList<>();
  public final AgentRegistry<AgentState> agents = new AgentRegistry<>(AgentState::new);
  final AgentUpdates updates = new AgentUpdates(agents);
  final TransferTracker tracker = new TransferTracker(updates);
  public final long startNs = ClockStart.NS;
  Settings settings;
  public TransferCoordinator coordinator;
  public AgentState target;
  long reportSequence;

  static LiveNode node(String uuid) {
    return LiveNodeFixture.liveNode(uuid, "10.0.0.1", uuid + ".example", 9866, "/rack", true, new long[6], new int[6]);
  }

  @BeforeEach
  void startWithOneAgent() throws Exception {
    when(blocks.addressOf("target")).thenReturn("10.0.0.9");
    when(blocks.check(anyList())).thenAnswer(call -> {
      List<TransferRequest> asked = call.getArgument(0);
      return asked.isEmpty() ? List.of() : List.copyOf(checks);
    });
    settings = Settings.read(new Configuration(false));
    coordinator = coordinator(history, false);
    coordinator.activate(ACTIVATION);
    tracker.raiseMaxLease(LEASE_NS);
    target = agents.register("target", startNs);
    read(report(0), startNs);
  }

  TransferCoordinator coordinator(BlockHistory ofBlocks, boolean holdsRates) {
    ReportResponder responder =
        new ReportResponder(agents, settings, "nn", System::nanoTime, mock(ScheduledExecutorService.class));
    return new TransferCoordinator(blocks, new StockSuspension(blocks, 0), registrations, agents, responder, status,
        ofBlocks, tracker, updates, settings, holdsRates);
  }

  /** The clock, some seconds after its start. */
  long atNs(long sec) {
    return startNs + TimeUnit.SECONDS.toNanos(sec);
  }

  ReportProto.Builder report(long obeyedSequence) {
    return ReportProto.newBuilder().setProtocolVersion(1).setBlockPoolId("bp").setDatanodeUuid("target")
        .setAgentIncarnation(1)
        .setReportSequence(++reportSequence).setObeyedActivation(ACTIVATION).setObeyedSequence(obeyedSequence);
  }

  void read(ReportProto.Builder report, long nowNs) {
    target.offer(report.build(), nowNs);
    coordinator.read(target, target.takeReport(), nowNs);
    coordinator.unregisterEnded();
  }

  public AgentCommandsProto publish() {
    coordinator.publish(nodes, startNs);
    return target.commands();
  }

  public static RunningTransferProto running(long attempt, String source, long doneBytes) {
    return RunningTransferProto.newBuilder().setAttempt(attempt)
        .setBlock(BlockSpecProto.newBuilder().setBlockId(7).setGenerationStamp(1001).setNumBytes(100))
        .setSource(SourceProto.newBuilder().setDatanodeUuid(source).setIpAddress("10.0.0.1").setHostName("h")
            .setTransferPort(9866))
        .setStorageType("DISK").setDoneBytes(doneBytes).setRateBytesPerSec(10).setAchievedBytesPerSec(9).build();
  }

  static FinishedTransferProto finished(long attempt, Outcome outcome) {
    return FinishedTransferProto.newBuilder().setAttempt(attempt).setOutcome(outcome).setBlockId(7).setMessage("why")
        .build();
  }

  static WaitingBlock needed(List<String> sources) {
    return waitingBlock(BLOCK).on(sources).build();
  }

  public Attempt grant() {
    return grant(List.of("source"));
  }

  Attempt grant(List<String> sources) {
    when(blocks.commit(anyList(), any())).thenReturn(List.of(CommitResult.committed("DS-1", "DISK")));
    coordinator.carryOut(new TimeslotDecision(List.of(), List.of(),
        List.of(new TimeslotDecision.Copy(REQUEST, needed(sources), 10)), List.of(), List.of(), 100, 100, 0), startNs);
    return tracker.all().get(tracker.all().size() - 1);
  }

  /** All that the loop does with transfers between two plans. */
  void audit(boolean areLast, long atNs) {
    coordinator.check(atNs);
    coordinator.expire(atNs);
    coordinator.judge(areLast, atNs);
  }
}
