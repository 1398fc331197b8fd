/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import io.dayu.hosts.RunRecord.EndedOperation;
import io.dayu.hosts.client.OperationKind;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Derives the figures of a run, by name: of the window from the loss to the end of recovery, held against the same
 * seconds of the run in which nobody recovers. Stateless. A figure that needs such a run is missing where there is
 * none.
 */
final class RunFigures {
  /** With less than this part of the processor idle, a run measures the processor rather than recovery. */
  static final double MIN_IDLE = 0.15;
  private static final double SLOW_FACTOR = 10;
  static final double TICKS_PER_SEC = 100;

  /** A run and the one in which nobody recovers, of the same seed. */
  record Compared(RunRecord run, RunRecord none) {
  }

  private RunFigures() {
  }

  /** @param none the run of the same seed in which nobody recovers, if there is one; may be the run itself */
  static Map<String, Double> of(RunRecord run, Optional<RunRecord> none, long linkBytesPerSec) {
    Map<String, Double> figures = new LinkedHashMap<>();
    HostSeries series = new HostSeries(run.foreground().samples());
    double restoredBytes = run.recovery().restored().stream().mapToLong(LostReplicaFiles.Restored::bytes).sum();
    figures.put("recoverySec", run.mode() == RecoveryMode.NONE ? Double.NaN : run.seconds());
    none.ifPresent(reference -> {
      double idealSec = idealSec(reference, linkBytesPerSec);
      figures.put("idealSec", idealSec);
      figures.put("ratioToIdeal", figures.get("recoverySec") / idealSec);
      figures.put("idealAnywhereSec", idealAnywhereSec(reference, linkBytesPerSec));
    });
    for (OperationKind kind : OperationKind.values()) {
      latencies(figures, kind, run, none);
    }
    figures.put("failed", (double) window(run, run.seconds()).stream().filter(EndedOperation::failed).count());
    none.ifPresent(reference -> figures.put("slow", (double) slow(run, reference)));
    double foregroundBytes = window(run, run.seconds()).stream().filter(EndedOperation::ended)
        .mapToDouble(EndedOperation::bytes).sum();
    figures.put("foregroundBytesPerSec", foregroundBytes / run.seconds());
    figures.put("cpuIdle", series.growth(HostSample::idleTicks, run.moments().lossAtMs(), run.moments().endAtMs())
        / series.growth(HostSample::cpuTicks, run.moments().lossAtMs(), run.moments().endAtMs()));
    figures.put("nameNodeCpuSec", cpuSec(run, run.seconds(), 0, 1));
    figures.put("clientCpuSec", cpuSec(run, run.seconds(), 1, 2));
    figures.put("dataNodesCpuSec", dataNodesCpuSec(run, run.seconds()));
    figures.put("lostBytes", (double) run.loss().lostBytes());
    figures.put("restoredBytes", restoredBytes);
    none.filter(reference -> reference.seconds() >= run.seconds())
        .ifPresent(reference -> {
          figures.put("receivedInVainBytes",
              series.receivedByOthers(run.notReceiving(), run.moments().lossAtMs(), run.moments().endAtMs())
                  - new HostSeries(reference.foreground().samples()).receivedByOthers(reference.notReceiving(),
                      reference.moments().lossAtMs(),
                      reference.moments().lossAtMs() + run.seconds() * 1e3)
                  - receivedForRestored(run));
          figures.put("recoveryCpuSecPerGb", restoredBytes == 0 ? Double.NaN
              : (dataNodesCpuSec(run, run.seconds()) - dataNodesCpuSec(reference, run.seconds()))
                  / (restoredBytes / 1e9));
        });
    figures.put("comparedInternalBlocks", (double) run.recovery().content().internalBlocks());
    figures.put("comparedReplicas", (double) run.recovery().content().replicas());
    figures.put("differing", (double) run.recovery().content().different().size());
    figures.put("wastedBytes",
        run.recovery().state().wastedBytes() < 0 ? Double.NaN : run.recovery().state().wastedBytes());
    figures.put("sourceChanges",
        run.recovery().state().sourceChanges() < 0 ? Double.NaN : run.recovery().state().sourceChanges());
    figures.put("etaErrorPercent",
        run.recovery().state().etaErrorPercent() < 0 ? Double.NaN : run.recovery().state().etaErrorPercent());
    figures.put("singleReplicaSec", highestRiskSec(run, block -> true));
    if (!run.loss().needed().isEmpty()) {
      figures.put("singleReplicaBlocksSec", highestRiskSec(run, block -> block.width() == 1));
      figures.put("singleReplicaGroupsSec", highestRiskSec(run, block -> block.width() > 1));
      figures.put("highestRiskFirst", highestRiskFirst(run));
    }
    if (run.recovery().deadline().isGiven()) {
      deadline(figures, run, run.recovery().deadline());
    }
    figures.put("deletedInternalBlocks", (double) run.recovery().deletedInternalBlocks());
    figures.put("secondStepSec", (run.moments().secondStepAtMs() - run.moments().lossAtMs()) / 1e3);
    if (run.mode() != RecoveryMode.NONE) {
      figures.put("changesOfState", (double) run.recovery().changesOfState());
      figures.put("missingBlocks", (double) run.recovery().state().missingBlocks());
      figures.put("fsckProblems", (double) run.recovery().state().problems().size());
    }
    return figures;
  }

