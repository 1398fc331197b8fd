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
import org.apache.hadoop.hdfs.util.Canceler;
import org.apache.hadoop.hdfs.util.DataTransferThrottler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedByInterruptException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * One block being pulled onto this DataNode, from the first byte to "block received" or to the removal of every trace. Runs on a thread of
 * its own, which ends on interrupt: HDFS interrupts and joins a replica's writer when it needs the replica gone. All other methods may be
 * called by any thread; what they steer is guarded by this object's monitor.
 *
 * <p>While its source fails or its rate is zero the transfer waits, with what it has, for a bounded time, and goes on at the same offset
 * from whatever source the next grant names. Where turns are asked for one by one, any of them may come from one of the grant's alternates.
 */
final class Transfer implements Runnable {
  /** How long a failed source may be replaced, or tried again, before the transfer gives up. */
  static final long SOURCE_PATIENCE_MS = 15_000;
  private static final long FIRST_RETRY_MS = 3_000;
  private static final int LONGEST_MESSAGE = 300;
  /** At rate zero: how long the connection is kept, unless the source ends it sooner, and how long the partial replica. */
  private static final long PAUSED_CONNECTION_MS = 10_000;
  private static final long PAUSED_PARTIAL_MS = 60_000;
  private static final long THROTTLE_PERIOD_MS = 100;
  /** Below this a throttling period would hold next to nothing. */
  private static final long LEAST_RATE_BYTES_PER_SEC = 1024;
  private static final long ACHIEVED_WINDOW_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final Logger LOG = LoggerFactory.getLogger(Transfer.class);

  /** Told on the transfer's thread. */
  interface Observer {
    void received(int bytes);

    /** The replica is finalized and announced, or gone. */
    void ended(Transfer transfer, FinishedTransferProto end);
  }

  /** A source that failed this transfer, until another takes over or the same one delivers again. */
  private record Failure(SourceProto source, String message, boolean corrupt, long sinceNanos, long retryNanos) {
  }

  /** Ends the transfer's thread. */
  private static final class Stop extends Exception {
    private final Outcome outcome;
    private final String sourceUuid;

    Stop(Outcome outcome, String message, String sourceUuid) {
      super(message, null, false, false);
      this.outcome = outcome;
      this.sourceUuid = sourceUuid;
    }
  }

  private final DataNodeAccess node;
  private final GrantProto grant;
  private final ExtendedBlock block;
  private final StorageType storageType;
  private final Observer observer;
  private final Turns turns;
  private final Pace pace;
  private final Thread thread;
  private final Canceler throttleBreaker = new Canceler() {
    @Override
    public boolean isCancelled() {
      return stop != null || rateBytesPerSec == 0 || wanted != current;
    }
  };

  // Written under the monitor, read anywhere.
  private volatile SourceProto wanted;
  private volatile List<SourceProto> alternates;
  private volatile SourceProto current;
  private volatile long rateBytesPerSec;
  private volatile Stop stop;
  private volatile DataTransferThrottler throttler;

  // Guarded by the monitor. Committed: about to become final, or to be removed; no interrupt of ours may come any more.
  private SourceStreams streams;
  private Failure failure;
  private boolean committed;
  private boolean toldToStop;
  private long leaseEndNanos;
  private long pausedSinceNanos;
  private long windowStartNanos;
  private long windowStartBytes;
  private double windowStartLetPassBytes;
  private long achievedBytesPerSec;

  // Written by the transfer's thread only.
  private volatile PartialReplica partial;
  private volatile long doneBytes;
  /** Never more than what is done, so to be read before it. */
  private volatile long sourceCountedBytes;
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
    this.storageType = StorageType.valueOf(grant.getStorageType());
    this.turns = turns;
    this.pace = turns.newPace();
    this.observer = observer;
    this.windowStartNanos = nowNanos;
    this.pausedSinceNanos = nowNanos;
    this.thread = new Thread(this, "dayu-transfer-" + block.getLocalBlock());
    this.thread.setDaemon(true);
    follow(grant, nowNanos);
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
  synchronized boolean isStopping() {
    return toldToStop;
  }

