/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.cli.options;

import java.io.PrintStream;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * A line on the terminal with the progress of long work and when it will end; silent where the output is no terminal.
 * Thread-safe.
 */
public final class ProgressLine implements AutoCloseable {
  private static final int BAR = 30;
  private static final long AGAIN_NS = 200_000_000;

  private final PrintStream out;
  private final String what;
  private final int total;
  private final long startNs;
  private long shownNs;
  private int wholes;
  /** Done of those that are under way, by number. */
  private final Map<Integer, Double> parts = new HashMap<>();

  /** @param out where to, or null for nowhere */
  ProgressLine(PrintStream out, String what, int total, long nowNs) {
    this.out = out;
    this.what = what;
    this.total = total;
    startNs = nowNs;
    shownNs = nowNs;
  }

  public static ProgressLine onTerminal(String what, int total) {
    return new ProgressLine(System.console() == null ? null : System.err, what, total, System.nanoTime());
  }

  public void done(int count) {
    done(count, System.nanoTime());
  }

  /** The first ones, up to this number, are done. */
  synchronized void done(int count, long nowNs) {
    wholes = count;
    parts.keySet().removeIf(index -> index < count);
    show(nowNs);
  }

  /** This share of case {@code index}, from 0, is done. */
  public void within(int index, double share) {
    within(index, share, System.nanoTime());
  }

  synchronized void within(int index, double share, long nowNs) {
    if (index >= wholes) {
      parts.put(index, share);
      show(nowNs);
    }
  }

  private void show(long nowNs) {
    double all = wholes + parts.values().stream().mapToDouble(share -> share).sum();
    if (out == null || nowNs - shownNs < AGAIN_NS && wholes < total || all == 0) {
      return;
    }
    shownNs = nowNs;
    int filled = (int) (BAR * all / total);
    double leftSec = (nowNs - startNs) / 1e9 * (total - all) / all;
    out.printf(Locale.ROOT, "\r%s [%s%s] %d of %d, %.0f s left ", what, "#".repeat(filled), ".".repeat(BAR - filled),
        wholes, total, leftSec);
    out.flush();
  }

  @Override
  public void close() {
    if (out != null) {
      out.println();
    }
  }
}
