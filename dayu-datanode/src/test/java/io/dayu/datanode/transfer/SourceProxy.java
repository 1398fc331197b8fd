/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import org.apache.hadoop.io.IOUtils;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;

/**
 * Stands between targets and a source, for any number of connections. It passes on requests as they are, and responses
 * in one of four ways that do harm. Safe for use by all threads.
 */
final class SourceProxy implements Closeable {
  private static final int MAX_BACKLOG = 50;
  private static final int STEP_BYTES = 16 << 10;
  private static final long PAUSE_MS = 20;

  /** What a connection does with the source's responses; it ends after that. */
  private interface Responses {
    void pass(Connection connection) throws IOException, InterruptedException;
  }

  private final ServerSocket server = new ServerSocket(0, MAX_BACKLOG, InetAddress.getLoopbackAddress());
  private final int sourcePort;
  private final Responses responses;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final AtomicInteger limited = new AtomicInteger();
  private final AtomicInteger left = new AtomicInteger();

  private SourceProxy(int sourcePort, Responses responses) throws IOException {
    this.sourcePort = sourcePort;
    this.responses = responses;
    start(this::accept, "source-proxy");
  }

  /**
   * Breaks connections off.
   *
   * @param bytes asked for each connection: after how many
   */
  static SourceProxy breaking(int sourcePort, IntSupplier bytes) throws IOException {
    return new SourceProxy(sourcePort, connection -> connection.pass(bytes.getAsInt(), Long.MAX_VALUE));
  }

  /** Passes on everything, but slowly. */
  static SourceProxy slow(int sourcePort, long bytesPerSec) throws IOException {
    return new SourceProxy(sourcePort, connection -> connection.pass(Integer.MAX_VALUE, bytesPerSec));
  }

  /** After a number of bytes it passes on nothing more, or one byte every 20 ms. */
  static SourceProxy stalling(int sourcePort, int bytes, boolean trickles) throws IOException {
    return new SourceProxy(sourcePort, connection -> {
      connection.pass(bytes, Long.MAX_VALUE);
      connection.hold(trickles);
    });
  }

  /** Keeps the last byte back, so that a target has all of the block and waits for the empty packet at the end. */
  static SourceProxy unending(int sourcePort) throws IOException {
    return new SourceProxy(sourcePort, Connection::passAllButTheLastByte);
  }

  int port() {
    return server.getLocalPort();
  }

  /** On how many connections the bytes that they were to pass on have all been passed on. */
  int limited() {
    return limited.get();
  }

  /** How many connections the targets have closed. */
  int left() {
    return left.get();
  }

  private static void start(Runnable body, String name) {
    Thread thread = new Thread(body, name);
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket target = server.accept();
        start(() -> serve(target), "source-proxy-responses");
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void serve(Socket target) {
    open.add(target);
    try (target; Socket source = new Socket(server.getInetAddress(), sourcePort)) {
      Connection connection = new Connection(target, source);
      start(connection::passRequests, "source-proxy-requests");
      responses.pass(connection);
    } catch (IOException | InterruptedException e) {
      // The target or the test has ended the connection.
    } finally {
      open.remove(target);
    }
  }

  /** Between one target and the source. */
  private final class Connection {
    private final Socket target;
    private final Socket source;
    private final CountDownLatch targetGone = new CountDownLatch(1);

    private Connection(Socket target, Socket source) {
      this.target = target;
      this.source = source;
    }

    private void passRequests() {
      try {
        target.getInputStream().transferTo(source.getOutputStream());
        source.shutdownOutput();
      } catch (IOException reset) {
        IOUtils.closeSocket(source);
      } finally {
        left.incrementAndGet();
        targetGone.countDown();
      }
    }

    private void pass(int bytes, long bytesPerSec) throws IOException, InterruptedException {
      if (bytesPerSec < Long.MAX_VALUE) {
        source.setReceiveBufferSize(STEP_BYTES);
      }
      InputStream in = source.getInputStream();
      OutputStream out = target.getOutputStream();
      byte[] buffer = new byte[STEP_BYTES];
      int missing = bytes;
      while (missing > 0) {
        int read = in.read(buffer, 0, Math.min(missing, buffer.length));
        if (read < 0) {
          return;
        }
        out.write(buffer, 0, read);
        missing -= read;
        if (bytesPerSec < Long.MAX_VALUE) {
          Thread.sleep(read * 1_000L / bytesPerSec);
        }
      }
      limited.incrementAndGet();
    }

    private void hold(boolean trickles) throws IOException, InterruptedException {
      while (!targetGone.await(PAUSE_MS, TimeUnit.MILLISECONDS)) {
        if (trickles) {
          target.getOutputStream().write(source.getInputStream().read());
        }
      }
    }

    private void passAllButTheLastByte() throws IOException {
      InputStream in = source.getInputStream();
      OutputStream out = target.getOutputStream();
      byte[] buffer = new byte[STEP_BYTES];
      int kept = 0;
      for (int read = in.read(buffer); read > 0; read = in.read(buffer, kept, buffer.length - kept)) {
        out.write(buffer, 0, kept + read - 1);
        buffer[0] = buffer[kept + read - 1];
        kept = 1;
      }
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
