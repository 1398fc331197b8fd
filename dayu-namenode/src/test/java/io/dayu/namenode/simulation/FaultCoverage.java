/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What sequences of faults have met: each fault, each two of them at one time, each state, and in how many of them each
 * {@link MetSituation}. Not thread-safe.
 */
final class FaultCoverage {
  private static final int KINDS = FaultStep.Kind.values().length;

  private final Map<FaultStep.Kind, Integer> faults = new EnumMap<>(FaultStep.Kind.class);
  private final Map<String, Integer> pairs = new HashMap<>();
  private final Map<String, Integer> states = new TreeMap<>();
  private final Map<MetSituation, Integer> situations = new EnumMap<>(MetSituation.class);

  void add(FaultSequence.Result result) {
    List<FaultStep> steps = result.applied();
    for (int i = 0; i < steps.size(); i++) {
      faults.merge(steps.get(i).kind(), 1, Integer::sum);
      for (FaultStep other : steps.subList(0, i)) {
        if (overlap(other, steps.get(i))) {
          pairs.merge(pair(other.kind(), steps.get(i).kind()), 1, Integer::sum);
        }
      }
    }
    result.states().forEach(state -> states.merge(state, 1, Integer::sum));
    result.situations().forEach(situation -> situations.merge(situation, 1, Integer::sum));
  }

  /** Whether the first fault, which began before, lasts until the second begins. */
  static boolean overlap(FaultStep first, FaultStep second) {
    return first.durationMs() == 0 || first.atMs() + first.durationMs() > second.atMs();
  }

  private static String pair(FaultStep.Kind one, FaultStep.Kind other) {
    return one.compareTo(other) < 0 ? one + "+" + other : other + "+" + one;
  }

  int pairs() {
    return pairs.size();
  }

  /** In how many sequences the situation came about that the fewest have met. */
  int rarestSituation() {
    return Arrays.stream(MetSituation.values()).mapToInt(situation -> situations.getOrDefault(situation, 0)).min()
        .orElseThrow();
  }

  /** All pairs of kinds, those of a kind with itself included. */
  static int possiblePairs() {
    return KINDS * (KINDS + 1) / 2;
  }

  @Override
  public String toString() {
    String rarest = faults.entrySet().stream().sorted(Map.Entry.comparingByValue()).limit(3)
        .map(entry -> entry.getKey() + " " + entry.getValue()).collect(Collectors.joining(", "));
    return faults.size() + " of " + KINDS + " faults (rarest: " + rarest + "), " + pairs.size() + " of "
        + possiblePairs() + " pairs at one time, states " + states + ", situations " + situations;
  }
}
