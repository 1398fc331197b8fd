/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.protocol.DayuProtos.SourceProto;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;

import java.io.Closeable;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * The connections of one transfer: to the source that the plan names, and to other nodes that have the block, each made when it is first needed. Used
 * by one thread, except for {@link #breakOff}.
 */
final class SourceStreams implements Closeable {
  /** Whoever has just promised a turn is not waited for as long as the plan's source, in whose place the NameNode would name another one. */
  private static final int LONGEST_SILENCE_MS = 3_000;

  private final DataNodeAccess node;
  private final ExtendedBlock block;
  private final SourceProto planned;
  // Guarded by the monitor.
  private final Map<SourceProto, SourceStream> open = new HashMap<>();
  private boolean brokenOff;

  /** Nothing is connected yet. */
  SourceStreams(DataNodeAccess node, ExtendedBlock block, SourceProto planned) {
    this.node = node;
    this.block = block;
    this.planned = planned;
  }

  /**
   * The connection to a source, made now if there is none.
   *
   * @throws IOException if the source cannot be reached
   */
  SourceStream to(SourceProto source) throws IOException {
    SourceStream stream;
    synchronized (this) {
      stream = open.get(source);
    }
    return stream == null ? connect(source) : stream;
  }

  private SourceStream connect(SourceProto source) throws IOException {
    SourceStream stream = new SourceStream(node, source, block);
    synchronized (this) {
      open.put(source, stream);
      if (brokenOff) {
        throw new IOException("broken off before connecting");
      }
    }
    stream.connect(source.equals(planned) ? Integer.MAX_VALUE : LONGEST_SILENCE_MS);
    return stream;
  }

  /** Gives up the connection to a source, if there is one: the next will be a new one. */
  void drop(SourceProto source) {
    SourceStream stream;
    synchronized (this) {
      stream = open.remove(source);
    }
    if (stream != null) {
      stream.close();
    }
  }

  /** Makes a read that blocks in another thread return at once, and all that come after it. */
  synchronized void breakOff() {
    brokenOff = true;
    open.values().forEach(SourceStream::breakOff);
  }

  @Override
  public synchronized void close() {
    open.values().forEach(SourceStream::close);
  }
}
