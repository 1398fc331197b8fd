/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.monitor;

import io.dayu.blocks.LiveNode;
import io.dayu.blocks.LiveNodeFixture;
import io.dayu.namenode.transfers.ClockStart;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class RecoveryCauseTest {
  private final RecoveryCause cause = new RecoveryCause();
  private long nowNs = ClockStart.NS;

  private static LiveNode node(String name, int volumes) {
    return node(name, volumes, false);
  }

  private static LiveNode node(String name, int volumes, boolean leaving) {
    return LiveNodeFixture.liveNode("uuid-" + name, "10.0.0.1", name, 9866, "/r", true, new long[6],
        new int[] {0, 0, volumes, 0, 0, 0}).with(new LiveNode.Status(!leaving, leaving));
  }

  private String seconds(int seconds, boolean recovering, long corrupt, LiveNode... nodes) {
    nowNs += TimeUnit.SECONDS.toNanos(seconds);
    cause.observe(Arrays.asList(nodes), corrupt, recovering, nowNs);
    return cause.describe();
  }

  private String second(boolean recovering, LiveNode... nodes) {
    return seconds(1, recovering, 0, nodes);
  }

  @Test
  void twoNodesThatAreLostOneAfterTheOther_areBothNamed() {
    second(false, node("a", 2), node("b", 2), node("c", 2));
    assertEquals("DataNodes lost: a:9866", second(false, node("b", 2), node("c", 2)));
    second(true, node("b", 2), node("c", 2));
    assertEquals("DataNodes lost: a:9866, b:9866", second(true, node("c", 2)));
    assertEquals("DataNodes lost: a:9866, b:9866", seconds(600, true, 0, node("c", 2)),
        "as long as the recovery goes on");
    assertTrue(second(false, node("c", 2)).startsWith("no DataNode or volume was lost"), cause::describe);
  }

  @Test
  void nodeThatIsBackBeforeTheRecovery_isNoCause() {
    second(false, node("a", 2), node("b", 2));
    second(false, node("b", 2));
    assertTrue(second(false, node("a", 2), node("b", 2)).startsWith("no DataNode"), cause::describe);
  }

  @Test
  void lostVolume_decommissionAndCorruption_areNamed() {
    second(false, node("a", 2), node("b", 2));
    assertEquals("volumes lost on: b:9866", second(false, node("a", 2), node("b", 1)));
    assertEquals(
        "volumes lost on: b:9866; DataNodes that leave (decommission or maintenance): a:9866; corrupt replicas",
        seconds(1, true, 3, node("a", 2, true), node("b", 1)));
  }

  @Test
  void decommission_staysTheCauseForAsLongAsItTakes() {
    for (int i = 0; i < 10; i++) {
      seconds(60, false, 0, node("a", 2, true), node("b", 2));
    }
    assertEquals(List.of("DataNodes that leave (decommission or maintenance): a:9866"), List.of(cause.describe()));
  }

  @Test
  void nodeThatWasLostWhileTheNameNodeStoodBy_isTheCauseAfterAFailover() {
    cause.standBy(List.of(node("a", 2), node("b", 2)), nowNs);
    cause.standBy(List.of(node("b", 2)), nowNs);
    nowNs += TimeUnit.MINUTES.toNanos(9);
    cause.standBy(List.of(node("b", 2)), nowNs);
    assertEquals("DataNodes lost: a:9866", second(true, node("b", 2)));
    cause.standBy(List.of(node("a", 2), node("b", 2)), nowNs);
    assertTrue(second(true, node("a", 2), node("b", 2)).startsWith("not known"), cause::describe);
    cause.standBy(List.of(node("b", 2)), nowNs);
    nowNs += TimeUnit.MINUTES.toNanos(11);
    cause.standBy(List.of(node("b", 2)), nowNs);
    assertTrue(second(true, node("b", 2)).startsWith("not known"), cause::describe);
  }

  @Test
  void whatHappenedBeforeTheNameNodeWasActive_isNotKnown() {
    cause.standBy(List.of(node("b", 2)), nowNs);
    assertTrue(second(false, node("b", 2)).startsWith("not known: it happened before this NameNode became active"),
        cause::describe);
    assertTrue(seconds(600, true, 0, node("b", 2)).startsWith("not known"), "as long as the recovery goes on");
    assertEquals("volumes lost on: b:9866", second(true, node("b", 1)));
    assertTrue(seconds(61, false, 0, node("b", 1)).startsWith("no DataNode"), cause::describe);
  }

  @Test
  void nodeThatIsBackDuringTheRecovery_isNamedAsSuch() {
    second(false, node("a", 2), node("b", 2), node("c", 2));
    second(false, node("c", 2));
    assertEquals("DataNodes lost: b:9866; DataNodes lost that are back: a:9866",
        second(true, node("a", 2), node("c", 2)));
    assertEquals("DataNodes lost: b:9866, a:9866", second(true, node("c", 2)));
  }

  @Test
  void nodeLostAfterTheLastBlockWasCopied_isTheCauseOfTheNextRecovery() {
    second(false, node("a", 2), node("b", 2), node("c", 2));
    second(false, node("b", 2), node("c", 2));
    long copiedNs = nowNs;
    seconds(5, true, 0, node("c", 2));
    cause.recovered(copiedNs);
    assertEquals("DataNodes lost: b:9866", second(false, node("c", 2)));
  }

  @Test
  void whatIsRecovered_isNoCauseOfTheNextRecovery() {
    second(false, node("a", 2), node("b", 2), node("c", 2));
    second(true, node("b", 2), node("c", 2));
    cause.recovered(nowNs);
    assertEquals("DataNodes lost: b:9866", second(false, node("c", 2)));
  }
}
