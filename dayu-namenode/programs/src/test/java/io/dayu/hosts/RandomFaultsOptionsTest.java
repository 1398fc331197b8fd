/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import io.dayu.hosts.faults.FaultKind;
import io.dayu.programs.options.BadOptionException;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.SystemErasureCodingPolicies;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class RandomFaultsOptionsTest {
  @TempDir
  private Path directory;

  private RandomFaultsOptions read(String... keysAndValues) throws BadOptionException {
    Map<String, String> properties = new HashMap<>(Map.of("hosts.fault", "random"));
    for (int i = 0; i < keysAndValues.length; i += 2) {
      properties.put(keysAndValues[i], keysAndValues[i + 1]);
    }
    return RandomFaultsOptions.read(properties, directory);
  }

  @Test
  void read_takesDefaults() throws BadOptionException {
    RandomFaultsOptions options = read();
    assertEquals(EnumSet.allOf(FaultKind.class), options.kinds());
    assertEquals(6, options.common().topology().nodes());
    assertTrue(options.earlier().isEmpty());
  }

  @Test
  void documentation_namesEachKind() throws IOException {
    String page = Files.readString(Path.of("../../docs/benchmarks.md"));
    assertEquals(List.of(), FaultKind.ids().stream().filter(id -> !page.contains("`" + id + "`")).toList());
  }

  @Test
  void read_takesSeedMinutesAndKinds() throws BadOptionException {
    RandomFaultsOptions options = read("hosts.seed", "-7", "hosts.minutes", "3", "hosts.kinds", "kill, cut-in");
    assertEquals(-7, options.seed());
    assertEquals(3, options.minutes());
    assertEquals(Set.of(FaultKind.KILL, FaultKind.CUT_IN), options.kinds());
  }

  @Test
  void read_refusesWhatItDoesNotKnow_andTooFewNodes() {
    assertThrows(BadOptionException.class, () -> read("hosts.kinds", "kill,,pause"));
    assertThrows(BadOptionException.class, () -> read("hosts.ec", "xor-2-1"));
    assertThrows(BadOptionException.class, () -> read("hosts.ec", "rs-3-2", "hosts.nodes", "6"));
    assertThrows(BadOptionException.class, () -> read("hosts.nodes", "5"));
    assertThrows(BadOptionException.class, () -> read("hosts.upgrade-from", directory.toString()));
  }

  @Test
  void read_hasEnoughNodesForEachPolicyThatSurvives() throws BadOptionException {
    for (ErasureCodingPolicy policy : SystemErasureCodingPolicies.getPolicies()) {
      if (policy.getNumParityUnits() >= 2) {
        assertTrue(read("hosts.ec", policy.getName()).common().data().erasureCoding().isPresent(), policy::getName);
      }
    }
  }

  @Test
  void read_takesAPolicy_andAsManyNodesAsItsGroupsNeed() throws BadOptionException {
    RandomFaultsOptions options = read("hosts.ec", "rs-3-2");
    assertEquals("RS-3-2-1024k", options.common().data().erasureCoding().orElseThrow().policyName());
    assertEquals(8, options.common().topology().nodes());
  }

  @Test
  void read_findsTheJarsOfAnEarlierVersion() throws BadOptionException, IOException {
    Files.createFile(directory.resolve("dayu-namenode-0.1.0.jar"));
    Files.createFile(directory.resolve("dayu-namenode-0.1.0-tests.jar"));
    Path dataNode = Files.createFile(directory.resolve("dayu-datanode-0.1.0.jar"));
    assertEquals(dataNode, read("hosts.upgrade-from", directory.toString()).earlier().orElseThrow().dataNode());
  }
}
