/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.conf;

import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalDouble;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Profiles as they change α, B_min and the class of the network, with a clock that the test has. */
class SettingsProfileTest {
  /** Berlin is one hour ahead of UTC in winter, two in summer. */
  private static final Instant MONDAY_NIGHT = Instant.parse("2026-11-23T06:59:59Z");
  private static final Instant MONDAY_MORNING = Instant.parse("2026-11-23T07:00:00Z");
  private static final Instant SATURDAY = Instant.parse("2026-11-28T12:00:00Z");

  private Settings settings;

  @BeforeEach
  void windowsOfTheWeek() throws Exception {
    settings = read("none", "Mon-Fri 08:00-20:00 gentle; Sat,Sun fast");
  }

  private static Settings read(String profile, String windows) throws BadSettingException {
    Configuration conf = new Configuration(false);
    conf.set("dayu.profile", profile);
    conf.set("dayu.profile.windows", windows);
    conf.set("dayu.profile.time-zone", "Europe/Berlin");
    conf.set("dayu.recovery.max-utilization", "0.6");
    conf.set("dayu.recovery.min.bandwidthPerSec", "10m");
    return Settings.read(conf);
  }

  private Optional<String> follow(Instant now) {
    return settings.followProfile(now, () -> false);
  }

  private void assertLimits(double alpha, double minBytesPerSec) {
    assertEquals(alpha, settings.ratio(Setting.MAX_UTILIZATION));
    assertEquals(minBytesPerSec, settings.minBytesPerSec(1e9));
  }

  @Test
  void window_holdsByTheClockOfItsZone() {
    assertEquals(Optional.empty(), follow(MONDAY_NIGHT));
    assertLimits(0.6, 10 << 20);
    assertEquals(Optional.of("none -> gentle (profile gentle, window Mon-Fri 08:00-20:00 gentle until Mon "
        + "20:00 Europe/Berlin): alpha = 0.5, B_min = 6 % of a node"), follow(MONDAY_MORNING));
    assertLimits(0.5, 6e7);
    assertEquals("profile gentle, window Mon-Fri 08:00-20:00 gentle until Mon 20:00 Europe/Berlin",
        settings.origin(Setting.MAX_UTILIZATION));
    assertEquals(Optional.empty(), follow(MONDAY_MORNING.plusSeconds(3600)));
    assertTrue(follow(SATURDAY).isPresent());
    assertLimits(0.9, 2.5e8);
    assertTrue(settings.profile().isUnmarked());
    assertTrue(follow(MONDAY_NIGHT).isPresent());
    assertLimits(0.6, 10 << 20);
    assertEquals("", settings.profileOrigin());
  }

  @Test
  void zone_hasItsSummerTime() throws Exception {
    follow(Instant.parse("2026-06-01T06:00:00Z"));
    assertEquals(Profile.GENTLE, settings.profile());
    settings.change(Setting.PROFILE_TIME_ZONE, "UTC", "set by a test", 1);
    follow(Instant.parse("2026-06-01T06:00:00Z"));
    assertEquals(Profile.NONE, settings.profile());
  }

  @Test
  void profile_holdsOutsideOfWindows() throws Exception {
    settings = read("balanced", "Sat,Sun none");
    follow(MONDAY_MORNING);
    assertLimits(0.75, 1.2e8);
    follow(SATURDAY);
    assertLimits(0.6, 10 << 20);
  }

  @Test
  void highestRisk_isNeverSlowerThanBalanced() {
    assertTrue(settings.followProfile(MONDAY_MORNING, () -> true).isPresent());
    assertLimits(0.75, 1.2e8);
    assertEquals("profile gentle, window Mon-Fri 08:00-20:00 gentle until Mon 20:00 Europe/Berlin; balanced while "
        + "blocks of the highest risk wait", settings.profileOrigin());
    follow(MONDAY_MORNING);
    assertLimits(0.5, 6e7);
    settings.followProfile(SATURDAY, () -> true);
    assertLimits(0.9, 2.5e8);
  }

  @Test
  void liveChange_goesBeforeTheProfile_andEndsWithReset() throws Exception {
    follow(MONDAY_MORNING);
    assertFalse(settings.changed(Setting.MAX_UTILIZATION), "peers would take it over");
    settings.change(Setting.MAX_UTILIZATION, "0.3", "set by a test", 1);
    assertEquals(0.3, settings.ratio(Setting.MAX_UTILIZATION));
    assertFalse(settings.isImposed(Setting.MAX_UTILIZATION));
    assertTrue(settings.isImposed(Setting.MIN_BANDWIDTH));
    assertEquals(6e7, settings.minBytesPerSec(1e9));
    assertEquals(OptionalDouble.of(0.06), settings.imposedMinRatio());
    settings.change(Setting.MIN_BANDWIDTH, "3m", "set by a test", 1);
    assertEquals(OptionalDouble.empty(), settings.imposedMinRatio());
    settings.reset(Setting.MIN_BANDWIDTH, "set back by a test", 2);
    settings.reset(Setting.MAX_UTILIZATION, "set back by a test", 2);
    assertLimits(0.5, 6e7);
  }

  @Test
  void windows_canBeEndedLive() throws Exception {
    follow(MONDAY_MORNING);
    settings.change(Setting.PROFILE_WINDOWS, "none", "set by a test", 1);
    follow(MONDAY_MORNING);
    assertLimits(0.6, 10 << 20);
    settings.change(Setting.PROFILE, "fast", "set by a test", 2);
    follow(MONDAY_MORNING);
    assertLimits(0.9, 2.5e8);
  }

  @Test
  void unmarkedRecovery_doesNotGoBehindClients() throws Exception {
    Configuration conf = new Configuration(false);
    conf.set("dayu.transfer.traffic-class", "lower-effort-honoured");
    settings = Settings.read(conf);
    assertTrue(settings.goesBehindClients());
    settings.change(Setting.PROFILE, "fast", "set by a test", 1);
    follow(MONDAY_MORNING);
    assertFalse(settings.goesBehindClients());
  }

  @Test
  void wrongZone_isExplained() {
    assertEquals("setting dayu.profile.time-zone = 'Berlin' is not valid: expected system or a time zone such as "
        + "Europe/Berlin or UTC",
        assertThrows(BadSettingException.class,
            () -> settings.change(Setting.PROFILE_TIME_ZONE, "Berlin", "set by a test", 1)).getMessage());
  }
}
