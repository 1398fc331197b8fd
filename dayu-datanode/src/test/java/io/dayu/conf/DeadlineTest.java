/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.conf;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Instant;
import java.time.ZoneId;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class DeadlineTest {
  private static final Instant NOW = Instant.parse("2026-11-27T17:00:00.123Z");
  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

  private static Deadline at(String when) {
    return Deadline.of("dn1:9866", when, 0.9, NOW, BERLIN);
  }

  @ParameterizedTest
  @CsvSource({"90s, 2026-11-27T17:01:30Z", "30m, 2026-11-27T17:30:00Z", "6h, 2026-11-27T23:00:00Z",
      "2d, 2026-11-29T17:00:00Z", "19:00, 2026-11-27T18:00:00Z", "18:00, 2026-11-28T17:00:00Z",
      "06:00, 2026-11-28T05:00:00Z", "2026-11-28T06:00, 2026-11-28T05:00:00Z",
      "2026-11-28T06:00Z, 2026-11-28T06:00:00Z",
      "2026-11-28T06:00-05:00, 2026-11-28T11:00:00Z"})
  void times_areLengthsTimesOfTheDayOrDates(String when, String expected) {
    assertEquals(Instant.parse(expected), at(when).until());
    assertEquals(Instant.parse("2026-11-27T17:00:00Z"), at(when).from());
  }

  @ParameterizedTest
  @ValueSource(strings = {"tomorrow", "25:00", "6", "-1h", "2026-11-28"})
  void otherTimes_areExplained(String when) {
    assertTrue(assertThrows(IllegalArgumentException.class, () -> at(when)).getMessage()
        .startsWith("'" + when + "' is no time: expected a length such as 6h"), when);
  }

  @Test
  void past_isRefused() {
    assertEquals("the deadline 2026-11-27T16:00:00Z is not later than 2026-11-27T17:00:00Z",
        assertThrows(IllegalArgumentException.class, () -> at("2026-11-27T16:00Z")).getMessage());
    assertThrows(IllegalArgumentException.class, () -> Deadline.of("all", "6h", 1.5, NOW, BERLIN));
    assertThrows(IllegalArgumentException.class, () -> at("9999d"));
  }

  @Test
  void setting_isReadAsItIsWritten() {
    List<Deadline> deadlines = List.of(at("6h"), Deadline.of("all", "1d", 0.5, NOW, BERLIN));
    assertEquals(deadlines, Deadline.parse(Deadline.text(deadlines)));
    assertEquals(List.of(), Deadline.parse(Deadline.text(List.of())));
    assertTrue(assertThrows(IllegalArgumentException.class, () -> Deadline.parse("all 6h")).getMessage()
        .startsWith("expected none, or deadlines as hdfs dayu -deadline writes them"));
  }

  @Test
  void node_isNamedWithOrWithoutItsPort() {
    assertTrue(at("6h").isOf("dn1:9866"));
    assertTrue(Deadline.of("dn1", "6h", 0.9, NOW, BERLIN).isOf("dn1:9866"));
    assertFalse(Deadline.of("dn1", "6h", 0.9, NOW, BERLIN).isOf("dn11:9866"));
    assertTrue(Deadline.of("all", "6h", 0.9, NOW, BERLIN).isOf("dn11:9866"));
    assertTrue(Deadline.of("DN1", "6h", 0.9, NOW, BERLIN).isOf("dn1.example.com:9866"));
    assertTrue(Deadline.of("10.0.0.1:9866", "6h", 0.9, NOW, BERLIN).isOf("10.0.0.1:9866"));
    assertTrue(Deadline.of("dn1:9866", "6h", 0.9, NOW, BERLIN).isOf("dn1.example.com:9866"));
    assertFalse(Deadline.of("dn1:9867", "6h", 0.9, NOW, BERLIN).isOf("dn1.example.com:9866"));
    assertTrue(Deadline.of("ALL", "6h", 0.9, NOW, BERLIN).isOf("dn1:9866"));
    assertTrue(Deadline.of("dn1.example.com:9866", "6h", 0.9, NOW, BERLIN).isSameNode("DN1"));
    assertFalse(Deadline.of("all", "6h", 0.9, NOW, BERLIN).isSameNode("dn1"));
    assertTrue(Deadline.of("[fe80::1]:9866", "6h", 0.9, NOW, BERLIN).isOf("[fe80::1]:9866"));
    assertFalse(Deadline.of("10", "6h", 0.9, NOW, BERLIN).isOf("10.0.0.1:9866"));
  }

  @Test
  void timeWithTheMomentWhenItWasGiven_isTheSameDeadlineForAllNameNodes() {
    for (String when : List.of("6h", "18:00", "2026-11-28T06:00")) {
      String given = Deadline.given(when, NOW);
      assertEquals(at(when), Deadline.of("dn1:9866", given, 0.9, NOW.plusSeconds(3), BERLIN));
      assertEquals(at(when), Deadline.of("dn1:9866", given, 0.9, NOW.minusSeconds(3), BERLIN));
    }
    assertTrue(assertThrows(IllegalArgumentException.class, () -> at(Deadline.given("6", NOW))).getMessage()
        .startsWith("'6' is no time: expected a length such as 6h"));
    assertThrows(IllegalArgumentException.class, () -> at("2026-13-27T17:00:00Z/6h"));
    String given = Deadline.given("1m", NOW);
    assertThrows(IllegalArgumentException.class,
        () -> Deadline.of("all", given, 0.9, NOW.plusSeconds(60), BERLIN), "a clock is wrong");
  }
}
