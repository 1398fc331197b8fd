/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.cli.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dayu.sim.tune.Criterion;
import io.dayu.sim.tune.Measured;
import io.dayu.sim.tune.TunedSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class TuneReportTest {
  private static final TunedSettings OTHER = new TunedSettings(3000, 4000, 0.75, 0.05, 1_000_000);

  @TempDir
  private Path folder;
  private final StringWriter out = new StringWriter();

  private TuneReport report(OutputFile snippet, OutputFile record) {
    return new TuneReport(new Criterion(2, 0.01), 3, 1, snippet, record, new PrintWriter(out, true));
  }

  private static Measured measured(TunedSettings settings, double seconds, double interference) {
    return new Measured(settings, seconds, 1.1, interference, 0.3, 0);
  }

  @Test
  void interruptedWork_tellsTheBestSoFar_andKeepsWhatIsMeasured() throws IOException {
    Path snippet = folder.resolve("snippet.xml");
    Path record = folder.resolve("tune.json");
    try (OutputFile first = new OutputFile(snippet); OutputFile second = new OutputFile(record)) {
      TuneReport report = report(first, second);
      report.interrupted();
      assertEquals("", out.toString(), "nothing is there yet");
      report.measured(measured(TunedSettings.DEFAULTS, 60, 1));
      report.measured(measured(OTHER, 50, 1));
      assertFalse(Files.exists(snippet));
      report.interrupted();
    }
    assertTrue(out.toString().contains("interrupted") && out.toString().contains("<value>3s</value>"), out::toString);
    assertTrue(Files.readString(snippet).contains("<value>3s</value> <!-- the default is 2s -->"));
    JsonNode kept = new ObjectMapper().readTree(record.toFile());
    assertFalse(kept.get("complete").asBoolean());
    assertEquals(2, kept.get("measured").size());
    assertEquals("{\"settings\":" + kept.get("recommended") + ",\"recoveryTimeSec\":50.0,\"ratioToIdeal\":1.1,"
        + "\"interferencePercent\":1.0,\"foregroundAlonePercent\":0.3,\"unfinished\":0}",
        kept.get("measured").get(1).toString());
    assertEquals("3s", kept.get("recommended").get("dayu.timeslot.interval").asText());
  }

  @Test
  void settingsThatDoNotProveThemselves_giveWayToTheDefaults() {
    TuneReport report = report(null, null);
    report.measured(measured(TunedSettings.DEFAULTS, 60, 1));
    report.measured(measured(OTHER, 50, 1));
    report.checked(measured(TunedSettings.DEFAULTS, 60, 1));
    report.checked(measured(OTHER, 59.9, 1));
    assertTrue(report.finish());
    assertTrue(out.toString().contains("These are the defaults: nothing needs to be set."), out::toString);
  }

  @Test
  void nothingIsRecommended_ifAllInterfereTooMuch() throws IOException {
    Path snippet = folder.resolve("snippet.xml");
    try (OutputFile file = new OutputFile(snippet)) {
      TuneReport report = report(file, null);
      report.measured(measured(TunedSettings.DEFAULTS, 60, 3));
      assertFalse(report.finish());
    }
    assertTrue(
        out.toString().contains("Nothing to recommend: the least interfering settings that were tried make 3.00 %."),
        out::toString);
    assertFalse(Files.exists(snippet));
  }

  @Test
  void noRowIsMarked_ifNothingIsRecommended() {
    TuneReport report = new TuneReport(new Criterion(0.0001, 0.01), 3, 1, null, null, new PrintWriter(out, true));
    report.measured(measured(TunedSettings.DEFAULTS, 60, 3));
    report.checked(measured(TunedSettings.DEFAULTS, 60, 3));
    assertFalse(report.finish());
    assertTrue(out.toString().contains("interference of at most 0.0001 %"), out::toString);
    assertTrue(
        out.toString().lines().filter(line -> line.startsWith("2s ")).allMatch(line -> line.endsWith("too much")),
        out::toString);
  }
}
