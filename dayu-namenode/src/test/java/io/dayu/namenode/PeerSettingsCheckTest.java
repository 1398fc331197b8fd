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
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

class PeerSettingsCheckTest {
  private Settings settings;

  @BeforeEach
  void read() throws Exception {
    settings = Settings.read(new Configuration(false));
  }

  private List<String> differences(String status) throws JsonProcessingException {
    return PeerSettingsCheck.differences(new ObjectMapper().readTree(status), settings);
  }

  private static String status(String key, String value) {
    return "{\"settings\":[{\"key\":\"" + key + "\",\"value\":\"" + value + "\",\"origin\":\"set by alice\"}]}";
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
