/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.cli;

import io.dayu.admin.Command;
import io.dayu.admin.ExitCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

/** Commands of {@code hdfs dayu} that change something: which NameNodes get them, and what is printed. */
class DayuAdminSteeringTest extends DayuAdminFixture {
  /** As many as answer nothing: the one that is named alone would be taken for the one to look at. */
  @ParameterizedTest
  @CsvSource({"STANDBY, STANDBY, 6", "UNREACHABLE, UNREACHABLE, 3", "STANDBY, UNREACHABLE, 3",
      "UNREACHABLE, STANDBY, 3", "NOT_ACTIVE, STANDBY, 5", "STANDBY, NOT_ACTIVE, 5"})
  void commandToTheActiveNameNode_namesAllThatRefuse_inOneLine(ExitCode first, ExitCode second, int exit)
      throws Exception {
    for (Command command : List.of(Command.NODES, Command.PLAN, Command.DRY_RUN, Command.EXPLAIN)) {
      fail("nn1", command, first, "nn1:8020: " + first);
      fail("nn2", command, second, "nn2:8020: " + second);
      assertEquals(exit, command == Command.EXPLAIN ? run("-explain", "blk_1") : run("-" + command.word()));
      assertEquals("dayu: nn1:8020: " + first + "; nn2:8020: " + second + (exit == 6 ? LOOK_AT : "") + "\n", err());
    }
    fail("nn1", Command.STATUS, first, "nn1:8020: " + first);
    fail("nn2", Command.STATUS, second, "nn2:8020: " + second);
    assertEquals(exit, run("-watch"));
    assertEquals("dayu: nn1:8020: " + first + "; nn2:8020: " + second + (exit == 6 ? LOOK_AT : "") + "\n", err());
  }

  @Test
  void set_saysWhatDecidesAtTheMoment() throws Exception {
    for (String host : List.of("nn1", "nn2")) {
      answer(host, Command.STATUS, "{'state': 'STANDBY'}");
      answer(host, Command.SET, "{'namenode': '" + host + "', 'key': 'k', 'value': '0.6', 'before': '0.75', "
          + "'changedLive': true, 'now': '0.9', 'nowOrigin': 'deadline of all'}");
    }
    assertEquals(0, run("-set", "k=0.6"), err());
    assertEquals("nn1: k = 0.6, was 0.75; at the moment it is 0.9 (deadline of all); write it into hdfs-site.xml if "
        + "it is to last; hdfs dayu -set k= sets it back", out().lines().findFirst().orElseThrow());
  }

