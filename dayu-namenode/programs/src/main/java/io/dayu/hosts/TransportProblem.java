/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/**
 * Whether nodes of limited capacity can serve demands, each of which accepts some of them; by augmenting paths.
 * Immutable.
 */
record TransportProblem(List<TransportProblem.Demand> demands) {
  /** What may be left open of all demands, for rounding. */
  private static final double TOLERANCE = 1e-9;

  /**
   * @param maxFromOne what a single node may serve of it at most
   * @param nodes those that it accepts
   */
  record Demand(double bytes, double maxFromOne, List<Integer> nodes) {
  }

  boolean isFeasible(double[] capacityBytes) {
    return new Flow(this, capacityBytes).servesAll();
  }

  /** Who serves how much so far. Not thread-safe. */
  private static final class Flow {
    private final List<Demand> demands;
    private final double[] spare;
    private final double[][] served;
    private final double tolerance;
    /** The last step of the path on which a demand was reached: the node that it would take from, or -1. */
    private final int[] nodeBefore;
    /** The same of a node: the demand that would then take from it. */
    private final int[] demandBefore;

    Flow(TransportProblem problem, double[] capacityBytes) {
      demands = problem.demands();
      spare = capacityBytes.clone();
      served = new double[demands.size()][spare.length];
      tolerance = TOLERANCE * demands.stream().mapToDouble(Demand::bytes).sum() / Math.max(1, demands.size());
      nodeBefore = new int[demands.size()];
      demandBefore = new int[spare.length];
    }

    boolean servesAll() {
      for (int demand = 0; demand < demands.size(); demand++) {
        double open = demands.get(demand).bytes();
        while (open > tolerance) {
          int end = nodeWithSpare(demand);
          if (end < 0) {
            return false;
          }
          open -= augment(end, open);
        }
      }
      return true;
    }

    /** Breadth first, from a demand over nodes and what these serve; -1 if there is no way. */
    private int nodeWithSpare(int begin) {
      Arrays.fill(nodeBefore, -1);
      Arrays.fill(demandBefore, -1);
      Deque<Integer> reached = new ArrayDeque<>(List.of(begin));
      boolean[] seen = new boolean[demands.size()];
      seen[begin] = true;
      while (!reached.isEmpty()) {
        int demand = reached.remove();
        for (int node : demands.get(demand).nodes()) {
          if (demandBefore[node] < 0 && demands.get(demand).maxFromOne() - served[demand][node] > tolerance) {
            demandBefore[node] = demand;
            if (spare[node] > tolerance) {
              return node;
            }
            for (int other = 0; other < seen.length; other++) {
              if (!seen[other] && served[other][node] > tolerance) {
                seen[other] = true;
                nodeBefore[other] = node;
                reached.add(other);
              }
            }
          }
        }
      }
      return -1;
    }

    /** Serves more along the path that ends at this node; returns how much. */
    private double augment(int end, double open) {
      double bytes = Math.min(open, spare[end]);
      for (int node = end; node >= 0; node = nodeBefore[demandBefore[node]]) {
        int demand = demandBefore[node];
        bytes = Math.min(bytes, demands.get(demand).maxFromOne() - served[demand][node]);
        if (nodeBefore[demand] >= 0) {
          bytes = Math.min(bytes, served[demand][nodeBefore[demand]]);
        }
      }
      spare[end] -= bytes;
      for (int node = end; node >= 0; node = nodeBefore[demandBefore[node]]) {
        int demand = demandBefore[node];
        served[demand][node] += bytes;
        if (nodeBefore[demand] >= 0) {
          served[demand][nodeBefore[demand]] -= bytes;
        }
      }
      return bytes;
    }
  }
}
