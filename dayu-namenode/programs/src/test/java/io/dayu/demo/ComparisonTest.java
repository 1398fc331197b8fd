/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dayu.demo.ModeResult.LatencyWindow;
import io.dayu.demo.ModeResult.NicUse;
import io.dayu.demo.ModeResult.Recovered;
import io.dayu.harness.load.Latencies;
import io.dayu.harness.load.Latencies.Percentiles;
import io.dayu.harness.nic.Direction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Table, JSON and page of results that are made up. */
class ComparisonTest {
  @TempDir
  Path directory;

  private static Latencies latencies(double p90Ms) {
    Percentiles some = new Percentiles(100, 10, p90Ms, 3 * p90Ms, 200);
    Percentiles none = new Percentiles(0, Double.NaN, Double.NaN, Double.NaN, Double.NaN);
    return new Latencies(some, none, some, 0, 0);
  }

  private static ModeResult result(Mode mode, long seed, double recoveryTimeSec, double p90DuringMs) {
    boolean cutOff = recoveryTimeSec >= 120;
    List<NicUse> uses = new ArrayList<>();
    for (int node = 0; node < 3; node++) {
      for (Direction direction : Direction.values()) {
        uses.add(new NicUse(1, node, direction, 1e6, 5e5));
        uses.add(new NicUse(2, node, direction, 2e6, 7e5));
      }
    }
    return new ModeResult(mode, seed, 2, cutOff, recoveryTimeSec, 20,
        new ModeResult.Blocks(300, cutOff ? 250 : 300, 300_000_000), latencies(50), latencies(p90DuringMs), 0.8,
        new ModeResult.Courses(List.of(new Recovered(0, 0), new Recovered(recoveryTimeSec, 300_000_000)), uses,
            List.of(new LatencyWindow(-1, latencies(50)), new LatencyWindow(1, latencies(p90DuringMs)))));
  }

  /** What one sees of a run in which nobody recovers. */
  private static ModeResult control() {
    ModeResult like = result(Mode.NONE, 1, 30, 51);
    return new ModeResult(Mode.NONE, 1, 2, false, Double.NaN, 20, new ModeResult.Blocks(300, 0, 300_000_000),
        like.before(), like.during(), 0.6, new ModeResult.Courses(List.of(new Recovered(0, 0)),
            like.courses().nicUse(), like.courses().latencies()));
  }

  private static List<ModeSummary> summaries(List<ModeResult> results) {
    return ModeSummary.medianOfEachMode(
        results.stream().map(result -> Outcome.of(result, Map.of(), List.of())).toList());
  }

  /**
   * One that was sound, one that was not, and one that has no figures; and a mode of which there is no figure at all.
   */
  private static List<Outcome> withFailures() {
    return List.of(Outcome.of(result(Mode.DAYU, 1, 22, 52), Map.of(), List.of()),
        Outcome.of(result(Mode.DAYU, 2, 21, 51), Map.of("verifiedFiles", 7), List.of("1 < 2")),
        Outcome.notMeasured(Mode.DAYU, 3, "for the test"), Outcome.notMeasured(Mode.STOCK_FAST, 1, "no port"));
  }

  private static List<ModeResult> threeModes() {
    return List.of(result(Mode.DAYU, 1, 22, 52), result(Mode.STOCK_DEFAULT, 1, 120, 51),
        result(Mode.STOCK_FAST, 1, 21, 400));
  }

  private DemoOptions options(Long... seeds) {
    return new DemoOptions(3, 1, new DemoOptions.Data(2, 8 << 20, 384 << 10), 300_000, 0.2,
        new DemoOptions.Timeslots(1_500, 3_000), Map.of("some.key", "<1 & 2>"),
        List.of(Mode.values()), List.of(seeds), Optional.empty(), directory.resolve("report.html"));
  }

  @Test
  void conclusion_holdsEachModeAgainstDayu() {
    assertEquals(List.of(
        "Dayu: all replicas back after 22.0 s. The p90 of clients' latencies was 52 ms meanwhile and 50 ms before.",
        "stock HDFS, default settings: not all replicas back after 120.0 s, over 5.5 times Dayu's time. "
            + "The p90 of clients' latencies was 51 ms meanwhile and 50 ms before.",
        "stock HDFS, fast settings: all replicas back after 21.0 s, 1.0 times Dayu's time. "
            + "The p90 of clients' latencies was 400 ms meanwhile and 50 ms before."),
        Conclusion.lines(summaries(threeModes())));
  }

