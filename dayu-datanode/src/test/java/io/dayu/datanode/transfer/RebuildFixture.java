/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.datanode.TestNumber;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

/** Rebuilds between real DataNodes, driven by hand-made grants. Each subclass has a cluster of its own. */
abstract class RebuildFixture {
  static final long SEED = TestNumber.seed("rebuild.seed", 20261128);
  private static final int NODES = 11;

  static MiniGroupCluster cluster;

  @BeforeAll
  static void startCluster() throws Exception {
    System.out.println("rebuild.seed " + SEED);
    cluster = MiniGroupCluster.withTokensAndValidation(NODES, SEED);
  }

  @AfterEach
  void nothingLeaks() throws Exception {
    cluster.assertNothingLeaks();
  }

  @AfterAll
  static void stopCluster() {
    cluster.close();
  }
}
