/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

import io.dayu.sim.Cluster;
import io.dayu.sim.Uplinks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class LinkSharingTest {

  @Test
  void flows_shareWhatIsLeft_inProportionToTheirGrants() {
    Flows flows = new Flows();
    flows.add(0, 0, 1, 1000, 60, 0);
    flows.add(1, 0, 2, 1000, 20, 0);
    flows.add(2, 3, 2, 1000, 70, 0);
    new LinkSharing(new Cluster(4, 1, 100), LinkPhysics.PRIORITY).share(flows, new long[] {0, 0, 20, 0},
        new long[] {60, 0, 0, 0});
    assertEquals(30, flows.rateBytesPerSec[0], 1e-9, "source 0 has 40 left for grants of 80");
    assertEquals(10, flows.rateBytesPerSec[1], 1e-9);
    assertEquals(70, flows.rateBytesPerSec[2], 1e-9, "what flow 1 cannot use is left to flow 2");
  }

  @Test
  void flowWithoutSource_getsNothing() {
    Flows flows = new Flows();
    flows.add(0, -1, 1, 1000, 60, 0);
    new LinkSharing(new Cluster(2, 1, 100), LinkPhysics.PRIORITY).share(flows, new long[2], new long[2]);
    assertEquals(0, flows.rateBytesPerSec[0]);
  }

  @Test
  void flowsBetweenRacks_shareTheUplinks_thatForegroundLeaves() {
    Cluster racks = new Cluster(4, 2, 100);
    Flows flows = new Flows();
    flows.add(0, 0, 2, 1000, 60, 0);
    flows.add(1, 1, 3, 1000, 20, 0);
    flows.add(2, 0, 1, 1000, 40, 0);
    new LinkSharing(racks.with(Uplinks.of(racks.rackCount(), 60, 0.5)), LinkPhysics.PRIORITY).share(flows, new long[4],
        new long[] {0, 40, 0, 0});
    assertEquals(30, flows.rateBytesPerSec[0], 1e-9, "the uplink of rack 0 has 60 - 20 left for grants of 80");
    assertEquals(10, flows.rateBytesPerSec[1], 1e-9);
    assertEquals(40, flows.rateBytesPerSec[2], 1e-9, "within a rack there is no uplink");
    new LinkSharing(racks.with(Uplinks.of(racks.rackCount(), 60, 0.5)), LinkPhysics.PRIORITY).share(flows,
        new long[] {0, 0, 60, 20}, new long[4]);
    assertEquals(15, flows.rateBytesPerSec[0], 1e-9, "what rack 1 receives is bounded too: 60 - 40 for grants of 80");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void rates_areMaxMinFair_whateverTheFlows(long seed) {
    Random random = new Random(seed);
    int nodes = 12;
    Cluster racks = new Cluster(nodes, 4, 100);
    // Every second seed with uplinks, some of which are the bottleneck.
    Cluster cluster = seed % 2 == 0 ? racks : racks.with(Uplinks.of(racks.rackCount(), 150 + random.nextInt(200), 0.3));
    int uplinks = 2 * cluster.uplinks().bytesPerSec().length;
    Flows flows = new Flows();
    for (int i = 0; i < 80; i++) {
      int source = random.nextInt(nodes);
      flows.add(i, source, (source + 1 + random.nextInt(nodes - 1)) % nodes, 1, 1 + random.nextInt(40), 0);
    }
    long[] in = random.longs(nodes, 0, 120).toArray();
    long[] out = random.longs(nodes, 0, 120).toArray();
    new LinkSharing(cluster, LinkPhysics.PRIORITY).share(flows, in, out);
    double[] used = new double[2 * nodes + uplinks];
    double[] highest = new double[2 * nodes + uplinks];
    for (int flow = 0; flow < flows.count(); flow++) {
      double rate = flows.rateBytesPerSec[flow];
      assertTrue(rate >= 0 && rate <= flows.grantBytesPerSec[flow] + 1e-9, "seed " + seed);
      for (int link : route(cluster, flows, flow)) {
        used[link] += rate;
        highest[link] = Math.max(highest[link], rate / flows.grantBytesPerSec[flow]);
      }
    }
    for (int link = 0; link < used.length; link++) {
      assertTrue(used[link] <= room(link, cluster, in, out) + 1e-6, "seed " + seed + " link " + link);
    }
    for (int flow = 0; flow < flows.count(); flow++) {
      double level = flows.rateBytesPerSec[flow] / flows.grantBytesPerSec[flow];
      boolean bottlenecked = level > 1 - 1e-9;
      for (int link : route(cluster, flows, flow)) {
        bottlenecked |= used[link] > room(link, cluster, in, out) - 1e-6 && level > highest[link] - 1e-9;
      }
      assertTrue(bottlenecked, "seed " + seed + ": flow " + flow + " could have more");
    }
  }

  private static int[] route(Cluster cluster, Flows flows, int flow) {
    int nodes = cluster.nodes();
    int from = cluster.rack(flows.source[flow]);
    int to = cluster.rack(flows.target[flow]);
    return !cluster.uplinks().bounded() || from == to ? new int[] {flows.source[flow], nodes + flows.target[flow]}
        : new int[] {flows.source[flow], nodes + flows.target[flow], 2 * nodes + from,
            2 * nodes + cluster.rackCount() + to};
  }

  private static double room(int link, Cluster cluster, long[] in, long[] out) {
    int nodes = cluster.nodes();
    if (link < 2 * nodes) {
      return Math.max(2, 100 - (link < nodes ? out[link] : in[link - nodes]));
    }
    int rack = (link - 2 * nodes) % cluster.rackCount();
    long[] foreground = link - 2 * nodes < cluster.rackCount() ? out : in;
    double crossing = 0;
    for (int node = 0; node < nodes; node++) {
      crossing += cluster.rack(node) == rack ? cluster.uplinks().foregroundShare() * foreground[node] : 0;
    }
    return Math.max(0, cluster.uplinks().bytesPerSec()[rack] - crossing);
  }

  /** A rebuild on node 2 from nodes 0 and 1, and a copy from node 1; clients leave 20 of what node 0 sends. */
  @Test
  void sourceOfARebuild_goesAheadOfTheOthers_asFarAsItMay_andLeavesItsLinkThen() {
    Flows flows = new Flows();
    flows.rebuildFrom(flows.add(0, 0, 2, 1000, 80, 0), new int[] {1});
    flows.add(1, 1, 3, 1000, 80, 0);
    LinkSharing sharing = new LinkSharing(new Cluster(4, 1, 100), LinkPhysics.PRIORITY);
    flows.allowGrants();
    sharing.leave(flows, new long[4], new long[] {80, 0, 0, 0});
    sharing.share(flows, 100, 1);
    assertArrayEquals(new double[] {20, 50}, flows.legBytesPerSec[0], 1e-9);
    assertEquals(20, flows.rateBytesPerSec[0], 1e-9);
    assertEquals(50, flows.rateBytesPerSec[1], 1e-9);
    flows.aheadBytes[0] = new double[] {0, 90};
    sharing.leave(flows, new long[4], new long[] {80, 0, 0, 0});
    sharing.share(flows, 100, 1);
    assertArrayEquals(new double[] {20, 30}, flows.legBytesPerSec[0], 1e-9, "20 are decoded, and 10 more may come");
    assertEquals(70, flows.rateBytesPerSec[1], 1e-9);
    flows.aheadBytes[0] = new double[] {0, 1000};
    sharing.leave(flows, new long[4], new long[4]);
    sharing.share(flows, 100, 1);
    assertArrayEquals(new double[] {80, 0}, flows.legBytesPerSec[0], 1e-9, "all of it is there");
    assertEquals(80, flows.rateBytesPerSec[0], 1e-9);
  }

  @Test
  void fairSharing_givesRecoveryAShare_ofALinkThatClientsFill() {
    Flows flows = new Flows();
    flows.add(0, 0, 1, 1000, 1000, 0);
    flows.add(1, 0, 2, 1000, 1000, 0);
    Cluster cluster = new Cluster(4, 1, 100);
    long[] full = {100, 0, 0, 0};
    new LinkSharing(cluster, LinkPhysics.PRIORITY).share(flows, new long[4], full);
    assertEquals(1, flows.rateBytesPerSec[0], 1e-9, "the least that a TCP flow gets, 2 % of the link, for both");
    new LinkSharing(cluster, new LinkPhysics(true, 8)).share(flows, new long[4], full);
    assertEquals(10, flows.rateBytesPerSec[0], 1e-9, "two flows beside eight");
    new LinkSharing(cluster, new LinkPhysics(true, 8)).share(flows, new long[4], new long[4]);
    assertEquals(50, flows.rateBytesPerSec[0], 1e-9);
  }

  @Test
  void foregroundThatWaits_isFurtherFlows() {
    Flows flows = new Flows();
    flows.add(0, 0, 1, 1000, 1000, 0);
    long[] full = {100, 0, 0, 0};
    double[] waiting = {40, 0, 0, 0, 0, 0, 0, 0};
    new LinkSharing(new Cluster(4, 1, 100), new LinkPhysics(true, 1, 20), waiting).share(flows, new long[4], full);
    assertEquals(25, flows.rateBytesPerSec[0], 1e-9, "beside one flow and two that wait");
  }

  @Test
  void queuedTransfer_isNoFlow() {
    Flows flows = new Flows();
    flows.add(0, 0, 1, 1000, 1000, 0);
    flows.add(1, 0, 1, 1000, LinkPhysics.QUEUED_BYTES_PER_SEC, 0);
    new LinkSharing(new Cluster(4, 1, 100), new LinkPhysics(true, 1)).share(flows, new long[4],
        new long[] {100, 0, 0, 0});
    assertEquals(50, flows.rateBytesPerSec[0] + flows.rateBytesPerSec[1], 1e-9, "one flow beside one");
  }
}
