/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness.nic;

import java.util.ArrayList;
import java.util.List;

/**
 * The counters of all NICs of a cluster at successive moments, and what follows from them. Immutable. Interval i lies
 * between samples i and i + 1.
 *
 * @param samples in order of time, all of the same nodes
 */
public record NicSeries(List<Sample> samples) {
  private static final double NS_PER_SEC = 1e9;

  /**
   * All NICs at one moment.
   *
   * @param atNs by {@link System#nanoTime}
   * @param nodes by number of the DataNode
   */
  public record Sample(long atNs, List<NicCounters> nodes) {
    public Sample {
      nodes = List.copyOf(nodes);
    }
  }

  public NicSeries {
    samples = List.copyOf(samples);
  }

  public int intervals() {
    return Math.max(0, samples.size() - 1);
  }

  public int nodes() {
    return samples.isEmpty() ? 0 : samples.get(0).nodes().size();
  }

  public double seconds(int interval) {
    return (samples.get(interval + 1).atNs() - samples.get(interval).atNs()) / NS_PER_SEC;
  }

  public double bytesPerSec(int interval, int node, Direction direction, Traffic traffic) {
    return carried(interval, interval + 1, node).bytes(direction, traffic) / seconds(interval);
  }

  /** The samples from one moment to another, both included. */
  public NicSeries between(long fromNs, long toNanos) {
    return new NicSeries(samples.stream().filter(sample -> sample.atNs() - fromNs >= 0 && sample.atNs() - toNanos <= 0)
        .toList());
  }

  /**
   * The most that any window of at least this length saw of a link, as a fraction of what the link carries; 0 if there
   * is no such window.
   *
   * @param linkBytesPerSec what each NIC carries in each direction
   */
  public double peakShare(int node, Direction direction, double windowSec, long linkBytesPerSec) {
    double peak = 0;
    int first = 0;
    for (int last = 1; last < samples.size(); last++) {
      // The shortest window that ends here.
      while (secondsBetween(first + 1, last) >= windowSec) {
        first++;
      }
      double lengthSec = secondsBetween(first, last);
      if (lengthSec >= windowSec) {
        peak = Math.max(peak, carried(first, last, node).bytes(direction) / lengthSec / linkBytesPerSec);
      }
    }
    return peak;
  }

  /** The mean rate of each node in the whole series, in bytes a second. */
  public List<Double> meanBytesPerSec(Direction direction, Traffic traffic) {
    List<Double> means = new ArrayList<>();
    for (int node = 0; intervals() > 0 && node < nodes(); node++) {
      means.add(carried(0, intervals(), node).bytes(direction, traffic) / secondsBetween(0, intervals()));
    }
    return means;
  }

  private double secondsBetween(int first, int last) {
    return (samples.get(last).atNs() - samples.get(first).atNs()) / NS_PER_SEC;
  }

  private NicCounters carried(int first, int last, int node) {
    return samples.get(last).nodes().get(node).minus(samples.get(first).nodes().get(node));
  }
}
