/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.cli.options;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Finds the traffic of the nodes of a listing in a trace. Static methods only. */
final class TraceRows {
  private TraceRows() {
  }

  /**
   * The row of each node: the one with the node's name.
   *
   * @param remarks receives a line on how they were found
   * @throws BadInputException if a node has none, or several
   */
  static int[] byName(List<String> traceNodes, List<String> nodes, NodeNames names, Consumer<String> remarks) {
    int[] rows = new int[nodes.size()];
    Arrays.fill(rows, -1);
    Map<NodeNames.How, Integer> found = new EnumMap<>(NodeNames.How.class);
    String unknown = null;
    for (int row = 0; row < traceNodes.size(); row++) {
      NodeNames.Match match = names.find("--trace", traceNodes.get(row));
      if (match == null) {
        unknown = traceNodes.get(row);
      } else if (rows[match.node()] >= 0) {
        throw new BadInputException("the trace has two nodes, " + traceNodes.get(rows[match.node()]) + " and "
            + traceNodes.get(row) + ", that are both " + nodes.get(match.node()) + " (--leave-out)");
      } else {
        rows[match.node()] = row;
        found.merge(match.how(), 1, Integer::sum);
      }
    }
    int count = found.values().stream().mapToInt(Integer::intValue).sum();
    for (int node = 0; node < rows.length; node++) {
      if (rows[node] < 0) {
        throw new BadInputException("the trace has traffic of " + count + " of the listing's " + rows.length
            + " nodes; it lacks " + nodes.get(node)
            + (unknown == null ? "" : " and has " + unknown + ", which is none of them")
            + " (--dfs-report tells hosts' addresses; --trace-rows drawn takes another cluster's traffic)");
      }
    }
    remarks.accept("nodes: " + count + " of " + nodes.size() + " have their rows of the trace: "
        + found.entrySet().stream().map(one -> one.getValue() + " " + one.getKey()).collect(Collectors.joining(", "))
        + (unknown == null ? "" : "; left out: " + (traceNodes.size() - count) + " of the trace, such as " + unknown));
    return rows;
  }
}
