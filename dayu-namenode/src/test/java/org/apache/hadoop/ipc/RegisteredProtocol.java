/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.ipc;

import org.apache.hadoop.thirdparty.protobuf.BlockingService;

/** The implementation of a protocol on a Hadoop RPC server, for tests that put another one in its place. No state. */
public final class RegisteredProtocol {
  private RegisteredProtocol() {
  }

  public static BlockingService of(RPC.Server server, Class<?> protocol) {
    RPC.Server.ProtoNameVer name =
        new RPC.Server.ProtoNameVer(RPC.getProtocolName(protocol), RPC.getProtocolVersion(protocol));
    return (BlockingService) server.getProtocolImplMap(RPC.RpcKind.RPC_PROTOCOL_BUFFER).get(name).protocolImpl;
  }
}
