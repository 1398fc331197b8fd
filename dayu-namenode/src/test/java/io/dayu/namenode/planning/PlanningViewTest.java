/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.planning;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.LiveNode;
import io.dayu.blocks.LiveNodeFixture;
import io.dayu.blocks.TransferRequest;
import io.dayu.blocks.WaitingBlock;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.model.ClusterSnapshot;
import io.dayu.model.TaskTable;
import io.dayu.model.TimeslotPlan;
import io.dayu.namenode.NameNodeRuntime;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.exchange.NodeLoad.Link;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.namenode.transfers.AttemptFixture;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import static io.dayu.blocks.WaitingBlockBuilder.waitingBlock;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What the planner is told of nodes, blocks and running attempts. */
final class PlanningViewTest {
  private static final int DISK = StorageType.DISK.ordinal();

  private final List<LiveNode> nodes = new ArrayList<>();
  private final Map<String, NodeLoad> loads = new HashMap<>();
  private final BlockHistory history = new BlockHistory();

  private void node(String uuid, String rack, long roomBytes, NodeLoad load) {
    long[] room = new long[StorageType.values().length];
    int[] volumes = new int[StorageType.values().length];
    room[DISK] = roomBytes;
    volumes[DISK] = 3;
    nodes.add(LiveNodeFixture.liveNode(uuid, "10.0.0.1", uuid, 9866, rack, true, room, volumes));
    if (load != null) {
      loads.put(uuid, load);
    }
  }

  private static NodeLoad load(long capacity, long foreground) {
    return new NodeLoad(new Link(capacity, foreground), new Link(capacity, foreground / 2), 2, 10);
  }

  private static WaitingBlock block(long id, List<String> holders, List<String> forbiddenFaultDomains) {
    return waitingBlock(id).bytes(1000).on(holders).forbiddenFaultDomains(forbiddenFaultDomains).build();
  }

  private PlanningView view(WaitingBlock... blocks) throws Exception {
    return builder(List.of()).build(SelectedBlocks.of(List.of(blocks)), history, 0);
  }

  @Test
  void bandwidth_isWhatEquationOneLeaves() throws Exception {
    node("a", "/r0", 1 << 20, load(1000, 200));
    node("b", "/r0", 1 << 20, load(1000, 740));
    node("c", "/r1", 1 << 20, null);
    ClusterSnapshot snapshot = view().snapshot();
    assertArrayEquals(new long[] {550, 120, 0}, snapshot.nodes().recoverInBytesPerSec(),
        "0.75 B - foreground, at least 12 % of B");
    assertArrayEquals(new long[] {650, 380, 120}, snapshot.nodes().recoverOutBytesPerSec(),
        "without agent: B_min of a typical node");
    assertArrayEquals(new boolean[] {true, true, false}, snapshot.nodes().acceptsTransfers());
    assertArrayEquals(new int[] {10, 10, 0}, snapshot.nodes().maxIncoming());
    assertArrayEquals(new int[] {192, 192, 192}, snapshot.nodes().maxOutgoing());
    assertEquals(2, snapshot.nodes().rackCount());
  }

  @Test
  void targetsWhoseDisksAreTheLimit_getWhatTheseTake() throws Exception {
    node("a", "/r0", 1 << 20, load(1000, 200).withDisks(20));
    node("b", "/r0", 1 << 20, load(1000, 200).withDisks(600));
    assertArrayEquals(new long[] {20, 550}, view().snapshot().nodes().recoverInBytesPerSec());
    assertArrayEquals(new long[] {650, 650}, view().snapshot().nodes().recoverOutBytesPerSec());
  }

  /** One that waits, or is queued, may do so for long: its node would be planned with more than it gives. */
  @Test
  void onlySourceOfABlock_sendsWithTwiceTheMinimum_whileItSends() throws Exception {
    for (String uuid : List.of("a", "b", "c", "d")) {
      node(uuid, "/r0", 1 << 20, load(1000, 1480));
    }
    WaitingBlock last = waitingBlock(1).bytes(1000).on("a").risk(0).build();
    WaitingBlock two = waitingBlock(2).bytes(1000).on("b", "c").risk(0).build();
    WaitingBlock begun = waitingBlock(7).bytes(1000).on("d").risk(0).build();
    Attempt running = AttemptFixture.granted(1, new TransferRequest(begun.key(), 1000, 0, "d", "b", 4), begun);
    WaitingBlock next = waitingBlock(8).bytes(1000).on("a").risk(0).build();
    Attempt queued = AttemptFixture.granted(2, new TransferRequest(next.key(), 1000, 0, "a", "b", 4), next);
    AttemptFixture.progressed(running, 1, 10);
    assertArrayEquals(new long[] {120, 120, 120, 240}, builder(List.of(running, queued))
        .build(SelectedBlocks.of(List.of(last, two)), history, 0).snapshot().nodes().recoverOutBytesPerSec());
  }

