/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.dayu.admin.AdminCaller;
import io.dayu.admin.AdminException;
import io.dayu.admin.AdminOperations;
import io.dayu.admin.CheckedOperations;
import io.dayu.admin.Command;
import io.dayu.admin.ExitCode;
import io.dayu.namenode.monitor.RecoveryHistory;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.Test;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The commands of the web page, with NameNodes that record the commands that they receive. */
class WebSourceTest {
  private static final AdminCaller ALICE =
      new AdminCaller(UserGroupInformation.createRemoteUser("alice"), InetAddress.getLoopbackAddress(), false);

  /** Who gave which command, and why it was refused. */
  private final List<String> audited = new ArrayList<>();
  private final List<String> received = new ArrayList<>();
  private String state = "DAYU";
  /** Why the command fails on this NameNode; null if it does not. */
  private AdminException failureHere;

  private PeerControlSync.Peer peer(String name, boolean up) {
    return new PeerControlSync.Peer() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public JsonNode call(Command command, String argument) throws AdminException {
        if (!up) {
          throw new AdminException(ExitCode.UNREACHABLE, name + ": no answer");
        }
        received.add(name + " " + command.word() + " " + argument);
        return command == Command.STATUS ? JsonNodeFactory.instance.objectNode().put("state", "STANDBY")
            : JsonNodeFactory.instance.objectNode().put("namenode", name);
      }
    };
  }

  /** Only alice is a superuser. */
  private WebSource source(PeerControlSync.Peer... peers) {
    return source(false, peers);
  }

  private WebSource source(boolean readOnly, PeerControlSync.Peer... peers) {
    AdminOperations operations = request -> {
      if (request.command() == Command.STATUS) {
        return Map.of("namenode", "nn1", "state", state);
      } else if (failureHere != null) {
        throw failureHere;
      }
      received.add("nn1 " + request.command().word() + " " + request.argument() + " by " + request.user());
      return Map.of("namenode", "nn1");
    };
    CheckedOperations checked = new CheckedOperations(operations, () -> {
      if (!UserGroupInformation.getCurrentUser().getShortUserName().equals("alice")) {
        throw new AccessControlException("no superuser");
      }
    }, (caller, command, argument, refusal) -> audited.add(caller.name() + " " + command.word() + " " + argument
        + (refusal == null ? "" : ", refused: " + refusal)));
    return new WebSource(operations, List::of, checked, new RecoveryHistory(), List.of(peers), readOnly);
  }

  /** A standby's page is no all-clear: it has links to the pages that may know more. */
  @Test
  void peers_haveTheirPages() {
    PeerControlSync.Peer withPage = new PeerControlSync.Peer() {
      @Override
      public String name() {
        return "nn3";
      }

      @Override
      public String page() {
        return "http://nn3:9870/dayu/";
      }

      @Override
      public JsonNode call(Command command, String argument) {
        throw new IllegalStateException("not asked");
      }
    };
    assertEquals(Map.of("peers", List.of(Map.of("namenode", "nn2", "page", ""),
        Map.of("namenode", "nn3", "page", "http://nn3:9870/dayu/"))), source(peer("nn2", true), withPage).peers());
  }

  @Test
  void command_goesToEveryNameNode_withTheAdminsName() throws AdminException {
    List<Map<String, Object>> answers = source(peer("nn2", true)).changeState(Command.PAUSE, () -> "backup", ALICE);
    assertEquals(List.of("nn1 pause backup by alice", "nn2 pause backup (alice, by way of the web page)"), received);
    assertEquals(List.of(Map.of("namenode", "nn1"), Map.of("namenode", "nn2")), answers);
    received.clear();
    source(peer("nn2", true)).changeState(Command.SET, () -> "a=b", ALICE);
    assertEquals(List.of("nn1 set a=b by alice", "nn2 set a=b"), received);
  }

  @Test
  void namenodeThatIsDown_isNamed_andOthersAreTold() throws AdminException {
    List<Map<String, Object>> answers =
        source(peer("nn2", false), peer("nn3", true)).changeState(Command.RESUME, () -> "", ALICE);
    assertEquals("nn2: no answer", answers.get(1).get("error"));
    assertEquals(List.of("namenode", "error"), List.copyOf(answers.get(1).keySet()), "in this order");
    assertEquals(2, received.size(), received::toString);
  }

  /**
   * The active NameNode, which may have a reason to refuse a pause that a standby does not know.
   *
   * @param failure how it fails; null if it accepts
   */
  private PeerControlSync.Peer activePeer(ExitCode failure) {
    return new PeerControlSync.Peer() {
      @Override
      public String name() {
        return "nn2";
      }

      @Override
      public JsonNode call(Command command, String argument) throws AdminException {
        if (command == Command.STATUS) {
          return JsonNodeFactory.instance.objectNode().put("state", "STOCK");
        }
        if (failure == null) {
          return JsonNodeFactory.instance.objectNode().put("namenode", "nn2");
        }
        throw new AdminException(failure, "nn2: stock HDFS recovers now");
      }
    };
  }

  @Test
  void standby_asksTheActiveNameNodeFirst_andStopsIfThatRefuses() throws AdminException {
    state = "STANDBY";
    AdminException refused = assertThrows(AdminException.class,
        () -> source(peer("nn3", true), activePeer(ExitCode.REFUSED)).changeState(Command.PAUSE, () -> "", ALICE));
    assertEquals("nn2: stock HDFS recovers now", refused.getMessage());
    assertEquals(List.of("nn3 status "), received);
    List<Map<String, Object>> answers =
        source(activePeer(ExitCode.UNREACHABLE)).changeState(Command.PAUSE, () -> "", ALICE);
    assertEquals("nn1", answers.get(0).get("namenode"));
    assertEquals("nn2: stock HDFS recovers now", answers.get(1).get("error"));
  }

  @Test
  void standby_changesNothing_ifTheActiveNameNodeCannotBeAsked() {
    state = "STANDBY";
    AdminException refused = assertThrows(AdminException.class,
        () -> source(peer("nn2", false)).changeState(Command.PAUSE, () -> "", ALICE));
    assertEquals(ExitCode.UNREACHABLE, refused.code());
    assertTrue(refused.getMessage().startsWith("nn2: no answer; nothing was changed"), refused::getMessage);
  }

  @Test
  void standbyThatFails_afterTheActiveNameNodeHasAccepted_isNamed_andOthersAreTold() throws AdminException {
    state = "STANDBY";
    failureHere = new AdminException(ExitCode.REFUSED, "the recovery loop has not answered");
    List<Map<String, Object>> answers =
        source(activePeer(null), peer("nn3", true)).changeState(Command.PAUSE, () -> "", ALICE);
    assertEquals(List.of("nn1", "nn2", "nn3"), answers.stream().map(answer -> answer.get("namenode")).toList());
    assertEquals("nn1: the recovery loop has not answered", answers.get(0).get("error"));
    assertEquals(List.of("nn3 pause (alice, by way of the web page)"), received);
    received.clear();
    WebSource source = source(activePeer(ExitCode.UNREACHABLE), peer("nn3", true));
    AdminException refused =
        assertThrows(AdminException.class, () -> source.changeState(Command.PAUSE, () -> "", ALICE));
    assertEquals("the recovery loop has not answered", refused.getMessage());
    assertEquals(List.of(), received, "nobody has accepted it");
  }

  @Test
  void nobodyButASuperuser_maySteer() {
    AdminCaller mallory = new AdminCaller(UserGroupInformation.createRemoteUser("mallory"), null, false);
    WebSource source = source(peer("nn2", true));
    AdminException refused = assertThrows(AdminException.class, () -> source.changeState(Command.PAUSE, () -> {
      throw new AssertionError("the body of a caller without rights is not read");
    }, mallory));
    assertEquals(ExitCode.PERMISSION, refused.code());
    assertTrue(refused.getMessage().startsWith("mallory is no HDFS superuser"), refused::getMessage);
    assertEquals(List.of(), received);
    assertTrue(source.mayChangeState(ALICE) && !source.mayChangeState(mallory));
  }

  @Test
  void pageThatIsReadOnly_takesNoCommands() {
    WebSource source = source(true, peer("nn2", true));
    AdminException refused =
        assertThrows(AdminException.class, () -> source.changeState(Command.PAUSE, () -> "", ALICE));
    assertEquals(ExitCode.PERMISSION, refused.code());
    assertTrue(refused.getMessage().contains("dayu.namenode.web.read-only"), refused::getMessage);
    assertEquals(List.of(), received);
    assertFalse(source.mayChangeState(ALICE));
  }

  @Test
  void commandsAndTheirRefusals_areAudited() throws AdminException {
    source(peer("nn2", true)).changeState(Command.PAUSE, () -> "backup", ALICE);
    failureHere = new AdminException(ExitCode.REFUSED, "stock HDFS recovers now");
    assertThrows(AdminException.class,
        () -> source(peer("nn2", true)).changeState(Command.STOCK, () -> "now", ALICE));
    assertThrows(AdminException.class, () -> source(true).changeState(Command.RESUME, () -> "", ALICE));
    assertEquals(List.of("alice pause backup", "alice stock now, refused: stock HDFS recovers now",
        "alice resume , refused: the page is read-only here (dayu.namenode.web.read-only); run hdfs dayu"), audited);
  }
}
