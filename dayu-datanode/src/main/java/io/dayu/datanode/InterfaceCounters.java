/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import org.apache.hadoop.io.IOUtils;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** The two counters of one network interface. Used by one thread at a time. */
final class InterfaceCounters implements Closeable {
  private final Counter in;
  private final Counter out;
  private long lastIn;
  private long lastOut;
  private long addedIn;
  private long addedOut;

  private InterfaceCounters(Counter in, Counter out) {
    this.in = in;
    this.out = out;
  }

  /** Opens the counters of the interface, and reads them once. */
  static InterfaceCounters open(Path one) throws IOException {
    Counter in = Counter.open(one.resolve("statistics/rx_bytes"));
    Counter out = null;
    try {
      out = Counter.open(one.resolve("statistics/tx_bytes"));
      InterfaceCounters opened = new InterfaceCounters(in, out);
      opened.lastIn = in.read();
      opened.lastOut = out.read();
      return opened;
    } catch (IOException e) {
      IOUtils.cleanupWithLogger(null, in, out);
      throw e;
    }
  }

  @Override
  public void close() {
    IOUtils.cleanupWithLogger(null, in, out);
  }

  /** Reads both counters. If that fails, nothing was added. */
  void read() throws IOException {
    long nowIn = in.read();
    long nowOut = out.read();
    // A counter that runs backwards has been reset.
    addedIn = Math.max(0, nowIn - lastIn);
    addedOut = Math.max(0, nowOut - lastOut);
    lastIn = nowIn;
    lastOut = nowOut;
  }

  long lastIn() {
    return lastIn;
  }

  long lastOut() {
    return lastOut;
  }

  /** Bytes received between the last two readings. */
  long addedIn() {
    return addedIn;
  }

  /** Bytes sent between the last two readings. */
  long addedOut() {
    return addedOut;
  }

  /**
   * A file that holds a number which changes. It stays open: it is read a hundred times a second while there is
   * recovery.
   */
  private static final class Counter implements Closeable {
    private static final int MAX_DIGITS = 32;

    private final Path path;
    private final FileChannel file;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(MAX_DIGITS);

    private Counter(Path path, FileChannel file) {
      this.path = path;
      this.file = file;
    }

    static Counter open(Path path) throws IOException {
      return new Counter(path, FileChannel.open(path));
    }

    long read() throws IOException {
      buffer.clear();
      file.read(buffer, 0);
      buffer.flip();
      long value = 0;
      boolean hasDigits = false;
      while (buffer.hasRemaining()) {
        byte next = buffer.get();
        if (next >= '0' && next <= '9') {
          value = 10 * value + (next - '0');
          hasDigits = true;
        } else if (!Character.isWhitespace(next)) {
          throw new IOException(path + " holds no number");
        }
      }
      if (!hasDigits) {
        throw new IOException(path + " holds no number");
      }
      return value;
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
