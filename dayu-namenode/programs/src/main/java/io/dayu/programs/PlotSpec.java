/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.programs;

import org.jetbrains.letsPlot.commons.encoding.UnsupportedRGBEncoder;
import org.jetbrains.letsPlot.commons.geometry.DoubleVector;
import org.jetbrains.letsPlot.core.util.PlotSvgExportCommon;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One plot: a table of named columns and layers over it, in the words of Lets-Plot's specifications (those of ggplot).
 * Not thread-safe. Becomes SVG without AWT, so that it needs neither fonts nor a screen.
 */
public final class PlotSpec {
  private final Map<String, List<Object>> columns = new LinkedHashMap<>();
  private final List<Map<String, Object>> layers = new ArrayList<>();
  private final List<Map<String, Object>> scales = new ArrayList<>();
  private final Map<String, Object> spec = new HashMap<>();

  public PlotSpec(String title, String... columnNames) {
    for (String name : columnNames) {
      columns.put(name, new ArrayList<>());
    }
    spec.put("kind", "plot");
    spec.put("ggtitle", Map.of("text", title));
    spec.put("theme", Map.of("legend_position", "bottom"));
  }

  /** One value for each column, in their order. */
  public void row(Object... values) {
    if (values.length != columns.size()) {
      throw new IllegalArgumentException(values.length + " values for the columns " + columns.keySet());
    }
    int column = 0;
    for (List<Object> cells : columns.values()) {
      cells.add(values[column++]);
    }
  }

  /** Columns by aesthetic, such as x, y, color. */
  public PlotSpec mapping(Map<String, Object> aesthetics) {
    spec.put("mapping", aesthetics);
    return this;
  }

  public PlotSpec layer(Map<String, Object> layer) {
    layers.add(layer);
    return this;
  }

  public PlotSpec scale(Map<String, Object> scale) {
    scales.add(scale);
    return this;
  }

  /** One panel for each value of the column. */
  public PlotSpec panels(String column, int panelsInARow) {
    spec.put("facet", Map.of("name", "wrap", "facets", List.of(column), "ncol", panelsInARow, "order", List.of(1)));
    return this;
  }

  /** An SVG element. */
  public String svg(int widthPx, int heightPx) {
    spec.put("data", columns);
    spec.put("layers", layers);
    spec.put("scales", scales);
    return PlotSvgExportCommon.INSTANCE.buildSvgImageFromRawSpecs(spec, new DoubleVector(widthPx, heightPx),
        new UnsupportedRGBEncoder(), false);
  }
}
