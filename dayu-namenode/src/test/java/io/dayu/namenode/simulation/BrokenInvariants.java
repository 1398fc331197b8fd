/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import org.junit.jupiter.api.function.Executable;

import java.util.Random;
import java.util.function.BooleanSupplier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A small cluster without faults, in which a test puts one thing wrong by hand and expects an invariant to say so. */
abstract class BrokenInvariants {
  static final long LEASE_MS = 8_000;
  static final long STEP_MS = 100;
  static final long MAX_MS = 120_000;

  final SimulatedCluster cluster;
  final SimulatedNameNode active;

  BrokenInvariants(SequenceSettings settings) {
    cluster = new SimulatedCluster(settings, new Random(1));
    active = cluster.active();
  }

  final void run(long periodMs) {
    long endMs = cluster.events.elapsedMs() + periodMs;
    while (cluster.events.elapsedMs() < endMs) {
      cluster.events.run(STEP_MS);
      cluster.invariants.check();
    }
  }

  final void runUntil(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      assertTrue(cluster.events.elapsedMs() < MAX_MS, "it takes too long");
      run(STEP_MS);
    }
  }

  final void assertViolates(String invariant, String message) {
    assertViolates(invariant, message, cluster.invariants::check);
  }

  static void assertViolates(String invariant, String message, Executable check) {
    Invariants.Violation violation = assertThrows(Invariants.Violation.class, check);
    assertEquals(invariant, violation.invariant, violation::getMessage);
    assertTrue(violation.getMessage().contains(message), violation::getMessage);
  }

  final void assertUnfinished(String invariant) {
    Invariants.Violation unfinished = cluster.invariants.goals.unfinished();
    assertEquals(invariant, unfinished == null ? null : unfinished.invariant);
  }

  final void assertUnfinished(String invariant, String message) {
    assertUnfinished(invariant);
    String said = cluster.invariants.goals.unfinished().getMessage();
    assertTrue(said.contains(message), said);
  }
}
