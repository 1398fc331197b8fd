/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.monitor;

import io.dayu.blocks.LeavingNode;
import io.dayu.blocks.LeavingNode.Cause;
import io.dayu.blocks.LeavingNode.Left;
import io.dayu.blocks.LiveNode;
import io.dayu.blocks.LiveNodeFixture;
import io.dayu.conf.Deadline;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.namenode.cluster.LiveCluster;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.exchange.NodeLoad.Link;
import io.dayu.namenode.monitor.DeadlineControl.State;
import io.dayu.namenode.monitor.LeavingWatch.Leaving;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.test.GenericTestUtils.LogCapturer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.reset;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

/** Ten nodes of 100 MB/s without clients: at an alpha of 0.5 recovery may have 500 MB/s, and is counted on for 350. */
class DeadlineControlTest {
  private static final Instant NOW = Instant.parse("2026-11-27T17:00:00Z");
  private static final long MB = 1_000_000;

  private final LiveCluster cluster = mock(LiveCluster.class);
  private final LeavingWatch watch = mock(LeavingWatch.class);
  private final Map<String, NodeLoad> loads = new HashMap<>();
  private final Map<String, LiveNode> nodes = new HashMap<>();
  private Settings settings;
  private DeadlineControl deadlines;

  @BeforeEach
  void tenNodes() throws Exception {
    Configuration conf = new Configuration(false);
    conf.set("dayu.recovery.max-utilization", "0.5");
    settings = Settings.read(conf);
    for (int i = 0; i < 10; i++) {
      nodes.put("uuid" + i,
          LiveNodeFixture.liveNode("uuid" + i, "10.0.0." + i, "dn" + i, 9866, "/r", true, new long[6], new int[6]));
    }
    foreground(0);
    when(cluster.loads(anyLong())).thenReturn(loads);
    when(cluster.nodes()).thenReturn(nodes);
    leaving();
    deadlines = new DeadlineControl(cluster, settings, watch);
  }

  private void foreground(long bytesPerSec) {
    Link link = new Link(100 * MB, bytesPerSec);
    for (int i = 0; i < 10; i++) {
      loads.put("uuid" + i, new NodeLoad(link, link, 1, 1));
    }
  }

  private static Leaving node(String name, long megabytes, long openFiles, long etaSeconds) {
    return node(name, megabytes, openFiles, etaSeconds, 0);
  }

  /** One of whose rate is the mean of the two minutes before this second. */
  private static Leaving node(String name, long megabytes, long openFiles, long etaSeconds, long untilSec) {
    return new Leaving(new LeavingNode("uuid-" + name, name + ":9866", false, true, 60, 1_000,
        Map.of(Cause.WAITING, new Left(megabytes, megabytes * MB, "blk_1_1"), Cause.OPEN_FILE,
            new Left(openFiles, 10 * openFiles, "blk_2_1")),
        Left.NONE, List.of()), etaSeconds, -1, (untilSec - 120) * 1_000_000_000, untilSec * 1_000_000_000);
  }

  private void leaving(Leaving... nodes) {
    when(watch.latest()).thenReturn(List.of(nodes));
  }

  private void give(String... deadlineTexts) throws Exception {
    List<Deadline> all = new ArrayList<>();
    for (String text : deadlineTexts) {
      String[] words = text.split(" ");
      all.add(Deadline.of(words[0], words[1], Double.parseDouble(words[2]), NOW, ZoneId.of("UTC")));
    }
    settings.change(Setting.DECOMMISSION_DEADLINES, Deadline.text(all), "set by a test", 1);
  }

  private State lookAfter(long seconds) {
    deadlines.look(true, seconds * 1_000_000_000, NOW.plusSeconds(seconds));
    return deadlines.latest().get(0).state();
  }

  @Test
  void shortName_mayBeThatOfSeveralDataNodes() {
    for (String domain : List.of("a.example.com", "b.example.com")) {
      nodes.put(domain, LiveNodeFixture.liveNode(domain, "10.0.1.1", "dn10." + domain, 9866, "/r", true, new long[6],
          new int[6]));
    }
    assertEquals(List.of("dn10.a.example.com:9866", "dn10.b.example.com:9866"), dataNodes("dn10"));
    assertEquals(List.of("dn10.a.example.com:9866"), dataNodes("dn10.a.example.com"));
    assertEquals(List.of("dn1:9866"), dataNodes("dn1"));
  }