  @ParameterizedTest
  @ValueSource(strings = {"-deadline", "-deadline all", "-deadline dn7:9866"})
  void deadline_needsANodeAndATime(String line) throws Exception {
    assertEquals(2, run(line.split(" ")));
    assertEquals("dayu: -deadline needs <node|all> <time>; hdfs dayu -help lists the commands\n", err());
    verify(client, never()).call(any(), any(), any());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "paused | run    | paused until 1970-01-01T01:00:00Z or -resume: no new transfers begin, except for blocks of "
          + "the highest risk",
      "run    | paused | resumed; was paused by alice at 1970-01-01T00:00:01Z: backup",
      "run    | run    | runs; no -pause, -stock or -shadow was in force",
      "stock  | paused | stock: stock HDFS recovers until -resume; was paused by alice at 1970-01-01T00:00:01Z: backup",
      "paused | paused | unchanged; was paused by alice at 1970-01-01T00:00:01Z: backup"})
  void commandThatSteers_saysWhatItChanged(String now, String before, String expected) throws Exception {
    String view = "{'mode': '%s', 'by': 'alice', 'note': 'backup', 'sinceMs': 1000, 'untilMs': 3600000}";
    answer("nn1", Command.STATUS, "{'namenode': 'nn1:8020', 'state': 'DAYU'}");
    answer("nn1", Command.PAUSE, "{'namenode': 'nn1', 'control': " + view.formatted(now) + ", 'before': "
        + view.formatted(before) + "}");
    fail("nn2", Command.STATUS, ExitCode.UNREACHABLE, "nn2:8020: no answer");
    assertEquals(3, run("-pause"));
    assertEquals("nn1: " + expected + "\n", out());
    assertEquals("dayu: nn2:8020: no answer\ndayu: done on 1 of 2 NameNodes only; one that is down takes it over "
        + "when it starts; for any other repeat it, or a failover undoes it\n", err());
  }

  /** A standby would accept what the active NameNode refuses, and a failover would inherit it. */
  @Test
  void commandThatTheActiveNameNodeRefuses_isSentToNoOther() throws Exception {
    answer("nn1", Command.STATUS, "{'namenode': 'nn1:8020', 'state': 'STANDBY'}");
    answer("nn2", Command.STATUS, "{'namenode': 'nn2:8020', 'state': 'STOCK'}");
    fail("nn2", Command.PAUSE, ExitCode.REFUSED, "nn2:8020: stock HDFS recovers now");
    assertEquals(1, run("-pause"));
    assertEquals("dayu: nn2:8020: stock HDFS recovers now\n", err());
    verify(client, never()).call(at("nn1"), eq(Command.PAUSE), any());
    assertEquals(1, run("-pause", "-json"));
    assertEquals(JSON.readTree("[{\"namenode\":\"nn2:8020\",\"error\":\"nn2:8020: stock HDFS recovers now\"}]"),
        JSON.readTree(out()));
  }

  /** The standby would keep it to itself, and a failover would bring it into force. */
  @ParameterizedTest
  @CsvSource({"UNREACHABLE, 3", "NOT_ACTIVE, 5"})
  void command_changesNoStandby_ifTheActiveNameNodeCannotBeAsked(ExitCode code, int exit) throws Exception {
    answer("nn1", Command.STATUS, "{'namenode': 'nn1:8020', 'state': 'STANDBY'}");
    fail("nn2", Command.STATUS, code, "nn2:8020: no");
    assertEquals(exit, run("-set", "k=1"));
    assertEquals("dayu: nn2:8020: no\ndayu: nn1:8020: not changed: it is not active, and the active NameNode cannot be "
        + "asked; hdfs dayu -fs hdfs://nn1:8020 changes it alone\n", err());
    verify(client, never()).call(any(), eq(Command.SET), any());
  }

  @Test
  void commandToOneNameNodeOfSeveral_saysSo() throws Exception {
    answer("nn2", Command.SET, "{'namenode': 'nn2', 'key': 'k', 'value': '1', 'changedLive': true}");
    assertEquals(0, run("-fs", "hdfs://nn2:8020", "-set", "k=1"));
    assertEquals("dayu: done on this NameNode of ns1 only; -fs hdfs://ns1 reaches all of them\n",
        err());
    verify(client, never()).call(at("nn1"), any(), any());
  }

  @Test
  void commandThatSteers_saysWhatTheNameNodeWarnsOf() throws Exception {
    String shadow = "{'mode': 'shadow', 'by': 'dayu.namenode.startup.mode', 'note': '', 'sinceMs': 0}";
    for (String host : List.of("nn1", "nn2")) {
      answer(host, Command.STATUS, "{'state': 'STANDBY'}");
      answer(host, Command.RESUME, "{'namenode': '" + host + "', 'control': {'mode': 'run'}, 'before': " + shadow
          + ", 'warning': 'remove it'}");
    }
    assertEquals(0, run("-resume"), err());
    String line = ": resumed; was shadow by dayu.namenode.startup.mode in hdfs-site.xml; remove it\n";
    assertEquals("nn1" + line + "nn2" + line, out());
  }

  @Test
  void commandOfNoSuperuser_isRefusedInOneLine() throws Exception {
    fail("nn1", Command.STATUS, ExitCode.PERMISSION, "nn1:8020: mallory is no HDFS superuser");
    fail("nn2", Command.STATUS, ExitCode.PERMISSION, "nn2:8020: mallory is no HDFS superuser");
    assertEquals(4, run("-pause"));
    assertEquals("dayu: nn1:8020: mallory is no HDFS superuser\n", err());
    assertEquals(4, run("-status"));
    assertEquals("dayu: nn1:8020: mallory is no HDFS superuser\n", err());
    verify(client, never()).call(any(), eq(Command.PAUSE), any());
  }

  /** Without an active NameNode the command reaches those that stand by. */
  @Test
  void command_isTakenByStandbys() throws Exception {
    for (String host : new String[] {"nn1", "nn2"}) {
      answer(host, Command.STATUS, "{'state': 'STANDBY'}");
      answer(host, Command.SET, "{'namenode': '" + host + "', 'key': 'k', 'value': '1', 'changedLive': true}");
    }
    assertEquals(0, run("-set", "k=1"), err());
    assertEquals(2, out().lines().count(), out());
  }
}
