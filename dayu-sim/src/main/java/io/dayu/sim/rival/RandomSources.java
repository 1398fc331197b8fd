/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.rival;

import io.dayu.model.IntRows;
import io.dayu.model.NodeTable;
import io.dayu.model.TaskTable;
import io.dayu.schedule.choice.NodeLoads;
import io.dayu.schedule.choice.RebuildSources;
import io.dayu.schedule.choice.SourceSelector;

import java.util.SplittableRandom;
import java.util.function.IntPredicate;

/**
 * Takes a random source among the nodes that hold the block and have a stream free: any, the better of two, or weighted
 * by available bandwidth (ATC'19 §5), as {@link RandomTargets} does for targets. Seeded by the snapshot. Not
 * thread-safe.
 *
 * <p>The k sources of a rebuild are drawn one after another among the holders that are not saturated either. With k of
 * them at once a saturated one would soon be among nearly all draws, and the paper, which has copies only, says nothing
 * of that.
 */
public final class RandomSources implements SourceSelector, RebuildSources {
  private final RandomTargets.Kind kind;
  private final int[] chosen = new int[TaskTable.MAX_WIDTH];
  private NodeTable nodes;
  private IntRows holders;
  private NodeLoads loads;
  private SplittableRandom random;

  public RandomSources(RandomTargets.Kind kind) {
    this.kind = kind;
  }

  @Override
  public void reset(NodeTable planNodes, IntRows planHolders, NodeLoads planLoads) {
    nodes = planNodes;
    holders = planHolders;
    loads = planLoads;
    // Other random numbers than for the targets.
    random = new SplittableRandom(~loads.seed());
  }

  @Override
  public int select(int task, long bytes, boolean[] among) {
    int node = draw(task, bytes, holder -> isAmong(among, holder) && loads.servesMore(holder));
    return node >= 0 && !loads.saturatesSource(node, bytes) ? node : -1;
  }

  @Override
  public boolean select(int task, long bytes, int width) {
    for (int count = 0; count < width; count++) {
      chosen[count] = selectBeside(task, bytes, chosen, 0, count, null);
      if (chosen[count] < 0) {
        return false;
      }
    }
    return true;
  }

  /** In the order in which they were drawn. */
  @Override
  public int[] chosen() {
    return chosen;
  }

  @Override
  public int selectBeside(int task, long bytes, int[] sources, int from, int end, boolean[] among) {
    return draw(task, bytes, holder -> isAmong(among, holder) && loads.servesMore(holder)
        && !loads.saturatesSource(holder, bytes) && !contains(sources, from, end, holder));
  }

  /** One of the holders that can be the source, or the better of two. */
  private int draw(int task, long bytes, IntPredicate candidates) {
    int node = drawOne(task, candidates);
    if (kind == RandomTargets.Kind.BEST_OF_TWO && node >= 0) {
      int other = drawOne(task, holder -> holder != node && candidates.test(holder));
      return other >= 0 && seconds(other, bytes) < seconds(node, bytes) ? other : node;
    }
    return node;
  }

  private double seconds(int node, long bytes) {
    return (double) (loads.assignedOut(node) + bytes) / nodes.recoverOutBytesPerSec()[node];
  }

  private int drawOne(int task, IntPredicate candidates) {
    int drawn = -1;
    double sum = 0;
    for (int i = holders.start(task); i < holders.end(task); i++) {
      int node = holders.values()[i];
      if (candidates.test(node)) {
        double weight = kind == RandomTargets.Kind.BY_BANDWIDTH ? nodes.recoverOutBytesPerSec()[node] : 1;
        sum += weight;
        drawn = random.nextDouble() * sum < weight ? node : drawn;
      }
    }
    return drawn;
  }

  private static boolean isAmong(boolean[] among, int node) {
    return among == null || among[node];
  }

  private static boolean contains(int[] sources, int from, int end, int node) {
    for (int i = from; i < end; i++) {
      if (sources[i] == node) {
        return true;
      }
    }
    return false;
  }
}
