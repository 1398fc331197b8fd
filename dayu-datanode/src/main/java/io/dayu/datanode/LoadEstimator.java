/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.protocol.DayuProtos.LoadProto;
import io.dayu.protocol.DayuProtos.VolumeProto;
import io.dayu.protocol.FieldCheck;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess.Volume;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Turns meter readings into what a report says of the node's load. Pure arithmetic over the values handed in; used by
 * one thread.
 *
 * <p>Foreground is what the meter counts less our own recovery, each first smoothed by an exponential moving average
 * with a time constant of one second. Both are smoothed before the subtraction, since one lags behind the other: bytes
 * that are sent wait in the socket's buffer for a while. A negative difference counts as zero.
 */
final class LoadEstimator {
  private static final double SMOOTHING_SEC = 1.0;
  /**
   * Some counters move only about once a second. While recovery's own counters move and the meter's do not, a sample
   * waits for the meter this long.
   */
  private static final double MAX_UNCHANGED_SEC = 1.5;

  /** An exponentially smoothed rate of a counter. */
  private static final class Rate {
    private double bytesPerSec;
    private long lastBytes;

    void update(long bytes, double elapsedSec, double weight) {
      // A counter that runs backwards has been reset.
      double now = Math.max(0, bytes - lastBytes) / elapsedSec;
      bytesPerSec += weight * (now - bytesPerSec);
      lastBytes = bytes;
    }
  }

  private final Settings settings;
  private final long networkBytesPerSec;
  private final BandwidthMeter meter;
  private final double countedPerBlockByte;
  private final Rate in = new Rate();
  private final Rate out = new Rate();
  private final Rate recoveryIn = new Rate();
  private final Rate recoveryOut = new Rate();
  private List<VolumeProto> identified = List.of();
  private long volumesId;
  private long lastNs;
  private boolean hasBase;

  /**
   * @param networkBytesPerSec what the network carries in each direction
   * @param meter what took the readings
   */
  LoadEstimator(Settings settings, long networkBytesPerSec, BandwidthMeter meter) {
    this.settings = settings;
    this.networkBytesPerSec = networkBytesPerSec;
    this.meter = meter;
    this.countedPerBlockByte = meter.countedPerBlockByte();
  }

  /**
   * Takes a reading.
   *
   * @param metered everything, as the meter counts
   * @param recoveryInBytes block bytes that our transfers have received, since the start
   * @param recoveryOutBytes block bytes that other nodes have pulled from here, since the start
   */
  void sample(BandwidthMeter.Counters metered, long recoveryInBytes, long recoveryOutBytes, long nowNs) {
    double elapsedSec = (nowNs - lastNs) / 1e9;
    if (hasBase && elapsedSec < MAX_UNCHANGED_SEC && isUnchanged(metered, recoveryInBytes, recoveryOutBytes)) {
      return;
    }
    if (hasBase && elapsedSec > 0) {
      double weight = 1 - Math.exp(-elapsedSec / SMOOTHING_SEC);
      in.update(metered.inBytes(), elapsedSec, weight);
      out.update(metered.outBytes(), elapsedSec, weight);
      recoveryIn.update(recoveryInBytes, elapsedSec, weight);
      recoveryOut.update(recoveryOutBytes, elapsedSec, weight);
    } else {
      in.lastBytes = metered.inBytes();
      out.lastBytes = metered.outBytes();
      recoveryIn.lastBytes = recoveryInBytes;
      recoveryOut.lastBytes = recoveryOutBytes;
      hasBase = true;
    }
    lastNs = nowNs;
  }

  private boolean isUnchanged(BandwidthMeter.Counters metered, long recoveryInBytes, long recoveryOutBytes) {
    boolean recovers = recoveryInBytes != recoveryIn.lastBytes || recoveryOutBytes != recoveryOut.lastBytes;
    return recovers && metered.inBytes() == in.lastBytes && metered.outBytes() == out.lastBytes;
  }

  /**
   * The load while the meter fails: foreground that leaves just B_min for recovery, whatever the last sample was. It is
   * not measured, so it says nothing of other DataNodes on the meter.
   */
  Optional<LoadProto> unknownLoad(List<Volume> volumes) {
    return load(volumes).map(this::unknown);
  }

  /** The same node, if its foreground is unknown: plans may use B_min. */
  LoadProto unknown(LoadProto load) {
    long capacity = load.getCapacityInBytesPerSec();
    long foreground = capacity - Math.round(settings.minBytesPerSec(capacity));
    return load.toBuilder().clearMeterId().clearNetworkBytesPerSec().clearRecoveryInBytesPerSec()
        .clearRecoveryOutBytesPerSec().setForegroundInBytesPerSec(foreground)
        .setForegroundOutBytesPerSec(foreground).build();
  }

