/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
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

/**
 * What the demo found, for machines: written as one JSON object. Single-threaded. For each mode that was run it has an object of the
 * mode's name, with medians if there are several seeds; {@code runs} has every run.
 */
final class DemoResult {
  private final DemoOptions options;
  private final List<ModeResult> results = new ArrayList<>();
  private final List<Map<String, Object>> runs = new ArrayList<>();
  private String failure = "not finished";

  DemoResult(DemoOptions options) {
    this.options = options;
  }

  /** @param proof further fields of this run by name: what was verified, and what Dayu counted */
  void add(ModeResult result, Map<String, Object> proof) {
    results.add(result);
    Map<String, Object> run = new LinkedHashMap<>();
    run.put("mode", result.mode().id());
    run.put("seed", result.seed());
    run.put("killedNode", result.killedNode());
    run.putAll(ModeSummary.of(result).fields());
    run.putAll(proof);
    runs.add(run);
  }

  List<ModeResult> results() {
    return List.copyOf(results);
  }

  void succeeded() {
    failure = "";
  }

  void failed(String reason) {
    failure = reason;
  }

  void write(Path file) throws IOException {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("outcome", failure.isEmpty() ? "success" : "failure");
    fields.put("reason", failure);
    fields.put("hadoopVersion", VersionInfo.getVersion());
    fields.put("nodes", options.nodes());
    fields.put("racks", options.racks());
    fields.put("replication", options.replication());
    fields.put("dataBytes", options.dataBytes());
    fields.put("blockBytes", options.blockBytes());
    fields.put("bandwidthBytesPerSec", options.bandwidthBytesPerSec());
    fields.put("utilization", options.utilization());
    fields.put("timeslotMs", options.timeslotMs());
    fields.put("horizonMs", options.horizonMs());
    fields.put("conf", options.conf());
    fields.put("seeds", options.seeds());
    ModeSummary.medianOfEachMode(results).forEach(summary -> fields.put(summary.mode().id(), summary.fields()));
    fields.put("runs", runs);
    new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValue(file.toFile(), fields);
  }
}
