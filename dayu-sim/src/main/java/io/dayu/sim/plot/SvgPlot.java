/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.plot;

import org.jetbrains.letsPlot.commons.encoding.UnsupportedRGBEncoder;
import org.jetbrains.letsPlot.commons.geometry.DoubleVector;
import org.jetbrains.letsPlot.core.util.PlotSvgExportCommon;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A plot as SVG, drawn by lets-plot from a specification, which needs neither AWT nor fonts. The same input gives the
 * same text. Single-threaded.
 *
 * <p>What the paper gives is drawn black and dashed, or as black diamonds.
 */
public final class SvgPlot {
  private static final double HEIGHT = 360;
  private static final double BAR_WIDTH = 0.8;
  /** lets-plot gives its parts random names. */
  private static final Pattern RANDOM_ID = Pattern.compile("id=\"([^\"]+)\"");
  private static final List<Object> COLOURS =
      List.of("#1b6ca8", "#e07b00", "#2e8b57", "#b5312c", "#7b52ab", "#8c6d46", "#d1609b", "#7a7a7a", "#3fb6c6");

  private final String title;
  private final Map<String, Object> xAxis;
  private final Map<String, Object> yAxis;
  private final List<Object> layers = new ArrayList<>();
  private final List<Object> allSeries = new ArrayList<>();
  private double width = 640;
  private String legend = "";

  public SvgPlot(String title, String x, String y) {
    this.title = title;
    xAxis = map("aesthetic", "x", "name", x);
    yAxis = map("aesthetic", "y", "name", y);
  }

  public SvgPlot width(double pixels) {
    width = pixels;
    return this;
  }

  /** What the series are. */
  public SvgPlot legend(String name) {
    legend = name;
    return this;
  }

  public SvgPlot logX() {
    xAxis.put("trans", "log10");
    return this;
  }

  public SvgPlot logY() {
    yAxis.put("trans", "log10");
    return this;
  }

  /** Labels at these places of the x axis only. */
  public SvgPlot xBreaks(List<? extends Number> values, List<String> labels) {
    xAxis.put("breaks", new ArrayList<>(values));
    xAxis.put("labels", new ArrayList<>(labels));
    return this;
  }

  /** The y axis begins at 0. */
  public SvgPlot fromZero() {
    yAxis.put("limits", new ArrayList<>(Arrays.asList(0.0, null)));
    return this;
  }

  public SvgPlot lines(Points points) {
    return layer(points, map("geom", "line", "stat", "identity", "size", 1.1), "color");
  }

  public SvgPlot dots(Points points) {
    return layer(points, map("geom", "point", "stat", "identity", "size", 3), "color");
  }

  /** Many small dots. */
  public SvgPlot cloud(Points points) {
    return layer(points, map("geom", "point", "stat", "identity", "size", 1.2, "alpha", 0.5), "color");
  }

  /** Dots joined by lines, with bars of error. */
  public SvgPlot curves(Points points) {
    lines(points);
    dots(points);
    return layer(points, map("geom", "errorbar", "stat", "identity", "width", 0, "show_legend", false), "color", "ymin",
        "low", "ymax", "high");
  }

  /** Bars side by side for each category, with bars of error. */
  public SvgPlot bars(Points points) {
    xAxis.put("breaks", points.distinctX());
    xAxis.put("limits", points.distinctX());
    xAxis.put("discrete", true);
    layer(points, map("geom", "bar", "stat", "identity", "position", dodge(), "width", BAR_WIDTH, "size", 0), "fill");
    return layer(points,
        map("geom", "errorbar", "stat", "identity", "position", dodge(), "width", 0.15, "color", "#333333"), "group",
        "ymin", "low", "ymax", "high");
  }

  private static Map<String, Object> dodge() {
    return map("name", "dodge", "width", BAR_WIDTH);
  }

