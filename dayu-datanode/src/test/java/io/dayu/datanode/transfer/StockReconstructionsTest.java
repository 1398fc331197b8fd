/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import org.junit.jupiter.api.Test;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** When stock HDFS's reconstructions are shaped. */
class StockReconstructionsTest {
  private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

  private final StockReconstructions reconstructions = new StockReconstructions(PullCluster.shaper());

  @Test
  void beforeAnyCommand_nothingIsShaped() {
    for (long nowNs : new long[] {Long.MIN_VALUE, 0, 1, Long.MAX_VALUE}) {
      assertFalse(reconstructions.areShaped(nowNs));
    }
  }

  @Test
  void afterTheLastCommand_shapingEndsWithinAMinute() {
    long nowNs = Long.MAX_VALUE - SECOND_NS;
    reconstructions.dayuRecovers(nowNs);
    assertTrue(reconstructions.areShaped(nowNs));
    assertTrue(reconstructions.areShaped(nowNs + 59 * SECOND_NS));
    assertFalse(reconstructions.areShaped(nowNs + 60 * SECOND_NS));
    reconstructions.dayuRecovers(nowNs + 61 * SECOND_NS);
    assertTrue(reconstructions.areShaped(nowNs + 62 * SECOND_NS));
  }
}
