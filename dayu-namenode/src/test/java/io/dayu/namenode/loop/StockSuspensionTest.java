/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.BlockManagement;
import io.dayu.namenode.transfers.ClockStart;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

/** {@link StockSuspension} of an HDFS whose work multiplier is 2 at first. */
final class StockSuspensionTest {
  private static final long NOW_NS = ClockStart.NS;

  private final BlockManagement blocks = mock(BlockManagement.class);
  private final StockSuspension suspension = new StockSuspension(blocks, NOW_NS);
  private int multiplier = 2;
  private boolean setFails;

  @BeforeEach
  void keepTheMultiplier() {
    when(blocks.stockMultiplier()).thenAnswer(call -> multiplier);
    doAnswer(call -> {
      if (setFails) {
        throw new IllegalStateException("test");
      }
      multiplier = call.getArgument(0);
      return null;
    }).when(blocks).setStockMultiplier(anyInt());
  }

  @Test
  void stock_hasItsMultiplierAgain_afterASuspension() {
    assertFalse(suspension.resume(), "it is not suspended");
    suspension.suspend(NOW_NS);
    assertTrue(suspension.isSuspended());
    assertEquals(0, multiplier);
    assertEquals(2, suspension.stockMultiplier());
    suspension.suspend(NOW_NS);
    assertTrue(suspension.resume());
    assertFalse(suspension.isSuspended());
    assertEquals(2, multiplier);
    assertFalse(suspension.resume());
  }

  @Test
  void multiplierThatAnAdminSetsMeanwhile_isStocksAfterwards() {
    suspension.suspend(NOW_NS);
    multiplier = 7;
    suspension.heartbeat(NOW_NS);
    assertEquals(0, multiplier);
    suspension.heartbeat(NOW_NS);
    assertEquals(7, suspension.stockMultiplier());
    suspension.resume();
    assertEquals(7, multiplier);
    suspension.suspend(NOW_NS);
    multiplier = 5;
    suspension.resume();
    assertEquals(5, multiplier, "set just before stock resumes");
  }

  @Test
  void multiplierOfStockThatRecovers_isLeftAlone() {
    suspension.heartbeat(NOW_NS);
    assertEquals(2, multiplier);
    multiplier = 3;
    assertEquals(3, suspension.stockMultiplier());
  }

  @Test
  void resumptionThatFails_isTriedAgain() {
    suspension.suspend(NOW_NS);
    setFails = true;
    assertThrows(IllegalStateException.class, suspension::resume);
    assertTrue(suspension.isSuspended());
    setFails = false;
    assertTrue(suspension.resume());
    assertEquals(2, multiplier);
  }

  @Test
  void loop_isSilentSinceItsLastHeartbeat() {
    assertEquals(5, suspension.silentNs(NOW_NS + 5), "its start counts as one");
    suspension.suspend(NOW_NS + 10);
    assertEquals(5, suspension.silentNs(NOW_NS + 15));
    suspension.heartbeat(NOW_NS + 20);
    assertEquals(5, suspension.silentNs(NOW_NS + 25));
  }
}