  /** What the paper gives for places on the x axis. */
  public SvgPlot paper(Points points) {
    if (!points.isEmpty()) {
      layers.add(map("geom", "point", "stat", "identity", "data", points.data(),
          "mapping", map("x", "x", "y", "y", "shape", "series"), "color", "black", "size", 5, "inherit_aes", false));
    }
    return this;
  }

  /** A value of the paper as a line across. */
  public SvgPlot paperLine(double y, String label) {
    layers.add(map("geom", "hline", "data", map("at", list(y), "linetype", list(label)), "mapping",
        map("yintercept", "at", "linetype", "linetype"), "color", "black", "size", 0.8, "inherit_aes", false));
    return this;
  }

  /** Values of the paper as lines upwards. */
  public SvgPlot paperVertical(String label, double... x) {
    List<Object> at = new ArrayList<>();
    List<Object> name = new ArrayList<>();
    for (double value : x) {
      at.add(value);
      name.add(label);
    }
    layers.add(map("geom", "vline", "data", map("at", at, "linetype", name), "mapping",
        map("xintercept", "at", "linetype", "linetype"), "color", "black", "size", 0.8, "inherit_aes", false));
    return this;
  }

  private SvgPlot layer(Points points, Map<String, Object> layer, String by, String... more) {
    Map<String, Object> mapping = map("x", "x", "y", "y", by, "series");
    mapping.putIfAbsent("group", "series");
    for (int i = 0; i < more.length; i += 2) {
      mapping.put(more[i], more[i + 1]);
    }
    Map<String, Object> data = points.data();
    for (Object name : (List<?>) data.get("series")) {
      if (!allSeries.contains(name)) {
        allSeries.add(name);
      }
    }
    layer.put("data", data);
    layer.put("mapping", mapping);
    layer.put("tooltips", "none");
    layers.add(layer);
    return this;
  }

  public String svg() {
    List<Object> scales = list(xAxis, yAxis, colours("color"), colours("fill"),
        map("aesthetic", "linetype", "name", "", "values", list("dashed", "dotted", "longdash")),
        map("aesthetic", "shape", "name", "", "values", list(18.0)));
    Map<String, Object> theme = map("name", "minimal", "legend_position", "bottom",
        "plot_background", map("name", "rect", "fill", "white", "color", "white", "blank", false));
    Map<String, Object> spec = map("kind", "plot", "data", map(), "mapping", map(), "ggtitle", map("text", title),
        "theme", theme, "scales", scales, "layers", layers);
    return withFixedIds(PlotSvgExportCommon.INSTANCE.buildSvgImageFromRawSpecs(spec, new DoubleVector(width, HEIGHT),
        new UnsupportedRGBEncoder(), false));
  }

  private Map<String, Object> colours(String aesthetic) {
    Map<String, Object> scale = map("aesthetic", aesthetic, "name", legend, "values", new ArrayList<>(COLOURS),
        "limits", allSeries, "discrete", true);
    if (allSeries.size() < 2) {
      scale.put("guide", "none");
    }
    return scale;
  }

  private String withFixedIds(String svg) {
    Map<String, String> fixed = new LinkedHashMap<>();
    Matcher ids = RANDOM_ID.matcher(svg);
    while (ids.find()) {
      fixed.putIfAbsent(ids.group(1), "p" + Integer.toHexString(title.hashCode()) + "-" + fixed.size());
    }
    for (Map.Entry<String, String> id : fixed.entrySet()) {
      for (String place : List.of("id=\"%s\"", "#%s ", "#%s)")) {
        svg = svg.replace(place.formatted(id.getKey()), place.formatted(id.getValue()));
      }
    }
    return svg;
  }

  private static List<Object> list(Object... values) {
    return new ArrayList<>(List.of(values));
  }

  private static Map<String, Object> map(Object... keysAndValues) {
    Map<String, Object> map = new HashMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      map.put((String) keysAndValues[i], keysAndValues[i + 1]);
    }
    return map;
  }
}
