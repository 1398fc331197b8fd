/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.GroupNeed;
import io.dayu.blocks.GroupTransfer;
import io.dayu.blocks.IndexedNode;
import io.dayu.blocks.PendingCheck.State;
import io.dayu.blocks.TransferRequest;
import io.dayu.blocks.WaitingBlock;
import io.dayu.harness.TestOption;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.SystemErasureCodingPolicies;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfoStriped.StorageAndBlockIndex;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import static org.apache.hadoop.hdfs.server.blockmanagement.GroupCluster.CELL;
import static org.apache.hadoop.hdfs.server.blockmanagement.GroupCluster.ON_RACK;
import static org.apache.hadoop.hdfs.server.blockmanagement.GroupCluster.key;
import static org.apache.hadoop.hdfs.server.blockmanagement.GroupCluster.policy;
import static org.apache.hadoop.hdfs.server.blockmanagement.GroupCluster.uuid;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Seeded sequences of what happens to erasure-coded groups, on a real BlockManager: internal blocks are lost or
 * corrupt, nodes leave, enter maintenance, have full disks and return, transfers are planned at random, end, fail or
 * are adopted, reports are late, and stock HDFS makes some, too. In every other sequence all storages count as stale,
 * so that HDFS deletes nothing. No index is made twice at once, no node has two of a group, a group never has fewer
 * than before by what Dayu does, and in the end all are whole.
 *
 * <p>{@code -Dsequences.count} and {@code -Dsequences.base} run others.
 */
class GroupSequencesIT {
  private static final int RACKS = 12;
  private static final int NODES = RACKS * ON_RACK;
  private static final int GROUPS = 6;
  private static final int STEPS = 250;
  private static final int MAX_LEAVING = 3;
  private static final int MAX_FULL = 4;

  private static GroupCluster cluster;

  private final List<BlockInfoStriped> groups = new ArrayList<>();
  private final List<TransferRequest> running = new ArrayList<>();
  private GroupDisks disks;
  private Random random;
  private int completed;
  private int refused;

