/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.dayu.protocol.PrintableText;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.protocolPB.ClientNamenodeProtocolPB;
import org.apache.hadoop.hdfs.protocolPB.ClientNamenodeProtocolTranslatorPB;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.ipc.RefreshResponse;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.ipc.StandbyException;
import org.apache.hadoop.ipc.protocolPB.GenericRefreshProtocolClientSideTranslatorPB;
import org.apache.hadoop.ipc.protocolPB.GenericRefreshProtocolPB;
import org.apache.hadoop.net.ConnectTimeoutException;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.KerberosAuthException;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.authorize.AuthorizationException;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import javax.security.sasl.SaslException;

/**
 * Sends one command to one NameNode, as {@code hdfs dfsadmin -refresh} does, or asks it for a file's blocks. Gives up
 * after a timeout of its own, and tries no other NameNode. Safe for use by all threads.
 */
public final class AdminClient {
  private static final int CONNECT_TIMEOUT_MS = 5_000;
  /** A NameNode answers within five seconds, or says that its loop hangs. A garbage collection may make it late. */
  private static final int RPC_TIMEOUT_MS = 15_000;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Configuration conf;
  private final int rpcTimeoutMs;

  /** For people: it says at once that it cannot authenticate. */
  public AdminClient(Configuration conf) {
    this(conf, RPC_TIMEOUT_MS);
    // Hadoop's client would wait up to 5 s before each further attempt.
    this.conf.setInt(CommonConfigurationKeys.IPC_CLIENT_CONNECT_MAX_RETRIES_ON_SASL_KEY, 0);
  }

