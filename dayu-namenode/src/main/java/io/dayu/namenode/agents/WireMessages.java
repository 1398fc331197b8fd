/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.agents;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.GroupPolicy;
import io.dayu.namenode.exchange.AgentReport;
import io.dayu.namenode.exchange.Commands;
import io.dayu.namenode.exchange.FinishedTransfer;
import io.dayu.namenode.exchange.FinishedTransfer.Outcome;
import io.dayu.namenode.exchange.Grant;
import io.dayu.namenode.exchange.GroupSpec;
import io.dayu.namenode.exchange.Marking;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.exchange.RunningTransfer;
import io.dayu.namenode.exchange.SourceAddress;
import io.dayu.namenode.exchange.VerifiedReplica;
import io.dayu.protocol.DayuProtocolPB;
import io.dayu.protocol.DayuProtos.AgentCommandsProto;
import io.dayu.protocol.DayuProtos.BlockSpecProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.GroupProto;
import io.dayu.protocol.DayuProtos.LoadProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import io.dayu.protocol.DayuProtos.RunningTransferProto;
import io.dayu.protocol.DayuProtos.SourceProto;
import io.dayu.protocol.DayuProtos.VerifiedReplicaProto;
import io.dayu.protocol.DayuProtos.VolumeProto;
import io.dayu.protocol.PrintableText;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Translates between messages of the wire and records of the loop: reports, which {@link ReportCheck} has accepted, and
 * commands. No state.
 */
public final class WireMessages {
  /**
   * Half of what recovery gets of one rotating disk that clients keep busy. Less is not believed: a block would be
   * waited for as long as its target's agent says so.
   */
  static final long MIN_DISKS_BYTES_PER_SEC = 1 << 20;

  private WireMessages() {
  }

  static AgentReport report(ReportProto report) {
    return new AgentReport(report.getAgentIncarnation(), report.getReportSequence(),
        report.hasLoad() ? load(report.getLoad()).withCodecs(codecs(report)) : null,
        report.getRunningList().stream().map(WireMessages::running).toList(),
        report.getFinishedList().stream().map(WireMessages::finished).toList(),
        report.getObeyedActivation(), report.getObeyedSequence(),
        report.getVerifiedList().stream().map(WireMessages::verified).toList());
  }

  private static Set<String> codecs(ReportProto report) {
    if (!report.getRebuilds()) {
      return Set.of();
    } else if (report.getCodecsCount() == 0) {
      return DayuProtocolPB.HADOOPS_CODECS;
    }
    Set<String> codecs = new HashSet<>(DayuProtocolPB.HADOOPS_CODECS);
    codecs.addAll(report.getCodecsList());
    return Set.copyOf(codecs);
  }

  /** What a load says. */
  public static NodeLoad load(LoadProto load) {
    int writeStreams = 0;
    for (VolumeProto volume : load.getVolumesList()) {
      writeStreams += volume.getMaxStreams();
    }
    return new NodeLoad(
        new NodeLoad.Link(load.getCapacityInBytesPerSec(), load.getForegroundInBytesPerSec()),
        new NodeLoad.Link(load.getCapacityOutBytesPerSec(), load.getForegroundOutBytesPerSec()),
        load.getVolumesCount(), writeStreams, load.hasMeterId() ? meter(load) : null)
        .withNetworkIn(load.getNetworkBytesPerSec()).withDisks(disks(load));
  }

  private static long disks(LoadProto load) {
    return load.hasDisksBytesPerSec() ? Math.max(MIN_DISKS_BYTES_PER_SEC, load.getDisksBytesPerSec()) : 0;
  }

  private static NodeLoad.SharedMeter meter(LoadProto load) {
    return new NodeLoad.SharedMeter(load.getMeterId(), load.getNetworkBytesPerSec(), load.getRecoveryInBytesPerSec(),
        load.getRecoveryOutBytesPerSec());
  }

  /** What an agent says of a transfer that it is running. */
  public static RunningTransfer running(RunningTransferProto running) {
    BlockSpecProto block = running.getBlock();
    return new RunningTransfer(running.getAttempt(), new BlockKey(block.getBlockId(), block.getGenerationStamp()),
        block.getNumBytes(), address(running.getSource()), running.getStorageType(), running.getDoneBytes(),
        running.getRateBytesPerSec(),
        running.getAchievedBytesPerSec(), running.hasFailedSourceUuid() ? running.getFailedSourceUuid() : null,
        PrintableText.of(running.getFailure()), running.hasGroup() ? rebuild(running) : null);
  }

  private static RunningTransfer.Rebuild rebuild(RunningTransferProto running) {
    GroupProto group = running.getGroup();
    return new RunningTransfer.Rebuild(
        new GroupSpec(new GroupPolicy("", group.getCodec(), group.getDataUnits(), group.getParityUnits(),
            group.getCellBytes()), group.getNumBytes()),
        running.getFurtherSourcesList().stream().map(WireMessages::address).toList(),
        running.hasSlowestSourceUuid() ? running.getSlowestSourceUuid() : null, running.getWaitedForSlowestMs());
  }

