/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.monitor;

import io.dayu.blocks.BlockInspection;
import io.dayu.blocks.LeavingNode;
import io.dayu.blocks.LeavingNode.Cause;
import io.dayu.blocks.LeavingNode.Left;
import io.dayu.blocks.LeavingPipeline;
import org.apache.hadoop.test.GenericTestUtils.LogCapturer;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.timeout;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

class LeavingWatchTest {
  private final BlockInspection inspection = mock(BlockInspection.class);
  private boolean active = true;
  private final LeavingWatch watch = new LeavingWatch(inspection, id -> false, () -> active);

  private static LeavingNode node(String name, long waiting, long open) {
    return new LeavingNode(name, name + ":9866", false, true, 60, 1_000,
        Map.of(Cause.WAITING, new Left(waiting, 100 * waiting, "blk_1_1"), Cause.OPEN_FILE,
            new Left(open, 10 * open, "blk_2_1")),
        Left.NONE, List.of());
  }

  private void look(long second, LeavingNode... nodes) {
    when(inspection.leavingNodes(any())).thenReturn(List.of(nodes));
    watch.look(TimeUnit.SECONDS.toNanos(second));
  }

  @Test
  void nodes_haveTheirOwnEstimates_inTheOrderOfTheirNames() {
    look(0, node("b", 100, 3), node("a", 100, 0));
    look(10, node("b", 90, 3), node("a", 50, 0));
    assertEquals(List.of("a", "b"), watch.latest().stream().map(one -> one.node().uuid()).toList());
    assertEquals(10, watch.latest().get(0).etaSeconds());
    assertEquals(90, watch.latest().get(1).etaSeconds(), "open files are not copied");
    assertEquals(143, watch.blocksLeft());
    assertEquals(14_000, watch.bytesLeft());
    assertEquals(3, watch.blockedBlocks());
    assertEquals(90, watch.secondsLeft());
    look(20, node("b", 80, 3));
    assertEquals(1, watch.latest().size(), "the other one has left");
  }

  @Test
  void fileWhoseWholePipelineLeaves_isLoggedOnce() {
    LeavingPipeline pipeline = new LeavingPipeline("/open", List.of("a:9866", "b:9866", "c:9866"));
    LogCapturer log = LogCapturer.captureLogs(LoggerFactory.getLogger(LeavingWatch.class));
    try {
      when(inspection.leavingPipelines(anyInt())).thenReturn(List.of(pipeline));
      look(0, node("a", 1, 0));
      look(10, node("a", 1, 0));
      assertEquals(List.of(pipeline), watch.pipelines());
      when(inspection.leavingPipelines(anyInt())).thenReturn(List.of());
      look(20, node("a", 1, 0));
      assertEquals(List.of(), watch.pipelines());
    } finally {
      log.stopCapturing();
    }
    String line = "/open is being written to DataNodes that all leave (a:9866, b:9866, c:9866)";
    assertEquals(2, log.getOutput().split(Pattern.quote(line), -1).length, log.getOutput());
  }

  @Test
  void failure_doesNotEndTheThread() throws Exception {
    when(inspection.nodesOutOfService()).thenThrow(new IllegalStateException("a test"));
    when(inspection.leavingNodes(any())).thenReturn(List.of(node("a", 1, 0)));
    Thread thread = new Thread(watch, "test");
    thread.start();
    try {
      // It rests for twenty times as long as a look takes, and this JVM may stand still in one.
      verify(inspection, timeout(TimeUnit.SECONDS.toMillis(120))).leavingNodes(any());
      verify(inspection, timeout(TimeUnit.SECONDS.toMillis(120)).atLeast(2)).nodesOutOfService();
      assertTrue(thread.isAlive());
    } finally {
      watch.stop();
      thread.join();
    }
  }

  @Test
  void standby_andFailures_keepNothingThatIsOutOfDate() {
    look(0, node("a", 1, 0));
    when(inspection.leavingNodes(any())).thenThrow(new IllegalStateException("a test"));
    watch.look(TimeUnit.SECONDS.toNanos(10));
    assertEquals(1, watch.latest().size(), "the last look that succeeded");
    active = false;
    watch.look(TimeUnit.SECONDS.toNanos(20));
    assertEquals(List.of(), watch.latest());
    assertEquals(0, watch.secondsLeft());
  }
}
