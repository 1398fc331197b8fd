/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import io.dayu.hosts.client.OperationKind;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The figures of one run, or the medians of several of one mode. Immutable.
 *
 * @param seeds as shown: one, or how many
 * @param figures by name; not a number, or missing, where there is none
 * @param remarks what must be known before the figures are believed; empty if nothing
 */
record RunSummary(RecoveryMode mode, String seeds, Map<String, Double> figures, List<String> remarks) {

  /** After the name of a figure, in a summary of several runs. */
  static final String MIN = "Min";
  static final String MAX = "Max";

  static RunSummary of(RunRecord run, Optional<RunRecord> none, long linkBytesPerSec, boolean reused) {
    Map<String, Double> figures = RunFigures.of(run, none, linkBytesPerSec);
    List<String> remarks = new ArrayList<>();
    if (figures.get("cpuIdle") < RunFigures.MIN_IDLE) {
      remarks.add("void: the processor was measured");
    }
    if (run.moments().cutOff()) {
      remarks.add("cut off: " + run.recovery().restored().size() + " of " + run.loss().lostBlocks() + " replicas");
    }
    if (run.mode() != RecoveryMode.NONE && run.fault().hasSecondStep()
        && Double.isNaN(run.moments().secondStepAtMs())) {
      remarks.add("over before mid-recovery was seen");
    }
    remarks.addAll(run.recovery().state().problems());
    if (run.recovery().deletedInternalBlocks() > 0 && run.fault() != HostFault.RETURN) {
      remarks.add(run.recovery().deletedInternalBlocks() + " internal blocks were deleted again");
    }
    if (!run.recovery().content().different().isEmpty()) {
      remarks.add("FAILED: " + run.recovery().content().text());
    }
    if (none.isPresent() && none.get().seconds() < run.seconds()) {
      remarks.add("longer than none");
    }
    if (reused) {
      remarks.add("of an earlier run");
    }
    return new RunSummary(run.mode(), Long.toString(run.identity().seed()), figures, remarks);
  }

  /** Of one mode; void runs count too, and are remarked. */
  static RunSummary median(List<RunSummary> runs) {
    Map<String, Double> medians = new LinkedHashMap<>();
    for (String name : runs.get(0).figures().keySet()) {
      double[] sorted = runs.stream().mapToDouble(run -> run.value(name)).filter(value -> !Double.isNaN(value)).sorted()
          .toArray();
      medians.put(name, median(sorted));
      medians.put(name + MIN, sorted.length == 0 ? Double.NaN : sorted[0]);
      medians.put(name + MAX, sorted.length == 0 ? Double.NaN : sorted[sorted.length - 1]);
    }
    long remarked = runs.stream().filter(run -> !run.remarks().isEmpty()).count();
    return new RunSummary(runs.get(0).mode(), "median of " + runs.size(), medians,
        remarked == 0 ? List.of() : List.of(remarked + " with remarks"));
  }

  /** With the 90th percentiles of the operations of all its runs in place of the medians. */
  RunSummary withPooledLatencies(List<RunFigures.Compared> runs) {
    Map<String, Double> pooled = new LinkedHashMap<>(figures);
    for (OperationKind kind : OperationKind.values()) {
      RunFigures.putP90Ratio(pooled, kind, runs);
    }
    return new RunSummary(mode, seeds, pooled, remarks);
  }

  private static double median(double[] sorted) {
    return sorted.length == 0 ? Double.NaN
        : Arrays.stream(sorted, (sorted.length - 1) / 2, sorted.length / 2 + 1).average().orElseThrow();
  }

  double value(String name) {
    return figures.getOrDefault(name, Double.NaN);
  }
}
