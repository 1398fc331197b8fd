/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dayu.demo.DemoRun.DemoFailure;
import io.dayu.demo.TimeslotFeed.Status;
import io.dayu.harness.DayuCluster;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Optional;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The demo over a cluster that stock HDFS recovers, with feeds that say one thing or another about it: it must not be fooled. */
class DemoRunIT {
  private static final DemoOptions OPTIONS = new DemoOptions(5, 2, 3, 16 << 20, 1 << 20, 1 << 20, 11, Optional.empty());

  @TempDir
  Path directory;
  private final ByteArrayOutputStream seen = new ByteArrayOutputStream();
  private final DemoResult result = new DemoResult(OPTIONS);
  private long timeslot;

  private void run(TimeslotFeed feed) throws Exception {
    try (DayuCluster cluster = DemoRun.cluster(OPTIONS).withoutDayu().directory(directory).start()) {
      new DemoRun(OPTIONS, new Screen(new PrintStream(seen, true), false), feed, result).run(cluster);
    }
  }

  private Status status(String state, long finished, long recoveredBytes) {
    return new Status(state, "for the test", timeslot++, 3, 1, 2, finished, 0, finished, 0, 5, 4, recoveredBytes, 0);
  }

  private JsonNode json() throws IOException {
    Path file = directory.resolve("result.json");
    result.write(file);
    return new ObjectMapper().readTree(file.toFile());
  }

  @Test
  void run_countsAndProvesWhatWasLost() throws Exception {
    // A feed that grows as if Dayu had done it: everything else is checked against HDFS itself.
    run(() -> status("DAYU", 10 * timeslot, timeslot << 24));

    JsonNode json = json();
    assertTrue(json.get("lostBlocks").asInt() > 0, json::toString);
    assertTrue(json.get("lostBytes").asLong() > json.get("lostBlocks").asLong(), json::toString);
    assertTrue(json.get("verifiedBlocks").asInt() >= 16, json::toString);
    assertTrue(json.get("verifiedBytes").asLong() >= 16 << 20, json::toString);
    String text = seen.toString();
    assertTrue(text.contains("planned 3    rejected 1    finished 2    running 4    waiting 5"), text);
    assertTrue(text.contains("All " + json.get("lostBlocks").asInt() + " blocks"), text);
  }

  @Test
  void run_failsWhenStockDidTheWork() {
    DemoFailure failure = assertThrows(DemoFailure.class, () -> run(() -> status("DAYU", 0, 0)));
    assertTrue(failure.getMessage().startsWith("not all of it was recovered by Dayu: state DAYU, 0 transfers"),
        failure.getMessage());
  }

  @Test
  void run_failsWhenDayuGivesUp() {
    DemoFailure failure = assertThrows(DemoFailure.class, () -> run(() -> status(timeslot < 5 ? "DAYU" : "STOCK", 0, 0)));
    assertEquals("Dayu gave recovery back: state STOCK, for the test", failure.getMessage());
  }

  @Test
  void feed_saysThatThePluginDidNotStart() {
    IOException error = assertThrows(IOException.class, () -> new JmxTimeslotFeed().read());
    assertEquals("the NameNode has no bean Hadoop:service=NameNode,name=DayuStatus: the Dayu plugin did not start",
        error.getMessage());
  }
}
