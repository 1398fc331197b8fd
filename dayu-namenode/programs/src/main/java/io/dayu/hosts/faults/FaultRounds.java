/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts.faults;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Draws rounds of faults. Immutable: a round follows from the seed, its number, the number of DataNodes and the kinds
 * that there are, and can be drawn alone.
 */
public final class FaultRounds {
  private static final int MIN_LENGTH_MS = 15_000;
  private static final int MAX_LENGTH_MS = 50_000;
  private static final int MIN_FAULT_MS = 1_000;
  private static final int MAX_SHORT_MS = 8_000;
  /** Longer than it takes until a silent DataNode is dead, 14 s. */
  private static final int MIN_LONG_MS = 16_000;
  private static final int MAX_LONG_MS = 40_000;
  private static final int MAX_GAP_MS = 8_000;
  private static final int MAX_FAULTS_OF_ONE = 3;
  private static final int MAX_CLOCK_SEC = 7_200;
  private static final double SECOND_NODE_PROBABILITY = 0.7;
  private static final double NAME_NODE_PROBABILITY = 0.6;
  private static final double LONG_PROBABILITY = 0.5;

  private final long seed;
  private final int dataNodes;
  private final int volumes;
  private final List<FaultKind> ofDataNodes;
  private final List<FaultKind> ofNameNodes;

  /** @param kinds those that may be drawn */
  public FaultRounds(long seed, int dataNodes, int volumes, Set<FaultKind> kinds) {
    this.seed = seed;
    this.dataNodes = dataNodes;
    this.volumes = volumes;
    this.ofDataNodes = of(FaultKind.Target.DATA_NODE, kinds);
    this.ofNameNodes = of(FaultKind.Target.NAME_NODES, kinds);
  }

  private static List<FaultKind> of(FaultKind.Target target, Set<FaultKind> kinds) {
    return kinds.stream().filter(kind -> kind.target() == target).sorted().toList();
  }

  /** @param number from 0 on */
  public FaultRound round(int number) {
    SplittableRandom random = new SplittableRandom(seed * 1_000_003 + number);
    int lengthMs = random.nextInt(MIN_LENGTH_MS, MAX_LENGTH_MS + 1);
    List<DrawnFault> faults = new ArrayList<>();
    if (!ofDataNodes.isEmpty()) {
      int first = random.nextInt(dataNodes);
      boolean mayLose = true;
      mayLose = !add(faults, first, ofDataNodes, lengthMs, mayLose, random);
      if (random.nextDouble() < SECOND_NODE_PROBABILITY) {
        add(faults, (first + 1 + random.nextInt(dataNodes - 1)) % dataNodes, ofDataNodes, lengthMs, mayLose, random);
      }
    }
    if (!ofNameNodes.isEmpty() && (ofDataNodes.isEmpty() || random.nextDouble() < NAME_NODE_PROBABILITY)) {
      add(faults, -1, ofNameNodes, lengthMs, false, random);
    }
    faults.sort(Comparator.comparingInt(DrawnFault::beginMs));
    return new FaultRound(number, faults);
  }

  /** One after the other for one target. Returns whether one of them loses data. */
  private boolean add(List<DrawnFault> faults, int node, List<FaultKind> kinds, int lengthMs, boolean mayLose,
      SplittableRandom random) {
    List<FaultKind> allowed = kinds.stream().filter(kind -> mayLose || !kind.losesData()).toList();
    if (allowed.isEmpty()) {
      return false;
    }
    boolean loses = false;
    int atMs = random.nextInt(MAX_GAP_MS);
    int count = 1 + random.nextInt(MAX_FAULTS_OF_ONE);
    for (int i = 0; i < count && atMs < lengthMs; i++) {
      FaultKind kind = allowed.get(random.nextInt(allowed.size()));
      int lastsMs = random.nextDouble() < LONG_PROBABILITY ? random.nextInt(MIN_LONG_MS, MAX_LONG_MS)
          : random.nextInt(MIN_FAULT_MS, MAX_SHORT_MS);
      int peer = node < 0 ? -1 : (node + 1 + random.nextInt(dataNodes - 1)) % dataNodes;
      int clockSec = random.nextInt(1, MAX_CLOCK_SEC) * (random.nextBoolean() ? 1 : -1);
      faults.add(new DrawnFault(kind, node, peer, atMs, atMs + lastsMs, random.nextInt(volumes), clockSec));
      loses |= kind.losesData();
      atMs += lastsMs + 1 + random.nextInt(MAX_GAP_MS);
    }
    return loses;
  }
}
