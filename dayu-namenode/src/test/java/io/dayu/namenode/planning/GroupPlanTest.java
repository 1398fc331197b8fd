/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.planning;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.GroupFixture;
import io.dayu.blocks.GroupPolicy;
import io.dayu.blocks.GroupTransfer;
import io.dayu.blocks.IndexedNode;
import io.dayu.blocks.LiveNode;
import io.dayu.blocks.LiveNodeFixture;
import io.dayu.blocks.TransferRequest;
import io.dayu.blocks.WaitingBlock;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.model.NodeTable;
import io.dayu.model.TaskTable;
import io.dayu.model.TimeslotPlan;
import io.dayu.namenode.NameNodeRuntime;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.exchange.NodeLoad.Link;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.namenode.transfers.AttemptFixture;
import io.dayu.protocol.DayuProtocolPB;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import static io.dayu.blocks.GroupFixture.GROUP_ID;
import static io.dayu.blocks.WaitingBlockBuilder.waitingBlock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What becomes of erasure-coded groups between the queues and the requests for HDFS. */
final class GroupPlanTest {
  private static final long MB = 1_000_000;

  private final List<LiveNode> nodes = new ArrayList<>();
  private final Map<String, NodeLoad> loads = new HashMap<>();

  @BeforeEach
  void eightNodes() {
    for (int i = 0; i < 8; i++) {
      node("n" + i);
    }
  }

  private void node(String uuid) {
    long[] room = new long[StorageType.values().length];
    int[] volumes = new int[room.length];
    room[StorageType.DISK.ordinal()] = 1L << 40;
    volumes[StorageType.DISK.ordinal()] = 3;
    nodes.add(LiveNodeFixture.liveNode(uuid, "10.0.0.1", uuid, 9866, "/r", true, room, volumes));
    loads.put(uuid,
        new NodeLoad(new Link(100 * MB, 0), new Link(100 * MB, 0), 1, 8).withCodecs(DayuProtocolPB.HADOOPS_CODECS));
  }

  private PlanningView view(List<Attempt> running, WaitingBlock... waiting) throws Exception {
    return new PlanningViewBuilder(Settings.read(new Configuration(false)), nodes, loads, running, true)
        .build(SelectedBlocks.of(List.of(waiting)), new BlockHistory(), 0);
  }

  private static TimeslotDecision decide(PlanningView view) throws Exception {
    return TimeslotPlanner.decision(view,
        NameNodeRuntime.algorithm(Settings.read(new Configuration(false))).newScheduler().plan(view.snapshot()),
        List.of(),
        List.of(), 0);
  }

  @Test
  void lostInternalBlock_isMadeFromAsManyOthersAsTheGroupNeeds() throws Exception {
    TransferRequest request = decide(view(List.of(), GroupFixture.lost(GROUP_ID, 1, 2))).requests().get(0);
    assertEquals(new BlockKey(GROUP_ID, 1), request.block());
    assertEquals(GroupFixture.BYTES, request.numBytes());
    GroupTransfer group = request.group();
    assertEquals(2, group.index());
    assertTrue(group.rebuild());
    assertEquals(3, group.sources().size());
    Set<Integer> indices = new HashSet<>();
    for (IndexedNode source : group.sources()) {
      assertEquals("n" + source.index(), source.node());
      assertTrue(source.index() != 2 && indices.add(source.index()));
    }
    assertEquals(request.source(), group.sources().get(0).node());
    assertTrue(Set.of("n5", "n6", "n7").contains(request.target()), "no node that has an internal block");
  }

  @Test
  void twoLostInternalBlocks_areTwoTransfersToDifferentNodes() throws Exception {
    List<TransferRequest> requests = decide(view(List.of(), GroupFixture.lost(GROUP_ID, 0, 4, 1))).requests();
    assertEquals(List.of(4, 1), requests.stream().map(request -> request.group().index()).toList());
    assertNotEquals(requests.get(0).target(), requests.get(1).target());
  }

