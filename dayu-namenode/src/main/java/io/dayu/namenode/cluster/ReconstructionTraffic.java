/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.cluster;

import io.dayu.blocks.StockReconstruction;
import io.dayu.namenode.exchange.NodeLoad;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What stock HDFS's reconstructions of erasure-coded blocks send and receive, by node. Recovery leaves them this
 * bandwidth. Immutable.
 *
 * <p>Only reconstructions that were scheduled in the last {@link #NEW_MS} count, since DataNodes begin them with their
 * next heartbeat. The traffic of older ones is in the foreground that agents measure. A node is planned with the
 * greater of the two, so nothing counts twice. A DataNode that has enough to do begins a reconstruction later: then it
 * needs no bandwidth before, and is in the foreground after. {@link #bytes} are those of all, whatever their age.
 */
final class ReconstructionTraffic {
  static final long NEW_MS = 10_000;
  static final ReconstructionTraffic NONE = new ReconstructionTraffic(List.of());

  private final Map<String, Long> inBytes = new HashMap<>();
  private final Map<String, Long> outBytes = new HashMap<>();
  private final long bytes;

  ReconstructionTraffic(List<StockReconstruction> running) {
    long moved = 0;
    for (StockReconstruction one : running) {
      moved += one.movedBytes();
      if (one.ageMs() >= NEW_MS) {
        continue;
      }
      String worker = one.targets().get(0);
      inBytes.merge(worker, one.neededSources() * one.internalBytes(), Long::sum);
      for (String source : one.sources()) {
        // Which ones are read is not known.
        long share = one.internalBytes() * Math.min(one.neededSources(), one.sources().size()) / one.sources().size();
        outBytes.merge(source, share, Long::sum);
      }
      for (String other : one.targets().subList(1, one.targets().size())) {
        inBytes.merge(other, one.internalBytes(), Long::sum);
        outBytes.merge(worker, one.internalBytes(), Long::sum);
      }
    }
    this.bytes = moved;
  }

  /** Bytes that all of them move between DataNodes. */
  long bytes() {
    return bytes;
  }

  /**
   * A node's load, with a foreground of at least the expected traffic.
   *
   * @param horizonMs the time in which it is to flow
   */
  NodeLoad with(String uuid, NodeLoad load, long horizonMs) {
    long in = foreground(inBytes.get(uuid), load.in(), horizonMs);
    long out = foreground(outBytes.get(uuid), load.out(), horizonMs);
    return load.withForeground(in, out);
  }

  private static long foreground(Long bytes, NodeLoad.Link link, long horizonMs) {
    return bytes == null ? link.foregroundBytesPerSec()
        : Math.max(link.foregroundBytesPerSec(),
            (long) Math.min(link.capacityBytesPerSec(), bytes * 1000.0 / horizonMs));
  }
}
