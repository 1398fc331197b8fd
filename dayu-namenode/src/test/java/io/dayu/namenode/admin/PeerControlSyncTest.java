/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.admin;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dayu.admin.AdminClient;
import io.dayu.admin.AdminException;
import io.dayu.admin.Command;
import io.dayu.admin.ExitCode;
import io.dayu.conf.BadSettingException;
import io.dayu.conf.Settings;
import io.dayu.namenode.loop.AdminControl;
import io.dayu.namenode.loop.AdminControl.Mode;
import io.dayu.namenode.loop.AdminControl.ModeChange;
import io.dayu.namenode.loop.PauseRequest;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.test.GenericTestUtils.LogCapturer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class PeerControlSyncTest {
  private final AdminControl adminControl = new AdminControl();

  private static PeerSettingsSync settings() {
    try {
      return new PeerSettingsSync(Settings.read(new Configuration(false)));
    } catch (BadSettingException e) {
      throw new AssertionError(e);
    }
  }

  @BeforeEach
  void startAsking() {
    adminControl.askPeers();
    assertTrue(adminControl.stopsAll());
  }

  /** A NameNode that answers so, or does not answer (null). */
  private static PeerControlSync.Peer peer(String status) {
    return peer(status, ExitCode.UNREACHABLE);
  }

  /** A NameNode that answers so, or refuses with that code (null). */
  private static PeerControlSync.Peer peer(String status, ExitCode refusal) {
    return new PeerControlSync.Peer() {
      @Override
      public String name() {
        return "nn2:8020";
      }

      @Override
      public JsonNode call(Command command, String argument) throws AdminException {
        if (status == null) {
          throw new AdminException(refusal, "nn2:8020: refused");
        }
        try {
          return new ObjectMapper().readTree(status);
        } catch (JsonProcessingException e) {
          throw new AssertionError(e);
        }
      }
    };
  }

  private static String status(String mode, long sinceMs) {
    return "{\"control\":{\"mode\":\"" + mode + "\",\"by\":\"alice\",\"note\":\"backup\",\"sinceMs\":" + sinceMs
        + "}}";
  }

  @Test
  void peers_areTheOtherNameNodesOfTheNameservice() {
    Configuration conf = new Configuration(false);
    conf.set("dfs.nameservices", "ns,other");
    conf.set("dfs.ha.namenodes.ns", "a,b");
    conf.set("dfs.namenode.rpc-address.ns.a", "127.0.0.1:8020");
    conf.set("dfs.namenode.rpc-address.ns.b", "127.0.0.1:8021");
    conf.set("dfs.namenode.http-address.ns.a", "127.0.0.1:9870");
    conf.set("dfs.namenode.http-address.ns.b", "127.0.0.1:9871");
    conf.set("dfs.namenode.rpc-address.other", "127.0.0.1:8022");
    InetSocketAddress self = new InetSocketAddress("127.0.0.1", 8020);
    List<PeerControlSync.Peer> peers = PeerControlSync.peers(conf, "ns", self);
    assertEquals(1, peers.size());
    assertTrue(peers.get(0).name().endsWith(":8021"), peers.get(0).name());
    assertEquals("http://127.0.0.1:9871/dayu/", peers.get(0).page());
    assertEquals(List.of(), PeerControlSync.peers(conf, "other", new InetSocketAddress("127.0.0.1", 8022)));
    assertEquals(List.of(), PeerControlSync.peers(new Configuration(false), null, self));
  }

  @Test
  void paused_isTakenOverFromThePeer() {
    new PeerControlSync(adminControl, settings(), List.of(peer(status("paused", 5)))).run();
    assertEquals(new ModeChange(Mode.PAUSED, "alice", "backup", 5, 5 + PauseRequest.MAX_MS, true),
        adminControl.modeChange(), "of a version without an end of a pause");
    assertTrue(adminControl.stopsAll());
  }

  @Test
  void olderWord_doesNotReplaceAYoungerOne() {
    ModeChange younger = new ModeChange(Mode.STOCK, "bob", "", 9);
    adminControl.set(younger);
    new PeerControlSync(adminControl, settings(), List.of(peer(status("paused", 5)))).run();
    assertEquals(younger, adminControl.modeChange());
  }

  @Test
  void peerThatHangs_isGivenUp_andOthersAreHeard() throws InterruptedException {
    CountDownLatch never = new CountDownLatch(1);
    PeerControlSync.Peer hanging = new PeerControlSync.Peer() {
      @Override
      public String name() {
        return "nn3:8020";
      }

      @Override
      public JsonNode call(Command command, String argument) throws AdminException {
        try {
          never.await();
          return null;
        } catch (InterruptedException e) {
          throw new AdminException(ExitCode.UNREACHABLE, "nn3:8020: no answer");
        }
      }
    };
    new PeerControlSync(adminControl, settings(), List.of(hanging), 50, 0).run();
    assertFalse(adminControl.stopsAll());
    new PeerControlSync(adminControl, settings(), List.of(hanging, peer(status("paused", 5))), 5_000, 0).run();
    assertEquals(Mode.PAUSED, adminControl.modeChange().mode());
  }

  @Test
  void namenodeThatTakesTheCallAndDoesNotAnswer_isUnreachable() throws IOException {
    try (ServerSocket silent = new ServerSocket(0)) {
      AdminException failure = assertThrows(AdminException.class, () -> new AdminClient(new Configuration(false), 200)
          .call(new InetSocketAddress(silent.getInetAddress(), silent.getLocalPort()), Command.STATUS, ""));
      assertEquals(ExitCode.UNREACHABLE, failure.code(), failure::getMessage);
    }
  }

  @Test
  void peerThatDoesNotAnswer_orIsOfAnotherVersion_leavesDayuRunning() {
    new PeerControlSync(adminControl, settings(), List.of(peer(null), peer("{}"))).run();
    assertEquals(Mode.RUN, adminControl.modeChange().mode());
    assertFalse(adminControl.stopsAll());
  }

  @Test
  void peerThatDoesNotRunDayu_isNoReasonToWarn() {
    String withoutDayu = logOfAsking(peer(null, ExitCode.NOT_ACTIVE));
    assertTrue(withoutDayu.contains("nn2:8020 does not run Dayu"), withoutDayu);
    assertFalse(withoutDayu.contains("cannot ask"), withoutDayu);
    String down = logOfAsking(peer(null, ExitCode.UNREACHABLE));
    assertTrue(down.contains("cannot ask another NameNode"), down);
    assertEquals(Mode.RUN, adminControl.modeChange().mode());
  }

  /** Both NameNodes have restarted: each asks the other one, and neither knows. */
  @Test
  void peerThatAsksItself_knowsOfNoCommand_andAWarningSaysSo() {
    String asking = "{\"control\":{\"mode\":\"run\",\"by\":\"\",\"note\":\"\",\"sinceMs\":0,\"askingPeers\":%b}}";
    String bothRestarted = logOfAsking(peer(asking.formatted(true)));
    assertTrue(bothRestarted.contains("the mode here is run: nn2:8020 has just started, too"), bothRestarted);
    assertEquals("", logOfAsking(peer(asking.formatted(false))), "it has been up for long, and nobody gave a command");
    assertEquals(Mode.RUN, adminControl.modeChange().mode());
    assertFalse(adminControl.stopsAll());
  }

  /** An earlier -resume may be forgotten as well as a -pause. */
  @Test
  void startupMode_isNoCommand_soAWarningSaysThatOneMayBeForgotten() {
    adminControl.startIn(Mode.SHADOW);
    String down = logOfAsking(peer(null));
    assertTrue(down.contains("the mode here is shadow: nn2:8020: refused"), down);
    adminControl.command(Mode.SHADOW, "alice", "", 5);
    assertEquals("", logOfAsking(peer(null)), "an admin has said so since");
  }

  @Test
  void startupModesThatDiffer_areNamedOnce() {
    assertEquals("", logOfAsking(peer(status("run", 0))));
    adminControl.startIn(Mode.SHADOW);
    assertEquals("", logOfAsking(peer(status("shadow", 0))));
    String differ = logOfAsking(peer(status("run", 0)));
    assertTrue(differ.contains("NameNode nn2:8020 has started in mode run, this one in mode shadow"), differ);
    assertEquals(1, differ.lines().count(), differ);
    String commanded = logOfAsking(peer(status("run", 5)));
    assertFalse(commanded.contains("has started in mode"), commanded);
    assertEquals(Mode.RUN, adminControl.modeChange().mode());
    assertEquals("", logOfAsking(peer(status("shadow", 0))), "an admin's command is later than a start");
  }

  /** Its RPC server is up before Dayu takes commands there. */
  @Test
  void peerThatStarts_isAskedAgain() {
    int[] calls = new int[1];
    PeerControlSync.Peer starting = new PeerControlSync.Peer() {
      @Override
      public String name() {
        return "nn2:8020";
      }

      @Override
      public JsonNode call(Command command, String argument) throws AdminException {
        return peer(++calls[0] == 1 ? null : status("paused", 5), ExitCode.NOT_ACTIVE).call(command, argument);
      }
    };
    new PeerControlSync(adminControl, settings(), List.of(starting)).run();
    assertEquals(2, calls[0]);
    assertEquals(Mode.PAUSED, adminControl.modeChange().mode());
  }

  private String logOfAsking(PeerControlSync.Peer peer) {
    LogCapturer log = LogCapturer.captureLogs(LoggerFactory.getLogger(PeerControlSync.class));
    try {
      new PeerControlSync(adminControl, settings(), List.of(peer), 15_000, 0).run();
    } finally {
      log.stopCapturing();
    }
    return log.getOutput();
  }
}