  @Test
  void nodeWhoseAgentCannotRebuild_getsCopiesOnly() throws Exception {
    for (String old : List.of("n5", "n6")) {
      loads.put(old, loads.get(old).withCodecs(Set.of()));
    }
    WaitingBlock[] waiting = new WaitingBlock[20];
    for (int i = 0; i < waiting.length; i++) {
      waiting[i] = i % 2 == 0 ? GroupFixture.lost(GROUP_ID + 16 * i, 1, 2)
          : waitingBlock(i).on("n0", "n1", "n2", "n3", "n4").build();
    }
    Set<String> targets = new HashSet<>();
    for (TransferRequest request : decide(view(List.of(), waiting)).requests()) {
      targets.add(request.target());
      assertTrue(request.group() == null || request.target().equals("n7"), request::toString);
    }
    assertTrue(targets.contains("n5") || targets.contains("n6"), "for blocks as for any node");
    loads.put("n7", loads.get("n7").withCodecs(Set.of()));
    PlanningView none = view(List.of(), GroupFixture.lost(GROUP_ID, 1, 2));
    assertEquals(1, none.unplaceable().size(), "for stock");
  }

  @Test
  void groupOfAnAdminsCodec_isRebuiltWhereTheDataNodeHasIt_elseItIsForStock() throws Exception {
    WaitingBlock lost = GroupFixture.lost(GroupFixture.LRC_3_2, GROUP_ID, 1, 2);
    PlanningView none = view(List.of(), lost, GroupFixture.lost(GROUP_ID + 16, 1, 2));
    assertEquals(List.of(lost.key()), none.unplaceable().stream().map(WaitingBlock::key).toList(), "for stock");
    assertEquals(1, decide(none).copies().size());
    loads.put("n6", loads.get("n6").withCodecs(Set.of("rs", "lrc")));
    assertEquals(List.of("n6"),
        decide(view(List.of(), lost)).requests().stream().map(TransferRequest::target).toList());
  }

  @Test
  void leavingGroupOfAnAdminsCodec_isRebuiltWhereTheDataNodeHasIt() throws Exception {
    List<TransferRequest> rebuilt = rebuilds(decideOnLeaving(GroupFixture.LRC_3_2, "auto", List.of()));
    assertEquals(Set.of("n9"), rebuilt.stream().map(TransferRequest::target).collect(Collectors.toSet()));
  }

  @Test
  void groupWithFewerLiveSourcesThanItNeeds_isNotPlanned() throws Exception {
    nodes.removeIf(node -> node.uuid().equals("n0") || node.uuid().equals("n1"));
    PlanningView view = view(List.of(), GroupFixture.lost(GROUP_ID, 0, 2));
    assertEquals(List.of(), view.waiting());
    assertEquals(List.of(), view.unplaceable());
    node("n0");
    assertEquals(1, decide(view(List.of(), GroupFixture.lost(GROUP_ID, 0, 2))).copies().size());
  }

  @Test
  void internalBlockOfALeavingNode_isCopied() throws Exception {
    GroupTransfer group = decide(view(List.of(), GroupFixture.leaving(GROUP_ID, 3, 1))).requests().get(0).group();
    assertEquals(List.of(new IndexedNode("n1", 1)), group.sources());
    assertEquals(1, group.index());
    assertEquals(false, group.rebuild());
  }

  @Test
  void misplacedGroup_copiesWhatItsSourceHas() throws Exception {
    GroupTransfer group = decide(view(List.of(), GroupFixture.misplaced(GROUP_ID, 3))).requests().get(0).group();
    assertEquals(group.index(), group.sources().get(0).index());
    assertEquals(1, group.sources().size());
  }

  @Test
  void singleSourceThatIsLost_isReplacedInItsPlace() throws Exception {
    WaitingBlock needed = GroupFixture.lost(GROUP_ID, 0, 4);
    TransferRequest request = decide(view(List.of(), needed)).requests().get(0);
    Attempt attempt = AttemptFixture.granted(7, request, needed);
    List<String> before = request.group().sources().stream().map(IndexedNode::node).toList();
    nodes.removeIf(node -> node.uuid().equals(before.get(1)));
    PlanningView view = view(List.of(attempt));
    assertEquals(3, view.snapshot().tasks().width(0));
    List<String> after = decide(view).redirected().get(0).sources();
    assertEquals(before.get(0), after.get(0));
    assertEquals(before.get(2), after.get(2));
    Set<String> other = new HashSet<>(Set.of("n0", "n1", "n2", "n3"));
    other.removeAll(before);
    assertEquals(other, Set.of(after.get(1)));
  }

