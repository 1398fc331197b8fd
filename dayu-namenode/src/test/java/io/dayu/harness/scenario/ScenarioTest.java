/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness.scenario;

import io.dayu.harness.load.LoadProfile;
import io.dayu.harness.scenario.Moment.Kind;
import org.junit.jupiter.api.Test;

import java.util.Map;
import java.util.Optional;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ScenarioTest {
  private static final String GOOD = """
      {
        // Comments are welcome.
        "about": "A node is lost.",
        "cluster": {"nodes": 4, "blockBytes": 1000, "bandwidthBytesPerSec": 2000, "seed": 9, "settings": {"a": "b"}},
        "files": [{"directory": "/f", "count": 2, "bytes": 1500, "replication": 3}],
        "load": {"outgoingUtilization": 0.3, "incomingUtilization": 0.1},
        "faults": [{"when": "after 30 % recovered", "fault": "kill", "node": "fullest", "as": "lost"},
                   {"when": "when in maintenance", "fault": "failVolume", "node": 2, "volume": 1}],
        "expect": {"recoveredBy": "dayu", "withinSec": 60}
      }
      """;

  private static String messageFor(String from, String to) {
    assertTrue(GOOD.contains(from), from);
    return assertThrows(IllegalArgumentException.class, () -> Scenario.parse("bad.json", GOOD.replace(from, to)))
        .getMessage();
  }

  @Test
  void scenario_isReadWithDefaults() throws Exception {
    Scenario scenario = Scenario.parse("good.json", GOOD);
    assertEquals(new Scenario.Cluster(4, 1, 1, 1000, 2000, false, false, false, 9, Map.of("a", "b")),
        scenario.cluster());
    assertEquals(new Step(new Moment(Kind.AFTER_PERCENT, 30), Fault.KILL, "fullest", "lost", null, null, null, null),
        scenario.faults().get(0));
    assertEquals(new Step(new Moment(Kind.IN_MAINTENANCE, 0), Fault.FAIL_VOLUME, "2", null, 1, null, null, null),
        scenario.faults().get(1));
    assertEquals(new Scenario.Expectations(RecoveredBy.DAYU, 60, null, 0), scenario.expect());
  }

  @Test
  void load_hasItsDefaultsAndTheClustersBandwidthAndSeed() throws Exception {
    LoadProfile expected = LoadProfile.of(2000).seed(9).outgoingUtilization(0.3).incomingUtilization(0.1).build();
    assertEquals(expected, Scenario.parse("good.json", GOOD).loadProfile().orElseThrow());
  }

  @Test
  void load_thatIsNotGivenIsNone() throws Exception {
    String load = GOOD.lines().filter(line -> line.contains("\"load\"")).findFirst().orElseThrow();
    assertEquals(Optional.empty(), Scenario.parse("good.json", GOOD.replace(load, "")).loadProfile());
  }

  @Test
  void unknownKey_isAnErrorThatNamesFileAndKey() {
    for (String key : new String[] {"\"about\"", "\"racksize\": 1, \"nodes\"", "\"cuont\": 1, \"count\"",
        "\"loda\": {}, \"load\"", "\"utilisation\": 0.1, \"outgoingUtilization\"", "\"wehn\": \"at once\", \"when\"",
        "\"withinMs\": 1, \"withinSec\""}) {
      String known = key.substring(key.lastIndexOf(' ') + 1);
      String added = key.equals(known) ? "\"abuot\": \"\", " + known : key;
      String message = messageFor(known, added);
      String unknown = added.substring(1, added.indexOf('"', 1));
      assertTrue(message.startsWith("bad.json: ") && message.contains("\"" + unknown + "\""), message);
    }
  }

  @Test
  void nonsense_isAnErrorThatSaysWhat() {
    assertTrue(messageFor("after 30 % recovered", "after 130 % recovered").contains("no such moment"));
    assertTrue(messageFor("\"kill\"", "\"kil\"").contains("kil"));
    assertTrue(messageFor(", \"volume\": 1", "").contains("VOLUME"));
    assertTrue(messageFor("\"as\": \"lost\"", "\"volume\": 1").contains("VOLUME"));
    assertTrue(messageFor("\"nodes\": 4, ", "").contains("nodes"));
    assertTrue(messageFor("\"replication\": 3", "\"replication\": 3, \"erasureCoding\": \"XOR-2-1-1024k\"")
        .contains("either"));
    assertTrue(messageFor("\"outgoingUtilization\": 0.3", "\"outgoingUtilization\": 0.01").contains("pass on"));
    assertTrue(messageFor("\"recoveredBy\": \"dayu\", ", "").contains("recoveredBy"));
  }
}
