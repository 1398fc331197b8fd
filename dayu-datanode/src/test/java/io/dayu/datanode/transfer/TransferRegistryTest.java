/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Which transfers are started, stopped and remembered. */
class TransferRegistryTest extends TransferRegistryFixture {
  @Test
  void twoStartAtOnce_andTheOthersInTheOrderOfTheNewestGrants() {
    apply(1, 2, 3, 4, 5);
    assertEquals(List.of(1L, 2L), startedAttempts);
    assertEquals(List.of(1L, 2L, 3L, 4L, 5L), running());
    apply(2, 1, 5, 3, 4);
    end(1);
    end(2);
    assertEquals(List.of(1L, 2L, 5L, 3L), startedAttempts);
    assertEquals(2, ends);
  }

  @Test
  void moreStart_whileTheLinkHasRoom_upToTheMost() {
    maxTransfers = 3;
    linkHasRoom = true;
    apply(1, 2, 3, 4);
    tick(200);
    tick(200);
    assertEquals(List.of(1L, 2L, 3L), startedAttempts);
  }

  @Test
  void transferThatIsNoLongerGranted_isStopped_andCountsAsStoppingUntilItHasEnded() {
    apply(1, 2, 3);
    apply(2);
    assertEquals(Map.of(3L, Outcome.CANCELLED), finished(), "it was queued, so it is gone");
    assertEquals(Outcome.CANCELLED, made.get(1L).told);
    assertTrue(transfers.status(POOL).stopping());
    end(1);
    assertFalse(transfers.status(POOL).stopping());
    assertEquals(Map.of(3L, Outcome.CANCELLED, 1L, Outcome.CANCELLED), finished());
    assertEquals(List.of(2L), running());
  }

  @Test
  void endedTransfer_isNotBegunAgainByALateGrant_andIsReportedUntilAcknowledged() {
    apply(1);
    end(1);
    apply(1);
    assertEquals(1, made.size());
    assertEquals(Map.of(1L, Outcome.DONE), finished());
    transfers.acknowledge(POOL, List.of(1L, 77L));
    assertEquals(Map.of(), finished());
    apply(1);
    assertEquals(List.of(1L), startedAttempts);
  }

  @Test
  void lease_endsATransfer_unlessAGrantRenewsIt() {
    apply(1, 2, 3);
    tick(LEASE_MS - 1);
    apply(1);
    tick(1);
    assertEquals(null, made.get(1L).told);
    tick(LEASE_MS);
    assertEquals(Outcome.LEASE_EXPIRED, made.get(1L).told);
  }

  @Test
  void answerThatSaysTheSame_renewsLeases_andBeginsNothing() {
    apply(1);
    tick(LEASE_MS - 1);
    transfers.renew(POOL, List.of(grant(1), grant(2)), nowNs);
    tick(1);
    assertEquals(null, made.get(1L).told);
    assertEquals(Set.of(1L), made.keySet());
    transfers.renew("another pool", List.of(grant(1)), nowNs);
    tick(LEASE_MS);
    assertEquals(Outcome.LEASE_EXPIRED, made.get(1L).told);
  }

  @Test
  void queuedTransferWithoutLease_endsAtOnce() {
    apply(1, 2, 3);
    tick(LEASE_MS);
    assertEquals(Map.of(3L, Outcome.LEASE_EXPIRED), finished());
    assertEquals(Outcome.LEASE_EXPIRED, made.get(1L).told);
  }

  @Test
  void grantWhoseLeaseEndedBeforeItWasRead_hasEnded_andIsNeverBegun() {
    long sentNs = nowNs;
    nowNs += TimeUnit.MILLISECONDS.toNanos(LEASE_MS);
    transfers.apply(POOL, List.of(grant(1)), sentNs);
    assertEquals(Map.of(1L, Outcome.LEASE_EXPIRED), finished());
    transfers.apply(POOL, List.of(grant(1), grant(2)), sentNs + 1);
    assertEquals(Set.of(2L), made.keySet());
  }

  @Test
  void grantThatCannotBeFollowed_andAThreadThatCannotStart_areFailuresOfTheTarget() {
    transfers.apply(POOL, List.of(grant(1).toBuilder().setStorageType("TAPE").build()), nowNs);
    assertEquals(Map.of(1L, Outcome.TARGET_FAILED), finished());
    assertEquals("no storage type TAPE", transfers.status(POOL).finished().get(0).getMessage());
    outOfThreads = true;
    apply(2);
    assertEquals(Map.of(1L, Outcome.TARGET_FAILED, 2L, Outcome.TARGET_FAILED), finished());
    outOfThreads = false;
    apply(3);
    assertEquals(List.of(3L), startedAttempts);
  }

  @Test
  void missingClass_isAFailureOfItsGrantAlone() {
    transfers.apply(POOL, List.of(grant(1).toBuilder().setStorageType(WITHOUT_CLASS).build(), grant(2)), nowNs);
    assertEquals(Map.of(1L, Outcome.TARGET_FAILED), finished());
    assertEquals("java.lang.NoClassDefFoundError: org/example/Codec",
        transfers.status(POOL).finished().get(0).getMessage());
    assertEquals(List.of(2L), startedAttempts);
  }