  @Test
  void rebuildWithoutEnoughSources_keepsItsGrant() throws Exception {
    WaitingBlock needed = GroupFixture.lost(GROUP_ID, 0, 3, 4);
    TransferRequest request = decide(view(List.of(), needed)).requests().get(0);
    nodes.removeIf(node -> node.uuid().equals("n1"));
    TimeslotDecision decision = decide(view(List.of(AttemptFixture.granted(7, request, needed))));
    assertEquals(List.of(), decision.redirected());
    assertEquals(List.of(), decision.evicted());
  }

  /** Of 100 MB/s a rebuild of three sources writes 33 MB/s, though the disks could take no more than 40. */
  @Test
  void rebuild_writesAsMuchAsTheDisksTake_andReceivesAsMuchAsTheNetworkCarries() throws Exception {
    long beside = rate();
    loads.replaceAll((uuid, load) -> slowDisks(40 * MB, load));
    assertEquals(beside, rate(), beside / 100, "the network is the limit");
    loads.replaceAll((uuid, load) -> slowDisks(20 * MB, load));
    assertEquals(beside * 3 / 5.0, rate(), beside / 50.0, "the disks are");
    loads.replaceAll((uuid, load) -> slowDisks(100 * MB, load).withDisks(15 * MB));
    assertEquals(beside * 3 / 5.0, rate(), beside / 50.0, "the disks are, by their agents' word");
  }

  /** Eight nodes whose disks take 20 MB/s, and whose networks leave 75. */
  @Test
  void whereRecoveryInTheClusterIsLimited_rebuildsReceiveWhatTheDisksLeaveOfThat() throws Exception {
    loads.replaceAll((uuid, load) -> load.withDisks(20 * MB));
    assertLimits(0, 75, 20);
    assertLimits(1000, 75, 20);
    assertLimits(400, 50, 20);
    assertLimits(120, 15, 15);
    loads.replaceAll((uuid, load) -> slowDisks(40 * MB, load).withDisks(0));
    assertLimits(400, 50, 30);
  }

  private void assertLimits(long total, long in, long write) throws Exception {
    Configuration conf = new Configuration(false);
    conf.setLong(Setting.MAX_TOTAL_BANDWIDTH.key(), total * MB);
    NodeTable table = new PlanningViewBuilder(Settings.read(conf), nodes, loads, List.of(), true)
        .build(SelectedBlocks.of(List.of(GroupFixture.lost(GROUP_ID, 1, 2))), new BlockHistory(), 0).snapshot().nodes();
    for (int id = 0; id < nodes.size(); id++) {
      assertEquals(in * MB, table.recoverInBytesPerSec()[id], 1, "limit " + total);
      assertEquals(write * MB, table.writeBytesPerSec()[id], 1, "limit " + total);
    }
  }

  @Test
  void slowDisks_areNoLinkOfTheirOwn_whereNothingIsRebuilt() throws Exception {
    loads.replaceAll((uuid, load) -> slowDisks(20 * MB, load));
    NodeTable table = view(List.of(), waitingBlock(1).on("n0").build()).snapshot().nodes();
    assertNull(table.writeBytesPerSec());
    assertTrue(table.recoverInBytesPerSec()[1] <= 20 * MB);
  }

  private static NodeLoad slowDisks(long bytesPerSec, NodeLoad load) {
    return load.withCapacity(bytesPerSec, 100 * MB).withNetworkIn(100 * MB);
  }

  /** Of the only rebuild, whose sources can send as fast. */
  private long rate() throws Exception {
    return decide(view(List.of(), GroupFixture.lost(GROUP_ID, 1, 2))).copies().get(0).rateBytesPerSec();
  }

  @Test
  void clusterWithoutGroups_isPlannedAsBefore() throws Exception {
    TaskTable tasks = view(List.of(), waitingBlock(1).on("n0").build()).snapshot().tasks();
    assertNull(tasks.width());
    assertNull(view(List.of()).snapshot().nodes().writeBytesPerSec());
  }

  @Test
  void waitingGroup_comesBackAsItWasRead() {
    List<WaitingBlock> groups = List.of(GroupFixture.lost(GROUP_ID, 0, 3, 4), GroupFixture.leaving(GROUP_ID + 16, 3, 2),
        GroupFixture.misplaced(GROUP_ID + 32, 3));
    SelectedBlocks candidates = SelectedBlocks.of(groups);
    for (int i = 0; i < groups.size(); i++) {
      WaitingBlock found = candidates.get(i);
      assertEquals(groups.get(i).group(), found.group());
      assertEquals(groups.get(i).sources(), found.sources());
      assertEquals(new HashSet<>(groups.get(i).holders()), new HashSet<>(found.holders()));
    }
  }

