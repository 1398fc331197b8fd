/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hadooptests;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class HadoopTestsVerdictTest {
  private static final Side PASSED = Side.NOT_RUN.and("");
  private static final Side FAILED = Side.NOT_RUN.and("timed out").and("timed out").and("timed out");
  private static final Side TWICE_OF_THREE = Side.NOT_RUN.and("").and("timed out").and("");
  private static final Path LOGS = Path.of("logs");

  private final HadoopTestsVerdict verdict =
      new HadoopTestsVerdict(new KnownTests(Map.of("TestFsck.known", "asserts what only stock does",
          "TestFsck.chance (by chance)", "half of the time", "TestSlow (flaky)", "waits 1 s")));

  private List<String> add(String name, Map<String, Side> stock, Map<String, Side> dayu) {
    return verdict.add(name, stock, dayu, LOGS);
  }

  private List<String> add(String test, Side stock, Side dayu) {
    return add("TestFsck", Map.of("other", PASSED, test, stock), Map.of("other", PASSED, test, dayu));
  }

  @Test
  void allPass_isGoodAndSaysNothing() {
    assertEquals(List.of(), add("testFsck", PASSED, PASSED));
    assertTrue(verdict.isGood());
    assertEquals("What passes stock passes with Dayu", verdict.summary());
  }

  @Test
  void stockNotRunSinceAllPassedWithDayu_isGood() {
    assertEquals(List.of(), add("TestFsck", Map.of(), Map.of("testFsck", PASSED)));
    assertTrue(verdict.isGood());
  }

  @Test
  void passesLessOften_isNotGood() {
    assertEquals(List.of("- TestFsck.testFsck: passes 1 of 1 stock, 2 of 3 with Dayu. timed out"),
        add("testFsck", PASSED, TWICE_OF_THREE));
    assertFalse(verdict.isGood());
    assertEquals("1 tests pass less often with Dayu", verdict.summary());
  }

  @Test
  void notRunWithDayu_isNotGood() {
    add("TestFsck", Map.of("testFsck", PASSED, "other", PASSED), Map.of("other", PASSED));
    assertFalse(verdict.isGood());
  }

  @Test
  void failsOnBothSidesBesideOthers_isGood() {
    assertEquals(List.of("- TestFsck.testFsck: passes 0 of 3 stock, 0 of 3 with Dayu. timed out"),
        add("testFsck", FAILED, FAILED));
    assertTrue(verdict.isGood());
  }

  /** As where no cluster starts, since a path has a space. */
  @Test
  void nothingPassesOnEitherSide_isNotGood() {
    List<String> lines = add("TestFsck#testFsck", Map.of("testFsck", FAILED), Map.of("testFsck", FAILED));
    assertEquals("- TestFsck#testFsck: no test passes on either side, so nothing is shown; the logs are in logs",
        lines.get(0));
    assertFalse(verdict.isGood());
    assertEquals("1 classes show nothing: no test of them ran or passed", verdict.summary());
  }

  @Test
  void nothingRan_isNotGood() {
    assertEquals(List.of("- TestFsck: no test ran on either side; the logs are in logs"),
        add("TestFsck", Map.of(), Map.of()));
    assertFalse(verdict.isGood());
  }

  @Test
  void knownDifference_isGoodAndSaysWhy() {
    assertEquals(List.of("- TestFsck.known(): passes 1 of 1 stock, 0 of 3 with Dayu. timed out"
        + " Known: asserts what only stock does"), add("known()", PASSED, FAILED));
    assertTrue(verdict.isGood());
  }

  @Test
  void failsByChance_mustPassInMostRuns() {
    add("chance", PASSED, TWICE_OF_THREE);
    assertTrue(verdict.isGood());
    add("chance", PASSED, FAILED);
    assertFalse(verdict.isGood());
  }

  @Test
  void flakyClass_mustPassInMostRuns() {
    add("TestSlow", Map.of("test", PASSED), Map.of("test", TWICE_OF_THREE));
    assertTrue(verdict.isGood());
    assertEquals("1 tests pass less often with Dayu, all of flaky classes", verdict.summary());
    add("TestSlow", Map.of("test", PASSED), Map.of("test", FAILED));
    assertFalse(verdict.isGood());
  }
}