  @Test
  void conclusion_ofOneMode_hasNothingBesideIt() {
    assertEquals("stock HDFS, fast settings: all replicas back after 21.0 s. "
        + "The p90 of clients' latencies was 400 ms meanwhile and 50 ms before.",
        Conclusion.line(summaries(threeModes()).get(2)));
    assertEquals("nobody recovers: the lost replicas are still missing. "
        + "The p90 of clients' latencies was 51 ms meanwhile and 50 ms before.",
        Conclusion.line(summaries(List.of(control())).get(0)));
  }

  @Test
  void conclusion_whereDayuIsCutOff_comparesNoTimes() {
    List<String> lines =
        Conclusion.lines(summaries(List.of(result(Mode.DAYU, 1, 120, 52), result(Mode.STOCK_FAST, 1, 21, 400))));
    assertTrue(lines.get(0).startsWith("Dayu: not all replicas back after 120.0 s. "), lines.get(0));
    assertTrue(lines.get(1).contains("back after 21.0 s. "), lines.get(1));
  }

  @Test
  void conclusion_namesTheModesThatFailed() {
    List<String> lines = Conclusion.lines(ModeSummary.medianOfEachMode(withFailures()));
    assertTrue(lines.get(0).startsWith("Dayu (failed): all replicas back after 22.0 s. "), lines.get(0));
    assertEquals("stock HDFS, fast settings (failed): nothing was measured.", lines.get(1));
  }

  private static String inShort(ModeResult... results) {
    return Conclusion.inShort(summaries(List.of(results)));
  }

  @Test
  void inShort_whereDayuIsFaster() {
    assertEquals("In short: Dayu brought all lost replicas back in 22.0 s, over 5.5 times as fast as stock HDFS by "
        + "default (not done after 120.0 s) and about as fast as stock HDFS with fast settings (21.0 s). The p90 "
        + "of clients' latencies was 1.0 times that before the failure with Dayu, 1.0 times with stock HDFS by default "
        + "and 8.0 times with stock HDFS with fast settings.", Conclusion.inShort(summaries(threeModes())));
    assertEquals("In short: Dayu brought all lost replicas back in 20.0 s, 1.5 times as fast as stock HDFS by "
        + "default (30.0 s). The p90 of clients' latencies was 2.0 times that before the failure with Dayu, 1.2 "
        + "times with stock HDFS by default and 1.0 times with no recovery.",
        inShort(result(Mode.DAYU, 1, 20, 100), result(Mode.STOCK_DEFAULT, 1, 30, 60), control()));
  }

  @Test
  void inShort_whereDayuIsSlower() {
    String sentence = inShort(result(Mode.DAYU, 1, 30, 52), result(Mode.STOCK_DEFAULT, 1, 45, 51),
        result(Mode.STOCK_FAST, 1, 15, 100));
    assertTrue(sentence.startsWith("In short: Dayu brought all lost replicas back in 30.0 s, 1.5 times as fast as "
        + "stock HDFS by default (45.0 s) but 2.0 times as slow as stock HDFS with fast settings (15.0 s). The "),
        sentence);
    sentence = inShort(result(Mode.DAYU, 1, 60, 52), result(Mode.STOCK_DEFAULT, 1, 45, 51),
        result(Mode.STOCK_FAST, 1, 15, 100));
    assertTrue(sentence.startsWith("In short: Dayu brought all lost replicas back in 60.0 s, 1.3 times as slow as "
        + "stock HDFS by default (45.0 s) and 4.0 times as slow as stock HDFS with fast settings (15.0 s). The "),
        sentence);
  }

  @Test
  void inShort_whereDayuHasNotFinished() {
    assertEquals("In short: Dayu had not brought all lost replicas back after 130.0 s; stock HDFS by default had "
        + "after 45.0 s; stock HDFS with fast settings had not after 120.0 s.",
        inShort(result(Mode.DAYU, 1, 130, 52), result(Mode.STOCK_DEFAULT, 1, 45, 51),
            result(Mode.STOCK_FAST, 1, 120, 51)));
  }

