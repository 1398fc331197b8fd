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
import io.dayu.conf.Setting;
import io.dayu.sim.cli.report.ReplayReport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * {@code inspect} and {@code replay} of the journal of a demo. It was made by
 *
 * <pre>
 * mvn -Pdemo -Ddemo.modes=dayu \
 *   "-Ddemo.conf=dayu.namenode.journal.max-bytes=4m;dayu.namenode.journal.dir=/tmp/journal"
 * gzip -9 &lt; /tmp/journal/dayu-journal-*.0 &gt; dayu-sim/src/test/resources/io/dayu/sim/cli/demo.journal.gz
 * </pre>
 */
class ReplayCommandTest extends CommandFixture {
  /** How far the simulation of the demo's recovery may be from it. */
  private static final double MAX_ERROR = 0.10;

  private Path journal;

  @BeforeEach
  void copyJournal() throws IOException {
    journal = folder.resolve("demo.journal.gz");
    try (InputStream in = getClass().getResourceAsStream("demo.journal.gz")) {
      Files.write(journal, in.readAllBytes());
    }
  }

  private JsonNode json(String command) throws IOException {
    Path file = folder.resolve("out.json");
    assertEquals(0, run(command + " --json " + file), err::toString);
    return new ObjectMapper().readTree(file.toFile());
  }

  private void assertRefused(String command, String line) {
    err.getBuffer().setLength(0);
    assertEquals(2, run(command));
    assertEquals("dayu-sim: " + line, err.toString().trim());
  }

  @Test
  void journal_isSmall() throws IOException {
    assertTrue(Files.size(journal) < 200_000, Files.size(journal) + " bytes");
  }

  @Test
  void inspect_summarisesTheDemo() throws IOException {
    JsonNode summary = json("inspect " + journal);
    assertEquals(0, summary.get("losses").size(), summary::toString);
    assertEquals(0, summary.get("droppedEntries").asInt());
    assertEquals(12, summary.get("nodes").asInt());
    assertEquals(1, summary.get("lostNodes").size());
    assertEquals("1000ms", summary.get("settings").get("dayu.timeslot.interval").asText());
    JsonNode recovery = summary.get("recoveries").get(0);
    assertTrue(recovery.get("beginSeen").asBoolean() && recovery.get("endSeen").asBoolean());
    assertTrue(recovery.get("transfers").get("FINISHED").asInt() >= recovery.get("copies").asInt());
    String text = out.toString();
    assertTrue(text.contains("12 in 4 racks") && text.contains("recovery 1") && text.contains(" finished"),
        text);
  }

  @Test
  void replay_predictsTheDemo() throws IOException {
    JsonNode replay = json("replay " + journal + " --no-headers");
    double recorded = replay.get("recorded").get("recoveryTimeSec").asDouble();
    JsonNode dayu = replay.get("simulated").get(0);
    assertEquals("dayu", dayu.get("run").asText());
    double error = dayu.get("recoveryTimeSec").asDouble() / recorded - 1;
    assertTrue(Math.abs(error) < MAX_ERROR, "wrong by " + Math.round(100 * error) + " % of " + recorded + " s");
    assertTrue(dayu.get("recoveryTimeSec").asDouble() > replay.get("idealTimeSec").asDouble() * 0.8);
    assertTrue(dayu.get("lost").get("leadSec").asDouble() > 0 && dayu.get("slots").size() > 3, dayu::toString);
    assertTrue(out.toString().contains("Time lost against the ideal, s:"), out::toString);
    JsonNode stock = replay.get("simulated").get(1);
    assertEquals("hdfs", stock.get("run").asText());
    assertTrue(out.toString().contains("hdfs: "), out::toString);
  }

  @Test
  void replay_saysWhatAnotherSettingWouldHaveChanged() throws IOException {
    Path page = folder.resolve("page.html");
    JsonNode replay = json("replay " + journal + " --set dayu.recovery.max-utilization=0.5 --algorithm dayu-paper "
        + "--sharing fair --html " + page);
    JsonNode runs = replay.get("simulated");
    assertEquals("dayu, changed", runs.get(1).get("run").asText());
    assertTrue(runs.get(1).get("recoveryTimeSec").asDouble() > 1.2 * runs.get(0).get("recoveryTimeSec").asDouble(),
        runs::toString);
    assertTrue(out.toString().contains("dayu, changed: "), out::toString);
    assertEquals(replay.get("idealTimeSec"), runs.get(0).get("idealTimeSec"));
    assertTrue(runs.get(1).get("idealTimeSec").asDouble() > 1.2 * runs.get(0).get("idealTimeSec").asDouble(),
        "with alpha at 50 % the ideal takes longer, too");
    JsonNode inputs = replay.get("inputs");
    assertEquals("0.75", inputs.get("settings").get("dayu.recovery.max-utilization").asText(), "as recorded");
    assertEquals("0.5", inputs.get("set").get("dayu.recovery.max-utilization").asText());
    assertEquals("fair", inputs.get("sharing").asText());
    assertEquals(1, inputs.get("seed").asInt());
    String html = Files.readString(page);
    assertTrue(html.contains("recorded") && html.contains("<svg") && html.contains("--set dayu.recovery"), html);
  }

