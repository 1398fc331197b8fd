/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import org.junit.jupiter.api.Test;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Shows that each invariant of {@link Invariants} can be violated: in a small cluster without faults one thing is put
 * wrong by hand, and must be reported by the invariant's name. Most are tested beside the class that checks them.
 */
class InvariantsTest extends BrokenBlockInvariants {
  @Test
  void everyInvariant_hasATest() throws IllegalAccessException {
    List<String> tests = Stream.of(InvariantsTest.class, RegistrationInvariantsTest.class, AgentInvariantsTest.class,
        RecoveryGoalsTest.class, GroupInvariantsTest.class)
        .flatMap(tested -> Arrays.stream(tested.getDeclaredMethods())).map(Method::getName).toList();
    for (Field field : Invariants.class.getDeclaredFields()) {
      if (field.getType() == String.class) {
        String invariant = (String) field.get(null);
        String prefix = invariant.replace("-", "") + "_";
        assertTrue(tests.stream().anyMatch(test -> test.toLowerCase(Locale.ROOT).startsWith(prefix)),
            invariant);
      }
    }
  }

  @Test
  void clusterWithoutFaults_violatesNothing() {
    run(MAX_MS);
    assertNull(cluster.invariants.goals.unfinished());
  }

  @Test
  void clusterThatHasLostANode_violatesNothing() {
    receivingNode();
    FaultSequence.recover(cluster);
  }

  @Test
  void somebodyRecovers_isViolated_ifStockIsSuspendedInItsOwnState() {
    run(3_000);
    cluster.dataNodes.forEach(SimulatedDataNode::stopAgent);
    runUntil(() -> active.recovery.status().getState().equals("STOCK"));
    active.map.workMultiplier = 0;
    assertViolates(Invariants.SOMEBODY_RECOVERS, "in state STOCK");
  }

  @Test
  void somebodyRecovers_isViolated_ifNobodySeesThatTheLoopHangs() {
    run(3_000);
    active.loopHangs = true;
    active.watchdogHangs = true;
    assertViolates(Invariants.SOMEBODY_RECOVERS, "the loop is silent", () -> run(3 * SequenceSettings.WATCHDOG_MS));
  }
}