  private List<String> dataNodes(String name) {
    return deadlines.dataNodes(Deadline.of(name, "1h", 0.9, NOW, ZoneId.of("UTC")));
  }

  @Test
  void deadlineThatThePresentAlphaKeeps_changesNothingButTheOrder() throws Exception {
    leaving(node("a", 35_000, 0, -1), node("b", 1_000, 0, -1));
    give("a 200s 0.9");
    assertEquals(State.KEPT, lookAfter(0), "100 s of 180");
    assertEquals("can be kept, at alpha 0.50: what is left takes about 1m40s", deadlines.latest().get(0).describe());
    assertEquals(0.5, settings.ratio(Setting.MAX_UTILIZATION));
    verify(cluster).urgent(Set.of("uuid-a"));
  }

  @Test
  void alpha_risesAsFarAsTheDeadlineNeedsIt_andFallsAfterwards() throws Exception {
    leaving(node("a", 35_000, 0, -1));
    give("all 90s 0.9");
    assertEquals(State.KEPT, lookAfter(0));
    assertEquals(0.65, settings.ratio(Setting.MAX_UTILIZATION), 1e-9);
    assertEquals("deadline of all at 2026-11-27T17:01:30Z", settings.origin(Setting.MAX_UTILIZATION));
    assertTrue(settings.isImposed(Setting.MAX_UTILIZATION));
    leaving(node("a", 10_000, 0, -1));
    assertEquals(State.KEPT, lookAfter(1));
    assertEquals(0.5, settings.ratio(Setting.MAX_UTILIZATION));
    leaving();
    assertEquals(State.MET, lookAfter(50));
    verify(cluster).urgent(Set.of());
  }

  @Test
  void measuredRate_takesThePlaceOfTheExpectedOne() throws Exception {
    leaving(node("a", 35_000, 0, 400));
    give("all 300s 0.9");
    assertEquals(State.KEPT, lookAfter(0));
    assertEquals(0.75, settings.ratio(Setting.MAX_UTILIZATION), 1e-9, "270 s of 400 at 0.5");
  }

  @Test
  void rateOfTheFirstSeconds_isNotCountedOnYet() throws Exception {
    LeavingNode left = node("a", 35_000, 0, 400).node();
    give("all 300s 0.9");
    for (int measuredSec : new int[] {2, 14}) {
      leaving(new Leaving(left, 3_000, -1, 0, measuredSec * 1_000_000_000L));
      assertEquals(State.KEPT, lookAfter(0), "100 s, as 70 % of what is allowed takes");
      assertEquals(0.5, settings.ratio(Setting.MAX_UTILIZATION), 1e-9);
    }
    leaving(new Leaving(left, 3_000, -1, 0, 15_000_000_000L));
    assertEquals(State.AT_RISK, lookAfter(0));
  }

  @Test
  void rateOfTheTimeBeforeAlphaRose_raisesItNoFurther() throws Exception {
    leaving(node("a", 35_000, 0, 400));
    give("all 300s 0.9");
    lookAfter(0);
    leaving(node("a", 34_800, 0, 398, 2));
    lookAfter(2);
    assertEquals(0.75, settings.ratio(Setting.MAX_UTILIZATION), 1e-9);
    leaving(node("a", 10_000, 0, 85, 200));
    lookAfter(200);
    assertEquals(0.75, settings.ratio(Setting.MAX_UTILIZATION), 1e-9, "85 s of 90, as measured");
  }

  @Test
  void minimumInBytes_isOneOfEachNode() throws Exception {
    settings.change(Setting.MIN_BANDWIDTH, "10000000", "set by a test", 1);
    foreground(80 * MB);
    leaving(node("a", 35_000, 0, -1));
    give("all 600s 0.5");
    assertEquals(State.KEPT, lookAfter(0));
    assertEquals(500, deadlines.latest().get(0).seconds(), "70 % of ten times 10 MB/s");
  }

