/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalDouble;

import static org.junit.jupiter.api.Assertions.assertEquals;

class NameNodeLogTest {
  @TempDir
  private Path directory;

  @Test
  void moments_areThoseOfLinesWithAllParts() throws IOException {
    Path file = directory.resolve("namenode.log");
    Files.writeString(file, """
        1970-01-01 00:00:01,000 INFO  namenode.DayuStatus [a] Dayu: state STANDBY -> DAYU: active
        1970-01-01 00:00:02,500 WARN  namenode.DayuStatus [a] Dayu: state DAYU -> STOCK: failed
        java.io.IOException: a line without a time
        1970-01-01 00:00:03,000 INFO  namenode.DayuStatus [a] Dayu: state STOCK -> DAYU: again
        """);
    NameNodeLog log = new NameNodeLog(file);
    assertEquals(OptionalDouble.of(2_500), log.firstAtMs(0, NameNodeLog.STATE_OF_DAYU, "-> STOCK"));
    assertEquals(OptionalDouble.of(3_000), log.firstAtMs(2_501, NameNodeLog.STATE_OF_DAYU));
    assertEquals(OptionalDouble.empty(), log.firstAtMs(0, NameNodeLog.DEAD));
    assertEquals(2, log.count(2_000, 3_000, NameNodeLog.STATE_OF_DAYU));
  }

  @Test
  void deletions_areFoundInTheFirstOfTheirLines() throws IOException {
    Path file = directory.resolve("d1.log");
    Files.writeString(file, """
        1970-01-01 00:00:01,000 INFO  impl.FsDatasetAsyncDiskService [a] Scheduling blk_18_27 replica FinalizedReplica
          getNumBytes()     = 4096
          getBlockURI()     = file:/d1/current/finalized/blk_18 on volume /d1 for deletion
        1970-01-01 00:00:02,000 INFO  impl.FsDatasetAsyncDiskService [a] Scheduling blk_-18_27 replica FinalizedReplica
        1970-01-01 00:00:03,000 INFO  impl.FsDatasetAsyncDiskService [a] Scheduling blk_19_27 replica ReplicaInPipeline
        """);
    NameNodeLog log = new NameNodeLog(file);
    assertEquals(2, log.count(0, 9_000, NameNodeLog.DELETION, NameNodeLog.FINALIZED));
    assertEquals(1, log.count(0, 9_000, NameNodeLog.DELETION + "-", NameNodeLog.FINALIZED));
  }
}
