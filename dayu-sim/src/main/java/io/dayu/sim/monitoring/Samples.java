/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.monitoring;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What was measured of each node, as spans of time with a mean rate. Filled by one reader; not thread-safe. */
public final class Samples {
  private final Map<String, Series> sent = new LinkedHashMap<>();
  private final Map<String, Series> received = new LinkedHashMap<>();

  /** Spans in the order of time. */
  static final class Series {
    private final List<double[]> spans = new ArrayList<>();
    private int resets;
    private double lastSec = Double.NEGATIVE_INFINITY;
    private double lastCounter = Double.NaN;

    /** From, to, bytes/s. */
    List<double[]> spans() {
      return spans;
    }

    int resets() {
      return resets;
    }

    /** Adds what a gauge says, for the time since it was last read. */
    void addGauge(double atSec, double bytesPerSec) {
      addRate(lastSec == Double.NEGATIVE_INFINITY ? atSec : lastSec, atSec, bytesPerSec);
      lastSec = Math.max(lastSec, atSec);
    }

    boolean endsBefore(double atSec) {
      return lastSec < atSec;
    }

    /** Adds the mean rate of a span, without what of it is known already. */
    void addRate(double fromSec, double toSec, double bytesPerSec) {
      double from = Math.max(fromSec, lastSec);
      if (toSec > from) {
        spans.add(new double[] {from, toSec, bytesPerSec});
        lastSec = toSec;
      }
    }

    /** Adds the state of a counter; one that has fallen began anew, and what it counted meanwhile is not known. */
    void addCounter(double atSec, double bytes) {
      if (bytes < lastCounter) {
        resets++;
      } else if (!Double.isNaN(lastCounter)) {
        spans.add(new double[] {lastSec, atSec, (bytes - lastCounter) / (atSec - lastSec)});
      }
      lastSec = atSec;
      lastCounter = bytes;
    }
  }

  Series sent(String node) {
    return sent.computeIfAbsent(node, name -> new Series());
  }

  Series received(String node) {
    return received.computeIfAbsent(node, name -> new Series());
  }

  Map<String, Series> sent() {
    return sent;
  }

  Map<String, Series> received() {
    return received;
  }

  /** For messages. */
  static String time(double seconds) {
    return Instant.ofEpochSecond((long) seconds).toString();
  }

  /** A number as text, or why it is none: at least 0, and finite. */
  static double number(String text, String where) throws SamplesFormatException {
    double value = Double.NaN;
    try {
      value = Double.parseDouble(text);
    } catch (NumberFormatException e) {
      // Refused below.
    }
    if (!(value >= 0 && value < Double.POSITIVE_INFINITY)) {
      throw new SamplesFormatException(where + ": expected a number at least 0, found '" + text + "'");
    }
    return value;
  }
}
