/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.figures;

import io.dayu.paper.study.Sample;

import java.util.Locale;

/** How numbers are written in words for people. Stateless. */
final class Numbers {
  private Numbers() {
  }

  static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }

  /** Mean and standard error with this number of decimals. */
  static String meanAndError(Sample sample, int decimals, String unit) {
    String mean = format("%." + decimals + "f", sample.mean()) + unit;
    return sample.count() < 2 ? mean : mean + format(" ± %." + decimals + "f", sample.error());
  }

  /** A change in percent from the mean of logarithms of ratios, with its standard error. */
  static String change(Sample logRatio) {
    double change = 100 * (Math.exp(logRatio.mean()) - 1);
    String mean = format("%+.1f %%", change).replace('-', '−');
    return logRatio.count() < 2 ? mean : mean + format(" ± %.1f", 100 * logRatio.error());
  }

  /** How many times, from the mean of logarithms of ratios. */
  static String times(Sample logRatio) {
    return format("%.2f×", Math.exp(logRatio.mean()));
  }
}
