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
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * What the plugin needs of a NameNode beyond its public methods. No state.
 *
 * <p>Touches {@code NameNode.getConf}, {@code NameNode.getRpcServer}, {@code NameNodeRpcServer.getServiceRpcServer},
 * {@code FSNamesystem.checkSuperuserPrivilege}, {@code FSNamesystem.isAuditEnabled} and
 * {@code FSNamesystem.getAuditLoggers}, without locks; and {@code FSNamesystem.getLeaseManager} and
 * {@code LeaseManager.getINodeIdWithLeases}, under the monitor of the leases.
 */
public final class NameNodeAccess {
  private NameNodeAccess() {
  }

  public static Configuration configuration(NameNode nameNode) {
    return nameNode.getConf();
  }

  /**
   * Checks that the caller of the present RPC or, outside of one, the present user is a superuser, as dfsadmin's
   * commands do.
   *
   * @throws org.apache.hadoop.security.AccessControlException if not
   */
  public static void checkSuperuser(NameNode nameNode) throws IOException {
    nameNode.getNamesystem().checkSuperuserPrivilege();
  }

  /**
   * Records a command in HDFS's audit log, as HDFS itself does for commands that come by RPC.
   *
   * @param caller as HDFS writes its users, with the real user of a proxy user
   * @param address of the caller; null if it is not known
   * @param argument recorded as {@code src}
   * @param refusal recorded as {@code dst}; null if it was done
   */
  public static void audit(NameNode nameNode, boolean allowed, String caller, InetAddress address,
      String command, String argument, String refusal) {
    FSNamesystem namesystem = nameNode.getNamesystem();
    if (namesystem.isAuditEnabled()) {
      for (AuditLogger logger : namesystem.getAuditLoggers()) {
        logger.logAuditEvent(allowed, caller, address, command, argument, refusal, null);
      }
    }
  }

  /** The ids of all files that are being written. */
  public static List<Long> openFiles(FSNamesystem namesystem) {
    LeaseManager leases = namesystem.getLeaseManager();
    synchronized (leases) {
      return List.copyOf(leases.getINodeIdWithLeases());
    }
  }

  /** Every member of Hadoop that this class touches and that Hadoop does not publish. */
  public static HadoopInternals addRequired(HadoopInternals required) {
    return required.method(FSNamesystem.class, "checkSuperuserPrivilege")
        .method(FSNamesystem.class, "isAuditEnabled").method(FSNamesystem.class, "getAuditLoggers")
        .method(FSNamesystem.class, "getLeaseManager").method(LeaseManager.class, "getINodeIdWithLeases");
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
