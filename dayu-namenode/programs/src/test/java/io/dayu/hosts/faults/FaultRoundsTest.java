/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts.faults;

import org.junit.jupiter.api.Test;

import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class FaultRoundsTest {
  private static final int NODES = 6;
  private static final int SEEDS = 1_000;
  private static final int ROUNDS = 5;

  private static FaultRounds rounds(long seed) {
    return new FaultRounds(seed, NODES, 2, EnumSet.allOf(FaultKind.class));
  }

  @Test
  void round_isTheSameForTheSameSeedAndNumber_inAnyOrder() {
    FaultRound third = rounds(7).round(3);
    FaultRounds again = rounds(7);
    again.round(0);
    assertEquals(third, again.round(3));
    assertNotEquals(third.faults(), again.round(4).faults());
    assertNotEquals(third.faults(), rounds(8).round(3).faults());
  }

  /** Of three replicas one is always on a DataNode that nothing happens to, or of two acknowledged ones one is kept. */
  @Test
  void round_takesAwayNoMoreThanReplicationSurvives() {
    for (long seed = 0; seed < SEEDS; seed++) {
      for (int number = 0; number < ROUNDS; number++) {
        List<DrawnFault> faults = rounds(seed).round(number).faults();
        Set<Integer> hit = faults.stream().map(DrawnFault::node).filter(node -> node >= 0).collect(Collectors.toSet());
        Set<Integer> losers = faults.stream().filter(fault -> fault.kind().losesData()).map(DrawnFault::node)
            .collect(Collectors.toSet());
        assertTrue(hit.size() <= 2 && losers.size() <= 1, "seed " + seed + ", round " + number + ": " + faults);
      }
    }
  }

  /** A daemon that is killed cannot be stopped, and there is always one NameNode. */
  @Test
  void round_hitsEachTargetWithOneFaultAtATime() {
    for (long seed = 0; seed < SEEDS; seed++) {
      FaultRound round = rounds(seed).round(0);
      for (int node = -1; node < NODES; node++) {
        int freeAtMs = 0;
        for (DrawnFault fault : round.of(node)) {
          assertTrue(fault.beginMs() >= freeAtMs, "seed " + seed + ": " + round);
          freeAtMs = fault.endMs();
        }
      }
    }
  }

  @Test
  void rounds_drawAllKindsThatThereAreAndNoOthers() {
    Set<FaultKind> kinds = EnumSet.of(FaultKind.KILL, FaultKind.DISK_GONE, FaultKind.FAILOVER_PAUSE);
    Set<FaultKind> drawn = new HashSet<>();
    FaultRounds rounds = new FaultRounds(1, NODES, 2, kinds);
    for (int number = 0; number < 100; number++) {
      rounds.round(number).faults().forEach(fault -> drawn.add(fault.kind()));
    }
    assertEquals(kinds, drawn);
  }

  @Test
  void round_refusesMoreThanReplicationSurvives() {
    assertThrows(IllegalArgumentException.class, () -> new FaultRound(0, List.of(
        fault(FaultKind.KILL, 0), fault(FaultKind.PAUSE, 1), fault(FaultKind.CUT_IN, 2))));
    assertThrows(IllegalArgumentException.class, () -> new FaultRound(0, List.of(
        fault(FaultKind.DISK_GONE, 0), fault(FaultKind.DISK_READ_ONLY, 1))));
    assertEquals(Set.of(0, 1), new FaultRound(0, List.of(
        fault(FaultKind.DISK_GONE, 0), fault(FaultKind.DISK_BACK, 1))).nodes());
  }

  private static DrawnFault fault(FaultKind kind, int node) {
    return new DrawnFault(kind, node, (node + 1) % NODES, 0, 1_000, 0, 1);
  }
}