  /** The load as of the last sample; empty while the node has no volumes. */
  Optional<LoadProto> load(List<Volume> volumes) {
    if (volumes.isEmpty()) {
      return Optional.empty();
    }
    LoadProto.Builder load = LoadProto.newBuilder();
    for (Volume volume : volumes) {
      load.addVolumes(VolumeProto.newBuilder().setStorageId(volume.storageId()).setStorageType(volume.type().name())
          .setMaxStreams((int) settings.forStorageType(Setting.VOLUME_MAX_STREAMS, volume.type())));
    }
    meter.sharedId().ifPresent(id -> load.setMeterId(id).setNetworkBytesPerSec(networkBytesPerSec)
        .setRecoveryInBytesPerSec(metered(recoveryIn)).setRecoveryOutBytesPerSec(metered(recoveryOut)));
    long capacity = Math.min(networkBytesPerSec, volumesBytesPerSec(volumes));
    if (capacity < networkBytesPerSec) {
      load.setNetworkBytesPerSec(networkBytesPerSec);
    }
    return Optional.of(load.setVolumesId(id(load.getVolumesList())).setCapacityInBytesPerSec(capacity)
        .setCapacityOutBytesPerSec(capacity).setForegroundInBytesPerSec(foreground(in, recoveryIn))
        .setForegroundOutBytesPerSec(foreground(out, recoveryOut)).build());
  }

  /** @param disksBytesPerSec what the disks take of recovery, where they are the limit; else 0 */
  static LoadProto withDisks(LoadProto load, long disksBytesPerSec) {
    return disksBytesPerSec == 0 ? load : load.toBuilder().setDisksBytesPerSec(disksBytesPerSec).build();
  }

  /** What the volumes carry together, by the admin's word. */
  long volumesBytesPerSec(List<Volume> volumes) {
    return volumes.stream().mapToLong(volume -> settings.forStorageType(Setting.VOLUME_BANDWIDTH, volume.type())).sum();
  }

  /** An id of the volumes, which is the same for the same volumes in the same order. */
  private long id(List<VolumeProto> volumes) {
    if (!volumes.equals(identified)) {
      identified = List.copyOf(volumes);
      volumesId = UUID.nameUUIDFromBytes(identified.toString().getBytes(StandardCharsets.UTF_8))
          .getMostSignificantBits();
    }
    return volumesId;
  }

  /** Equal shares of the node's bandwidth, and of what uses it, for one of several NameNodes that plan with it. */
  static LoadProto share(LoadProto load, ActivePools.Shares shares) {
    LoadProto.Builder share = load.toBuilder();
    if (load.hasNetworkBytesPerSec()) {
      // With a meter's id there is one value for both directions.
      share.setNetworkBytesPerSec(load.getNetworkBytesPerSec()
          / (load.hasMeterId() ? Math.max(shares.in(), shares.out()) : shares.in()));
    }
    if (load.hasMeterId()) {
      share.setRecoveryInBytesPerSec(load.getRecoveryInBytesPerSec() / shares.in())
          .setRecoveryOutBytesPerSec(load.getRecoveryOutBytesPerSec() / shares.out());
    }
    if (load.hasDisksBytesPerSec()) {
      share.setDisksBytesPerSec(Math.max(1, load.getDisksBytesPerSec() / shares.in()));
    }
    return share.setCapacityInBytesPerSec(load.getCapacityInBytesPerSec() / shares.in())
        .setCapacityOutBytesPerSec(load.getCapacityOutBytesPerSec() / shares.out())
        .setForegroundInBytesPerSec(load.getForegroundInBytesPerSec() / shares.in())
        .setForegroundOutBytesPerSec(load.getForegroundOutBytesPerSec() / shares.out()).build();
  }

  private long foreground(Rate all, Rate recovery) {
    return bounded(all.bytesPerSec - countedPerBlockByte * recovery.bytesPerSec);
  }

  private long metered(Rate recovery) {
    return bounded(countedPerBlockByte * recovery.bytesPerSec);
  }

  /** What a report may say, should a meter's counter jump. */
  private static long bounded(double bytesPerSec) {
    return Math.max(0, Math.min(FieldCheck.MAX_BYTES_PER_SEC, Math.round(bytesPerSec)));
  }
}
