/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.cli;

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

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.argThat;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.reset;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

/** {@code hdfs dayu}: what it explains, its options, and its errors. */
class DayuAdminTest extends DayuAdminFixture {
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

  @Test
  void explanation_namesTheCopiesThatFailed() throws Exception {
    answer("nn1", Command.EXPLAIN, "{'block': 'blk_1_1', 'failed': [{'target': 'dn2:9866', 'sources': ['dn1:9866', "
        + "'dn3:9866'], 'reason': 'no report from its agent within 62 s', 'secondsAgo': 125}]}");
    assertEquals(0, run("-explain", "blk_1"), err());
    assertTrue(out().contains("  failed        2 min 5 s ago, from dn1:9866, dn3:9866 to dn2:9866: no report from its "
        + "agent within 62 s\n"), out());
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
  @Timeout(60)
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
