/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.demo;

import io.dayu.demo.ModeResult.LatencyWindow;
import io.dayu.demo.ModeResult.NicUse;
import io.dayu.demo.ModeResult.Recovered;
import io.dayu.harness.load.Latencies.Percentiles;
import io.dayu.harness.nic.Direction;
import io.dayu.programs.PlotSpec;

import java.util.List;
import java.util.Map;

/** The plots of a comparison, each as an SVG element. Stateless. */
final class Plots {
  private static final int WIDTH_PX = 960;
  private static final int HEIGHT_PX = 360;
  private static final int PANEL_HEIGHT_PX = 150;
  private static final int PANELS_IN_A_ROW = 4;
  private static final double MEGABYTE = 1e6;
  private static final List<Object> MODE_COLORS = List.of("#1a9850", "#d95f02", "#7570b3", "#777777");
  private static final List<Object> KIND_COLORS = List.of("#b8c4d0", "#1a9850");
  private static final String FOREGROUND = "foreground";
  private static final String RECOVERY = "recovery";

  private Plots() {
  }

  /** The restored bytes over time: one line a mode, and for each the line that ends at its ideal time. */
  static String recovered(List<ModeResult> results) {
    PlotSpec figure = new PlotSpec("Recovered over time (dashed: ideal)", "x", "y", "mode", "line")
        .mapping(Map.of("x", "x", "y", "y", "color", "mode", "linetype", "line"));
    for (ModeResult result : results) {
      for (Recovered at : result.courses().recovered()) {
        figure.row(at.atSec(), at.bytes() / MEGABYTE, result.mode().id(), "measured");
      }
      figure.row(0.0, 0.0, result.mode().id(), "ideal");
      figure.row(result.idealTimeSec(), result.blocks().bytes() / MEGABYTE, result.mode().id(), "ideal");
    }
    return figure.layer(Map.of("geom", "line", "size", 1.2)).scale(axis("x", "seconds after the loss"))
        .scale(axis("y", "MB recovered")).scale(byMode("color")).scale(Map.of("aesthetic", "linetype", "name", "",
            "values", List.of("solid", "dashed"), "limits", List.of("measured", "ideal")))
        .svg(WIDTH_PX, HEIGHT_PX);
  }

  /** The foreground's 90th percentile in windows of some seconds. */
  static String latencyOverTime(List<ModeResult> results) {
    PlotSpec figure =
        new PlotSpec("Foreground latency over time, 90th percentile (the node dies at 0)", "x", "y", "mode")
            .mapping(Map.of("x", "x", "y", "y", "color", "mode"));
    for (ModeResult result : results) {
      for (LatencyWindow window : result.courses().latencies()) {
        if (window.latencies().all().count() > 0) {
          figure.row(window.atSec(), window.latencies().all().p90Ms(), result.mode().id());
        }
      }
    }
    return figure.layer(Map.of("geom", "line", "size", 1.2))
        .layer(Map.of("geom", "vline", "xintercept", 0, "linetype", "dashed"))
        .scale(axis("x", "seconds after the loss")).scale(logAxis("milliseconds")).scale(byMode("color"))
        .svg(WIDTH_PX, HEIGHT_PX);
  }

  /** Percentiles before and during recovery, side by side. */
  static String percentiles(List<ModeResult> results) {
    PlotSpec figure = new PlotSpec("Foreground latency before and during recovery", "x", "y", "when", "panel")
        .mapping(Map.of("x", "x", "y", "y", "fill", "when")).panels("panel", PANELS_IN_A_ROW);
    for (ModeResult result : results) {
      percentiles(figure, result, "before", result.before().all());
      percentiles(figure, result, "during", result.during().all());
    }
    return figure.layer(Map.of("geom", "bar", "stat", "identity", "position", "dodge")).scale(axis("x", ""))
        .scale(axis("y", "milliseconds")).scale(Map.of("aesthetic", "fill", "name", "", "values",
            List.of("#b8c4d0", "#d95f02"), "limits", List.of("before", "during")))
        .svg(WIDTH_PX, HEIGHT_PX);
  }

  private static void percentiles(PlotSpec figure, ModeResult result, String when, Percentiles latencies) {
    if (latencies.count() > 0) {
      figure.row("p50", latencies.p50Ms(), when, result.mode().id());
      figure.row("p90", latencies.p90Ms(), when, result.mode().id());
      figure.row("p99", latencies.p99Ms(), when, result.mode().id());
    }
  }

  /**
   * What the NIC of each node carried in one direction, foreground and recovery one on the other, against what recovery
   * may fill.
   *
   * @param limitBytesPerSec alpha times the bandwidth
   */
  static String bandwidth(ModeResult result, Direction direction, double limitBytesPerSec,
      double bandwidthBytesPerSec) {
    PlotSpec figure =
        new PlotSpec((direction == Direction.IN ? "Into" : "Out of") + " each node, " + result.mode().title()
            + " (dashed: alpha of the NIC, dotted: all of it)", "x", "y", "kind", "panel")
            .mapping(Map.of("x", "x", "y", "y")).panels("panel", PANELS_IN_A_ROW);
    List<NicUse> uses = result.courses().nicUse().stream().filter(use -> use.direction() == direction).toList();
    for (NicUse use : uses) {
      String panel = String.format("node %02d", use.node()) + (use.node() == result.killedNode() ? " (dies at 0)" : "");
      figure.row(use.atSec(), use.recoveryBytesPerSec() / MEGABYTE, RECOVERY, panel);
      figure.row(use.atSec(), use.foregroundBytesPerSec() / MEGABYTE, FOREGROUND, panel);
    }
    int nodes = (int) uses.stream().mapToInt(NicUse::node).distinct().count();
    int rows = Math.max(1, (nodes + PANELS_IN_A_ROW - 1) / PANELS_IN_A_ROW);
    return figure
        .layer(Map.of("geom", "area", "stat", "identity", "position", "stack", "size", 0, "alpha", 0.9, "mapping",
            Map.of("fill", "kind")))
        .layer(Map.of("geom", "hline", "yintercept", limitBytesPerSec / MEGABYTE, "linetype", "dashed"))
        .layer(Map.of("geom", "hline", "yintercept", bandwidthBytesPerSec / MEGABYTE, "linetype", "dotted"))
        .scale(Map.of("aesthetic", "x", "name", "seconds after the loss", "breaks",
            List.of(0.0, 30.0, 60.0, 90.0, 120.0), "labels", List.of("0", "30", "60", "90", "120")))
        .scale(axis("y", "MB/s"))
        .scale(Map.of("aesthetic", "fill", "name", "", "values", KIND_COLORS, "limits", List.of(FOREGROUND, RECOVERY)))
        .svg(WIDTH_PX, rows * PANEL_HEIGHT_PX + 80);
  }

  private static Map<String, Object> axis(String aesthetic, String name) {
    return Map.of("aesthetic", aesthetic, "name", name);
  }

  private static Map<String, Object> logAxis(String name) {
    return Map.of("aesthetic", "y", "name", name, "trans", "log10");
  }

  private static Map<String, Object> byMode(String aesthetic) {
    return Map.of("aesthetic", aesthetic, "name", "", "values", MODE_COLORS, "limits", List.copyOf(Mode.ids()));
  }
}
