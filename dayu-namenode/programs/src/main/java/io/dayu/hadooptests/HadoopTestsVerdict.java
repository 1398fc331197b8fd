/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hadooptests;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Whether what passes without Dayu passes with it. It is not good if a test passes less often with Dayu and is not
 * among the known ones, or if a class shows nothing, since none of its tests ran or none passed on either side. A test
 * that is known to fail by chance, and those of a class that is known as flaky, must pass in most runs. Not
 * thread-safe.
 */
final class HadoopTestsVerdict {
  private final KnownTests known;
  private int lessOften;
  private int failures;
  private int withoutResult;

  HadoopTestsVerdict(KnownTests known) {
    this.known = known;
  }

  /**
   * Counts the runs of a class.
   *
   * @param name simple name of the class, or Class#method
   * @param stock by test, how it went without Dayu; empty if that was not run
   * @param dayu by test, how it went with Dayu
   * @param logs where the logs are
   * @return a line for each test that does not always pass on both sides, and for a class that shows nothing
   */
  List<String> add(String name, Map<String, Side> stock, Map<String, Side> dayu, Path logs) {
    List<String> lines = new ArrayList<>();
    if (stock.isEmpty() && dayu.isEmpty()) {
      withoutResult++;
      lines.add("- " + name + ": no test ran on either side; the logs are in " + logs);
    } else if (nonePassed(stock) && nonePassed(dayu)) {
      withoutResult++;
      lines.add("- " + name + ": no test passes on either side, so nothing is shown; the logs are in " + logs);
    }
    String className = name.split("#")[0];
    stock.forEach((test, without) -> {
      Side with = dayu.getOrDefault(test, Side.NOT_RUN);
      if (!without.alwaysPassed() || !with.alwaysPassed()) {
        lines.add(line(className, test, without, with));
      }
    });
    return lines;
  }

  private static boolean nonePassed(Map<String, Side> side) {
    return side.values().stream().allMatch(test -> test.passed() == 0);
  }

  private String line(String className, String test, Side without, Side with) {
    String shortName = className + "." + test;
    boolean less = with.passedLessOftenThan(without);
    boolean isKnown = known.reason(shortName).isPresent();
    if (less && (!isKnown || known.failsByChance(shortName) && !with.passedInMostRuns())) {
      lessOften++;
      // Of a class that fails now and then without Dayu, too, three runs say little.
      failures += known.isFlaky(className) && with.passedInMostRuns() ? 0 : 1;
    }
    return String.format("- %s: passes %d of %d stock, %d of %d with Dayu. %s%s", shortName, without.passed(),
        without.runs(), with.passed(), with.runs(), less ? with.failure() : without.failure(),
        known.reason(shortName).map(reason -> " Known: " + reason).orElse(""));
  }

  boolean isGood() {
    return failures + withoutResult == 0;
  }

  /** The result in one line. */
  String summary() {
    if (lessOften + withoutResult == 0) {
      return "What passes stock passes with Dayu";
    }
    List<String> parts = new ArrayList<>();
    if (lessOften > 0) {
      parts.add(lessOften + " tests pass less often with Dayu" + (failures == 0 ? ", all of flaky classes" : ""));
    }
    if (withoutResult > 0) {
      parts.add(withoutResult + " classes show nothing: no test of them ran or passed");
    }
    return String.join("; ", parts);
  }
}
