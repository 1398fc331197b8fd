/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.BlockManagement;
import io.dayu.blocks.CommitResult;
import io.dayu.blocks.LiveNode;
import io.dayu.blocks.LiveNodeFixture;
import io.dayu.blocks.PendingCheck;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.namenode.NameNodeRuntime;
import io.dayu.namenode.transfers.ClockStart;
import io.dayu.protocol.DayuProtos.BlockSpecProto;
import io.dayu.protocol.DayuProtos.LoadProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import io.dayu.protocol.DayuProtos.RunningTransferProto;
import io.dayu.protocol.DayuProtos.SourceProto;
import io.dayu.protocol.DayuProtos.VolumeProto;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.junit.jupiter.api.BeforeEach;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;

import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

/** A recovery, driven tick by tick, with a block management that says what the test wants. */
abstract class RecoveryControllerFixture {
  /** Of the clock; the tests add to it. */
  final long startNs = ClockStart.NS;
  static final long ACTIVATION = 1_700_000_000_000L;
  private static final long PENDING_TIMEOUT_MS = 300_000;
  static final LoadProto LOAD = LoadProto.newBuilder().setCapacityInBytesPerSec(1).setCapacityOutBytesPerSec(1)
      .setForegroundInBytesPerSec(0).setForegroundOutBytesPerSec(0).build();

  /** Of a node that can take part in transfers. */
  static final LoadProto FAST = LoadProto.newBuilder().setCapacityInBytesPerSec(100_000_000)
      .setCapacityOutBytesPerSec(100_000_000).setForegroundInBytesPerSec(0).setForegroundOutBytesPerSec(0)
      .addVolumes(VolumeProto.newBuilder().setStorageId("DS").setStorageType("DISK").setMaxStreams(64)).build();

  final BlockManagement blocks = mock(BlockManagement.class);
  final ScheduledExecutorService responses = mock(ScheduledExecutorService.class);
  private long reports;
  long wallClockMs = ACTIVATION;
  long stopwatchNs = startNs;

  RecoveryParts recovery;

  @BeforeEach
  void active() throws Exception {
    when(blocks.keepsQueues()).thenReturn(true);
    when(blocks.knowsStorages(anyString())).thenReturn(true);
    when(blocks.pendingTimeoutMs()).thenReturn(PENDING_TIMEOUT_MS);
    when(blocks.adopt(anyList())).thenReturn(List.of(CommitResult.committed("DS-1", "DISK")));
    when(blocks.check(anyList())).thenAnswer(call -> call.<List<?>>getArgument(0).stream()
        .map(any -> new PendingCheck(PendingCheck.State.WANTED, List.of("source"))).toList());
    when(blocks.liveNodes()).thenReturn(List.of(node("target")));
    runWith(new Configuration(false));
  }

  /** Begins the recovery anew, with these settings, which are returned. */
  final Settings runWith(Configuration conf) throws Exception {
    Settings settings = Settings.read(conf);
    recovery = RecoveryParts.of(blocks, settings, NameNodeRuntime.algorithm(settings), "nn", () -> stopwatchNs,
        () -> wallClockMs, responses);
    return settings;
  }

  /** Has the journal write into a folder. */
  final void recordIn(Path folder) throws Exception {
    Configuration conf = new Configuration(false);
    conf.set(Setting.JOURNAL_DIRECTORY.key(), folder.toString());
    conf.set(Setting.JOURNAL_MAX_BYTES.key(), "1m");
    runWith(conf);
  }

  static LiveNode node(String uuid) {
    return LiveNodeFixture.liveNode(uuid, "10.0.0.9", uuid, 9866, "/rack", true, new long[StorageType.values().length],
        new int[StorageType.values().length]);
  }

  static LiveNode nodeWithRoom(String uuid) {
    long[] freeBytes = new long[StorageType.values().length];
    int[] volumes = new int[StorageType.values().length];
    freeBytes[StorageType.DISK.ordinal()] = 1L << 40;
    volumes[StorageType.DISK.ordinal()] = 1;
    return LiveNodeFixture.liveNode(uuid, "10.0.0.9", uuid, 9866, "/rack", true, freeBytes, volumes);
  }

  ReportProto.Builder report() {
    return report("target");
  }

  ReportProto.Builder report(String uuid) {
    return ReportProto.newBuilder().setProtocolVersion(1).setBlockPoolId("bp").setDatanodeUuid(uuid)
        .setAgentIncarnation(1).setReportSequence(++reports);
  }

  static RunningTransferProto running() {
    return RunningTransferProto.newBuilder().setAttempt(9)
        .setBlock(BlockSpecProto.newBuilder().setBlockId(7).setGenerationStamp(1001).setNumBytes(100))
        .setSource(SourceProto.newBuilder().setDatanodeUuid("source").setIpAddress("10.0.0.1").setHostName("h")
            .setTransferPort(9866))
        .setStorageType("DISK").setDoneBytes(40).setRateBytesPerSec(10).setAchievedBytesPerSec(9).build();
  }
}
