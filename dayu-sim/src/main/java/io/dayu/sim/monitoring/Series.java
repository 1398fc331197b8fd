/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.monitoring;

import com.google.common.math.Quantiles;
import com.google.common.math.Stats;
import io.dayu.sim.FormatException;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What was measured of one direction of a node: readings in any order, of which {@link #resolve} makes spans of time
 * with a mean rate. Not thread-safe.
 *
 * <p>A monitoring system often answers with the last value that it has, so a counter that is read each 15 s but scraped
 * each 60 s stands still and then jumps. Such a counter is known by the regular distance of its jumps: a jump is then
 * the traffic of that distance, and standing still for less says nothing.
 */
final class Series {
  /** A value this much later than the step after the one before comes after a gap. */
  private static final double STEPS_APART = 1.5;
  /** Jumps more than this number of steps apart come from a scrape that is slower than the readings. */
  private static final double SLOWER = 1.1;
  /** The least share of the distances between jumps that are within a step of their median. */
  private static final double REGULAR_SHARE = 0.9;
  private static final int MIN_DISTANCES = 2;

  private enum Kind {
    RATE, GAUGE, COUNTER, RESTART
  }

  private record Reading(double atSec, double value, Kind kind) {
  }

  /** A mean rate. */
  record Span(double fromSec, double toSec, double bytesPerSec) {
    double seconds() {
      return toSec - fromSec;
    }

    private boolean overlaps(Span other) {
      return fromSec < other.toSec && other.fromSec < toSec;
    }
  }

  private final List<Reading> readings = new ArrayList<>();
  private final List<Span> spans = new ArrayList<>();
  private final List<Span> restarts = new ArrayList<>();
  private int falls;
  private double lastSec = Double.NEGATIVE_INFINITY;

  /** Adds a mean rate of the time since the reading before; of the first one, of a usual distance of readings. */
  void addRate(double atSec, double bytesPerSec) {
    readings.add(new Reading(atSec, bytesPerSec, Kind.RATE));
  }

  /** Adds what a gauge says, for the time since it was last read. */
  void addGauge(double atSec, double bytesPerSec) {
    readings.add(new Reading(atSec, bytesPerSec, Kind.GAUGE));
  }

  /** Adds the state of a counter; one that has fallen began anew, and what it counted meanwhile is not known. */
  void addCounter(double atSec, double bytes) {
    readings.add(new Reading(atSec, bytes, Kind.COUNTER));
  }

  /** The process that counts is starting. */
  void addRestart(double atSec) {
    readings.add(new Reading(atSec, 0, Kind.RESTART));
  }

  /** Adds the mean rate of a span, except for the part that is known already. Spans are added in the order of time. */
  void addMean(double fromSec, double toSec, double bytesPerSec) {
    double from = Math.max(fromSec, lastSec);
    if (toSec > from) {
      spans.add(new Span(from, toSec, bytesPerSec));
      lastSec = toSec;
    }
  }

  boolean endsBefore(double atSec) {
    return lastSec < atSec;
  }

  /** In the order of time. */
  List<Span> spans() {
    return spans;
  }

  /** Times in which the process that counts began anew. */
  List<Span> restarts() {
    return restarts;
  }

  /** Counters that were less than before. */
  int falls() {
    return falls;
  }

  /** Forgets what overlaps these times. */
  void forget(List<Span> times) {
    spans.removeIf(span -> times.stream().anyMatch(span::overlaps));
  }

  /** The usual length of a span in which there was traffic; 0 without any. */
  double usualSec() {
    double[] seconds = spans.stream().filter(span -> span.bytesPerSec > 0).mapToDouble(Span::seconds).toArray();
    return seconds.length == 0 ? 0 : Quantiles.median().compute(seconds);
  }

  boolean readsCounters() {
    return readings.stream().anyMatch(reading -> reading.kind == Kind.COUNTER);
  }

  /** Sorts readings by time. A reading that is in two files counts once. */
  void sort(String what) throws FormatException {
    readings.sort(Comparator.comparingDouble(Reading::atSec));
    for (int i = readings.size() - 1; i > 0; i--) {
      Reading one = readings.get(i);
      Reading before = readings.get(i - 1);
      if (one.atSec == before.atSec) {
        if (one.kind != before.kind || Double.compare(one.value, before.value) != 0) {
          throw new FormatException(
              "node " + what + ": two values at " + Instant.ofEpochSecond((long) one.atSec) + ", "
                  + before.value + " and " + one.value + "; are they of two interfaces or of two nodes of this name?");
        }
        readings.remove(i);
      }
    }
  }

  /**
   * Distance of the jumps of a counter that stands still between them; 0 if it does not, NaN if there are too few to
   * tell.
   */
  double scrapeSec() {
    double step = stepSec();
    List<Double> all = new ArrayList<>();
    int jump = -1;
    for (int i = 1; i < readings.size(); i++) {
      Reading one = readings.get(i);
      Reading before = readings.get(i - 1);
      if (one.kind != Kind.COUNTER || before.kind != Kind.COUNTER || one.value < before.value
          || one.atSec - before.atSec > STEPS_APART * step) {
        jump = -1; // Neither a restart nor readings that are missing tell how long it stood still.
      } else if (one.value > before.value) {
        if (jump >= 0) {
          all.add(one.atSec - readings.get(jump).atSec);
        }
        jump = i;
      }
    }
    if (all.size() < MIN_DISTANCES) {
      return Double.NaN;
    }
    double usual = Quantiles.median().compute(all);
    List<Double> regular = all.stream().filter(distance -> Math.abs(distance - usual) <= step).toList();
    double mean = Stats.meanOf(regular);
    return mean > SLOWER * step && regular.size() >= REGULAR_SHARE * all.size() ? mean : 0;
  }

  /** The usual distance of two readings. */
  private double stepSec() {
    double[] steps = new double[Math.max(0, readings.size() - 1)];
    for (int i = 0; i < steps.length; i++) {
      steps[i] = readings.get(i + 1).atSec - readings.get(i).atSec;
    }
    return steps.length == 0 ? 0 : Quantiles.median().compute(steps);
  }

  /**
   * Makes spans of the readings.
   *
   * @param scrapeSec how often a new value of a counter comes; 0 if each reading has one
   */
  void resolve(double scrapeSec) {
    double step = stepSec();
    Reading known = null;
    for (int i = 0; i < readings.size(); i++) {
      Reading one = readings.get(i);
      double before = i == 0 ? Double.NEGATIVE_INFINITY : readings.get(i - 1).atSec;
      switch (one.kind) {
        case RATE -> {
          if (!Double.isNaN(one.value)) {
            addMean(one.atSec - before > STEPS_APART * step ? one.atSec - step : before, one.atSec, one.value);
          }
        }
        case GAUGE -> addMean(i == 0 ? one.atSec : before, one.atSec, one.value);
        case RESTART -> restarts.add(new Span(known == null ? one.atSec : known.atSec, one.atSec, 0));
        case COUNTER -> {
          if (known == null || readings.get(i - 1).kind != Kind.COUNTER) {
            known = one;
          } else if (one.value < known.value) {
            falls++;
            restarts.add(new Span(known.atSec, one.atSec, 0));
            known = one;
          } else if (one.value > known.value || scrapeSec == 0) {
            addJump(known, one, known == readings.get(0), scrapeSec, step);
            known = one;
          }
        }
      }
    }
    if (scrapeSec > 0 && known != null) {
      double end = readings.get(readings.size() - 1).atSec;
      addMean(known.atSec, known.atSec + Math.floor((end - known.atSec) / scrapeSec) * scrapeSec, 0);
    }
    readings.clear();
  }

  /** A counter stood still since {@code known} and is more now. */
  private void addJump(Reading known, Reading now, boolean first, double scrapeSec, double step) {
    double seconds = now.atSec - known.atSec;
    double bytes = now.value - known.value;
    // How long the first value had been there is not known.
    if (scrapeSec > 0 && (first && seconds < scrapeSec || seconds > scrapeSec + step)) {
      addMean(known.atSec, now.atSec - scrapeSec, 0);
      addMean(Math.max(known.atSec, now.atSec - scrapeSec), now.atSec, bytes / scrapeSec);
    } else {
      addMean(known.atSec, now.atSec, bytes / seconds);
    }
  }
}
