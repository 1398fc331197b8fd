/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.ipc;

import java.util.Map;

/**
 * Looks at the protocols that an RPC server serves ({@code RPC.Server.getProtocolImplMap}, package-private). No state.
 *
 * <p>The map is a plain HashMap that running handlers read without a lock. An entry added to a table that does not grow
 * is safe for them; a table that grows is not. Hadoop sizes it for 12 entries.
 */
public final class RpcServerAccess {
  private static final int ENTRIES_BEFORE_GROWTH = 12;

  private RpcServerAccess() {
  }

  /** Whether one more protocol can be added to a server that is already answering calls. */
  public static boolean hasRoomForProtocol(RPC.Server server) {
    Map<?, ?> protocols = server.getProtocolImplMap(RPC.RpcKind.RPC_PROTOCOL_BUFFER);
    return protocols.size() < ENTRIES_BEFORE_GROWTH;
  }
}
