/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The TCP connections that this process has open, by Linux's {@code /proc}; elsewhere none are known. No state.
 *
 * <p>A table that does not fit in one read may have a line twice, since connections come and go between two reads.
 */
final class OpenConnections {
  private static final Path FILES = Path.of("/proc/self/fd");
  private static final List<Path> TABLES = List.of(Path.of("/proc/self/net/tcp"), Path.of("/proc/self/net/tcp6"));
  private static final int LOCAL = 1;
  private static final int REMOTE = 2;
  private static final int STATE = 3;
  private static final int INODE = 9;
  private static final String LISTENING = "0A";

  /**
   * One end of a connection, which may be under way or closed by the other end.
   *
   * @param state as Linux writes it: 01 established, 02 connecting, 08 closed by the other end, 0A listening
   */
  record Connection(int localPort, int remotePort, String state) {
    private boolean isListening() {
      return state.equals(LISTENING);
    }
  }

  private OpenConnections() {
  }

  /**
   * The connections of transfers: all but those of this process's servers and to them. The DataNodes' servers for
   * transfers do not count as servers here.
   */
  static List<Connection> ofTransfers(Set<Integer> transferPorts) throws IOException {
    List<Connection> all = all();
    Set<Integer> others =
        all.stream().filter(Connection::isListening).map(Connection::localPort).collect(Collectors.toSet());
    others.removeAll(transferPorts);
    return all.stream().filter(one -> !one.isListening() && !others.contains(one.localPort())
        && !others.contains(one.remotePort())).toList();
  }

  private static List<Connection> all() throws IOException {
    Set<String> own = sockets();
    List<Connection> all = new ArrayList<>();
    for (Path table : TABLES) {
      if (Files.isReadable(table)) {
        all.addAll(in(Files.readAllLines(table), own));
      }
    }
    return all;
  }

  /** Those of a table's lines that belong to one of these sockets, each socket once. */
  static Collection<Connection> in(List<String> lines, Set<String> sockets) {
    Map<String, Connection> bySocket = new LinkedHashMap<>();
    for (String line : lines) {
      String[] fields = line.trim().split("\\s+");
      if (fields.length > INODE) {
        String socket = "socket:[" + fields[INODE] + "]";
        if (sockets.contains(socket)) {
          bySocket.put(socket, new Connection(port(fields[LOCAL]), port(fields[REMOTE]), fields[STATE]));
        }
      }
    }
    return bySocket.values();
  }

  /** What this process's file descriptors of sockets refer to. */
  private static Set<String> sockets() throws IOException {
    Set<String> sockets = new HashSet<>();
    if (Files.isDirectory(FILES)) {
      try (Stream<Path> descriptors = Files.list(FILES)) {
        for (Path descriptor : descriptors.toList()) {
          try {
            sockets.add(Files.readSymbolicLink(descriptor).toString());
          } catch (IOException closedMeanwhile) {
            // No longer open.
          }
        }
      }
    }
    return sockets;
  }

  private static int port(String address) {
    return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1), 16);
  }
}
