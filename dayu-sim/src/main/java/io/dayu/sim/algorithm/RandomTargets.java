/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.sim.algorithm;

import io.dayu.schedule.NodeLoads;
import io.dayu.schedule.TargetRules;
import io.dayu.schedule.TargetSelector;
import io.dayu.sim.SeedMix;

/**
 * The random choices of targets that the paper compares with (ATC'19 §5): any node (R), the less loaded of two (B2R), or by available
 * bandwidth as weight (WR). A saturated choice is not repeated: the block waits for the next timeslot. Not thread-safe; the same
 * snapshot always gets the same choices.
 */
public final class RandomTargets implements TargetSelector {
  /** How a candidate is drawn. */
  public enum Kind { UNIFORM, BEST_OF_TWO, BY_BANDWIDTH }

  /** After so many draws of nodes that the block may not go to, the next allowed one by id is taken. */
  private static final int MOST_DRAWS = 256;

  private final Kind kind;
  private final long seed;
  private NodeLoads loads;
  private double[] cumulative = new double[0];
  private long state;

  public RandomTargets(Kind kind, long seed) {
    this.kind = kind;
    this.seed = seed;
  }

  @Override
  public String name() {
    return switch (kind) {
      case UNIFORM -> "random";
      case BEST_OF_TWO -> "best-of-two";
      case BY_BANDWIDTH -> "weighted-random";
    };
  }

  @Override
  public void reset(NodeLoads planLoads) {
    loads = planLoads;
    state = SeedMix.seed(seed, loads.volumeBytes());
    if (kind == Kind.BY_BANDWIDTH) {
      if (cumulative.length < loads.count()) {
        cumulative = new double[loads.count()];
      }
      double sum = 0;
      for (int node = 0; node < loads.count(); node++) {
        sum += loads.selectionBandwidth(node);
        cumulative[node] = sum;
      }
    }
  }

  @Override
  public int select(long sizeBytes, TargetRules rules) {
    int one = draw(rules);
    if (kind != Kind.BEST_OF_TWO || one < 0) {
      return one;
    }
    int other = draw(rules);
    return loads.assignedIn(other) < loads.assignedIn(one) ? other : one;
  }

  private int draw(TargetRules rules) {
    int node = 0;
    for (int i = 0; i < MOST_DRAWS; i++) {
      state = SeedMix.next(state);
      node = kind == Kind.BY_BANDWIDTH ? weighted(SeedMix.uniform(state)) : SeedMix.below(state, loads.count());
      if (rules.allows(node)) {
        return node;
      }
    }
    for (int i = 0; i < loads.count(); i++) {
      int next = (node + i) % loads.count();
      if (rules.allows(next)) {
        return next;
      }
    }
    return -1;
  }

  private int weighted(double uniform) {
    double wanted = uniform * cumulative[loads.count() - 1];
    int low = 0;
    int high = loads.count() - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (cumulative[middle] > wanted) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  @Override
  public void loadChanged(int node) {
    // Loads are read afresh.
  }
}
