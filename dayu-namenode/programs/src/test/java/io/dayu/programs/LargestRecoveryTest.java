/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.programs;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;

import java.util.Optional;

import static org.junit.jupiter.api.Assertions.assertEquals;

class LargestRecoveryTest {
  @Test
  void largest_isNeitherTheFirstNorTheLast() throws Exception {
    assertEquals(Optional.of(new LargestRecovery(false, 50)), in("""
        {"number": 1, "active": false, "blocksDone": 2, "etaError": 0.1},
        {"number": 2, "active": false, "blocksDone": 25, "etaError": 0.5},
        {"number": 3, "active": true, "blocksDone": 1, "etaError": -1.0}"""));
  }

  @Test
  void errorWithoutEstimate_isBelowZero() throws Exception {
    assertEquals(Optional.of(new LargestRecovery(true, -100)), in("""
        {"number": 1, "active": true, "blocksDone": 25, "etaError": -1.0}"""));
  }

  @Test
  void withoutRecoveries_thereIsNone() throws Exception {
    assertEquals(Optional.empty(), in(""));
  }

  private static Optional<LargestRecovery> in(String recoveries) throws Exception {
    return LargestRecovery.in(new ObjectMapper().readTree("{\"recoveries\": [" + recoveries + "]}"));
  }
}
