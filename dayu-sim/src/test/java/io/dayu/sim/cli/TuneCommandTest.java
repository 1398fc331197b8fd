/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** {@code dayu-sim tune}: the settings that it recommends. */
class TuneCommandTest extends CommandFixture {
  @Test
  void tune_recommendsSettings_theSameForTheSameSeed_howeverManyThreads() throws IOException {
    Path snippet = folder.resolve("snippet.xml");
    Path json = folder.resolve("tune.json");
    String command =
        "tune " + SMALL + "--failures 2 --budget 9 --max-interference 50% --out " + snippet + " --json " + json;
    assertEquals(0, run(command + " --threads 1"), err::toString);
    String table = out.toString();
    assertEquals(0, run(command + " --threads 3"), err::toString);
    assertEquals(table, out.toString());
    JsonNode report = new ObjectMapper().readTree(json.toFile());
    assertTrue(report.get("complete").asBoolean());
    assertEquals(9, report.get("measured").size());
    assertTrue(report.get("checked").size() >= 1);
    assertTrue(table.endsWith(Files.readString(snippet)), table);
    report.get("recommended").fields().forEachRemaining(property -> assertTrue(table.contains(
        "<name>" + property.getKey() + "</name>\n    <value>" + property.getValue().asText() + "</value>"), table));
  }

  @Test
  void tune_saysSo_ifNothingStaysBelowTheBound() throws IOException {
    assertEquals(1, run("tune " + SMALL + "--failures 1 --budget 2 --max-interference 0.000001% --out "
        + folder.resolve("snippet.xml")));
    assertTrue(out.toString().contains("Nothing to recommend"), out::toString);
    assertNoFile();
  }
}
