/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.protocol.DayuProtos.RunningTransferProto;
import io.dayu.protocol.DayuProtos.SourceProto;

import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Which source a rebuild waits for most, by how long its decoder has waited for each place, second by second. What it
 * has waited for a source that was replaced meanwhile is not put down to the one in its place. Measured by one thread,
 * described by all.
 */
final class SourceWaits {
  private static final long WINDOW_NS = TimeUnit.SECONDS.toNanos(1);

  /** The source that a rebuild waits for most, and how long within the last second or so. */
  private record Slowest(String datanodeUuid, int waitedMs) {
  }

  private volatile Slowest slowest;

  // The measuring thread's own.
  private long measuredNs;
  private long[] measuredWaitsNs;
  private List<SourceProto> measuredSources;

  /** Whether the next second has begun. */
  boolean isDue(long nowNs) {
    return measuredWaitsNs == null || nowNs - measuredNs >= WINDOW_NS;
  }

  /**
   * Takes what is known now.
   *
   * @param waitsNs for each place, how long the decoder has waited for its sources since the beginning
   * @param sources the source in each place
   */
  void measure(long[] waitsNs, List<SourceProto> sources, long nowNs) {
    if (measuredWaitsNs != null) {
      int most = 0;
      for (int place = 1; place < waitsNs.length; place++) {
        if (waitsNs[place] - measuredWaitsNs[place] > waitsNs[most] - measuredWaitsNs[most]) {
          most = place;
        }
      }
      long waitedMs = TimeUnit.NANOSECONDS.toMillis(waitsNs[most] - measuredWaitsNs[most]);
      SourceProto source = sources.get(most);
      slowest = waitedMs == 0 || source != measuredSources.get(most) ? null
          : new Slowest(source.getDatanodeUuid(), (int) waitedMs);
    }
    measuredNs = nowNs;
    measuredWaitsNs = waitsNs;
    measuredSources = sources;
  }

  /** Adds the source that was waited for most to a report, if there is one. */
  void describe(RunningTransferProto.Builder report) {
    Slowest most = slowest;
    if (most != null) {
      report.setSlowestSourceUuid(most.datanodeUuid()).setWaitedForSlowestMs(most.waitedMs());
    }
  }
}
