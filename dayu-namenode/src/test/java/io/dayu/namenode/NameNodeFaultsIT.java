/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.harness.ClusterVerifier;
import io.dayu.namenode.status.DayuStatus;
import io.dayu.namenode.status.DayuStatusMXBean;
import org.apache.hadoop.test.GenericTestUtils.LogCapturer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Faults as in {@link FaultsIT}, of the NameNode itself: it restarts, or another one becomes active. */
final class NameNodeFaultsIT extends FaultsFixture {
  @Test
  void nameNodeRestarts_runningTransfersAreAdopted() throws Exception {
    start(FaultsIT.forAnotherNameNode(), NODES);
    restartNameNodeInMidTransfer();
  }

  @Test
  void failover_runningTransfersAreAdopted() throws Exception {
    start(FaultsIT.forAnotherNameNode().highAvailability(), NODES);
    write(6);
    cluster.kill(cluster.fullestNode());
    StatusProbe.awaitRunning(2);
    LogCapturer states = LogCapturer.captureLogs(LoggerFactory.getLogger(DayuStatus.class));
    cluster.nameNodes().failover();
    StatusProbe.await("adoption", () -> StatusProbe.status().getTotalAdopted() > 0);
    hurry();
    assertRecovered();
    states.stopCapturing();
    List<String> changes = states.getOutput().lines()
        .map(line -> line.replaceFirst("^Dayu: state (\\w+ -> \\w+): .*", "$1")).filter(line -> line.contains(" -> "))
        .sorted().toList();
    assertEquals(List.of("DAYU -> STANDBY", "STANDBY -> DAYU"), changes, "one change on each NameNode");
  }

  /** It has the queues' blocks and the agents' reports, as a standby has, and begins nothing. */
  @Tag("slow")
  @Test
  void observer_recoversNothing_beforeAndAfterAFailover() throws Exception {
    start(FaultsIT.builder().observer().bandwidthBytesPerSec(20_000_000), NODES);
    write(4);
    new ClusterVerifier(cluster).awaitSettled(LIMIT);
    DayuStatusMXBean first = StatusProbe.status();
    cluster.kill(cluster.fullestNode());
    assertRecovered();
    StatusProbe.awaitFinished();
    cluster.nameNodes().failover();
    StatusProbe.awaitDayu(NODES - 1);
    long finished = first.getTotalFinished();
    cluster.kill(cluster.fullestNode());
    assertRecovered();
    StatusProbe.awaitFinished();
    assertEquals(finished, first.getTotalFinished());
    assertEquals(List.of("DAYU", "STANDBY", "STANDBY"),
        StatusProbe.all().stream().map(DayuStatusMXBean::getState).sorted().toList());
    assertEquals(1, StatusProbe.all().stream().filter(status -> status.getTotalPlanned() == 0).count(),
        "the observer has planned nothing");
  }
}
