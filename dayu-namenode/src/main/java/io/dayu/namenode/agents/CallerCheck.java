/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.agents;

import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.UserGroupInformation.AuthenticationMethod;

/**
 * Checks whether a caller may report as the agent of a DataNode: it must call from the DataNode's registered address
 * and, under Kerberos, as the DataNodes' principal. Immutable. With service authorization the ACL of DatanodeProtocol
 * applies as well, but Hadoop checks that when a connection begins, and not for each call.
 *
 * <p>Each DataNode has its own host in its principal. A NameNode's setting may name the principal of one host: its
 * service and realm count, as with {@code _HOST}. Where authorization is on, HDFS itself refuses all other hosts.
 */
public final class CallerCheck {
  /** {@code service/host@REALM}; host and realm may be absent. */
  private record Principal(String service, String host, String realm) {
    static Principal of(String name) {
      String[] ofRealm = name.split("@", 2);
      String[] ofHost = ofRealm[0].split("/", 2);
      return new Principal(ofHost[0], ofHost.length > 1 ? ofHost[1] : "", ofRealm.length > 1 ? ofRealm[1] : "");
    }

    /** Whether this is the principal of some DataNode, where {@code pattern} is what they are configured with. */
    boolean matches(Principal pattern) {
      return host.isEmpty() == pattern.host.isEmpty() && service.equals(pattern.service) && realm.equals(pattern.realm);
    }
  }

  private final String datanodePrincipal;

  /** @param datanodePrincipal {@code dfs.datanode.kerberos.principal}, or null */
  public CallerCheck(String datanodePrincipal) {
    this.datanodePrincipal = datanodePrincipal;
  }

  /**
   * Under Kerberos: refuses a caller that is not authenticated as a DataNode by its own ticket. A proxy user or a token
   * is not enough.
   *
   * @param caller as Hadoop has authenticated it
   */
  void checkPrincipal(UserGroupInformation caller) throws AccessControlException {
    String name = caller == null ? "nobody" : caller.getUserName();
    boolean ownTicket = caller != null && caller.getAuthenticationMethod() == AuthenticationMethod.KERBEROS;
    if (!ownTicket || datanodePrincipal == null || !Principal.of(name).matches(Principal.of(datanodePrincipal))) {
      throw new AccessControlException(name + " is not the DataNode's principal " + datanodePrincipal);
    }
  }

  /**
   * @param registered the address of the DataNode
   * @param caller the address of the caller, or null
   */
  static void checkAddress(String datanodeUuid, String registered, String caller) throws AccessControlException {
    if (!registered.equals(caller)) {
      throw new AccessControlException("DataNode " + datanodeUuid + " is not registered from " + caller);
    }
  }
}
