/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.conf.BadSettingException;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.datanode.BandwidthMeter.Counters;
import io.dayu.protocol.DayuProtos.LoadProto;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess.Volume;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.OptionalLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

class LoadEstimatorTest {
  private static final long SEC = 1_000_000_000;
  private static final long NETWORK = 125_000_000;
  private static final List<Volume> DISKS =
      List.of(new Volume("a", StorageType.DISK), new Volume("b", StorageType.DISK));

  private static LoadEstimator estimator(double countedPerBlockByte) throws BadSettingException {
    return new LoadEstimator(Settings.read(new Configuration(false)), NETWORK,
        meter(countedPerBlockByte, OptionalLong.empty()));
  }

  private static BandwidthMeter meter(double countedPerBlockByte, OptionalLong sharedId) {
    BandwidthMeter meter = mock(BandwidthMeter.class);
    when(meter.countedPerBlockByte()).thenReturn(countedPerBlockByte);
    when(meter.sharedId()).thenReturn(sharedId);
    return meter;
  }

  @Test
  void capacity_isTheSlowerOfNetworkAndVolumes() throws BadSettingException {
    LoadEstimator estimator = estimator(1);
    assertEquals(NETWORK, estimator.load(DISKS).orElseThrow().getCapacityInBytesPerSec());
    LoadProto oneDisk = estimator.load(DISKS.subList(0, 1)).orElseThrow();
    assertEquals(100 << 20, oneDisk.getCapacityInBytesPerSec());
    assertEquals(100 << 20, oneDisk.getCapacityOutBytesPerSec());
    assertEquals(NETWORK, oneDisk.getNetworkBytesPerSec());
    assertEquals(NETWORK / 2, LoadEstimator.share(oneDisk, new ActivePools.Shares(2, 3)).getNetworkBytesPerSec());
    assertEquals(64, oneDisk.getVolumes(0).getMaxStreams());
    assertEquals("DISK", oneDisk.getVolumes(0).getStorageType());
    assertTrue(estimator.load(List.of()).isEmpty());
  }

  @Test
  void volumesWithAnotherLimitOfStreams_haveAnotherId() throws BadSettingException {
    Settings settings = Settings.read(new Configuration(false));
    LoadEstimator estimator = new LoadEstimator(settings, NETWORK, meter(1, OptionalLong.empty()));
    LoadProto before = estimator.load(DISKS).orElseThrow();
    assertEquals(before.getVolumesId(), estimator.load(DISKS).orElseThrow().getVolumesId());
    settings.change(Setting.VOLUME_MAX_STREAMS, "OTHER=7", "set by the NameNodes", 0);
    LoadProto after = estimator.load(DISKS).orElseThrow();
    assertEquals(7, after.getVolumes(0).getMaxStreams());
    assertNotEquals(before.getVolumesId(), after.getVolumesId(), "the NameNode must not use what it knows");
  }

  @Test
  void foreground_isWhatIsMeteredLessRecoveryOnTheWire() throws BadSettingException {
    LoadEstimator estimator = estimator(1.05);
    for (int second = 0; second <= 20; second++) {
      // In: 10 MB/s of recovery, 5 MB/s of others. Out: 20 MB/s of recovery, 1 MB/s of others.
      estimator.sample(new Counters(second * (10_500_000L + 5_000_000), 77 + second * (21_000_000L + 1_000_000)),
          second * 10_000_000L, second * 20_000_000L, second * SEC);
    }
    LoadProto load = estimator.load(DISKS).orElseThrow();
    assertEquals(5_000_000, load.getForegroundInBytesPerSec(), 5_000);
    assertEquals(1_000_000, load.getForegroundOutBytesPerSec(), 5_000);
  }

  @Test
  void sharedMeter_isNamed_withTheNetworkAndOwnRecoveryAsMetered() throws BadSettingException {
    LoadEstimator estimator =
        new LoadEstimator(Settings.read(new Configuration(false)), NETWORK, meter(1.05, OptionalLong.of(7)));
    for (int second = 0; second <= 20; second++) {
      estimator.sample(new Counters(second * 30_000_000L, second * 30_000_000L), second * 10_000_000L,
          second * 20_000_000L, second * SEC);
    }
    LoadProto load = estimator.load(DISKS.subList(0, 1)).orElseThrow();
    assertEquals(7, load.getMeterId());
    assertEquals(NETWORK, load.getNetworkBytesPerSec());
    assertEquals(10_500_000, load.getRecoveryInBytesPerSec(), 5_000);
    assertEquals(21_000_000, load.getRecoveryOutBytesPerSec(), 5_000);
    LoadProto share = LoadEstimator.share(load, new ActivePools.Shares(3, 2));
    assertEquals(NETWORK / 3, share.getNetworkBytesPerSec());
    assertEquals(load.getRecoveryInBytesPerSec() / 3, share.getRecoveryInBytesPerSec());
    assertEquals(load.getRecoveryOutBytesPerSec() / 2, share.getRecoveryOutBytesPerSec());
    assertFalse(estimator(1).load(DISKS).orElseThrow().hasMeterId());
  }

