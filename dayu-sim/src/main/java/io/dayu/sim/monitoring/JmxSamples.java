/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.monitoring;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dayu.sim.FormatException;
import io.dayu.sim.TextFile;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Reads polls of DataNodes' {@code /jmx}: lines of seconds since 1970, the node's name and the answer as JSON on one
 * line. The foreground is that of Dayu's agent if the answer has its bean; else what remote clients read and wrote, in
 * which copies along the write pipeline are missing. An answer with neither is that of a DataNode that is starting.
 * Used once for a file; not thread-safe.
 */
public final class JmxSamples {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String AGENT = "name=DayuAgent";
  private static final String DATANODE = "name=DataNodeActivity-";

  private final Samples samples;
  /** By node, the time of its last answer. */
  private final Map<String, Double> lastSec = new LinkedHashMap<>();
  /** By node, where its first answer without a bean is. */
  private final Map<String, String> withoutBean = new LinkedHashMap<>();
  private final Set<String> withBean = new HashSet<>();
  private int unanswered;
  private int starting;

  private JmxSamples(Samples samples) {
    this.samples = samples;
  }

  /** Adds a file to samples. */
  public static void read(Path file, Samples samples) throws IOException {
    new JmxSamples(samples).read(file);
  }

  private void read(Path file) throws IOException {
    int line = 0;
    try (BufferedReader reader = TextFile.open(file, bytes -> {})) {
      for (String text = reader.readLine(); text != null; text = reader.readLine()) {
        line++;
        if (!text.isBlank()) {
          add(text, file + ": line " + line);
        }
      }
    }
    if (line == 0) {
      throw new FormatException(file + ": the file is empty");
    }
    for (Map.Entry<String, String> node : withoutBean.entrySet()) {
      if (!withBean.contains(node.getKey())) {
        throw new FormatException(
            node.getValue() + ": neither a bean DayuAgent nor one DataNodeActivity-… in any answer of " + node.getKey()
                + "; is it a DataNode? (--leave-out)");
      }
    }
    if (unanswered + starting > 0) {
      samples.remark("%s: %d polls without an answer, %d answers of a DataNode that was starting: gaps", file,
          unanswered, starting);
    }
  }

  private void add(String text, String where) throws FormatException {
    String[] parts = text.trim().split("\\s+", 3);
    if (parts.length < 2) {
      throw new FormatException(where + ": expected SECONDS NODE JSON");
    }
    double at = Samples.number(parts[0], where);
    String node = parts[1];
    if (samples.leavesOut(node)) {
      return;
    }
    samples.both(node);
    if (parts.length == 2) {
      unanswered++;
      return; // What that leaves unknown is checked as a gap.
    }
    JsonNode beans;
    try {
      beans = JSON.readTree(parts[2]).path("beans");
    } catch (JsonProcessingException e) {
      throw new FormatException(where + ": the answer is no whole JSON, expected all of it on one line");
    }
    if (lastSec.getOrDefault(node, Double.NEGATIVE_INFINITY) >= at) {
      throw new FormatException(where + ": times of node " + node + " are not in order at " + Samples.time(at));
    }
    lastSec.put(node, at);
    JsonNode agent = bean(beans, AGENT);
    JsonNode datanode = bean(beans, DATANODE);
    if (agent != null) {
      samples.sent(node).addGauge(at, value(agent, "ForegroundOutBytesPerSec", where));
      samples.received(node).addGauge(at, value(agent, "ForegroundInBytesPerSec", where));
    } else if (datanode != null) {
      samples.sent(node).addCounter(at, value(datanode, "RemoteBytesRead", where));
      samples.received(node).addCounter(at, value(datanode, "RemoteBytesWritten", where));
    } else {
      starting++;
      samples.both(node).forEach(series -> series.addRestart(at));
      withoutBean.putIfAbsent(node, where);
      return;
    }
    withBean.add(node);
  }

  private static JsonNode bean(JsonNode beans, String name) {
    for (JsonNode bean : beans) {
      if (bean.path("name").asText().contains(name)) {
        return bean;
      }
    }
    return null;
  }

  private static double value(JsonNode bean, String attribute, String where) throws FormatException {
    if (!bean.path(attribute).isNumber()) {
      throw new FormatException(where + ": no number " + attribute + " in the bean");
    }
    return Samples.number(bean.get(attribute).asText(), where);
  }
}
