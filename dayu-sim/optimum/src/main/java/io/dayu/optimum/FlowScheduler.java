/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.optimum;

import com.google.ortools.Loader;
import com.google.ortools.graph.MinCostFlow;
import com.google.ortools.graph.MinCostFlowBase;
import io.dayu.model.ClusterSnapshot;
import io.dayu.model.IntList;
import io.dayu.model.IntRows;
import io.dayu.model.TimeslotPlan;
import io.dayu.schedule.TimeslotScheduler;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The timeslot as a min-cost max-flow ("MCMF" of ATC'19, Table 2; there after Firmament), solved by the cost scaling of
 * OR-Tools. Not thread-safe.
 *
 * <p>A unit of flow is a block: origin → sending node → block → block's copy → rack → receiving node → destination. A
 * block passes one at most. Between a node and its end of the graph lie as many arcs of one unit as blocks fit into
 * B·T; the n-th costs the moment, in ms, at which n blocks would have passed, so that of all largest plans that with
 * the least sum of finish times is found. Racks keep the graph small: blocks × racks arcs, and nodes one by one only on
 * a rack that holds a node which must not receive the block.
 *
 * <p>With blocks of one size this is exact. Others count with the mean size, and of those chosen the ones that then do
 * not fit are left out.
 */
final class FlowScheduler implements TimeslotScheduler {

  FlowScheduler() {
    Loader.loadNativeLibraries();
  }

  @Override
  public String name() {
    return "mcmf";
  }

  @Override
  public TimeslotPlan plan(ClusterSnapshot snapshot) {
    TimeslotProblem problem = new TimeslotProblem(snapshot);
    Choices choices = new Choices(problem);
    if (problem.rows().length > 0) {
      Graph graph = new Graph(problem);
      graph.solve(choices);
    }
    return choices.plan();
  }

  /** One graph. Not thread-safe; used once. */
  private static final class Graph {
    private final TimeslotProblem problem;
    private final MinCostFlow flow = new MinCostFlow();
    private final int[] rack;
    private final int racks;
    private final List<List<Integer>> nodesOfRack = new ArrayList<>();
    private final int firstOut;
    private final int firstIn;
    private final int firstRack;
    private final int firstBlock;
    private final int origin;
    private final int destination;
    private final IntList arcBlock = new IntList();
    private final IntList arcFrom = new IntList();
    private final IntList arcTo = new IntList();
    private final IntList arcs = new IntList();

    Graph(TimeslotProblem problem) {
      this.problem = problem;
      int nodes = problem.nodes();
      rack = problem.snapshot().nodes().rack();
      racks = problem.snapshot().nodes().rackCount();
      firstOut = 0;
      firstIn = nodes;
      firstRack = 2 * nodes;
      firstBlock = firstRack + racks;
      origin = firstBlock + 2 * problem.rows().length;
      destination = origin + 1;
      for (int r = 0; r < racks; r++) {
        nodesOfRack.add(new ArrayList<>());
      }
      long unit = Math.max(1, meanBytes());
      for (int node = 0; node < nodes; node++) {
        nodesOfRack.get(rack[node]).add(node);
        addUnits(origin, firstOut + node, problem.outBytes(node),
            problem.snapshot().nodes().recoverOutBytesPerSec()[node], unit, problem.outStreams(node));
        int units = addUnits(firstIn + node, destination, problem.inBytes(node),
            problem.snapshot().nodes().recoverInBytesPerSec()[node], unit, problem.inStreams(node));
        if (units > 0) {
          remember(-1, firstRack + rack[node], firstIn + node, units);
        }
      }
      for (int block = 0; block < problem.rows().length; block++) {
        addBlock(block);
      }
      flow.setNodeSupply(origin, problem.rows().length);
      flow.setNodeSupply(destination, -problem.rows().length);
    }

    private long meanBytes() {
      double sum = 0;
      for (int row : problem.rows()) {
        sum += problem.tasks().sizeBytes()[row];
      }
      return Math.round(sum / problem.rows().length);
    }

    private int addUnits(int from, int to, long bytes, long bytesPerSec, long unit, int streams) {
      int units = (int) Math.min(Math.min(bytes / unit, streams), problem.rows().length);
      for (int n = 1; n <= units; n++) {
        flow.addArcWithCapacityAndUnitCost(from, to, 1, (long) (1000.0 * n * unit / bytesPerSec));
      }
      return units;
    }

    private void addBlock(int block) {
      int row = problem.rows()[block];
      int begin = firstBlock + 2 * block;
      int end = begin + 1;
      IntRows holders = problem.tasks().sources();
      for (int i = holders.start(row); i < holders.end(row); i++) {
        remember(block, firstOut + holders.values()[i], begin, 1);
      }
      flow.addArcWithCapacityAndUnitCost(begin, end, 1, 0);
      for (int r = 0; r < racks; r++) {
        if (problem.tasks().forbiddenFaultDomains().contains(row, r)) {
          continue;
        }
        if (hasRefused(row, r)) {
          for (int node : nodesOfRack.get(r)) {
            if (problem.mayReceive(row, node)) {
              remember(block, end, firstIn + node, 1);
            }
          }
        } else {
          remember(block, end, firstRack + r, 1);
        }
      }
    }

    /**
     * Whether the rack has a node that holds the block or is excluded. Nodes that accept nothing have no way to the
     * destination.
     */
    private boolean hasRefused(int row, int r) {
      return onRack(problem.tasks().sources(), row, r) || onRack(problem.tasks().excludedTargets(), row, r);
    }

    private boolean onRack(IntRows nodes, int row, int r) {
      for (int i = nodes.start(row); i < nodes.end(row); i++) {
        if (rack[nodes.values()[i]] == r) {
          return true;
        }
      }
      return false;
    }

    private void remember(int block, int from, int to, int capacity) {
      arcs.add(flow.addArcWithCapacityAndUnitCost(from, to, capacity, 0));
      arcBlock.add(block);
      arcFrom.add(from);
      arcTo.add(to);
    }

    void solve(Choices choices) {
      MinCostFlowBase.Status status = flow.solveMaxFlowWithMinCost();
      if (status != MinCostFlowBase.Status.OPTIMAL) {
        throw new IllegalStateException("min-cost max-flow ended with " + status);
      }
      int count = problem.rows().length;
      int[] source = new int[count];
      int[] end = new int[count];
      Arrays.fill(end, -1);
      List<IntList> places = new ArrayList<>();
      for (int r = 0; r < racks; r++) {
        places.add(new IntList());
      }
      for (int i = 0; i < arcs.size(); i++) {
        long units = flow.getFlow(arcs.get(i));
        if (units == 0) {
          continue;
        }
        int block = arcBlock.get(i);
        if (block < 0) {
          // What the rack hands to the node, to be given to any of the blocks that come to the rack.
          for (long n = 0; n < units; n++) {
            places.get(arcFrom.get(i) - firstRack).add(arcTo.get(i) - firstIn);
          }
        } else if (arcFrom.get(i) < firstIn) {
          source[block] = arcFrom.get(i) - firstOut;
        } else {
          end[block] = arcTo.get(i);
        }
      }
      int[] taken = new int[racks];
      for (int block = 0; block < count; block++) {
        if (end[block] >= 0) {
          int r = end[block] - firstRack;
          int target = r < 0 ? end[block] - firstIn : places.get(r).get(taken[r]++);
          choices.add(problem.rows()[block], source[block], target);
        }
      }
    }
  }
}
