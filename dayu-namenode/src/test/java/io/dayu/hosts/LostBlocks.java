/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.hosts;

import io.dayu.hosts.client.Topology;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The blocks of the data set that the killed DataNode held, and when each had all its replicas again: the change time
 * of the file of the new replica, which is when that was finalized. Not thread-safe.
 */
final class LostBlocks {
  private final List<Block> missing = new ArrayList<>();
  private final List<Restored> restored = new ArrayList<>();
  private final int count;
  private final long bytes;

  /** @param candidates volumes that did not hold it */
  private record Block(Path file, long bytes, List<Path> candidates) {
  }

  /**
   * A block that has all its replicas again.
   *
   * @param atMs when, in milliseconds since 1970, with fractions
   */
  record Restored(double atMs, long bytes) {
  }

  LostBlocks(KeptData data, int victim, HostConf conf) throws IOException {
    List<Map<Path, Long>> held = new ArrayList<>();
    for (int node = 0; node < data.topology().nodes(); node++) {
      held.add(data.blocksOf(node));
    }
    held.get(victim).forEach((file, length) -> {
      List<Path> candidates = new ArrayList<>();
      for (int node = 0; node < held.size(); node++) {
        if (!held.get(node).containsKey(file)) {
          candidates.add(conf.storage(Topology.dataNode(node)));
        }
      }
      missing.add(new Block(file, length, candidates));
    });
    count = missing.size();
    bytes = missing.stream().mapToLong(Block::bytes).sum();
  }

  int count() {
    return count;
  }

  long bytes() {
    return bytes;
  }

  boolean allRestored() {
    return missing.isEmpty();
  }

  /** In no order that matters. */
  List<Restored> restored() {
    return List.copyOf(restored);
  }

  /** Looks for new replicas. */
  void scan() throws IOException {
    for (int i = missing.size() - 1; i >= 0; i--) {
      Block block = missing.get(i);
      double atMs = restoredAtMs(block);
      if (atMs < Double.POSITIVE_INFINITY) {
        restored.add(new Restored(atMs, block.bytes()));
        missing.remove(i);
      }
    }
  }

  private static double restoredAtMs(Block block) throws IOException {
    double atMs = Double.POSITIVE_INFINITY;
    for (Path volume : block.candidates()) {
      try {
        FileTime changed = (FileTime) Files.getAttribute(volume.resolve(block.file()), "unix:ctime");
        atMs = Math.min(atMs, changed.to(TimeUnit.NANOSECONDS) / 1e6);
      } catch (NoSuchFileException notThere) {
        // Not restored on this one.
      }
    }
    return atMs;
  }
}
