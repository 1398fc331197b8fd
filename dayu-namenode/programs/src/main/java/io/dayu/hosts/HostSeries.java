/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** The samples of a run, asked about windows of time; between two samples counters grow evenly. Immutable. */
record HostSeries(List<HostSample> samples) {

  /** What a counter grew by between two moments in milliseconds; 0 outside of the samples. */
  double growth(ToDoubleFunction<HostSample> counter, double fromMs, double toMs) {
    return Math.max(0, valueAt(counter, toMs) - valueAt(counter, fromMs));
  }

  private double valueAt(ToDoubleFunction<HostSample> counter, double atMs) {
    HostSample before = samples.get(0);
    for (HostSample sample : samples) {
      if (sample.atMs() >= atMs) {
        double part = sample == before ? 0 : (atMs - before.atMs()) / (sample.atMs() - before.atMs());
        return counter.applyAsDouble(before)
            + Math.max(0, part) * (counter.applyAsDouble(sample) - counter.applyAsDouble(before));
      }
      before = sample;
    }
    return counter.applyAsDouble(before);
  }

  /** The bytes of one link in each whole second between two moments. */
  double[] perSecond(Function<HostSample, List<Long>> direction, int node, double fromMs, double toMs) {
    double[] bytes = new double[(int) ((toMs - fromMs) / 1e3)];
    for (int second = 0; second < bytes.length; second++) {
      bytes[second] = growth(sample -> direction.apply(sample).get(node), fromMs + second * 1e3, fromMs + second * 1e3
          + 1e3);
    }
    return bytes;
  }

  /** The same for each DataNode but one, if it is one's number. */
  List<double[]> perSecondOfOthers(Function<HostSample, List<Long>> direction, int excluded, double fromMs,
      double toMs) {
    List<double[]> series = new ArrayList<>();
    for (int node = 0; node < samples.get(0).receivedBytes().size(); node++) {
      if (node != excluded) {
        series.add(perSecond(direction, node, fromMs, toMs));
      }
    }
    return series;
  }

  /** What they received between two moments. */
  double receivedByOthers(int excluded, double fromMs, double toMs) {
    double bytes = 0;
    for (int i = 0; i < samples.get(0).receivedBytes().size(); i++) {
      int node = i;
      bytes += node == excluded ? 0 : growth(sample -> sample.receivedBytes().get(node), fromMs, toMs);
    }
    return bytes;
  }
}
