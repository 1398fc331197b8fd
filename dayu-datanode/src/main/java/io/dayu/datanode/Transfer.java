/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.protocol.DayuProtos.FinishedTransferProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.RunningTransferProto;
import io.dayu.protocol.DayuProtos.SourceProto;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * One block being pulled onto this DataNode, from the first byte to "block received" or to the removal of every trace. Runs on a thread of
 * its own, which ends on interrupt: HDFS interrupts and joins a replica's writer when it needs the replica gone. All other methods may be
 * called by any thread.
 *
 * <p>What it is told meanwhile, and when it may go on, is {@link Steering}'s; what it has, {@link PulledBlock}'s. From whatever source the next grant
 * names it goes on at the same offset. Where turns are asked for one by one, any of them may come from one of the grant's alternates.
 */
final class Transfer implements Runnable {
  private static final int LONGEST_MESSAGE = 300;

  private static final Logger LOG = LoggerFactory.getLogger(Transfer.class);

  /** Told on the transfer's thread. */
  interface Observer {
    void received(int bytes);

    /** The replica is finalized and announced, or gone. */
    void ended(Transfer transfer, FinishedTransferProto end);
  }

  private final DataNodeAccess node;
  private final GrantProto grant;
  private final ExtendedBlock block;
  private final Observer observer;
  private final Turns turns;
  private final Pace pace;
  private final Thread thread;
  private final Steering steering;
  private final PulledBlock pulled;
  private final AchievedRate achieved;

  // Of the transfer's thread.
  /** The source that was last seen to end its connections after one request. */
  private SourceProto hangsUp;
  private boolean servedByOthers;
  private final Set<SourceProto> failedAlternates = new HashSet<>();

  /**
   * @param nowNanos when the grant was received, by System.nanoTime()
   * @throws IllegalArgumentException if the grant names no known storage type
   */
  Transfer(DataNodeAccess node, String blockPoolId, GrantProto grant, long nowNanos, Turns turns, Observer observer) {
    this.node = node;
    this.grant = grant;
    this.block = new ExtendedBlock(blockPoolId, grant.getBlock().getBlockId(), grant.getBlock().getNumBytes(),
        grant.getBlock().getGenerationStamp());
    this.pulled = new PulledBlock(node, block, StorageType.valueOf(grant.getStorageType()), grant.hasStorageId() ? grant.getStorageId() : null);
    this.turns = turns;
    this.pace = turns.newPace();
    this.observer = observer;
    this.achieved = new AchievedRate(nowNanos);
    this.thread = new Thread(this, "dayu-transfer-" + block.getLocalBlock());
    this.thread.setDaemon(true);
    this.steering = new Steering(grant, nowNanos, pace, thread);
  }

  void start() {
    thread.start();
  }

  void join(long millis) throws InterruptedException {
    thread.join(Math.max(1, millis));
  }

  ExtendedBlock block() {
    return block;
  }

  long attempt() {
    return grant.getAttempt();
  }

  /** Whether it has been told to stop, were it too late or not. */
  boolean isStopping() {
    return steering.isToldToStop();
  }

  /** Takes rate, sources and lease from a newer grant of the same attempt. */
  synchronized void follow(GrantProto newer, long nowNanos) {
    // Together, or a measurement in between would miss what is forgotten.
    achieved.forget(steering.follow(newer, nowNanos));
  }

  /**
   * Ends the transfer, unless it is already being made final or removed. Returns at once; the thread ends when every trace is
   * removed.
   */
  void stop(Outcome outcome, String why) {
    steering.stop(outcome, why);
  }

  /** Ends the transfer if its lease has run out, also while its thread blocks, and measures what it achieves. */
  synchronized void tick(long nowNanos) {
    steering.checkLease(nowNanos);
    achieved.measure(pulled.doneBytes(), pace.letPassBytes(), nowNanos);
  }

  RunningTransferProto report() {
    RunningTransferProto.Builder report = RunningTransferProto.newBuilder().setAttempt(grant.getAttempt()).setBlock(grant.getBlock())
        .setSourceCountedBytes(pulled.sourceCountedBytes()).setDoneBytes(pulled.doneBytes())
        .setAchievedBytesPerSec(achieved.bytesPerSec()).setStorageType(grant.getStorageType());
    steering.describe(report);
    String storageId = pulled.storageId();
    if (storageId != null) {
      report.setStorageId(storageId);
    }
    return report.build();
  }

  @Override
  public void run() {
    FinishedTransferProto.Builder end = FinishedTransferProto.newBuilder().setAttempt(grant.getAttempt())
        .setBlockId(block.getBlockId());
    try {
      pull();
      end.setOutcome(Outcome.DONE);
      SourceProto source = steering.current();
      LOG.info("Received {} size {} from {} ({}){} for Dayu", block, block.getNumBytes(), source.getHostName(), source.getIpAddress(),
          servedByOthers ? " and others" : "");
    } catch (Throwable e) {
      if (e instanceof Steering.Stop stopped) {
        end.setOutcome(stopped.outcome());
        if (stopped.sourceUuid() != null) {
          end.setSourceUuid(stopped.sourceUuid());
        }
      } else {
        end.setOutcome(Outcome.TARGET_FAILED);
      }
      end.setMessage(shortened(e)).setWastedBytes(pulled.doneBytes());
      LOG.debug("BLOCK* {} not pulled: {}", block, end.getOutcome(), e);
      steering.giveUp();
      pulled.abort();
    }
    observer.ended(this, end.setSourceCountedBytes(pulled.sourceCountedBytes()).build());
  }

