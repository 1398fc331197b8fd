/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.cli.report;

import com.google.common.math.Stats;
import io.dayu.sim.engine.RecoveryOutcome;
import io.dayu.sim.engine.SimulationSettings;
import io.dayu.sim.experiment.Experiment;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.DoubleSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

/** The cases of one algorithm, and their numbers; docs/simulator-model.md describes the fields. Single-threaded. */
public final class RecoverResult {

  /**
   * The numbers of a case. Reports have their mean and, of several, their standard deviation. A number that a case does
   * not have is NaN or infinite.
   */
  static final Map<String, ToDoubleFunction<Case>> NUMBERS = new LinkedHashMap<>();
  /** Time that blocks lacked so many copies, in the order of the number. */
  static final List<String> LACKING =
      List.of("lackingOneBlockSec", "lackingTwoBlockSec", "lackingThreeBlockSec", "lackingFourBlockSec");

  static {
    NUMBERS.put("recoveryTimeSec", Case::recoveryTimeSec);
    NUMBERS.put("idealTimeSec", c -> c.idealSec);
    NUMBERS.put("ratioToIdeal", c -> c.recoveryTimeSec() / c.idealSec);
    NUMBERS.put("placementBoundSec", c -> c.boundSec);
    NUMBERS.put("firstEstimateSec", c -> c.outcome.firstEstimateSec());
    NUMBERS.put("firstEstimateErrorPercent", Case::firstEstimateErrorPercent);
    NUMBERS.put("timeTo95PercentSec", c -> c.outcome.times().timeTo95PercentSec());
    NUMBERS.put("timeTo99PercentSec", c -> c.outcome.times().timeTo99PercentSec());
    NUMBERS.put("timeTo99_9PercentSec", c -> c.outcome.times().timeTo999PermilleSec());
    NUMBERS.put("interferencePercent", c -> c.outcome.interference().percent());
    NUMBERS.put("foregroundAlonePercent", c -> c.outcome.interference().foregroundAlonePercent());
    NUMBERS.put("causedAboveAlphaBytes", c -> c.outcome.interference().causedBytes());
    NUMBERS.put("displacedForegroundBytes", c -> c.outcome.interference().displacedBytes());
    NUMBERS.put("blocksBehindFullLinks", c -> c.outcome.copies().behindFullLinks());
    NUMBERS.put("blocksWithoutTarget", c -> c.withoutTarget);
    NUMBERS.put("copiedBytes", c -> c.outcome.copies().copiedBytes());
    NUMBERS.put("wastedBytes", c -> c.outcome.copies().wastedBytes());
    NUMBERS.put("lostBlocks", c -> c.outcome.risk().lostBlocks());
    NUMBERS.put("lostBytes", c -> c.outcome.risk().lostBytes());
    NUMBERS.put("oneReplicaBlockSec", c -> c.outcome.risk().oneReplicaBlockSec());
    NUMBERS.put("exposedNodeSec", c -> c.outcome.risk().exposedNodeSec());
    for (int i = 0; i < LACKING.size(); i++) {
      int at = i;
      NUMBERS.put(LACKING.get(i), c -> c.outcome.risk().lackingBlockSec()[at]);
    }
    NUMBERS.put("dataLossProbability", Case::dataLossProbability);
    NUMBERS.put("lostLeadSec", c -> c.outcome.lost().leadSec());
    NUMBERS.put("lostForecastSec", c -> c.outcome.lost().forecastSec());
    NUMBERS.put("lostGranularitySec", c -> c.outcome.lost().granularitySec());
    NUMBERS.put("lostPhysicsSec", c -> c.outcome.lost().physicsSec());
    NUMBERS.put("lostTailSec", c -> c.outcome.lost().tailSec());
    NUMBERS.put("messages", Case::messages);
    NUMBERS.put("plans", c -> c.outcome.slots().size());
    NUMBERS.put("planMillisMedian", c -> c.outcome.planMillisMedian());
    NUMBERS.put("maxTransfersAtOnce", c -> c.outcome.maxTransfersAtOnce());
  }

  /** Mean time to failure of a node: four years. */
  private static final double NODE_MTTF_SEC = 4 * 365.25 * 86_400;
  private static final double SEC_PER_YEAR = 365.25 * 86_400;

  /** Numbers that only a finished recovery has: their means are over the finished ones. */
  private static final Set<String> OF_FINISHED = Set.of("recoveryTimeSec", "ratioToIdeal", "firstEstimateSec",
      "firstEstimateErrorPercent", "timeTo95PercentSec", "timeTo99PercentSec", "timeTo99_9PercentSec", "lostLeadSec",
      "lostForecastSec", "lostGranularitySec", "lostPhysicsSec", "lostTailSec");

  /** One recovery, and the bounds that it is compared with. */
  record Case(int failedNode, String name, long firstSlot, double idealSec, double boundSec,
      RecoveryOutcome outcome, double messages, int withoutTarget) {
    /** NaN if it did not finish: the outcome's time is then only the limit. */
    double recoveryTimeSec() {
      return outcome.finished() ? outcome.recoveryTimeSec() : Double.NaN;
    }

    /**
     * The probability of a loss in this incident: it lost a block, or another node failed on which a block depended.
     */
    double dataLossProbability() {
      return outcome.risk().lostBlocks() > 0 ? 1
          : -Math.expm1(-outcome.risk().exposedNodeSec() / NODE_MTTF_SEC);
    }

    /** Above 0 if the recovery was faster than estimated. */
    double firstEstimateErrorPercent() {
      return 100 * (outcome.firstEstimateSec() / recoveryTimeSec() - 1);
    }
  }