  /** Takes rate, source and lease from a newer grant of the same attempt. */
  synchronized void follow(GrantProto newer, long nowNanos) {
    leaseEndNanos = nowNanos + TimeUnit.MILLISECONDS.toNanos(newer.getLeaseMs());
    long rate = newer.getRateBytesPerSec() == 0 ? 0 : Math.max(LEAST_RATE_BYTES_PER_SEC, newer.getRateBytesPerSec());
    boolean wasPaused = rateBytesPerSec == 0;
    if (rate == 0 && !wasPaused) {
      pausedSinceNanos = nowNanos;
    }
    rateBytesPerSec = rate;
    windowStartLetPassBytes -= pace.change(rate, nowNanos);
    if (rate > 0 && throttler != null) {
      if (wasPaused) {
        throttler = new DataTransferThrottler(THROTTLE_PERIOD_MS, rate);
      } else {
        throttler.setBandwidth(rate);
      }
    }
    alternates = newer.getAlternatesList();
    if (!newer.getSource().equals(wanted)) {
      wanted = newer.getSource();
      if (streams != null) {
        streams.breakOff();
      }
    }
    notifyAll();
  }

  /**
   * Ends the transfer, unless it is already being made final or removed. Returns at once; the thread ends when every trace is
   * removed.
   */
  synchronized void stop(Outcome outcome, String why) {
    toldToStop = true;
    if (stop == null && !committed) {
      stop = new Stop(outcome, why, null);
      thread.interrupt();
    }
  }

  /** Ends the transfer if its lease has run out, also while its thread blocks, and measures what it achieves. */
  synchronized void tick(long nowNanos) {
    if (nowNanos - leaseEndNanos >= 0) {
      stop(Outcome.LEASE_EXPIRED, "not confirmed by the NameNode in time");
    }
    long windowNanos = nowNanos - windowStartNanos;
    if (windowNanos >= ACHIEVED_WINDOW_NANOS) {
      long bytes = doneBytes;
      double letPassBytes = pace.letPassBytes();
      // What the transfer let pass and can still catch up on counts as done, and its catching up does not: so this tells what to expect.
      achievedBytesPerSec = (long) Math.max(0, (bytes - windowStartBytes + letPassBytes - windowStartLetPassBytes) * 1e9 / windowNanos);
      windowStartNanos = nowNanos;
      windowStartBytes = bytes;
      windowStartLetPassBytes = letPassBytes;
    }
  }

  synchronized RunningTransferProto report() {
    PartialReplica replica = partial;
    RunningTransferProto.Builder report = RunningTransferProto.newBuilder().setAttempt(grant.getAttempt())
        .setBlock(grant.getBlock()).setSource(wanted).setSourceCountedBytes(sourceCountedBytes).setDoneBytes(doneBytes)
        .setRateBytesPerSec(rateBytesPerSec).setAchievedBytesPerSec(achievedBytesPerSec).setStorageType(storageType.name());
    if (replica != null) {
      report.setStorageId(replica.storageId());
    }
    if (failure != null && failure.source() == wanted) {
      report.setFailedSourceUuid(wanted.getDatanodeUuid()).setFailure(failure.message()).setFailedSourceCorrupt(failure.corrupt());
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
      LOG.info("Received {} size {} from {} ({}){} for Dayu", block, block.getNumBytes(), current.getHostName(), current.getIpAddress(),
          servedByOthers ? " and others" : "");
    } catch (Throwable e) {
      if (e instanceof Stop stopped) {
        end.setOutcome(stopped.outcome);
        if (stopped.sourceUuid != null) {
          end.setSourceUuid(stopped.sourceUuid);
        }
      } else {
        end.setOutcome(Outcome.TARGET_FAILED);
      }
      end.setMessage(shortened(e)).setWastedBytes(doneBytes);
      LOG.debug("BLOCK* {} not pulled: {}", block, end.getOutcome(), e);
      synchronized (this) {
        committed = true;
      }
      if (partial != null) {
        partial.abort();
      }
    }
    observer.ended(this, end.setSourceCountedBytes(sourceCountedBytes).build());
  }

  private void pull() throws Stop, IOException {
    while (partial == null || doneBytes < block.getNumBytes()) {
      SourceProto source = awaitSource();
      try {
        pullFrom(source);
      } catch (TargetException e) {
        checkStop();
        throw e;
      } catch (IOException e) {
        sourceFailed(source, e);
      }
    }
    commit();
    partial.finish();
  }

