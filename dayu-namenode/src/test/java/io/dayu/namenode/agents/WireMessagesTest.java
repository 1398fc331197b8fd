/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.agents;

import io.dayu.blocks.BlockKey;
import io.dayu.namenode.exchange.AgentReport;
import io.dayu.namenode.exchange.Commands;
import io.dayu.namenode.exchange.FinishedTransfer;
import io.dayu.namenode.exchange.Grant;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.exchange.NodeLoad.Link;
import io.dayu.namenode.exchange.NodeLoad.SharedMeter;
import io.dayu.namenode.exchange.RunningTransfer;
import io.dayu.namenode.exchange.SourceAddress;
import io.dayu.namenode.exchange.VerifiedReplica;
import io.dayu.protocol.DayuProtocolPB;
import io.dayu.protocol.DayuProtos.AgentCommandsProto;
import io.dayu.protocol.DayuProtos.BlockSpecProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.LoadProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import io.dayu.protocol.DayuProtos.RunningTransferProto;
import io.dayu.protocol.DayuProtos.SourceProto;
import io.dayu.protocol.DayuProtos.VerifiedReplicaProto;
import io.dayu.protocol.DayuProtos.VolumeProto;
import io.dayu.protocol.PrintableText;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

class WireMessagesTest {
  private static final BlockSpecProto BLOCK =
      BlockSpecProto.newBuilder().setBlockId(1).setGenerationStamp(2).setNumBytes(3).build();
  private static final SourceProto SOURCE = SourceProto.newBuilder().setDatanodeUuid("s").setIpAddress("10.0.0.1")
      .setHostName("h").setTransferPort(9866).build();
  private static final SourceAddress ADDRESS = new SourceAddress("s", "10.0.0.1", "h", 9866);

  private static VolumeProto volume(String id, int maxStreams) {
    return VolumeProto.newBuilder().setStorageId(id).setStorageType("DISK").setMaxStreams(maxStreams).build();
  }

  @Test
  void load_isTranslated() {
    LoadProto.Builder load = LoadProto.newBuilder().setCapacityInBytesPerSec(1).setCapacityOutBytesPerSec(2)
        .setForegroundInBytesPerSec(3).setForegroundOutBytesPerSec(4).addVolumes(volume("a", 5))
        .addVolumes(volume("b", 6)).setNetworkBytesPerSec(7).setRecoveryInBytesPerSec(8).setRecoveryOutBytesPerSec(9)
        .setDisksBytesPerSec(11 << 20);
    assertNull(WireMessages.load(load.build()).meter(), "no id: the meter is not shared");
    assertEquals(new NodeLoad(new Link(1, 3), new Link(2, 4), 2, 11, new SharedMeter(10, 7, 8, 9))
        .withNetworkIn(7).withDisks(11 << 20),
        WireMessages.load(load.setMeterId(10).build()));
    assertEquals(WireMessages.MIN_DISKS_BYTES_PER_SEC,
        WireMessages.load(load.setDisksBytesPerSec(1).build()).disksBytesPerSec());
    assertEquals(0, WireMessages.load(load.clearDisksBytesPerSec().build()).disksBytesPerSec());
  }

