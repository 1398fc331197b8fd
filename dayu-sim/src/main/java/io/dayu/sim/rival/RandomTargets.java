/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.rival;

import io.dayu.schedule.choice.NodeLoads;
import io.dayu.schedule.choice.TargetRules;
import io.dayu.schedule.choice.TargetSelector;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Takes a random node among those allowed: any (R of ATC'19 §5), the better of two (B2R), or weighted by available
 * bandwidth (WR). Not thread-safe; arrays are sized once and reused.
 *
 * <p>The snapshot is the seed, so the same snapshot always gets the same plan. As for every selector, a block whose
 * node would be saturated waits for the next timeslot: the paper plugs these kinds into its own scheduler and says
 * nothing else.
 */
public final class RandomTargets implements TargetSelector {

  /** What is drawn, of sources and targets alike. */
  public enum Kind {
    UNIFORM("random"), BEST_OF_TWO("bestoftwo"), BY_BANDWIDTH("weightedrandom");

    private final String word;

    Kind(String word) {
      this.word = word;
    }
  }

  /** Draws from all nodes before those allowed are counted. */
  private static final int ATTEMPTS = 32;

  private final Kind kind;
  private NodeLoads loads;
  private SplittableRandom random;
  private int[] usable = new int[0];
  /** Sum of the weights of the usable nodes up to each. */
  private double[] weightUpTo = new double[0];
  private int count;

  public RandomTargets(Kind kind) {
    this.kind = kind;
  }

  @Override
  public String name() {
    return kind.word;
  }

  @Override
  public void reset(NodeLoads planLoads) {
    loads = planLoads;
    random = new SplittableRandom(loads.seed());
    if (usable.length < loads.count()) {
      usable = new int[loads.count()];
      weightUpTo = new double[loads.count()];
    }
    count = 0;
    double sum = 0;
    for (int node = 0; node < loads.count(); node++) {
      if (loads.acceptsMore(node)) {
        sum += weight(node);
        usable[count] = node;
        weightUpTo[count++] = sum;
      }
    }
  }

  private double weight(int node) {
    return kind == Kind.BY_BANDWIDTH ? loads.selectionBandwidth(node) : 1;
  }

  @Override
  public int select(long sizeBytes, TargetRules rules) {
    int node = draw(rules, -1);
    if (kind != Kind.BEST_OF_TWO || node < 0) {
      return node;
    }
    int other = draw(rules, node);
    return other >= 0 && seconds(other, sizeBytes) < seconds(node, sizeBytes) ? other : node;
  }

  private double seconds(int node, long sizeBytes) {
    return (loads.assignedIn(node) + sizeBytes) / loads.selectionBandwidth(node);
  }

  /** Draws until a node is allowed; after too many draws, once among all allowed nodes. */
  private int draw(TargetRules rules, int except) {
    for (int attempt = 0; attempt < ATTEMPTS && count > 0; attempt++) {
      double at = random.nextDouble() * weightUpTo[count - 1];
      int found = Arrays.binarySearch(weightUpTo, 0, count - 1, at);
      // The first node whose sum is more than what was drawn.
      int node = usable[found >= 0 ? found + 1 : -found - 1];
      if (isCandidate(node, rules, except)) {
        return node;
      }
    }
    int drawn = -1;
    double sum = 0;
    for (int i = 0; i < count; i++) {
      if (isCandidate(usable[i], rules, except)) {
        sum += weight(usable[i]);
        drawn = random.nextDouble() * sum < weight(usable[i]) ? usable[i] : drawn;
      }
    }
    return drawn;
  }

  private boolean isCandidate(int node, TargetRules rules, int except) {
    return node != except && loads.acceptsMore(node) && rules.allows(node);
  }

  @Override
  public void loadChanged(int node) {
    // Loads are read where they are needed.
  }
}