  private static SourceAddress address(SourceProto source) {
    return new SourceAddress(source.getDatanodeUuid(), source.getIpAddress(), source.getHostName(),
        source.getTransferPort(), source.hasIndex() ? source.getIndex() : SourceAddress.NO_INDEX);
  }

  private static FinishedTransfer finished(FinishedTransferProto finished) {
    return new FinishedTransfer(finished.getAttempt(),
        !finished.hasOutcome() ? Outcome.UNKNOWN
            : isDeletion(finished) ? Outcome.TARGET_DELETES
            : Outcome.valueOf(finished.getOutcome().name()),
        finished.hasSourceUuid() ? finished.getSourceUuid() : null, PrintableText.of(finished.getMessage()),
        finished.getWastedBytes());
  }

  private static boolean isDeletion(FinishedTransferProto finished) {
    return finished.getOutcome() == FinishedTransferProto.Outcome.TARGET_FAILED && finished.getTargetDeletes();
  }

  private static VerifiedReplica verified(VerifiedReplicaProto replica) {
    return new VerifiedReplica(
        new BlockKey(replica.getBlock().getBlockId(), replica.getBlock().getGenerationStamp()), replica.getGood());
  }

  static Marking marking(ReportProto report) {
    return !report.hasMarking() ? Marking.NOT_WANTED : switch (report.getMarking()) {
      case MARKS -> Marking.MARKS;
      case CANNOT_MARK -> Marking.CANNOT_MARK;
      case STARVED -> Marking.STARVED;
    };
  }

  /** Authoritative commands. Lease and pace are set when they are sent. */
  static AgentCommandsProto commands(Commands commands, String namenodeId) {
    AgentCommandsProto.Builder message = AgentCommandsProto.newBuilder()
        .setProtocolVersion(DayuProtocolPB.REVISION)
        .setNamenodeId(namenodeId)
        .setActivation(commands.activation())
        .setSequence(commands.sequence())
        .setAuthoritative(true)
        .setNextReportMs(0)
        .addAllAcknowledged(commands.acknowledged());
    if (commands.meterSharers() > 1) {
      message.setMeterSharers(commands.meterSharers());
    }
    commands.grants().forEach(grant -> message.addGrants(grant(grant)));
    commands.suspects().forEach(suspect -> message.addSuspects(spec(suspect.block(), suspect.numBytes())));
    commands.verifications()
        .forEach(replica -> message.addVerifications(spec(replica.block(), replica.numBytes())));
    return message.build();
  }

  /** The same commands, with fewer grants and other acknowledgements. */
  static AgentCommandsProto withEnds(AgentCommandsProto commands, long sequence, Set<Long> live,
      List<Long> acknowledged) {
    AgentCommandsProto.Builder message =
        commands.toBuilder().setSequence(sequence).clearAcknowledged().addAllAcknowledged(acknowledged).clearGrants();
    for (GrantProto grant : commands.getGrantsList()) {
      if (live.contains(grant.getAttempt())) {
        message.addGrants(grant);
      }
    }
    return message.build();
  }

  private static GrantProto.Builder grant(Grant grant) {
    GrantProto.Builder message = GrantProto.newBuilder()
        .setAttempt(grant.attempt())
        .setBlock(spec(grant.block(), grant.numBytes()))
        .setSource(source(grant.source()))
        .setStorageType(grant.storageType())
        .setStorageId(grant.storageId())
        .setRateBytesPerSec(grant.rateBytesPerSec())
        .setOnlySource(grant.onlySource())
        .setLeaseMs(0);
    grant.alternates().forEach(alternate -> message.addAlternates(source(alternate)));
    grant.maxBytesPerSec().ifPresent(message::setMaxBytesPerSec);
    if (grant.highestRisk()) {
      message.setHighestRisk(true);
    }
    if (grant.group() != null) {
      message.setGroup(group(grant.group()));
      grant.furtherSources().forEach(further -> message.addFurtherSources(source(further)));
    }
    return message;
  }

  private static BlockSpecProto spec(BlockKey block, long numBytes) {
    return BlockSpecProto.newBuilder().setBlockId(block.blockId()).setGenerationStamp(block.generationStamp())
        .setNumBytes(numBytes).build();
  }

  private static SourceProto source(SourceAddress address) {
    SourceProto.Builder source = SourceProto.newBuilder().setDatanodeUuid(address.uuid())
        .setIpAddress(address.ipAddress()).setHostName(address.hostName()).setTransferPort(address.transferPort());
    return address.index() < 0 ? source.build() : source.setIndex(address.index()).build();
  }

  private static GroupProto group(GroupSpec group) {
    return GroupProto.newBuilder().setNumBytes(group.numBytes()).setCodec(group.policy().codec())
        .setDataUnits(group.policy().dataUnits()).setParityUnits(group.policy().parityUnits())
        .setCellBytes(group.policy().cellBytes()).build();
  }
}
