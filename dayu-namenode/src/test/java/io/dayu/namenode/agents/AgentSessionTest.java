/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.agents;

import io.dayu.namenode.exchange.AgentReport;
import io.dayu.protocol.DayuProtos.ReportProto;
import org.junit.jupiter.api.Test;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

/** Which reports of an agent that restarts are read, in whatever order they arrive. */
class AgentSessionTest {
  private static final long START_MS = 1_700_000_000_000L;
  private static final long HOUR_MS = 3_600_000;

  private final AgentSession session = new AgentSession("agent", 0);

  private static ReportProto.Builder report(long incarnation, long startMs, long sequence) {
    return ReportProto.newBuilder().setProtocolVersion(1).setBlockPoolId("bp").setDatanodeUuid("agent")
        .setAgentIncarnation(incarnation).setAgentStartMs(startMs).setReportSequence(sequence);
  }

  /** The incarnation that the loop reads after this report, or null if the report is ignored. */
  private Long readAfter(ReportProto.Builder report, long nowMs) {
    session.offer(report.build(), TimeUnit.MILLISECONDS.toNanos(nowMs));
    AgentReport read = session.takeReport();
    return read == null ? null : read.incarnation();
  }

  @Test
  void reportOfAKnownFormerLife_isIgnored() {
    assertEquals(11, readAfter(report(11, START_MS, 1), 0));
    assertEquals(12, readAfter(report(12, START_MS + 100, 1), 100));
    assertNull(readAfter(report(11, START_MS, 2), 200));
    assertEquals(12, readAfter(report(12, START_MS + 100, 2), 300));
  }

  @Test
  void onlyReportOfALifeBetweenTwoRestarts_whichComesLast_isIgnored() {
    assertEquals(11, readAfter(report(11, START_MS, 1), 0));
    assertEquals(13, readAfter(report(13, START_MS + 400, 1), 500));
    assertNull(readAfter(report(12, START_MS + 100, 1), 600));
    assertEquals(13, readAfter(report(13, START_MS + 400, 2), 700), "the live agent is still heard");
  }

  @Test
  void ignoredReport_doesNotMakeTheAgentLookAlive() {
    readAfter(report(13, START_MS + 400, 1), 500);
    readAfter(report(12, START_MS + 100, 1), 600);
    assertEquals(TimeUnit.MILLISECONDS.toNanos(500), session.lastReportNs());
  }

  @Test
  void restartedAgentWhoseClockWentBack_isIgnoredNoLongerThanReportsMayBeLate() {
    assertEquals(11, readAfter(report(11, START_MS, 1), 0));
    assertNull(readAfter(report(12, START_MS - HOUR_MS, 1), 29_999));
    assertEquals(12, readAfter(report(12, START_MS - HOUR_MS, 2), 30_000));
    assertEquals(12, readAfter(report(12, START_MS - HOUR_MS, 3), 31_000));
    assertNull(readAfter(report(11, START_MS, 2), 32_000));
  }

  @Test
  void incarnationsThatDoNotSayWhenTheyStarted_countInTheOrderOfTheirReports() {
    assertEquals(11, readAfter(report(11, START_MS, 1), 0));
    assertEquals(12, readAfter(report(12, 0, 1).clearAgentStartMs(), 100), "with an older jar");
    assertEquals(13, readAfter(report(13, START_MS - HOUR_MS, 1), 200), "with this one again");
  }
}
