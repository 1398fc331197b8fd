/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import io.dayu.hosts.client.OperationKind;
import io.dayu.hosts.client.Topology;
import io.dayu.programs.PlotSpec;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** The plots of the runs with one seed, each as an SVG element. Stateless. */
final class HostsPlots {
  private static final int WIDTH_PX = 1_100;
  private static final int HEIGHT_PX = 380;
  private static final int PANEL_HEIGHT_PX = 170;
  private static final int PANELS_IN_A_ROW = 4;
  private static final int QUANTILES = 200;
  private static final double MEGABYTE = 1e6;
  /** In the order of the modes. */
  private static final List<Object> MODE_COLORS =
      List.of("#777777", "#1a9850", "#d95f02", "#e7298a", "#66a61e", "#7570b3");

  private HostsPlots() {
  }

  /** The bytes that have all replicas again over time, and a line that ends at the ideal time. */
  static String restored(List<RunRecord> runs, Optional<Double> idealSec) {
    PlotSpec figure = new PlotSpec("Restored over time (dashed: mean rate of the ideal)", "x", "y", "mode", "line")
        .mapping(Map.of("x", "x", "y", "y", "color", "mode", "linetype", "line"));
    for (RunRecord run : runs) {
      if (run.mode() != RecoveryMode.NONE) {
        double bytes = 0;
        figure.row(0.0, 0.0, run.mode().id(), "measured");
        for (LostReplicaFiles.Restored block : run.recovery().restored()) {
          bytes += block.bytes();
          figure.row((block.atMs() - run.moments().lossAtMs()) / 1e3, bytes / MEGABYTE, run.mode().id(), "measured");
        }
      }
    }
    idealSec.ifPresent(sec -> {
      figure.row(0.0, 0.0, RecoveryMode.NONE.id(), "ideal");
      figure.row(sec, runs.get(0).loss().lostBytes() / MEGABYTE, RecoveryMode.NONE.id(), "ideal");
    });
    return figure.layer(Map.of("geom", "line", "size", 1.2)).scale(axis("x", "seconds after the loss"))
        .scale(axis("y", "MB")).scale(byMode())
        .scale(Map.of("aesthetic", "linetype", "name", "", "values", List.of("solid", "dashed"), "limits",
            List.of("measured", "ideal")))
        .svg(WIDTH_PX, HEIGHT_PX);
  }

  /** How the latencies of each kind of operation are distributed, of operations planned during recovery. */
  static String latencies(List<RunRecord> runs) {
    PlotSpec figure = new PlotSpec("Latencies during recovery: share of operations by latency", "x", "y",
        "mode", "panel").mapping(Map.of("x", "x", "y", "y", "color", "mode")).panels("panel", PANELS_IN_A_ROW);
    for (RunRecord run : runs) {
      for (OperationKind kind : OperationKind.values()) {
        double[] sortedMs = Latency.sortedMs(RunFigures.ofKind(kind, RunFigures.window(run, run.seconds())));
        for (int i = 1; i <= QUANTILES && sortedMs.length > 0; i++) {
          double latencyMs = Latency.percentile(sortedMs, (double) i / QUANTILES);
          if (latencyMs < Double.POSITIVE_INFINITY) {
            figure.row(Math.max(1, latencyMs), (double) i / QUANTILES, run.mode().id(),
                kind.name().toLowerCase(Locale.ROOT));
          }
        }
      }
    }
    return figure.layer(Map.of("geom", "line", "size", 1.1))
        .scale(Map.of("aesthetic", "x", "name", "milliseconds from the planned moment", "trans", "log10"))
        .scale(axis("y", "fraction")).scale(byMode()).svg(WIDTH_PX, HEIGHT_PX);
  }

  /** The processors that each kind of process took. */
  static String cpu(List<RunRecord> runs) {
    PlotSpec figure = new PlotSpec("Processors in use over time", "x", "y", "kind", "panel")
        .mapping(Map.of("x", "x", "y", "y", "color", "kind")).panels("panel", PANELS_IN_A_ROW);
    for (RunRecord run : runs) {
      HostSeries series = new HostSeries(run.foreground().samples());
      int processes = run.foreground().samples().get(0).processTicks().size();
      for (double fromMs = run.moments().beginAtMs(); fromMs + 1e3 <= run.moments().endAtMs(); fromMs += 1e3) {
        double sec = (fromMs - run.moments().lossAtMs()) / 1e3;
        figure.row(sec, cpu(series, 0, 1, fromMs), "NameNode", run.mode().id());
        figure.row(sec, cpu(series, 2, processes, fromMs), "DataNodes", run.mode().id());
        figure.row(sec, cpu(series, 1, 2, fromMs), "clients", run.mode().id());
      }
    }
    return figure.layer(Map.of("geom", "line", "size", 0.8)).scale(axis("x", "seconds after the loss"))
        .scale(axis("y", "processors"))
        .scale(Map.of("aesthetic", "color", "name", "", "values", List.of("#7570b3", "#1a9850", "#777777"), "limits",
            List.of("NameNode", "DataNodes", "clients")))
        .svg(WIDTH_PX, rows(runs.size()) * PANEL_HEIGHT_PX + 150);
  }

