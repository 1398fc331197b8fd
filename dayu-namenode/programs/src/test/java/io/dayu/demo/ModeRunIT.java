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
import io.dayu.journal.JournalReader;
import io.dayu.journal.JournalRecord;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The modes in which Dayu or nobody recovers, one at a time over a small cluster. */
class ModeRunIT extends ModeRunFixture {
  @Test
  void dayu_recoversProvesAndReports() throws Exception {
    Outcome outcome = run(Mode.DAYU, Optional.of(new JmxTimeslotFeed()), DURATIONS);

    assertEquals(List.of(), outcome.failures());
    ModeResult result = outcome.result().orElseThrow();
    assertTrue(result.blocks().lost() > 0, result::toString);
    assertEquals(result.blocks().lost(), result.blocks().recovered());
    assertFalse(result.cutOff());
    assertTrue(result.recoveryTimeSec() > 0 && result.idealTimeSec() > 0, result::toString);
    assertTrue(result.before().all().count() > 0 && result.during().all().count() > 0, result::toString);
    assertTrue(result.peakNicShare() > 0 && result.peakNicShare() < 1.5, result::toString);
    assertEquals(result.blocks().bytes(),
        result.courses().recovered().get(result.courses().recovered().size() - 1).bytes());
    assertTrue((long) outcome.proof().get("finished") >= result.blocks().lost(), outcome.proof()::toString);
    assertTrue((long) outcome.proof().get("verifiedBytes") >= DATA_BYTES, outcome.proof()::toString);
    assertTrue(seen.toString().contains("timeslot "), seen::toString);
    assertCountsAreExplained();
    Matcher estimate = Pattern.compile("first estimate of the time, after two timeslots, was off by (\\d+) %")
        .matcher(seen.toString());
    assertTrue(estimate.find(), seen::toString);
    double errorPercent = (double) outcome.proof().get("firstEstimateErrorPercent");
    assertEquals(Math.round(errorPercent), Long.parseLong(estimate.group(1)));

    assertJournalHasIt(result);

    DemoOptions options = options(Mode.DAYU);
    DemoResult all = new DemoResult(options);
    all.add(outcome);
    all.write(options.json().orElseThrow());
    JsonNode dayu = new ObjectMapper().readTree(options.json().orElseThrow().toFile()).get("dayu");
    for (String field : List.of("recoveryTimeSec", "idealTimeSec", "ratioToIdeal", "foregroundP90BeforeMs",
        "foregroundP90DuringMs", "blocksLost", "blocksRecovered")) {
      assertTrue(dayu.get(field).isNumber(), dayu::toString);
    }
    HtmlReport.write(options.report(), options, all, ModeRun.ALPHA);
    String page = Files.readString(options.report());
    assertEquals(5, page.split("<svg xmlns", -1).length - 1, "three plots of all modes, two of this one");
    assertTrue(page.contains("node 04"), "each node has its panel");
  }

  /** Clients delete files all the while, and write others. A clause says how many, and only if there are some. */
  private void assertCountsAreExplained() {
    long atFirst = number("declared it dead: (\\d+) blocks");
    long back = number("All (\\d+) blocks, .* have their replicas again");
    assertEquals(back < atFirst, seen.toString().contains("clients have deleted the other"), seen::toString);
    long transfers = number("last block was back, (\\d+) transfers");
    long others = number("transfers, .*; (\\d+) of them of blocks that clients");
    assertEquals(others > 0, seen.toString().contains("of them of blocks that clients"), seen::toString);
    assertTrue(transfers - others <= back, seen::toString);
  }

  /** What the screen has shown; 0 if it has not. */
  private long number(String pattern) {
    Matcher found = Pattern.compile(pattern).matcher(seen.toString());
    return found.find() ? Long.parseLong(found.group(1)) : 0;
  }

  private void assertJournalHasIt(ModeResult result) throws IOException {
    List<JournalRecord> records = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "dayu-journal-*")) {
      assertEquals(Optional.empty(), JournalReader.read(files.iterator().next(), records::add));
    }
    assertInstanceOf(JournalRecord.Begin.class, records.get(0));
    Set<Long> waited = new HashSet<>();
    Set<Long> finished = new HashSet<>();
    int lost = 0;
    for (JournalRecord one : records) {
      if (one instanceof JournalRecord.Blocks blocks) {
        blocks.blocks().forEach(block -> waited.add(block.id()));
      } else if (one instanceof JournalRecord.Ended ended) {
        ended.ends().stream().filter(end -> end.outcome() == JournalRecord.Outcome.FINISHED)
            .forEach(end -> finished.add(end.block()));
      }
      lost += one instanceof JournalRecord.NodeLost ? 1 : 0;
    }
    // On a loaded machine others may be late with their heartbeats.
    assertTrue(lost >= 1, lost + " nodes lost");
    assertTrue(finished.size() >= result.blocks().lost(), finished.size() + " of " + result.blocks().lost());
    assertTrue(waited.containsAll(finished), "each was recorded before it was copied");
    assertTrue(records.stream().anyMatch(JournalRecord.CheckpointEnd.class::isInstance));
    assertInstanceOf(JournalRecord.Idle.class, records.stream()
        .filter(one -> one instanceof JournalRecord.Idle || one instanceof JournalRecord.Plan)
        .reduce((a, b) -> b).orElseThrow());
  }

  @Test
  void none_recoversNothingAndMeasuresTheForeground() throws Exception {
    Outcome outcome = run(Mode.NONE, Optional.empty(), DURATIONS);
    ModeResult result = outcome.result().orElseThrow();
    assertTrue(result.blocks().lost() > 0, result::toString);
    assertEquals(0, result.blocks().recovered());
    assertFalse(result.cutOff());
    assertTrue(Double.isNaN(result.recoveryTimeSec()), result::toString);
    assertTrue(result.before().all().count() > 0 && result.during().all().count() > 0, result::toString);
    assertTrue(result.courses().nicUse().stream().allMatch(use -> use.recoveryBytesPerSec() == 0), result::toString);
    assertEquals(Map.of(), outcome.proof());
  }

  @Test
  void feed_saysThatThePluginDidNotStart() {
    IOException error = assertThrows(IOException.class, () -> new JmxTimeslotFeed().read());
    assertEquals("the NameNode has no bean Hadoop:service=NameNode,name=DayuStatus: the Dayu plugin did not start",
        error.getMessage());
  }
}
