/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.datanode.transfer.TransferControl.StopException;
import io.dayu.protocol.DayuProtos.SourceProto;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.apache.hadoop.util.DataChecksum;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.function.IntConsumer;

/**
 * Reads what a {@link Sink} lacks from one source after the other, as a {@link TransferControl.Source} says: from
 * another one when the one before has failed or a grant names another, each time from where the sink is. Shaped packet
 * by packet. Used by one thread.
 */
final class SourceReader {
  private static final int MAX_MESSAGE = 300;

  private static final Logger LOG = LoggerFactory.getLogger(SourceReader.class);

  /** What the bytes are for. All methods are called on the reader's thread. */
  interface Sink {
    /** The block to ask this source for. */
    ExtendedBlock block(SourceProto source);

    /** Another connection is about to be made, to this source. */
    void begin(SourceProto source) throws InterruptedException;

    /** Where the next byte belongs; at the start of a chunk when a connection is about to be made. */
    long offset();

    /** Bytes that are still to come from the present source. */
    long restBytes();

    boolean isComplete();

    /**
     * The source has been opened at {@link #offset}.
     *
     * @throws IOException if the source cannot be used
     * @throws TargetException if something on our own node went wrong
     */
    void opened(SourceStream stream) throws IOException;

    /**
     * Takes the verified bytes of a packet. May wait for room.
     *
     * @throws TargetException if something on our own node went wrong
     */
    void take(SourceStream stream) throws TargetException, InterruptedException;

    /** All bytes are there; the sink now owns the connection. */
    void completed(SourceStream stream);
  }

  private final DataNodeAccess node;
  private final TransferControl transfer;
  private final TransferControl.Source control;
  private final NodeShaper shaper;
  private final int sharers;
  private final IntConsumer onReceived;
  private final Sink sink;

  /**
   * @param sharers how many readers of the transfer receive at once
   * @param onReceived called with the bytes of each packet
   */
  SourceReader(DataNodeAccess node, TransferControl transfer, TransferControl.Source control, NodeShaper shaper,
      int sharers, IntConsumer onReceived, Sink sink) {
    this.node = node;
    this.transfer = transfer;
    this.control = control;
    this.shaper = shaper;
    this.sharers = sharers;
    this.onReceived = onReceived;
    this.sink = sink;
  }

  /**
   * Returns when the sink is complete.
   *
   * @throws StopException if the transfer must end
   * @throws TargetException if something on our own node went wrong
   */
  void read() throws StopException, TargetException {
    while (!sink.isComplete()) {
      SourceProto source = control.awaitSource();
      try {
        readFrom(source);
      } catch (TargetException e) {
        transfer.checkStop();
        throw e;
      } catch (IOException e) {
        transfer.checkStop(e);
        if (control.failed(source, shortened(e), e instanceof CorruptSourceException)) {
          noteFailure(source, e);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        transfer.checkStop();
      }
    }
  }

  private SourceStream connection(SourceProto source) {
    return new SourceStream(node, source, sink.block(source), shaper.receiveBuffer(), sharers,
        transfer.isOnlySource() ? null : shaper.marking(), transfer.isAtHighestRisk());
  }

  /** Asks the only source for the replica's files before it is read; see {@link SourceStream#probe}. */
  private void probe(SourceProto source) throws StopException, IOException {
    try (SourceStream stream = connection(source)) {
      control.begin(stream, source);
      control.asks(System.nanoTime());
      stream.probe();
    } finally {
      control.end();
    }
  }

  /**
   * Accepts bytes without checksums only if the replica was written without: otherwise the new replica would not be
   * verified.
   */
  private void refuseIfUnverified(SourceStream open, SourceProto source) throws StopException, IOException {
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

  private void readFrom(SourceProto source) throws StopException, IOException, InterruptedException {
    sink.begin(source);
    if (sink.isComplete()) {
      return;
    }
    if (transfer.isOnlySource()) {
      probe(source);
    }
    SourceStream stream = connection(source);
    try {
      control.begin(stream, source);
      shaper.activity().markActive();
      if (!control.awaitRoom(source, sink.restBytes())) {
        return;
      }
      control.asks(System.nanoTime());
      stream.open(sink.offset());
      refuseIfUnverified(stream, source);
      control.answered();
      sink.opened(stream);
      while (!sink.isComplete() && control.mayContinue(source)) {
        shaper.activity().markActive();
        if (control.awaitRoom(source, sink.restBytes())) {
          receive(stream);
        }
      }
    } finally {
      control.end();
      if (sink.isComplete()) {
        sink.completed(stream);
      } else {
        stream.close();
      }
    }
  }

  private void receive(SourceStream stream) throws IOException, InterruptedException {
    stream.receive();
    int bytes = stream.data().remaining();
    if (bytes > 0) {
      sink.take(stream);
      control.received(bytes);
      onReceived.accept(bytes);
      control.delivered();
    }
    stream.failIfCorrupt();
    if (!sink.isComplete()) {
      control.throttle(bytes);
    }
  }

  /**
   * Reports a corrupt replica to the NameNode. After any other failure the source's own DataNode has to find out
   * whether its replica is bad.
   */
  private void noteFailure(SourceProto source, IOException e) {
    ExtendedBlock block = sink.block(source);
    if (e instanceof CorruptSourceException) {
      LOG.warn("BLOCK* {} is corrupt on {}: {}", block, source.getHostName(), e.getMessage());
      try {
        node.reportBadReplica(SourceStream.describe(source), block);
      } catch (IOException notReported) {
        LOG.warn("BLOCK* cannot report the corrupt replica of {} on {}", block, source.getHostName(), notReported);
      }
    } else {
      LOG.debug("BLOCK* {} stopped at {}: {}", block, sink.offset(), source.getHostName(), e);
    }
  }

  /** What an exception says, short enough for a report. */
  static String shortened(Throwable e) {
    String message = e.getMessage() == null ? e.toString() : e.getMessage();
    return message.length() <= MAX_MESSAGE ? message : message.substring(0, MAX_MESSAGE) + "...";
  }
}