  @Test
  void limitOfTheWholeCluster_isSharedByThoseThatReceive() throws Exception {
    node("a", "/r0", 1 << 20, load(1000, 200));
    node("b", "/r0", 1 << 20, load(1000, 640));
    ClusterSnapshot snapshot = limited("220").snapshot();
    assertArrayEquals(new long[] {180, 39}, snapshot.nodes().recoverInBytesPerSec());
    assertArrayEquals(new long[] {650, 430}, snapshot.nodes().recoverOutBytesPerSec());
    assertArrayEquals(new long[] {550, 120}, limited("700").snapshot().nodes().recoverInBytesPerSec(),
        "less than the limit");
  }

  @Test
  void limitOfTheWholeCluster_countsWhatRunsToNodesThatAcceptNothingNew() throws Exception {
    node("a", "/r0", 1 << 20, load(1000, 200));
    node("avoided", "/r0", 1 << 20, load(1000, 200));
    nodes.set(1, nodes.get(1).withoutNewReplicas());
    assertArrayEquals(new long[] {220, 220}, limited("220").snapshot().nodes().recoverInBytesPerSec(),
        "nothing runs there");
    Attempt running = AttemptFixture.running(1, new TransferRequest(new BlockKey(7, 1), 1000, 2, "a", "avoided", 4));
    assertArrayEquals(new long[] {110, 110}, limited("220", running).snapshot().nodes().recoverInBytesPerSec());
  }

  private PlanningView limited(String bytesPerSec, Attempt... running) throws Exception {
    Configuration conf = new Configuration(false);
    conf.set(Setting.MAX_TOTAL_BANDWIDTH.key(), bytesPerSec);
    return new PlanningViewBuilder(Settings.read(conf), nodes, loads, List.of(running), true)
        .build(SelectedBlocks.of(List.of()), history, 0);
  }

  @Test
  void blockThatNoAgentCanReceive_isForStock() throws Exception {
    node("a", "/r0", 1 << 20, load(1000, 0));
    node("b", "/r0", 1 << 20, load(1000, 0));
    node("c", "/r1", 1 << 20, load(1000, 0));
    node("d", "/r1", 1 << 20, null);
    WaitingBlock fits = block(1, List.of("a"), List.of("/r0"));
    WaitingBlock rackWithoutFreeAgent = block(2, List.of("a", "c"), List.of("/r0"));
    WaitingBlock everyAgentHasIt = block(3, List.of("a", "b", "c"), List.of());
    PlanningView view = view(fits, rackWithoutFreeAgent, everyAgentHasIt);
    assertEquals(List.of(fits), view.waiting());
    assertEquals(List.of(rackWithoutFreeAgent, everyAgentHasIt), view.unplaceable());
  }

  @Test
  void lastSource_sendsOnlyBlocksThatHaveNoOther() throws Exception {
    for (int i = 0; i < 3; i++) {
      node("n" + i, "/r", 1 << 20, load(1000, 0));
    }
    nodes.set(0, nodes.get(0).asLastSource());
    TaskTable tasks = view(block(1, List.of("n0", "n1"), List.of()), block(2, List.of("n0"), List.of())).snapshot()
        .tasks();
    assertFalse(tasks.sources().contains(0, 0));
    assertTrue(tasks.sources().contains(0, 1));
    assertTrue(tasks.excludedTargets().contains(0, 0), "it has the block none the less");
    assertTrue(tasks.sources().contains(1, 0));
  }

  private void change(int index, boolean leaving, int xceiversIfOverloaded, float usedPercent) {
    LiveNode n = nodes.get(index);
    nodes.set(index, new LiveNode(n.address(), n.rack(), n.space(), new LiveNode.Status(!leaving, leaving),
        new LiveNode.Placement(null, xceiversIfOverloaded, usedPercent)));
  }

  @Test
  void leavingNodes_arePreferredSources_andNoTargets() throws Exception {
    for (String uuid : List.of("a", "b", "c")) {
      node(uuid, "/r", 1 << 20, load(1000, 0));
    }
    assertNull(view().snapshot().nodes().leaving());
    change(1, true, 0, 0);
    assertArrayEquals(new boolean[] {false, true, false}, view().snapshot().nodes().leaving());
    assertArrayEquals(new boolean[] {true, false, true}, view().snapshot().nodes().acceptsTransfers());
  }

