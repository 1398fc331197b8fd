/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import com.fasterxml.jackson.databind.ObjectMapper;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What the benchmark found, for the table and as versioned JSON. Single-threaded. */
final class HostsResult {
  private static final int VERSION = 4;

  private final HostsOptions options;
  private final List<RunRecord> runs = new ArrayList<>();
  private final List<RunSummary> summaries = new ArrayList<>();
  private final Map<RecoveryMode, List<RunFigures.Compared>> compared = new LinkedHashMap<>();
  private final List<String> failures = new ArrayList<>();

  HostsResult(HostsOptions options) {
    this.options = options;
  }

  /**
   * Adds a run.
   *
   * @param none that of the same seed, if there is one
   * @param reused whether the run is an earlier one
   */
  void add(RunRecord run, Optional<RunRecord> none, boolean reused) {
    runs.add(run);
    none.ifPresent(reference -> compared.computeIfAbsent(run.mode(), mode -> new ArrayList<>())
        .add(new RunFigures.Compared(run, reference)));
    summaries.add(RunSummary.of(run, none, options.links().rateBytesPerSec(), reused));
  }

  List<RunRecord> runs() {
    return List.copyOf(runs);
  }

  HostsOptions hostsOptions() {
    return options;
  }

  void failed(String reason) {
    failures.add(reason);
  }

  List<String> failures() {
    return List.copyOf(failures);
  }

  List<RunSummary> summaries() {
    return List.copyOf(summaries);
  }

  /** One a mode, if there are several seeds; the 90th percentiles are of the operations of all seeds. */
  List<RunSummary> medians() {
    Map<RecoveryMode, List<RunSummary>> byMode = new LinkedHashMap<>();
    summaries.forEach(run -> byMode.computeIfAbsent(run.mode(), mode -> new ArrayList<>()).add(run));
    return options.runs().seeds().size() == 1 ? List.of() : byMode.values().stream()
        .map(of -> RunSummary.median(of).withPooledLatencies(compared.getOrDefault(of.get(0).mode(), List.of())))
        .toList();
  }

  /** What became of all deadlines, one line. */
  String deadlines() {
    List<RunSummary> given =
        summaries.stream().filter(run -> !Double.isNaN(run.value("deadlineCanBeKept"))).toList();
    List<RunSummary> yes = given.stream().filter(run -> run.value("deadlineCanBeKept") > 0).toList();
    long keptOfAll = given.stream().filter(run -> run.value("deadlineKept") > 0).count();
    long kept = yes.stream().filter(run -> run.value("deadlineKept") > 0).count();
    return String.format("deadlines: kept %d of %d where the answer was that they can be kept, and %d of the other %d",
        kept, yes.size(), keptOfAll - kept, given.size() - yes.size());
  }

  void write(Path file) throws IOException {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("version", VERSION);
    fields.put("options", options());
    fields.put("failures", failures);
    List<Object> all = new ArrayList<>();
    for (int i = 0; i < runs.size(); i++) {
      RunRecord measured = runs.get(i);
      Map<String, Object> run = summary(summaries.get(i));
      run.put("victim", measured.identity().victim());
      if (measured.recovery().deadline().isGiven()) {
        run.put("deadlineAnswer", measured.recovery().deadline().text());
      }
      run.put("series", series(measured));
      run.put("operations",
          measured.foreground().operations().stream().map(operation -> operation(measured, operation)).toList());
      all.add(run);
    }
    fields.put("runs", all);
    fields.put("medians", medians().stream().map(HostsResult::summary).toList());
    new ObjectMapper().writeValue(file.toFile(), fields);
  }

  private Map<String, Object> options() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("fault", options.fault().id());
    options.deadlineFactor().ifPresent(factor -> fields.put("deadline", factor));
    options.secondStepAfter().ifPresent(after -> fields.put("faultAfterSec", after.toMillis() / 1e3));
    fields.put("hadoop", options.jars().hadoop());
    fields.put("nodes", options.topology().nodes());
    fields.put("racks", options.topology().racks());
    fields.put("rateBitsPerSec", options.links().rateBitsPerSec());
    fields.put("network", options.links().queue().kind().id());
    fields.put("lowerEffortShare", options.links().queue().lowerEffortShare());
    fields.put("queueMs", options.links().queue().queueMs());
    fields.put("segmentBytes", options.links().queue().segmentBytes());
    fields.put("blockBytes", options.data().blockBytes());
    fields.put("erasureCoding", options.data().erasureCoding().map(ErasureCoding::policyName).orElse("none"));
    fields.put("groups", options.groups().count());
    fields.put("files", options.files());
    fields.put("dataBytes", options.data().lostBytes());
    fields.put("utilization", options.utilization());
    fields.put("conf", options.conf());
    return fields;
  }

  private static Map<String, Object> summary(RunSummary summary) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("mode", summary.mode().id());
    fields.put("seeds", summary.seeds());
    fields.put("remarks", summary.remarks());
    summary.figures().forEach((name, value) -> fields.put(name,
        Double.isNaN(value) || Double.isInfinite(value) ? null : (Object) (Math.round(value * 1e4) / 1e4)));
    return fields;
  }

  /** Kind, planned moment in seconds since the loss, bytes, latency in milliseconds or -1. */
  private static List<Object> operation(RunRecord run, RunRecord.EndedOperation operation) {
    return List.of(operation.kind().name(), Math.round(operation.plannedAtMs() - run.moments().lossAtMs()) / 1e3,
        operation.bytes(), Math.round(operation.latencyMs() * 10) / 10.0);
  }

  /** Second by second from the beginning of the foreground. */
  private static Map<String, Object> series(RunRecord run) {
    HostSeries series = new HostSeries(run.foreground().samples());
    double toMs = run.foreground().samples().get(run.foreground().samples().size() - 1).atMs();
    List<Object> received = new ArrayList<>();
    List<Object> sent = new ArrayList<>();
    for (int node = 0; node < run.foreground().samples().get(0).receivedBytes().size(); node++) {
      received.add(series.perSecond(HostSample::receivedBytes, node, run.moments().beginAtMs(), toMs));
      sent.add(series.perSecond(HostSample::sentBytes, node, run.moments().beginAtMs(), toMs));
    }
    double[] restored = new double[(int) Math.ceil((toMs - run.moments().beginAtMs()) / 1e3)];
    for (LostReplicaFiles.Restored block : run.recovery().restored()) {
      int second = (int) ((block.atMs() - run.moments().beginAtMs()) / 1e3);
      restored[Math.min(restored.length - 1, second)] += block.bytes();
    }
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("lossAtSec", (run.moments().lossAtMs() - run.moments().beginAtMs()) / 1e3);
    fields.put("endAtSec", (run.moments().endAtMs() - run.moments().beginAtMs()) / 1e3);
    fields.put("restoredBytes", restored);
    fields.put("receivedBytes", received);
    fields.put("sentBytes", sent);
    return fields;
  }
}
