/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.BlockManagement;
import io.dayu.blocks.LiveNodeFixture;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.namenode.NameNodeRuntime;
import io.dayu.protocol.DayuProtos.LoadProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.mockito.Mockito.withSettings;

/** For how long stock HDFS recovers after a loop has failed again and again. */
class BackOffTest {
  private static final long ACTIVATION = 1_700_000_000_000L;

  private static final LoadProto LOAD = LoadProto.newBuilder().setCapacityInBytesPerSec(1).setCapacityOutBytesPerSec(1)
      .setForegroundInBytesPerSec(0).setForegroundOutBytesPerSec(0).build();

  private final BlockManagement blocks = mock(BlockManagement.class, withSettings().stubOnly());
  private Settings settings;
  private RecoveryParts recovery;
  private long second;

  @BeforeEach
  void active() throws Exception {
    when(blocks.keepsQueues()).thenReturn(true);
    when(blocks.pendingTimeoutMs()).thenReturn(300_000L);
    int types = StorageType.values().length;
    when(blocks.liveNodes()).thenReturn(
        List.of(
            LiveNodeFixture.liveNode("dn", "10.0.0.9", "dn", 9866, "/rack", true, new long[types], new int[types])));
    when(blocks.liveNodeCount()).thenReturn(1);
    settings = Settings.read(new Configuration(false));
    recovery = RecoveryParts.of(blocks, settings, NameNodeRuntime.algorithm(settings), "nn", () -> 0L, () -> ACTIVATION,
        mock(ScheduledExecutorService.class));
  }

  private void tick() {
    second++;
    long nowNs = TimeUnit.SECONDS.toNanos(second);
    recovery.responder().receive(ReportProto.newBuilder().setProtocolVersion(1).setBlockPoolId("bp")
        .setDatanodeUuid("dn").setAgentIncarnation(1).setReportSequence(second).setObeyedActivation(ACTIVATION)
        .setObeyedSequence(second).setLoad(LOAD).build(), nowNs);
    recovery.controller().tick(nowNs);
  }

  private long secondsUntil(String state) {
    long from = second;
    while (!recovery.status().getState().equals(state)) {
      tick();
      assertTrue(second - from < 3_600, () -> "still " + recovery.status().getState());
    }
    return second - from;
  }

  /** Fails until stock HDFS recovers. Returns for how many seconds it does. */
  private long fail() {
    secondsUntil("DAYU");
    doThrow(new IllegalStateException("the test wants it so")).when(blocks).check(anyList());
    secondsUntil("STOCK");
    doReturn(List.of()).when(blocks).check(anyList());
    return secondsUntil("DAYU");
  }

  @Test
  void repeatedFailures_doubleTheTime_upToTenMinutes_andAnHourWithoutEndsThat() {
    long firstSec = TimeUnit.MILLISECONDS.toSeconds(settings.millis(Setting.WATCHDOG_TIMEOUT));
    for (long expectedSec = firstSec; expectedSec < 600; expectedSec *= 2) {
      assertEquals(expectedSec, fail(), 1);
    }
    assertEquals(600, fail(), 1);
    assertEquals(600, fail(), 1);
    for (int i = 0; i < 3_700; i++) {
      tick();
    }
    assertEquals(firstSec, fail(), 1);
  }
}
