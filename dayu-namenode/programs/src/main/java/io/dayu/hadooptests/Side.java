/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hadooptests;

/**
 * How a test went on one side: without Dayu or with it. Immutable.
 *
 * @param runs how often it was run
 * @param passed how often it passed
 * @param failure why it failed last; empty if it never did
 */
record Side(int runs, int passed, String failure) {
  static final Side NOT_RUN = new Side(0, 0, "");

  /** @param why it failed in one more run; empty if it passed */
  Side and(String why) {
    return why.isEmpty() ? new Side(runs + 1, passed + 1, failure) : new Side(runs + 1, passed, why);
  }

  boolean alwaysPassed() {
    return runs > 0 && passed == runs;
  }

  boolean passedInMostRuns() {
    return 2 * passed > runs;
  }

  boolean passedLessOftenThan(Side other) {
    return (long) passed * Math.max(1, other.runs) < (long) other.passed * Math.max(1, runs);
  }
}
