/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.figures;

import io.dayu.paper.study.Sample;

import java.util.Collection;
import java.util.stream.Stream;

/** Whether something that the paper says was found again. */
public enum Verdict {
  YES("yes"),
  NO("no"),
  /** Twice the standard error is too much to tell. */
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

  /** All of several claims: a single one that is wrong, or unclear, makes the whole so. */
  public static Verdict all(Collection<Verdict> parts) {
    return parts.isEmpty() ? TOO_FEW : Stream.of(NO, TOO_FEW, UNCLEAR).filter(parts::contains).findFirst().orElse(YES);
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

  /** Whether the mean is at most a bound: yes if it is so with twice its standard error added. */
  public static Verdict atMost(Sample sample, double bound) {
    return atMost(sample, sample.mean(), bound);
  }

  /** The same of the mean's magnitude. */
  public static Verdict magnitudeAtMost(Sample sample, double bound) {
    return atMost(sample, Math.abs(sample.mean()), bound);
  }

  private static Verdict atMost(Sample sample, double value, double bound) {
    if (sample.count() < MIN_CASES) {
      return TOO_FEW;
    }
    double margin = MAX_STANDARD_ERRORS * sample.error();
    if (value + margin <= bound) {
      return YES;
    }
    return value - margin > bound ? NO : UNCLEAR;
  }
}
