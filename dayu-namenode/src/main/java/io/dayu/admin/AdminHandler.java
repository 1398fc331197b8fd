/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.admin;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dayu.protocol.PrintableText;
import org.apache.hadoop.ipc.RefreshHandler;
import org.apache.hadoop.ipc.RefreshRegistry;
import org.apache.hadoop.ipc.RefreshResponse;
import org.apache.hadoop.ipc.Server;
import org.apache.hadoop.security.UserGroupInformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.Closeable;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Takes admins' commands: a handler of Hadoop's {@code GenericRefreshProtocol} on the NameNode's own RPC server.
 * {@code hdfs dayu} calls it, and so may {@code hdfs dfsadmin -refresh <host:port> dayu <command>}. Hadoop
 * authenticates the caller; this class checks that the caller is a superuser, since Hadoop does not. Thread-safe;
 * called by RPC handlers, one at a time.
 */
public final class AdminHandler implements RefreshHandler, Closeable {
  /** What the handler is registered as. */
  public static final String IDENTIFIER = "dayu";

  private static final Logger LOG = LoggerFactory.getLogger(AdminHandler.class);
  private static final ObjectMapper JSON = new ObjectMapper();
  /** Of a command that is not known. */
  private static final int MAX_SHOWN = 200;

  private final CheckedOperations operations;
  private final Predicate<Server> ours;

  /**
   * @param ours whether an RPC server is this NameNode's: the registry is one for the whole process, which may hold
   *     several NameNodes in tests
   */
  public AdminHandler(CheckedOperations operations, Predicate<Server> ours) {
    this.operations = operations;
    this.ours = ours;
  }

  /** Takes commands from now on. */
  public void open() {
    RefreshRegistry.defaultRegistry().register(IDENTIFIER, this);
  }

  @Override
  public void close() {
    RefreshRegistry.defaultRegistry().unregister(IDENTIFIER, this);
  }

  @Override
  public RefreshResponse handleRefresh(String identifier, String[] arguments) {
    if (!ours.test(Server.get())) {
      return new AdminResponse(ExitCode.OTHER_NAMENODE, "for another NameNode of this process", "");
    }
    try {
      Command command = command(arguments);
      AdminCaller caller = caller();
      Map<String, Object> answer = operations.run(command,
          String.join(" ", Arrays.asList(arguments).subList(1, arguments.length)).trim(), caller);
      return new AdminResponse(ExitCode.DONE, command.word() + " by " + caller.name(),
          JSON.writeValueAsString(answer));
    } catch (AdminException e) {
      return new AdminResponse(e.code(), PrintableText.of(e.getMessage()), "");
    } catch (JsonProcessingException | RuntimeException e) {
      LOG.error("Dayu: the command {} failed", shown(arguments), e);
      return new AdminResponse(ExitCode.REFUSED, "the command failed on the NameNode: " + e + "; its log has the trace",
          "");
    }
  }

  private static Command command(String[] arguments) throws AdminException {
    Command command = arguments.length == 0 ? null : Command.of(arguments[0]);
    if (command == null) {
      throw new AdminException(ExitCode.USAGE, "this version of Dayu has no command '" + shown(arguments)
          + "'; the client may be of a newer version");
    }
    return command;
  }

  private static String shown(String[] arguments) {
    return PrintableText.of(String.join(" ", arguments), MAX_SHOWN);
  }

  /** As Hadoop's RPC has authenticated it. */
  private static AdminCaller caller() {
    UserGroupInformation caller = Server.getRemoteUser();
    return new AdminCaller(caller == null ? UserGroupInformation.createRemoteUser("unknown") : caller,
        Server.getRemoteIp(), caller != null);
  }
}
