/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

final class TestOptionTest {
  private static final String NAME = "test.option";

  @AfterEach
  void clear() {
    System.clearProperty(NAME);
  }

  @Test
  void withoutAValue_theDefaultHolds() {
    assertEquals(40, TestOption.count(NAME, 40, 1));
    assertNull(TestOption.seedOrNull(NAME));
  }

  @Test
  void leastNumber_isPossible() {
    System.setProperty(NAME, "1");
    assertEquals(1, TestOption.count(NAME, 40, 1));
    System.setProperty(NAME, "-9223372036854775808");
    assertEquals(Long.MIN_VALUE, TestOption.seedOrNull(NAME));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-1", "2147483648", "abc", "1.5", "", " 7"})
  void otherValue_isRefused_withWhatIsPossible(String value) {
    System.setProperty(NAME, value);
    Exception error = assertThrows(IllegalArgumentException.class, () -> TestOption.count(NAME, 40, 1));
    assertEquals("-Dtest.option=" + value + " is not possible: expected a whole number from 1 to 2147483647",
        error.getMessage());
  }
}
