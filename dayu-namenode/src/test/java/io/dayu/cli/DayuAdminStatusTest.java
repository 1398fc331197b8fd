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

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.reset;

/** What {@code hdfs dayu -status} and {@code -leaving} print, and how they end. */
class DayuAdminStatusTest extends DayuAdminFixture {
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
    assertTrue(out().contains("  they wait     50 for their turn\n"), out());
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

  private String trafficClass(String fields) throws Exception {
    answer("nn1", Command.STATUS, "{'state': 'DAYU', 'agents': {'live': 5, 'dataNodes': 5" + fields + "}}");
    answer("nn2", Command.STATUS, "{'state': 'STANDBY'}");
    assertEquals(0, run("-status"), err());
    return out().lines().filter(line -> line.startsWith("  traffic class ")).collect(Collectors.joining());
  }

  @Test
  void status_namesTheAgentsThatCannotMarkTheirTraffic() throws Exception {
    assertEquals("", trafficClass(""), "a NameNode of an older version");
    assertEquals("", trafficClass(", 'trafficClass': {'agents': 0, 'cannotMark': [], 'starved': []}"));
    assertEquals("  traffic class lower effort on 5 of 5 agents",
        trafficClass(", 'trafficClass': {'agents': 5, 'cannotMark': [], 'starved': []}"));
    assertEquals("  traffic class lower effort on 4 of 5 agents; 2 cannot mark all traffic, see the logs there: "
        + "dn1:9866, dn2:9866; 1 goes unmarked for a while, since the network starves the class: dn3:9866",
        trafficClass(", 'trafficClass': {'agents': 4, 'cannotMark': ['dn1:9866', 'dn2:9866'], "
            + "'starved': ['dn3:9866']}"));
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
}
