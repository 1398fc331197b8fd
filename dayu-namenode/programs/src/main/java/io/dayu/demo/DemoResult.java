/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.demo;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import org.apache.hadoop.util.VersionInfo;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What the demo found, for machines: written as one JSON object. Single-threaded. For each mode that was run it has an
 * object of the mode's name, with medians if there are several seeds; {@code runs} has every run.
 */
final class DemoResult {
  private final DemoOptions options;
  private final List<Outcome> outcomes = new ArrayList<>();
  private final List<String> otherFailures = new ArrayList<>();

  DemoResult(DemoOptions options) {
    this.options = options;
  }

  void add(Outcome outcome) {
    outcomes.add(outcome);
  }

  List<Outcome> outcomes() {
    return List.copyOf(outcomes);
  }

  /** For what is no matter of one mode. */
  void failed(String reason) {
    otherFailures.add(reason);
  }

  /** All failures, of every mode and seed and of the demo itself; empty if there were none. */
  List<String> failures() {
    return Stream.concat(outcomes.stream().flatMap(outcome -> outcome.namedFailures().stream()), otherFailures.stream())
        .toList();
  }

  void write(Path file) throws IOException {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("outcome", failures().isEmpty() ? "success" : "failure");
    fields.put("reason", String.join("; ", failures()));
    fields.put("hadoopVersion", VersionInfo.getVersion());
    fields.put("nodes", options.nodes());
    fields.put("racks", options.racks());
    fields.put("replication", options.data().replication());
    fields.put("dataBytes", options.data().bytes());
    fields.put("blockBytes", options.data().blockBytes());
    fields.put("bandwidthBytesPerSec", options.bandwidthBytesPerSec());
    fields.put("utilization", options.utilization());
    fields.put("timeslotMs", options.timeslots().intervalMs());
    fields.put("horizonMs", options.timeslots().horizonMs());
    fields.put("conf", options.conf());
    fields.put("seeds", options.seeds());
    ModeSummary.medianOfEachMode(outcomes).forEach(summary -> fields.put(summary.mode().id(), mode(summary)));
    fields.put("runs", outcomes.stream().map(DemoResult::run).toList());
    new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValue(file.toFile(), fields);
  }

  private static Map<String, Object> mode(ModeSummary summary) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("failedRuns", summary.failedRuns());
    fields.putAll(summary.fields());
    return fields;
  }

  private static Map<String, Object> run(Outcome outcome) {
    Map<String, Object> run = new LinkedHashMap<>();
    run.put("mode", outcome.mode().id());
    run.put("seed", outcome.seed());
    run.put("failures", outcome.failures());
    outcome.result().ifPresent(result -> run.put("killedNode", result.killedNode()));
    run.putAll(ModeSummary.of(outcome).fields());
    run.putAll(outcome.proof());
    return run;
  }
}