  private void pullFrom(SourceProto source) throws Stop, IOException {
    try (SourceStreams opened = new SourceStreams(node, block, source);
        Turns.Visit visit = turns.visit(source, pace, () -> stop != null || rateBytesPerSec == 0 || wanted != source)) {
      begin(opened, source);
      opened.to(source);
      pace.connected(System.nanoTime());
      while (mayGoOn(source)) {
        boolean asksForEachTurn = visit.asksForEachTurn() && !source.equals(hangsUp);
        long turnBytes = visit.turnBytes(rateBytesPerSec, block.getNumBytes() - doneBytes);
        SourceProto from = awaitTurn(visit, asksForEachTurn ? alternatesTo(source) : List.of());
        if (from != null) {
          long bytes = from.equals(source) ? takeTurn(opened, from, visit, turnBytes, asksForEachTurn ? turnBytes : block.getNumBytes())
              : takeTurnElsewhere(opened, from, visit, turnBytes);
          if (partial != null && doneBytes >= block.getNumBytes()) {
            return;
          }
          throttle(visit, bytes);
        }
      }
    } catch (IOException e) {
      if (e instanceof TargetException || doneBytes < block.getNumBytes() || partial == null) {
        throw e;
      }
      LOG.debug("BLOCK* {} is complete, but its source did not say goodbye", block, e);
    } finally {
      pace.disconnected(System.nanoTime());
      synchronized (this) {
        streams = null;
      }
    }
  }

  private List<SourceProto> alternatesTo(SourceProto source) {
    return alternates.stream().filter(alternate -> !alternate.equals(source) && !failedAlternates.contains(alternate)).toList();
  }

  private SourceProto awaitTurn(Turns.Visit visit, List<SourceProto> alternates) throws Stop {
    try {
      return visit.await(alternates);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      checkStop();
      return null;
    }
  }

  /** As {@link #takeTurn}, from another source than the plan's: it is done without if it fails. */
  private long takeTurnElsewhere(SourceStreams opened, SourceProto from, Turns.Visit visit, long turnBytes) throws IOException, Stop {
    long before = doneBytes;
    try {
      servedByOthers |= takeTurn(opened, from, visit, turnBytes, turnBytes) > 0;
    } catch (TargetException e) {
      throw e;
    } catch (IOException e) {
      checkStop();
      checkInterrupt(e);
      opened.drop(from);
      // With another plan all connections are broken off: no fault of the alternate's.
      if (wanted == current || e instanceof CorruptSourceException) {
        failedAlternates.add(from);
        noteFailure(from, e);
      }
    }
    return doneBytes - before;
  }

  /**
   * Receives and appends at least {@code turnBytes}, up to the end of the packet or of the request; nothing if the source has closed the connection
   * meanwhile.
   */
  private long takeTurn(SourceStreams opened, SourceProto from, Turns.Visit visit, long turnBytes, long requestBytes) throws IOException {
    long before = doneBytes;
    try {
      receive(opened.to(from), from, visit, turnBytes, requestBytes);
    } catch (SourceStream.ClosedBetweenRequestsException e) {
      LOG.debug("BLOCK* {}: {} closed the connection at {}", block, from.getHostName(), doneBytes, e);
      opened.drop(from);
      if (e.isHabit() && from.equals(current)) {
        // From now on it is asked for all at once.
        hangsUp = from;
      } else if (e.isHabit()) {
        failedAlternates.add(from);
      }
    } finally {
      visit.ended(doneBytes - before);
    }
    return doneBytes - before;
  }

  private void receive(SourceStream stream, SourceProto from, Turns.Visit visit, long turnBytes, long requestBytes) throws IOException {
    long before = doneBytes;
    if (stream.isRequestDone()) {
      request(stream, requestBytes);
    }
    while (!stream.isRequestDone() && doneBytes - before < turnBytes) {
      stream.receive();
      int bytes = stream.data().remaining();
      if (bytes > 0) {
        partial.append(stream.data(), stream.checksums());
        doneBytes += bytes;
        sourceCountedBytes += visit.isCountedBySource() ? bytes : 0;
        observer.received(bytes);
        visit.received(bytes);
        noteDelivery(from);
      }
      stream.failIfCorrupt();
    }
    if (stream.isRequestDone()) {
      stream.finish();
    }
  }

  private void request(SourceStream stream, long bytes) throws IOException {
    stream.request(doneBytes, bytes);
    if (partial == null) {
      partial = PartialReplica.create(node, storageType, grant.hasStorageId() ? grant.getStorageId() : null, block,
          stream.checksum());
    } else if (!partial.continuesWith(stream.checksum())) {
      throw new IOException("source has another kind of checksums: " + stream.checksum());
    }
  }

  private void throttle(Turns.Visit visit, long bytes) {
    long rate = rateBytesPerSec;
    if (rate > 0) {
      throttler.setBandwidth(Math.max(LEAST_RATE_BYTES_PER_SEC, visit.bandwidthBytesPerSec(rate)));
      throttler.throttle(bytes, throttleBreaker);
    }
  }

  private synchronized void begin(SourceStreams opened, SourceProto source) throws Stop {
    checkStop();
    streams = opened;
    current = source;
    throttler = new DataTransferThrottler(THROTTLE_PERIOD_MS, Math.max(LEAST_RATE_BYTES_PER_SEC, rateBytesPerSec));
  }

