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

import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Optional;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

class ProfileWindowsTest {
  /** November 23rd, 2026 is a Monday. */
  private static ZonedDateTime at(int day, String time) {
    return ZonedDateTime.of(LocalDateTime.parse("2026-11-" + (22 + day) + "T" + time), ZoneId.of("Europe/Berlin"));
  }

  private static String profile(String windows, int day, String time) {
    return ProfileWindows.parse(windows).at(at(day, time)).map(window -> window.profile().word()).orElse("-");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"1 | 07:59 | -", "1 | 08:00 | gentle", "5 | 19:59 | gentle", "5 | 20:00 | -",
      "6 | 00:00 | fast", "7 | 23:59 | fast"})
  void windows_holdFromTheirBeginToBeforeTheirEnd(int day, String time, String expected) {
    assertEquals(expected, profile("Mon-Fri 08:00-20:00 gentle;\n   Sat,Sun fast", day, time));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"7 | 21:59 | -", "7 | 22:00 | fast", "1 | 05:59 | fast", "1 | 06:00 | -"})
  void window_mayGoOnToTheNextDay_andWeek(int day, String time, String expected) {
    assertEquals(expected, profile("Sun 22:00-06:00 fast", day, time));
  }

  @Test
  void days_mayGoOverTheEndOfTheWeek_andWordsHaveAnyCase() {
    assertEquals("fast", profile("fri-mon 00:00-24:00 fast", 7, "12:00"));
    assertEquals("fast", profile("fri-mon fast", 1, "12:00"));
    assertEquals("-", profile("fri-mon fast", 2, "00:00"));
    assertEquals("fast", profile("FRI-MON Fast", 1, "12:00"));
    assertEquals("-", profile("None", 1, "12:00"));
  }

  @Test
  void none_isNoWindow() {
    assertEquals("-", profile("none", 3, "12:00"));
    assertEquals(Optional.empty(), ProfileWindows.parse("none").nextChange(at(3, "12:00")));
    assertEquals(Optional.empty(), ProfileWindows.parse("Mon-Sun fast").nextChange(at(3, "12:00")));
  }

  @Test
  void nextChange_isTheEndOfTheWindow_orTheBeginOfTheNext() {
    ProfileWindows windows = ProfileWindows.parse("Mon-Fri 08:00-20:00 gentle; Sat,Sun fast");
    assertEquals(Optional.of("Fri 20:00"), windows.nextChange(at(5, "12:00")));
    assertEquals(Optional.of("Sat 00:00"), windows.nextChange(at(5, "21:00")));
    assertEquals(Optional.of("Mon 00:00"), windows.nextChange(at(6, "21:00")));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "Mon-Fri 8-20 gentle          | expected none, or windows such as Mon-Fri 08:00-20:00 gentle; Sat,Sun fast; "
          + "'Mon-Fri 8-20 gentle' is none",
      "Mon 08:00-20:00              | expected none, or windows such as Mon-Fri 08:00-20:00 gentle; Sat,Sun fast; "
          + "'Mon 08:00-20:00' is none",
      "Mon 08:00-20:00 slow         | 'slow' is no profile; expected one of none, gentle, balanced, fast",
      "Mo 08:00-20:00 gentle        | 'Mo' is no day; expected Mon, Tue, Wed, Thu, Fri, Sat or Sun",
      "Mon-Wed-Fri gentle           | 'Mon-Wed-Fri' is no range of days, such as Mon-Fri",
      "Mon 08:00-25:00 gentle       | '25:00' is no time from 00:00 to 24:00",
      "Mon 08:70-09:00 gentle       | '08:70' is no time from 00:00 to 24:00",
      "Mon 08:00-08:00 gentle       | the window 'Mon 08:00-08:00 gentle' has no length; a whole day has no times",
      "Mon-Fri gentle; Fri 18:00-20:00 fast | the windows 'Mon-Fri gentle' and 'Fri 18:00-20:00 fast' overlap on Fri "
          + "at 18:00",
      "Sun 22:00-06:00 fast; Mon gentle | the windows 'Sun 22:00-06:00 fast' and 'Mon gentle' overlap on Mon at 00:00"})
  void windows_thatAreWrong_areExplained(String text, String expected) {
    assertEquals(expected,
        assertThrows(IllegalArgumentException.class, () -> ProfileWindows.parse(text)).getMessage());
  }
}
