/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.admin;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.test.GenericTestUtils.LogCapturer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class PeerSettingsSyncTest {
  private Settings settings;

  @BeforeEach
  void read() throws Exception {
    settings = Settings.read(new Configuration(false));
  }

  private List<String> differences(String status) throws JsonProcessingException {
    return PeerSettingsSync.differences(new ObjectMapper().readTree(status), settings);
  }

  private static String status(String key, String value) {
    return "{\"settings\":[{\"key\":\"" + key + "\",\"value\":\"" + value + "\",\"origin\":\"set by alice\"}]}";
  }

  /** What is logged when peers nn2, nn3, ... answer so. */
  private String logOfAnswers(String... statuses) throws Exception {
    Map<String, JsonNode> answers = new LinkedHashMap<>();
    for (String status : statuses) {
      answers.put("nn" + (answers.size() + 2) + ":8020", new ObjectMapper().readTree(status));
    }
    LogCapturer log = LogCapturer.captureLogs(LoggerFactory.getLogger(PeerSettingsSync.class));
    try {
      new PeerSettingsSync(settings).answered(answers);
    } finally {
      log.stopCapturing();
    }
    return log.getOutput();
  }

  private static String changedLive(String key, String value, String origin, long changedMs) {
    return "{\"settings\":[{\"key\":\"" + key + "\",\"value\":\"" + value + "\",\"origin\":\"" + origin
        + "\",\"changedLive\":true,\"changedMs\":" + changedMs + "}]}";
  }

  /** A peer on which an admin has set alpha back. */
  private static String setBack(long changedMs) {
    return changedLive("dayu.recovery.max-utilization", "0.75", "default, set back by bob", changedMs)
        .replace("true", "false");
  }

  @Test
  void settingThatWasChangedLiveThere_isTakenOver() throws Exception {
    String log = logOfAnswers(changedLive("dayu.recovery.max-utilization", "0.6", "set by alice", 5));
    assertTrue(log.contains("RECONFIGURE* dayu.recovery.max-utilization changed from 0.75 to 0.6 by peer nn2:8020"),
        log);
    assertFalse(log.contains("another value"), log);
    assertEquals(0.6, settings.ratio(Setting.MAX_UTILIZATION));
    assertTrue(settings.changed(Setting.MAX_UTILIZATION), "agents are told");
    assertEquals("peer nn2:8020: set by alice", settings.origin(Setting.MAX_UTILIZATION));
    assertEquals(5, settings.changedMs(Setting.MAX_UTILIZATION), "the time of the command, for further peers");
  }

  @Test
  void settingThatADeadlineHidesThere_isTakenOverAsAnAdminHasSetIt() throws Exception {
    Settings peer = Settings.read(new Configuration(false));
    peer.change(Setting.MAX_UTILIZATION, "0.6", "set by alice", 5);
    peer.raiseMaxUtilization(0.9, "deadline of all at 2026-11-28T06:00:00Z");
    String status = new ObjectMapper().writeValueAsString(Map.of("settings", SettingsView.changed(peer)));
    String log = logOfAnswers(status);
    assertTrue(log.contains("RECONFIGURE* dayu.recovery.max-utilization changed from 0.75 to 0.6 by peer nn2:8020"),
        log);
    assertFalse(log.contains("another value"), log);
    assertEquals(0.6, settings.ratio(Setting.MAX_UTILIZATION));
    assertEquals("peer nn2:8020: set by alice", settings.origin(Setting.MAX_UTILIZATION));
    assertEquals(5, settings.changedMs(Setting.MAX_UTILIZATION));
  }

  @Test
  void settingThatADeadlineHidesHere_isNotChangedByAnEarlierCommand() throws Exception {
    settings.change(Setting.MAX_UTILIZATION, "0.6", "set by alice", 5);
    settings.raiseMaxUtilization(0.9, "deadline of all at 2026-11-28T06:00:00Z");
    logOfAnswers(changedLive("dayu.recovery.max-utilization", "0.5", "set by bob", 3));
    settings.raiseMaxUtilization(0, "");
    assertEquals(0.6, settings.ratio(Setting.MAX_UTILIZATION));
  }

  @Test
  void peerOfAnOlderVersion_whichDoesNotSayWhen_isTakenOver_ifNobodyChangedItLater() throws Exception {
    String old = changedLive("dayu.recovery.max-utilization", "0.6", "set by alice", 5).replace(",\"changedMs\":5", "");
    logOfAnswers(old, changedLive("dayu.recovery.max-utilization", "0.5", "set by bob", 9));
    assertEquals(0.5, settings.ratio(Setting.MAX_UTILIZATION));
    read();
    logOfAnswers(old);
    assertEquals(0.6, settings.ratio(Setting.MAX_UTILIZATION));
  }

  @Test
  void settingThatThePeerTookOverItself_namesOnlyThatPeer() throws Exception {
    logOfAnswers(changedLive("dayu.recovery.max-utilization", "0.6", "peer nn1:8020: set by alice", 5));
    assertEquals("peer nn2:8020: set by alice", settings.origin(Setting.MAX_UTILIZATION));
  }

  @Test
  void ofSeveralPeers_theLatestChangeApplies_inAnyOrder_andTheOtherIsNamed() throws Exception {
    String late = changedLive("dayu.recovery.max-utilization", "0.6", "set by alice", 9);
    String early = changedLive("dayu.recovery.max-utilization", "0.5", "set by bob", 5);
    for (String[] order : new String[][] {{late, early}, {early, late}}) {
      read();
      String log = logOfAnswers(order);
      assertEquals(0.6, settings.ratio(Setting.MAX_UTILIZATION));
      assertEquals(1, log.lines().filter(line -> line.contains("RECONFIGURE*")).count(), log);
      assertEquals(1, log.lines().filter(line -> line.contains("another value")).count(), log);
      assertTrue(log.contains("dayu.recovery.max-utilization = 0.5 (set by bob) there, 0.6"), log);
    }
  }

  @Test
  void settingThatWasSetBackLater_isNotTakenOver() throws Exception {
    String early = changedLive("dayu.recovery.max-utilization", "0.5", "set by alice", 5);
    for (String[] order : new String[][] {{setBack(9), early}, {early, setBack(9)}}) {
      read();
      String log = logOfAnswers(order);
      assertEquals("default", settings.origin(Setting.MAX_UTILIZATION));
      assertFalse(log.contains("RECONFIGURE*"), log);
      assertTrue(log.contains("dayu.recovery.max-utilization = 0.5 (set by alice) there, 0.75 (default) here"), log);
    }
  }

  @Test
  void settingThatWasSetHere_isSetBackLater_orChangedLater_byAPeersWord() throws Exception {
    settings.change(Setting.MAX_UTILIZATION, "0.5", "set by carol", 7);
    assertEquals("", logOfAnswers(changedLive("dayu.recovery.max-utilization", "0.5", "set by alice", 5), setBack(6))
        .lines().filter(line -> line.contains("RECONFIGURE*")).findAny().orElse(""));
    assertEquals("set by carol", settings.origin(Setting.MAX_UTILIZATION));
    logOfAnswers(setBack(9));
    assertEquals("default, set back as on peer nn2:8020", settings.origin(Setting.MAX_UTILIZATION));
    assertEquals(0.75, settings.ratio(Setting.MAX_UTILIZATION));
  }

  @Test
  void valueOfThisNameNodesFile_orALaterOneOfAnAdmin_goesBeforeThePeers() throws Exception {
    Configuration conf = new Configuration(false);
    conf.set("dayu.timeslot.interval", "5s", "hdfs-site.xml");
    settings = Settings.read(conf);
    String log = logOfAnswers(changedLive("dayu.timeslot.interval", "3s", "set by alice", 5));
    assertTrue(log.contains("dayu.timeslot.interval = 3s (set by alice) there, 5s ("), log);
    settings.change(Setting.MAX_UTILIZATION, "0.5", "set by bob", 6);
    log = logOfAnswers(changedLive("dayu.recovery.max-utilization", "0.6", "set by alice", 5));
    assertTrue(log.contains("dayu.recovery.max-utilization = 0.6 (set by alice) there, 0.5 (set by bob) here"), log);
    assertEquals(0.5, settings.ratio(Setting.MAX_UTILIZATION));
    assertFalse(log.contains("RECONFIGURE"), log);
  }

  @Test
  void valueOfThePeersFile_orOneThatIsNotValidHere_isNotTakenOver() throws Exception {
    logOfAnswers(status("dayu.recovery.max-utilization", "0.6"),
        changedLive("dayu.timeslot.interval", "three", "set by alice", 5),
        changedLive("dayu.transfer.lease", "30s", "set by alice", 5), "{}");
    for (Setting setting : Setting.values()) {
      assertEquals("default", settings.origin(setting), setting.key());
    }
  }

  @Test
  void settingThatWasForgotten_isNamedWithBothValues() throws Exception {
    assertEquals(List.of("dayu.recovery.max-utilization = 0.6 (set by alice) there, 0.75 (default) here"),
        differences(status("dayu.recovery.max-utilization", "0.6")));
  }

  @Test
  void settingThatOnlyThisNameNodeHas_isNamed() throws Exception {
    settings.change(Setting.MAX_UTILIZATION, "0.6", "set by bob", 1);
    assertEquals(List.of("dayu.recovery.max-utilization = 0.75 (default) there, 0.6 (set by bob) here"),
        differences("{\"settings\":[]}"));
    assertEquals(List.of(), differences(status("dayu.recovery.max-utilization", "0.6")));
  }

  @Test
  void equalValues_writtenInAnotherWay_areNoDifference() throws Exception {
    settings.change(Setting.TIMESLOT_INTERVAL, "3s", "set by bob", 1);
    assertEquals(List.of(), differences(status("dayu.timeslot.interval", "3000ms")));
    settings.change(Setting.MIN_BANDWIDTH, "1m", "set by bob", 1);
    assertEquals(List.of("dayu.timeslot.interval = 2s (default) there, 3s (set by bob) here"),
        differences(status("dayu.recovery.min.bandwidthPerSec", "1048576")));
  }

  @Test
  void valueThatFollowsFromAnother_isNoDifferenceOfItsOwn() throws Exception {
    settings.change(Setting.TIMESLOT_INTERVAL, "15s", "set by bob", 1);
    assertEquals(List.of(), differences(status("dayu.timeslot.interval", "15s")));
    assertEquals(List.of("dayu.timeslot.interval = 2s (default) there, 15s (set by bob) here"),
        differences("{\"settings\":[]}"));
    settings.change(Setting.TIMESLOT_HORIZON, "30s", "set by bob", 2);
    assertEquals(List.of("dayu.timeslot.horizon = 6s (default) there, 30s (set by bob) here"),
        differences(status("dayu.timeslot.interval", "15s")));
    settings.reset(Setting.TIMESLOT_HORIZON, "set back by bob", 3);
    assertEquals(List.of(), differences(status("dayu.timeslot.interval", "15s")));
  }

  @Test
  void valueThatThisVersionCannotParse_isADifference() throws Exception {
    assertEquals(List.of("dayu.timeslot.interval = three (set by alice) there, 2s (default) here"),
        differences(status("dayu.timeslot.interval", "three")));
  }

  @Test
  void settingsThatMayDiffer_andAnswersWithoutSettings_areNoDifference() throws Exception {
    assertEquals(List.of(), differences(status("dayu.namenode.lock.max-hold", "3ms")));
    assertEquals(List.of(), differences(status("dayu.not.known", "3")));
    assertEquals(List.of(), differences("{}"));
  }
}
