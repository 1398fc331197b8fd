/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.datanode.transfer.ReplicaCheck;
import io.dayu.datanode.transfer.TransferRegistry;
import io.dayu.protocol.DayuProtos.AgentCommandsProto;
import io.dayu.protocol.DayuProtos.BlockSpecProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.LoadProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import io.dayu.protocol.DayuProtos.ReportProto.Marking;
import io.dayu.protocol.DayuProtos.RunningTransferProto;
import io.dayu.protocol.DayuProtos.SourceProto;
import io.dayu.protocol.DayuProtos.VerifiedReplicaProto;
import io.dayu.protocol.DayuProtos.VolumeProto;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.ipc.RemoteException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

/** A reporter in front of a scripted NameNode: each answer is handed out when the test says so. */
@Timeout(60)
class ReporterTest {
  private static final String POOL = "BP-1";

  private final ScriptedNameNode nameNode = new ScriptedNameNode();
  private final BlockingQueue<Object> answers = nameNode.answers;
  private final List<String> done = new ArrayList<>();
  private final TransferRegistry transfers = mock(TransferRegistry.class);
  private volatile TransferRegistry.Status status = new TransferRegistry.Status(List.of(), List.of(), false);
  private final BlockingQueue<ExtendedBlock> checked = new LinkedBlockingQueue<>();
  private final ReplicaCheck replicaCheck = new ReplicaCheck(checked::add);
  private volatile boolean active = true;
  private volatile ActivePools.Shares shares = ActivePools.Shares.SOLE;
  private volatile Optional<LoadProto> load = Optional.empty();
  private volatile Optional<String> streams = Optional.of("");
  private volatile boolean unmarked;
  private volatile OptionalDouble alpha = OptionalDouble.of(2);
  private volatile OptionalLong minBytesPerSec = OptionalLong.empty();
  private Reporter reporter;

  private void start() {
    when(transfers.status(POOL)).thenAnswer(call -> status);
    doAnswer(call -> {
      synchronized (done) {
        done.add("obey " + call.<List<GrantProto>>getArgument(1).stream().map(GrantProto::getAttempt).toList());
      }
      return null;
    }).when(transfers).apply(eq(POOL), any(), anyLong());
    doAnswer(call -> {
      synchronized (done) {
        done.add("renew " + call.<List<GrantProto>>getArgument(1).stream().map(GrantProto::getAttempt).toList());
      }
      return null;
    }).when(transfers).renew(eq(POOL), any(), anyLong());
    doAnswer(call -> {
      synchronized (done) {
        done.add("acknowledge " + call.getArgument(1));
      }
      return null;
    }).when(transfers).acknowledge(eq(POOL), any());
    ReportExchange.Context agent = agent();
    reporter = new Reporter(new ReportExchange(agent, POOL, "nn:8020", "1.0", () -> active, new AgentCommandsOrder(),
        Reporter.RPC_TIMEOUT_MS, System::nanoTime), nameNode);
    reporter.start();
  }

  private ReportExchange.Context agent() {
    return new ReportExchange.Context() {
      @Override
      public String datanodeUuid() {
        return "dn-1";
      }

      @Override
      public long incarnation() {
        return 99;
      }

      @Override
      public long startMs() {
        return 1_000;
      }

      @Override
      public boolean isBandwidthAssumed() {
        return false;
      }

      @Override
      public Optional<Marking> marking() {
        return Optional.empty();
      }

      @Override
      public Optional<LoadProto> load() {
        return load;
      }

      @Override
      public boolean rebuilds() {
        return true;
      }

      @Override
      public List<String> furtherCodecs() {
        return List.of("lrc");
      }

      @Override
      public TransferRegistry granted() {
        return transfers;
      }

      @Override
      public ActivePools.Shares shares(String blockPoolId) {
        assertEquals(POOL, blockPoolId);
        return shares;
      }

      @Override
      public void checkReplicas(String blockPoolId, List<BlockSpecProto> suspects) {
        replicaCheck.offer(blockPoolId, suspects);
      }

      @Override
      public void verifyReplicas(String pool, List<BlockSpecProto> named) {}

      @Override
      public List<VerifiedReplicaProto> verified(String pool) {
        return List.of();
      }

      @Override
      public void limits(String blockPoolId, OptionalDouble nowAlpha, OptionalLong nowMin,
          Optional<String> nowStreams, int nowSharers, boolean nowUnmarked) {
        streams = nowStreams;
        unmarked = nowUnmarked;
        alpha = nowAlpha;
        minBytesPerSec = nowMin;
      }
    };
  }

  @AfterEach
  void stop() {
    reporter.stop();
    replicaCheck.close();
  }

  private static AgentCommandsProto.Builder commands(long activation, long sequence, long... attempts) {
    AgentCommandsProto.Builder commands = AgentCommandsProto.newBuilder().setProtocolVersion(1).setNamenodeId("nn")
        .setActivation(activation).setSequence(sequence).setAuthoritative(true).setNextReportMs(100);
    for (long attempt : attempts) {
      commands.addGrants(grant(attempt));
    }
    return commands;
  }

