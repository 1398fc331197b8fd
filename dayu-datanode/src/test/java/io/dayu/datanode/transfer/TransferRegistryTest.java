/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.protocol.DayuProtos.BlockSpecProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.RunningTransferProto;
import io.dayu.protocol.DayuProtos.SourceProto;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Which transfers are started, stopped and remembered, with transfers that do as the test says. */
class TransferRegistryTest {
  private static final String POOL = "BP-1";
  private static final int LEASE_MS = 1_000;

  private final Map<Long, FakeTransfer> made = new LinkedHashMap<>();
  private final List<Long> startedAttempts = new ArrayList<>();
  private boolean linkHasRoom;
  private boolean outOfThreads;
  private final Set<Long> withoutMemory = new HashSet<>();
  private final Set<Long> rebuilds = new HashSet<>();
  private final Set<Long> paused = new HashSet<>();
  private final Set<Long> withoutSource = new HashSet<>();
  private final Set<Long> atHighestRisk = new HashSet<>();
  private int maxTransfers = 16;
  private int ends;
  private long nowNs = -5;
  private final TransferRegistry transfers = new TransferRegistry((pool, grant, atNs, onEnd) -> {
    if (grant.getStorageType().equals("TAPE")) {
      throw new IllegalArgumentException("no storage type TAPE");
    }
    FakeTransfer transfer = new FakeTransfer(grant, atNs, onEnd);
    made.put(grant.getAttempt(), transfer);
    return transfer;
  }, () -> maxTransfers, atNs -> linkHasRoom, () -> ends++, () -> nowNs);

  private final class FakeTransfer implements TransferHandle {
    private final long attempt;
    private final Listener onEnd;
    private long leaseEndNs;
    private Outcome told;
    private long measuredNs;

    FakeTransfer(GrantProto grant, long atNs, Listener onEnd) {
      this.attempt = grant.getAttempt();
      this.onEnd = onEnd;
      update(grant, atNs);
    }

    @Override
    public long attempt() {
      return attempt;
    }

    @Override
    public boolean reserve() {
      return !withoutMemory.contains(attempt);
    }

    @Override
    public boolean rebuilds() {
      return rebuilds.contains(attempt);
    }

    @Override
    public boolean isPaused() {
      return paused.contains(attempt);
    }

    @Override
    public boolean isAtHighestRisk() {
      return atHighestRisk.contains(attempt);
    }

    @Override
    public boolean awaitsSource() {
      return withoutSource.contains(attempt);
    }

    @Override
    public void start() {
      if (outOfThreads) {
        throw new OutOfMemoryError("unable to create native thread");
      }
      startedAttempts.add(attempt);
    }

    @Override
    public void update(GrantProto newer, long atNs) {
      renew(newer.getLeaseMs(), atNs);
    }

    @Override
    public void renew(long leaseMs, long atNs) {
      leaseEndNs = atNs + TimeUnit.MILLISECONDS.toNanos(leaseMs);
    }

    @Override
    public void stop(Outcome outcome, String why) {
      told = outcome;
    }

    @Override
    public boolean isStopping() {
      return told != null;
    }

    @Override
    public boolean isLeaseOver(long atNs) {
      return atNs - leaseEndNs >= 0;
    }

    @Override
    public void measure(long atNs) {
      measuredNs = atNs;
    }

    @Override
    public RunningTransferProto report() {
      return RunningTransferProto.newBuilder().setAttempt(attempt).setBlock(block()).setSource(source())
          .setStorageType("DISK").setDoneBytes(0).setRateBytesPerSec(1).setAchievedBytesPerSec(0).build();
    }

    @Override
    public FinishedTransferProto endUnstarted(Outcome outcome, String message) {
      return end(attempt, outcome);
    }

    @Override
    public void join(long millis) {
      // There is no thread.
    }
  }

  private static BlockSpecProto block() {
    return BlockSpecProto.newBuilder().setBlockId(1).setGenerationStamp(1).setNumBytes(1).build();
  }

  private static SourceProto source() {
    return SourceProto.newBuilder().setDatanodeUuid("dn").setIpAddress("10.0.0.1").setHostName("dn")
        .setTransferPort(9866).build();
  }

  private static FinishedTransferProto end(long attempt, Outcome outcome) {
    return FinishedTransferProto.newBuilder().setAttempt(attempt).setBlockId(1).setOutcome(outcome).build();
  }

  private static GrantProto grant(long attempt) {
    return GrantProto.newBuilder().setAttempt(attempt).setStorageType("DISK").setRateBytesPerSec(1)
        .setLeaseMs(LEASE_MS).setBlock(block()).setSource(source()).build();
  }

  private void apply(long... attempts) {
    transfers.apply(POOL, LongStream.of(attempts).mapToObj(TransferRegistryTest::grant).toList(), nowNs);
  }

  private void end(long attempt) {
    made.get(attempt).onEnd.ended(end(attempt, made.get(attempt).told == null ? Outcome.DONE : made.get(attempt).told));
  }

  private List<Long> running() {
    return transfers.status(POOL).running().stream().map(RunningTransferProto::getAttempt).toList();
  }

  private Map<Long, Outcome> finished() {
    Map<Long, Outcome> finished = new LinkedHashMap<>();
    transfers.status(POOL).finished().forEach(end -> finished.put(end.getAttempt(), end.getOutcome()));
    return finished;
  }

