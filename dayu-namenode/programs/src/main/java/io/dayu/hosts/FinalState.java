/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import com.fasterxml.jackson.databind.JsonNode;
import io.dayu.harness.FsckReport;
import io.dayu.programs.LargestRecovery;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * What the NameNode says after a run, when there is no foreground any more. Immutable.
 *
 * @param wastedBytes received bytes of transfers that made no replica, by Dayu's own counter; -1 if there is no such
 *     counter
 * @param sourceChanges how often a transfer of Dayu went on from another source, by its own counter; -1 if there is no
 *     such counter
 * @param etaErrorPercent by how much Dayu's first estimate of the recovery's time was wrong, by its own history; below
 *     0 if that does not say so
 * @param missingBlocks blocks without any replica, and groups that cannot be rebuilt
 * @param problems what fsck finds that is not as it should be; empty if it is healthy and each block has its replicas
 *     and each group its internal blocks
 */
record FinalState(double wastedBytes, double sourceChanges, double etaErrorPercent, long missingBlocks,
    List<String> problems) {
  private static final int POLL_MS = 500;

  /**
   * Waits until fsck finds no problem, since the NameNode learns of the last replicas, and removes needless ones, after
   * the end.
   *
   * @param limitSec how long
   * @param logs where the bean of Dayu is left for readers
   */
  static FinalState await(NameNodeStatus status, int limitSec, Path logs) throws IOException, InterruptedException {
    Optional<JsonNode> dayu = status.bean("DayuStatus");
    if (dayu.isPresent()) {
      Files.writeString(logs.resolve("DayuStatus.json"), dayu.get().toPrettyString());
    }
    FsckReport report = fsck(status);
    for (int polls = 0; !problems(report).isEmpty() && polls < limitSec * 1_000 / POLL_MS; polls++) {
      TimeUnit.MILLISECONDS.sleep(POLL_MS);
      report = fsck(status);
    }
    return new FinalState(dayu.map(bean -> bean.path("WastedBytes").asDouble(-1)).orElse(-1.0),
        dayu.map(bean -> bean.path("TotalResumed").asDouble(-1)).orElse(-1.0),
        status.recovery().map(LargestRecovery::etaErrorPercent).orElse(-1.0),
        report.missing(), problems(report).stream().map(text -> text.lines().findFirst().orElse("")).toList());
  }

  private static List<String> problems(FsckReport report) {
    return Stream.concat(report.problems().stream(), report.problemsOfGroups().stream()).toList();
  }

  private static FsckReport fsck(NameNodeStatus status) throws IOException {
    return status.fsck().orElseThrow(() -> new IOException("fsck does not answer"));
  }
}