  @Test
  void inShort_comparesNoTimeThatIsNotKnown() {
    String sentence = Conclusion.inShort(ModeSummary.medianOfEachMode(List.of(
        Outcome.of(result(Mode.DAYU, 1, 22, 52), Map.of(), List.of()),
        Outcome.notMeasured(Mode.STOCK_DEFAULT, 1, "no port"),
        Outcome.of(result(Mode.STOCK_FAST, 1, 21, 400), Map.of(), List.of("1 < 2")))));
    assertEquals("In short: Dayu brought all lost replicas back in 22.0 s, not to be compared with stock HDFS by "
        + "default (failed) and not to be compared with stock HDFS with fast settings (failed). The p90 of "
        + "clients' latencies was 1.0 times that before the failure with Dayu.", sentence);
    sentence = inShort(result(Mode.DAYU, 1, 119, 52), result(Mode.STOCK_DEFAULT, 1, 120, 51));
    assertTrue(sentence.contains(" in 119.0 s, not to be compared with stock HDFS by default (not done after 120.0 s)"),
        sentence);
    assertTrue(inShort(result(Mode.DAYU, 1, 22, 52)).contains(" in 22.0 s. The p90 "));
    assertEquals("In short: Dayu was not among the modes, so there is nothing to compare.",
        inShort(result(Mode.STOCK_FAST, 1, 22, 52)));
  }

  @Test
  void inShort_saysNothingOfDayuIfItsRunFailed() {
    assertEquals("In short, by medians: Dayu's run failed, so no figure here speaks for Dayu.",
        Conclusion.inShort(ModeSummary.medianOfEachMode(withFailures())));
  }

  @Test
  void table_saysWhatWasCutOff() {
    List<String> lines = new ComparisonTable(summaries(threeModes())).markdown();
    assertEquals(5, lines.size());
    assertEquals(1, lines.stream().map(String::length).distinct().count(), "aligned: " + lines);
    assertTrue(lines.get(3).startsWith("| stock-default (cut off) |"), lines.get(3));
    assertTrue(lines.get(3).contains("| >120.0 s |") && lines.get(3).contains("| >6.00 |"), lines.get(3));
    assertTrue(lines.get(3).contains("| 250/300 |"), lines.get(3));
    assertTrue(lines.get(2).contains(" 1.10 |") && lines.get(2).contains(" 50 > 52 |"), lines.get(2));
  }

  @Test
  void legend_explainsEveryColumn() {
    String legend = String.join("\n", ComparisonTable.LEGEND);
    String[] columns = new ComparisonTable(List.of()).markdown().get(0).split("\\|");
    for (String column : List.of(columns).subList(2, columns.length)) {
      assertTrue(legend.contains(column.replace(" ms", "").trim()), column);
    }
  }

  @Test
  void table_showsNoTimeWhereNobodyRecovers() {
    ComparisonTable table = new ComparisonTable(summaries(List.of(control(), control())));
    String line = table.markdown().get(2);
    assertTrue(line.startsWith("| none |        - | 20.0 s |     - |"), line);
    assertTrue(line.contains(" 50 > 51 |") && line.contains(" 0/300 |"), line);
  }

  @Test
  void medians_areFigureByFigure() {
    ModeSummary median = summaries(List.of(result(Mode.DAYU, 1, 30, 60), result(Mode.DAYU, 2, 20, 70),
        result(Mode.DAYU, 3, 25, 50))).get(0);
    assertEquals(25, median.value("recoveryTimeSec"));
    assertEquals(60, median.value("foregroundP90DuringMs"));
    assertFalse(median.cutOff());
  }

  @Test
  void table_marksTheModesThatFailed() {
    ComparisonTable table = new ComparisonTable(ModeSummary.medianOfEachMode(withFailures()));
    List<String> lines = table.markdown();
    assertTrue(lines.get(2).startsWith("| dayu (2 of 3 failed) |   22.0 s |"),
        "the median of those with figures: " + lines.get(2));
    assertTrue(lines.get(3).startsWith("| stock-fast (failed)  |        - |"), lines.get(3));
  }