  @Test
  void transferWithoutMemory_waits_andOthersGoFirst() {
    withoutMemory.add(1L);
    apply(1, 2, 3);
    assertEquals(List.of(2L, 3L), startedAttempts);
    withoutMemory.clear();
    end(2);
    assertEquals(List.of(2L, 3L, 1L), startedAttempts);
  }

  @Test
  void eachTick_measuresWhatRuns() {
    apply(1);
    tick(100);
    assertEquals(nowNs, made.get(1L).measuredNs);
  }

  @Test
  void transfersThatAwaitASource_doNotFillTheLink() {
    linkHasRoom = true;
    withoutSource.addAll(List.of(1L, 2L));
    apply(1, 2, 3, 4, 5, 6);
    tick(200);
    assertEquals(List.of(1L, 2L, 3L, 4L), startedAttempts, "none runs, so the limit stays at two");
  }

  /** They write nothing: disks would seem to be idle beside them. */
  @Test
  void pausedTransfers_doNotCountAsRunning() {
    apply(1, 2);
    paused.add(1L);
    assertEquals(1, transfers.runningNow());
    withoutSource.add(1L);
    assertEquals(1, transfers.runningNow(), "it is not counted twice");
    paused.add(2L);
    assertEquals(0, transfers.runningNow());
  }

  @Test
  void queuedTransfers_andThoseThatAwaitASource_doNotCountAsRunning() {
    assertEquals(0, transfers.runningNow());
    apply(1, 2, 3);
    assertEquals(2, transfers.runningNow());
    withoutSource.add(1L);
    assertEquals(1, transfers.runningNow());
  }

  @Test
  void oneAtHighestRisk_startsBesideThoseThatFillTheLink_whenAllAreGrantedAtOnce() {
    atHighestRisk.addAll(List.of(3L, 4L));
    apply(1, 2, 3, 4);
    assertEquals(List.of(1L, 2L, 3L), startedAttempts);
  }

  /** HDFS knows minutes later that a source is dead, and its transfers are tried for 15 s. */
  @Test
  void transferThatWaitsForADeadSource_takesNoPlace_upToAsManyAsMayRun() {
    maxTransfers = 2;
    apply(1, 2, 3, 4, 5, 6, 7);
    assertEquals(List.of(1L, 2L), startedAttempts);
    withoutSource.addAll(List.of(1L, 2L));
    tick(100);
    assertEquals(List.of(1L, 2L, 3L, 4L), startedAttempts);
    withoutSource.addAll(List.of(3L, 4L));
    tick(100);
    assertEquals(List.of(1L, 2L, 3L, 4L), startedAttempts);
    end(1);
    assertEquals(List.of(1L, 2L, 3L, 4L, 5L), startedAttempts);
    withoutSource.clear();
    end(2);
    assertEquals(List.of(1L, 2L, 3L, 4L, 5L), startedAttempts, "three go on");
  }

  /** On a full link the two that run keep their places for minutes. */
  @Test
  void oneTransferAtTheHighestRisk_doesNotWaitForAPlace_othersOfItDo() {
    atHighestRisk.addAll(List.of(3L, 4L));
    apply(1, 2);
    apply(3, 4, 5, 1, 2);
    assertEquals(List.of(1L, 2L, 3L), startedAttempts);
    end(3);
    assertEquals(List.of(1L, 2L, 3L, 4L), startedAttempts);
    end(4);
    assertEquals(List.of(1L, 2L, 3L, 4L), startedAttempts);
  }

  @Test
  void noTransferAtTheHighestRisk_isOneMoreThanMayRun() {
    maxTransfers = 2;
    atHighestRisk.add(3L);
    apply(1, 2);
    apply(3, 1, 2);
    assertEquals(List.of(1L, 2L), startedAttempts);
  }

  @Test
  void poolsAreApart_andShareTheLimit() {
    apply(1, 2);
    transfers.apply("BP-2", List.of(grant(3)), nowNs);
    assertEquals(Set.of(POOL, "BP-2"), transfers.activePools());
    assertEquals(List.of(1L, 2L), startedAttempts);
    apply();
    assertEquals(1, transfers.status("BP-2").running().size());
    end(1);
    assertEquals(List.of(1L, 2L, 3L), startedAttempts);
    end(2);
    assertEquals(Set.of("BP-2"), transfers.activePools());
  }

  @Test
  void afterTheClose_nothingStarts() {
    apply(1, 2, 3);
    assertEquals(List.of(made.get(1L), made.get(2L)), transfers.close());
    assertEquals(Map.of(3L, Outcome.CANCELLED), finished());
    assertEquals(Outcome.CANCELLED, made.get(1L).told);
    end(1);
    apply(2, 9);
    assertEquals(List.of(1L, 2L), startedAttempts);
  }
}
