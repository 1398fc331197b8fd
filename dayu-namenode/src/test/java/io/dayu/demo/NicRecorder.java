/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.demo;

import io.dayu.demo.ModeResult.NicUse;
import io.dayu.harness.nic.Direction;
import io.dayu.harness.nic.EmulatedNic;
import io.dayu.harness.nic.NicCounters;
import io.dayu.harness.nic.Traffic;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Reads the counters of all NICs every second. Thread-safe. */
final class NicRecorder implements AutoCloseable {
  private static final long PERIOD_MS = 1_000;

  private record Sample(long atNs, List<NicCounters> counters) {
  }

  private final List<EmulatedNic> nics;
  private final double bandwidthBytesPerSec;
  private final List<Sample> samples = new ArrayList<>();
  private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();

  NicRecorder(List<EmulatedNic> nics, double bandwidthBytesPerSec) {
    this.nics = nics;
    this.bandwidthBytesPerSec = bandwidthBytesPerSec;
    clock.scheduleAtFixedRate(this::sample, 0, PERIOD_MS, TimeUnit.MILLISECONDS);
  }

  private synchronized void sample() {
    samples.add(new Sample(System.nanoTime(), nics.stream().map(EmulatedNic::counters).toList()));
  }

  /** What each direction of each NIC carried in each second, with times counted from {@code zeroNs}. */
  synchronized List<NicUse> uses(long zeroNs) {
    List<NicUse> uses = new ArrayList<>();
    for (int i = 1; i < samples.size(); i++) {
      Sample from = samples.get(i - 1);
      Sample to = samples.get(i);
      double lengthSec = (to.atNs() - from.atNs()) / 1e9;
      for (int node = 0; node < nics.size(); node++) {
        NicCounters carried = to.counters().get(node).minus(from.counters().get(node));
        for (Direction direction : Direction.values()) {
          uses.add(new NicUse((to.atNs() - zeroNs) / 1e9, node, direction == Direction.IN,
              carried.bytes(direction, Traffic.FOREGROUND) / lengthSec, carried.bytes(direction, Traffic.RECOVERY) / lengthSec));
        }
      }
    }
    return uses;
  }

  double peakShare(long fromNs, long toNs) {
    return uses(fromNs).stream().filter(use -> use.atSec() > 1 && use.atSec() < (toNs - fromNs) / 1e9)
        .mapToDouble(use -> (use.foregroundBytesPerSec() + use.recoveryBytesPerSec()) / bandwidthBytesPerSec).max().orElse(Double.NaN);
  }

  double idealSec(long bytes, long fromNs, long toNs, int deadNode, double alpha) {
    return Math.max(idealSec(bytes, fromNs, toNs, deadNode, alpha, true), idealSec(bytes, fromNs, toNs, deadNode, alpha, false));
  }

  private double idealSec(long bytes, long fromNs, long toNs, int deadNode, double alpha, boolean incoming) {
    List<NicUse> uses = uses(fromNs).stream().filter(use -> use.incoming() == incoming && use.node() != deadNode
        && use.atSec() > 0 && use.atSec() < (toNs - fromNs) / 1e9 + 1).toList();
    double left = uses.stream().mapToDouble(use -> Math.max(0, alpha * bandwidthBytesPerSec - use.foregroundBytesPerSec())).sum();
    double seconds = uses.stream().mapToDouble(NicUse::atSec).distinct().count();
    return bytes / (left / seconds);
  }

  @Override
  public void close() {
    clock.shutdownNow();
  }
}