  static GrantProto grant(long attempt) {
    return GrantProto.newBuilder().setAttempt(attempt).setStorageType("DISK").setRateBytesPerSec(1).setLeaseMs(1)
        .setBlock(BlockSpecProto.newBuilder().setBlockId(1).setGenerationStamp(1).setNumBytes(1)).setSource(source())
        .build();
  }

  private static SourceProto source() {
    return SourceProto.newBuilder().setDatanodeUuid("dn-2").setIpAddress("1.2.3.4").setHostName("h").setTransferPort(1)
        .build();
  }

  private ReportProto next() throws InterruptedException {
    return nameNode.next();
  }

  private List<String> done() {
    synchronized (done) {
      List<String> copy = done.stream().filter(each -> !each.equals("acknowledge []")).toList();
      done.clear();
      return copy;
    }
  }

  @Test
  void limitsOfTheNameNode_reachTheAgent_andGoWithIt() throws InterruptedException {
    start();
    next();
    answers
        .add(commands(5, 1).setMaxUtilization(0.4).setMinBytesPerSec(0).setVolumeMaxStreams("OTHER=8").setUnmarked(true)
            .build());
    next();
    assertEquals(Optional.of("OTHER=8"), streams);
    assertEquals(OptionalDouble.of(0.4), alpha);
    assertEquals(OptionalLong.of(0), minBytesPerSec, "0 is a value");
    assertTrue(unmarked);
    answers.add(commands(5, 2).setMaxUtilization(0.3).setAuthoritative(false).build());
    next();
    assertEquals(OptionalDouble.of(0.4), alpha, "a standby's word does not count");
    answers.add(commands(5, 3).build());
    next();
    assertEquals(OptionalDouble.empty(), alpha);
    assertEquals(OptionalLong.empty(), minBytesPerSec);
    assertEquals(Optional.empty(), streams);
    assertFalse(unmarked);
  }

  @Test
  void volumes_areSentUntilTheNameNodeKnowsThem_andAgainWhenItDoesNotAnswer() throws InterruptedException {
    load = Optional.of(LoadProto.newBuilder().setCapacityInBytesPerSec(1).setCapacityOutBytesPerSec(1)
        .setForegroundInBytesPerSec(0).setForegroundOutBytesPerSec(0).setVolumesId(7)
        .addVolumes(VolumeProto.newBuilder().setStorageId("DS").setStorageType("DISK").setMaxStreams(1)).build());
    active = false;
    start();
    assertEquals(1, next().getLoad().getVolumesCount());
    answers.add(commands(5, 1).setKnownVolumesId(6).build());
    assertEquals(1, next().getLoad().getVolumesCount(), "it knows others");
    answers.add(commands(5, 1).setKnownVolumesId(7).build());
    LoadProto unchanged = next().getLoad();
    assertEquals(0, unchanged.getVolumesCount());
    assertEquals(7, unchanged.getVolumesId());
    answers.add(new IOException("restarted"));
    assertEquals(1, next().getLoad().getVolumesCount());
  }

  @Test
  void commandsOutOfBounds_areNotObeyed() throws InterruptedException {
    start();
    next();
    AgentCommandsProto.Builder bad = commands(5, 1, 17);
    bad.getGrantsBuilder(0).setRateBytesPerSec(-1);
    answers.add(bad.build());
    assertFalse(next().hasObeyedSequence());
    assertEquals(List.of(), done());
    answers.add(commands(5, 2, 17).build());
    assertEquals(2, next().getObeyedSequence());
    assertEquals(List.of("obey [17]"), done());
  }

  @Test
  void commands_areObeyedAndConfirmedInTheNextReport() throws InterruptedException {
    start();
    ReportProto first = next();
    assertEquals(POOL, first.getBlockPoolId());
    assertEquals("dn-1", first.getDatanodeUuid());
    assertEquals(99, first.getAgentIncarnation());
    assertEquals(1_000, first.getAgentStartMs());
    assertTrue(first.getRebuilds());
    assertEquals(List.of("lrc"), first.getCodecsList());
    assertEquals(1, first.getReportSequence());
    assertFalse(first.hasObeyedSequence());
    answers.add(commands(5, 1, 17).addAcknowledged(3).build());
    ReportProto second = next();
    assertEquals(List.of("acknowledge [3]", "obey [17]"), done());
    assertEquals(5, second.getObeyedActivation());
    assertEquals(1, second.getObeyedSequence());
    assertEquals(2, second.getReportSequence());
  }

  @Test
  void suspects_areCheckedHere() throws InterruptedException {
    start();
    next();
    answers.add(commands(5, 1)
        .addSuspects(BlockSpecProto.newBuilder().setBlockId(7).setGenerationStamp(8).setNumBytes(9)).build());
    assertEquals(new ExtendedBlock(POOL, 7, 9, 8), checked.poll(30, TimeUnit.SECONDS));
    assertEquals(1, next().getObeyedSequence());
  }

