/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.tune;

import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;

/** One dimension of the search. Immutable and thread-safe. */
enum Parameter {
  /** Seconds; the horizon keeps its ratio to it. */
  TIMESLOT(1.5, 2, 3, 5, 8, 15) {
    @Override
    double of(TunedSettings settings) {
      return settings.timeslotMs() / 1000.0;
    }

    @Override
    TunedSettings set(TunedSettings settings, double value) {
      long timeslotMs = Math.round(value * 1000);
      return new TunedSettings(timeslotMs, timeslotMs * settings.horizonMs() / settings.timeslotMs(), settings.alpha(),
          settings.beta(), settings.bucketBytesPerSec());
    }
  },
  /** As a multiple of the timeslot. */
  HORIZON(1, 1.5, 2, 3) {
    @Override
    double of(TunedSettings settings) {
      return (double) settings.horizonMs() / settings.timeslotMs();
    }

    @Override
    TunedSettings set(TunedSettings settings, double value) {
      return new TunedSettings(settings.timeslotMs(), Math.round(settings.timeslotMs() * value), settings.alpha(),
          settings.beta(), settings.bucketBytesPerSec());
    }
  },
  ALPHA(0.65, 0.70, 0.75, 0.80, 0.85) {
    @Override
    double of(TunedSettings settings) {
      return settings.alpha();
    }

    @Override
    TunedSettings set(TunedSettings settings, double value) {
      return new TunedSettings(settings.timeslotMs(), settings.horizonMs(), value, settings.beta(),
          settings.bucketBytesPerSec());
    }
  },
  BETA(0, 0.02, 0.05, 0.10) {
    @Override
    double of(TunedSettings settings) {
      return settings.beta();
    }

    @Override
    TunedSettings set(TunedSettings settings, double value) {
      return new TunedSettings(settings.timeslotMs(), settings.horizonMs(), settings.alpha(), value,
          settings.bucketBytesPerSec());
    }
  },
  /** MB/s. */
  BUCKET(0.25, 1, 4) {
    @Override
    double of(TunedSettings settings) {
      return settings.bucketBytesPerSec() / 1e6;
    }

    @Override
    TunedSettings set(TunedSettings settings, double value) {
      return new TunedSettings(settings.timeslotMs(), settings.horizonMs(), settings.alpha(), settings.beta(),
          Math.round(value * 1e6));
    }
  };

  /** Digits behind the point that values are rounded to. */
  private static final double ROUNDING = 1e4;

  private final double[] grid;

  Parameter(double... grid) {
    this.grid = grid;
  }

  abstract double of(TunedSettings settings);

  abstract TunedSettings set(TunedSettings settings, double value);

  /** These settings with every other value of the grid. */
  List<TunedSettings> coarse(TunedSettings settings) {
    return Arrays.stream(grid).filter(value -> value != of(settings)).mapToObj(value -> set(settings, value)).toList();
  }

  /** These settings with the values half-way to their neighbours on the grid. */
  List<TunedSettings> fine(TunedSettings settings) {
    TreeSet<Double> values = new TreeSet<>();
    Arrays.stream(grid).forEach(values::add);
    double own = of(settings);
    TreeSet<Double> between = new TreeSet<>();
    if (values.lower(own) != null) {
      between.add(rounded((own + values.lower(own)) / 2));
    }
    if (values.higher(own) != null) {
      between.add(rounded((own + values.higher(own)) / 2));
    }
    return between.stream().map(value -> set(settings, value)).toList();
  }

  private static double rounded(double value) {
    return Math.round(value * ROUNDING) / ROUNDING;
  }
}
