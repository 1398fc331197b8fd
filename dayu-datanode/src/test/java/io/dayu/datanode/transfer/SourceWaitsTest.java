/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.protocol.DayuProtos.RunningTransferProto;
import io.dayu.protocol.DayuProtos.SourceProto;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Which source a rebuild is said to wait for. */
class SourceWaitsTest {
  private static final SourceProto A = source("a");
  private static final SourceProto B = source("b");
  private static final SourceProto C = source("c");

  private final SourceWaits waits = new SourceWaits();

  private static SourceProto source(String name) {
    return SourceProto.newBuilder().setDatanodeUuid(name).setIpAddress("10.0.0.1").setHostName(name)
        .setTransferPort(9866).build();
  }

  private static long ms(long millis) {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }

  private RunningTransferProto report() {
    RunningTransferProto.Builder report = RunningTransferProto.newBuilder();
    waits.describe(report);
    return report.buildPartial();
  }

  @Test
  void sourceThatTheDecoderWaitedForMost_isNamed_secondBySecond() {
    assertTrue(waits.isDue(ms(5)));
    waits.measure(new long[] {ms(900), 0}, List.of(A, B), ms(5));
    assertFalse(report().hasSlowestSourceUuid(), "the first second is not over");
    assertFalse(waits.isDue(ms(1_004)));
    assertTrue(waits.isDue(ms(1_005)));
    waits.measure(new long[] {ms(1_000), ms(600)}, List.of(A, B), ms(1_005));
    assertEquals("b", report().getSlowestSourceUuid());
    assertEquals(600, report().getWaitedForSlowestMs());
    waits.measure(new long[] {ms(1_000), ms(600)}, List.of(A, B), ms(2_005));
    assertFalse(report().hasSlowestSourceUuid(), "it waited for none");
  }

  @Test
  void sourceThatReplacedASlowOne_isNotBlamedForIt() {
    waits.measure(new long[] {0, 0}, List.of(A, B), 0);
    waits.measure(new long[] {ms(10), ms(900)}, List.of(A, C), ms(1_000));
    assertFalse(report().hasSlowestSourceUuid());
    waits.measure(new long[] {ms(10), ms(1_600)}, List.of(A, C), ms(2_000));
    assertEquals("c", report().getSlowestSourceUuid());
    assertEquals(700, report().getWaitedForSlowestMs());
  }
}
