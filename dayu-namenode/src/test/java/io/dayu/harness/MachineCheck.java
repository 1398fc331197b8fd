/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Says in one line what this machine lacks for an embedded cluster, before Hadoop fails in its own way. Thread-safe,
 * having no state.
 */
public final class MachineCheck {
  /** Each of the test JVMs has a cluster at a time, and few of them hold more than 100 MB. */
  private static final long MIN_ROOM_BYTES = 1L << 30;
  private static final byte[] LOOPBACK = {127, 0, 0, 1};

  private MachineCheck() {
  }

  /**
   * @param directory where the cluster will be
   * @throws IllegalStateException if this machine cannot hold a cluster there
   */
  static void check(Path directory) throws IOException {
    requireLoopback(LOOPBACK);
    requirePlainPath(directory);
    requireRoom(directory, MIN_ROOM_BYTES);
  }

  /** Daemons of an embedded cluster listen on 127.0.0.1, on a machine with IPv6 only as well. */
  static void requireLoopback(byte[] address) throws IOException {
    InetAddress loopback = InetAddress.getByAddress(address);
    try (ServerSocket socket = new ServerSocket(0, 1, loopback)) {
      socket.getLocalPort();
    } catch (IOException e) {
      throw new IllegalStateException("an embedded cluster needs IPv4 on the loopback interface, and nothing can "
          + "listen on " + loopback.getHostAddress() + " (" + e.getMessage() + ")", e);
    }
  }

  /**
   * False where a URI escapes a sign of the path, such as a space: a DataNode does not start there. Its FsDatasetCache
   * takes the URI for a format, in which {@code %20d}, a space and a d, wants an argument.
   */
  public static boolean canHoldDataNodes(Path directory) {
    return directory.toAbsolutePath().toFile().toURI().getRawPath().indexOf('%') < 0;
  }

  static void requirePlainPath(Path directory) {
    if (!canHoldDataNodes(directory)) {
      throw new IllegalStateException("an embedded cluster needs a directory whose path has no space and no other sign "
          + "that a URI escapes, and this is " + directory.toAbsolutePath());
    }
  }

  static void requireRoom(Path directory, long minBytes) throws IOException {
    long room = Files.getFileStore(directory).getUsableSpace();
    if (room < minBytes) {
      throw new IllegalStateException("an embedded cluster needs " + (minBytes >> 20) + " MB, and the file system of "
          + directory.toAbsolutePath() + " has " + (room >> 20) + " MB left");
    }
  }
}
