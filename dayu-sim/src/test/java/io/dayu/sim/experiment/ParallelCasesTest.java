/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.experiment;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ParallelCasesTest {

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7})
  void results_comeInOrder_howeverManyThreads(int threads) {
    List<Integer> taken = new ArrayList<>();
    try (ParallelCases cases = new ParallelCases(threads)) {
      cases.run(50, index -> index * index, (index, result) -> {
        assertEquals(taken.size(), index);
        taken.add(result);
      });
    }
    assertEquals(50, taken.size());
    assertEquals(49 * 49, taken.get(49));
  }

  @Test
  void cases_runAtTheSameTime_butOnlySoManyAhead() {
    CountDownLatch both = new CountDownLatch(2);
    AtomicInteger begun = new AtomicInteger();
    try (ParallelCases cases = new ParallelCases(2)) {
      cases.run(20, index -> {
        begun.incrementAndGet();
        both.countDown();
        try {
          both.await();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
        return index;
      }, (index, result) -> assertTrue(begun.get() <= index + 4, "case " + index + " after " + begun));
    }
  }

  @Test
  void fault_ofACase_isTheCallers() {
    try (ParallelCases cases = new ParallelCases(2)) {
      IllegalArgumentException fault = assertThrows(IllegalArgumentException.class, () -> cases.run(3, index -> {
        if (index == 1) {
          throw new IllegalArgumentException("case 1");
        }
        return index;
      }, (index, result) -> assertEquals(0, index)));
      assertEquals("case 1", fault.getMessage());
    }
    assertThrows(IllegalArgumentException.class, () -> new ParallelCases(0));
  }
}
