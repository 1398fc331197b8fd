/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.datanode.TestNumber;
import io.dayu.datanode.transfer.MiniGroupCluster.Group;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.SourceProto;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import static io.dayu.datanode.transfer.MiniGroupCluster.FAST;
import static io.dayu.datanode.transfer.MiniGroupCluster.SMALL_CELL;
import static io.dayu.datanode.transfer.MiniGroupCluster.grant;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Many rebuilds side by side whose sources break off at random offsets (HDFS-15240: a read that was given up wrote into
 * the buffer of another rebuild). All bytes are compared; no thread, connection, buffer or replica is left.
 * {@code -Drebuilds.count} says how many, {@code -Drebuilds.seed} which.
 */
@Tag("default-line")
class BrokenRebuildsIT {
  private static final int COUNT = TestNumber.count("rebuilds.count", 200, 1);
  private static final long SEED = TestNumber.seed("rebuilds.seed", 1);
  private static final int AT_ONCE = 6;
  private static final int GROUPS = 12;
  private static final int BREAKS_ONE_IN = 8;

  private final Map<DataNode, SourceProxy> breaking = new HashMap<>();
  private final Map<TransferService, Map<Long, GrantProto>> grants = new HashMap<>();
  private final AtomicInteger cancelled = new AtomicInteger();

  @Test
  @Timeout(900)
  void sourcesThatBreakOff_harmNothing() throws Exception {
    System.out.println("rebuilds.seed " + SEED);
    Random random = new Random(SEED);
    try (MiniGroupCluster cluster = new MiniGroupCluster(15, SEED, conf -> {})) {
      List<Group> groups = new ArrayList<>();
      String[] policies = {cluster.smallCells("rs", 3, 2), cluster.smallCells("rs", 6, 3),
          cluster.smallCells("rs", 10, 4), "XOR-2-1-1024k"};
      for (int i = 0; i < GROUPS; i++) {
        int cells = 12 + random.nextInt(40);
        groups.add(cluster.write(policies[i % policies.length], cells * SMALL_CELL + random.nextInt(SMALL_CELL)));
      }
      for (DataNode node : cluster.hdfs.getDataNodes()) {
        Random offsets = new Random(random.nextLong());
        breaking.put(node, SourceProxy.breaking(node.getXferPort(), () -> breakAfter(offsets)));
      }
      rebuildAll(cluster, groups, random);
      for (SourceProxy source : breaking.values()) {
        source.close();
      }
      cluster.assertNothingLeaks();
    }
    int broken = breaking.values().stream().mapToInt(SourceProxy::limited).sum();
    System.out
        .println(COUNT + " rebuilds, " + broken + " connections broken off, " + cancelled + " rebuilds cancelled");
    // About three for ten rebuilds: threads share the offsets in no fixed order.
    assertTrue(broken > COUNT / 10, "only " + broken + " connections were broken off");
  }

  private static synchronized int breakAfter(Random offsets) {
    return offsets.nextInt(BREAKS_ONE_IN) == 0 ? offsets.nextInt(12 * SMALL_CELL) : Integer.MAX_VALUE;
  }

  /** Each thread has groups of its own, so that no index is rebuilt twice at once. */
  private void rebuildAll(MiniGroupCluster cluster, List<Group> groups, Random random) throws Exception {
    for (Group group : groups) {
      cluster.service(cluster.free(group));
    }
    ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);
    try {
      List<Future<?>> ends = new ArrayList<>();
      for (int thread = 0; thread < AT_ONCE; thread++) {
        Random own = new Random(random.nextLong());
        int first = thread;
        List<Group> ownGroups = groups.subList(thread * GROUPS / AT_ONCE, (thread + 1) * GROUPS / AT_ONCE);
        ends.add(threads.submit(() -> {
          for (int i = first; i < COUNT; i += AT_ONCE) {
            rebuild(cluster, ownGroups.get(i / AT_ONCE % ownGroups.size()), own);
          }
          return null;
        }));
      }
      for (Future<?> end : ends) {
        end.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** Commands name all transfers of a DataNode. */
  private synchronized void grants(MiniGroupCluster cluster, TransferService service,
      Consumer<Map<Long, GrantProto>> change) {
    Map<Long, GrantProto> granted = grants.computeIfAbsent(service, other -> new TreeMap<>());
    change.accept(granted);
    cluster.apply(service, granted.values().toArray(new GrantProto[0]));
  }

  private void rebuild(MiniGroupCluster cluster, Group group, Random random) throws Exception {
    List<Integer> indices = new ArrayList<>(group.holders().keySet());
    int lost = indices.get(random.nextInt(indices.size()));
    DataNode target = cluster.free(group);
    TransferService service = cluster.service(target);
    List<SourceProto> from = MiniGroupCluster.shuffled(group, lost, random).entrySet().stream()
        .map(holder -> MiniGroupCluster.source(holder.getKey(), holder.getValue()).toBuilder()
            .setTransferPort(breaking.get(holder.getValue()).port()).build())
        .toList();
    GrantProto grant = grant(group, lost, from, FAST);
    grants(cluster, service, grants -> grants.put(grant.getAttempt(), grant));
    if (random.nextInt(20) == 0) {
      Thread.sleep(random.nextInt(40));
      grants(cluster, service, grants -> grants.remove(grant.getAttempt()));
    }
    Outcome outcome = cluster.end(service, grant).getOutcome();
    grants(cluster, service, grants -> grants.remove(grant.getAttempt()));
    if (outcome == Outcome.CANCELLED) {
      cancelled.incrementAndGet();
      service.granted().acknowledge(cluster.pool(), List.of(grant.getAttempt()));
      return;
    }
    assertEquals(Outcome.DONE, outcome, () -> cluster.ended(service, grant).getMessage());
    ExtendedBlock block = group.internalBlock(lost);
    PullCluster.assertSameFiles(block, group.holders().get(lost), target);
    service.granted().acknowledge(cluster.pool(), List.of(grant.getAttempt()));
    MiniGroupCluster.remove(target, block);
  }
}
