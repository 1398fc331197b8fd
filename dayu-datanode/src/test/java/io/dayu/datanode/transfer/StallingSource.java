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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Stands between a target and its source for one connection. It passes on what the source sends up to a number of
 * bytes; from then on nothing, or one byte every 20 ms. Safe for use by all threads.
 */
final class StallingSource implements Closeable {
  private static final long PAUSE_MS = 20;

  private final ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
  private final int sourcePort;
  private final int bytes;
  private final boolean trickles;
  private final CountDownLatch stalled = new CountDownLatch(1);
  private final CountDownLatch targetGone = new CountDownLatch(1);

  StallingSource(int sourcePort, int bytes, boolean trickles) throws IOException {
    this.sourcePort = sourcePort;
    this.bytes = bytes;
    this.trickles = trickles;
    start(this::serve, "stalling-source");
  }

  private static void start(Runnable body, String name) {
    Thread thread = new Thread(body, name);
    thread.setDaemon(true);
    thread.start();
  }

  int port() {
    return server.getLocalPort();
  }

  /** Whether the first bytes have all been passed on. */
  boolean hasStalled() {
    return stalled.getCount() == 0;
  }

  /** Whether the target has closed its connection. */
  boolean isTargetGone() {
    return targetGone.getCount() == 0;
  }

  private void serve() {
    try (Socket target = server.accept(); Socket source = new Socket(server.getInetAddress(), sourcePort)) {
      start(() -> passRequests(target, source), "stalling-source-requests");
      InputStream in = source.getInputStream();
      OutputStream out = target.getOutputStream();
      out.write(in.readNBytes(bytes));
      stalled.countDown();
      while (!targetGone.await(PAUSE_MS, TimeUnit.MILLISECONDS)) {
        if (trickles) {
          out.write(in.read());
        }
      }
    } catch (IOException | InterruptedException e) {
      // The target or the test has ended the connection.
    }
  }

  private void passRequests(Socket target, Socket source) {
    try {
      target.getInputStream().transferTo(source.getOutputStream());
    } catch (IOException e) {
      // A reset ends it as well.
    } finally {
      targetGone.countDown();
    }
  }

  @Override
  public void close() throws IOException {
    targetGone.countDown();
    server.close();
  }
}
