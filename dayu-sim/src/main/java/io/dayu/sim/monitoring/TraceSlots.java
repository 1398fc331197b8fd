/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.monitoring;

import io.dayu.sim.foreground.Trace;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Measurements cut into slots of equal length, in MB/s (10^6 bytes). Immutable by convention: the trace's arrays are
 * shared.
 *
 * @param startSec begin of slot 0, since 1970
 * @param filled values that were missing and lie between those beside them
 * @param resets of counters
 * @param highest value, bytes/s
 */
public record TraceSlots(Trace trace, double startSec, int filled, int resets, double highest) {
  private static final double BYTES_PER_UNIT = 1e6;
  /** A slot of which less than this is known is a gap. */
  private static final double KNOWN_SHARE = 0.5;
  private static final int MAX_SLOTS = 1_000_000;

  /**
   * Cuts.
   *
   * @param maxGap slots in a row of one node that may be missing
   * @param lineBytesPerSec no rate can be higher; else the unit is wrong
   * @throws SamplesFormatException if a node lacks a direction or has a longer gap, or a rate is too high
   */
  public static TraceSlots of(Samples samples, double slotSec, int maxGap, long lineBytesPerSec)
      throws SamplesFormatException {
    double begin = Double.POSITIVE_INFINITY;
    double end = Double.NEGATIVE_INFINITY;
    for (Map<String, Samples.Series> direction : List.of(samples.sent(), samples.received())) {
      for (Map.Entry<String, Samples.Series> one : direction.entrySet()) {
        List<double[]> spans = one.getValue().spans();
        if (spans.isEmpty() || !samples.sent().containsKey(one.getKey())
            || !samples.received().containsKey(one.getKey())) {
          throw new SamplesFormatException(
              "node " + one.getKey() + ": expected at least two measurements each of what it sent and received");
        }
        begin = Math.min(begin, spans.get(0)[0]);
        end = Math.max(end, spans.get(spans.size() - 1)[1]);
      }
    }
    double start = Math.floor(begin / slotSec) * slotSec;
    double slots = Math.ceil((end - start) / slotSec - KNOWN_SHARE);
    if (!(slots >= 1 && slots <= MAX_SLOTS)) {
      throw new SamplesFormatException("from " + Samples.time(begin) + " to " + Samples.time(end) + " there are "
          + slots + " slots, expected 1 to " + MAX_SLOTS);
    }
    return new Cutter(start, slotSec, (int) slots, maxGap, lineBytesPerSec).cut(samples);
  }

  /** Cuts series one after the other. Used once. */
  private static final class Cutter {
    private final double startSec;
    private final double slotSec;
    private final int slots;
    private final int maxGap;
    private final long lineBytesPerSec;
    private int filled;
    private int resets;
    private double highest;

    Cutter(double startSec, double slotSec, int slots, int maxGap, long lineBytesPerSec) {
      this.startSec = startSec;
      this.slotSec = slotSec;
      this.slots = slots;
      this.maxGap = maxGap;
      this.lineBytesPerSec = lineBytesPerSec;
    }

    TraceSlots cut(Samples samples) throws SamplesFormatException {
      List<String> nodes = List.copyOf(samples.sent().keySet());
      float[][] in = new float[nodes.size()][];
      float[][] out = new float[nodes.size()][];
      for (int node = 0; node < in.length; node++) {
        out[node] = row(nodes.get(node) + " (sent)", samples.sent().get(nodes.get(node)));
        in[node] = row(nodes.get(node) + " (received)", samples.received().get(nodes.get(node)));
      }
      return new TraceSlots(new Trace(nodes, in, out), startSec, filled, resets, highest);
    }

    private float[] row(String what, Samples.Series series) throws SamplesFormatException {
      double[] bytes = new double[slots];
      double[] known = new double[slots];
      for (double[] span : series.spans()) {
        if (span[2] > lineBytesPerSec) {
          throw new SamplesFormatException(String.format(Locale.ROOT,
              "node %s at %s: %.4g bytes/s, expected at most the line rate of %d (--line-rate); is the unit right?",
              what, Samples.time(span[1]), span[2], lineBytesPerSec));
        }
        highest = Math.max(highest, span[2]);
        if (span[1] - span[0] > (maxGap + 1) * slotSec) {
          continue; // A mean over many slots does not say how its slots differ.
        }
        int first = Math.max(0, (int) ((span[0] - startSec) / slotSec));
        for (int slot = first; slot < slots && startSec + slot * slotSec < span[1]; slot++) {
          double seconds =
              Math.min(span[1], startSec + (slot + 1) * slotSec) - Math.max(span[0], startSec + slot * slotSec);
          bytes[slot] += Math.max(0, seconds) * span[2];
          known[slot] += Math.max(0, seconds);
        }
      }
      resets += series.resets();
      float[] row = new float[slots];
      for (int slot = 0; slot < slots; slot++) {
        row[slot] =
            known[slot] < KNOWN_SHARE * slotSec ? Float.NaN : (float) (bytes[slot] / known[slot] / BYTES_PER_UNIT);
      }
      fill(what, row);
      return row;
    }

    private void fill(String what, float[] row) throws SamplesFormatException {
      for (int from = 0; from < slots; from++) {
        if (Float.isNaN(row[from])) {
          int to = from;
          while (to < slots && Float.isNaN(row[to])) {
            to++;
          }
          if (to - from > maxGap || to - from == slots) {
            throw new SamplesFormatException("node " + what + ": nothing is known from "
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
