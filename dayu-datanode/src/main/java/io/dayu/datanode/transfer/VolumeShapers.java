/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess.VolumeFiles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/** A {@link VolumeShaper} for each rotating disk that holds volumes of this DataNode. Safe for use by all threads. */
public final class VolumeShapers {
  private static final Path DEVICES = Path.of("/sys/dev/block");

  private static final Logger LOG = LoggerFactory.getLogger(VolumeShapers.class);

  private final Function<ExtendedBlock, Optional<VolumeFiles>> volumes;
  private final Map<VolumeFiles, Optional<VolumeShaper>> shapers = new ConcurrentHashMap<>();
  /** By the disk's name: volumes that share one take turns. */
  private final Map<String, VolumeShaper> disks = new ConcurrentHashMap<>();
  private final LongAdder waitedNs = new LongAdder();

  public VolumeShapers(DataNodeAccess node, Settings settings) {
    this(Boolean.parseBoolean(settings.choice(Setting.VOLUME_CLIENTS_FIRST)) ? node::volume : block -> Optional.empty());
  }

  VolumeShapers(Function<ExtendedBlock, Optional<VolumeFiles>> volumes) {
    this.volumes = volumes;
  }

  /** Of a DataNode whose disks recovery may read from at any time. */
  static VolumeShapers none() {
    return new VolumeShapers(block -> Optional.empty());
  }

  /**
   * That of the volume that holds a replica; empty if there is none, or if it cannot be told. Never throws, since
   * HDFS's threads call it.
   */
  Optional<VolumeShaper> of(ExtendedBlock block) {
    try {
      return volumes.apply(block).flatMap(volume -> shapers.computeIfAbsent(volume, this::shaper));
    } catch (RuntimeException e) {
      LOG.debug("Cannot tell which volume holds {}", block, e);
      return Optional.empty();
    }
  }

  private Optional<VolumeShaper> shaper(VolumeFiles volume) {
    Optional<BlockDevice> disk = BlockDevice.rotating(volume.directory(), DEVICES);
    disk.ifPresent(one -> LOG.info(
        "Dayu: volume {} is on the rotating disk {}; recovery reads where clients leave it idle", volume.directory(),
        one));
    return disk.map(one -> disks.computeIfAbsent(one.toString(), name -> new VolumeShaper(one::readsInFlight,
        waitedNs::add, System.nanoTime())));
  }

  /** For how long all reads together have waited until clients read nothing. */
  public long waitedMs() {
    return TimeUnit.NANOSECONDS.toMillis(waitedNs.sum());
  }
}