  @Test
  void deadlineThatCannotBeKept_isWarnedOf_at30PercentOfItsTime_once() throws Exception {
    leaving(node("a", 350_000, 0, -1));
    give("all 100s 0.9");
    LogCapturer log = LogCapturer.captureLogs(LoggerFactory.getLogger(DeadlineControl.class));
    try {
      assertEquals(State.AT_RISK, lookAfter(0));
      assertEquals(1, deadlines.atRisk());
      assertEquals("will be missed: even at alpha 0.90 what is left takes about 9m15s",
          deadlines.latest().get(0).describe());
      assertEquals(0.9, settings.ratio(Setting.MAX_UTILIZATION));
      lookAfter(29);
      assertTrue(!log.getOutput().contains("WARN"), log.getOutput());
      lookAfter(30);
      lookAfter(31);
      assertEquals(1, log.getOutput().lines().filter(line -> line.contains("will be missed")).count());
      assertEquals(State.MISSED, lookAfter(100));
      assertEquals(0.5, settings.ratio(Setting.MAX_UTILIZATION), "it is over");
      assertTrue(log.getOutput().contains("the deadline of all at 2026-11-27T17:01:40Z: missed"), log.getOutput());
    } finally {
      log.stopCapturing();
    }
  }

  @Test
  void alphaThatAnAdminAllowsNoLonger_isLoweredAtOnce() throws Exception {
    leaving(node("a", 350_000, 0, -1));
    for (double allowed : new double[] {0.9, 0.85, 0.8}) {
      give("all 100s " + allowed);
      assertEquals(State.AT_RISK, lookAfter(0));
      assertEquals(allowed, settings.ratio(Setting.MAX_UTILIZATION), 1e-9);
    }
  }

  @Test
  void alphaThatIsATenthTooHigh_isLowered_lessIsNot() throws Exception {
    leaving(node("a", 55_000, 0, -1));
    give("all 98s 0.9");
    lookAfter(0);
    assertEquals(0.9, settings.ratio(Setting.MAX_UTILIZATION), 1e-9);
    leaving(node("a", 50_000, 0, -1));
    lookAfter(0);
    assertEquals(0.9, settings.ratio(Setting.MAX_UTILIZATION), 1e-9, "0.85 is enough");
    leaving(node("a", 49_000, 0, -1));
    lookAfter(0);
    assertEquals(0.8, settings.ratio(Setting.MAX_UTILIZATION), 1e-9);
  }

  @Test
  void nodeThatHasJustBegunToLeave_leavesTheMeasuredRatesOfTheOthersAsTheyAre() throws Exception {
    leaving(node("a", 35_000, 0, 400));
    give("all 1h 0.9");
    assertEquals(State.KEPT, lookAfter(0));
    assertEquals(400, deadlines.latest().get(0).seconds());
    leaving(node("a", 35_000, 0, 400), node("b", 3_500, 0, -1));
    lookAfter(0);
    assertEquals(410, deadlines.latest().get(0).seconds(), "70 % of what targets may receive, for b only");
  }

  @Test
  void whatRecoveryCannotCopy_isARisk() throws Exception {
    leaving(node("a", 0, 3, -1));
    give("all 100s 0.9");
    assertEquals(State.AT_RISK, lookAfter(0));
    assertEquals("recovery cannot copy 3 of the blocks that are left", deadlines.latest().get(0).describe());
    assertEquals(0.5, settings.ratio(Setting.MAX_UTILIZATION));
  }

  @Test
  void earlierDeadline_isCountedFirst() throws Exception {
    leaving(node("a", 35_000, 0, -1), node("b", 35_000, 0, -1));
    give("b 300s 0.9", "a 150s 0.9");
    lookAfter(0);
    assertEquals(List.of("a", "b"), deadlines.latest().stream().map(one -> one.deadline().node()).toList());
    assertEquals(List.of(100L, 200L),
        deadlines.latest().stream().map(DeadlineControl.DeadlineStatus::seconds).toList());
  }

