/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoublePredicate;
import java.util.function.ToDoubleBiFunction;

/**
 * The shortest time in which what was lost can be restored where it is placed: in each direction a flow problem of its
 * own. Into the targets, a group takes as many bytes as its sources send together, to any of its allowed targets, in
 * any parts. Out of the sources, it takes that from any of them, but from each no more than its internal block. The
 * larger of both times is the bound. Stateless.
 */
final class FlowBound {
  private static final double MAX_SEC = 1e6;
  private static final double PRECISION = 1e-6;

  private FlowBound() {
  }

  /**
   * In seconds; infinite if it can never be restored.
   *
   * @param receivable bytes that a DataNode can receive for recovery in the first seconds after the loss
   * @param sendable the same for what it can send
   */
  static double seconds(List<NeededTransfer> needed, int nodes, ToDoubleBiFunction<Integer, Double> receivable,
      ToDoubleBiFunction<Integer, Double> sendable) {
    TransportProblem in = new TransportProblem(merged(needed.stream()
        .map(each -> new TransportProblem.Demand(each.bytes() * each.width(), each.bytes() * each.width(),
            each.targets()))
        .toList()));
    TransportProblem out = new TransportProblem(merged(needed.stream()
        .map(each -> new TransportProblem.Demand(each.bytes() * each.width(), each.bytes(), each.sources())).toList()));
    return Math.max(seconds(in, nodes, receivable), seconds(out, nodes, sendable));
  }

  private static double seconds(TransportProblem problem, int nodes, ToDoubleBiFunction<Integer, Double> capacity) {
    return smallest(seconds -> {
      double[] capacities = new double[nodes];
      Arrays.setAll(capacities, node -> capacity.applyAsDouble(node, seconds));
      return problem.isFeasible(capacities);
    });
  }

  /** The first time in seconds that is possible, where all later ones are; infinite if none is. */
  static double smallest(DoublePredicate isPossible) {
    double possible = 1;
    while (!isPossible.test(possible)) {
      possible *= 2;
      if (possible > MAX_SEC) {
        return Double.POSITIVE_INFINITY;
      }
    }
    double impossible = 0;
    while (possible - impossible > PRECISION * possible) {
      double middle = (possible + impossible) / 2;
      if (isPossible.test(middle)) {
        possible = middle;
      } else {
        impossible = middle;
      }
    }
    return possible;
  }

  /** Those of the same form with the same nodes as one, which changes nothing where parts may be of any size. */
  private static List<TransportProblem.Demand> merged(List<TransportProblem.Demand> demands) {
    Map<List<Object>, TransportProblem.Demand> merged = new LinkedHashMap<>();
    for (TransportProblem.Demand demand : demands) {
      merged.merge(List.of(demand.bytes() / demand.maxFromOne(), demand.nodes()), demand,
          (a, b) -> new TransportProblem.Demand(a.bytes() + b.bytes(), a.maxFromOne() + b.maxFromOne(), a.nodes()));
    }
    return new ArrayList<>(merged.values());
  }
}
