/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.harness.ClusterBuilder;
import io.dayu.harness.ClusterVerifier;
import io.dayu.harness.DayuCluster;
import org.junit.jupiter.api.AfterEach;

import java.time.Duration;

/** A cluster with fast links in which stock HDFS has to recover at times. One thread. */
abstract class StockFallbackFixture {
  static final Duration LIMIT = Duration.ofSeconds(90);
  private static final int BLOCK_BYTES = 1 << 20;

  DayuCluster cluster;

  static ClusterBuilder builder() {
    return FaultsIT.builder().bandwidthBytesPerSec(20 << 20).blockSizeBytes(BLOCK_BYTES);
  }

  /** Files of two blocks each, with three replicas. */
  void write(int files) throws Exception {
    for (int i = 0; i < files; i++) {
      cluster.write("/f" + i, 2L * BLOCK_BYTES - 1_000 * i - 1, 3);
    }
  }

  void assertRecovered() throws Exception {
    new ClusterVerifier(cluster).assertRecovers(LIMIT);
  }

  @AfterEach
  void close() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }
}