  @Test
  void alpha_isNotRaised_whileDeadlinesCannotBeFollowed() throws Exception {
    leaving(node("a", 350_000, 0, -1));
    give("all 100s 0.9");
    deadlines.tick(true, 0, NOW);
    assertEquals(0.9, settings.ratio(Setting.MAX_UTILIZATION));
    when(cluster.loads(anyLong())).thenThrow(new IllegalStateException("a test"));
    LogCapturer log = LogCapturer.captureLogs(LoggerFactory.getLogger(DeadlineControl.class));
    try {
      for (int s = 1; s <= 3; s++) {
        deadlines.tick(true, s * 1_000_000_000L, NOW.plusSeconds(s));
        assertEquals(0.5, settings.ratio(Setting.MAX_UTILIZATION));
        assertEquals(List.of(), deadlines.latest(), "what was true before is not shown as if it were now");
      }
    } finally {
      log.stopCapturing();
    }
    assertEquals(1, log.getOutput().lines().filter(line -> line.contains("could not be followed")).count());
    reset(cluster);
    when(cluster.loads(anyLong())).thenReturn(loads);
    when(cluster.nodes()).thenReturn(nodes);
    deadlines.tick(true, 4_000_000_000L, NOW.plusSeconds(4));
    assertEquals(0.9, settings.ratio(Setting.MAX_UTILIZATION));
  }

  @Test
  void nodeThatDoesNotLeaveYet_isWaitedFor_andStandbysDoNothing() throws Exception {
    give("a 200s 0.9");
    assertEquals(State.WAITING, lookAfter(0));
    deadlines.look(false, 1, NOW);
    assertEquals(List.of(), deadlines.latest());
  }

  @Test
  void deadlineThatWasMet_staysSo_whateverLeavesLater() throws Exception {
    give("all 100s 0.9");
    leaving(node("a", 1_000, 0, -1));
    assertEquals(State.KEPT, lookAfter(0));
    leaving();
    assertEquals(State.MET, lookAfter(50));
    leaving(node("b", 35_000, 0, -1));
    assertEquals(State.MET, lookAfter(101));
  }

  @Test
  void deadlineOfANodeThatLeftBeforeAFailover_isNotMissedHere() throws Exception {
    give("gone 100s 0.9", "a 100s 0.9");
    deadlines.look(false, 1, NOW);
    assertEquals(State.WAITING, lookAfter(50));
    lookAfter(101);
    assertEquals(List.of(State.NOT_SEEN, State.NOT_SEEN),
        deadlines.latest().stream().map(DeadlineControl.DeadlineStatus::state).toList());
    assertEquals(0, deadlines.atRisk());
  }

  @Test
  void nameOfNoDataNode_isSaid_andTheDeadlineIsMissedInTheEnd() throws Exception {
    give("nosuch 100s 0.9");
    assertEquals(State.WAITING, lookAfter(0));
    assertTrue(deadlines.latest().get(0).describe().startsWith("no live DataNode has this name"));
    assertEquals(State.MISSED, lookAfter(101));
    give("10.0.0.3:9866 100s 0.9");
    lookAfter(0);
    assertTrue(deadlines.latest().get(0).describe().startsWith("no such DataNode leaves now"), "by its address");
  }

  @Test
  void alphaBelowThatWhichHoldsAnyway_isSaidToHaveNoEffect() throws Exception {
    leaving(node("a", 35_000, 0, -1));
    give("a 300s 0.2");
    assertEquals(State.KEPT, lookAfter(0));
    assertTrue(deadlines.latest().get(0).describe().endsWith("; alpha is above its 0.2 without it"),
        deadlines.latest().get(0)::describe);
  }

  @Test
  void blockThatFitsNowhere_cannotBeKept_thoughOthersAreCopiedInTime() throws Exception {
    give("a 300s 0.9");
    leaving(new Leaving(new LeavingNode("uuid-a", "a:9866", false, true, 60, 1_000, Map.of(Cause.WAITING,
        new Left(10, 10 * MB, "blk_1_1"), Cause.NO_TARGET, new Left(2, 2 * MB, "blk_2_1")), Left.NONE, List.of()), -1,
        -1, 0, 0));
    assertEquals(State.AT_RISK, lookAfter(0));
    assertEquals("recovery cannot copy 2 of the blocks that are left", deadlines.latest().get(0).describe());
  }
}
