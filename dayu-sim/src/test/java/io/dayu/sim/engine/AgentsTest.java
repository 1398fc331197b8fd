/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

import io.dayu.conf.Settings;
import io.dayu.sim.Cluster;
import org.junit.jupiter.api.Test;

import java.util.Arrays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A target, node 1, that is granted eight transfers from node 0. */
class AgentsTest {
  private static final double STEP_SEC = 0.1;
  private static final Cluster CLUSTER = new Cluster(2, 1, 100);
  /** From this block on all are at the highest risk. */
  private static final int FIRST_AT_RISK = 100;

  private final Agents agents = new Agents(
      TestSettings.paper().with(new Refinements(Refinements.LAST, true, true, Shaping.product())), CLUSTER,
      block -> block >= FIRST_AT_RISK);
  private final Flows flows = new Flows();

  /** A step in which the target receives the given bytes; tells how many transfers run in it. */
  private int step(double receivedBytes) {
    agents.start(flows);
    double[] left = new double[4];
    Arrays.fill(left, 100);
    agents.shape(left, new long[2], new long[2], STEP_SEC);
    agents.moved(new double[] {0, receivedBytes}, new double[] {receivedBytes, 0}, new long[2], new long[2], STEP_SEC);
    int running = 0;
    for (int flow = 0; flow < flows.count(); flow++) {
      running += flows.started[flow] ? 1 : 0;
    }
    return running;
  }

  @Test
  void target_startsOneMore_wheneverItsLinkHadRoomForTheTimeOfTheProduct() {
    for (int block = 0; block < 8; block++) {
      flows.add(block, 0, 1, 1000, 10, 0);
    }
    assertEquals(Settings.MIN_RUNNING, step(1));
    int steps = (int) Math.round(Settings.FILL_AFTER_MS / (1000 * STEP_SEC));
    for (int more = 1; more <= 3; more++) {
      for (int step = 0; step < steps; step++) {
        assertEquals(Settings.MIN_RUNNING + more, step(1), "step " + step);
      }
    }
  }

  @Test
  void target_runsNoMoreRebuildsThanTheProduct_thoughItsLinkHasRoom() {
    for (int block = 0; block < 8; block++) {
      flows.rebuildFrom(flows.add(block, 0, 1, 1000, 10, 0), new int[] {0});
    }
    for (int step = 0; step < 20; step++) {
      assertTrue(step(1) <= Settings.MAX_REBUILDS, "step " + step);
    }
    assertEquals(Settings.MAX_REBUILDS, step(1));
    flows.grantBytesPerSec[0] = 0;
    assertEquals(Settings.MAX_REBUILDS + 1, step(1), "one that the plan has stopped keeps no place");
  }

  @Test
  void rebuildsAtTheHighestRisk_haveTheirOwnPlaces_andGoFirstOnTheLink() {
    for (int block = 0; block < 4; block++) {
      flows.rebuildFrom(flows.add(block, 0, 1, 1000, 10, 0), new int[] {0});
    }
    assertEquals(Settings.MIN_RUNNING, step(9.5), "its link is full");
    flows.rebuildFrom(flows.add(FIRST_AT_RISK, 0, 1, 1000, 10, 0), new int[] {0});
    flows.rebuildFrom(flows.add(FIRST_AT_RISK + 1, 0, 1, 1000, 10, 0), new int[] {0});
    assertEquals(Settings.MIN_RUNNING + 1, step(9.5), "one takes no free place");
    assertTrue(flows.started[4] && !flows.started[5]);
    assertEquals(Settings.HIGHEST_RISK_WEIGHT, flows.allowedBytesPerSec[4] / flows.allowedBytesPerSec[0], 1e-9);
    for (int step = 0; step < 20; step++) {
      step(1);
    }
    assertTrue(!flows.started[2] && flows.started[5], "those at the highest risk count for others, but not for them");
    assertEquals(Settings.HIGHEST_RISK_WEIGHT / 2.0, flows.allowedBytesPerSec[4] / flows.allowedBytesPerSec[0], 1e-9);
  }

  @Test
  void target_startsNoMore_whileItsLinkIsFull() {
    for (int block = 0; block < 8; block++) {
      flows.add(block, 0, 1, 1000, 10, 0);
    }
    for (int step = 0; step < 20; step++) {
      assertEquals(Settings.MIN_RUNNING, step(9.5));
    }
  }

  @Test
  void target_replacesTransfersWhoseSourceIsGone() {
    for (int block = 0; block < 8; block++) {
      flows.add(block, 0, 1, 1000, 10, 0);
    }
    assertEquals(Settings.MIN_RUNNING, step(9.5));
    flows.source[0] = -1;
    assertEquals(Settings.MIN_RUNNING + 1, step(9.5));
  }

  @Test
  void target_replacesTransfersThatEnd_whileItsLinkIsFull() {
    for (int block = 0; block < 8; block++) {
      flows.add(block, 0, 1, 1000, 10, 0);
    }
    while (step(1) < 5) {
      // Its link has room.
    }
    assertEquals(5, step(9.5));
    flows.end(0);
    flows.compact(new int[8]);
    assertEquals(5, step(9.5));
    int steps = (int) Math.round(Settings.LOWER_AFTER_MS / (1000 * STEP_SEC));
    for (int step = 0; step < steps; step++) {
      step(9.5);
    }
    flows.end(0);
    flows.compact(new int[8]);
    assertEquals(4, step(9.5), "fewer may fill it by now");
  }
}
