/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Faults of a cluster with two NameNodes, held against stock HDFS. */
@Tag("harness")
class HighAvailabilityIT {
  @Test
  void cluster_recoversAfterFailover(@TempDir Path directory) throws Exception {
    try (DayuCluster cluster = DayuCluster.builder().dataNodes(4).highAvailability().withoutDayu().directory(directory)
        .start()) {
      cluster.write("/file", 3_000_000, 3);
      assertEquals(0, cluster.active());
      cluster.nameNodes().failover();
      assertEquals(1, cluster.active());
      cluster.kill(2);
      new ClusterVerifier(cluster).assertRecovers(Duration.ofSeconds(60));
    }
  }
}
