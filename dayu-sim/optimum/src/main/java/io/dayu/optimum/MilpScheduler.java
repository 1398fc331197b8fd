/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.optimum;

import com.google.ortools.Loader;
import com.google.ortools.modelbuilder.LinearExpr;
import com.google.ortools.modelbuilder.LinearExprBuilder;
import com.google.ortools.modelbuilder.ModelBuilder;
import com.google.ortools.modelbuilder.ModelSolver;
import com.google.ortools.modelbuilder.SolveStatus;
import com.google.ortools.modelbuilder.Variable;
import io.dayu.model.ClusterSnapshot;
import io.dayu.model.IntRows;
import io.dayu.model.TimeslotPlan;
import io.dayu.schedule.TimeslotScheduler;

import java.time.Duration;
import java.util.stream.IntStream;

/**
 * The timeslot as a mixed-integer linear program ("MILP" of ATC'19 §5), solved to 0.01 % by HiGHS. Not thread-safe.
 *
 * <p>The paper does not print its program. This one is goals 1 and 2 of its §3 to the letter. For each block t, holder
 * i and allowed target j: y(t,i) and z(t,j) are 1 if i sends the block and j receives it.
 *
 * <pre>
 * maximise   Σ size(t)·y(t,i)
 * such that  Σ_i y(t,i) = Σ_j z(t,j) ≤ 1     each block has one source and one target, or waits
 *            Σ_t size(t)·y(t,i) ≤ B_out(i)·T  for each node, and its streams likewise
 *            Σ_t size(t)·z(t,j) ≤ B_in(j)·T
 * </pre>
 *
 * Source and target of a block are independent, since no target holds it; so blocks × nodes variables suffice. If the
 * solver has found nothing when the timeslot is over, nothing is planned.
 */
final class MilpScheduler implements TimeslotScheduler {
  /** Far beyond what can be solved in time; more blocks than that wait. */
  private static final int MAX_VARIABLES = 8_000_000;
  private static final double BYTES_PER_UNIT = 1e6;
  private static final double CHOSEN = 0.5;

  private final long limitMs;

  /** @param limitMs time that the solver has */
  MilpScheduler(long limitMs) {
    this.limitMs = limitMs;
    Loader.loadNativeLibraries();
  }

  @Override
  public String name() {
    return "milp";
  }

  @Override
  public TimeslotPlan plan(ClusterSnapshot snapshot) {
    TimeslotProblem problem = new TimeslotProblem(snapshot);
    Choices choices = new Choices(problem);
    if (problem.rows().length > 0) {
      new Program(problem).solve(limitMs, choices);
    }
    return choices.plan();
  }

  /** One program. Not thread-safe; used once. */
  private static final class Program {
    private final TimeslotProblem problem;
    private final ModelBuilder model = new ModelBuilder();
    private final int blocks;
    private final Variable[][] source;
    private final Variable[][] target;
    private final int[][] targetNode;

    Program(TimeslotProblem problem) {
      this.problem = problem;
      blocks = Math.min(problem.rows().length, MAX_VARIABLES / problem.nodes());
      source = new Variable[blocks][];
      target = new Variable[blocks][];
      targetNode = new int[blocks][];
      Loads out = new Loads(problem.nodes());
      Loads in = new Loads(problem.nodes());
      LinearExprBuilder total = LinearExpr.newBuilder();
      for (int block = 0; block < blocks; block++) {
        addBlock(block, out, in, total);
      }
      for (int node = 0; node < problem.nodes(); node++) {
        bound(out, node, problem.outBytes(node), problem.outStreams(node));
        bound(in, node, problem.inBytes(node), problem.inStreams(node));
      }
      model.maximize(total);
    }

    private void addBlock(int block, Loads out, Loads in, LinearExprBuilder total) {
      int row = problem.rows()[block];
      double size = problem.tasks().sizeBytes()[row] / BYTES_PER_UNIT;
      IntRows holders = problem.tasks().sources();
      LinearExprBuilder sent = LinearExpr.newBuilder();
      LinearExprBuilder sentLessReceived = LinearExpr.newBuilder();
      source[block] = new Variable[holders.end(row) - holders.start(row)];
      for (int i = 0; i < source[block].length; i++) {
        Variable y = model.newBoolVar("");
        source[block][i] = y;
        out.add(holders.values()[holders.start(row) + i], y, size);
        sent.addTerm(y, 1);
        sentLessReceived.addTerm(y, 1);
        total.addTerm(y, size);
      }
      targetNode[block] = IntStream.range(0, problem.nodes()).filter(node -> problem.mayReceive(row, node)).toArray();
      target[block] = new Variable[targetNode[block].length];
      for (int j = 0; j < target[block].length; j++) {
        Variable z = model.newBoolVar("");
        target[block][j] = z;
        in.add(targetNode[block][j], z, size);
        sentLessReceived.addTerm(z, -1);
      }
      model.addLessOrEqual(sent, 1);
      model.addEquality(sentLessReceived, 0);
    }

    private void bound(Loads loads, int node, long bytes, int streams) {
      if (loads.count[node] > 0) {
        model.addLessOrEqual(loads.bytes[node], bytes / BYTES_PER_UNIT);
        if (loads.count[node] > streams) {
          model.addLessOrEqual(loads.streams[node], streams);
        }
      }
    }

    void solve(long limitMs, Choices choices) {
      ModelSolver solver = new ModelSolver("highs");
      solver.enableOutput(false);
      solver.setTimeLimit(Duration.ofMillis(limitMs));
      SolveStatus status = solver.solve(model);
      if (status != SolveStatus.OPTIMAL && status != SolveStatus.FEASIBLE) {
        return;
      }
      IntRows holders = problem.tasks().sources();
      for (int block = 0; block < blocks; block++) {
        int row = problem.rows()[block];
        int i = chosen(solver, source[block]);
        int j = chosen(solver, target[block]);
        if (i >= 0 && j >= 0) {
          choices.add(row, holders.values()[holders.start(row) + i], targetNode[block][j]);
        }
      }
    }

    private static int chosen(ModelSolver solver, Variable[] options) {
      for (int i = 0; i < options.length; i++) {
        if (solver.getValue(options[i]) > CHOSEN) {
          return i;
        }
      }
      return -1;
    }
  }

  /** What each node sends, or receives, as expressions. Not thread-safe. */
  private static final class Loads {
    private final LinearExprBuilder[] bytes;
    private final LinearExprBuilder[] streams;
    private final int[] count;

    Loads(int nodes) {
      bytes = new LinearExprBuilder[nodes];
      streams = new LinearExprBuilder[nodes];
      count = new int[nodes];
      for (int node = 0; node < nodes; node++) {
        bytes[node] = LinearExpr.newBuilder();
        streams[node] = LinearExpr.newBuilder();
      }
    }

    void add(int node, Variable transfer, double size) {
      bytes[node].addTerm(transfer, size);
      streams[node].addTerm(transfer, 1);
      count[node]++;
    }
  }
}
