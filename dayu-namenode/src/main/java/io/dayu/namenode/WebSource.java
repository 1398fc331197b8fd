/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dayu.admin.AdminException;
import io.dayu.admin.AdminOperations;
import io.dayu.admin.AdminRequest;
import io.dayu.admin.CheckedOperations;
import io.dayu.admin.Command;
import io.dayu.admin.ExitCode;
import io.dayu.namenode.status.RecoveryState;
import io.dayu.web.DayuServlet;
import org.apache.hadoop.security.UserGroupInformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * What the web page shows of this NameNode, and the page's commands. A command runs on the active NameNode first, then
 * on this one if it stands by, then on the others: on this NameNode with the rights of the page's user, on its peers
 * with the rights of this NameNode, which is a superuser there. Thread-safe; called by threads of the HTTP server.
 */
final class WebSource implements DayuServlet.Source {
  private static final Logger LOG = LoggerFactory.getLogger(WebSource.class);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final AdminOperations operations;
  private final Supplier<List<Map<String, Object>>> settings;
  private final CheckedOperations checked;
  private final RecoveryHistory history;
  private final List<PeerControlSync.Peer> peers;

  /** @param settings every setting with its value and where that comes from */
  WebSource(AdminOperations operations, Supplier<List<Map<String, Object>>> settings, CheckedOperations checked,
      RecoveryHistory history, List<PeerControlSync.Peer> peers) {
    this.operations = operations;
    this.settings = settings;
    this.checked = checked;
    this.history = history;
    this.peers = peers;
  }

  @Override
  public AdminOperations operations() {
    return operations;
  }

  @Override
  public Map<String, Object> history() {
    return history.view();
  }

  @Override
  public Map<String, Object> settings() {
    return Map.of("settings", settings.get());
  }

  @Override
  public boolean mayChangeState(UserGroupInformation caller) {
    try {
      as(caller, () -> {
        checked.check(Command.PAUSE, caller.getShortUserName());
        return null;
      });
      return true;
    } catch (AdminException e) {
      return false;
    }
  }

  @Override
  public List<Map<String, Object>> changeState(Command command, String argument, UserGroupInformation caller)
      throws AdminException {
    String user = caller.getShortUserName();
    // Others see this NameNode as the caller, so the note says who it was.
    String forPeers = command == Command.SET ? argument : (argument + " (" + user + ", by way of the web page)").trim();
    List<Map<String, Object>> answers = new ArrayList<>();
    PeerControlSync.Peer active;
    try {
      as(caller, () -> {
        checked.check(command, user);
        return null;
      });
      Map<String, Object> status = operations.run(new AdminRequest(Command.STATUS, "", ""));
      active = isActive(status.get("state")) ? null : activePeer();
      if (active != null) {
        answers.add(ask(active, command, forPeers, true));
      }
      boolean accepted = active != null && !answers.get(0).containsKey("error");
      answers.add(0, runHere(command, argument, caller, accepted ? status.get("namenode") : null));
    } catch (AdminException e) {
      LOG.info("Dayu: {} by {}, by way of the web page, is refused: {}", command.word(), user, e.getMessage());
      throw e;
    }
    LOG.info("Dayu: {} by {}, by way of the web page", command.word(), user);
    for (PeerControlSync.Peer peer : peers) {
      if (peer != active) {
        answers.add(ask(peer, command, forPeers, false));
      }
    }
    return answers;
  }

  /**
   * This NameNode's answer.
   *
   * @param standby this NameNode's name if the active one has accepted the command: then a failure here is an answer.
   *     Else null
   */
  private Map<String, Object> runHere(Command command, String argument, UserGroupInformation caller, Object standby)
      throws AdminException {
    try {
      return as(caller, () -> checked.run(command, argument, caller.getShortUserName()));
    } catch (AdminException e) {
      if (standby == null) {
        throw e;
      }
      return AdminService.ordered("namenode", standby, "error", standby + ": " + e.getMessage());
    }
  }

  /**
   * The active NameNode among the peers, or null. Only the active one knows whether it can do a command.
   *
   * @throws AdminException if none is known to be active and one cannot be asked: what is changed here alone would come
   *     into force at a failover
   */
  private PeerControlSync.Peer activePeer() throws AdminException {
    AdminException failure = null;
    for (PeerControlSync.Peer peer : peers) {
      try {
        if (isActive(peer.call(Command.STATUS, "").path("state").asText())) {
          return peer;
        }
      } catch (AdminException e) {
        LOG.debug("Dayu: NameNode {} gives no status", peer.name(), e);
        failure = e;
      }
    }
    if (failure != null) {
      throw new AdminException(failure.code(), failure.getMessage()
          + "; nothing was changed: this NameNode is not active, and the active one cannot be asked");
    }
    return null;
  }

  private static boolean isActive(Object state) {
    return !RecoveryState.STANDBY.name().equals(state);
  }

  /** The peer's answer, or why it has not done the command. */
  private static Map<String, Object> ask(PeerControlSync.Peer peer, Command command, String argument,
      boolean mustNotRefuse) throws AdminException {
    try {
      return JSON.convertValue(peer.call(command, argument), new TypeReference<>() {});
    } catch (AdminException e) {
      if (mustNotRefuse && e.code() == ExitCode.REFUSED) {
        throw e;
      }
      return AdminService.ordered("namenode", peer.name(), "error", e.getMessage());
    }
  }

  private static <T> T as(UserGroupInformation caller, PrivilegedExceptionAction<T> work) throws AdminException {
    try {
      return caller.doAs(work);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AdminException(ExitCode.REFUSED, "the NameNode is stopping");
    } catch (IOException | RuntimeException e) {
      if (e.getCause() instanceof AdminException refused) {
        throw refused;
      }
      throw new AdminException(ExitCode.REFUSED, "the command failed on the NameNode: " + e);
    }
  }
}
