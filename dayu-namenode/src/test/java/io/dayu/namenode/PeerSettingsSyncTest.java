/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dayu.admin.Command;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.test.GenericTestUtils.LogCapturer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

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

  /** Asks a peer that answers so for its status. */
  private String logOfAsking(String status) throws Exception {
    PeerControlSync.Peer peer = mock(PeerControlSync.Peer.class);
    when(peer.name()).thenReturn("nn2:8020");
    when(peer.call(Command.STATUS, "")).thenReturn(new ObjectMapper().readTree(status));
    LogCapturer log = LogCapturer.captureLogs(LoggerFactory.getLogger(PeerSettingsSync.class));
    try {
      new PeerSettingsSync(peer, settings).call(Command.STATUS, "");
    } finally {
      log.stopCapturing();
    }
    return log.getOutput();
  }

  private static String changedLive(String key, String value, String origin) {
    return "{\"settings\":[{\"key\":\"" + key + "\",\"value\":\"" + value + "\",\"origin\":\"" + origin
        + "\",\"changedLive\":true}]}";
  }

  @Test
  void settingThatWasChangedLiveThere_isTakenOver() throws Exception {
    String log = logOfAsking(changedLive("dayu.recovery.max-utilization", "0.6", "set by alice"));
    assertTrue(log.contains("RECONFIGURE* dayu.recovery.max-utilization changed from 0.75 to 0.6 by peer nn2:8020"),
        log);
    assertFalse(log.contains("another value"), log);
    assertEquals(0.6, settings.ratio(Setting.MAX_UTILIZATION));
    assertTrue(settings.changed(Setting.MAX_UTILIZATION), "agents are told");
    assertEquals("peer nn2:8020: set by alice", settings.origin(Setting.MAX_UTILIZATION));
  }

  @Test
  void settingThatThePeerTookOverItself_namesOnlyThatPeer() throws Exception {
    logOfAsking(changedLive("dayu.recovery.max-utilization", "0.6", "peer nn1:8020: set by alice"));
    assertEquals("peer nn2:8020: set by alice", settings.origin(Setting.MAX_UTILIZATION));
  }

  @Test
  void valueOfThisNameNodesFile_orOfAnAdmin_goesBeforeThePeers() throws Exception {
    Configuration conf = new Configuration(false);
    conf.set("dayu.timeslot.interval", "5s", "hdfs-site.xml");
    settings = Settings.read(conf);
    String log = logOfAsking(changedLive("dayu.timeslot.interval", "3s", "set by alice"));
    assertTrue(log.contains("dayu.timeslot.interval = 3s (set by alice) there, 5s ("), log);
    settings.change(Setting.MAX_UTILIZATION, "0.5", "set by bob");
    log = logOfAsking(changedLive("dayu.recovery.max-utilization", "0.6", "set by alice"));
    assertTrue(log.contains("dayu.recovery.max-utilization = 0.6 (set by alice) there, 0.5 (set by bob) here"), log);
    assertEquals(0.5, settings.ratio(Setting.MAX_UTILIZATION));
    assertFalse(log.contains("RECONFIGURE"), log);
  }

  @Test
  void valueOfThePeersFile_orOneThatIsNotValidHere_isNotTakenOver() throws Exception {
    logOfAsking(status("dayu.recovery.max-utilization", "0.6"));
    logOfAsking(changedLive("dayu.timeslot.interval", "three", "set by alice"));
    logOfAsking(changedLive("dayu.transfer.lease", "30s", "set by alice"));
    logOfAsking("{}");
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
    settings.change(Setting.MAX_UTILIZATION, "0.6", "set by bob");
    assertEquals(List.of("dayu.recovery.max-utilization = 0.75 (default) there, 0.6 (set by bob) here"),
        differences("{\"settings\":[]}"));
    assertEquals(List.of(), differences(status("dayu.recovery.max-utilization", "0.6")));
  }

  @Test
  void equalValues_writtenInAnotherWay_areNoDifference() throws Exception {
    settings.change(Setting.TIMESLOT_INTERVAL, "3s", "set by bob");
    assertEquals(List.of(), differences(status("dayu.timeslot.interval", "3000ms")));
    settings.change(Setting.MIN_BANDWIDTH, "1m", "set by bob");
    assertEquals(List.of("dayu.timeslot.interval = 2s (default) there, 3s (set by bob) here"),
        differences(status("dayu.recovery.min.bandwidthPerSec", "1048576")));
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
