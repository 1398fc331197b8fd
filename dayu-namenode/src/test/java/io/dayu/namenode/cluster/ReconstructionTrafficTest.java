/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.cluster;

import io.dayu.blocks.StockReconstruction;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.exchange.NodeLoad.Link;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

/** What reconstructions of erasure-coded blocks take from which node. */
class ReconstructionTrafficTest {
  private static final long HORIZON_MS = 2_000;

  private static NodeLoad load(long foreground) {
    return new NodeLoad(new Link(1_000, foreground), new Link(1_000, foreground), 0, 0);
  }

  private static void assertForeground(ReconstructionTraffic traffic, String uuid, long in, long out) {
    NodeLoad load = traffic.with(uuid, load(10), HORIZON_MS);
    assertEquals(in, load.in().foregroundBytesPerSec(), uuid);
    assertEquals(out, load.out().foregroundBytesPerSec(), uuid);
  }

  @Test
  void bytes_areThoseOfTheTargetThatReconstructs_ofItsSources_andOfOtherTargets() {
    // Of six sources three are read, 100 bytes each, for two internal blocks.
    ReconstructionTraffic traffic = new ReconstructionTraffic(List.of(
        new StockReconstruction(List.of("a", "b", "c", "d", "e", "f"), 3, List.of("worker", "other"), 100, 0)));
    assertEquals(400, traffic.bytes());
    assertForeground(traffic, "a", 10, 25);
    assertForeground(traffic, "worker", 150, 50);
    assertForeground(traffic, "other", 50, 10);
    assertForeground(traffic, "unconcerned", 10, 10);
  }

  @Test
  void whatAgentsMeasureAlready_doesNotCountTwice() {
    ReconstructionTraffic traffic = new ReconstructionTraffic(List.of(
        new StockReconstruction(List.of("a"), 1, List.of("worker"), 100, 0)));
    NodeLoad measured = load(50);
    assertSame(measured, traffic.with("worker", measured, HORIZON_MS));
  }

  @Test
  void whatWasScheduledLongAgo_isMeasuredByAgents() {
    ReconstructionTraffic traffic = new ReconstructionTraffic(List.of(
        new StockReconstruction(List.of("a"), 1, List.of("worker"), 100, ReconstructionTraffic.NEW_MS)));
    assertEquals(100, traffic.bytes());
    assertForeground(traffic, "a", 10, 10);
    assertForeground(traffic, "worker", 10, 10);
  }

  @Test
  void nothingBeyondTheLink_isPlannedWith() {
    ReconstructionTraffic traffic = new ReconstructionTraffic(List.of(
        new StockReconstruction(List.of("a"), 1, List.of("worker"), 1L << 60, 0)));
    assertForeground(traffic, "worker", 1_000, 10);
  }

  @Test
  void blockWithoutSources_concernsItsTargetsOnly() {
    ReconstructionTraffic traffic = new ReconstructionTraffic(List.of(
        new StockReconstruction(List.of(), 1, List.of("worker"), 100, 0)));
    assertForeground(traffic, "worker", 50, 10);
  }
}
