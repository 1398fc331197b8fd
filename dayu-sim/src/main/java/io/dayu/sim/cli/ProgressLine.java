/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.sim.cli;

import java.io.PrintStream;
import java.util.Locale;

/**
 * A line on the terminal that says how far long work is and when it will end; silent where the output is no terminal. Single-threaded.
 */
final class ProgressLine implements AutoCloseable {
  private static final int BAR = 30;
  private static final long AGAIN_NS = 200_000_000;

  private final PrintStream out;
  private final String what;
  private final int total;
  private final long startNs;
  private long shownNs;

  /** @param out where to, or null for nowhere */
  ProgressLine(PrintStream out, String what, int total, long nowNs) {
    this.out = out;
    this.what = what;
    this.total = total;
    startNs = nowNs;
    shownNs = nowNs;
  }

  static ProgressLine onTerminal(String what, int total) {
    return new ProgressLine(System.console() == null ? null : System.err, what, total, System.nanoTime());
  }

  void done(int count) {
    done(count, System.nanoTime());
  }

  void done(int count, long nowNs) {
    if (out == null || nowNs - shownNs < AGAIN_NS && count < total) {
      return;
    }
    shownNs = nowNs;
    int filled = (int) ((long) BAR * count / total);
    double leftSec = (nowNs - startNs) / 1e9 * (total - count) / Math.max(1, count);
    out.printf(Locale.ROOT, "\r%s [%s%s] %d of %d, %.0f s left ", what, "#".repeat(filled), ".".repeat(BAR - filled), count,
        total, leftSec);
    out.flush();
  }

  @Override
  public void close() {
    if (out != null) {
      out.println();
    }
  }
}
