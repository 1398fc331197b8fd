/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.harness.ClusterVerifier;
import io.dayu.harness.DayuCluster;
import io.dayu.namenode.status.DayuStatusMXBean;
import org.junit.jupiter.api.Test;

import java.time.Duration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A NameNode that restarts while some DataNodes are late: their replicas are no lost ones. */
class LateDataNodesIT {
  private static final Duration LIMIT = Duration.ofSeconds(120);
  private static final int FILES = 10;

  @Test
  void restart_copiesNothingOfDataNodesThatAreLate() throws Exception {
    try (DayuCluster cluster = DayuCluster.builder().dataNodes(12).racks(4).blockSizeBytes(64 << 10).seed(3).start()) {
      StatusProbe.awaitDayu(12);
      for (int file = 0; file < FILES; file++) {
        cluster.write("/f" + file, 400_000, 3);
      }
      int late = cluster.blocksOn(0).size() + cluster.blocksOn(1).size();
      assertTrue(late > 20, "they hold " + late + " replicas");
      cluster.stop(0);
      cluster.stop(1);
      cluster.nameNodes().restart();
      StatusProbe.await("the wait for DataNodes while blocks seem to lack replicas", () -> {
        DayuStatusMXBean status = StatusProbe.status();
        return status != null && status.getWaitingBlocks() > 20
            && status.getStateReason().startsWith("waiting for further DataNodes to register");
      });
      cluster.restart(0);
      cluster.restart(1);
      StatusProbe.await("all blocks known", () -> StatusProbe.status().getWaitingBlocks() == 0
          && !StatusProbe.status().getStateReason().startsWith("waiting"));
      assertEquals(0, StatusProbe.status().getTotalPlanned(), "copies by Dayu, all of them in vain");
      // Stock's own pace would be 24 blocks in three seconds, of all risks.
      long byStock = StatusProbe.status().getTotalHandedToStock();
      assertTrue(byStock <= 24, byStock + " copies by stock, of the highest risk");
      new ClusterVerifier(cluster).afterLateDataNodes().assertRecovers(LIMIT);
    }
  }
}
