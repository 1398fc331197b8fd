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

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/** A {@link TransferRegistry} whose transfers do as the test says. */
class TransferRegistryFixture {
  static final String POOL = "BP-1";
  static final int LEASE_MS = 1_000;

  /** The storage type of a grant that a class is missing for. */
  static final String WITHOUT_CLASS = "WITHOUT_CLASS";

  final Map<Long, FakeTransfer> made = new LinkedHashMap<>();
  final List<Long> startedAttempts = new ArrayList<>();
  boolean linkHasRoom;
  boolean outOfThreads;
  final Set<Long> withoutMemory = new HashSet<>();
  final Set<Long> rebuilds = new HashSet<>();
  final Set<Long> paused = new HashSet<>();
  final Set<Long> withoutSource = new HashSet<>();
  final Set<Long> atHighestRisk = new HashSet<>();
  int maxTransfers = 16;
  int ends;
  long nowNs = -5;
  final TransferRegistry transfers = new TransferRegistry((pool, grant, atNs, onEnd) -> {
    if (grant.getStorageType().equals("TAPE")) {
      throw new IllegalArgumentException("no storage type TAPE");
    }
    if (grant.getStorageType().equals(WITHOUT_CLASS)) {
      throw new NoClassDefFoundError("org/example/Codec");
    }
    FakeTransfer transfer = new FakeTransfer(grant, atNs, onEnd);
    made.put(grant.getAttempt(), transfer);
    return transfer;
  }, () -> maxTransfers, atNs -> linkHasRoom, () -> ends++, () -> nowNs);

  final class FakeTransfer implements TransferHandle {
    private final long attempt;
    private final Listener onEnd;
    private long leaseEndNs;
    Outcome told;
    long measuredNs;

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

  static FinishedTransferProto end(long attempt, Outcome outcome) {
    return FinishedTransferProto.newBuilder().setAttempt(attempt).setBlockId(1).setOutcome(outcome).build();
  }

  static GrantProto grant(long attempt) {
    return GrantProto.newBuilder().setAttempt(attempt).setStorageType("DISK").setRateBytesPerSec(1)
        .setLeaseMs(LEASE_MS).setBlock(block()).setSource(source()).build();
  }

  void apply(long... attempts) {
    transfers.apply(POOL, LongStream.of(attempts).mapToObj(TransferRegistryFixture::grant).toList(), nowNs);
  }

  void end(long attempt) {
    made.get(attempt).onEnd.ended(end(attempt, made.get(attempt).told == null ? Outcome.DONE : made.get(attempt).told));
  }

  List<Long> running() {
    return transfers.status(POOL).running().stream().map(RunningTransferProto::getAttempt).toList();
  }

  Map<Long, Outcome> finished() {
    Map<Long, Outcome> finished = new LinkedHashMap<>();
    transfers.status(POOL).finished().forEach(end -> finished.put(end.getAttempt(), end.getOutcome()));
    return finished;
  }

  void tick(long ms) {
    nowNs += TimeUnit.MILLISECONDS.toNanos(ms);
    transfers.tick();
  }
}
