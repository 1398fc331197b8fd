/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.monitoring;

import com.google.common.math.Quantiles;
import io.dayu.sim.FormatException;
import io.dayu.sim.foreground.Trace;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/**
 * Measurements cut into slots of equal length, in MB/s (10^6 bytes). Immutable by convention: the trace's arrays are
 * shared.
 *
 * @param startSec begin of slot 0, since 1970
 * @param filled values that were missing and lie between those beside them
 * @param resets of counters
 * @param highest value, bytes/s
 * @param remarks on how measurements became slots, a line each
 */
public record TraceSlots(Trace trace, double startSec, int filled, int resets, double highest, List<String> remarks) {
  private static final double BYTES_PER_UNIT = 1e6;
  /** A slot of which less than this is known is a gap. */
  private static final double KNOWN_SHARE = 0.5;
  private static final int MAX_SLOTS = 1_000_000;
  /** Intervals of measurements vary by a little. */
  private static final double ABOUT = 1.05;

  /**
   * Cuts; the samples are used up.
   *
   * @param maxGap slots in a row of one node that may be missing
   * @param lineBytesPerSec no rate can be higher; else the unit is wrong
   * @throws FormatException if a node lacks a direction or has a longer gap, or a rate is too high
   */
  public static TraceSlots of(Samples samples, double slotSec, int maxGap, long lineBytesPerSec)
      throws FormatException {
    List<String> remarks = new ArrayList<>();
    int resets = resolve(samples, remarks);
    checkIntervals(samples, slotSec, maxGap, remarks);
    double begin = Double.POSITIVE_INFINITY;
    double end = Double.NEGATIVE_INFINITY;
    for (String node : samples.nodes()) {
      for (Series series : samples.both(node)) {
        begin = Math.min(begin, series.spans().get(0).fromSec());
        end = Math.max(end, series.spans().get(series.spans().size() - 1).toSec());
      }
    }
    double start = Math.floor(begin / slotSec) * slotSec;
    double slots = Math.ceil((end - start) / slotSec - KNOWN_SHARE);
    if (!(slots >= 1 && slots <= MAX_SLOTS)) {
      throw new FormatException("from " + Samples.time(begin) + " to " + Samples.time(end) + " there are "
          + slots + " slots, expected 1 to " + MAX_SLOTS);
    }
    return new Cutter(start, slotSec, (int) slots, maxGap, lineBytesPerSec).cut(samples, resets, remarks);
  }

  /** Makes spans of what was read; a process that begins anew leaves a gap in both directions of its node. */
  private static int resolve(Samples samples, List<String> remarks) throws FormatException {
    List<Double> scrapes = new ArrayList<>();
    for (String node : samples.nodes()) {
      samples.sent(node).sort(node + " (sent)");
      samples.received(node).sort(node + " (received)");
      samples.both(node).stream().map(Series::scrapeSec).filter(seconds -> !seconds.isNaN()).forEach(scrapes::add);
    }
    double usualScrape = scrapes.isEmpty() ? 0 : Quantiles.median().compute(scrapes);
    int resets = 0;
    int slower = 0;
    for (String node : samples.nodes()) {
      List<Series.Span> restarts = new ArrayList<>();
      for (Series series : samples.both(node)) {
        double own = series.scrapeSec();
        double scrape = Double.isNaN(own) ? usualScrape : own;
        slower += series.readsCounters() && scrape > 0 ? 1 : 0;
        series.resolve(scrape);
        restarts.addAll(series.restarts());
        resets += series.falls();
      }
      samples.both(node).forEach(series -> series.forget(restarts));
      if (samples.both(node).stream().anyMatch(series -> series.spans().isEmpty())) {
        throw new FormatException("node " + node
            + ": expected at least two measurements each of what it sent and received; --leave-out leaves it out");
      }
    }
    if (slower > 0) {
      remarks.add("counters: " + slower + " of " + 2 * samples.nodes().size()
          + " are read more often than they change, usually each " + Samples.span(Math.round(usualScrape))
          + "; a change is the mean of the time since the one before");
    }
    return resets;
  }

  /** A mean over a long time does not say how its slots differ. */
  private static void checkIntervals(Samples samples, double slotSec, int maxGap, List<String> remarks)
      throws FormatException {
    List<Double> usual = new ArrayList<>();
    for (String node : samples.nodes()) {
      for (Series series : samples.both(node)) {
        double seconds = series.usualSec();
        if (seconds > (maxGap + 1) * slotSec * ABOUT) {
          throw new FormatException("node " + node + " has means of " + Samples.span(seconds)
              + ", which do not say what happened in slots of " + Samples.span(slotSec) + ": means of "
              + Samples.span(seconds) + " need --slot " + Samples.span(seconds));
        }
        if (seconds > 0) {
          usual.add(seconds);
        }
      }
    }
    double seconds = usual.isEmpty() ? slotSec : Quantiles.median().compute(usual);
    remarks.add("measured: means of " + Samples.span(seconds) + (seconds > slotSec * ABOUT
        ? ", each the same for all of its slots of " + Samples.span(slotSec) + "; --slot " + Samples.span(seconds)
            + " has nothing but what was measured"
        : seconds * ABOUT < slotSec ? ", of which slots of " + Samples.span(slotSec) + " are the mean"
        : ""));
  }

