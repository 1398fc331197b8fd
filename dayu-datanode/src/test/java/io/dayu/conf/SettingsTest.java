/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.conf;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SettingsTest {
  private static Configuration conf(String... keysAndValues) {
    Configuration conf = new Configuration(false);
    for (int i = 0; i < keysAndValues.length; i += 2) {
      conf.set(keysAndValues[i], keysAndValues[i + 1]);
    }
    return conf;
  }

  @ParameterizedTest
  @EnumSource(Setting.class)
  void everyDefault_parses(Setting setting) throws BadSettingException {
    assertEquals(setting.parse(setting.defaultText()), setting.parse(setting.defaultText()));
    assertTrue(setting.key().startsWith("dayu."));
    assertTrue(setting.description().length() > 10);
    assertTrue(!setting.unit().isEmpty());
  }

  @Test
  void defaults_areThoseOfTheDesign() throws BadSettingException {
    Settings settings = Settings.read(conf());
    assertEquals(2_000, settings.millis(Setting.TIMESLOT_INTERVAL));
    assertEquals(0.75, settings.ratio(Setting.MAX_UTILIZATION));
    assertEquals(0.95, settings.peakUtilization(), 1e-9);
    assertEquals(1_000_000, settings.bytesPerSec(Setting.BUCKET_BANDWIDTH));
    assertEquals(256, settings.count(Setting.SOURCE_MAX_STREAMS));
    assertEquals("nic", settings.choice(Setting.METER));
    assertEquals(100 << 20, settings.forStorageType(Setting.VOLUME_BANDWIDTH, StorageType.DISK));
    assertEquals(500 << 20, settings.forStorageType(Setting.VOLUME_BANDWIDTH, StorageType.SSD));
    assertEquals(1000 << 20, settings.forStorageType(Setting.VOLUME_BANDWIDTH, StorageType.RAM_DISK));
    assertEquals(64, settings.forStorageType(Setting.VOLUME_MAX_STREAMS, StorageType.ARCHIVE));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "dayu.timeslot.interval                   | 3             | with a unit",
      "dayu.timeslot.interval                   | 1ms           | from 200ms",
      "dayu.timeslot.interval                   | 99999999999d  | from 200ms",
      "dayu.timeslot.lead                       | 3s            | less than dayu.timeslot.interval",
      "dayu.timeslot.horizon                    | 1999ms        | at least dayu.timeslot.interval = 2s",
      "dayu.recovery.max-utilization            | 1.5           | from 0.01 to 1.0",
      "dayu.recovery.max-utilization            | NaN           | from 0.01 to 1.0",
      "dayu.recovery.max-utilization            | half          | from 0.01 to 1.0",
      "dayu.recovery.min.bandwidthPerSec        | -1            | 0 to 1t",
      "dayu.recovery.min.bandwidthPerSec        | 100MB         | suffix k, m, g or t",
      "dayu.recovery.min.bandwidthPerSec        | 9999999999t   | suffix k, m, g or t",
      "dayu.datanode.meter                      | snmp          | nic, datanode, fixed",
      "dayu.datanode.meter                      | com.acme.My Meter | or the full name of a class",
      "dayu.datanode.meter                      | fixed         | needs the node's bandwidth",
      "dayu.scheduler.algorithm                 | papers        | dayu, paper or the full name of a class",
      "dayu.scheduler.eviction-factor           | 0.9           | 0 or a number from 1.0 to 100.0",
      "dayu.scheduler.eviction-factor           | -1            | 0 or a number from 1.0 to 100.0",
      "dayu.scheduler.eviction-factor           | 101           | 0 or a number from 1.0 to 100.0",
      "dayu.source.max-streams                  | 0             | from 1 to 4096",
      "dayu.source.max-streams                  | many          | from 1 to 4096",
      "dayu.datanode.volume.bandwidthPerSec     | 100m          | has no '='",
      "dayu.datanode.volume.bandwidthPerSec     | DISK=1        | OTHER is missing",
      "dayu.datanode.volume.bandwidthPerSec     | TAPE=1,OTHER=1 | not a storage type",
      "dayu.datanode.volume.max-streams         | DISK=0,OTHER=1 | from 1 to 1000",
  })
  void badSetting_namesKeyValueAndWhatIsAllowed(String key, String value, String allowed) {
    BadSettingException bad = assertThrows(BadSettingException.class, () -> Settings.read(conf(key, value)));
    // The cross-checks name the setting that has to change.
    String named = value.equals("fixed") ? "dayu.datanode.bandwidthPerSec" : key;
    assertTrue(bad.getMessage().contains(named), bad.getMessage());
    assertTrue(value.equals("fixed") || bad.getMessage().contains("'" + value + "'"), bad.getMessage());
    assertTrue(bad.getMessage().contains(allowed), bad.getMessage());
    assertTrue(!bad.getMessage().contains("\n"), "one line");
  }

  /** An admin who corrects one at a time restarts the daemon as often. */
  @Test
  void allBadSettings_areNamedInOneLine() {
    BadSettingException bad = assertThrows(BadSettingException.class,
        () -> Settings.read(conf("dayu.timeslot.interval", "3", "dayu.recovery.max-utilization", "half",
            "dayu.timeslot.lead", "9s", "dayu.datanode.meter", "fixed", "dayu.transfer.lease", "3s")));
    String line = bad.getMessage();
    for (String one : List.of("setting dayu.timeslot.interval = '3' is not valid: ",
        "setting dayu.recovery.max-utilization = 'half' is not valid: ", "setting dayu.datanode.bandwidthPerSec = '0' ",
        "setting dayu.transfer.lease = '3s' is not valid: expected at least 4 times ")) {
      assertTrue(line.contains(one), line);
    }
    assertTrue(!line.contains("lead") && !line.contains("\n"), "what the lead must fit is not valid either: " + line);
  }

  @Test
  void goodValues_areReadWithTheirUnits() throws BadSettingException {
    Settings settings = Settings.read(conf("dayu.timeslot.interval", "2m", "dayu.recovery.min.bandwidthPerSec", "30M",
        "dayu.datanode.volume.max-streams", " disk=3 , other=9 ", "dayu.datanode.meter", "fixed",
        "dayu.datanode.bandwidthPerSec", "1g", "dayu.scheduler.eviction-factor", "0"));
    assertEquals(0, settings.ratio(Setting.EVICTION_FACTOR));
    assertEquals(120_000, settings.millis(Setting.TIMESLOT_INTERVAL));
    assertEquals(30L << 20, settings.bytesPerSec(Setting.MIN_BANDWIDTH));
    assertEquals(1L << 30, settings.bytesPerSec(Setting.NODE_BANDWIDTH));
    assertEquals(3, settings.forStorageType(Setting.VOLUME_MAX_STREAMS, StorageType.DISK));
    assertEquals(9, settings.forStorageType(Setting.VOLUME_MAX_STREAMS, StorageType.ARCHIVE));
  }

  @Test
  void unknownKey_isNamedInAWarning_withTheNearestKnownOne() throws BadSettingException {
    Settings settings = Settings.read(conf("dayu.timeslot.intervall", "3s", "dayu.recovery.max-utilization", "0.5"));
    assertEquals(List.of("dayu.timeslot.intervall"), settings.unknownKeys());
    assertEquals(1, settings.warnings().size());
    assertTrue(settings.warnings().get(0).contains("dayu.timeslot.intervall "), settings.warnings()::toString);
    assertTrue(settings.warnings().get(0).endsWith(" is dayu.timeslot.interval"), settings.warnings()::toString);
    assertEquals(0.5, settings.ratio(Setting.MAX_UTILIZATION));
  }

  @ParameterizedTest
  @ValueSource(strings = {"dayu.scheduler.targets", "dayu.scheduler.rates", "dayu.scheduler.forecast",
      "dayu.scheduler.order"})
  void keyOfAnEarlierVersion_isReportedWithWhatHasReplacedIt(String key) throws BadSettingException {
    assertEquals(List.of("Dayu ignores the setting " + key + ": dayu.scheduler.algorithm has replaced it"),
        Settings.read(conf(key, "hull")).warnings());
    assertEquals(Optional.of(Setting.ALGORITHM), Settings.suggestion(key));
  }

  @Test
  void change_replacesTheValueAndItsOrigin() throws BadSettingException {
    Settings settings = Settings.read(conf());
    assertEquals("default", settings.origin(Setting.MAX_UTILIZATION));
    assertEquals("0.75", settings.change(Setting.MAX_UTILIZATION, " 0.5 ", "set by alice", 1));
    assertEquals(0.5, settings.ratio(Setting.MAX_UTILIZATION));
    assertEquals("0.5", settings.text(Setting.MAX_UTILIZATION));
    assertEquals("set by alice", settings.origin(Setting.MAX_UTILIZATION));
  }

  @Test
  void reset_givesBackTheValueOfTheStart() throws BadSettingException {
    Settings settings = Settings.read(conf("dayu.timeslot.interval", "5s"));
    settings.change(Setting.TIMESLOT_INTERVAL, "500ms", "set by alice", 7);
    settings.change(Setting.MAX_UTILIZATION, "0.5", "set by alice", 7);
    assertTrue(settings.changed(Setting.MAX_UTILIZATION));
    assertEquals(7, settings.changedMs(Setting.MAX_UTILIZATION));
    assertEquals("500ms", settings.reset(Setting.TIMESLOT_INTERVAL, "set back by bob", 9));
    assertEquals("0.5", settings.reset(Setting.MAX_UTILIZATION, "set back by bob", 9));
    assertEquals(5_000, settings.millis(Setting.TIMESLOT_INTERVAL));
    assertEquals(1_000, settings.millis(Setting.TIMESLOT_LEAD));
    assertEquals("default, set back by bob", settings.origin(Setting.MAX_UTILIZATION));
    assertFalse(settings.changed(Setting.MAX_UTILIZATION), "agents use their own value again");
    assertEquals(9, settings.changedMs(Setting.MAX_UTILIZATION));
    assertTrue(settings.inFile(Setting.TIMESLOT_INTERVAL));
    assertFalse(settings.inFile(Setting.MAX_UTILIZATION));
    assertThrows(BadSettingException.class, () -> settings.reset(Setting.LEASE, "set back by bob", 9));
  }

  @Test
  void leadThatIsNotSet_followsAChangeOfT_oneThatIsSetMustFit() throws BadSettingException {
    Settings settings = Settings.read(conf());
    settings.change(Setting.TIMESLOT_INTERVAL, "500ms", "set by alice", 1);
    assertEquals(250, settings.millis(Setting.TIMESLOT_LEAD));
    settings.change(Setting.TIMESLOT_INTERVAL, "15s", "set by alice", 1);
    assertEquals(1000, settings.millis(Setting.TIMESLOT_LEAD));
    Settings set = Settings.read(conf("dayu.timeslot.lead", "1s"));
    BadSettingException bad =
        assertThrows(BadSettingException.class,
            () -> set.change(Setting.TIMESLOT_INTERVAL, "500ms", "set by alice", 1));
    assertTrue(bad.getMessage().contains("less than dayu.timeslot.interval = 500ms"), bad.getMessage());
    assertEquals(2000, set.millis(Setting.TIMESLOT_INTERVAL));
  }

  @Test
  void horizonThatIsNotSet_followsALongT_oneThatIsSetMustFit() throws BadSettingException {
    Settings settings = Settings.read(conf("dayu.timeslot.interval", "15s"));
    assertEquals(15_000, settings.millis(Setting.TIMESLOT_HORIZON));
    settings.change(Setting.TIMESLOT_INTERVAL, "2s", "set by alice", 1);
    assertEquals(6_000, settings.millis(Setting.TIMESLOT_HORIZON));
    settings.change(Setting.TIMESLOT_HORIZON, "2s", "set by alice", 2);
    BadSettingException tooLong = assertThrows(BadSettingException.class,
        () -> settings.change(Setting.TIMESLOT_INTERVAL, "3s", "set by alice", 3));
    assertTrue(tooLong.getMessage().contains("dayu.timeslot.horizon = '2s'"), tooLong.getMessage());
    assertTrue(
        tooLong.getMessage().endsWith("expected at least dayu.timeslot.interval = 3s, or no value: then it follows"),
        tooLong.getMessage());
    assertEquals("2s", settings.reset(Setting.TIMESLOT_HORIZON, "set back by bob", 4));
    settings.change(Setting.TIMESLOT_INTERVAL, "20s", "set by alice", 5);
    assertEquals(20_000, settings.millis(Setting.TIMESLOT_HORIZON));
    assertEquals("default, set back by bob", settings.origin(Setting.TIMESLOT_HORIZON));
    assertEquals(15_000, Settings.defaults().with(Map.of("dayu.timeslot.interval", "15s"))
        .millis(Setting.TIMESLOT_HORIZON));
    assertThrows(BadSettingException.class,
        () -> Settings.read(conf("dayu.timeslot.interval", "15s", "dayu.timeslot.horizon", "6s")));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "dayu.recovery.max-utilization | 2     | from 0.01 to 1.0",
      "dayu.timeslot.interval        | 100ms | from 200ms",
      "dayu.timeslot.horizon         | 1s    | at least dayu.timeslot.interval = 2s",
      "dayu.transfer.lease           | 30s   | restart",
  })
  void badChange_changesNothing(String key, String text, String allowed) throws BadSettingException {
    Settings settings = Settings.read(conf());
    Setting setting = Setting.ofKey(key);
    BadSettingException bad =
        assertThrows(BadSettingException.class, () -> settings.change(setting, text, "set by alice", 1));
    assertTrue(bad.getMessage().contains(allowed), bad.getMessage());
    assertEquals(setting.defaultText(), settings.text(setting));
    assertEquals("default", settings.origin(setting));
  }

  @Test
  void meter_mayBeAClass() throws BadSettingException {
    assertEquals("com.acme.SwitchMeter",
        Settings.read(conf("dayu.datanode.meter", "com.acme.SwitchMeter")).choice(Setting.METER));
  }

  @Test
  void defaults_areTheSame_withoutAConfiguration() throws BadSettingException {
    Settings read = Settings.read(conf());
    Settings defaults = Settings.defaults();
    assertEquals(read.millis(Setting.TIMESLOT_HORIZON), defaults.millis(Setting.TIMESLOT_HORIZON));
    assertEquals(read.ratio(Setting.EVICTION_FACTOR), defaults.ratio(Setting.EVICTION_FACTOR));
    assertEquals(read.choice(Setting.ALGORITHM), defaults.choice(Setting.ALGORITHM));
    assertEquals(read.peakUtilization(), defaults.peakUtilization());
  }

  @Test
  void lead_isHalfOfAShortTimeslot_unlessItIsSet() throws Exception {
    Configuration conf = new Configuration(false);
    assertEquals(1_000, Settings.read(conf).millis(Setting.TIMESLOT_LEAD));
    conf.set("dayu.timeslot.interval", "1s");
    assertEquals(500, Settings.read(conf).millis(Setting.TIMESLOT_LEAD));
    conf.set("dayu.timeslot.lead", "900ms");
    assertEquals(900, Settings.read(conf).millis(Setting.TIMESLOT_LEAD));
  }

  @Test
  void lease_fitsTheHeartbeatsOfASimulation_unlessItIsGiven() throws Exception {
    Settings rare = Settings.defaults().with(Map.of("dayu.heartbeat.interval", "20s"));
    assertEquals(80_000, rare.millis(Setting.LEASE));
    assertEquals(60_000, rare.with(Map.of("dayu.heartbeat.interval", "1s", "dayu.transfer.lease", "60s"))
        .millis(Setting.LEASE));
    assertThrows(BadSettingException.class,
        () -> Settings.defaults().with(Map.of("dayu.heartbeat.interval", "20s", "dayu.transfer.lease", "60s")));
  }

  /** Hadoop's keys are case-sensitive: such a key sets nothing. */
  @Test
  void keyInAnotherCase_isReported() throws BadSettingException {
    assertEquals(List.of("Dayu does not know the setting Dayu.Profile and ignores it: it is misspelt or of a newer "
        + "version. The nearest that this version knows is dayu.profile"),
        Settings.read(conf("Dayu.Profile", "fast")).warnings());
  }

  @Test
  void unknownKey_thatIsNearToNone_hasNoSuggestion() throws BadSettingException {
    assertEquals(List.of("Dayu does not know the setting dayu.of.nobody and ignores it: it is misspelt or of a newer "
        + "version"), Settings.read(conf("dayu.of.nobody", "1")).warnings());
  }

  @Test
  void nearSetting_isNamedOnlyIfItIsNear() {
    assertEquals(Optional.of(Setting.MAX_UTILIZATION), Settings.suggestion("dayu.recovery.max-utilisation"));
    assertEquals(Optional.empty(), Settings.suggestion("foo"));
    assertEquals(Optional.empty(), Settings.suggestion(""));
  }

  @Test
  void unit_hasTheBounds() {
    assertEquals("fraction, 0.01 to 1.0", Setting.MAX_UTILIZATION.unit());
    assertEquals("time (ms/s/m/h/d), 200ms to 10m", Setting.TIMESLOT_INTERVAL.unit());
    assertEquals("time (ms/s/m/h/d), 0s to 10m", Setting.TIMESLOT_LEAD.unit());
    assertEquals("time (ms/s/m/h/d), 1s to 1h", Setting.WATCHDOG_TIMEOUT.unit());
    assertEquals("count, 1 to 1000, by storage type", Setting.VOLUME_MAX_STREAMS.unit());
    assertEquals("bytes/s (k/m/g/t), 0 to 1t", Setting.NODE_BANDWIDTH.unit());
    assertEquals("factor, 0 or 1.0 to 100.0", Setting.EVICTION_FACTOR.unit());
  }

  @Test
  void maxUtilization_isHigherWhereTheNetworkLetsClientsGoFirst() throws Exception {
    Configuration conf = new Configuration(false);
    conf.set(Setting.TRAFFIC_CLASS.key(), "lower-effort-honoured");
    Settings honoured = Settings.read(conf);
    assertEquals(0.95, honoured.ratio(Setting.MAX_UTILIZATION));
    assertEquals(1, honoured.peakUtilization());
    assertTrue(honoured.isDefault(Setting.MAX_UTILIZATION));
    assertEquals("default, by dayu.transfer.traffic-class", honoured.origin(Setting.MAX_UTILIZATION));
    conf.set(Setting.MAX_UTILIZATION.key(), "0.6");
    assertEquals(0.6, Settings.read(conf).ratio(Setting.MAX_UTILIZATION), "what an admin sets stays");
    conf.set(Setting.TRAFFIC_CLASS.key(), "lower-effort");
    assertEquals(0.92, Settings.read(conf).peakUtilization(), 1e-9, "marking alone changes nothing");
  }

  /** Hadoop, too, allows words in any case. */
  @Test
  void wordInAnotherCase_isShownAsDayuKnowsIt() throws Exception {
    Configuration conf = new Configuration(false);
    conf.set(Setting.TIE_BREAK.key(), " Space ");
    Settings settings = Settings.read(conf);
    assertEquals("space", settings.text(Setting.TIE_BREAK));
    assertEquals("stock", settings.change(Setting.ERASURE_CODING, " Dayu", "set by alice", 1));
    assertEquals("dayu", settings.setText(Setting.ERASURE_CODING));
    assertEquals("dayu", settings.change(Setting.ERASURE_CODING, "STOCK", "set by alice", 1));
    assertEquals("stock", settings.text(Setting.ERASURE_CODING));
    assertEquals("fast", settings.with(Map.of(Setting.PROFILE.key(), "FAST")).text(Setting.PROFILE));
  }
}