  private static void deadline(Map<String, Double> figures, RunRecord run, LeavingDeadline deadline) {
    figures.put("deadlineForecastSec", deadline.forecastSec());
    figures.put("deadlineSec", (deadline.untilMs() - deadline.givenAtMs()) / 1e3);
    figures.put("deadlineUtilization", deadline.utilization());
    figures.put("deadlineCanBeKept", deadline.canBeKept() ? 1.0 : 0);
    figures.put("deadlineLateSec",
        run.moments().cutOff() ? Double.NaN : (run.moments().endAtMs() - deadline.untilMs()) / 1e3);
    figures.put("deadlineKept",
        !run.moments().cutOff() && run.moments().endAtMs() <= deadline.untilMs() ? 1.0 : 0);
  }

  /** Where a DataNode leaves, nobody knows what was rebuilt; so all counts as copied. */
  private static double receivedForRestored(RunRecord run) {
    return run.recovery().restored().stream()
        .mapToDouble(block -> block.bytes() * (run.fault() == HostFault.DECOMMISSION ? 1 : block.width())).sum();
  }

  /**
   * How long there was something of the kind that could lose nothing more, from when the NameNode knew of the last
   * loss. 0 if there never was: if one DataNode is hit and blocks have three replicas, none ever has only one.
   */
  private static double highestRiskSec(RunRecord run, Predicate<LostReplicaFiles.Restored> kind) {
    return run.recovery().restored().stream().filter(LostReplicaFiles.Restored::wasAtHighestRisk).filter(kind)
        .mapToDouble(block -> Math.max(0, block.atMs() - run.moments().lastLossAtMs()) / 1e3).max().orElse(0);
  }

  /**
   * Of the bytes that were restored as long as something was at the highest risk, the part of such blocks and groups;
   * not a number if none was.
   */
  private static double highestRiskFirst(RunRecord run) {
    double untilMs = run.moments().lastLossAtMs() + 1e3 * highestRiskSec(run, block -> true);
    double highestRiskBytes = 0;
    double bytes = 0;
    for (LostReplicaFiles.Restored block : run.recovery().restored()) {
      if (block.atMs() >= run.moments().lastLossAtMs() && block.atMs() <= untilMs) {
        bytes += block.bytes();
        highestRiskBytes += block.wasAtHighestRisk() ? block.bytes() : 0;
      }
    }
    return highestRiskBytes == 0 ? Double.NaN : highestRiskBytes / bytes;
  }

  /** Not a number where it is not known: blocks are lost later, or come back, or are groups on a lost disk. */
  static double idealSec(RunRecord none, long linkBytesPerSec) {
    boolean groups = !none.loss().needed().isEmpty();
    return switch (none.fault()) {
      case KILL, FAILOVER -> groups ? placementBoundSec(none, linkBytesPerSec)
          : idealAnywhereSec(none, linkBytesPerSec);
      case LIMP -> groups ? placementBoundSec(none, linkBytesPerSec) : Double.NaN;
      case DECOMMISSION -> groups ? leavingBoundSec(none, linkBytesPerSec) : idealAnywhereSec(none, linkBytesPerSec);
      case DISK -> groups ? Double.NaN : idealAnywhereSec(none, linkBytesPerSec);
      case SECOND, RETURN -> Double.NaN;
    };
  }