  /** Cuts series one after the other. Used once. */
  private static final class Cutter {
    private final double startSec;
    private final double slotSec;
    private final int slots;
    private final int maxGap;
    private final long lineBytesPerSec;
    private int filled;
    private final Set<String> filledNodes = new TreeSet<>();
    private double highest;

    Cutter(double startSec, double slotSec, int slots, int maxGap, long lineBytesPerSec) {
      this.startSec = startSec;
      this.slotSec = slotSec;
      this.slots = slots;
      this.maxGap = maxGap;
      this.lineBytesPerSec = lineBytesPerSec;
    }

    TraceSlots cut(Samples samples, int resets, List<String> remarks) throws FormatException {
      List<String> nodes = List.copyOf(samples.sent().keySet());
      float[][] in = new float[nodes.size()][];
      float[][] out = new float[nodes.size()][];
      for (int node = 0; node < in.length; node++) {
        out[node] = row(nodes.get(node), " (sent)", samples.sent(nodes.get(node)));
        in[node] = row(nodes.get(node), " (received)", samples.received(nodes.get(node)));
      }
      if (filled > 0) {
        remarks.add("filled: " + filled + " of " + 2L * nodes.size() * slots + " values, from those beside them, of "
            + (filledNodes.size() == 1 ? "node " + filledNodes.iterator().next() : filledNodes.size() + " nodes"));
      }
      Trace trace =
          new Trace(nodes, in, out, Math.round(slotSec * 1000), Instant.ofEpochMilli((long) (startSec * 1000)));
      return new TraceSlots(trace, startSec, filled, resets, highest, remarks);
    }

    private float[] row(String node, String direction, Series series) throws FormatException {
      double[] bytes = new double[slots];
      double[] known = new double[slots];
      for (Series.Span span : series.spans()) {
        if (span.bytesPerSec() > lineBytesPerSec) {
          throw new FormatException(String.format(Locale.ROOT,
              "node %s at %s: %.4g bytes/s, expected at most the line rate of %d (--line-rate); is the unit right?",
              node + direction, Samples.time(span.toSec()), span.bytesPerSec(), lineBytesPerSec));
        }
        highest = Math.max(highest, span.bytesPerSec());
        if (span.bytesPerSec() > 0 && span.seconds() > (maxGap + 1) * slotSec * ABOUT) {
          continue; // A mean over many slots does not say how its slots differ, unless it is 0.
        }
        int first = Math.max(0, (int) ((span.fromSec() - startSec) / slotSec));
        for (int slot = first; slot < slots && startSec + slot * slotSec < span.toSec(); slot++) {
          double seconds =
              Math.min(span.toSec(), startSec + (slot + 1) * slotSec)
                  - Math.max(span.fromSec(), startSec + slot * slotSec);
          bytes[slot] += Math.max(0, seconds) * span.bytesPerSec();
          known[slot] += Math.max(0, seconds);
        }
      }
      float[] row = new float[slots];
      for (int slot = 0; slot < slots; slot++) {
        row[slot] =
            known[slot] < KNOWN_SHARE * slotSec ? Float.NaN : (float) (bytes[slot] / known[slot] / BYTES_PER_UNIT);
      }
      int before = filled;
      fill(node + direction, row);
      if (filled > before) {
        filledNodes.add(node);
      }
      return row;
    }

    private void fill(String what, float[] row) throws FormatException {
      for (int from = 0; from < slots; from++) {
        if (Float.isNaN(row[from])) {
          int to = from;
          while (to < slots && Float.isNaN(row[to])) {
            to++;
          }
          if (to - from > maxGap || to - from == slots) {
            throw new FormatException("node " + what + ": nothing is known from "
                + Samples.time(startSec + from * slotSec) + " to " + Samples.time(startSec + to * slotSec)
                + ", expected gaps of at most " + maxGap + " slots (--max-gap)");
          }
          float before = from == 0 ? row[to] : row[from - 1];
          float after = to == slots ? before : row[to];
          for (int slot = from; slot < to; slot++) {
            row[slot] = before + (after - before) * (slot - from + 1) / (to - from + 1);
          }
          filled += to - from;
        }
      }
    }
  }

  /** Mean of what nodes send, bytes/s. */
  public double meanSent() {
    return BYTES_PER_UNIT * Arrays.stream(trace.out()).mapToDouble(TraceSlots::mean).average().orElse(0);
  }

  private static double mean(float[] row) {
    double sum = 0;
    for (float value : row) {
      sum += value;
    }
    return sum / row.length;
  }
}