  @Test
  void recordedHorizonThatFollowedFromT_followsWhatIsChanged_oneThatWasSetDoesNot() {
    assertEquals(Map.of("dayu.timeslot.interval", "1s"),
        ReplayCommand.simulated(Map.of("dayu.timeslot.interval", "1s", "dayu.timeslot.horizon", "6s",
            "dayu.transfer.lease", "20s", "dayu.of.a.newer.version", "1")));
    assertEquals(Map.of("dayu.timeslot.interval", "15s"),
        ReplayCommand.simulated(Map.of("dayu.timeslot.interval", "15s", "dayu.timeslot.horizon", "15s")));
    Map<String, String> set = Map.of("dayu.timeslot.interval", "1s", "dayu.timeslot.horizon", "15s");
    assertEquals(set, ReplayCommand.simulated(set));
  }

  @Test
  void timeslot_mayBeShorterThanTheRecordedLead() throws IOException {
    JsonNode replay = json("replay " + journal + " --set dayu.timeslot.interval=300ms");
    assertEquals("dayu, changed", replay.get("simulated").get(1).get("run").asText());
  }

  @Test
  void heartbeats_mayBeRarerThanTheRecordedLeaseAllows() throws IOException {
    JsonNode replay = json("replay " + journal + " --set dayu.heartbeat.interval=16s");
    assertEquals("dayu, changed", replay.get("simulated").get(1).get("run").asText());
  }

  @Test
  void cutOffJournal_isReplayed_andTheLossIsSaid() throws IOException {
    byte[] bytes = Files.readAllBytes(journal);
    Files.write(journal, Arrays.copyOf(bytes, bytes.length * 3 / 4));
    assertEquals(0, run("inspect " + journal), err::toString);
    assertTrue(out.toString().contains("loss         demo.journal.gz: its compression is cut off"), out::toString);
    JsonNode replay = json("replay " + journal);
    assertTrue(replay.get("losses").get("demo.journal.gz").asText().contains("cut off"), replay::toString);
    assertTrue(
        out.toString().contains("its compression is cut off") && out.toString().contains("does not have its end"),
        out::toString);
    try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
      Files.write(journal, in.readNBytes(5_000));
    }
    assertEquals(2, run("replay " + journal));
    assertTrue(err.toString().contains("the journal has no recovery by Dayu; demo.journal.gz: it is cut off: its last"),
        err::toString);
    Files.write(journal, Arrays.copyOf(Files.readAllBytes(journal), 50));
    assertEquals(0, run("inspect " + journal), err::toString);
    assertTrue(out.toString().contains("1 segment, 0 complete checkpoints")
        && out.toString().contains("settings     not in the journal"), out::toString);
  }

  @Test
  void badInput_isRefused() throws IOException {
    Path other = folder.resolve("other");
    Files.writeString(other, "node,dir\n");
    assertRefused("replay " + other, other + " is no journal of Dayu");
    assertRefused("inspect " + other, other + " is no journal of Dayu");
    assertRefused("replay " + folder.resolve("none"), "no such file: " + folder.resolve("none"));
    assertRefused("replay " + journal + " --recovery 2", "--recovery = 2, expected 1 to 1");
    assertRefused("replay " + journal + " --set dayu.recovery.max-utilisation=0.5",
        "--set: there is no setting dayu.recovery.max-utilisation; the nearest is dayu.recovery.max-utilization");
    assertRefused("replay " + journal + " --set alpha=0.5",
        "--set: there is no setting alpha; expected one of "
            + ReplayReport.SIMULATED.stream().map(Setting::key).collect(Collectors.joining(", ")));
    assertRefused("replay " + journal + " --sharing some",
        "Invalid value for option '--sharing': 'some', expected priority or fair");
    assertRefused("inspect " + journal + " --failures 3", "--failures cannot be given with a journal");
    err.getBuffer().setLength(0);
    assertEquals(2, run("replay " + journal + " --set dayu.transfer.lease=30s"));
    assertTrue(err.toString().startsWith("dayu-sim: --set: the simulation does not depend on dayu.transfer.lease"),
        err::toString);
    err.getBuffer().setLength(0);
    assertEquals(2, run("replay " + journal + " --set dayu.timeslot.interval=2"));
    assertTrue(err.toString().contains("dayu.timeslot.interval"), err::toString);
  }
}
