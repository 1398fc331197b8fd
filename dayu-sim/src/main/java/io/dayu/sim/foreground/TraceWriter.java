/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.foreground;

import java.io.IOException;
import java.time.Instant;
import java.util.function.IntConsumer;

/**
 * Writes traffic in the format that {@link TraceReader} reads, in MB/s (10^6 bytes), after a comment with the length of
 * a slot. Static methods only.
 */
public final class TraceWriter {
  /** Nodes made at once, so that any number of nodes fits into memory. */
  private static final int NODES_AT_ONCE = 64;
  private static final double BYTES_PER_UNIT = 1e6;

  private TraceWriter() {
  }

  /**
   * Writes slots 0 to {@code slots} - 1.
   *
   * @param progress receives the number of nodes written
   */
  public static void write(SyntheticForeground model, int slots, Appendable out, IntConsumer progress)
      throws IOException {
    writeHeader(out, slots, model.slotMs(), null);
    for (int first = 0; first < model.nodes(); first += NODES_AT_ONCE) {
      int end = Math.min(model.nodes(), first + NODES_AT_ONCE);
      ForegroundStream stream = model.open(0, first, end);
      long[][] rx = new long[slots][end - first];
      long[][] tx = new long[slots][end - first];
      for (int slot = 0; slot < slots; slot++) {
        stream.next(rx[slot], tx[slot]);
      }
      for (int node = first; node < end; node++) {
        writeRow(out, "node" + node + ",tx", tx, node - first);
        writeRow(out, "node" + node + ",rx", rx, node - first);
      }
      progress.accept(end);
    }
  }

  /** Writes a trace that is in MB/s and knows the length of its slots. */
  public static void write(Trace trace, Appendable out) throws IOException {
    writeHeader(out, trace.slots(), trace.slotMs(), trace.start());
    for (int node = 0; node < trace.nodes().size(); node++) {
      for (boolean sent : new boolean[] {true, false}) {
        out.append(trace.nodes().get(node)).append(sent ? ",tx" : ",rx");
        for (float value : (sent ? trace.out() : trace.in())[node]) {
          appendHundredths(out, Math.round(value * 100.0));
        }
        out.append('\n');
      }
    }
  }

  private static void writeHeader(Appendable out, int slots, long slotMs, Instant start) throws IOException {
    out.append("# slot=").append(Long.toString(slotMs)).append("ms unit=1MB");
    if (start != null) {
      out.append(" start=").append(start.toString());
    }
    out.append("\nnode,dir");
    for (int slot = 0; slot < slots; slot++) {
      out.append(",s").append(Integer.toString(slot));
    }
    out.append('\n');
  }

  private static void writeRow(Appendable out, String begin, long[][] bySlot, int column) throws IOException {
    out.append(begin);
    for (long[] slot : bySlot) {
      appendHundredths(out, Math.round(slot[column] / BYTES_PER_UNIT * 100));
    }
    out.append('\n');
  }

  private static void appendHundredths(Appendable out, long hundredths) throws IOException {
    out.append(",").append(Long.toString(hundredths / 100));
    out.append(hundredths % 100 < 10 ? ".0" : ".").append(Long.toString(hundredths % 100));
  }
}
