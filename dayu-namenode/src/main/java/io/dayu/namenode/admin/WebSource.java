/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.admin;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dayu.admin.AdminCaller;
import io.dayu.admin.AdminException;
import io.dayu.admin.AdminOperations;
import io.dayu.admin.AdminRequest;
import io.dayu.admin.CheckedOperations;
import io.dayu.admin.Command;
import io.dayu.admin.ExitCode;
import io.dayu.conf.Setting;
import io.dayu.namenode.monitor.RecoveryHistory;
import io.dayu.namenode.status.RecoveryState;
import io.dayu.web.DayuServlet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * What the web page shows of this NameNode, and the page's commands. A command runs on the active NameNode first, then
 * on this one if it stands by, then on the others: on this NameNode with the rights of the page's user, on its peers
 * with the rights of this NameNode, which is a superuser there. Thread-safe; called by threads of the HTTP server.
 */
public final class WebSource implements DayuServlet.Source {
  private static final Logger LOG = LoggerFactory.getLogger(WebSource.class);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final AdminOperations operations;
  private final Supplier<List<Map<String, Object>>> settings;
  private final CheckedOperations checked;
  private final RecoveryHistory history;
  private final List<PeerControlSync.Peer> peers;
  private final boolean readOnly;

  /**
   * @param settings every setting with its value and where that comes from
   * @param readOnly whether commands of the page are refused
   */
  public WebSource(AdminOperations operations, Supplier<List<Map<String, Object>>> settings, CheckedOperations checked,
      RecoveryHistory history, List<PeerControlSync.Peer> peers, boolean readOnly) {
    this.operations = operations;
    this.settings = settings;
    this.checked = checked;
    this.history = history;
    this.peers = peers;
    this.readOnly = readOnly;
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
  public Map<String, Object> peers() {
    List<Map<String, Object>> pages = new ArrayList<>();
    for (PeerControlSync.Peer peer : peers) {
      pages.add(AdminViews.ordered("namenode", peer.name(), "page", peer.page() == null ? "" : peer.page()));
    }
    return Map.of("peers", pages);
  }

  @Override
  public boolean mayChangeState(AdminCaller caller) {
    try {
      checked.check(caller);
      return !readOnly;
    } catch (AdminException e) {
      return false;
    }
  }

  @Override
  public List<Map<String, Object>> changeState(Command command, CheckedOperations.Argument argument,
      AdminCaller caller) throws AdminException {
    return checked.run(command, () -> {
      if (readOnly) {
        throw new AdminException(ExitCode.PERMISSION,
            "the page is read-only here (" + Setting.WEB_READ_ONLY.key() + "); run hdfs dayu");
      }
      return argument.read();
    }, caller, given -> changeState(command, given, caller.name()));
  }

  private List<Map<String, Object>> changeState(Command command, String argument, String user) throws AdminException {
    // Others see this NameNode as the caller, so the note says who it was.
    String forPeers = command == Command.SET || command == Command.DEADLINE ? argument
        : (argument + " (" + user + ", by way of the web page)").trim();
    List<Map<String, Object>> answers = new ArrayList<>();
    Map<String, Object> status = operations.run(new AdminRequest(Command.STATUS, "", user));
    PeerControlSync.Peer active = isActive(status.get("state")) ? null : activePeer();
    if (active != null) {
      answers.add(ask(active, command, forPeers, true));
    }
    boolean accepted = active != null && !answers.get(0).containsKey("error");
    answers.add(0, runHere(new AdminRequest(command, argument, user), accepted ? status.get("namenode") : null));
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
  private Map<String, Object> runHere(AdminRequest request, Object standby) throws AdminException {
    try {
      return operations.run(request);
    } catch (AdminException e) {
      if (standby == null) {
        throw e;
      }
      return AdminViews.ordered("namenode", standby, "error", standby + ": " + e.getMessage());
    } catch (RuntimeException e) {
      throw new AdminException(ExitCode.REFUSED, "the command failed on the NameNode: " + e);
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
      return AdminViews.ordered("namenode", peer.name(), "error", e.getMessage());
    }
  }
}