  /** @param rpcTimeoutMs after which a NameNode that takes the call and does not answer is given up */
  public AdminClient(Configuration conf, int rpcTimeoutMs) {
    this.rpcTimeoutMs = rpcTimeoutMs;
    this.conf = new Configuration(conf);
    // The server's principal under Kerberos.
    this.conf.set(CommonConfigurationKeys.HADOOP_SECURITY_SERVICE_USER_NAME_KEY,
        conf.get(DFSConfigKeys.DFS_NAMENODE_KERBEROS_PRINCIPAL_KEY, ""));
    // Hadoop's client would log each further attempt.
    this.conf.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_KEY, 0);
    this.conf.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_ON_SOCKET_TIMEOUTS_KEY, 0);
    this.conf.setInt(CommonConfigurationKeys.IPC_CLIENT_CONNECT_TIMEOUT_KEY,
        Math.min(CONNECT_TIMEOUT_MS, rpcTimeoutMs));
  }

  /** Calls of one NameNode. */
  private interface Calls<T> {
    T done() throws AdminException, IOException;
  }

  /**
   * The NameNode's answer.
   *
   * @throws AdminException if the command was not done, with one line that names the NameNode and says why
   */
  public JsonNode call(InetSocketAddress address, Command command, String argument) throws AdminException {
    String name = NetUtils.getHostPortString(address);
    String[] arguments = argument.isEmpty() ? new String[] {command.word()} : new String[] {command.word(), argument};
    return answered(name, command.changesState(), () -> {
      try (GenericRefreshProtocolClientSideTranslatorPB client =
          new GenericRefreshProtocolClientSideTranslatorPB(proxy(GenericRefreshProtocolPB.class, address))) {
        for (RefreshResponse response : client.refresh(AdminHandler.IDENTIFIER, arguments)) {
          ExitCode code = ExitCode.of(response.getReturnCode());
          if (code == ExitCode.DONE) {
            return printable(JSON.readTree(response.getSenderName()));
          } else if (code != ExitCode.OTHER_NAMENODE) {
            throw new AdminException(code, name + ": " + PrintableText.of(response.getMessage()));
          }
        }
      }
      throw notActive(name);
    });
  }

  /**
   * The ids of a file's blocks, those that lack replicas first.
   *
   * @param path without scheme and authority
   * @throws AdminException if this NameNode has no such file or is not active, with one line that names the NameNode
   */
  public List<Long> blocksOf(InetSocketAddress address, String path) throws AdminException {
    String name = NetUtils.getHostPortString(address);
    return answered(name, false, () -> {
      try (ClientNamenodeProtocolTranslatorPB client =
          new ClientNamenodeProtocolTranslatorPB(proxy(ClientNamenodeProtocolPB.class, address))) {
        HdfsFileStatus file = client.getFileInfo(path);
        if (file == null || file.isDirectory()) {
          throw new AdminException(ExitCode.REFUSED,
              name + ": " + path + (file == null ? " does not exist" : " is a directory; name a file"));
        }
        List<LocatedBlock> blocks = client.getBlockLocations(path, 0, Long.MAX_VALUE).getLocatedBlocks();
        return blocks.stream().sorted(Comparator.comparing(block -> !lacksReplicas(block, file)))
            .map(block -> block.getBlock().getBlockId()).toList();
      }
    });
  }

  /** Whether a block has fewer replicas, or a block group fewer internal blocks, than it should have. */
  static boolean lacksReplicas(LocatedBlock block, HdfsFileStatus file) {
    if (!(block instanceof LocatedStripedBlock group)) {
      return block.getLocations().length < file.getReplication();
    }
    ErasureCodingPolicy policy = file.getErasureCodingPolicy();
    // A group that is shorter than a stripe has no data in its last internal blocks, so it has none of them.
    long cells = (group.getBlockSize() + policy.getCellSize() - 1) / policy.getCellSize();
    long internalBlocks = Math.min(policy.getNumDataUnits(), cells) + policy.getNumParityUnits();
    BitSet found = new BitSet();
    for (byte index : group.getBlockIndices()) {
      found.set(index);
    }
    return found.cardinality() < internalBlocks;
  }

  /**
   * An answer without what could steer a terminal: paths, hosts and racks have the names that clients, DataNodes and
   * scripts gave them.
   */
  static JsonNode printable(JsonNode answer) {
    if (answer.isTextual()) {
      return TextNode.valueOf(PrintableText.of(answer.asText()));
    } else if (answer instanceof ArrayNode array) {
      ArrayNode copy = JSON.createArrayNode();
      array.forEach(one -> copy.add(printable(one)));
      return copy;
    } else if (answer instanceof ObjectNode object) {
      ObjectNode copy = JSON.createObjectNode();
      object.fields().forEachRemaining(one -> copy.set(PrintableText.of(one.getKey()), printable(one.getValue())));
      return copy;
    }
    return answer;
  }

  private <T> T proxy(Class<T> protocol, InetSocketAddress address) throws IOException {
    RPC.setProtocolEngine(conf, protocol, ProtobufRpcEngine2.class);
    UserGroupInformation user = UserGroupInformation.getCurrentUser();
    // A daemon's ticket may have expired; Hadoop's client renews it only before a further attempt.
    user.checkTGTAndReloginFromKeytab();
    return RPC.getProxy(protocol, RPC.getProtocolVersion(protocol), address, user, conf,
        NetUtils.getDefaultSocketFactory(conf), rpcTimeoutMs);
  }

  private static <T> T answered(String name, boolean changesState, Calls<T> calls) throws AdminException {
    try {
      return calls.done();
    } catch (RemoteException e) {
      throw refused(name, e);
    } catch (IOException e) {
      if (isNotAuthenticated(e)) {
        throw new AdminException(ExitCode.PERMISSION, name + ": " + authenticationFailure(e));
      }
      throw new AdminException(ExitCode.UNREACHABLE,
          name + ": no answer (" + firstLine(e) + "); is the NameNode up, and the address right?"
              + (changesState && mayHaveIt(e) ? " It may still carry the command out when it can; ask by -status"
                  : ""));
    }
  }

  /** Whether Kerberos failed before the call was sent: without a ticket, say. */
  private static boolean isNotAuthenticated(IOException e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof AccessControlException || cause instanceof SaslException
          || cause instanceof KerberosAuthException) {
        return true;
      }
    }
    return false;
  }

  /** Why Kerberos failed. Hadoop says what is wrong with the configured principal only in an inner exception. */
  private static String authenticationFailure(IOException e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof IllegalArgumentException) {
        return firstLine(cause) + "; correct " + DFSConfigKeys.DFS_NAMENODE_KERBEROS_PRINCIPAL_KEY
            + " in this client's hdfs-site.xml";
      }
    }
    return firstLine(e);
  }

  /** Whether the NameNode may have the call: all but failures to connect. */
  private static boolean mayHaveIt(IOException e) {
    return !(e instanceof ConnectException || e instanceof ConnectTimeoutException || e instanceof UnknownHostException
        || e instanceof NoRouteToHostException);
  }

  private static AdminException refused(String name, RemoteException e) {
    IOException cause = e.unwrapRemoteException(AccessControlException.class, AuthorizationException.class);
    if (cause != e) {
      return new AdminException(ExitCode.PERMISSION, name + ": " + firstLine(cause));
    } else if (e.getClassName().equals(StandbyException.class.getName())) {
      return new AdminException(ExitCode.STANDBY, name + ": this NameNode is not active");
    }
    return e.getClassName().equals(IllegalArgumentException.class.getName()) ? notActive(name)
        : new AdminException(ExitCode.REFUSED, name + ": " + firstLine(e));
  }

  private static AdminException notActive(String name) {
    return new AdminException(ExitCode.NOT_ACTIVE,
        name + ": Dayu is not active on this NameNode, stock HDFS re-replicates; its log says why in a"
            + " line that begins with 'Dayu is NOT active', or dfs.namenode.plugins does not name Dayu");
  }

  private static String firstLine(Throwable e) {
    String message = e.getMessage() == null ? e.toString() : e.getMessage();
    return PrintableText.of(message.lines().findFirst().orElse(e.toString()));
  }
}
