/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.sim.engine;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class LinkSharingTest {

  @Test
  void flows_shareWhatIsLeft_inProportionToTheirGrants() {
    Flows flows = new Flows();
    flows.add(0, 0, 1, 1000, 60);
    flows.add(1, 0, 2, 1000, 20);
    flows.add(2, 3, 2, 1000, 70);
    new LinkSharing(4).share(flows, 100, new long[] {0, 0, 20, 0}, new long[] {60, 0, 0, 0});
    assertEquals(30, flows.rateBytesPerSec[0], 1e-9, "source 0 has 40 left for grants of 80");
    assertEquals(10, flows.rateBytesPerSec[1], 1e-9);
    assertEquals(70, flows.rateBytesPerSec[2], 1e-9, "what flow 1 cannot use is left to flow 2");
  }

  @Test
  void flowWithoutSource_getsNothing() {
    Flows flows = new Flows();
    flows.add(0, -1, 1, 1000, 60);
    new LinkSharing(2).share(flows, 100, new long[2], new long[2]);
    assertEquals(0, flows.rateBytesPerSec[0]);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void rates_areMaxMinFair_whateverTheFlows(long seed) {
    Random random = new Random(seed);
    int nodes = 12;
    Flows flows = new Flows();
    for (int i = 0; i < 80; i++) {
      int source = random.nextInt(nodes);
      flows.add(i, source, (source + 1 + random.nextInt(nodes - 1)) % nodes, 1, 1 + random.nextInt(40));
    }
    long[] in = random.longs(nodes, 0, 120).toArray();
    long[] out = random.longs(nodes, 0, 120).toArray();
    new LinkSharing(nodes).share(flows, 100, in, out);
    double[] used = new double[2 * nodes];
    double[] highest = new double[2 * nodes];
    for (int flow = 0; flow < flows.count(); flow++) {
      double rate = flows.rateBytesPerSec[flow];
      assertTrue(rate >= 0 && rate <= flows.grantBytesPerSec[flow] + 1e-9, "seed " + seed);
      for (int link : new int[] {flows.source[flow], nodes + flows.target[flow]}) {
        used[link] += rate;
        highest[link] = Math.max(highest[link], rate / flows.grantBytesPerSec[flow]);
      }
    }
    for (int link = 0; link < 2 * nodes; link++) {
      assertTrue(used[link] <= room(link, nodes, in, out) + 1e-6, "seed " + seed + " link " + link);
    }
    for (int flow = 0; flow < flows.count(); flow++) {
      double level = flows.rateBytesPerSec[flow] / flows.grantBytesPerSec[flow];
      boolean bottlenecked = level > 1 - 1e-9;
      for (int link : new int[] {flows.source[flow], nodes + flows.target[flow]}) {
        bottlenecked |= used[link] > room(link, nodes, in, out) - 1e-6 && level > highest[link] - 1e-9;
      }
      assertTrue(bottlenecked, "seed " + seed + ": flow " + flow + " could have more");
    }
  }

  private static double room(int link, int nodes, long[] in, long[] out) {
    return Math.max(0, 100 - (link < nodes ? out[link] : in[link - nodes]));
  }
}