  @Test
  void report_isTranslated_withTextThatCanBePrinted() {
    RunningTransferProto running = RunningTransferProto.newBuilder().setAttempt(4).setBlock(BLOCK).setSource(SOURCE)
        .setStorageType("DISK").setDoneBytes(1).setRateBytesPerSec(5).setAchievedBytesPerSec(6)
        .setFailedSourceUuid("f").setFailure("a\nb").build();
    ReportProto.Builder report = ReportProto.newBuilder().setProtocolVersion(1).setBlockPoolId("bp")
        .setDatanodeUuid("dn").setAgentIncarnation(7).setReportSequence(8).addRunning(running)
        .addFinished(FinishedTransferProto.newBuilder().setAttempt(9).setBlockId(1)
            .setOutcome(FinishedTransferProto.Outcome.SOURCE_CORRUPT).setSourceUuid("s").setMessage("c\nd")
            .setWastedBytes(10))
        .addFinished(FinishedTransferProto.newBuilder().setAttempt(11).setBlockId(1))
        .addFinished(FinishedTransferProto.newBuilder().setAttempt(12).setBlockId(1)
            .setOutcome(FinishedTransferProto.Outcome.TARGET_FAILED).setTargetDeletes(true))
        .addFinished(FinishedTransferProto.newBuilder().setAttempt(13).setBlockId(1)
            .setOutcome(FinishedTransferProto.Outcome.DONE).setTargetDeletes(true))
        .addVerified(VerifiedReplicaProto.newBuilder().setBlock(BLOCK).setGood(true));
    assertEquals(new AgentReport(7, 8, null,
        List.of(new RunningTransfer(4, new BlockKey(1, 2), 3, ADDRESS, "DISK", 1, 5, 6, "f", PrintableText.of("a\nb"))),
        List.of(new FinishedTransfer(9, FinishedTransfer.Outcome.SOURCE_CORRUPT, "s", PrintableText.of("c\nd"), 10),
            new FinishedTransfer(11, FinishedTransfer.Outcome.UNKNOWN, null, "", 0),
            new FinishedTransfer(12, FinishedTransfer.Outcome.TARGET_DELETES, null, "", 0),
            new FinishedTransfer(13, FinishedTransfer.Outcome.DONE, null, "", 0)),
        0, 0, List.of(new VerifiedReplica(new BlockKey(1, 2), true))), WireMessages.report(report.build()));
    AgentReport later = WireMessages.report(report.setObeyedActivation(12).setObeyedSequence(13).build());
    assertEquals(List.of(12L, 13L), List.of(later.obeyedActivation(), later.obeyedSequence()));
    assertNull(WireMessages.running(running.toBuilder().clearFailedSourceUuid().build()).failedSource());
  }

  @Test
  void codecs_areHadoopsAndThoseOfTheReport_ifTheAgentRebuilds() {
    ReportProto.Builder report = ReportProto.newBuilder().setProtocolVersion(1).setBlockPoolId("bp")
        .setDatanodeUuid("dn").setAgentIncarnation(7).setReportSequence(8)
        .setLoad(LoadProto.newBuilder().setCapacityInBytesPerSec(1).setCapacityOutBytesPerSec(1)
            .setForegroundInBytesPerSec(0).setForegroundOutBytesPerSec(0));
    assertEquals(Set.of(), WireMessages.report(report.build()).load().codecs());
    assertEquals(Set.of("rs", "rs-legacy", "xor"),
        WireMessages.report(report.setRebuilds(true).build()).load().codecs());
    assertEquals(Set.of("rs", "rs-legacy", "xor", "lrc"),
        WireMessages.report(report.addCodecs("lrc").build()).load().codecs());
    assertEquals(Set.of(), WireMessages.report(report.setRebuilds(false).build()).load().codecs());
  }

  @Test
  void outcomes_areThoseOfTheMessage_andTwoMore() {
    assertEquals(Stream.of(FinishedTransferProto.Outcome.values()).map(Enum::name).toList(),
        Stream.of(FinishedTransfer.Outcome.values()).map(Enum::name)
            .filter(name -> !List.of("UNKNOWN", "TARGET_DELETES").contains(name)).toList());
  }

  @Test
  void commands_areTranslated() {
    Grant grant = new Grant(4, new BlockKey(1, 2), 3, ADDRESS, List.of(ADDRESS), true, "DISK", "DS-1", 5,
        OptionalLong.of(6), null, List.of(), true);
    AgentCommandsProto message = WireMessages.commands(new Commands(7, 8, List.of(9L), List.of(grant),
        List.of(new Commands.Suspect(new BlockKey(1, 2), 3)), List.of(new Commands.Suspect(new BlockKey(1, 2), 3)), 2),
        "nn");
    assertEquals(AgentCommandsProto.newBuilder().setProtocolVersion(DayuProtocolPB.REVISION).setNamenodeId("nn")
        .setActivation(7).setSequence(8).setAuthoritative(true).setNextReportMs(0).addAcknowledged(9)
        .addGrants(GrantProto.newBuilder().setAttempt(4).setBlock(BLOCK).setSource(SOURCE).addAlternates(SOURCE)
            .setOnlySource(true).setStorageType("DISK").setStorageId("DS-1").setRateBytesPerSec(5)
            .setMaxBytesPerSec(6).setLeaseMs(0).setHighestRisk(true))
        .addSuspects(BLOCK).addVerifications(BLOCK).setMeterSharers(2).build(), message);
  }
}
