/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.demo;

import io.dayu.demo.ModeRun.Durations;
import io.dayu.harness.DayuCluster;
import io.dayu.programs.Screen;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Runs one mode over a small cluster, and keeps what the screen shows. */
abstract class ModeRunFixture {
  private static final Map<String, String> CONF = Map.of("dayu.scheduler.underemployed-ratio", "0.06");
  /** Enough that a recovery lasts for longer than the two timeslots before its first estimate. */
  static final int DATA_BYTES = 12 << 20;
  static final Durations DURATIONS = new Durations(500, 2_000, 60_000, 3_000);

  @TempDir
  Path directory;
  final ByteArrayOutputStream seen = new ByteArrayOutputStream();
  private final Screen screen = new Screen(new PrintStream(seen, true), false);

  DemoOptions options(Mode... modes) {
    return new DemoOptions(5, 2, new DemoOptions.Data(3, DATA_BYTES, 1 << 20), 2 << 20, 0.2,
        new DemoOptions.Timeslots(1_000, 3_000), CONF, List.of(modes), List.of(11L),
        Optional.of(directory.resolve("result.json")), directory.resolve("report.html"));
  }

  Outcome run(Mode mode, Optional<TimeslotFeed> feed, Durations durations) throws Exception {
    DemoOptions options = options(mode);
    try (DayuCluster cluster = ModeRun.cluster(options, mode, 11).directory(directory)
        .conf("dayu.namenode.journal.max-bytes", "4m").conf("dayu.namenode.journal.dir", directory.toString())
        .start()) {
      CONF.forEach((key, value) -> assertEquals(value, cluster.dataNode(0).getConf().get(key)));
      return new ModeRun(options, mode, 11, screen, feed.map(source -> new DayuWatcher(screen, source)), durations)
          .run(cluster);
    }
  }
}
