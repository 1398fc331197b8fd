/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.datanode.transfer.TransferState.Disconnect;
import io.dayu.datanode.transfer.TransferState.Receive;
import io.dayu.datanode.transfer.TransferState.Stop;
import io.dayu.datanode.transfer.TransferState.Wait;
import io.dayu.protocol.DayuProtos.BlockSpecProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.RunningTransferProto;
import io.dayu.protocol.DayuProtos.SourceProto;
import org.junit.jupiter.api.Test;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What a transfer does next, over time. The clock passes zero on the way. */
class TransferStateTest {
  private static final int LEASE_MS = 30_000;
  private static final long START_NS = TimeUnit.SECONDS.toNanos(-8);

  private static SourceProto source(String uuid) {
    return SourceProto.newBuilder().setDatanodeUuid(uuid).setIpAddress("10.0.0.1").setHostName(uuid)
        .setTransferPort(9866).build();
  }

  private static GrantProto grant(String source, long rateBytesPerSec) {
    return GrantProto.newBuilder().setAttempt(1).setStorageType("DISK").setRateBytesPerSec(rateBytesPerSec)
        .setLeaseMs(LEASE_MS).setSource(source(source))
        .setBlock(BlockSpecProto.newBuilder().setBlockId(1).setGenerationStamp(1).setNumBytes(1)).build();
  }

  private static long at(double seconds) {
    return START_NS + (long) (seconds * 1e9);
  }

  private final TransferState state = new TransferState(grant("dn1", 1_000_000), at(0));
  private final TransferState.Source source = state.sources().get(0);

  private static void assertWaits(double seconds, TransferState.Next next) {
    assertEquals(seconds, assertInstanceOf(Wait.class, next).durationNs() / 1e9);
  }

  private static void assertStops(Outcome outcome, String sourceUuid, TransferState.Next next) {
    Stop stop = assertInstanceOf(Stop.class, next);
    assertEquals(outcome, stop.outcome());
    assertEquals(sourceUuid, stop.sourceUuid());
  }

  @Test
  void sourceThatFails_isTriedAgainAfterLongerPauses_andGivenUpAfter15Seconds() {
    SourceProto granted = source.current();
    assertEquals(new Receive(granted), source.next(at(0)));
    assertFalse(state.awaitsSource());
    assertTrue(source.failed(granted, "refused", false, at(1)));
    assertTrue(state.awaitsSource());
    assertWaits(3, source.next(at(1)));
    assertWaits(1, source.next(at(3)));
    assertEquals(new Receive(granted), source.next(at(4)));
    assertTrue(source.failed(granted, "refused", false, at(5)));
    assertWaits(4, source.next(at(5)));
    assertTrue(source.failed(granted, "refused", false, at(9)));
    assertWaits(7, source.next(at(9)));
    assertStops(Outcome.SOURCE_FAILED, "dn1", source.next(at(16)));
  }

  @Test
  void sourceThatDeliversAgain_hasNotFailed() {
    SourceProto granted = source.current();
    assertTrue(source.failed(granted, "refused", false, at(1)));
    source.delivered();
    assertFalse(state.awaitsSource());
    assertTrue(source.failed(granted, "refused", false, at(14)));
    assertWaits(3, source.next(at(14)));
  }

  @Test
  void newestGrant_saysWhetherItGoesBeforeOthers() {
    assertFalse(state.isAtHighestRisk());
    state.update(grant("dn1", 1_000_000).toBuilder().setHighestRisk(true).build(), at(1));
    assertTrue(state.isAtHighestRisk());
    state.update(grant("dn1", 1_000_000), at(2));
    assertFalse(state.isAtHighestRisk());
  }

  @Test
  void corruptSource_isNotTriedAgain() {
    assertTrue(source.failed(source.current(), "checksum", true, at(1)));
    assertWaits(15, source.next(at(1)));
    assertStops(Outcome.SOURCE_CORRUPT, "dn1", source.next(at(16)));
  }

  @Test
  void otherSource_isUsedAtOnce_andItsConnectionIsAnother() {
    SourceProto first = source.current();
    assertTrue(source.failed(first, "refused", false, at(1)));
    state.update(grant("dn2", 1_000_000), at(2));
    assertEquals(new Receive(source("dn2")), source.next(at(2)));
    assertInstanceOf(Disconnect.class, source.next(first, at(2)));
    assertTrue(source.isPaused(first));
    assertFalse(source.failed(first, "refused", false, at(2)), "the plan has left it");
  }

