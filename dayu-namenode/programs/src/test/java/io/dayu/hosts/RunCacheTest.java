/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.dayu.hosts.client.OperationKind;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;

class RunCacheTest {
  private static final long SEED = 7;

  @TempDir
  private Path directory;
  private Path nameNodeJar;
  private RunCache cache;

  @BeforeEach
  void provideJars() throws IOException {
    nameNodeJar = Files.writeString(directory.resolve("namenode.jar"), "one build");
    Path dataNodeJar = Files.writeString(directory.resolve("datanode.jar"), "an agent");
    cache = new RunCache(directory.resolve("runs"), new HostJars("", nameNodeJar, dataNodeJar, dataNodeJar));
  }

  private static HostsOptions options(Map<String, String> properties) throws Exception {
    return HostsOptions.read(properties, Path.of("result.json"), Path.of("report.html"));
  }

  private static RunRecord run(RecoveryMode mode) {
    return new RunRecord(new RunRecord.Identity(HostFault.KILL, mode, SEED, 3, 4),
        new RunRecord.Moments(1_000, 2_000, 42_000, false, Double.NaN, 0),
        new RunRecord.Loss(1, 5, List.of(new NeededTransfer(5, 1, List.of(1), List.of(2)))),
        new RunRecord.Recovery(6, new FinalState(1, 2, 8, 0, List.of()), List.of(), RestoredFilesCheck.NOTHING, 9,
            LeavingDeadline.NONE),
        new RunRecord.Foreground(List.of(new RunRecord.EndedOperation(OperationKind.READ, 1_500, 64, 12.5, false)),
            List.of()));
  }

  @Test
  void find_returnsWhatWasKept() throws Exception {
    cache.keep(options(Map.of()), run(RecoveryMode.DAYU));

    assertEquals(Optional.of(run(RecoveryMode.DAYU)), cache.find(options(Map.of()), RecoveryMode.DAYU, SEED));
  }

  /** Files of earlier builds have these keys, all in one object. */
  @Test
  void file_hasTheComponentsOfAllPartsInOneObject() throws Exception {
    cache.keep(options(Map.of()), run(RecoveryMode.NONE));

    try (Stream<Path> files = Files.list(directory.resolve("runs"))) {
      Set<String> keys = new TreeSet<>();
      new ObjectMapper().readTree(files.findFirst().orElseThrow().toFile()).fieldNames().forEachRemaining(keys::add);
      assertEquals(new TreeSet<>(Set.of("fault", "mode", "seed", "victim", "other", "beginAtMs", "lossAtMs", "endAtMs",
          "cutOff", "secondStepAtMs", "lastLossAtMs", "changesOfState", "state", "lostBlocks", "lostBytes", "restored",
          "needed", "content", "deletedInternalBlocks", "deadline", "operations", "samples")), keys);
    }
  }

  @Test
  void find_doesNotReturnRunsOfOtherModesSeedsOrParameters() throws Exception {
    cache.keep(options(Map.of()), run(RecoveryMode.DAYU));

    assertEquals(Optional.empty(), cache.find(options(Map.of()), RecoveryMode.STOCK_DEFAULT, SEED));
    assertEquals(Optional.empty(), cache.find(options(Map.of()), RecoveryMode.DAYU, SEED + 1));
    assertEquals(Optional.empty(),
        cache.find(options(Map.of("hosts.rate", "12mbit")), RecoveryMode.DAYU, SEED));
  }

  @Test
  void find_ofAnotherBuild_returnsTheRunsOfStockHdfsOnly() throws Exception {
    cache.keep(options(Map.of()), run(RecoveryMode.DAYU));
    cache.keep(options(Map.of()), run(RecoveryMode.STOCK_DEFAULT));
    Files.writeString(nameNodeJar, "the next build");

    assertEquals(Optional.empty(), cache.find(options(Map.of()), RecoveryMode.DAYU, SEED));
    assertEquals(Optional.of(run(RecoveryMode.STOCK_DEFAULT)),
        cache.find(options(Map.of()), RecoveryMode.STOCK_DEFAULT, SEED));
  }
}