  private static double placementBoundSec(RunRecord none, long linkBytesPerSec) {
    HostSeries series = new HostSeries(none.foreground().samples());
    List<double[]> received =
        series.perSecondOfOthers(HostSample::receivedBytes, RunRecord.NO_NODE, none.moments().lossAtMs(),
            none.moments().endAtMs());
    List<double[]> sent = series.perSecondOfOthers(HostSample::sentBytes, RunRecord.NO_NODE, none.moments().lossAtMs(),
        none.moments().endAtMs());
    return FlowBound.seconds(none.loss().needed(), received.size(),
        (node, seconds) -> recoveryBytes(none, node, received.get(node), linkBytesPerSec, seconds),
        (node, seconds) -> recoveryBytes(none, node, sent.get(node), linkBytesPerSec, seconds));
  }

  /** The slow link of the fault {@code limp} has a part of its rate from the second step on. */
  private static double recoveryBytes(RunRecord none, int node, double[] foreground, double linkBytesPerSec,
      double seconds) {
    if (none.fault() != HostFault.LIMP || node != none.identity().other()) {
      return IdealTime.recoveryBytes(foreground, linkBytesPerSec, seconds);
    }
    double fastSec =
        Math.min(seconds, Math.max(0, (none.moments().secondStepAtMs() - none.moments().lossAtMs()) / 1e3));
    double slowBytesPerSec = linkBytesPerSec / FaultInjection.LIMP_DIVISOR;
    return IdealTime.recoveryBytes(foreground, linkBytesPerSec, fastSec)
        + IdealTime.recoveryBytes(foreground, slowBytesPerSec, seconds)
        - IdealTime.recoveryBytes(foreground, slowBytesPerSec, fastSec);
  }

  private static double leavingBoundSec(RunRecord none, long linkBytesPerSec) {
    HostSeries series = new HostSeries(none.foreground().samples());
    int leaving = none.identity().victim();
    List<double[]> received = series.perSecondOfOthers(HostSample::receivedBytes, leaving, none.moments().lossAtMs(),
        none.moments().endAtMs());
    List<double[]> sent =
        series.perSecondOfOthers(HostSample::sentBytes, leaving, none.moments().lossAtMs(), none.moments().endAtMs());
    double[] sentByLeaving =
        series.perSecond(HostSample::sentBytes, leaving, none.moments().lossAtMs(), none.moments().endAtMs());
    return LeavingBound.seconds(none.loss().needed(),
        seconds -> received.stream().mapToDouble(link -> IdealTime.recoveryBytes(link, linkBytesPerSec, seconds)).sum(),
        seconds -> sent.stream().mapToDouble(link -> IdealTime.recoveryBytes(link, linkBytesPerSec, seconds)).sum(),
        seconds -> IdealTime.recoveryBytes(sentByLeaving, linkBytesPerSec, seconds));
  }

  /** The ideal time if each DataNode could send and receive any part of what was lost. */
  private static double idealAnywhereSec(RunRecord none, long linkBytesPerSec) {
    HostSeries series = new HostSeries(none.foreground().samples());
    long bytes = none.loss().needed().isEmpty() ? none.loss().lostBytes()
        : none.loss().needed().stream().mapToLong(each -> each.bytes() * each.width()).sum();
    return IdealTime.seconds(
        series.perSecondOfOthers(HostSample::receivedBytes, none.notReceiving(), none.moments().lossAtMs(),
            none.moments().endAtMs()),
        series.perSecondOfOthers(HostSample::sentBytes, none.notSending(), none.moments().lossAtMs(),
            none.moments().endAtMs()),
        linkBytesPerSec, bytes);
  }