  @Test
  void oldAndUnauthoritativeCommands_areNotObeyed() throws InterruptedException {
    start();
    next();
    answers.add(commands(5, 10).build());
    next();
    answers.add(commands(5, 9).build());
    next();
    answers.add(commands(5, 11).setAuthoritative(false).build());
    next();
    assertEquals(List.of("obey []"), done());
    // Another activation, whatever its value, takes over for good.
    answers.add(commands(4, 1).build());
    assertEquals(4, next().getObeyedActivation());
    answers.add(commands(5, 12).setMaxUtilization(0.5).build());
    assertEquals(4, next().getObeyedActivation());
    assertEquals(List.of("obey []"), done());
    assertEquals(OptionalDouble.empty(), alpha, "nor are its limits");
  }

  @Test
  void repeatedCommands_renewTheLeases() throws InterruptedException {
    start();
    next();
    answers.add(commands(5, 10, 17).build());
    next();
    answers.add(commands(5, 10, 17).build());
    assertEquals(10, next().getObeyedSequence());
    assertEquals(List.of("obey [17]", "renew [17]"), done());
  }

  @Test
  void nameNodeThatIsNotActive_isNotObeyed_andItsAcknowledgementsAreIgnored()
      throws InterruptedException {
    active = false;
    start();
    next();
    answers.add(commands(5, 1, 17).addAcknowledged(3).build());
    assertFalse(next().hasObeyedSequence());
    assertEquals(List.of(), done());
  }

  @Test
  void commands_countAsObeyedOnlyWhenWhatTheyCancelIsGone() throws InterruptedException {
    start();
    next();
    answers.add(commands(5, 1).build());
    assertEquals(1, next().getObeyedSequence());
    RunningTransferProto aborting = RunningTransferProto.newBuilder().setAttempt(17).setSource(source())
        .setStorageType("DISK").setBlock(BlockSpecProto.newBuilder().setBlockId(1).setGenerationStamp(1).setNumBytes(1))
        .setDoneBytes(1).setRateBytesPerSec(1).setAchievedBytesPerSec(1).build();
    status = new TransferRegistry.Status(List.of(aborting), List.of(), true);
    answers.add(commands(5, 2).build());
    ReportProto report = next();
    assertEquals(1, report.getObeyedSequence());
    assertEquals(1, report.getRunningCount());
    FinishedTransferProto end = FinishedTransferProto.newBuilder().setAttempt(17).setBlockId(1)
        .setOutcome(FinishedTransferProto.Outcome.CANCELLED).build();
    status = new TransferRegistry.Status(List.of(), List.of(end), false);
    answers.add(commands(5, 3).setAuthoritative(false).build());
    report = next();
    assertEquals(2, report.getObeyedSequence());
    assertEquals(List.of(end), report.getFinishedList());
  }

  @Test
  void activation_isConfirmedAtOnce_whileAHangingDiskDelaysTheCancellations() throws InterruptedException {
    start();
    next();
    answers.add(commands(5, 7).build());
    assertEquals(7, next().getObeyedSequence());
    status = new TransferRegistry.Status(List.of(), List.of(), true);
    answers.add(commands(6, 3).build());
    ReportProto report = next();
    assertEquals(6, report.getObeyedActivation());
    assertEquals(0, report.getObeyedSequence());
    status = new TransferRegistry.Status(List.of(), List.of(), false);
    answers.add(commands(6, 4).setAuthoritative(false).build());
    assertEquals(3, next().getObeyedSequence());
  }

  @Test
  void endOfATransfer_isReportedBeforeTheInterval() throws InterruptedException {
    start();
    next();
    answers.add(commands(5, 1).setNextReportMs(60_000).build());
    reporter.wake();
    next();
  }

  @Test
  void nameNodeWithoutOurProtocolOrWithoutAnAnswer_isAskedAgain() throws InterruptedException {
    start();
    next();
    answers.add(new RemoteException(RPC.VersionMismatch.class.getName(), "unknown"));
    next();
    answers.add(new IOException("down"));
    next();
    answers.add(commands(5, 1).build());
    assertEquals(1, next().getObeyedSequence());
  }

  @Test
  void errorInTheAgent_doesNotEndItsReports() throws InterruptedException {
    start();
    next();
    answers.add(new IllegalStateException("unexpected"));
    next();
    answers.add(new NoClassDefFoundError("a jar that was replaced"));
    next();
    answers.add(commands(5, 1).build());
    assertEquals(1, next().getObeyedSequence());
  }

  @Test
  void nameNode_isToldOfItsShare_whileOtherNameservicesRecoverAsWell() throws Exception {
    load = Optional.of(LoadProto.newBuilder().setCapacityInBytesPerSec(90).setCapacityOutBytesPerSec(60)
        .setForegroundInBytesPerSec(30).setForegroundOutBytesPerSec(3).build());
    shares = new ActivePools.Shares(3, 2);
    start();
    assertEquals(LoadEstimator.share(load.get(), shares), next().getLoad());
    shares = ActivePools.Shares.SOLE;
    answers.add(commands(1, 1).build());
    assertEquals(load.get(), next().getLoad());
  }
}
