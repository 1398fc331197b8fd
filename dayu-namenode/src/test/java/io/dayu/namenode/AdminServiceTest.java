/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.conf.Settings;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What a NameNode says of its settings. */
class AdminServiceTest {
  @Test
  void settingsOfDataNodes_areNotShown() throws Exception {
    Configuration conf = new Configuration(false);
    conf.set("dayu.datanode.bandwidthPerSec", "4m");
    conf.set("dayu.recovery.max-utilization", "0.6");
    Settings settings = Settings.read(conf);
    List<Map<String, Object>> changed = AdminService.changed(settings);
    assertEquals(1, changed.size(), changed::toString);
    assertEquals("dayu.recovery.max-utilization", changed.get(0).get("key"));
    assertEquals(List.of("key", "value", "origin", "changedLive", "changedMs"),
        List.copyOf(changed.get(0).keySet()), "in this order");
    List<Map<String, Object>> all = AdminService.all(settings);
    assertTrue(all.stream().noneMatch(one -> one.get("key").equals("dayu.datanode.bandwidthPerSec")), all::toString);
    assertTrue(all.stream().anyMatch(one -> one.get("key").equals("dayu.timeslot.interval")), all::toString);
  }
}