  private static double cpu(HostSeries series, int fromProcess, int toProcess, double fromMs) {
    double ticks = 0;
    for (int i = fromProcess; i < toProcess; i++) {
      int process = i;
      ticks += series.growth(sample -> sample.processTicks().get(process), fromMs, fromMs + 1e3);
    }
    return ticks / RunFigures.TICKS_PER_SEC;
  }

  /**
   * The maximum mean use of any link during recovery, by the length of the window, and the bound that the credit of a
   * link leaves to recovery: α of the window and of the credit.
   *
   * @param credit the credit of a link, in seconds of α
   */
  static String windows(List<RunRecord> runs, double linkBytesPerSec, double credit) {
    PlotSpec figure =
        new PlotSpec("Maximum mean use of a link (dashed: bound by Dayu's credit)", "x", "y", "mode", "line")
            .mapping(Map.of("x", "x", "y", "y", "color", "mode", "linetype", "line"));
    int maxSec = (int) runs.stream().filter(run -> run.mode() != RecoveryMode.NONE).mapToDouble(RunRecord::seconds)
        .max().orElse(0);
    for (RunRecord run : runs) {
      double[] maxMean = RunFigures.maxMeanUse(run, Math.min(maxSec, (int) run.seconds()), linkBytesPerSec);
      for (int window = 1; window < maxMean.length; window++) {
        figure.row((double) window, maxMean[window], run.mode().id(), "measured");
      }
    }
    for (int window = 1; window <= maxSec; window++) {
      figure.row((double) window, Math.min(1, IdealTime.ALPHA * (window + credit) / window), RecoveryMode.DAYU.id(),
          "bound");
    }
    return figure.layer(Map.of("geom", "line", "size", 1.1)).scale(axis("x", "length of the window, seconds"))
        .scale(axis("y", "use of the link")).scale(byMode())
        .scale(Map.of("aesthetic", "linetype", "name", "", "values", List.of("solid", "dashed"), "limits",
            List.of("measured", "bound")))
        .svg(WIDTH_PX, HEIGHT_PX);
  }

  /** What each link carried in one direction: the whole, and the foreground alone as the run none had it. */
  static String links(String title, RunRecord run, Optional<RunRecord> none,
      Function<HostSample, List<Long>> direction, double linkBytesPerSec) {
    PlotSpec figure = new PlotSpec(title + " (dashed: alpha of the link, dotted: all of it)", "x", "y", "what", "panel")
        .mapping(Map.of("x", "x", "y", "y", "color", "what")).panels("panel", PANELS_IN_A_ROW);
    int nodes = run.foreground().samples().get(0).receivedBytes().size();
    for (int node = 0; node < nodes; node++) {
      if (node != run.notSending()) {
        row(figure, "all", run, direction, node, run.seconds());
        int survivor = node;
        none.ifPresent(reference -> row(figure, "none", reference, direction, survivor,
            Math.min(run.seconds(), reference.seconds())));
      }
    }
    return figure.layer(Map.of("geom", "line", "size", 0.8))
        .layer(Map.of("geom", "hline", "yintercept", IdealTime.ALPHA * linkBytesPerSec / MEGABYTE, "linetype",
            "dashed"))
        .layer(Map.of("geom", "hline", "yintercept", linkBytesPerSec / MEGABYTE, "linetype", "dotted"))
        .scale(axis("x", "seconds after the loss")).scale(axis("y", "MB/s"))
        .scale(Map.of("aesthetic", "color", "name", "", "values", List.of("#1a9850", "#777777"), "limits",
            List.of("all", "none")))
        .svg(WIDTH_PX, rows(nodes - 1) * PANEL_HEIGHT_PX + 100);
  }

  private static void row(PlotSpec figure, String what, RunRecord run, Function<HostSample, List<Long>> direction,
      int node, double seconds) {
    double[] bytes = new HostSeries(run.foreground().samples()).perSecond(direction, node, run.moments().lossAtMs(),
        run.moments().lossAtMs() + seconds * 1e3);
    for (int second = 0; second < bytes.length; second++) {
      figure.row((double) second, bytes[second] / MEGABYTE, what, Topology.dataNode(node));
    }
  }

  private static int rows(int panels) {
    return (panels + PANELS_IN_A_ROW - 1) / PANELS_IN_A_ROW;
  }

  private static Map<String, Object> axis(String aesthetic, String name) {
    return Map.of("aesthetic", aesthetic, "name", name);
  }

  private static Map<String, Object> byMode() {
    return Map.of("aesthetic", "color", "name", "", "values", MODE_COLORS, "limits",
        List.copyOf(RecoveryMode.ids()));
  }
}
