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
import io.dayu.protocol.DayuProtos.SourceProto;
import io.dayu.protocol.DayuProtos.VolumeProto;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.Collections;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** Numbers of one agent that no plan could be made with. */
final class ReportCheckTest {
  private static ReportProto.Builder report() {
    return ReportProto.newBuilder().setProtocolVersion(1).setBlockPoolId("bp").setDatanodeUuid("dn")
        .setAgentIncarnation(1).setReportSequence(1);
  }

  private static LoadProto.Builder load() {
    return LoadProto.newBuilder().setCapacityInBytesPerSec(100).setCapacityOutBytesPerSec(100)
        .setForegroundInBytesPerSec(0).setForegroundOutBytesPerSec(0);
  }

  private static RunningTransferProto.Builder running() {
    return RunningTransferProto.newBuilder().setAttempt(1)
        .setBlock(BlockSpecProto.newBuilder().setBlockId(1).setGenerationStamp(1).setNumBytes(100))
        .setSource(SourceProto.newBuilder().setDatanodeUuid("s").setIpAddress("i").setHostName("h").setTransferPort(1))
        .setStorageType("DISK").setDoneBytes(100).setRateBytesPerSec(0).setAchievedBytesPerSec(0);
  }

  private static void assertRefused(String message, ReportProto.Builder report) {
    IOException refusal = assertThrows(IOException.class, () -> ReportCheck.check(report.build()));
    assertEquals(message, refusal.getMessage());
  }

  @Test
  void soundReport_passes() {
    assertDoesNotThrow(() -> ReportCheck.check(report().setLoad(load()).addRunning(running()).build()));
  }

  @Test
  void hugeOrNegativeNumbers_areRefusedByName() {
    assertRefused("report refused: load.capacityInBytesPerSec = 2199023255552, expected 0 to 1099511627776",
        report().setLoad(load().setCapacityInBytesPerSec(1L << 41)));
    assertRefused("report refused: load.foregroundOutBytesPerSec = -1, expected 0 to 1099511627776",
        report().setLoad(load().setForegroundOutBytesPerSec(-1)));
    assertRefused("report refused: volume.maxStreams = -1, expected 0 to 10000", report().setLoad(
        load().addVolumes(VolumeProto.newBuilder().setStorageId("a").setStorageType("DISK").setMaxStreams(-1))));
    assertRefused("report refused: running.doneBytes = 101, expected 0 to 100",
        report().addRunning(running().setDoneBytes(101)));
  }

  @Test
  void portsLengthsAndCounts_areBounded() {
    assertRefused("report refused: running.source.transferPort = 65536, expected 0 to 65535",
        report().addRunning(running().setSource(running().getSource().toBuilder().setTransferPort(65_536))));
    assertRefused("report refused: running.block.generationStamp = -1, expected 0 to 9223372036854775807",
        report().addRunning(running().setBlock(running().getBlock().toBuilder().setGenerationStamp(-1))));
    assertRefused("report refused: finished.wastedBytes = -1, expected 0 to 1125899906842624",
        report().addFinished(FinishedTransferProto.newBuilder().setAttempt(1).setBlockId(1).setWastedBytes(-1)));
    assertRefused("report refused: version has 257 characters, expected at most 256",
        report().setVersion("v".repeat(257)));
    assertRefused("report refused: codecs = 101, expected 0 to 100",
        report().addAllCodecs(Collections.nCopies(DayuProtocolPB.MAX_CODECS + 1, "lrc")));
    assertRefused("report refused: running = 10001, expected 0 to 10000",
        report().addAllRunning(Collections.nCopies(10_001, running().build())));
  }

  @Test
  void storageTypeOfANewerHadoop_doesNotSilenceTheAgent() {
    assertDoesNotThrow(() -> ReportCheck.check(report().addRunning(running().setStorageType("TAPE")).build()));
  }
}
