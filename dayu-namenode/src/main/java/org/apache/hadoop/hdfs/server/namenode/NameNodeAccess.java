/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.namenode;

import io.dayu.blocks.HadoopInternals;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.ipc.RPC;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What the plugin needs of a NameNode beyond its public methods. No state.
 *
 * <p>Touches {@code NameNode.getConf}, {@code NameNode.getRpcServer}, {@code NameNodeRpcServer.getServiceRpcServer} and
 * {@code FSNamesystem.checkSuperuserPrivilege}, without locks.
 */
public final class NameNodeAccess {
  private NameNodeAccess() {
  }

  public static Configuration configuration(NameNode nameNode) {
    return nameNode.getConf();
  }

  /**
   * Checks that the caller of the present RPC is a superuser, as dfsadmin's commands do; a refusal is in the audit log.
   *
   * @throws org.apache.hadoop.security.AccessControlException if not
   */
  public static void checkSuperuser(NameNode nameNode, String operation) throws IOException {
    nameNode.getNamesystem().checkSuperuserPrivilege(operation);
  }

  /** Every member of Hadoop that this class touches and that Hadoop does not publish. */
  public static HadoopInternals addRequired(HadoopInternals required) {
    return required.method(FSNamesystem.class, "checkSuperuserPrivilege", String.class);
  }

  /** The servers that DataNodes may call: the client server and, where configured, the service server. */
  public static List<RPC.Server> rpcServers(NameNode nameNode) {
    NameNodeRpcServer rpc = (NameNodeRpcServer) nameNode.getRpcServer();
    List<RPC.Server> servers = new ArrayList<>();
    servers.add(rpc.getClientRpcServer());
    if (rpc.getServiceRpcServer() != null) {
      servers.add(rpc.getServiceRpcServer());
    }
    return servers;
  }
}
