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
import org.apache.hadoop.hdfs.server.datanode.fsdataset.ReplicaOutputStreams;
import org.apache.hadoop.io.nativeio.NativeIO;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * A {@link VolumeShaper} for each rotating disk that holds volumes of this DataNode. Writes are shaped only with
 * Hadoop's native library. Safe for use by all threads.
 */
public final class VolumeShapers {
  private static final Path DEVICES = Path.of("/sys/dev/block");

  private static final Logger LOG = LoggerFactory.getLogger(VolumeShapers.class);

  private final Function<ExtendedBlock, Optional<VolumeFiles>> volumes;
  private final RotatingDisks rotatingDisks;
  private final boolean writesShaped;
  private final AtomicBoolean warned = new AtomicBoolean();
  private final Map<VolumeFiles, Optional<VolumeShaper>> shapers = new ConcurrentHashMap<>();
  /** By the disk's name: volumes that share one take turns. */
  private final Map<String, VolumeShaper> disks = new ConcurrentHashMap<>();
  private final LongAdder waitedNs = new LongAdder();

  /** Finds the rotating disks that hold a directory. */
  interface RotatingDisks {
    List<BlockDevice> below(Path directory) throws IOException;
  }

  public VolumeShapers(DataNodeAccess node, Settings settings) {
    this(Boolean.parseBoolean(settings.choice(Setting.VOLUME_CLIENTS_FIRST)) ? node::volume : block -> Optional.empty(),
        directory -> BlockDevice.rotating(directory, DEVICES), NativeIO.POSIX.isAvailable());
  }

  /**
   * @param volumes where a replica is
   * @param rotatingDisks may wait for the disk that it is asked for
   * @param writesShaped whether Hadoop's native library is loaded
   */
  VolumeShapers(Function<ExtendedBlock, Optional<VolumeFiles>> volumes, RotatingDisks rotatingDisks,
      boolean writesShaped) {
    this.volumes = volumes;
    this.rotatingDisks = rotatingDisks;
    this.writesShaped = writesShaped;
  }

  /** Of a DataNode whose disks recovery may use at any time. */
  public static VolumeShapers none() {
    return new VolumeShapers(block -> Optional.empty(), directory -> List.of(), false);
  }

  /**
   * What brings a replica to its disk to which nothing has been written yet.
   *
   * @param highestRisk whether the replica goes before others now
   * @param unshaped for a disk without a shaper, or where the system cannot write a part of a file
   */
  WriteCache writeCache(ExtendedBlock block, ReplicaOutputStreams streams, BooleanSupplier highestRisk,
      UnshapedWriteCache unshaped) {
    Optional<VolumeShaper> shaper = of(block);
    if (shaper.isEmpty() || !writesShaped || streams.getOutFd() == null) {
      return unshaped;
    }
    try {
      ShapedWriteCache.probe(streams);
      return new ShapedWriteCache(block, streams, shaper.get(), highestRisk);
    } catch (IOException e) {
      if (!warned.getAndSet(true)) {
        LOG.warn("Dayu: sync_file_range failed; where it does, recovery writes to rotating disks at any time", e);
      }
      return unshaped;
    }
  }

  /**
   * That of the volume that holds a replica; empty if there is none, or if it cannot be told. Never throws, since
   * HDFS's threads call it.
   */
  Optional<VolumeShaper> of(ExtendedBlock block) {
    try {
      return volumes.apply(block).flatMap(this::of);
    } catch (RuntimeException e) {
      LOG.debug("Cannot tell which volume holds {}", block, e);
      return Optional.empty();
    }
  }

  private Optional<VolumeShaper> of(VolumeFiles volume) {
    Optional<VolumeShaper> known = shapers.get(volume);
    if (known != null) {
      return known;
    }
    try {
      return find(volume);
    } catch (IOException e) {
      LOG.debug("Cannot tell which disk holds {}; the next read asks again", volume.directory(), e);
      return Optional.empty();
    }
  }

  /** Asks the system under no lock of the maps: where a disk hangs, only reads from it wait. */
  private Optional<VolumeShaper> find(VolumeFiles volume) throws IOException {
    List<BlockDevice> below = rotatingDisks.below(volume.directory());
    // Of several disks, a read in flight on one says nothing of the others.
    Optional<VolumeShaper> shaper = below.size() == 1 ? Optional.of(shaper(below.get(0))) : Optional.empty();
    if (shapers.putIfAbsent(volume, shaper) == null) {
      log(volume, below);
    }
    return shaper;
  }

  private VolumeShaper shaper(BlockDevice disk) {
    return disks.computeIfAbsent(disk.toString(),
        name -> new VolumeShaper(disk::readsInFlight, waitedNs::add, System.nanoTime()));
  }

  private void log(VolumeFiles volume, List<BlockDevice> below) {
    if (below.size() == 1 && writesShaped) {
      LOG.info("Dayu: volume {} is on the rotating disk {}; recovery reads and writes where clients leave it idle",
          volume.directory(), below.get(0));
    } else if (below.size() == 1) {
      LOG.info("Dayu: volume {} is on the rotating disk {}; recovery reads where clients leave it idle, and writes at "
          + "any time: Hadoop's native library is not loaded", volume.directory(), below.get(0));
    } else if (!below.isEmpty()) {
      LOG.info("Dayu: volume {} is on several rotating disks, {}; recovery reads and writes at any time",
          volume.directory(), below);
    }
  }

  /** For how long all reads and writes together have waited until clients read nothing. */
  public long waitedMs() {
    return TimeUnit.NANOSECONDS.toMillis(waitedNs.sum());
  }
}
