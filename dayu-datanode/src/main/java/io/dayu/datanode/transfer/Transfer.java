/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.protocol.DayuProtos.FinishedTransferProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.RunningTransferProto;
import io.dayu.protocol.DayuProtos.SourceProto;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.apache.hadoop.util.DataChecksum;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.function.IntConsumer;

/**
 * Pulls one block onto this DataNode: from the first byte to "block received", or to the removal of the partial
 * replica. It runs on a thread of its own, which ends on interrupt: HDFS interrupts and joins a replica's writer before
 * it removes the replica. All other methods may be called by any thread.
 *
 * <p>{@link TransferControl} holds the grant and has the transfer wait until it may continue; {@link PulledBlock} holds
 * what it has received. If a later grant names another source, the transfer continues from there at the same offset.
 * Until it is started it is queued, and has received nothing.
 */
final class Transfer implements GrantedTransfer, Runnable {
  private static final int MAX_MESSAGE = 300;

  private static final Logger LOG = LoggerFactory.getLogger(Transfer.class);

  private final DataNodeAccess node;
  private final GrantProto grant;
  private final ExtendedBlock block;
  private final IntConsumer onReceived;
  private final Listener onEnd;
  private final NodeShaper shaper;
  private final Thread thread;
  private final TransferControl control;
  private final PulledBlock pulled;
  private final AchievedRate achieved;
  /** The connection that brought the last bytes, until the source has been told so; the transfer's thread's own. */
  private SourceStream last;

  /**
   * @param nowNs when the report was sent that the grant answers, by System.nanoTime()
   * @param disks to be told of each write
   * @param onReceived called with the bytes of each packet, on the transfer's thread
   * @param onEnd called on the transfer's thread
   * @throws IllegalArgumentException if the grant names no known storage type
   */
  Transfer(DataNodeAccess node, String blockPoolId, GrantProto grant, long nowNs, NodeShaper shaper,
      DiskActivity disks, IntConsumer onReceived, Listener onEnd) {
    this.node = node;
    this.grant = grant;
    this.block = new ExtendedBlock(blockPoolId, grant.getBlock().getBlockId(), grant.getBlock().getNumBytes(),
        grant.getBlock().getGenerationStamp());
    this.pulled = new PulledBlock(node, block, StorageType.valueOf(grant.getStorageType()),
        grant.hasStorageId() ? grant.getStorageId() : null, disks::wrote);
    this.shaper = shaper;
    this.onReceived = onReceived;
    this.onEnd = onEnd;
    this.achieved = new AchievedRate(nowNs);
    this.thread = new Thread(this, "dayu-transfer-" + block.getLocalBlock());
    this.thread.setDaemon(true);
    this.control = new TransferControl(grant, nowNs, thread, shaper.in());
  }

  @Override
  public void start() {
    thread.start();
  }

  @Override
  public void join(long millis) throws InterruptedException {
    thread.join(Math.max(1, millis));
  }

  @Override
  public long attempt() {
    return grant.getAttempt();
  }

  @Override
  public boolean isStopping() {
    return control.isStopRequested();
  }

  @Override
  public void update(GrantProto newer, long nowNs) {
    control.update(newer, nowNs);
  }

  @Override
  public void stop(Outcome outcome, String why) {
    control.stop(outcome, why);
  }

  @Override
  public boolean isLeaseOver(long nowNs) {
    return control.isLeaseOver(nowNs);
  }

  @Override
  public void measure(long nowNs) {
    achieved.measure(pulled.doneBytes(), nowNs);
  }

  @Override
  public FinishedTransferProto endUnstarted(Outcome outcome, String message) {
    return FinishedTransferProto.newBuilder().setAttempt(grant.getAttempt()).setBlockId(block.getBlockId())
        .setOutcome(outcome).setMessage(String.valueOf(message)).build();
  }