  private void tick(long ms) {
    nowNs += TimeUnit.MILLISECONDS.toNanos(ms);
    transfers.tick();
  }

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
  void transferWithoutMemory_waits_andOthersGoFirst() {
    withoutMemory.add(1L);
    apply(1, 2, 3);
    assertEquals(List.of(2L, 3L), startedAttempts);
    withoutMemory.clear();
    end(2);
    assertEquals(List.of(2L, 3L, 1L), startedAttempts);
  }

  @Test
  void transferThatWaitsForMemory_isNotPassedBySmallerOnesThatNeedSome() {
    withoutMemory.add(1L);
    rebuilds.addAll(List.of(1L, 2L));
    apply(1, 2, 3);
    assertEquals(List.of(3L), startedAttempts);
    withoutMemory.clear();
    end(3);
    assertEquals(List.of(3L, 1L, 2L), startedAttempts);
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

  @Test
  void oneAtHighestRisk_startsBesideThoseThatFillTheLink_whenAllAreGrantedAtOnce() {
    atHighestRisk.addAll(List.of(3L, 4L));
    apply(1, 2, 3, 4);
    assertEquals(List.of(1L, 2L, 3L), startedAttempts);
  }

  @Test
  void threeRebuildsAtHighestRiskRun_whenAllAreGrantedAtOnce() {
    linkHasRoom = true;
    apply(1, 2, 3, 4, 5, 6);
    for (int i = 0; i < 4; i++) {
      tick(200);
    }
    LongStream.rangeClosed(1, 6).forEach(this::end);
    startedAttempts.clear();
    List<Long> all = List.of(11L, 12L, 13L, 14L, 15L);
    rebuilds.addAll(all);
    atHighestRisk.addAll(all);
    apply(11, 12, 13, 14, 15);
    assertEquals(List.of(11L, 12L, 13L), startedAttempts);
  }

  @Test
  void threeRebuildsRun_andCopiesGoOn() {
    linkHasRoom = true;
    rebuilds.addAll(List.of(1L, 2L, 3L, 4L, 6L));
    apply(1, 2, 3, 4, 5, 6);
    for (int i = 0; i < 4; i++) {
      tick(200);
    }
    assertEquals(List.of(1L, 2L, 3L, 5L), startedAttempts);
    end(2);
    assertEquals(List.of(1L, 2L, 3L, 5L, 4L), startedAttempts);
  }

  /** A plan may stop a rebuild for a minute; others must not wait for it, those at the highest risk least of all. */
  @Test
  void rebuildThatAPlanHasStopped_takesNoPlace() {
    linkHasRoom = true;
    rebuilds.addAll(List.of(1L, 2L, 3L, 4L, 5L));
    apply(1, 2, 3, 4, 5);
    tick(200);
    assertEquals(List.of(1L, 2L, 3L), startedAttempts);
    paused.add(2L);
    tick(200);
    tick(200);
    assertEquals(List.of(1L, 2L, 3L, 4L), startedAttempts);
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

  @Test
  void rebuildThatWaitsForADeadSource_takesNoPlace() {
    linkHasRoom = true;
    rebuilds.addAll(List.of(1L, 2L, 3L, 4L));
    apply(1, 2, 3, 4);
    tick(200);
    assertEquals(List.of(1L, 2L, 3L), startedAttempts);
    withoutSource.add(2L);
    tick(200);
    assertEquals(List.of(1L, 2L, 3L, 4L), startedAttempts);
  }

  /** Each waits for one slow source, and all go on when it has answered. */
  @Test
  void rebuildsThatWaitForASlowSource_areTwiceAsManyAsMayRun_atMost() {
    linkHasRoom = true;
    rebuilds.addAll(LongStream.rangeClosed(1, 9).boxed().toList());
    apply(1, 2, 3, 4, 5, 6, 7, 8, 9);
    for (int i = 0; i < 9; i++) {
      withoutSource.addAll(startedAttempts);
      tick(10);
    }
    assertEquals(List.of(1L, 2L, 3L, 4L, 5L, 6L), startedAttempts);
    withoutSource.clear();
    tick(200);
    end(1);
    end(2);
    end(3);
    assertEquals(List.of(1L, 2L, 3L, 4L, 5L, 6L), startedAttempts, "three go on");
    end(4);
    assertEquals(List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L), startedAttempts);
  }

  @Test
  void othersThatWaitForASlowSource_takeNoPlaceFromRebuildsAtTheHighestRiskThatDo() {
    linkHasRoom = true;
    rebuilds.addAll(LongStream.rangeClosed(1, 7).boxed().toList());
    apply(1, 2, 3);
    withoutSource.addAll(List.of(1L, 2L, 3L));
    tick(10);
    atHighestRisk.addAll(List.of(4L, 5L, 6L, 7L));
    apply(1, 2, 3, 4, 5, 6, 7);
    for (int i = 0; i < 7; i++) {
      withoutSource.addAll(startedAttempts);
      tick(10);
    }
    assertEquals(List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L), startedAttempts);
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
  void rebuildsAtTheHighestRisk_doNotWaitForPlacesOfOthers_butForTheirOwn() {
    linkHasRoom = true;
    rebuilds.addAll(LongStream.rangeClosed(1, 9).boxed().toList());
    atHighestRisk.addAll(List.of(5L, 6L, 7L, 8L));
    apply(1, 2, 3);
    tick(200);
    apply(5, 6, 7, 8, 1, 2, 3, 9);
    for (int i = 0; i < 4; i++) {
      tick(200);
    }
    assertEquals(List.of(1L, 2L, 3L, 5L, 6L, 7L), startedAttempts);
    end(1);
    end(2);
    end(3);
    end(6);
    assertEquals(List.of(1L, 2L, 3L, 5L, 6L, 7L, 8L), startedAttempts, "the others' bound counts them");
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
