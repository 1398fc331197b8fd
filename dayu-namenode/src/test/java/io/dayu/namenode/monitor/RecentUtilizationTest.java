/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.monitor;

import org.junit.jupiter.api.Test;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;

class RecentUtilizationTest {
  private final RecentUtilization recent = new RecentUtilization();

  private void observe(double utilization, long second) {
    recent.observe(utilization, TimeUnit.SECONDS.toNanos(second));
  }

  private double mean(long fromSecond, long untilSecond) {
    return recent.mean(TimeUnit.SECONDS.toNanos(fromSecond), TimeUnit.SECONDS.toNanos(untilSecond));
  }

  @Test
  void mean_isOverTheTime() {
    observe(0.5, 0);
    assertEquals(0.5, mean(-100, 0), 1e-9);
    observe(0.5, 5);
    observe(0.9, 10);
    observe(0.7, 30);
    assertEquals((10 * 0.5 + 20 * 0.9 + 10 * 0.7) / 40, mean(0, 40), 1e-9);
    assertEquals((20 * 0.5 + 20 * 0.9) / 40, mean(-10, 30), 1e-9);
    assertEquals(0.9, mean(12, 20), 1e-9);
    assertEquals(0.7, mean(35, 35), 1e-9);
  }

  @Test
  void oldChanges_areForgotten() {
    observe(0.5, 0);
    observe(0.9, 10);
    observe(0.9, 249);
    assertEquals(0.5, mean(-10, 10), 1e-9);
    observe(0.9, 250);
    assertEquals(0.9, mean(-10, 10), 1e-9);
  }
}
