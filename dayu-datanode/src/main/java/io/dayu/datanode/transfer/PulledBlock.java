/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.datanode.transfer.TransferControl.StopException;
import io.dayu.protocol.DayuProtos.RunningTransferProto;
import io.dayu.protocol.DayuProtos.SourceProto;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.function.IntConsumer;

/** A replica that is copied from one source at a time, on the transfer's thread. */
final class PulledBlock implements ReplicaContent, SourceReader.Sink {
  private static final Logger LOG = LoggerFactory.getLogger(PulledBlock.class);

  private final IncomingReplica replica;
  private final TransferControl.Source source;
  private final SourceReader reader;
  /** The connection that brought the last bytes, until the source has been told so; the transfer's thread's own. */
  private SourceStream last;

  /** @param onReceived called with the bytes of each packet, on the transfer's thread */
  PulledBlock(DataNodeAccess node, TransferControl control, NodeShaper shaper, IncomingReplica replica,
      IntConsumer onReceived) {
    this.replica = replica;
    this.source = control.sources().get(0);
    this.reader = new SourceReader(node, control, source, shaper, 1, onReceived, this);
  }

  @Override
  public void receive() throws StopException, IOException {
    reader.read();
  }

  @Override
  public ExtendedBlock block(SourceProto from) {
    return replica.block();
  }

  @Override
  public void begin(SourceProto from) {
    // It goes on where the replica ends, whoever the source is.
  }

  @Override
  public long offset() {
    return replica.doneBytes();
  }

  @Override
  public long restBytes() {
    return replica.restBytes();
  }

  @Override
  public boolean isComplete() {
    return replica.isComplete();
  }

  @Override
  public void opened(SourceStream stream) throws IOException {
    replica.begin(stream.checksum());
  }

  @Override
  public void take(SourceStream stream) throws TargetException {
    replica.append(stream.data(), stream.checksums());
  }

  @Override
  public void completed(SourceStream stream) {
    last = stream;
  }

  @Override
  public void finish() throws TargetException {
    replica.finish();
  }

  @Override
  public void abort() {
    replica.abort();
  }

  /**
   * Tells the source that all went well, once the replica is there: the source ends the read only when its link has
   * room, and nobody should wait for that.
   */
  @Override
  public void close() {
    if (last != null) {
      try (SourceStream stream = last) {
        stream.finish();
      } catch (IOException e) {
        LOG.debug("BLOCK* {} is complete, but its source did not end the read", replica.block(), e);
      }
    }
  }

  @Override
  public long doneBytes() {
    return replica.doneBytes();
  }

  @Override
  public long receivedBytes() {
    return replica.doneBytes();
  }

  @Override
  public void measure(long nowNs) {
    // There is one source, so nothing to compare.
  }

  @Override
  public void describe(RunningTransferProto.Builder report) {
    // Its source stands in every report.
  }

  @Override
  public String origin() {
    SourceProto from = source.current();
    return from.getHostName() + " (" + from.getIpAddress() + ")";
  }
}
