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

/**
 * A source that never ends a read: it passes on what a DataNode sends but for the last byte, so that the target has all
 * of the block and waits for the empty packet at the end. Serves one connection. Safe for use by all threads.
 */
final class UnendingSource implements Closeable {
  private final ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
  private final int sourcePort;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();

  UnendingSource(int sourcePort) throws IOException {
    this.sourcePort = sourcePort;
    start(this::serve, "unending-source");
  }

  private static void start(Runnable body, String name) {
    Thread thread = new Thread(body, name);
    thread.setDaemon(true);
    thread.start();
  }

  int port() {
    return server.getLocalPort();
  }

  private void serve() {
    try (Socket target = server.accept(); Socket source = new Socket(server.getInetAddress(), sourcePort)) {
      open.add(target);
      open.add(source);
      start(() -> passRequests(target, source), "unending-source-requests");
      InputStream in = source.getInputStream();
      OutputStream out = target.getOutputStream();
      byte[] buffer = new byte[1 << 16];
      int kept = 0;
      for (int read = in.read(buffer); read > 0; read = in.read(buffer, kept, buffer.length - kept)) {
        out.write(buffer, 0, kept + read - 1);
        buffer[0] = buffer[kept + read - 1];
        kept = 1;
      }
    } catch (IOException e) {
      // The target or the test has ended the connection.
    }
  }

  private void passRequests(Socket target, Socket source) {
    try {
      target.getInputStream().transferTo(source.getOutputStream());
      source.close();
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
