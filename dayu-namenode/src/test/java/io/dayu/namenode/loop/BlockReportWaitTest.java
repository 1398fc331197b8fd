/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.BlockManagement;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

/** For how long nothing is begun after a start. */
class BlockReportWaitTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final BlockManagement blocks = mock(BlockManagement.class);
  private final BlockReportWait wait = new BlockReportWait(blocks, 0);

  @BeforeEach
  void restarted() {
    when(blocks.hasBlocks()).thenReturn(true);
    wait.live(10, 0);
  }

  @Test
  void restart_waitsForReports_andForNodesThatRegisterLate() {
    when(blocks.nodesWithoutBlockReport()).thenReturn(3);
    wait.begin(20 * SECOND);
    assertEquals("waiting for the first block reports of 3 of 10 live DataNodes, for 600 s at most; stock HDFS copies "
        + "blocks of the highest risk", wait.observe(20 * SECOND));
    wait.observe(60 * SECOND);
    assertFalse(wait.isOver());
    when(blocks.nodesWithoutBlockReport()).thenReturn(0);
    wait.live(12, 61 * SECOND);
    assertEquals("waiting for further DataNodes to register after the start, for 15 s if none does; stock HDFS copies "
        + "blocks of the highest risk", wait.observe(61 * SECOND));
    assertNull(wait.observe(76 * SECOND));
    assertTrue(wait.isOver());
  }

  @Test
  void startWithoutAnyDataNode_waitsForTheFirst() {
    BlockReportWait alone = new BlockReportWait(blocks, 100 * SECOND);
    alone.begin(101 * SECOND);
    assertEquals("waiting for further DataNodes to register after the start, for 14 s if none does; stock HDFS copies "
        + "blocks of the highest risk", alone.observe(101 * SECOND));
    assertNotNull(alone.observe(114 * SECOND));
    assertNull(alone.observe(115 * SECOND));
  }

  @Test
  void dataNodes_areLookedAtOnceASecond() {
    when(blocks.nodesWithoutBlockReport()).thenReturn(1);
    wait.begin(100 * SECOND);
    for (int i = 0; i < 10; i++) {
      wait.observe(100 * SECOND + i * SECOND / 10);
    }
    verify(blocks, times(1)).nodesWithoutBlockReport();
    wait.observe(101 * SECOND);
    verify(blocks, times(2)).nodesWithoutBlockReport();
  }

  @Test
  void wait_hasAnEnd() {
    when(blocks.nodesWithoutBlockReport()).thenReturn(1);
    wait.begin(0);
    wait.observe(599 * SECOND);
    assertFalse(wait.isOver());
    wait.observe(600 * SECOND);
    assertTrue(wait.isOver());
  }

  @Test
  void newCluster_orFailoverToANameNodeThatHasTheReports_doesNotWait() {
    when(blocks.hasBlocks()).thenReturn(false);
    wait.begin(0);
    assertTrue(wait.isOver());
    when(blocks.hasBlocks()).thenReturn(true);
    wait.live(10, 14 * SECOND);
    wait.begin(14 * SECOND);
    assertNotNull(wait.observe(14 * SECOND), "it has just started as a standby");
    wait.live(9, 60 * SECOND);
    wait.begin(60 * SECOND);
    assertNull(wait.observe(60 * SECOND));
  }
}
