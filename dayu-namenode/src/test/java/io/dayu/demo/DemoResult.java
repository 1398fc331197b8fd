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
import java.util.LinkedHashMap;
import java.util.Map;

/** What a run of the demo found, for machines: written as one JSON object. Single-threaded. */
final class DemoResult {
  private final Map<String, Object> fields = new LinkedHashMap<>();

  DemoResult(DemoOptions options) {
    put("outcome", "failure");
    put("reason", "not finished");
    put("hadoopVersion", VersionInfo.getVersion());
    put("nodes", options.nodes());
    put("racks", options.racks());
    put("replication", options.replication());
    put("dataBytes", options.dataBytes());
    put("blockBytes", options.blockBytes());
    put("bandwidthBytesPerSec", options.bandwidthBytesPerSec());
    put("seed", options.seed());
  }

  void put(String field, Object value) {
    fields.put(field, value);
  }

  void succeeded() {
    put("outcome", "success");
    put("reason", "");
  }

  void failed(String reason) {
    put("outcome", "failure");
    put("reason", reason);
  }

  void write(Path file) throws IOException {
    new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValue(file.toFile(), fields);
  }
}