  @Test
  void emptierNodes_arePreferredTargets_whereThePolicySaysHowFullTheyAre() throws Exception {
    for (String uuid : List.of("full", "half", "empty", "source")) {
      node(uuid, "/r", 1 << 20, load(1_000_000, 0));
    }
    assertNull(view().snapshot().nodes().targetWeight());
    change(0, false, 0, 99);
    change(1, false, 0, 55);
    change(3, false, 0, 99);
    WaitingBlock[] blocks = new WaitingBlock[24];
    for (int i = 0; i < blocks.length; i++) {
      blocks[i] = block(i + 1, List.of("source"), List.of());
    }
    int[] received = new int[4];
    TimeslotPlan plan =
        NameNodeRuntime.algorithm(Settings.read(new Configuration(false))).newScheduler().plan(view(blocks).snapshot());
    for (int target : plan.target()) {
      received[target]++;
    }
    assertTrue(received[2] > received[1] && received[1] > received[0], () -> Arrays.toString(received));
    assertEquals(blocks.length, received[0] + received[1] + received[2]);
    assertTrue(received[2] <= 2 * received[0], () -> "all carry their share: " + Arrays.toString(received));
  }

  /** All but "best" are alike; its B_recover is in the bucket of the others. */
  @ParameterizedTest
  @CsvSource({"space, 8192, 0, 1", "latency, 4096, 0, 1", "journal, 4096, 800, 2"})
  void tieBreak_isByWhatTheNameNodeKnows(String tieBreak, long freeBytes, long foreground, int running)
      throws Exception {
    node("a", "/r", 4096, load(1_000_000_000, 800));
    node("b", "/r", 4096, load(1_000_000_000, 800));
    node("best", "/r", freeBytes, load(1_000_000_000, foreground));
    node("source", "/r", 4096, load(1_000_000_000, 800));
    List<Attempt> attempts = new ArrayList<>();
    for (String target : running == 2 ? List.of("a", "b", "source") : List.<String>of()) {
      attempts.add(AttemptFixture.running(attempts.size() + 1,
          new TransferRequest(new BlockKey(99 + attempts.size(), 1), 1000, 2, "best", target, 1 << DISK)));
    }
    Configuration conf = new Configuration(false);
    conf.set(Setting.TIE_BREAK.key(), tieBreak);
    long[] order = new PlanningViewBuilder(Settings.read(conf), nodes, loads, attempts, true)
        .build(SelectedBlocks.of(List.of()), history, 0).snapshot().nodes().tieBreak();
    assertTrue(order[2] < order[0] && order[2] < order[1] && order[0] == order[1], () -> Arrays.toString(order));
    assertNull(view().snapshot().nodes().tieBreak(), "none by default");
  }