  /** What a source delivers clears what was held against it; what others deliver only shows that there is no need to give up. */
  private synchronized void noteDelivery(SourceProto from) {
    if (from.equals(current)) {
      failure = null;
    } else if (failure != null) {
      failure = new Failure(failure.source(), failure.message(), failure.corrupt(), System.nanoTime(), failure.retryNanos());
    }
  }

  /** Waits out a pause. False if the connection is to be given up: for another source, or since the pause is a long one. */
  private synchronized boolean mayGoOn(SourceProto source) throws Stop {
    checkStop();
    while (rateBytesPerSec == 0 && wanted == source) {
      long leftNanos = pausedSinceNanos + TimeUnit.MILLISECONDS.toNanos(PAUSED_CONNECTION_MS) - System.nanoTime();
      if (leftNanos <= 0) {
        return false;
      }
      await(leftNanos);
    }
    return wanted == source;
  }

  /** Waits until there is a rate and a source that has not just failed. */
  private synchronized SourceProto awaitSource() throws Stop {
    while (true) {
      checkStop();
      long nowNanos = System.nanoTime();
      if (failure != null && failure.source() == wanted) {
        long leftNanos = failure.sinceNanos() + TimeUnit.MILLISECONDS.toNanos(SOURCE_PATIENCE_MS) - nowNanos;
        if (leftNanos <= 0) {
          throw new Stop(failure.corrupt() ? Outcome.SOURCE_CORRUPT : Outcome.SOURCE_FAILED, failure.message(),
              wanted.getDatanodeUuid());
        }
        long retryInNanos = failure.corrupt() || rateBytesPerSec == 0 ? leftNanos : failure.retryNanos() - nowNanos;
        if (retryInNanos <= 0) {
          return wanted;
        }
        await(Math.min(leftNanos, retryInNanos));
      } else if (rateBytesPerSec > 0) {
        return wanted;
      } else {
        long leftNanos = pausedSinceNanos + TimeUnit.MILLISECONDS.toNanos(PAUSED_PARTIAL_MS) - nowNanos;
        if (leftNanos <= 0) {
          throw new Stop(Outcome.CANCELLED, "at rate 0 for " + PAUSED_PARTIAL_MS + " ms", null);
        }
        await(leftNanos);
      }
    }
  }

  private void sourceFailed(SourceProto source, IOException e) throws Stop {
    checkStop();
    checkInterrupt(e);
    synchronized (this) {
      if (wanted != source) {
        return;
      }
      long nowNanos = System.nanoTime();
      long sinceNanos = failure != null && failure.source() == source ? failure.sinceNanos() : nowNanos;
      // Each pause is as long as all before.
      long retryNanos = nowNanos + Math.max(TimeUnit.MILLISECONDS.toNanos(FIRST_RETRY_MS), nowNanos - sinceNanos);
      failure = new Failure(source, shortened(e), e instanceof CorruptSourceException, sinceNanos, retryNanos);
    }
    noteFailure(source, e);
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
      LOG.debug("BLOCK* {} stopped at {}: {}", block, doneBytes, source.getHostName(), e);
    }
  }

  private static void checkInterrupt(IOException e) throws Stop {
    if ((e instanceof InterruptedIOException && !(e instanceof SocketTimeoutException)) || e instanceof ClosedByInterruptException) {
      throw interrupted();
    }
  }

  /** From here on the replica becomes final: too late to stop. */
  private synchronized void commit() throws Stop {
    checkStop();
    if (System.nanoTime() - leaseEndNanos >= 0) {
      throw new Stop(Outcome.LEASE_EXPIRED, "not confirmed by the NameNode in time", null);
    }
    committed = true;
  }

  private static String shortened(Throwable e) {
    String message = e.getMessage() == null ? e.toString() : e.getMessage();
    return message.length() <= LONGEST_MESSAGE ? message : message.substring(0, LONGEST_MESSAGE) + "...";
  }

  private void checkStop() throws Stop {
    Stop asked = stop;
    if (asked != null) {
      throw asked;
    }
    if (Thread.currentThread().isInterrupted()) {
      throw interrupted();
    }
  }

  private static Stop interrupted() {
    return new Stop(Outcome.TARGET_FAILED,
        "interrupted by HDFS, which writes a newer generation of the block or gives up the volume", null);
  }

  private void await(long nanos) throws Stop {
    try {
      TimeUnit.NANOSECONDS.timedWait(this, nanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      checkStop();
    }
  }
}
