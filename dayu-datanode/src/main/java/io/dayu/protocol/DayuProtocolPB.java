/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.protocol;

import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.io.erasurecode.ErasureCodeConstants;
import org.apache.hadoop.ipc.ProtocolInfo;
import org.apache.hadoop.security.KerberosInfo;

import java.util.Set;

/**
 * The RPC protocol between agents and NameNodes, carried by the NameNode's own RPC server.
 *
 * <p>It has the name of HDFS's DatanodeProtocol and a version number of its own: Hadoop dispatches by (name, version)
 * and authorizes by name, so agents are let in by {@code security.datanode.protocol.acl} and the DataNode's principal,
 * also after {@code -refreshServiceAcl}, and no entry of ours is needed in {@code hadoop-policy.xml}.
 */
@KerberosInfo(serverPrincipal = DFSConfigKeys.DFS_NAMENODE_KERBEROS_PRINCIPAL_KEY,
    clientPrincipal = DFSConfigKeys.DFS_DATANODE_KERBEROS_PRINCIPAL_KEY)
@ProtocolInfo(protocolName = DayuProtocolPB.NAME, protocolVersion = DayuProtocolPB.VERSION)
public interface DayuProtocolPB extends DayuProtos.DayuProtocolService.BlockingInterface {
  String NAME = "org.apache.hadoop.hdfs.server.protocol.DatanodeProtocol";

  /**
   * Version of the protocol, which must be the same on both sides. It also distinguishes ours from HDFS's own protocol
   * of the same name.
   */
  long VERSION = 74_001;

  /**
   * Revision of the messages, for people who read them. Neither side decides by it: each field says what its absence
   * means.
   */
  int REVISION = 2;

  /**
   * Codecs of erasure coding that each agent has that rebuilds: Hadoop's own. Reports name the others; those of agents
   * of an older version name none.
   */
  Set<String> HADOOPS_CODECS = Set.of(ErasureCodeConstants.RS_CODEC_NAME, ErasureCodeConstants.RS_LEGACY_CODEC_NAME,
      ErasureCodeConstants.XOR_CODEC_NAME);

  /** A report may name so many of the others. */
  int MAX_CODECS = 100;

  /** After this time an agent gives up connecting to a NameNode. */
  int CONNECT_TIMEOUT_MS = 10_000;

  /** An agent that could not report tries again after this time at most. */
  int MAX_RETRY_MS = 10_000;

  /**
   * The same where the NameNode runs without Dayu. It is longer, since that NameNode logs a stack trace for each call.
   * A NameNode that has started with Dayu waits as long for first reports.
   */
  int MAX_UNKNOWN_RETRY_MS = 30_000;
}
