/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.programs;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * What the person in front of a demo or benchmark sees: lines with the time since the start, and one line of progress
 * below them, redrawn in place on a terminal and repeated every few seconds elsewhere. Thread-safe.
 */
public final class Screen {
  private static final int BAR_CELLS = 24;
  private static final long PLAIN_PROGRESS_NS = TimeUnit.SECONDS.toNanos(5);

  private final PrintStream out;
  private final boolean terminal;
  private final long startNs = System.nanoTime();
  private String progress = "";
  private boolean ended;
  private long lastPlainNs = startNs - PLAIN_PROGRESS_NS;

  public Screen(PrintStream out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  /** A line that stays. */
  public synchronized void say(String format, Object... values) {
    if (ended) {
      return;
    }
    String line = String.format(Locale.ROOT, "[%6.1f s] ", (System.nanoTime() - startNs) / 1e9)
        + String.format(Locale.ROOT, format, values);
    out.println(terminal && !progress.isEmpty() ? "\r\033[K" + line : line);
    draw();
  }

  /** Lines that stay and can be copied: without the time. */
  public synchronized void block(List<String> lines) {
    if (!ended) {
      progress("");
      lines.forEach(out::println);
      out.flush();
    }
  }

  /** The line of progress, in place of the one before; an empty one takes it away. */
  public synchronized void progress(String text) {
    if (ended) {
      return;
    }
    if (terminal) {
      if (!text.isEmpty() || !progress.isEmpty()) {
        out.print("\r\033[K");
      }
      progress = text;
      draw();
    } else if (!text.isEmpty() && System.nanoTime() - lastPlainNs >= PLAIN_PROGRESS_NS) {
      lastPlainNs = System.nanoTime();
      say("%s", text);
    }
  }

  /** Shows nothing from now on. */
  public synchronized void end() {
    ended = true;
  }

  private void draw() {
    if (terminal) {
      out.print(progress);
    }
    out.flush();
  }

  /** @param done 0 to 1 */
  public static String bar(double done) {
    int full = (int) (done * BAR_CELLS);
    return String.format(Locale.ROOT, "[%s%s] %3d %%", "#".repeat(full), "-".repeat(BAR_CELLS - full),
        (int) (done * 100));
  }

  /** Exactly, in the largest unit that is whole. */
  public static String exactly(long bytes) {
    if (bytes % (1 << 20) == 0) {
      return (bytes >> 20) + " MiB";
    }
    return bytes % (1 << 10) == 0 ? (bytes >> 10) + " KiB" : bytes + " bytes";
  }

  public static String mib(double bytes) {
    return String.format(Locale.ROOT, "%.1f MiB", bytes / (1 << 20));
  }
}