  private final String algorithm;
  private final Experiment experiment;
  private final SimulationSettings settings;
  private final List<Case> cases = new ArrayList<>();

  public RecoverResult(String algorithm, Experiment experiment, SimulationSettings settings) {
    this.algorithm = algorithm;
    this.experiment = experiment;
    this.settings = settings;
  }

  public void add(Experiment.Failure failure, double idealSec, double boundSec, RecoveryOutcome outcome,
      double messages) {
    cases.add(new Case(failure.lost().failedNode(), failure.name(), failure.firstSlot(), idealSec, boundSec, outcome,
        messages, failure.withoutTarget()));
  }

  private DoubleStream values(String number) {
    return cases.stream().filter(c -> c.outcome.finished() || !OF_FINISHED.contains(number))
        .mapToDouble(NUMBERS.get(number)).filter(value -> !Double.isNaN(value));
  }

  /** By how much the NameNode's first estimates of the time would have been wrong; empty if there were none. */
  String firstEstimates() {
    DoubleSummaryStatistics errors = values("firstEstimateErrorPercent").summaryStatistics();
    return errors.getCount() == 0 ? "" : String.format(Locale.ROOT,
        "%s: estimates of the time after two timeslots would have missed by %+.0f %% on average, %+.0f to %+.0f %%.",
        algorithm, errors.getAverage(), errors.getMin(), errors.getMax());
  }

  double mean(String number) {
    return values(number).average().orElse(Double.NaN);
  }

  double deviation(String number) {
    double[] values = values(number).toArray();
    return values.length < 2 ? Double.NaN : Stats.of(values).populationStandardDeviation();
  }

  /** Mean time to data loss of the cluster, in years, if each failure of a node is such an incident. */
  double yearsToDataLoss() {
    return NODE_MTTF_SEC / experiment.cluster().nodes() / mean("dataLossProbability") / SEC_PER_YEAR;
  }

  /** The case that took longest. One that did not finish counts as longer than all that did. */
  String worst() {
    return cases.stream()
        .max(Comparator.comparing((Case one) -> !one.outcome.finished())
            .thenComparing(one -> one.outcome.recoveryTimeSec()))
        .map(one -> String.format(Locale.ROOT, "%s, %s %.1f s, %.3f of the ideal time", one.name,
            one.outcome.finished() ? "recovered in" : "not recovered in", one.outcome.recoveryTimeSec(),
            one.outcome.recoveryTimeSec() / one.idealSec))
        .orElse("none");
  }

  long unfinished() {
    return cases.stream().filter(c -> !c.outcome.finished()).count();
  }

  Map<String, Object> settingsJson() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("nodes", experiment.cluster().nodes());
    fields.put("chunks", experiment.chunks());
    fields.put("timeslotMs", settings.planning().timeslotMs());
    fields.put("horizonMs", settings.planning().horizonMs());
    fields.put("reportIntervalMs", settings.reports().intervalMs());
    fields.put("reportWindowMs", settings.reports().windowMs());
    fields.put("reportDelayMs", settings.reports().delayMs());
    fields.put("reportsSpread", settings.reports().spread());
    fields.put("leadMs", settings.execution().leadMs());
    fields.put("knowledge", settings.knowledge().name().toLowerCase(Locale.ROOT).replace('_', '-'));
    fields.put("alpha", settings.limits().alpha());
    fields.put("minBytesPerSec", settings.limits().minBytesPerSec());
    fields.put("minYields", settings.limits().minYields());
    fields.put("pressedSourcesFirst", settings.planning().pressedSourcesFirst());
    fields.put("minTimeslotMs", Math.min(settings.planning().timeslotMs(), settings.planning().minTimeslotMs()));
    fields.put("evictionFactor", settings.planning().evictionFactor());
    fields.put("beta", settings.planning().underemployedRatio());
    fields.put("forecast", settings.refinements().forecast().get().name());
    fields.put("widensHorizon", settings.refinements().widensHorizon());
    fields.put("plansEarly", settings.refinements().plansEarly());
    fields.put("peak", settings.refinements().shapes() ? settings.refinements().shaping().peak() : null);
    fields.put("creditSec", settings.refinements().shapes() ? settings.refinements().shaping().creditSec() : null);
    fields.put("sharing", settings.physics().fair() ? "fair" : "priority");
    return fields;
  }

  Map<String, Object> json() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("algorithm", algorithm);
    fields.putAll(settingsJson());
    fields.put("failures", cases.size());
    fields.put("unfinished", unfinished());
    NUMBERS.keySet().forEach(number -> fields.put(number, finite(mean(number))));
    fields.put("yearsToDataLoss", finite(yearsToDataLoss()));
    Map<String, Object> deviations = new LinkedHashMap<>();
    NUMBERS.keySet().forEach(number -> deviations.put(number, finite(deviation(number))));
    fields.put("standardDeviation", deviations);
    fields.put("cases", cases.stream().map(this::json).toList());
    return fields;
  }

  private Map<String, Object> json(Case one) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("failedNode", one.failedNode);
    fields.put("failedNodeName", one.name);
    fields.put("firstSlot", one.firstSlot);
    fields.put("finished", one.outcome.finished());
    NUMBERS.forEach((name, number) -> fields.put(name, finite(number.applyAsDouble(one))));
    fields.put("slots", one.outcome.slots());
    return fields;
  }

  /** JSON has neither infinity nor NaN. */
  private static Double finite(double value) {
    return Double.isFinite(value) ? value : null;
  }

  String algorithm() {
    return algorithm;
  }

  List<Case> cases() {
    return cases;
  }
}