  @Test
  void foreground_isNeverNegativeAndSurvivesAResetCounter() throws BadSettingException {
    LoadEstimator estimator = estimator(1);
    estimator.sample(new Counters(1_000_000, 1_000_000), 0, 0, 0);
    estimator.sample(new Counters(1_000_000, 1_000_000), 50_000_000, 50_000_000, SEC);
    assertEquals(0, estimator.load(DISKS).orElseThrow().getForegroundInBytesPerSec());
    estimator.sample(new Counters(5, 5), 50_000_000, 50_000_000, 2 * SEC);
    assertEquals(0, estimator.load(DISKS).orElseThrow().getForegroundOutBytesPerSec());
  }

  @Test
  void countersThatMoveOnceASecond_giveTheSameForeground() throws BadSettingException {
    LoadEstimator estimator = estimator(1);
    for (int half = 0; half <= 40; half++) {
      // 10 MB/s of recovery, which we count ourselves as it comes, and 5 MB/s of others.
      long counter = half / 2 * 15_000_000L;
      estimator.sample(new Counters(counter, counter), half * 5_000_000L, half * 5_000_000L, half * SEC / 2);
      if (half > 10) {
        LoadProto load = estimator.load(DISKS).orElseThrow();
        assertEquals(5_000_000, load.getForegroundInBytesPerSec(), 250_000);
        assertEquals(5_000_000, load.getForegroundOutBytesPerSec(), 250_000);
      }
    }
  }

  @Test
  void unknownForeground_leavesTheMinimum_whateverWasKnownLast() throws BadSettingException {
    LoadEstimator estimator = estimator(1);
    for (int second = 0; second <= 20; second++) {
      estimator.sample(new Counters(second * 1_000_000L, second * 100_000_000L), 0, 0, second * SEC);
    }
    LoadProto load = estimator.unknownLoad(DISKS).orElseThrow();
    double min = Settings.read(new Configuration(false)).minBytesPerSec(NETWORK);
    assertEquals(min, NETWORK - load.getForegroundInBytesPerSec(), 1);
    assertEquals(min, NETWORK - load.getForegroundOutBytesPerSec(), 1);
    assertTrue(estimator.unknownLoad(List.of()).isEmpty());
  }

  @Test
  void firstSample_isABaseAndNotALoad() throws BadSettingException {
    LoadEstimator estimator = estimator(1);
    estimator.sample(new Counters(Long.MAX_VALUE / 2, Long.MAX_VALUE / 2), 0, 0, 123);
    assertEquals(0, estimator.load(DISKS).orElseThrow().getForegroundInBytesPerSec());
  }

  @Test
  void nodeIsSharedEquallyByThoseWhoPlanWithIt() throws BadSettingException {
    LoadProto whole = estimator(1).load(DISKS).orElseThrow().toBuilder().setForegroundInBytesPerSec(30_000_000)
        .setForegroundOutBytesPerSec(7).build();
    LoadProto third = LoadEstimator.share(whole, new ActivePools.Shares(3, 3));
    assertEquals(NETWORK / 3, third.getCapacityInBytesPerSec());
    assertEquals(NETWORK / 3, third.getCapacityOutBytesPerSec());
    assertEquals(10_000_000, third.getForegroundInBytesPerSec());
    assertEquals(2, third.getForegroundOutBytesPerSec());
    assertEquals(whole.getVolumesList(), third.getVolumesList());
    assertEquals(whole, LoadEstimator.share(whole, ActivePools.Shares.SOLE));
  }

  @Test
  void whatTheDisksTake_isSaidWhereTheyAreTheLimit_andShared() throws BadSettingException {
    LoadProto load = estimator(1).load(DISKS).orElseThrow();
    assertFalse(LoadEstimator.withDisks(load, 0).hasDisksBytesPerSec());
    LoadProto limited = LoadEstimator.withDisks(load, 2_000_000);
    assertEquals(2_000_000, limited.getDisksBytesPerSec());
    assertEquals(1_000_000, LoadEstimator.share(limited, new ActivePools.Shares(2, 1)).getDisksBytesPerSec());
  }

  @Test
  void eachDirectionIsSharedByThoseWhoUseIt() throws BadSettingException {
    LoadProto whole = estimator(1).load(DISKS).orElseThrow().toBuilder().setForegroundInBytesPerSec(40)
        .setForegroundOutBytesPerSec(50).build();
    LoadProto share = LoadEstimator.share(whole, new ActivePools.Shares(1, 2));
    assertEquals(NETWORK, share.getCapacityInBytesPerSec());
    assertEquals(NETWORK / 2, share.getCapacityOutBytesPerSec());
    assertEquals(40, share.getForegroundInBytesPerSec());
    assertEquals(25, share.getForegroundOutBytesPerSec());
  }
}
