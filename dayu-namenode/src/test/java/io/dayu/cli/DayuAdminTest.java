/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dayu.admin.AdminClient;
import io.dayu.admin.AdminException;
import io.dayu.admin.Command;
import io.dayu.admin.ExitCode;
import io.dayu.conf.Setting;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.argThat;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.reset;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

/** {@code hdfs dayu} with two NameNodes, nn1:8020 and nn2:8020, whose answers are given. */
class DayuAdminTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String STANDBY = "this NameNode is not active, or has not left safe mode since its start";
  private static final String LOOK_AT = "; look at hdfs haadmin -getAllServiceState and hdfs dfsadmin -safemode get";

  private final AdminClient client = mock(AdminClient.class);
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private static Configuration conf() {
    Configuration conf = new Configuration(false);
    conf.set("fs.defaultFS", "hdfs://ns1");
    conf.set("dfs.nameservices", "ns1");
    conf.set("dfs.ha.namenodes.ns1", "nn1,nn2");
    conf.set("dfs.namenode.rpc-address.ns1.nn1", "nn1:8020");
    conf.set("dfs.namenode.rpc-address.ns1.nn2", "nn2:8020");
    conf.set("dfs.client.failover.proxy.provider.ns1",
        "org.apache.hadoop.hdfs.server.namenode.ha.ConfiguredFailoverProxyProvider");
    return conf;
  }

  private static InetSocketAddress at(String host) {
    return argThat(address -> address != null && address.getHostString().equals(host));
  }

  private void answer(String host, Command command, String json) throws Exception {
    JsonNode answer = JSON.readTree(json.replace('\'', '"'));
    when(client.call(at(host), eq(command), any())).thenReturn(answer);
  }

  private void fail(String host, Command command, ExitCode code, String message) throws Exception {
    when(client.call(at(host), eq(command), any())).thenThrow(new AdminException(code, message));
  }

  private int run(String... args) throws Exception {
    out.reset();
    err.reset();
    return new DayuAdmin(conf(), new PrintStream(out, true), new PrintStream(err, true), conf -> client).launch(args);
  }

  private String out() {
    return out.toString(StandardCharsets.UTF_8);
  }

  private String err() {
    return err.toString(StandardCharsets.UTF_8);
  }

  @Test
  void status_endsWith6_ifNoNameNodeIsActive() throws Exception {
    answer("nn1", Command.STATUS, "{'namenode': 'nn1:8020', 'state': 'STANDBY'}");
    answer("nn2", Command.STATUS, "{'namenode': 'nn2:8020', 'state': 'STANDBY'}");
    assertEquals(6, run("-status"));
    assertTrue(out().contains("nn1:8020: STANDBY") && out().contains("nn2:8020: STANDBY"), out());
    assertTrue(err().startsWith("dayu: no NameNode is active") && err().endsWith(LOOK_AT + "\n"), err());
    assertEquals(1, err().lines().count(), err());
  }

  @Test
  void status_endsWith0_ifTheActiveNameNodeAnswers_andWithTheFailureOtherwise() throws Exception {
    fail("nn1", Command.STATUS, ExitCode.UNREACHABLE, "nn1:8020: no answer");
    answer("nn2", Command.STATUS, "{'namenode': 'nn2:8020', 'state': 'STOCK'}");
    assertEquals(0, run("-status"));
    assertEquals("dayu: nn1:8020: no answer\n", err());
    answer("nn2", Command.STATUS, "{'namenode': 'nn2:8020', 'state': 'STANDBY'}");
    assertEquals(3, run("-status"));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "12, 0, 30, 0 | 8, 0, 250, 0 | 42 blocks wait: 12 at the highest risk, 30 with low redundancy; 3 transfers run;",
      "0, 7, 0, 1   | 0, 60, 0, 9  | 8 blocks wait: 7 with very low redundancy, 1 on too few racks; 3 transfers run;",
      "0, 0, 0, 0   | 0, 0, 0, 0   | 0 blocks wait; 3 transfers run;"})
  void status_countsTheBlocksOfEachRisk(String blocks, String seconds, String expected) throws Exception {
    long all = Arrays.stream(blocks.split(", *")).mapToLong(Long::parseLong).sum();
    answer("nn1", Command.STATUS, "{'state': 'DAYU', 'queues': {'waitingBlocks': %d, 'runningTransfers': 3, "
        .formatted(all) + "'waitingByRisk': [%s], 'secondsSinceEmpty': [%s]}}".formatted(blocks, seconds));
    answer("nn2", Command.STATUS, "{'state': 'STANDBY'}");
    assertEquals(0, run("-status"), err());
    assertTrue(out().contains("  queues        " + expected), out());
    assertEquals(all > 0, out().contains("  longest wait  at most "), out());
  }

  @Test
  void status_saysWhyBlocksWait() throws Exception {
    String reasons = "{'state': 'DAYU', 'queues': {'waitingBlocks': 57, 'waitReasons': [%s]}}";
    String turn = "{'reason': 'TURN', 'text': 'for their turn', 'blocks': 50}";
    answer("nn1", Command.STATUS, reasons.formatted(turn
        + ", {'reason': 'NO_TARGET', 'text': 'for a target: no DataNode can take them', 'blocks': 7}"));
    answer("nn2", Command.STATUS, reasons.formatted(turn).replace("DAYU", "STOCK"));
    assertEquals(0, run("-status"), err());
    assertTrue(out().contains("  they wait     50 for their turn; 7 for a target: no DataNode can take them\n"), out());
    assertTrue(out().contains("  they wait     for their turn\n"), out());
  }

  @Test
  void status_saysThatNothingIsCopiedInSafeMode() throws Exception {
    answer("nn1", Command.STATUS, "{'state': 'DAYU', 'safeMode': true, 'control': {'mode': 'run'}, 'queues': "
        + "{'waitingBlocks': 5}, 'recovery': {'number': 1, 'active': true, 'etaSeconds': -1}}");
    answer("nn2", Command.STATUS, "{'state': 'STANDBY'}");
    assertEquals(0, run("-status"), err());
    assertTrue(out().contains("  time left     not known: the NameNode is in safe mode; 5 blocks wait\n"), out());
  }

  @Test
  void leaving_saysWhatIsLeftAndWhatBlocksIt() throws Exception {
    answer("nn1", Command.LEAVING, "{'nodes': [{'node': 'dn7:9866', 'alive': true, 'seconds': 725, 'replicas': 48210, "
        + "'blocksToCopy': 2, 'bytesToCopy': 2048, 'blockedBlocks': 1, 'groups': 1, 'groupBytes': 1024, 'etaSeconds': "
        + "341, 'etaError': 0.08, 'openFiles': ['/a'], 'left': [{'cause': 'waiting', 'text': 'wait for a copy', "
        + "'blocks': 2, 'bytes': 2048, 'example': 'blk_1_1'}, {'cause': 'open-file', 'text': 'are open', 'blocks': 1, "
        + "'bytes': 10, 'example': 'blk_2_1'}]}, {'node': 'dn8:9866', 'maintenance': true, 'blockedBlocks': 3}, "
        + "{'node': 'dn9:9866'}], 'held': ['paused']}");
    assertEquals(0, run("-leaving"), err());
    assertEquals("""
        dn7:9866: decommissioning for 12 min 5 s; 3 of 48210 replicas left
          time left     about 5 min 41 s; the first estimate was off by 8 % so far, for 2 blocks, 2.0 KB
          waiting       2, 2.0 KB: wait for a copy, such as blk_1_1
          open-file     1, 10 B: are open, such as blk_2_1
          open files    /a
          groups        1 of these are erasure-coded, 1.0 KB of internal blocks
        dn8:9866: enters maintenance for 0 s; 3 of 0 replicas left; it is dead
          time left     nothing is left that recovery can copy
        dn9:9866: decommissioning for 0 s; 0 of 0 replicas left; it is dead
          time left     nothing is left; HDFS notices at its next check (dfs.namenode.decommission.interval)
          for all       paused
        """, out());
    answer("nn1", Command.LEAVING, "{'nodes': [], 'held': ['paused']}");
    assertEquals(0, run("-leaving"), err());
    assertEquals("no DataNode is decommissioning or entering maintenance\n", out());
  }

  @Test
  void oneOfAKind_hasTheSingular() throws Exception {
    answer("nn1", Command.STATUS, "{'state': 'DAYU', 'queues': {'waitingBlocks': 1, 'runningTransfers': 1, "
        + "'missingBlocks': 1, 'stockPendingBlocks': 1}, 'agents': {'live': 1, 'dataNodes': 1}, 'recovery': {'number': "
        + "1, 'blocksDone': 1, 'blocksNotCopied': 1, 'failedTransfers': 1}}");
    answer("nn2", Command.STATUS, "{'state': 'STANDBY'}");
    assertEquals(0, run("-status"), err());
    for (String text : List.of("1 block waits; 1 transfer runs; 1 block is missing\n", "1 block is copied or",
        ": 1 of 1 block,", " 1 block needed no copy", " 1 transfer failed\n", "1 of 1 live DataNode reports\n")) {
      assertTrue(out().contains(text), text + out());
    }
    answer("nn1", Command.EXPLAIN, "{'block': 'blk_1_1', 'targets': {'count': 1, 'excluded': {'full': 1}}}");
    assertEquals(0, run("-explain", "blk_1"), err());
    assertTrue(out().contains("1 node could receive it") && out().contains(" 1 node: full\n"), out());
    answer("nn1", Command.DRY_RUN, "{'planMillis': 1, 'transfers': [{}], 'evicted': 1, 'leftToStock': 1}");
    assertEquals(0, run("-dryRun"), err());
    assertTrue(
        out().contains(" 1 new transfer; ") && out().contains(" 1 running one would move, 1 block would be left"),
        out());
    answer("nn1", Command.NODES, "{'nodes': [{'in': {'transfers': 1}, 'out': {}}]}");
    assertEquals(0, run("-nodes"), err());
    assertTrue(out().contains(", 1 transfer; ") && out().contains(", 0 transfers"), out());
  }

  @Test
  void status_namesTheAgentsThatGuessTheirBandwidth() throws Exception {
    answer("nn1", Command.STATUS, "{'state': 'DAYU', 'agents': {'live': 2, 'dataNodes': 2, "
        + "'bandwidthAssumed': ['dn1:9866', 'dn2:9866']}}");
    answer("nn2", Command.STATUS, "{'state': 'STANDBY'}");
    assertEquals(0, run("-status"), err());
    assertTrue(
        out().contains("  bandwidth     a guess on dn1:9866, dn2:9866: set dayu.datanode.bandwidthPerSec there\n"),
        out());
  }

  @Test
  void status_namesTheAgentsThatAreRefused() throws Exception {
    answer("nn1", Command.STATUS, "{'state': 'DAYU', 'agents': {'live': 1, 'dataNodes': 3, 'versions': {'0.1.0': 1}, "
        + "'missing': ['dn2:9866', 'dn3:9866'], 'refused': {'dn3:9866': 'bad principal'}}}");
    answer("nn2", Command.STATUS, "{'state': 'STANDBY'}");
    assertEquals(0, run("-status"), err());
    assertTrue(out().contains("  agents        1 of 3 live DataNodes report; without: dn2:9866, dn3:9866; "
        + "refused: dn3:9866 (bad principal)\n"), out());
  }

  @Test
  void path_isLookedUpOnTheActiveNameNode() throws Exception {
    when(client.blocksOf(at("nn1"), eq("/f"))).thenThrow(new AdminException(ExitCode.STANDBY, "nn1:8020: not active"));
    when(client.blocksOf(at("nn2"), eq("/f"))).thenReturn(List.of(7L, 8L));
    fail("nn1", Command.EXPLAIN, ExitCode.STANDBY, "nn1:8020: not active");
    String explained = "{'block': 'blk_7_1', 'reason': 'it waits'}";
    answer("nn2", Command.EXPLAIN, "{'blocks': [" + explained + "," + explained + "]}");
    assertEquals(0, run("-explain", "/f"), err());
    assertEquals(2, out().lines().filter("blk_7_1: it waits"::equals).count(), out());
    verify(client).call(at("nn2"), eq(Command.EXPLAIN), eq("7,8"));
    assertEquals(0, run("-explain", "hdfs://ns1/f"), err());
  }

  @Test
  void path_endsWithTheCodeOfTheFailure_inOneLine() throws Exception {
    when(client.blocksOf(at("nn1"), any())).thenThrow(new AdminException(ExitCode.UNREACHABLE, "nn1: no answer"));
    when(client.blocksOf(at("nn2"), any())).thenThrow(new AdminException(ExitCode.STANDBY, "nn2: not active"));
    assertEquals(3, run("-explain", "/f"));
    assertEquals("dayu: nn1: no answer; nn2: not active\n", err());
    reset(client);
    when(client.blocksOf(any(), any())).thenThrow(new AdminException(ExitCode.STANDBY, "nn: not active"));
    assertEquals(6, run("-explain", "/f"));
    assertEquals(2, run("-explain", "file:///f"));
  }

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
  void watch_endsAtOnce_ifNoNameNodeIsActiveAtFirst() throws Exception {
    fail("nn1", Command.STATUS, ExitCode.UNREACHABLE, "nn1: no answer");
    answer("nn2", Command.STATUS, "{'state': 'STANDBY'}");
    assertEquals(3, run("-watch"));
    assertEquals("dayu: nn1: no answer; nn2:8020: " + STANDBY + "\n", err());
    reset(client);
    answer("nn1", Command.STATUS, "{'state': 'STANDBY'}");
    answer("nn2", Command.STATUS, "{'state': 'STANDBY'}");
    assertEquals(6, run("-watch"));
    assertEquals("dayu: nn1:8020: " + STANDBY + "; nn2:8020: " + STANDBY + LOOK_AT + "\n", err());
    assertEquals(6, run("-fs", "hdfs://nn2:8020", "-watch"));
    assertEquals("dayu: nn2:8020: " + STANDBY + "; -fs hdfs://ns1 finds the active one\n", err());
  }

  @Test
  void whatIsMalformed_isOneLine() throws Exception {
    assertEquals(2, run("-fs", "hdfs://a^b/", "-status"));
    assertTrue(err().startsWith("dayu: -fs, -conf, -D or the configuration is wrong: Illegal character in"), err());
    assertEquals(1, err().lines().count(), err());
    when(client.call(any(), eq(Command.NODES), any())).thenThrow(new IllegalArgumentException("bad address\nand more"));
    assertEquals(1, run("-nodes"));
    assertEquals("dayu: the command failed: bad address\n", err());
  }

  /** Hadoop passes over a file that is not there, and says of a broken one neither its name nor its line. */
  @Test
  void confFile_thatCannotBeRead_isNamed(@TempDir Path dir) throws Exception {
    Path file = dir.resolve("new.xml");
    assertEquals(2, run("-conf", file.toString(), "-check"));
    assertEquals("dayu: -conf " + file + ": there is no such file\n", err());
    Files.writeString(file, "<configuration>\n<property>\n</configuration>");
    assertEquals(2, run("-conf", file.toString(), "-check"));
    assertTrue(err().startsWith("dayu: -conf " + file + ", line 3: "), err());
    assertEquals(1, err().lines().count(), err());
    assertEquals("", out());
    Files.writeString(file, "<configuration><property><name>dayu.of.nobody</name><value>1</value></property>"
        + "</configuration>");
    assertEquals(1, run("-conf", file.toString(), "-check"));
    assertTrue(out().contains("dayu.of.nobody"), out());
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

  @Test
  void status_saysTheProfileOnce() throws Exception {
    answer("nn1", Command.STATUS, "{'state': 'DAYU', 'profile': {'name': 'fast', 'origin': 'profile fast, window "
        + "Sat,Sun fast until Mon 00:00 UTC'}}");
    answer("nn2", Command.STATUS, "{'state': 'STANDBY', 'profile': {'name': 'balanced', 'origin': 'profile gentle; "
        + "balanced while blocks of the highest risk wait'}}");
    assertEquals(0, run("-status"), err());
    assertTrue(out().contains("  profile       fast, window Sat,Sun fast until Mon 00:00 UTC\n"), out());
    assertTrue(out().contains("  profile       gentle; balanced while blocks of the highest risk wait\n"), out());
  }

  @Test
  void explanation_namesNoBestTarget_whereThereIsNone() throws Exception {
    answer("nn1", Command.EXPLAIN,
        "{'block': 'blk_1_1', 'targets': {'count': 0, 'best': [], 'excluded': {'full': 5}}}");
    assertEquals(0, run("-explain", "blk_1"), err());
    assertTrue(out().contains("  targets       0 nodes could receive it\n"), out());
    answer("nn1", Command.EXPLAIN, "{'block': 'blk_1_1', 'targets': {'count': 7, 'best': [{'node': 'dn1', 'rack': "
        + "'/r1'}]}}");
    assertEquals(0, run("-explain", "blk_1"), err());
    assertTrue(out().contains("  targets       7 nodes could receive it; the best:\n"), out());
  }

  @ParameterizedTest
  @ValueSource(strings = {"-deadline", "-deadline all", "-deadline dn7:9866"})
  void deadline_needsANodeAndATime(String line) throws Exception {
    assertEquals(2, run(line.split(" ")));
    assertEquals("dayu: -deadline needs <node|all> <time>; hdfs dayu -help lists the commands\n", err());
    verify(client, never()).call(any(), any(), any());
  }

  @Test
  void status_namesTheAgentsOfAnotherVersion() throws Exception {
    answer("nn1", Command.STATUS, "{'state': 'DAYU', 'agents': {'live': 3, 'dataNodes': 3, 'versions': {'0.2.0': 1, "
        + "'0.1.0': 1, '': 1}, 'missing': [], 'otherVersion': {'dn2:9866': '0.1.0', 'dn3:9866': ''}}}");
    answer("nn2", Command.STATUS, "{'state': 'STANDBY'}");
    assertEquals(0, run("-status"), err());
    assertTrue(
        out().contains("  agents        3 of 3 live DataNodes report: 1 of 0.2.0, 1 of 0.1.0, 1 of a version that "
            + "does not say; of another version than the NameNode: dn2:9866 (0.1.0), dn3:9866 (unknown)\n"),
        out());
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
  void json_hasTheErrorOfEachCommand() throws Exception {
    fail("nn1", Command.EXPLAIN, ExitCode.REFUSED, "nn1:8020: there is no block blk_9");
    fail("nn1", Command.NODES, ExitCode.REFUSED, "nn1:8020: no");
    assertEquals(1, run("-explain", "blk_9", "-json"));
    assertEquals(JSON.readTree("[{\"error\":\"nn1:8020: there is no block blk_9\"}]"), JSON.readTree(out()));
    assertEquals("dayu: nn1:8020: there is no block blk_9\n", err());
    assertEquals(1, run("-nodes", "-json"));
    assertEquals(JSON.readTree("{\"error\":\"nn1:8020: no\"}"), JSON.readTree(out()));
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

  /** Any user may ask HDFS for the blocks of a file, so the refusal comes only with the first block. */
  @ParameterizedTest
  @CsvSource({"1, ''", "1, -json", "25, ''", "25, -json"})
  void explanationForNoSuperuser_isRefusedInOneLine(long count, String json) throws Exception {
    when(client.blocksOf(any(), any())).thenReturn(LongStream.rangeClosed(1, count).boxed().toList());
    for (String host : List.of("nn1", "nn2")) {
      fail(host, Command.EXPLAIN, ExitCode.PERMISSION, host + ":8020: mallory is no HDFS superuser");
    }
    for (String what : List.of("/f", "blk_1")) {
      assertEquals(4, json.isEmpty() ? run("-explain", what) : run("-explain", what, json));
      assertEquals("dayu: nn1:8020: mallory is no HDFS superuser\n", err());
    }
    fail("nn1", Command.STATUS, ExitCode.PERMISSION, "nn1:8020: mallory is no HDFS superuser");
    fail("nn2", Command.STATUS, ExitCode.PERMISSION, "nn2:8020: mallory is no HDFS superuser");
    assertEquals(4, run("-watch"));
    assertEquals("dayu: nn1:8020: mallory is no HDFS superuser\n", err());
  }

  @Test
  void fileOfManyBlocks_isExplainedInPart_andALineSaysSo() throws Exception {
    when(client.blocksOf(at("nn1"), eq("/f"))).thenReturn(LongStream.rangeClosed(1, 25).boxed().toList());
    answer("nn1", Command.EXPLAIN, "{'block': 'blk_1_1', 'reason': 'it waits'}");
    assertEquals(0, run("-explain", "/f"));
    verify(client).call(at("nn1"), eq(Command.EXPLAIN), argThat(ids -> ids.split(",").length == 20));
    assertEquals("dayu: /f has 25 blocks; explaining 20, those that lack replicas first\n", err());
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

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "-fs                      | -fs needs hdfs://<nameservice or host:port>;",
      "-fs -status              | -fs needs hdfs://<nameservice or host:port>;",
      "-conf                    | -conf needs a file;",
      "-conf -check             | -conf needs a file;",
      "-status -fs hdfs://ns1   | -fs goes before the command, as in hdfs dayu -fs ... -status;",
      "-watch -fs hdfs://ns1    | -fs goes before the command, as in hdfs dayu -fs ... -watch;",
      "-pause note -fs hdfs://x | -fs goes before the command, as in hdfs dayu -fs ... -pause;"})
  void genericOption_thatIsWrong_isExplainedInOneLine(String line, String expected) throws Exception {
    assertEquals(2, run(line.split(" ")));
    assertEquals("dayu: " + expected + " hdfs dayu -help lists the commands\n", err());
  }

  @Test
  void check_asksNoNameNode_andEndsWithOneIfThereAreFaults() throws Exception {
    assertEquals(1, run("-D", "dayu.of.nobody=1", "-check"));
    assertTrue(out().contains("Dayu does not know the setting dayu.of.nobody and ignores it"), out());
    assertTrue(!out().contains("OK"), out());
    assertEquals("", err());
    assertEquals(2, run("-check", "-json"));
    assertEquals(2, run("-check", "client"));
    verify(client, never()).call(any(), any(), any());
  }

  @Test
  void json_namesTheNameNodeThatDoesNotAnswer() throws Exception {
    fail("nn1", Command.STATUS, ExitCode.UNREACHABLE, "nn1:8020: no answer");
    answer("nn2", Command.STATUS, "{'namenode': 'nn2:8020', 'state': 'DAYU'}");
    assertEquals(0, run("-status", "-json"));
    assertEquals(JSON.readTree("[{\"namenode\":\"nn1:8020\",\"error\":\"nn1:8020: no answer\"},"
        + "{\"namenode\":\"nn2:8020\",\"state\":\"DAYU\"}]"), JSON.readTree(out()));
  }

  @Test
  void help_hasItself_andWhatTheOptionsTake() throws Exception {
    assertEquals(0, run("-help"));
    for (String text : List.of("[-fs hdfs://<nameservice or host:port>]", "  -help ", "the transfers under way")) {
      assertTrue(out().contains(text), out());
    }
    for (Setting setting : Setting.values()) {
      assertEquals(setting.live(), out().contains(setting.key()), setting.key());
    }
  }

  /** A NameNode that takes the connection and never answers. */
  @Test
  @Timeout(20)
  void namenodeThatHangs_isGivenUpAfterTheTimeout() throws Exception {
    try (ServerSocket hangs = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      AdminClient impatient = new AdminClient(new Configuration(false), 300);
      InetSocketAddress address = new InetSocketAddress(hangs.getInetAddress(), hangs.getLocalPort());
      AdminException given = assertThrows(AdminException.class, () -> impatient.blocksOf(address, "/f"));
      assertEquals(ExitCode.UNREACHABLE, given.code(), given.getMessage());
      assertTrue(given.getMessage().contains(":" + hangs.getLocalPort() + ": no answer"), given.getMessage());
      given = assertThrows(AdminException.class, () -> impatient.call(address, Command.PAUSE, ""));
      assertTrue(given.getMessage().contains("may still carry the command out"), given.getMessage());
      given = assertThrows(AdminException.class, () -> impatient.call(address, Command.STATUS, ""));
      assertTrue(!given.getMessage().contains("may still"), given.getMessage());
      hangs.close();
      given = assertThrows(AdminException.class, () -> impatient.call(address, Command.PAUSE, ""));
      assertTrue(!given.getMessage().contains("may still"), given.getMessage());
    }
  }
}
