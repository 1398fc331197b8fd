/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;

/**
 * Stands between targets and a source, for any number of connections: passes on what the source sends, but slowly, or
 * up to a number of bytes after which it breaks the connection. Safe for use by all threads.
 */
final class BreakingSource implements Closeable {
  private static final int STEP_BYTES = 16 << 10;

  private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final int sourcePort;
  private final IntSupplier bytes;
  private final long bytesPerSec;
  private final AtomicInteger broken = new AtomicInteger();
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();

  private BreakingSource(int sourcePort, IntSupplier bytes, long bytesPerSec) throws IOException {
    this.sourcePort = sourcePort;
    this.bytes = bytes;
    this.bytesPerSec = bytesPerSec;
    start(this::accept, "breaking-source");
  }

  /** @param bytes asked for each connection: after how many it breaks */
  static BreakingSource breaking(int sourcePort, IntSupplier bytes) throws IOException {
    return new BreakingSource(sourcePort, bytes, Long.MAX_VALUE);
  }

  static BreakingSource slow(int sourcePort, long bytesPerSec) throws IOException {
    return new BreakingSource(sourcePort, () -> Integer.MAX_VALUE, bytesPerSec);
  }

  private static void start(Runnable body, String name) {
    Thread thread = new Thread(body, name);
    thread.setDaemon(true);
    thread.start();
  }

  int port() {
    return server.getLocalPort();
  }

  /** How many connections have been broken. */
  int broken() {
    return broken.get();
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket target = server.accept();
        start(() -> serve(target), "breaking-source-connection");
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void serve(Socket target) {
    try (target; Socket source = new Socket(server.getInetAddress(), sourcePort)) {
      open.add(target);
      open.add(source);
      if (bytesPerSec < Long.MAX_VALUE) {
        source.setReceiveBufferSize(STEP_BYTES);
      }
      start(() -> passRequests(target, source), "breaking-source-requests");
      InputStream in = source.getInputStream();
      OutputStream out = target.getOutputStream();
      byte[] buffer = new byte[STEP_BYTES];
      int left = bytes.getAsInt();
      while (left > 0) {
        int read = in.read(buffer, 0, Math.min(left, buffer.length));
        if (read < 0) {
          return;
        }
        out.write(buffer, 0, read);
        left -= read;
        if (bytesPerSec < Long.MAX_VALUE) {
          Thread.sleep(read * 1_000L / bytesPerSec);
        }
      }
      broken.incrementAndGet();
    } catch (IOException | InterruptedException e) {
      // The target or the test has ended the connection.
    } finally {
      open.remove(target);
    }
  }

  private void passRequests(Socket target, Socket source) {
    try {
      target.getInputStream().transferTo(source.getOutputStream());
      source.shutdownOutput();
    } catch (IOException e) {
      // A reset ends it as well.
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
    for (Socket socket : open) {
      socket.close();
    }
  }
}
