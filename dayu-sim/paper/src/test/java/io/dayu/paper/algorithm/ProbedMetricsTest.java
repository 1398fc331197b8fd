/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.algorithm;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** A client goes by what it heard until that is too old. */
class ProbedMetricsTest {

  @Test
  void answer_isGoneByUntilItIsTooOld_byTheClientThatHeardIt() {
    ProbedMetrics metrics = new ProbedMetrics(2);
    metrics.beginTimeslot();
    assertEquals(5, metrics.metric(1, 7, () -> 5));
    assertEquals(5, metrics.metric(1, 7, () -> 6), "heard before");
    assertEquals(6, metrics.metric(2, 7, () -> 6), "another client");
    assertEquals(6, metrics.metric(7, 1, () -> 6), "another node");
    assertEquals(6, metrics.messages());
    metrics.beginTimeslot();
    metrics.beginTimeslot();
    assertEquals(5, metrics.metric(1, 7, () -> 8), "two timeslots old");
    metrics.beginTimeslot();
    assertEquals(8, metrics.metric(1, 7, () -> 8));
    assertEquals(8, metrics.messages());
  }

  @Test
  void withoutAnAge_eachQuestionIsAProbe() {
    ProbedMetrics metrics = new ProbedMetrics(0);
    metrics.beginTimeslot();
    assertEquals(5, metrics.metric(1, 7, () -> 5));
    assertEquals(6, metrics.metric(1, 7, () -> 6));
    assertEquals(4, metrics.messages());
  }
}