  private TimeslotDecision decideOnLeaving(String rebuild, List<Attempt> running) throws Exception {
    return decideOnLeaving(GroupFixture.RS_3_2, rebuild, running);
  }

  /** Of 14 nodes all but n7 can rebuild by Hadoop's codecs, and n9 by another one, too. */
  private TimeslotDecision decideOnLeaving(GroupPolicy policy, String rebuild, List<Attempt> running)
      throws Exception {
    nodes.clear();
    for (int i = 0; i < 14; i++) {
      node("n" + i);
      loads.put("n" + i, new NodeLoad(new Link(1_000, 0), new Link(1_000, 0), 1, 64)
          .withCodecs(i == 7 ? Set.of() : DayuProtocolPB.HADOOPS_CODECS));
    }
    loads.put("n9", loads.get("n9").withCodecs(Set.of("rs", "lrc")));
    nodes.set(1, nodes.get(1).with(new LiveNode.Status(false, true)));
    WaitingBlock[] waiting = new WaitingBlock[60];
    for (int i = 0; i < waiting.length; i++) {
      waiting[i] = GroupFixture.leaving(policy, GROUP_ID + 16 * i, 3, 1);
    }
    Configuration conf = new Configuration(false);
    conf.set(Setting.DECOMMISSION_REBUILD.key(), rebuild);
    Settings settings = Settings.read(conf);
    Map.Entry<PlanningView, TimeslotPlan> planned =
        TimeslotPlanner.dryRun(view(running, waiting), NameNodeRuntime.algorithm(settings).newScheduler(),
            settings);
    return TimeslotPlanner.decision(planned.getKey(), planned.getValue(), List.of(), List.of(), 0);
  }

  private static List<TransferRequest> rebuilds(TimeslotDecision decision) {
    return decision.requests().stream().filter(request -> request.group().rebuild()).toList();
  }

  @Test
  void leavingNode_sendsWhatItCan_andTheRestIsRebuiltFromTheOthers() throws Exception {
    TimeslotDecision copiesOnly = decideOnLeaving("never", List.of());
    assertEquals(List.of(), rebuilds(copiesOnly));
    int copies = copiesOnly.copies().size();
    assertTrue(copies > 0 && copies < 20, () -> "the leaving node sends " + copies);

    TimeslotDecision decision = decideOnLeaving("auto", List.of());
    List<TransferRequest> rebuilt = rebuilds(decision);
    assertTrue(decision.copies().size() - rebuilt.size() >= copies, "all that it can send is copied");
    assertTrue(rebuilt.size() > 2, () -> rebuilt.size() + " are rebuilt");
    for (TransferRequest request : rebuilt) {
      assertEquals(1, request.group().index());
      assertEquals(3, request.group().sources().size());
      assertTrue(request.group().sources().stream().noneMatch(source -> source.node().equals("n1")));
      assertTrue(!Set.of("n0", "n1", "n2", "n3", "n4", "n7").contains(request.target()), request::toString);
    }
    long bytes = rebuilt.stream().mapToLong(request -> 3 * request.numBytes()).sum();
    assertTrue(bytes <= 0.5 * decision.volumeBytes() + 3 * GroupFixture.BYTES,
        () -> bytes + " of " + decision.volumeBytes());
  }

  @Test
  void rebuildsOfLeavingNodesUnderWay_countForTheirShare() throws Exception {
    List<TransferRequest> rebuilt = rebuilds(decideOnLeaving("auto", List.of()));
    List<Attempt> running = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      long id = GROUP_ID + 16 * (100 + i);
      TransferRequest first = rebuilt.get(0);
      running.add(AttemptFixture.granted(i, new TransferRequest(new BlockKey(id, 1), first.numBytes(), 3,
          first.source(), "n5", first.storageTypes(), first.group()), GroupFixture.leaving(id, 3, 1)));
    }
    assertTrue(running.get(0).rebuildsLeaving());
    assertEquals(List.of(), rebuilds(decideOnLeaving("auto", running)));
  }
}
