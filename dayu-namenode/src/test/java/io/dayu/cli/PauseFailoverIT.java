/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.dayu.harness.ClusterVerifier;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** An admin's pause, given while transfers run, after a failover. */
final class PauseFailoverIT extends DayuAdminCluster {
  /** A DataNode is lost before the pause and another one after the failover: what runs ends, and nothing is begun. */
  @Test
  void pauseInMidRecovery_holdsAfterAFailover() throws Exception {
    new ClusterVerifier(cluster).awaitSettled(LIMIT);
    // So slow that they are seen.
    cluster.admin().setMaxUtilization("0.05");
    cluster.kill(cluster.fullestNode());
    await("transfers under way", () -> transfers() > 0);
    assertEquals(0, run("-pause", "-all", "before", "a", "failover").code());
    cluster.admin().setMaxUtilization("");
    long planned = totalPlanned();
    assertEquals(List.of("paused", "paused"), run("-status", "-json").json().findValuesAsText("mode"),
        "on the standby, too");

    cluster.nameNodes().failover();
    cluster.kill(cluster.fullestNode());
    await("what was under way has ended, and blocks wait", () -> {
      JsonNode status = active();
      return status.path("state").asText().equals("DAYU") && status.path("reason").asText().endsWith("a failover")
          && transfers() == 0
          && status.path("queues").path("waitingBlocks").asLong() > 0;
    });
    assertEquals(planned, totalPlanned(), "nothing is begun");
    assertEquals(0, active().path("queues").path("stockPendingBlocks").asLong(), "nor by stock HDFS");

    json("-resume");
    // Else HDFS keeps replicas too many, of restarts before a failover, until the next ones.
    cluster.renewBlockReports(LIMIT);
    new ClusterVerifier(cluster).assertRecovers(LIMIT);
    assertTrue(totalPlanned() > planned, "the rest after the resumption");
  }
}
