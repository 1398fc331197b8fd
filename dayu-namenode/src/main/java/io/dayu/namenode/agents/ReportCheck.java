/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.agents;

import io.dayu.model.NodeTable;
import io.dayu.protocol.DayuProtos.BlockSpecProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto;
import io.dayu.protocol.DayuProtos.LoadProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import io.dayu.protocol.DayuProtos.RunningTransferProto;
import io.dayu.protocol.DayuProtos.SourceProto;
import io.dayu.protocol.DayuProtos.VolumeProto;

import java.io.IOException;

/**
 * Refuses a report with numbers, counts or lengths out of bounds, so that a faulty agent harms nothing else. No state.
 */
final class ReportCheck {
  private static final int MAX_VOLUMES = 1_000;
  private static final int MAX_STREAMS = 10_000;
  /** Running ones, and ended ones that are not acknowledged yet: far more than volumes can write. */
  private static final int MAX_TRANSFERS = 10_000;
  private static final int MAX_PORT = 65_535;
  private static final int MAX_NAME_LENGTH = 256;
  private static final int MAX_MESSAGE_LENGTH = 4_096;

  private ReportCheck() {
  }

  /** Throws if a field is out of its bounds; the message names field and value. */
  static void check(ReportProto report) throws IOException {
    within("reportSequence", report.getReportSequence(), Long.MAX_VALUE);
    within("agentStartMs", report.getAgentStartMs(), Long.MAX_VALUE);
    within("obeyedSequence", report.getObeyedSequence(), Long.MAX_VALUE);
    within("mayWaitMs", report.getMayWaitMs(), Integer.MAX_VALUE);
    length("datanodeUuid", report.getDatanodeUuid(), MAX_NAME_LENGTH);
    length("version", report.getVersion(), MAX_NAME_LENGTH);
    length("declined", report.getDeclined(), MAX_MESSAGE_LENGTH);
    if (report.hasLoad()) {
      check(report.getLoad());
    }
    within("running", report.getRunningCount(), MAX_TRANSFERS);
    for (RunningTransferProto running : report.getRunningList()) {
      check(running);
    }
    within("finished", report.getFinishedCount(), MAX_TRANSFERS);
    for (FinishedTransferProto finished : report.getFinishedList()) {
      within("finished.wastedBytes", finished.getWastedBytes(), Long.MAX_VALUE);
      length("finished.sourceUuid", finished.getSourceUuid(), MAX_NAME_LENGTH);
      length("finished.message", finished.getMessage(), MAX_MESSAGE_LENGTH);
    }
  }

  private static void check(RunningTransferProto running) throws IOException {
    BlockSpecProto block = running.getBlock();
    within("running.block.numBytes", block.getNumBytes(), Long.MAX_VALUE);
    within("running.block.generationStamp", block.getGenerationStamp(), Long.MAX_VALUE);
    within("running.doneBytes", running.getDoneBytes(), block.getNumBytes());
    within("running.rateBytesPerSec", running.getRateBytesPerSec(), NodeTable.MAX_BYTES_PER_SEC);
    within("running.achievedBytesPerSec", running.getAchievedBytesPerSec(), NodeTable.MAX_BYTES_PER_SEC);
    SourceProto source = running.getSource();
    length("running.source.datanodeUuid", source.getDatanodeUuid(), MAX_NAME_LENGTH);
    length("running.source.ipAddress", source.getIpAddress(), MAX_NAME_LENGTH);
    length("running.source.hostName", source.getHostName(), MAX_NAME_LENGTH);
    within("running.source.transferPort", source.getTransferPort(), MAX_PORT);
    length("running.storageId", running.getStorageId(), MAX_NAME_LENGTH);
    length("running.storageType", running.getStorageType(), MAX_NAME_LENGTH);
    length("running.failedSourceUuid", running.getFailedSourceUuid(), MAX_NAME_LENGTH);
    length("running.failure", running.getFailure(), MAX_MESSAGE_LENGTH);
  }

  private static void check(LoadProto load) throws IOException {
    within("load.capacityInBytesPerSec", load.getCapacityInBytesPerSec(), NodeTable.MAX_BYTES_PER_SEC);
    within("load.capacityOutBytesPerSec", load.getCapacityOutBytesPerSec(), NodeTable.MAX_BYTES_PER_SEC);
    within("load.foregroundInBytesPerSec", load.getForegroundInBytesPerSec(), Long.MAX_VALUE);
    within("load.foregroundOutBytesPerSec", load.getForegroundOutBytesPerSec(), Long.MAX_VALUE);
    within("load.networkBytesPerSec", load.getNetworkBytesPerSec(), NodeTable.MAX_BYTES_PER_SEC);
    within("load.recoveryInBytesPerSec", load.getRecoveryInBytesPerSec(), NodeTable.MAX_BYTES_PER_SEC);
    within("load.recoveryOutBytesPerSec", load.getRecoveryOutBytesPerSec(), NodeTable.MAX_BYTES_PER_SEC);
    within("load.volumes", load.getVolumesCount(), MAX_VOLUMES);
    for (VolumeProto volume : load.getVolumesList()) {
      within("volume.maxStreams", volume.getMaxStreams(), MAX_STREAMS);
      length("volume.storageId", volume.getStorageId(), MAX_NAME_LENGTH);
      length("volume.storageType", volume.getStorageType(), MAX_NAME_LENGTH);
    }
  }

  private static void within(String field, long value, long max) throws IOException {
    if (value < 0 || value > max) {
      throw new IOException("report refused: " + field + " = " + value + ", expected 0 to " + max);
    }
  }

  private static void length(String field, String value, int max) throws IOException {
    if (value.length() > max) {
      throw new IOException(
          "report refused: " + field + " has " + value.length() + " characters, expected at most " + max);
    }
  }
}
