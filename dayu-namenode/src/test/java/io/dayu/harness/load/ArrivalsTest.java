/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness.load;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ArrivalsTest {
  private static final int NODES = 12;
  private static final long BANDWIDTH_BYTES_PER_SEC = 10_000_000;

  private static LoadProfileBuilder profile() {
    return LoadProfile.of(BANDWIDTH_BYTES_PER_SEC).seed(5);
  }

  private static List<Operation> first(int count, LoadProfile profile) {
    Arrivals arrivals = new Arrivals(profile, NODES);
    List<Operation> operations = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      operations.add(arrivals.next());
    }
    return operations;
  }

  @Test
  void operations_followFromTheSeed() {
    assertEquals(first(5_000, profile().build()), first(5_000, profile().build()));
    assertNotEquals(first(10, profile().build()), first(10, profile().seed(6).build()));
  }

  @Test
  void operations_comeInOrderAndAreWithinTheProfile() {
    LoadProfile profile = profile().build();
    long lastNs = 0;
    int writes = 0;
    for (Operation operation : first(5_000, profile)) {
      assertTrue(operation.atNs() >= lastNs);
      lastNs = operation.atNs();
      if (operation instanceof Operation.Read read) {
        assertTrue(read.node() >= 0 && read.node() < NODES);
        assertTrue(read.file() >= 0 && read.file() < profile.filesPerNode());
        assertTrue(read.piece() >= 0 && read.piece() < profile.piecesPerFile());
      } else if (operation instanceof Operation.Write write) {
        assertEquals(writes++, write.number());
        assertEquals(3, new HashSet<>(write.nodes()).size());
      }
    }
  }

  /**
   * The total is what the profile asks for, in both directions. Over a long time nodes are alike, in a short time they
   * differ.
   */
  @Test
  void traffic_isAsBusyAndAsUnevenAsAskedFor() {
    LoadProfile profile = profile().regimeMs(20_000).readBytes(16 << 10).writeBytes(16 << 10).build();
    Arrivals arrivals = new Arrivals(profile, NODES);
    int regimes = 200;
    double[][] out = new double[regimes][NODES];
    double[][] in = new double[regimes][NODES];
    while (true) {
      Operation operation = arrivals.next();
      int regime = (int) (operation.atNs() / TimeUnit.SECONDS.toNanos(20));
      if (regime >= regimes) {
        break;
      }
      if (operation instanceof Operation.Read read) {
        out[regime][read.node()] += profile.readBytes();
      } else if (operation instanceof Operation.Write write) {
        for (int node : write.nodes()) {
          in[regime][node] += profile.writeBytes();
          out[regime][node] += profile.writeBytes() * 2.0 / 3;
        }
      }
    }
    double capacityBytes = 20.0 * BANDWIDTH_BYTES_PER_SEC;
    assertEquals(0.4, Arrays.stream(out).mapToDouble(ArrivalsTest::mean).average().orElseThrow() / capacityBytes, 0.01);
    assertEquals(0.4, Arrays.stream(in).mapToDouble(ArrivalsTest::mean).average().orElseThrow() / capacityBytes, 0.01);
    assertEquals(0.45, Arrays.stream(out).mapToDouble(ArrivalsTest::coefficientOfVariation).average().orElseThrow(),
        0.1);
    assertEquals(0.45, Arrays.stream(in).mapToDouble(ArrivalsTest::coefficientOfVariation).average().orElseThrow(),
        0.1);
    double[] total = new double[NODES];
    for (double[] regime : out) {
      Arrays.setAll(total, node -> total[node] + regime[node]);
    }
    assertTrue(coefficientOfVariation(total) < 0.2, () -> Arrays.toString(total));
  }

  @Test
  void reads_areAPoissonProcess() {
    LoadProfile profile = profile().incomingUtilization(0).build();
    List<Operation> reads = first(20_000, profile);
    double[] gapsNs = new double[reads.size() - 1];
    Arrays.setAll(gapsNs, i -> reads.get(i + 1).atNs() - reads.get(i).atNs());
    assertEquals(1e9 / profile.readsPerSec(NODES), mean(gapsNs), 0.02 * mean(gapsNs));
    assertEquals(1, coefficientOfVariation(gapsNs), 0.03);
  }

  @Test
  void shares_keepTheirMeanAndTheirLimit() {
    LoadProfile profile = profile().utilization(0.6).coefficientOfVariation(0.8).jumpProbability(0.5).build();
    NodeShares shares = new NodeShares(profile, NODES, new SplittableRandom(1));
    double[] utilization = new double[NODES];
    int limited = 0;
    for (int regime = 0; regime < 100; regime++) {
      Arrays.setAll(utilization, shares::outgoing);
      assertEquals(0.6, mean(utilization), 1e-9);
      assertTrue(Arrays.stream(utilization).allMatch(u -> u > 0 && u <= NodeShares.MAX_UTILIZATION),
          () -> Arrays.toString(utilization));
      limited += (int) Arrays.stream(utilization).filter(u -> u == NodeShares.MAX_UTILIZATION).count();
      shares.nextRegime();
    }
    assertTrue(limited > 0, "no node was ever at the limit, so that it was not tested");
  }

  @Test
  void profile_refusesLessOutgoingTrafficThanWritesCause() {
    IllegalArgumentException refused = assertThrows(IllegalArgumentException.class,
        () -> profile().incomingUtilization(0.6).outgoingUtilization(0.39).build());
    assertTrue(refused.getMessage().contains("pass on"), refused.getMessage());
  }

  private static double mean(double[] values) {
    return Arrays.stream(values).average().orElseThrow();
  }

  private static double coefficientOfVariation(double[] values) {
    double mean = mean(values);
    return Math.sqrt(Arrays.stream(values).map(value -> (value - mean) * (value - mean)).average().orElseThrow())
        / mean;
  }
}
