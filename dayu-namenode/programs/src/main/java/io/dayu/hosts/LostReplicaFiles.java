/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import io.dayu.hosts.client.DataGroups;
import io.dayu.hosts.client.Topology;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * The replicas and internal blocks of the data set that were lost, and when each of them was replaced, found by the
 * files on the DataNodes' volumes. Not thread-safe.
 */
final class LostReplicaFiles {
  private final DataGroups groups;
  private final List<Path> volumes = new ArrayList<>();
  private final Map<Path, Long> dataSet = new TreeMap<>();
  private final Map<Path, Block> lacking = new TreeMap<>();
  private final List<Restored> restored = new ArrayList<>();
  /** What each block or group lacks, by its id. */
  private final Map<Long, Integer> missing = new TreeMap<>();
  private int count;
  private long bytes;

  /** A block that lacks replicas. */
  private static final class Block {
    private final long bytes;
    private int missing;
    private final List<Path> candidates;

    /** @param candidates volumes that do not hold it */
    Block(long bytes, List<Path> candidates) {
      this.bytes = bytes;
      this.candidates = candidates;
    }
  }

  /**
   * A replica or internal block in place of one that was lost.
   *
   * @param atMs when, in milliseconds since 1970, with fractions
   * @param width from how many sources it is made, if it is not copied
   * @param spare how many more its block or group could have lost just before
   */
  record Restored(double atMs, long bytes, int width, int spare) {
    boolean wasAtHighestRisk() {
      return spare <= 0;
    }
  }

  private record Found(Path file, double atMs, long bytes) {
  }

  /** Takes what the volumes hold now for the data set. */
  LostReplicaFiles(HostConf conf, DataGroups groups) throws IOException {
    this.groups = groups;
    for (int node = 0; node < conf.layout().topology().nodes(); node++) {
      volumes.addAll(conf.dataNodeStorage(node).volumes());
      dataSet.putAll(conf.dataNodeStorage(node).blocks());
    }
  }

  /** From now on nothing on these volumes counts; nobody writes to them. */
  void lose(List<Path> lost) throws IOException {
    scan();
    volumes.removeAll(lost);
    for (Path volume : lost) {
      for (Path file : HostStorage.blocksOf(volume).keySet()) {
        if (dataSet.containsKey(file)) {
          Block block = lacking.computeIfAbsent(file, this::complete);
          block.missing++;
          missing.merge(DataPlacement.owner(file), 1, Integer::sum);
          count++;
          bytes += block.bytes;
        }
      }
    }
    lacking.values().forEach(block -> block.candidates.removeAll(lost));
  }

  private Block complete(Path file) {
    return new Block(dataSet.get(file),
        new ArrayList<>(volumes.stream().filter(volume -> !Files.exists(volume.resolve(file))).toList()));
  }

  /** Of replicas that were lost. */
  int count() {
    return count;
  }

  long bytes() {
    return bytes;
  }

  /** Those that were not lost. */
  List<Path> volumes() {
    return List.copyOf(volumes);
  }

  boolean allRestored() {
    return lacking.isEmpty();
  }

  /** In no order that matters. */
  List<Restored> restored() {
    return List.copyOf(restored);
  }

  /** Looks for new replicas. */
  void scan() throws IOException {
    List<Found> found = new ArrayList<>();
    for (Iterator<Map.Entry<Path, Block>> blocks = lacking.entrySet().iterator(); blocks.hasNext();) {
      Map.Entry<Path, Block> entry = blocks.next();
      scan(entry.getKey(), entry.getValue(), found);
      if (entry.getValue().missing == 0) {
        blocks.remove();
      }
    }
    found.sort(Comparator.comparingDouble(Found::atMs));
    found.forEach(this::count);
  }

  private static void scan(Path file, Block block, List<Found> found) throws IOException {
    for (Iterator<Path> candidates = block.candidates.iterator(); candidates.hasNext() && block.missing > 0;) {
      double atMs = writtenAtMs(candidates.next().resolve(file));
      if (atMs < Double.POSITIVE_INFINITY) {
        candidates.remove();
        block.missing--;
        found.add(new Found(file, atMs, block.bytes));
      }
    }
  }

  private void count(Found found) {
    boolean internalBlock = DataPlacement.isInternalBlock(found.file);
    int redundancy = internalBlock ? groups.parityUnits() : Topology.REPLICATION - 1;
    int lacked = missing.merge(DataPlacement.owner(found.file), -1, Integer::sum) + 1;
    restored.add(new Restored(found.atMs, found.bytes, internalBlock ? groups.dataUnits() : 1, redundancy - lacked));
  }

  private static double writtenAtMs(Path replica) throws IOException {
    try {
      return ((FileTime) Files.getAttribute(replica, "unix:ctime")).to(TimeUnit.NANOSECONDS) / 1e6;
    } catch (NoSuchFileException notThere) {
      return Double.POSITIVE_INFINITY;
    }
  }
}