  @Override
  public RunningTransferProto report() {
    RunningTransferProto.Builder report = RunningTransferProto.newBuilder().setAttempt(grant.getAttempt())
        .setBlock(grant.getBlock()).setDoneBytes(pulled.doneBytes()).setAchievedBytesPerSec(achieved.bytesPerSec())
        .setStorageType(grant.getStorageType());
    control.describe(report);
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
      SourceProto source = control.current();
      LOG.info("Received {} size {} from {} ({}) for Dayu", block, block.getNumBytes(), source.getHostName(),
          source.getIpAddress());
    } catch (Throwable e) {
      if (e instanceof TransferControl.StopException stopped) {
        end.setOutcome(stopped.outcome());
        if (stopped.sourceUuid() != null) {
          end.setSourceUuid(stopped.sourceUuid());
        }
      } else {
        end.setOutcome(Outcome.TARGET_FAILED);
      }
      end.setMessage(shortened(e)).setWastedBytes(pulled.doneBytes());
      LOG.debug("BLOCK* {} not pulled: {}", block, end.getOutcome(), e);
      control.abandon();
      pulled.abort();
    } finally {
      onEnd.ended(end.build());
    }
    answerSource();
  }

  /**
   * Tells the source that all went well, once the replica is there: the source ends the read only when its link has
   * room, and nobody should wait for that.
   */
  private void answerSource() {
    if (last != null) {
      try (SourceStream stream = last) {
        stream.finish();
      } catch (IOException e) {
        LOG.debug("BLOCK* {} is complete, but its source did not end the read", block, e);
      }
    }
  }

  private void pull() throws TransferControl.StopException, IOException {
    while (!pulled.isComplete()) {
      SourceProto source = control.awaitSource();
      try {
        pullFrom(source);
      } catch (TargetException e) {
        control.checkStop();
        throw e;
      } catch (IOException e) {
        control.checkStop(e);
        if (control.failed(source, shortened(e), e instanceof CorruptSourceException)) {
          noteFailure(source, e);
        }
      }
    }
    control.commit();
    pulled.finish();
  }

  private SourceStream connection(SourceProto source) {
    return new SourceStream(node, source, block, shaper.receiveBuffer(),
        shaper.lowerEffort().isOn() && !control.isOnlySource());
  }

  /** Asks the only source for the replica's files before it is read; see {@link SourceStream#probe}. */
  private void probe(SourceProto source) throws TransferControl.StopException, IOException {
    try (SourceStream stream = connection(source)) {
      control.begin(stream, source);
      stream.probe();
    } finally {
      control.end();
    }
  }

  /**
   * Accepts bytes without checksums only if the replica was written without: otherwise the new replica would not be
   * verified.
   */
  private void refuseIfUnverified(SourceStream open, SourceProto source)
      throws TransferControl.StopException, IOException {
    if (open.checksum().getChecksumType() == DataChecksum.Type.NULL) {
      try (SourceStream second = connection(source)) {
        control.begin(second, source);
        DataChecksum.Type stored = second.storedChecksumType();
        if (stored != DataChecksum.Type.NULL) {
          throw new IOException("source sends no checksums, though its replica has " + stored);
        }
      }
      control.begin(open, source);
    }
  }

  private long restBytes() {
    return block.getNumBytes() - pulled.doneBytes();
  }

  private void pullFrom(SourceProto source) throws TransferControl.StopException, IOException {
    if (control.isOnlySource()) {
      probe(source);
    }
    SourceStream stream = connection(source);
    try {
      control.begin(stream, source);
      shaper.activity().markActive();
      if (!control.awaitRoom(source, restBytes())) {
        return;
      }
      stream.open(pulled.doneBytes());
      refuseIfUnverified(stream, source);
      pulled.begin(stream);
      while (!pulled.isComplete() && control.mayContinue(source)) {
        shaper.activity().markActive();
        if (!control.awaitRoom(source, restBytes())) {
          continue;
        }
        int bytes = pulled.receive(stream);
        if (bytes > 0) {
          control.received(bytes);
          onReceived.accept(bytes);
          control.delivered();
        }
        stream.failIfCorrupt();
        if (!pulled.isComplete()) {
          control.throttle(bytes);
        }
      }
    } finally {
      control.end();
      if (pulled.isComplete()) {
        last = stream;
      } else {
        stream.close();
      }
    }
  }

  /**
   * Reports a corrupt replica to the NameNode. After any other failure the source's own DataNode has to find out
   * whether its replica is bad.
   */
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
    return message.length() <= MAX_MESSAGE ? message : message.substring(0, MAX_MESSAGE) + "...";
  }
}
