/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hadooptests;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What is known of tests of Hadoop's: that they may fail with Dayu, or by chance, and why. Immutable.
 *
 * @param reasons by the test or class, followed by {@code " (by chance)"} or {@code " (flaky)"} if it is known as such
 */
record KnownTests(Map<String, String> reasons) {
  /** Of a class: its tests fail now and then on a busy machine, without Dayu, too. */
  private static final String FLAKY = " (flaky)";
  /** Of a test that fails by chance with Dayu. */
  private static final String BY_CHANCE = " (by chance)";

  KnownTests {
    reasons = Map.copyOf(reasons);
  }

  /** Those of the file {@code hadoop-tests-known.txt}. */
  static KnownTests read() throws IOException {
    Map<String, String> reasons = new HashMap<>();
    try (Stream<String> lines = new BufferedReader(new InputStreamReader(
        KnownTests.class.getResourceAsStream("/hadoop-tests-known.txt"), StandardCharsets.UTF_8)).lines()) {
      lines.filter(line -> !line.startsWith("#") && line.contains(": "))
          .forEach(line -> reasons.put(line.substring(0, line.indexOf(": ")), line.substring(line.indexOf(": ") + 2)));
    }
    return new KnownTests(reasons);
  }

  /** @param test as in {@code TestFsck.testFsck}; JUnit 5 shows methods with parentheses */
  Optional<String> reason(String test) {
    String plain = test.replace("()", "");
    return Optional.ofNullable(reasons.getOrDefault(plain + BY_CHANCE, reasons.get(plain)));
  }

  boolean failsByChance(String test) {
    return reasons.containsKey(test.replace("()", "") + BY_CHANCE);
  }

  boolean isFlaky(String className) {
    return reasons.containsKey(className + FLAKY);
  }
}