  /**
   * The maximum over all links, both directions and all windows of the recovery of the link's mean use.
   *
   * @param maxWindowSec the longest window
   * @return by the length of the window in seconds; the first entry means nothing
   */
  static double[] maxMeanUse(RunRecord run, int maxWindowSec, double linkBytesPerSec) {
    HostSeries series = new HostSeries(run.foreground().samples());
    double endAtMs = run.moments().lossAtMs() + maxWindowSec * 1e3;
    List<double[]> links = new ArrayList<>(
        series.perSecondOfOthers(HostSample::receivedBytes, run.notReceiving(), run.moments().lossAtMs(), endAtMs));
    links.addAll(series.perSecondOfOthers(HostSample::sentBytes, run.notSending(), run.moments().lossAtMs(), endAtMs));
    double[] maxMean = new double[maxWindowSec + 1];
    for (double[] bytes : links) {
      for (int window = 1; window <= Math.min(maxWindowSec, bytes.length); window++) {
        maxMean[window] = Math.max(maxMean[window], maxSum(bytes, window) / window / linkBytesPerSec);
      }
    }
    return maxMean;
  }

  /** The maximum sum of {@code count} adjacent values. */
  static double maxSum(double[] values, int count) {
    double sum = 0;
    double max = 0;
    for (int i = 0; i < values.length; i++) {
      sum += values[i] - (i >= count ? values[i - count] : 0);
      max = i >= count - 1 ? Math.max(max, sum) : max;
    }
    return max;
  }

  private static void latencies(Map<String, Double> figures, OperationKind kind, RunRecord run,
      Optional<RunRecord> none) {
    String name = kind.name().toLowerCase(Locale.ROOT);
    Latency latency = Latency.of(ofKind(kind, window(run, run.seconds())));
    figures.put(name + "Count", (double) latency.count());
    figures.put(name + "P50Ms", latency.p50Ms());
    figures.put(name + "P90Ms", latency.p90Ms());
    figures.put(name + "P99Ms", latency.p99Ms());
    none.ifPresent(reference -> {
      Latency other = Latency.of(ofKind(kind, window(reference, run.seconds())));
      figures.put(name + "P50Ratio", latency.p50Ms() / other.p50Ms());
      putP90Ratio(figures, kind, List.of(new Compared(run, reference)));
      figures.put(name + "P99Ratio", latency.p99Ms() / other.p99Ms());
    });
  }

  /** With its 95 % interval. The operations of all runs are pooled. */
  static void putP90Ratio(Map<String, Double> figures, OperationKind kind, List<Compared> runs) {
    P90Ratio ratio = P90Ratio.of(
        runs.stream().flatMap(pair -> ofKind(kind, window(pair.run(), pair.run().seconds())).stream()).toList(),
        runs.stream().flatMap(pair -> ofKind(kind, window(pair.none(), pair.run().seconds())).stream()).toList());
    String name = kind.name().toLowerCase(Locale.ROOT) + "P90Ratio";
    figures.put(name, ratio.value());
    figures.put(name + "Low", ratio.low());
    figures.put(name + "High", ratio.high());
  }

  private static long slow(RunRecord run, RunRecord none) {
    long slow = 0;
    for (OperationKind kind : OperationKind.values()) {
      double limitMs = SLOW_FACTOR * Latency.of(ofKind(kind, window(none, run.seconds()))).p90Ms();
      slow += ofKind(kind, window(run, run.seconds())).stream()
          .filter(operation -> !operation.failed() && (!operation.ended() || operation.latencyMs() > limitMs)).count();
    }
    return slow;
  }

  /** The operations that were planned in the first seconds after the loss. */
  static List<EndedOperation> window(RunRecord run, double seconds) {
    return run.foreground().operations().stream()
        .filter(operation -> operation.plannedAtMs() >= run.moments().lossAtMs()
            && operation.plannedAtMs() < run.moments().lossAtMs()
                + seconds * 1e3)
        .toList();
  }

  static List<EndedOperation> ofKind(OperationKind kind, List<EndedOperation> operations) {
    return operations.stream().filter(operation -> operation.kind() == kind).toList();
  }

  private static double dataNodesCpuSec(RunRecord run, double seconds) {
    return cpuSec(run, seconds, 2, run.foreground().samples().get(0).processTicks().size());
  }

  /** What these processes took in the first seconds after the loss. */
  private static double cpuSec(RunRecord run, double seconds, int fromProcess, int toProcess) {
    HostSeries series = new HostSeries(run.foreground().samples());
    double ticks = 0;
    for (int i = fromProcess; i < toProcess; i++) {
      int process = i;
      ticks += series.growth(sample -> sample.processTicks().get(process), run.moments().lossAtMs(),
          run.moments().lossAtMs() + seconds * 1e3);
    }
    return ticks / TICKS_PER_SEC;
  }
}
