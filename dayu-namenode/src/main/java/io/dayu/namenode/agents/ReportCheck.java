/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.agents;

import io.dayu.protocol.DayuProtocolPB;
import io.dayu.protocol.DayuProtos.BlockSpecProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto;
import io.dayu.protocol.DayuProtos.LoadProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import io.dayu.protocol.DayuProtos.RunningTransferProto;
import io.dayu.protocol.DayuProtos.VerifiedReplicaProto;
import io.dayu.protocol.DayuProtos.VolumeProto;
import io.dayu.protocol.FieldCheck;

import java.io.IOException;

/**
 * Refuses a report with numbers, counts or lengths out of bounds, so that a faulty agent harms nothing else. No state.
 */
final class ReportCheck {
  private static final int MAX_VOLUMES = 1_000;
  private static final int MAX_STREAMS = 10_000;
  /** Running ones, and ended ones that are not acknowledged yet: far more than volumes can write. */
  private static final int MAX_TRANSFERS = 10_000;
  private static final FieldCheck FIELDS = new FieldCheck("report");

  private ReportCheck() {
  }

  /** Throws if a field is out of its bounds; the message names field and value. */
  static void check(ReportProto report) throws IOException {
    FIELDS.within("reportSequence", report.getReportSequence(), Long.MAX_VALUE);
    FIELDS.within("agentStartMs", report.getAgentStartMs(), Long.MAX_VALUE);
    FIELDS.within("obeyedSequence", report.getObeyedSequence(), Long.MAX_VALUE);
    FIELDS.within("mayWaitMs", report.getMayWaitMs(), Integer.MAX_VALUE);
    FIELDS.name("blockPoolId", report.getBlockPoolId());
    FIELDS.name("datanodeUuid", report.getDatanodeUuid());
    FIELDS.name("version", report.getVersion());
    FIELDS.text("declined", report.getDeclined());
    FIELDS.within("codecs", report.getCodecsCount(), DayuProtocolPB.MAX_CODECS);
    for (int i = 0; i < report.getCodecsCount(); i++) {
      FIELDS.name("codecs", report.getCodecs(i));
    }
    if (report.hasLoad()) {
      check(report.getLoad());
    }
    FIELDS.within("running", report.getRunningCount(), MAX_TRANSFERS);
    for (RunningTransferProto running : report.getRunningList()) {
      check(running);
    }
    FIELDS.within("finished", report.getFinishedCount(), MAX_TRANSFERS);
    for (FinishedTransferProto finished : report.getFinishedList()) {
      FIELDS.within("finished.wastedBytes", finished.getWastedBytes(), FieldCheck.MAX_BLOCK_BYTES);
      FIELDS.name("finished.sourceUuid", finished.getSourceUuid());
      FIELDS.text("finished.message", finished.getMessage());
    }
    FIELDS.within("verified", report.getVerifiedCount(), MAX_TRANSFERS);
    for (VerifiedReplicaProto verified : report.getVerifiedList()) {
      check(verified);
    }
  }

  private static void check(VerifiedReplicaProto verified) throws IOException {
    FIELDS.within("verified.block.numBytes", verified.getBlock().getNumBytes(), FieldCheck.MAX_BLOCK_BYTES);
    FIELDS.within("verified.block.generationStamp", verified.getBlock().getGenerationStamp(), Long.MAX_VALUE);
  }

  private static void check(RunningTransferProto running) throws IOException {
    BlockSpecProto block = running.getBlock();
    FIELDS.within("running.block.numBytes", block.getNumBytes(), FieldCheck.MAX_BLOCK_BYTES);
    FIELDS.within("running.block.generationStamp", block.getGenerationStamp(), Long.MAX_VALUE);
    FIELDS.within("running.doneBytes", running.getDoneBytes(), block.getNumBytes());
    FIELDS.rate("running.rateBytesPerSec", running.getRateBytesPerSec());
    FIELDS.rate("running.achievedBytesPerSec", running.getAchievedBytesPerSec());
    FIELDS.source("running.source", running.getSource());
    FIELDS.group("running.group", running.getGroup());
    FIELDS.furtherSources("running.furtherSources", running.getFurtherSourcesList());
    FIELDS.name("running.slowestSourceUuid", running.getSlowestSourceUuid());
    FIELDS.within("running.waitedForSlowestMs", running.getWaitedForSlowestMs(), Integer.MAX_VALUE);
    FIELDS.name("running.storageId", running.getStorageId());
    FIELDS.name("running.storageType", running.getStorageType());
    FIELDS.name("running.failedSourceUuid", running.getFailedSourceUuid());
    FIELDS.text("running.failure", running.getFailure());
  }

  private static void check(LoadProto load) throws IOException {
    FIELDS.rate("load.capacityInBytesPerSec", load.getCapacityInBytesPerSec());
    FIELDS.rate("load.capacityOutBytesPerSec", load.getCapacityOutBytesPerSec());
    FIELDS.rate("load.foregroundInBytesPerSec", load.getForegroundInBytesPerSec());
    FIELDS.rate("load.foregroundOutBytesPerSec", load.getForegroundOutBytesPerSec());
    FIELDS.rate("load.networkBytesPerSec", load.getNetworkBytesPerSec());
    FIELDS.rate("load.recoveryInBytesPerSec", load.getRecoveryInBytesPerSec());
    FIELDS.rate("load.recoveryOutBytesPerSec", load.getRecoveryOutBytesPerSec());
    FIELDS.rate("load.disksBytesPerSec", load.getDisksBytesPerSec());
    FIELDS.within("load.volumes", load.getVolumesCount(), MAX_VOLUMES);
    for (VolumeProto volume : load.getVolumesList()) {
      FIELDS.within("volume.maxStreams", volume.getMaxStreams(), MAX_STREAMS);
      FIELDS.name("volume.storageId", volume.getStorageId());
      FIELDS.name("volume.storageType", volume.getStorageType());
    }
  }
}