  @Test
  void alternate_takesOverAtOnce_andIsReportedUntilAGrantNamesIt() {
    GrantProto grant = grant("dn1", 1_000_000).toBuilder().addAlternates(source("dn2")).build();
    state.update(grant, at(0));
    SourceProto first = source.current();
    assertTrue(source.failed(first, "reset", false, at(1)));
    assertEquals(new Receive(source("dn2")), source.next(at(1)));
    assertFalse(state.awaitsSource());
    assertTrue(source.isPaused(first));
    SourceProto second = source.current();
    state.update(grant, at(2));
    assertSame(second, source.current(), "the NameNode does not know of it yet");
    assertReports("dn2", "dn1");
    state.update(grant("dn2", 1_000_000), at(3));
    assertSame(second, source.current());
    assertReports("dn2", "");
  }

  @Test
  void ifAllAlternatesFail_theGrantedSourceIsTriedAgain_andGivenUpAfter15Seconds() {
    state.update(grant("dn1", 1_000_000).toBuilder().addAlternates(source("dn2")).addAlternates(source("dn3")).build(),
        at(0));
    assertTrue(source.failed(source.current(), "reset", false, at(1)));
    assertTrue(source.failed(source.current(), "refused", false, at(1)));
    assertEquals(new Receive(source("dn3")), source.next(at(1)));
    assertTrue(source.failed(source.current(), "refused", false, at(1)));
    assertReports("dn1", "dn1");
    assertWaits(3, source.next(at(1)));
    assertEquals(new Receive(source("dn1")), source.next(at(4)));
    assertTrue(source.failed(source.current(), "refused", false, at(5)));
    assertStops(Outcome.SOURCE_FAILED, "dn1", source.next(at(16)));
  }

  @Test
  void anotherGrantedSource_takesThePlaceOfAnAlternate() {
    state.update(grant("dn1", 1_000_000).toBuilder().addAlternates(source("dn2")).build(), at(0));
    assertTrue(source.failed(source.current(), "reset", false, at(1)));
    state.update(grant("dn3", 1_000_000), at(2));
    assertEquals(new Receive(source("dn3")), source.next(at(2)));
    assertReports("dn3", "");
  }

  private void assertReports(String source, String failed) {
    RunningTransferProto.Builder report = RunningTransferProto.newBuilder();
    state.describe(report);
    assertEquals(source, report.getSource().getDatanodeUuid());
    assertEquals(failed, report.getFailedSourceUuid());
  }

  @Test
  void pause_keepsTheConnectionFor10Seconds_andThePartialReplicaFor60() {
    SourceProto granted = source.current();
    state.update(grant("dn1", 0), at(5));
    assertTrue(source.isPaused(granted));
    state.update(grant("dn1", 0), at(10));
    assertWaits(2, source.next(granted, at(13)));
    assertInstanceOf(Disconnect.class, source.next(granted, at(15)));
    assertWaits(50, source.next(at(15)));
    assertStops(Outcome.CANCELLED, null, source.next(at(65)));
    state.update(grant("dn1", 1), at(65));
    assertEquals(new Receive(granted), source.next(at(65)));
    assertEquals(1024, state.maxBytesPerSec());
  }

  @Test
  void lease_endsUnlessItIsRenewed_andThenNothingIsMadeFinal() {
    assertFalse(state.isLeaseOver(at(29.9)));
    assertTrue(state.isLeaseOver(at(30)));
    state.update(grant("dn1", 1), at(20));
    assertFalse(state.isLeaseOver(at(49.9)));
    assertEquals(Outcome.LEASE_EXPIRED, state.commit(at(50)).outcome());
    assertTrue(state.stop(Outcome.LEASE_EXPIRED, "the timer sees it, too"));
  }

  @Test
  void stop_endsEverything_andTheFirstOneCounts() {
    SourceProto granted = source.current();
    assertNull(state.stopped());
    assertTrue(state.stop(Outcome.CANCELLED, "first"));
    assertFalse(state.stop(Outcome.LEASE_EXPIRED, "second"));
    assertStops(Outcome.CANCELLED, null, source.next(at(1)));
    assertStops(Outcome.CANCELLED, null, source.next(granted, at(1)));
    assertEquals(new Stop(Outcome.CANCELLED, "first", null), state.commit(at(1)));
    assertTrue(source.isPaused(granted));
  }

  @Test
  void stop_comesTooLate_onceTheReplicaIsMadeFinalOrRemoved() {
    assertNull(state.commit(at(1)));
    assertFalse(state.stop(Outcome.CANCELLED, "too late"));
    assertNull(state.stopped());
    assertTrue(state.isStopRequested(), "the NameNode's commands are not obeyed before it has ended");
    TransferState removed = new TransferState(grant("dn1", 1), at(0));
    removed.abandon();
    assertFalse(removed.stop(Outcome.CANCELLED, "too late"));
  }
}
