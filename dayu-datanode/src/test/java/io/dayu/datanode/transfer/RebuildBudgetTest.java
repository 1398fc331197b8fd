/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** How many rebuilds run at once. */
class RebuildBudgetTest {
  private final RebuildBudget budget = new RebuildBudget(100);

  @Test
  void noMoreThanTheMostRun_howeverSmallTheyAre() {
    for (int i = 0; i < RebuildBudget.MAX_RUNNING; i++) {
      assertTrue(budget.tryReserve(1));
    }
    assertFalse(budget.tryReserve(1));
    budget.release(1);
    assertTrue(budget.tryReserve(1));
    assertFalse(budget.tryReserve(1));
  }

  @Test
  void oneWithoutMemory_waits_andTakesNoPlace() {
    assertTrue(budget.tryReserve(60));
    for (int i = 0; i < RebuildBudget.MAX_RUNNING; i++) {
      assertFalse(budget.tryReserve(41));
    }
    assertTrue(budget.tryReserve(40));
    budget.release(60);
    assertTrue(budget.tryReserve(60));
  }
}
