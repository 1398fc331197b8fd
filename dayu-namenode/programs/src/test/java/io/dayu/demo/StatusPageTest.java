/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class StatusPageTest {
  @Test
  void recoveryOfTheFailure_isTheLargest_notTheLast() throws Exception {
    JsonNode history = new ObjectMapper().readTree("""
        {"recoveries": [
          {"number": 1, "active": false, "blocksDone": 25, "etaError": 0.5},
          {"number": 2, "active": false, "blocksDone": 1, "etaError": -1.0}]}""");
    assertEquals(1, StatusPage.largestRecovery(history).path("number").asInt());
  }

  @Test
  void withoutRecoveries_thereIsNone() throws Exception {
    assertTrue(StatusPage.largestRecovery(new ObjectMapper().readTree("{\"recoveries\": []}")).isMissingNode());
  }
}