  @BeforeAll
  static void start() throws Exception {
    cluster = new GroupCluster(RACKS);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  static LongStream seeds() {
    long base = TestOption.seed("sequences.base", 1);
    return LongStream.range(base, base + TestOption.count("sequences.count", 12, 1));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void groups_areNeverMixedUp_andWholeInTheEnd(long seed) throws Exception {
    System.out.println("seed " + seed);
    random = new Random(seed);
    disks = new GroupDisks(cluster, random);
    for (int node = 0; node < NODES; node++) {
      cluster.fill(node, GroupCluster.ROOM_BYTES);
      if (seed % 2 == 0) {
        cluster.storage(node).receivedBlockReport();
      } else {
        cluster.storage(node).markStaleAfterFailover();
      }
    }
    for (int i = 0; i < GROUPS; i++) {
      addGroup();
    }
    for (int step = 0; step < STEPS; step++) {
      step();
      check();
    }
    allWell();
    for (BlockInfoStriped group : groups) {
      assertEquals(group.getRealTotalBlockNum(), live(group), group + " " + disks.of(group));
      assertEquals(0, cluster.pending(group), group.toString());
      assertFalse(cluster.waits(group), group.toString());
    }
    System.out.println("seed " + seed + ": " + completed + " transfers completed, " + refused + " refused by agents");
    assertTrue(completed > GROUPS);
  }

  /** Nodes are back, disks have room, and what is late arrives. */
  private void allWell() throws Exception {
    cluster.backInService();
    for (int node = 0; node < NODES; node++) {
      cluster.fill(node, GroupCluster.ROOM_BYTES);
    }
    for (int round = 0; round < 40; round++) {
      deliverAll();
      for (int node = 0; node < NODES; node++) {
        disks.delete(node);
      }
      cluster.access.liveNodes();
      groups.forEach(cluster::enqueue);
      plan();
      while (!running.isEmpty()) {
        complete(0);
      }
      endStocks();
      check();
    }
    deliverAll();
  }

  private void addGroup() throws Exception {
    List<ErasureCodingPolicy> policies = List.of(GroupCluster.RS_3_2, GroupCluster.RS_6_3,
        SystemErasureCodingPolicies.getByID(SystemErasureCodingPolicies.XOR_2_1_POLICY_ID));
    ErasureCodingPolicy policy = policies.get(random.nextInt(policies.size()));
    long bytes = 1 + random.nextInt(3 * policy.getNumDataUnits() * CELL);
    int width = (int) Math.min(policy.getNumDataUnits(), (bytes - 1) / CELL + 1);
    List<Integer> racks = new ArrayList<>(IntStream.range(0, RACKS).boxed().toList());
    Collections.shuffle(racks, random);
    int[] holders = new int[policy.getNumDataUnits() + policy.getNumParityUnits()];
    Map<Integer, Integer> disk = new HashMap<>();
    for (int index = 0; index < holders.length; index++) {
      boolean real = index < width || index >= policy.getNumDataUnits();
      holders[index] = real ? racks.get(index) * ON_RACK + random.nextInt(ON_RACK) : -1;
      if (real) {
        disk.put(holders[index], index);
      }
    }
    BlockInfoStriped group = cluster.add(policy, bytes, holders);
    groups.add(group);
    disks.add(group, disk);
  }

  private void step() throws Exception {
    switch (random.nextInt(16)) {
      case 0, 1 -> disks.lose(any());
      case 2 -> startLeaving(random.nextInt(NODES));
      case 3 -> cluster.node(random.nextInt(NODES)).stopDecommission();
      case 4 -> adoptAnew();
      case 5 -> handToStock(any());
      case 6 -> endStocks();
      case 7 -> {
        if (!running.isEmpty()) {
          cluster.access.unregister(List.of(running.remove(random.nextInt(running.size()))));
        }
      }
      case 8 -> {
        if (!running.isEmpty()) {
          complete(random.nextInt(running.size()));
        }
      }
      case 9 -> disks.findCorrupt(any());
      case 10 -> enterMaintenance(random.nextInt(NODES));
      case 11 -> cluster.node(random.nextInt(NODES)).stopMaintenance();
      case 12 -> fillOrEmpty(random.nextInt(NODES));
      case 13 -> {
        for (int node = 0; node < NODES; node++) {
          disks.delete(node);
        }
      }
      case 14 -> {
        if (disks.late() > 0) {
          deliver(random.nextInt(disks.late()));
        }
      }
      default -> plan();
    }
  }

  private BlockInfoStriped any() {
    return groups.get(random.nextInt(groups.size()));
  }

  private boolean mayLeave() {
    return IntStream.range(0, NODES).filter(one -> !cluster.node(one).isInService()).count() < MAX_LEAVING;
  }

  private void startLeaving(int node) {
    if (mayLeave() && cluster.node(node).isInService()) {
      cluster.node(node).startDecommission();
      groups.forEach(cluster::enqueue);
    }
  }

  private void enterMaintenance(int node) {
    if (mayLeave() && cluster.node(node).isInService()) {
      cluster.node(node).startMaintenance();
      if (random.nextBoolean()) {
        cluster.node(node).setInMaintenance();
      }
      groups.forEach(cluster::enqueue);
    }
  }

  private void fillOrEmpty(int node) {
    long full = IntStream.range(0, NODES).filter(one -> cluster.storage(one).getRemaining() < CELL).count();
    boolean empties = cluster.storage(node).getRemaining() < CELL;
    if (empties || full < MAX_FULL) {
      cluster.fill(node, empties ? GroupCluster.ROOM_BYTES : 100);
    }
  }

  /** As after a failover: HDFS has forgotten a registration, and the agent says what it is running. */
  private void adoptAnew() {
    if (!running.isEmpty()) {
      TransferRequest one = running.get(random.nextInt(running.size()));
      cluster.access.unregister(List.of(one));
      if (!cluster.access.adopt(List.of(one)).get(0).committed()) {
        running.remove(one);
      }
    }
  }

  private void handToStock(BlockInfoStriped group) {
    WaitingBlock needed = cluster.read(group);
    if (needed != null) {
      cluster.access.scheduleByStock(List.of(needed));
    }
  }

  /** What stock had pending ends: with an internal block that was lost, or without. */
  private void endStocks() throws Exception {
    for (BlockInfoStriped group : groups) {
      List<DatanodeStorageInfo> targets = cluster.blocks.pendingReconstruction.getTargets(group);
      for (DatanodeStorageInfo target : targets == null ? List.<DatanodeStorageInfo>of() : List.copyOf(targets)) {
        int node = number(target.getDatanodeDescriptor().getDatanodeUuid());
        boolean ours = running.stream().anyMatch(one -> one.block().equals(key(group))
            && one.target().equals(uuid(node)));
        if (!ours) {
          int lost = disks.firstLost(group);
          // Stock does not look whether the node has to report a deletion first.
          if (lost >= 0 && random.nextBoolean() && disks.isClear(group, node)) {
            disks.put(group, node, lost);
            cluster.report(group, lost, node);
          } else {
            cluster.blocks.pendingReconstruction.decrement(group, target);
          }
        }
      }
      cluster.enqueue(group);
    }
  }

  private void deliverAll() throws Exception {
    while (disks.late() > 0) {
      deliver(0);
    }
  }

  private void deliver(int which) throws Exception {
    GroupDisks.Report report = disks.deliver(which);
    if (!report.deleted()) {
      endTransferTo(report);
    }
  }

  /** The NameNode could not know that a target had an internal block already; now it does. */
  private void endTransferTo(GroupDisks.Report report) {
    List<TransferRequest> there = running.stream()
        .filter(one -> one.block().equals(key(report.group())) && one.target().equals(uuid(report.node()))).toList();
    for (TransferRequest one : there) {
      assertNotEquals(State.WANTED, cluster.access.check(List.of(one)).get(0).state(), one.toString());
      cluster.access.unregister(List.of(one));
      running.remove(one);
    }
  }

  private static int number(String uuid) {
    return Integer.parseInt(uuid.substring(0, 8));
  }

  /** Plans for each group what it lacks, at random within what the reading says. */
  private void plan() {
    cluster.access.liveNodes();
    for (BlockInfoStriped group : groups) {
      WaitingBlock needed = cluster.read(group);
      if (needed != null && !needed.isForStock() && !needed.lacksSources()) {
        for (int i = 0; i < needed.copies(); i++) {
          TransferRequest request = plan(group, needed, i);
          if (request != null && cluster.access.commit(List.of(request), () -> true).get(0).committed()) {
            running.add(request);
          }
        }
      }
    }
  }

  private TransferRequest plan(BlockInfoStriped group, WaitingBlock needed, int wanted) {
    List<Integer> targets = new ArrayList<>(IntStream.range(0, NODES).boxed().filter(node -> cluster.node(node)
        .isInService() && !needed.holders().contains(uuid(node))
        && !needed.forbiddenFaultDomains().contains(
            cluster.node(node).getNetworkLocation()))
        .toList());
    if (targets.isEmpty()) {
      return null;
    }
    int target = targets.get(random.nextInt(targets.size()));
    GroupNeed need = needed.group();
    int index = need.wanted().get(wanted).index();
    List<IndexedNode> sources = new ArrayList<>(need.sources());
    int count = need.sourcesAtOnce();
    if (need.canRebuildInstead() && random.nextBoolean()) {
      sources = new ArrayList<>(need.others());
      count = need.width();
    }
    Collections.shuffle(sources, random);
    sources = sources.subList(0, count);
    if (need.kind() == GroupNeed.Kind.PLACEMENT) {
      index = sources.get(0).index();
    }
    return new TransferRequest(key(group),
        GroupCluster.transfer(group, index, target, sources.get(0)).numBytes(), needed.risk(),
        sources.get(0).node(), uuid(target), needed.storageTypes(),
        new GroupTransfer(policy(group), group.getNumBytes(), index, List.copyOf(sources)));
  }

  /** The target has received what it was to get, and reports it at once, or when the transfer has been given up. */
  private void complete(int which) throws Exception {
    TransferRequest done = running.remove(which);
    BlockInfoStriped group = groups.stream().filter(one -> key(one).equals(done.block())).findFirst().orElseThrow();
    int node = number(done.target());
    int index = done.group().index();
    if (!disks.isClear(group, node)) {
      refused++;
    } else if (random.nextInt(4) == 0) {
      disks.putUnreported(group, node, index);
    } else if (cluster.access.check(List.of(done)).get(0).state() == State.WANTED) {
      int before = live(group);
      disks.put(group, node, index);
      cluster.report(group, index, node);
      assertEquals(State.COMPLETE, cluster.access.check(List.of(done)).get(0).state(), done.toString());
      assertTrue(live(group) >= before, group + " has fewer than before");
      completed++;
    }
    cluster.access.unregister(List.of(done));
  }

  private static int live(BlockInfoStriped group) {
    return cluster.blocks.countNodes(group).liveReplicas();
  }

  private void check() {
    for (BlockInfoStriped group : groups) {
      List<TransferRequest> ofGroup = running.stream().filter(one -> one.block().equals(key(group))).toList();
      assertEquals(ofGroup.size(), ofGroup.stream().map(one -> one.group().index()).distinct().count(),
          "an index is made twice: " + ofGroup);
      assertEquals(ofGroup.size(), ofGroup.stream().map(TransferRequest::target).distinct().count(),
          "a node makes two indices: " + ofGroup);
      Map<Integer, Integer> known = new HashMap<>();
      for (StorageAndBlockIndex one : group.getStorageAndIndexInfos()) {
        assertEquals(null, known.put(number(one.getStorage().getDatanodeDescriptor().getDatanodeUuid()),
            (int) one.getBlockIndex()));
      }
      assertEquals(disks.reported(group), known, group + ": what is on disk and reported is known");
      for (TransferRequest one : ofGroup) {
        assertFalse(known.containsKey(number(one.target())), one + " goes to a holder");
      }
      assertTrue(disks.good(group) >= group.getRealDataBlockNum(), group + " is lost: " + disks.of(group));
    }
  }
}
