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
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.SystemErasureCodingPolicies;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfoStriped.StorageAndBlockIndex;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

import static org.apache.hadoop.hdfs.server.blockmanagement.GroupCluster.CELL;
import static org.apache.hadoop.hdfs.server.blockmanagement.GroupCluster.ON_RACK;
import static org.apache.hadoop.hdfs.server.blockmanagement.GroupCluster.key;
import static org.apache.hadoop.hdfs.server.blockmanagement.GroupCluster.policy;
import static org.apache.hadoop.hdfs.server.blockmanagement.GroupCluster.uuid;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Seeded sequences of what happens to erasure-coded groups, on a real BlockManager: internal blocks are lost and come
 * back, nodes leave and return, transfers are planned at random, end, fail or are adopted, and stock HDFS makes some,
 * too. No index is made twice at once, no node has two of a group, a group never has fewer than before by what Dayu
 * does, and in the end all are whole.
 */
class GroupSequencesIT {
  private static final int RACKS = 12;
  private static final int NODES = RACKS * ON_RACK;
  private static final int GROUPS = 6;
  private static final int STEPS = 150;
  private static final int MAX_LEAVING = 3;

  private static GroupCluster cluster;

  private final List<BlockInfoStriped> groups = new ArrayList<>();
  private final List<TransferRequest> running = new ArrayList<>();
  /** What is on the nodes' disks: by group, the index of each node. */
  private final Map<BlockInfoStriped, Map<Integer, Integer>> disks = new HashMap<>();
  private Random random;
  private int completed;

  @BeforeAll
  static void start() throws Exception {
    cluster = new GroupCluster(RACKS);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void groups_areNeverMixedUp_andWholeInTheEnd(long seed) throws Exception {
    System.out.println("seed " + seed);
    random = new Random(seed);
    for (int i = 0; i < GROUPS; i++) {
      addGroup();
    }
    for (int step = 0; step < STEPS; step++) {
      step();
      check();
    }
    cluster.backInService();
    for (int round = 0; round < 40; round++) {
      cluster.access.liveNodes();
      groups.forEach(cluster::enqueue);
      plan();
      while (!running.isEmpty()) {
        complete(0);
      }
      endStocks();
      check();
    }
    for (BlockInfoStriped group : groups) {
      assertEquals(group.getRealTotalBlockNum(), live(group), group + " " + disks.get(group));
      assertEquals(0, cluster.pending(group), group.toString());
      assertFalse(cluster.waits(group), group.toString());
    }
    System.out.println("seed " + seed + ": " + completed + " transfers completed");
    assertTrue(completed > GROUPS);
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
    disks.put(group, disk);
  }

  private void step() throws Exception {
    switch (random.nextInt(10)) {
      case 0, 1 -> lose(any());
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
      default -> plan();
    }
  }

  private BlockInfoStriped any() {
    return groups.get(random.nextInt(groups.size()));
  }

  /** A holder is lost for good, if the group can do without it. */
  private void lose(BlockInfoStriped group) {
    Map<Integer, Integer> disk = disks.get(group);
    List<Integer> nodes = new ArrayList<>(disk.keySet().stream().sorted().toList());
    int node = nodes.get(random.nextInt(nodes.size()));
    long rest =
        disk.entrySet().stream().filter(one -> one.getKey() != node).map(Map.Entry::getValue).distinct().count();
    if (rest >= group.getRealDataBlockNum()) {
      disk.remove(node);
      cluster.lose(group, node);
    }
  }

  private void startLeaving(int node) {
    long leaving = IntStream.range(0, NODES).filter(one -> !cluster.node(one).isInService()).count();
    if (leaving < MAX_LEAVING) {
      cluster.node(node).startDecommission();
      groups.forEach(cluster::enqueue);
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
          int lost = IntStream.range(0, group.getTotalBlockNum())
              .filter(index -> isReal(group, index) && !disks.get(group).containsValue(index)).findFirst().orElse(-1);
          if (lost >= 0 && random.nextBoolean() && disks.get(group).putIfAbsent(node, lost) == null) {
            cluster.report(group, lost, node);
          } else {
            cluster.blocks.pendingReconstruction.decrement(group, target);
          }
        }
      }
      cluster.enqueue(group);
    }
  }

  private static boolean isReal(BlockInfoStriped group, int index) {
    return index < group.getRealDataBlockNum() || index >= group.getDataBlockNum();
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

  /** The target has received what it was to get. */
  private void complete(int which) throws Exception {
    TransferRequest done = running.remove(which);
    BlockInfoStriped group = groups.stream().filter(one -> key(one).equals(done.block())).findFirst().orElseThrow();
    int node = number(done.target());
    if (cluster.access.check(List.of(done)).get(0).state() == State.WANTED) {
      int before = live(group);
      assertEquals(null, disks.get(group).put(node, done.group().index()), done + " makes a second index there");
      cluster.report(group, done.group().index(), node);
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
      assertEquals(disks.get(group), known, group + ": what is on disk is known");
      for (TransferRequest one : ofGroup) {
        assertFalse(known.containsKey(number(one.target())), one + " goes to a holder");
      }
    }
  }
}
