/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.TransferRequest;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;

class AttemptTest {
  /** 100 bytes at 10 bytes/s are 10 s; with 4 s of slack up to 24 s are in time. */
  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      // seconds, bytes received, bytes/s now
      " 6 | 40 |  9 | false | in time",
      " 6 | 40 |  1 | false | others of its agent have their turn, but so far it is faster than planned",
      "12 | 60 |  0 | false | it pauses for clients",
      " 9 |  0 |  0 | false | it waits in its agent's queue",
      "20 | 10 | 40 | false | it was late in the queue, and runs now",
      "12 | 30 |  1 | true  | it needs 28 s more",
      "25 |  0 |  0 | true  | it should be done twice over",
      "25 | 99 | 10 | true  | the same"})
  void transfer_isBehindItsPlan_whenItTakesTwiceAsLong(long seconds, long done, long rate, boolean behind,
      String why) {
    Attempt attempt = AttemptFixture.progressed(
        AttemptFixture.running(1, new TransferRequest(new BlockKey(1, 1), 100, 0, "a", "b", 1), 10), done, rate);
    assertEquals(behind,
        attempt.isBehindPlan(TimeUnit.SECONDS.toNanos(4), TimeUnit.SECONDS.toNanos(seconds)), why);
  }
}
