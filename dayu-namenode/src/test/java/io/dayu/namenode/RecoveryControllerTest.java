/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.namenode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.dayu.blocks.BlockManagement;
import io.dayu.blocks.CommitResult;
import io.dayu.conf.Settings;
import io.dayu.protocol.DayuProtos.BlockSpecProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import io.dayu.protocol.DayuProtos.RunningTransferProto;
import io.dayu.protocol.DayuProtos.SourceProto;

import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.concurrent.ScheduledExecutorService;

/** States of the recovery, tick by tick, with a block management that says what the test wants. */
class RecoveryControllerTest {
  private final BlockManagement blocks = mock(BlockManagement.class);
  private long reports;

  private ReportProto reportOfARunningTransfer() {
    return ReportProto.newBuilder().setProtocolVersion(1).setBlockPoolId("bp").setDatanodeUuid("target")
        .setAgentIncarnation(1).setReportSequence(++reports).addRunning(RunningTransferProto.newBuilder().setAttempt(9)
            .setBlock(BlockSpecProto.newBuilder().setBlockId(7).setGenerationStamp(1001).setNumBytes(100))
            .setSource(SourceProto.newBuilder().setDatanodeUuid("source").setIpAddress("10.0.0.1").setHostName("h")
                .setTransferPort(9866))
            .setStorageType("DISK").setDoneBytes(40).setRateBytesPerSec(10).setAchievedBytesPerSec(9)).build();
  }

  @Test
  void transfers_areAdoptedOnceTheSafeModeIsLeft_andNotBefore() throws Exception {
    when(blocks.keepsQueues()).thenReturn(true);
    when(blocks.inSafeMode()).thenReturn(true);
    when(blocks.pendingTimeoutMs()).thenReturn(300_000L);
    when(blocks.adopt(anyList())).thenReturn(List.of(CommitResult.committed("DS-1", "DISK")));
    Settings settings = Settings.read(new Configuration(false));
    Recovery recovery = Recovery.of(blocks, settings, NameNodeRuntime.scheduler(settings), "nn", () -> 0L, () -> 1L,
        mock(ScheduledExecutorService.class));

    recovery.responder().receive(reportOfARunningTransfer(), 1);
    recovery.controller().tick(2);
    verify(blocks, never()).adopt(anyList());
    assertEquals("STANDBY", recovery.status().getState());

    when(blocks.inSafeMode()).thenReturn(false);
    recovery.controller().tick(3);
    recovery.responder().receive(reportOfARunningTransfer(), 4);
    recovery.controller().tick(5);
    verify(blocks).adopt(anyList());
    assertEquals(1, recovery.registrations().size());
  }
}
