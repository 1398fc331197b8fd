/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.cli;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Finds the traffic of the nodes of a listing in a trace. Static methods only. */
final class TraceRows {
  private TraceRows() {
  }

  /**
   * The row of each node: the one that is called like it, with or without the port.
   *
   * @return null if no node has a row
   * @throws BadInputException if some have and some have not
   */
  static int[] byName(List<String> traceNodes, List<String> nodes) {
    Map<String, Integer> rows = new HashMap<>();
    for (int row = 0; row < traceNodes.size(); row++) {
      rows.put(traceNodes.get(row), row);
    }
    int[] found = new int[nodes.size()];
    int count = 0;
    String missing = null;
    for (int node = 0; node < found.length; node++) {
      String name = nodes.get(node);
      Integer row = rows.getOrDefault(name, rows.get(name.substring(0, name.lastIndexOf(':'))));
      if (row == null) {
        missing = name;
      } else {
        found[node] = row;
        count++;
      }
    }
    if (count > 0 && missing != null) {
      throw new BadInputException("the trace has traffic of " + count + " of the listing's " + found.length
          + " nodes, expected all or none; it lacks " + missing + " (left out by --trace-min-mean?)");
    }
    return count == 0 ? null : found;
  }
}
