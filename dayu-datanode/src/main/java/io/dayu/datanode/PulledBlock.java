/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.datanode;

import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;

import java.io.IOException;
import java.util.function.IntConsumer;

/**
 * What a transfer has of its block: the partial replica, from the first bytes on, and how far it is. Filled, finished and aborted by the transfer's
 * thread only; how far it is any thread may ask.
 */
final class PulledBlock {
  private final DataNodeAccess node;
  private final ExtendedBlock block;
  private final StorageType storageType;
  private final String preferredStorageId;

  private volatile PartialReplica partial;
  private volatile long doneBytes;
  private volatile long sourceCountedBytes;

  /** @param preferredStorageId the volume to prefer; null for any of the type */
  PulledBlock(DataNodeAccess node, ExtendedBlock block, StorageType storageType, String preferredStorageId) {
    this.node = node;
    this.block = block;
    this.storageType = storageType;
    this.preferredStorageId = preferredStorageId;
  }

  long doneBytes() {
    return doneBytes;
  }

  /** Of what is done, how much sources have counted themselves. Never more than what is done, so to be read before it. */
  long sourceCountedBytes() {
    return sourceCountedBytes;
  }

  long restBytes() {
    return block.getNumBytes() - doneBytes;
  }

  /** Whether all is there; an empty block has to be asked for too. */
  boolean isComplete() {
    return partial != null && doneBytes >= block.getNumBytes();
  }

  /** Where the replica is, or null if there is none yet. */
  String storageId() {
    PartialReplica replica = partial;
    return replica == null ? null : replica.storageId();
  }

  /**
   * Receives and appends at least {@code turnBytes}, up to the end of the packet or of the request.
   *
   * @param requestBytes how much to ask for where the last request has been answered
   * @param countedBySource whether the source counts by itself what it sends
   * @param received told of each packet's bytes when they are safe
   * @throws TargetException if something on our own node went wrong
   * @throws IOException if the source failed
   */
  void receive(SourceStream stream, long turnBytes, long requestBytes, boolean countedBySource, IntConsumer received) throws IOException {
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
        sourceCountedBytes += countedBySource ? bytes : 0;
        received.accept(bytes);
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
      partial = PartialReplica.create(node, storageType, preferredStorageId, block, stream.checksum());
    } else if (!partial.continuesWith(stream.checksum())) {
      throw new IOException("source has another kind of checksums: " + stream.checksum());
    }
  }

  /** Makes the complete replica a finalized one and tells the NameNodes. */
  void finish() throws TargetException {
    partial.finish();
  }

  /** Removes every trace. Never throws. */
  void abort() {
    if (partial != null) {
      partial.abort();
    }
  }
}
