/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.admin;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.dayu.namenode.monitor.RecoveryProgress.Predecessor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Optional;

import static org.junit.jupiter.api.Assertions.assertEquals;

class PredecessorProgressTest {
  private static final String STATUS = """
      {"state": "%s", "sinceMs": %d, "recovery": {"number": %d, "active": false, "endReason": "%s", "cause": "a test",
       "beganMs": 5000, "seconds": %d, "blocksDone": 7, "blocksLeft": %d, "bytesDone": 700, "firstEndMs": 90000}}""";

  private static Optional<Predecessor> of(String state, long sinceMs, long number, String endReason, long left,
      long seconds) throws Exception {
    return PredecessorProgress.interrupted(
        new ObjectMapper().readTree(STATUS.formatted(state, sinceMs, number, endReason, seconds, left)), 200_000);
  }

  @Test
  void recoveryThatWasInterrupted_isContinued() throws Exception {
    assertEquals(Optional.of(new Predecessor("a test", 5_000, 7, 700, 90_000)),
        of("STANDBY", 199_000, 2, "this NameNode is no longer active", 3, 194));
  }

  @ParameterizedTest
  @CsvSource({"STANDBY, 199000, 0, reason, 3", "STANDBY, 199000, 2, '', 3", "STANDBY, 199000, 2, reason, 0",
      "STANDBY, 1000, 2, reason, 3"})
  void recoveryThatHasEnded_orWasOfAnotherTime_isNot(String state, long sinceMs, long number, String endReason,
      long left) throws Exception {
    assertEquals(Optional.empty(), of(state, sinceMs, number, endReason, left, 194));
  }

  @Test
  void recoveryThatEndedLongBeforeTheFailover_isNot() throws Exception {
    assertEquals(Optional.empty(), of("STANDBY", 199_000, 2, "the blocks that are left cannot be placed now", 3, 10));
  }
}