  @Test
  void jsonAndPage_haveWhatWasMeasuredBesideTheFailures() throws IOException {
    DemoOptions options = options(1L, 2L, 3L);
    DemoResult result = new DemoResult(options);
    withFailures().forEach(result::add);
    result.failed("at the end");
    List<String> failures = List.of("dayu, seed 2: 1 < 2", "dayu, seed 3: nothing was measured: for the test",
        "stock-fast, seed 1: nothing was measured: no port", "at the end");
    assertEquals(failures, result.failures());

    result.write(directory.resolve("result.json"));
    JsonNode json = new ObjectMapper().readTree(directory.resolve("result.json").toFile());
    assertEquals("failure", json.get("outcome").asText());
    assertEquals(String.join("; ", failures), json.get("reason").asText());
    assertEquals(2, json.get("dayu").get("failedRuns").asInt());
    assertEquals(22, json.get("dayu").get("recoveryTimeSec").asDouble());
    JsonNode unsound = json.get("runs").get(1);
    assertEquals("[\"1 < 2\"]", unsound.get("failures").toString());
    assertEquals(21, unsound.get("recoveryTimeSec").asDouble());
    assertEquals(7, unsound.get("verifiedFiles").asInt());
    assertFalse(json.get("runs").get(2).has("recoveryTimeSec"));

    HtmlReport.write(options.report(), options, result, 0.75);
    String page = Files.readString(options.report());
    assertTrue(page.contains("dayu, seed 2: 1 &lt; 2</p>"), page);
    assertEquals(3 + 2, page.split("<svg xmlns", -1).length - 1, "the plots of the one that has figures");
  }

  @Test
  void page_hasNoPlotsWhereNothingWasMeasured() throws IOException {
    DemoOptions options = options(1L);
    DemoResult result = new DemoResult(options);
    result.add(Outcome.notMeasured(Mode.DAYU, 1, "no port"));
    HtmlReport.write(options.report(), options, result, 0.75);
    String page = Files.readString(options.report());
    assertTrue(page.contains("<td>dayu (failed)</td><td>-</td>"), page);
    assertFalse(page.contains("<svg"), page);
  }

  @Test
  void json_hasEachModeAndEveryRun() throws IOException {
    DemoResult result = new DemoResult(options(1L, 2L));
    threeModes().forEach(mode -> result.add(Outcome.of(mode, Map.of("verifiedFiles", 7), List.of())));
    result.add(Outcome.of(result(Mode.DAYU, 2, 24, 54), Map.of(), List.of()));
    result.add(Outcome.of(control(), Map.of(), List.of()));
    result.failed("for the test");
    result.write(directory.resolve("result.json"));

    JsonNode json = new ObjectMapper().readTree(directory.resolve("result.json").toFile());
    assertEquals("failure", json.get("outcome").asText());
    assertEquals("for the test", json.get("reason").asText());
    assertEquals(24, json.get("dayu").get("recoveryTimeSec").asDouble());
    assertTrue(json.get("stock-default").get("cutOff").asBoolean());
    assertEquals(400, json.get("stock-fast").get("foregroundP90DuringMs").asDouble());
    assertTrue(json.get("dayu").get("foregroundWriteP90DuringMs").isNull(), "no write: no percentile");
    assertEquals("300", json.get("dayu").get("blocksRecovered").toString());
    assertTrue(json.get("none").get("recoveryTimeSec").isNull() && json.get("none").get("ratioToIdeal").isNull());
    assertFalse(json.get("none").get("cutOff").asBoolean());
    assertEquals("<1 & 2>", json.get("conf").get("some.key").asText());
    assertEquals(5, json.get("runs").size());
    assertEquals(7, json.get("runs").get(0).get("verifiedFiles").asInt());
  }

  @Test
  void page_isOneFileWithAllPlots() throws IOException {
    DemoOptions options = options(1L);
    DemoResult result = new DemoResult(options);
    threeModes().forEach(mode -> result.add(Outcome.of(mode, Map.of(), List.of())));
    result.add(Outcome.of(control(), Map.of(), List.of()));
    HtmlReport.write(options.report(), options, result, 0.75);
    String page = Files.readString(options.report());
    assertEquals(3 + 2 * 4, page.split("<svg xmlns", -1).length - 1);
    assertTrue(page.contains("node 02 (dies at 0)"), "every node has its panel");
    assertTrue(page.contains("&gt;120.0 s"), "what was cut off is shown as such");
    assertTrue(page.contains("NIC of 300000 bytes/s in each direction; 8 MiB of data in blocks of 384 KiB,"),
        "sizes are exact");
    assertTrue(page.contains("<li>ratio: recovery divided by ideal</li>"), "columns are explained");
    assertTrue(page.contains("some.key=&lt;1 &amp; 2&gt;"), "settings are shown as text");
    assertFalse(page.contains("<script") || page.contains("src=") || page.contains("@import"),
        "nothing is loaded from elsewhere");
  }
}