  private void pull() throws Steering.Stop, IOException {
    while (!pulled.isComplete()) {
      SourceProto source = steering.awaitSource();
      try {
        pullFrom(source);
      } catch (TargetException e) {
        steering.checkStop();
        throw e;
      } catch (IOException e) {
        steering.checkStop(e);
        if (steering.failed(source, shortened(e), e instanceof CorruptSourceException)) {
          noteFailure(source, e);
        }
      }
    }
    steering.commit();
    pulled.finish();
  }

  private void pullFrom(SourceProto source) throws Steering.Stop, IOException {
    try (SourceStreams opened = new SourceStreams(node, block, source);
        Turns.Visit visit = turns.visit(source, pace, () -> steering.isHeldUp(source))) {
      steering.begin(opened, source);
      opened.to(source);
      pace.connected(System.nanoTime());
      while (steering.mayGoOn(source)) {
        boolean asksForEachTurn = visit.asksForEachTurn() && !source.equals(hangsUp);
        long turnBytes = visit.turnBytes(steering.rateBytesPerSec(), pulled.restBytes());
        SourceProto from = awaitTurn(visit, asksForEachTurn ? alternatesTo(source) : List.of());
        if (from != null) {
          long bytes = from.equals(source) ? takeTurn(opened, from, visit, turnBytes, asksForEachTurn ? turnBytes : block.getNumBytes())
              : takeTurnElsewhere(opened, from, visit, turnBytes);
          if (pulled.isComplete()) {
            return;
          }
          throttle(visit, bytes);
        }
      }
    } catch (IOException e) {
      if (e instanceof TargetException || !pulled.isComplete()) {
        throw e;
      }
      LOG.debug("BLOCK* {} is complete, but its source did not say goodbye", block, e);
    } finally {
      pace.disconnected(System.nanoTime());
      steering.end();
    }
  }

  private List<SourceProto> alternatesTo(SourceProto source) {
    return steering.alternates().stream().filter(alternate -> !alternate.equals(source) && !failedAlternates.contains(alternate)).toList();
  }

  private SourceProto awaitTurn(Turns.Visit visit, List<SourceProto> alternates) throws Steering.Stop {
    try {
      return visit.await(alternates);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      steering.checkStop();
      return null;
    }
  }

  /** As {@link #takeTurn}, from another source than the plan's: it is done without if it fails. */
  private long takeTurnElsewhere(SourceStreams opened, SourceProto from, Turns.Visit visit, long turnBytes) throws IOException, Steering.Stop {
    long before = pulled.doneBytes();
    try {
      servedByOthers |= takeTurn(opened, from, visit, turnBytes, turnBytes) > 0;
    } catch (TargetException e) {
      throw e;
    } catch (IOException e) {
      steering.checkStop(e);
      opened.drop(from);
      // With another plan all connections are broken off: no fault of the alternate's.
      if (!steering.isRedirected() || e instanceof CorruptSourceException) {
        failedAlternates.add(from);
        noteFailure(from, e);
      }
    }
    return pulled.doneBytes() - before;
  }

  /** Receives what a turn is to bring; nothing if the source has closed the connection meanwhile. */
  private long takeTurn(SourceStreams opened, SourceProto from, Turns.Visit visit, long turnBytes, long requestBytes) throws IOException {
    long before = pulled.doneBytes();
    try {
      pulled.receive(opened.to(from), turnBytes, requestBytes, visit.isCountedBySource(), bytes -> {
        observer.received(bytes);
        visit.received(bytes);
        steering.delivered(from);
      });
    } catch (SourceStream.ClosedBetweenRequestsException e) {
      LOG.debug("BLOCK* {}: {} closed the connection at {}", block, from.getHostName(), pulled.doneBytes(), e);
      opened.drop(from);
      if (e.isHabit() && from.equals(steering.current())) {
        // From now on it is asked for all at once.
        hangsUp = from;
      } else if (e.isHabit()) {
        failedAlternates.add(from);
      }
    } finally {
      visit.ended(pulled.doneBytes() - before);
    }
    return pulled.doneBytes() - before;
  }

  private void throttle(Turns.Visit visit, long bytes) {
    long rate = steering.rateBytesPerSec();
    if (rate > 0) {
      steering.throttle(bytes, visit.bandwidthBytesPerSec(rate));
    }
  }

  /** Tells the NameNode of a corrupt replica; all else is the transfer's own affair. */
  private void noteFailure(SourceProto source, IOException e) {
    if (e instanceof CorruptSourceException) {
      LOG.warn("BLOCK* {} is corrupt on {}: {}", block, source.getHostName(), e.getMessage());
      try {
        node.reportBadReplica(SourceStream.describe(source), block);
      } catch (IOException notReported) {
        LOG.warn("BLOCK* cannot report the corrupt replica of {} on {}", block, source.getHostName(), notReported);
      }
    } else {
      LOG.debug("BLOCK* {} stopped at {}: {}", block, pulled.doneBytes(), source.getHostName(), e);
    }
  }

  private static String shortened(Throwable e) {
    String message = e.getMessage() == null ? e.toString() : e.getMessage();
    return message.length() <= LONGEST_MESSAGE ? message : message.substring(0, LONGEST_MESSAGE) + "...";
  }
}
