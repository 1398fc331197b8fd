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
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/** A port of the loopback interface that refuses connections, and that no other process gets meanwhile. */
final class ClosedPort implements Closeable {
  private final Socket bound = new Socket();

  ClosedPort() throws IOException {
    bound.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  int number() {
    return bound.getLocalPort();
  }

  @Override
  public void close() throws IOException {
    bound.close();
  }
}
