/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import org.apache.hadoop.io.IOUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import java.io.Closeable;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** {@link ResourceLeaks} would see a connection that has a file descriptor and no thread. */
@Timeout(60)
@EnabledOnOs(OS.LINUX)
class OpenConnectionsTest {
  /** More than a backlog of one takes. */
  private static final int CONNECTING = 8;
  private static final String SYN_SENT = "02";

  private final List<Closeable> opened = new ArrayList<>();

  @AfterEach
  void close() {
    IOUtils.cleanupWithLogger(null, opened.toArray(new Closeable[0]));
  }

  private ServerSocket server() throws IOException {
    try {
      ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
      opened.add(server);
      return server;
    } catch (BindException e) {
      throw new IllegalStateException("tests need IPv4 on the loopback interface, and nothing can listen on "
          + InetAddress.getLoopbackAddress().getHostAddress() + " (" + e.getMessage() + ")", e);
    }
  }

  private static List<OpenConnections.Connection> to(ServerSocket server, Set<Integer> transferPorts)
      throws IOException {
    int port = server.getLocalPort();
    return OpenConnections.ofTransfers(transferPorts).stream().filter(one -> one.remotePort() == port).toList();
  }

  @Test
  void connection_isSeenUntilItIsClosed() throws IOException {
    ServerSocket source = server();
    Set<Integer> transferPorts = Set.of(source.getLocalPort());
    assertEquals(List.of(), to(source, transferPorts));
    try (Socket target = new Socket(source.getInetAddress(), source.getLocalPort())) {
      assertTrue(target.isConnected());
      assertEquals(1, to(source, transferPorts).size());
    }
    assertEquals(List.of(), to(source, transferPorts));
  }

  @Test
  void connectionToAnotherServerOfThisProcess_isNotOne_unlessTheServerIsGone() throws IOException {
    ServerSocket other = server();
    try (Socket client = new Socket(other.getInetAddress(), other.getLocalPort())) {
      assertTrue(client.isConnected());
      assertEquals(List.of(), to(other, Set.of()));
      other.accept().close();
      other.close();
      assertEquals(1, to(other, Set.of()).size());
    }
  }

  @Test
  void connectionThatIsUnderWay_isSeen() throws IOException {
    ServerSocket full = server();
    Set<Integer> transferPorts = Set.of(full.getLocalPort());
    for (int i = 0; i < CONNECTING; i++) {
      SocketChannel target = SocketChannel.open();
      opened.add(target);
      target.configureBlocking(false);
      target.connect(new InetSocketAddress(full.getInetAddress(), full.getLocalPort()));
    }
    List<OpenConnections.Connection> seen = to(full, transferPorts);
    assertEquals(CONNECTING, seen.size());
    assertTrue(seen.stream().anyMatch(one -> one.state().equals(SYN_SENT)), seen::toString);
  }

  @Test
  void lineThatTheTableHasTwice_isOneConnection() {
    String line = "  19: 0100007F:8929 0100007F:94BA 01 00000000:00000000 02:000AFBBC 00000000     0        0 %d 3 0";
    String first = line.formatted(661779);
    String second = line.formatted(655117);
    assertEquals(2, OpenConnections.in(List.of(first, second, first, second, line.formatted(7)),
        Set.of("socket:[661779]", "socket:[655117]")).size());
  }
}
