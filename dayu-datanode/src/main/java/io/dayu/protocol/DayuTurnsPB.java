/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.protocol;

import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.ipc.ProtocolInfo;
import org.apache.hadoop.security.KerberosInfo;

/**
 * The RPC protocol between agents: targets ask sources for turns. Carried by the RPC server of the source's DataNode.
 *
 * <p>It goes by the name of HDFS's InterDatanodeProtocol under a version number of its own, as {@link DayuProtocolPB} goes by that of
 * DatanodeProtocol and for the same reasons: agents are let in by {@code security.inter.datanode.protocol.acl} and the DataNode's principal.
 */
@KerberosInfo(serverPrincipal = DFSConfigKeys.DFS_DATANODE_KERBEROS_PRINCIPAL_KEY,
    clientPrincipal = DFSConfigKeys.DFS_DATANODE_KERBEROS_PRINCIPAL_KEY)
@ProtocolInfo(protocolName = DayuTurnsPB.NAME, protocolVersion = DayuTurnsPB.VERSION)
public interface DayuTurnsPB extends DayuProtos.DayuTurnsService.BlockingInterface {
  String NAME = "org.apache.hadoop.hdfs.server.protocol.InterDatanodeProtocol";

  /** Version of the protocol, which both sides must have; also what keeps us apart from HDFS's own protocol of the same name. */
  long VERSION = 74_001;
}
