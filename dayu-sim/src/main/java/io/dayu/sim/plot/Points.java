/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.plot;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What one layer of a plot shows: points that belong to series. Single-threaded. */
public final class Points {
  private final List<Object> x = new ArrayList<>();
  private final List<Object> y = new ArrayList<>();
  private final List<Object> low = new ArrayList<>();
  private final List<Object> high = new ArrayList<>();
  private final List<Object> series = new ArrayList<>();

  /** @param xValue a number, or the name of a category */
  public Points add(String seriesName, Object xValue, double yValue) {
    return add(seriesName, xValue, yValue, 0);
  }

  /** @param spread how far a bar of error reaches to each side; NaN for none */
  public Points add(String seriesName, Object xValue, double yValue, double spread) {
    if (Double.isFinite(yValue)) {
      series.add(seriesName);
      x.add(xValue);
      y.add(yValue);
      low.add(yValue - (Double.isNaN(spread) ? 0 : spread));
      high.add(yValue + (Double.isNaN(spread) ? 0 : spread));
    }
    return this;
  }

  boolean isEmpty() {
    return x.isEmpty();
  }

  /** The names of the categories, in the order in which they came. */
  List<Object> distinctX() {
    return new ArrayList<>(x.stream().distinct().toList());
  }

  Map<String, Object> data() {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("x", x);
    data.put("y", y);
    data.put("low", low);
    data.put("high", high);
    data.put("series", series);
    return data;
  }
}
