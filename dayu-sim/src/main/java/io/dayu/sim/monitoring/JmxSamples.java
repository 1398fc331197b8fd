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
import io.dayu.sim.TextFile;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Reads polls of DataNodes' {@code /jmx}: lines of seconds since 1970, the node's name and the answer as JSON on one
 * line. The foreground is that of Dayu's agent if the answer has its bean; else what remote clients read and wrote, in
 * which copies along the write pipeline are missing. Static methods only.
 */
public final class JmxSamples {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String AGENT = "name=DayuAgent";
  private static final String DATANODE = "name=DataNodeActivity-";

  private JmxSamples() {
  }

  /** Adds a file to samples. */
  public static void read(Path file, Samples samples) throws IOException {
    try (BufferedReader reader = TextFile.open(file, bytes -> {})) {
      int line = 0;
      for (String text = reader.readLine(); text != null; text = reader.readLine()) {
        line++;
        if (!text.isBlank()) {
          add(text, file + ": line " + line, samples);
        }
      }
      if (line == 0) {
        throw new SamplesFormatException(file + ": the file is empty");
      }
    }
  }

  private static void add(String text, String where, Samples samples) throws SamplesFormatException {
    String[] parts = text.trim().split("\\s+", 3);
    if (parts.length < 2) {
      throw new SamplesFormatException(where + ": expected SECONDS NODE JSON");
    }
    double at = Samples.number(parts[0], where);
    Samples.Series sent = samples.sent(parts[1]);
    Samples.Series received = samples.received(parts[1]);
    if (parts.length == 2) {
      return; // The poll was not answered; what that leaves unknown is checked as a gap.
    }
    JsonNode beans;
    try {
      beans = JSON.readTree(parts[2]).path("beans");
    } catch (JsonProcessingException e) {
      throw new SamplesFormatException(where + ": the answer is no whole JSON, expected all of it on one line");
    }
    JsonNode agent = bean(beans, AGENT);
    JsonNode datanode = bean(beans, DATANODE);
    if (!sent.endsBefore(at)) {
      throw new SamplesFormatException(
          where + ": times of node " + parts[1] + " are not in order at " + Samples.time(at));
    }
    if (agent != null) {
      sent.addGauge(at, value(agent, "ForegroundOutBytesPerSec", where));
      received.addGauge(at, value(agent, "ForegroundInBytesPerSec", where));
    } else if (datanode != null) {
      sent.addCounter(at, value(datanode, "RemoteBytesRead", where));
      received.addCounter(at, value(datanode, "RemoteBytesWritten", where));
    } else {
      throw new SamplesFormatException(where + ": neither a bean DayuAgent nor one DataNodeActivity-… in the answer");
    }
  }

  private static JsonNode bean(JsonNode beans, String name) {
    for (JsonNode bean : beans) {
      if (bean.path("name").asText().contains(name)) {
        return bean;
      }
    }
    return null;
  }

  private static double value(JsonNode bean, String attribute, String where) throws SamplesFormatException {
    if (!bean.path(attribute).isNumber()) {
      throw new SamplesFormatException(where + ": no number " + attribute + " in the bean");
    }
    return Samples.number(bean.get(attribute).asText(), where);
  }
}
