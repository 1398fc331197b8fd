/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.figures;

import io.dayu.sim.study.Sample;

/** Whether something that the paper says was found again. */
public enum Verdict {
  YES("yes"),
  NO("no"),
  /** The difference is within twice its standard error. */
  UNCLEAR("within the error"),
  TOO_FEW("too few cases to tell"),
  /** Inputs are fitted to it. */
  FITTED("fitted, not predicted"),
  /** Something else is measured here than there. */
  OTHER("not comparable");

  private static final int MIN_CASES = 3;
  private static final double MAX_STANDARD_ERRORS = 2;

  private final String words;

  Verdict(String words) {
    this.words = words;
  }

  public String words() {
    return words;
  }

  public static Verdict of(boolean found) {
    return found ? YES : NO;
  }

  /** Whether a difference, case by case, is below 0. */
  public static Verdict below(Sample difference) {
    if (difference.count() < MIN_CASES) {
      return TOO_FEW;
    }
    double mean = difference.mean();
    if (!(Math.abs(mean) > MAX_STANDARD_ERRORS * difference.error())) {
      return UNCLEAR;
    }
    return of(mean < 0);
  }

  /** Whether the mean is at most a bound, give or take its standard error. */
  public static Verdict atMost(Sample sample, double bound) {
    return sample.count() < MIN_CASES ? TOO_FEW : of(sample.mean() - MAX_STANDARD_ERRORS * sample.error() <= bound);
  }
}
