/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dayu.sim.cli.CommandFixture;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** {@code dayu-sim figures} and {@code dayu-sim scale}: the figures, and the simulations that they go on with. */
class FiguresCommandTest extends CommandFixture {
  @Test
  void figures_areWritten_andGoneOnWith() throws IOException {
    Path json = folder.resolve("figures.json");
    Path written = folder.resolve("out");
    String command = "figures --only fig5 --failures 1 --seeds 1 --quick --out " + written + " --json " + json;
    assertEquals(0, run(command), err::toString);
    assertTrue(out.toString().contains("fig5") && out.toString().contains("dayu-paper is faster than pangu-slow"),
        out::toString);
    String cases = Files.readString(written.resolve("cases.csv"));
    assertEquals(1 + 5, cases.lines().count(), cases);
    String csv = Files.readString(written.resolve("figures/fig5.csv"));
    assertEquals(1 + 5, csv.lines().count(), csv);
    assertTrue(Files.readString(written.resolve("figures/fig5-time.svg")).startsWith("<svg"));
    assertTrue(!Files.exists(written.resolve("figures/fig6.csv")), "only what was asked for");
    String page = Files.readString(written.resolve("index.html"));
    assertTrue(page.contains("Fig. 5") && page.contains("2.96× as fast") && page.contains("<svg"), page);
    assertTrue(Files.readString(written.resolve("results.md"))
        .contains("| dayu-paper is faster than pangu-slow | 2.96× as fast |"));
    JsonNode report = new ObjectMapper().readTree(json.toFile());
    assertEquals("fig5", report.get("figures").get(0).get("id").asText());
    assertEquals(5, report.get("figures").get(0).get("rows").size());
    assertEquals("1.19", report.get("figures").get(0).get("claims").get(0).get("paper").asText());
    assertEquals(0, run(command), err::toString);
    assertEquals(cases, Files.readString(written.resolve("cases.csv")), "nothing was simulated again");
    assertEquals(csv, Files.readString(written.resolve("figures/fig5.csv")));
  }

  @Test
  void scale_isMeasured_forEachSizeAndAlgorithm() throws IOException {
    Path json = folder.resolve("scale.json");
    assertEquals(0,
        run("scale --nodes 240,120 --algorithm C+W,G1+W --time 30s --json " + json + " --out " + folder.resolve("out")),
        err::toString);
    JsonNode figure = new ObjectMapper().readTree(json.toFile()).get("figures").get(0);
    assertEquals(4, figure.get("rows").size());
    assertEquals("120", figure.get("rows").get(0).get(0).asText());
    assertTrue(Double.parseDouble(figure.get("rows").get(0).get(2).asText()) > 0);
    assertTrue(Files.exists(folder.resolve("out/fig7.csv")) && Files.exists(folder.resolve("out/fig7-recovered.svg")));
    assertTrue(out.toString().contains("recovered (TB)") && out.toString().contains("G1 stops scaling"), out::toString);
    assertEquals(0, run("scale --nodes 120 --algorithm R+W --time 15s"), err::toString);
  }
}
