/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** A cluster of stock HDFS with files that the verifier finds sound, for each test anew. */
abstract class StockClusterFixture {
  static final Duration LIMIT = Duration.ofSeconds(60);

  @TempDir
  Path directory;
  DayuCluster cluster;
  ClusterVerifier verifier;

  @BeforeEach
  void startStock() throws Exception {
    cluster = DayuCluster.builder().dataNodes(4).racks(2).volumesPerNode(2).blockSizeBytes(64 << 10).seed(7)
        .withoutDayu().directory(directory).start();
    verifier = new ClusterVerifier(cluster);
    for (int file = 0; file < 5; file++) {
      cluster.write("/f" + file, 200_000, 3);
    }
    verifier.assertRecovers(LIMIT);
  }

  @AfterEach
  void close() throws Exception {
    cluster.close();
    try (var left = Files.list(directory)) {
      assertEquals(List.of(), left.toList(), "close() deletes the cluster's directory");
    }
  }
}