  @Test
  void nodesTooBusyForHdfs_areTheLastTargets_unlessOurTransfersKeepThemBusy() throws Exception {
    for (String uuid : List.of("busy", "other", "source")) {
      node(uuid, "/r", 1 << 20, load(1_000_000, 0));
    }
    change(0, false, 3, 0);
    WaitingBlock[] blocks = new WaitingBlock[10];
    for (int i = 0; i < blocks.length; i++) {
      blocks[i] = block(i + 1, List.of("source"), List.of());
    }
    PlanningView view = view(blocks);
    assertArrayEquals(new int[] {1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
        NameNodeRuntime.algorithm(Settings.read(new Configuration(false))).newScheduler().plan(view.snapshot())
            .target());
    assertTrue(view.snapshot().nodes().acceptsTransfers()[0]);
    Attempt served =
        AttemptFixture.running(1, new TransferRequest(new BlockKey(99, 1), 1000, 2, "busy", "other", 1 << DISK));
    assertNotNull(view(List.of(served)).snapshot().nodes().targetWeight(), "one of three threads is ours");
    assertNull(view(List.of(served, served)).snapshot().nodes().targetWeight());
  }

  private PlanningView view(List<Attempt> running) throws Exception {
    return builder(running).build(SelectedBlocks.of(List.of()), history, 0);
  }

  private PlanningViewBuilder builder(List<Attempt> running) throws Exception {
    return new PlanningViewBuilder(Settings.read(new Configuration(false)), nodes, loads, running, true);
  }

  @Test
  void nodesOfAForbiddenUpgradeDomain_areNoTargets() throws Exception {
    for (int i = 0; i < 4; i++) {
      node("n" + i, "/r" + i % 2, 1 << 20, load(1000, 0));
      LiveNode n = nodes.get(i);
      nodes.set(i, new LiveNode(n.address(), n.rack(), n.space(), n.status(),
          new LiveNode.Placement("domain " + i / 2, 0, 0)));
    }
    WaitingBlock fits = block(1, List.of("n0"), List.of("domain 0"));
    WaitingBlock noDomainLeft = block(2, List.of("n0", "n2"), List.of("domain 0", "domain 1"));
    WaitingBlock rackAndDomain = block(3, List.of("n0"), List.of("/r0", "domain 1"));
    WaitingBlock nothingLeft = block(4, List.of("n0", "n1"), List.of("/r0", "domain 1"));
    PlanningView view = view(fits, noDomainLeft, rackAndDomain, nothingLeft);
    assertEquals(List.of(fits, rackAndDomain), view.waiting());
    assertEquals(List.of(noDomainLeft, nothingLeft), view.unplaceable());
    int[] domain = view.snapshot().nodes().domain();
    assertTrue(view.snapshot().tasks().forbiddenFaultDomains().contains(0, domain[1]), "it is of the domain");
    assertFalse(view.snapshot().tasks().forbiddenFaultDomains().contains(0, domain[2]));
  }

  @Test
  void fullNodes_countAsNoTarget() throws Exception {
    node("a", "/r0", 1 << 20, load(1000, 0));
    node("b", "/r0", 999, load(1000, 0));
    WaitingBlock block = block(1, List.of("a"), List.of());
    assertEquals(List.of(block), view(block).unplaceable());
  }

  @Test
  void blockRefusedThreeTimes_isForStock() throws Exception {
    node("a", "/r0", 1 << 20, load(1000, 0));
    node("b", "/r0", 1 << 20, load(1000, 0));
    WaitingBlock block = block(1, List.of("a"), List.of());
    history.refuse(block.key(), "b", 0);
    history.refuse(block.key(), "b", 0);
    PlanningView twice = view(block);
    assertEquals(List.of(block), twice.waiting());
    assertTrue(twice.snapshot().tasks().excludedTargets().contains(0, 1), "a refused target is left out for a while");
    history.refuse(block.key(), "b", 0);
    assertEquals(List.of(block), view(block).unplaceable());
  }

  @Test
  void runningAttempt_keepsTheConstraintsOfItsBlock() throws Exception {
    node("a", "/r0", 1 << 20, load(1000, 0));
    node("b", "/r0", 1 << 20, load(1000, 0));
    node("c", "/r1", 1 << 20, load(1000, 0));
    node("d", "/r1", 1 << 20, load(1000, 0));
    Attempt first = AttemptFixture.granted(1, request("a", "c"), block(1, List.of("a"), List.of("/r0")));
    Attempt second = AttemptFixture.running(2, request("a", "d"));
    PlanningView view = view(List.of(first, second));
    assertTrue(view.snapshot().tasks().forbiddenFaultDomains().contains(0, 0), "the rack that its block may not go to");
    assertTrue(view.snapshot().tasks().excludedTargets().contains(0, 0), "who has its block");
    assertTrue(view.snapshot().tasks().excludedTargets().contains(0, 3), "the target of another copy");
  }

  @Test
  void blockThatCouldBePlanned_isPassedOverByAPlanWithoutIt() throws Exception {
    node("a", "/r0", 1 << 20, load(1000, 0));
    node("b", "/r0", 1 << 20, load(1000, 0));
    node("c", "/r1", 1 << 20, load(1000, 0));
    WaitingBlock left = block(1, List.of("a"), List.of());
    WaitingBlock taken = block(2, List.of("a", "b"), List.of());
    PlanningView view = view(left, taken);
    TimeslotPlan idle =
        new TimeslotPlan(new int[] {1}, new int[] {0}, new int[] {2}, new long[] {300}, new int[0], new long[0], 1, 1);
    assertEquals(List.of(left), SkippedBlocks.find(view, idle, 0));
    TimeslotPlan busySource =
        new TimeslotPlan(new int[] {1}, new int[] {0}, new int[] {2}, new long[] {400}, new int[0], new long[0], 1, 1);
    assertEquals(List.of(), SkippedBlocks.find(view, busySource, 0), "half of what its only source may send is used");
  }

  @Test
  void blockThatFewNodesMayReceive_isFoundInOneOfTheNextTimeslots() throws Exception {
    for (int i = 0; i < 40; i++) {
      node("n" + (10 + i), i == 39 ? "/r1" : "/r0", 1 << 20, load(1000, 0));
    }
    WaitingBlock block = block(1, List.of("n10"), List.of("/r0"));
    PlanningView view = view(block);
    TimeslotPlan empty =
        new TimeslotPlan(new int[0], new int[0], new int[0], new long[0], new int[0], new long[0], 0, 1);
    assertEquals(List.of(), SkippedBlocks.find(view, empty, 0), "the nodes that are looked at are on its own rack");
    assertEquals(List.of(block), SkippedBlocks.find(view, empty, 2));
  }

  private static TransferRequest request(String source, String target) {
    return new TransferRequest(new BlockKey(1, 1), 1000, 2, source, target, 1 << DISK);
  }

  @Test
  void blockWithoutALiveSource_takesNoRow() throws Exception {
    node("a", "/r0", 1 << 20, load(1000, 0));
    PlanningView view = view(block(1, List.of("gone"), List.of()));
    assertEquals(0, view.snapshot().tasks().count());
    assertEquals(List.of(), view.unplaceable());
  }
}
