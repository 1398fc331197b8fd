/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.harness.Await;
import io.dayu.harness.ClusterBuilder;
import io.dayu.harness.ClusterVerifier;
import io.dayu.harness.DayuCluster;
import io.dayu.harness.nic.Direction;
import io.dayu.harness.nic.EmulatedNic;
import io.dayu.harness.nic.NicCounters;
import io.dayu.harness.nic.Traffic;
import io.dayu.model.ClusterSnapshot;
import io.dayu.model.TimeslotPlan;
import io.dayu.schedule.DayuScheduler;
import io.dayu.schedule.TimeslotScheduler;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerAccess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * What passes an emulated NIC, how it is counted, and what Dayu makes of it. A machine that is busy makes everything
 * slower: so held is only that nothing is faster than its NIC, and every byte.
 */
@Tag("harness")
final class EmulatedNicIT {
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final int BLOCK_BYTES = 1 << 20;
  private static final long FILE_BYTES = 2 * BLOCK_BYTES + 12_345;
  private static final long NIC_BYTES_PER_SEC = 4 << 20;
  private static final double ALPHA = 0.75;

  private DayuCluster cluster;

  @AfterEach
  void close() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  /** Remembers what recovery may send from each node, as the scheduler is told. */
  private static final class Watcher implements TimeslotScheduler {
    static volatile long[] recoverOutBytesPerSec = new long[0];

    private final TimeslotScheduler real = new DayuScheduler();

    @Override
    public String name() {
      return "watched";
    }

    @Override
    public TimeslotPlan plan(ClusterSnapshot snapshot) {
      recoverOutBytesPerSec = snapshot.nodes().recoverOutBytesPerSec().clone();
      return real.plan(snapshot);
    }
  }

  /** The plugin with the scheduler that remembers. */
  public static final class WatchedPlugin extends RuntimePlugin {
    public WatchedPlugin() {
      super(new NameNodeRuntime(new Watcher(), BlockManagerAccess::required));
    }
  }

  private static ClusterBuilder builder(int nodes) {
    return FaultsIT.builder().dataNodes(nodes).blockSizeBytes(BLOCK_BYTES).emulatedNics(NIC_BYTES_PER_SEC);
  }

  private List<NicCounters> counters() {
    return cluster.nics().stream().map(EmulatedNic::counters).toList();
  }

  private static long sum(List<NicCounters> counters, Direction direction, Traffic traffic) {
    return counters.stream().mapToLong(node -> node.bytes(direction, traffic)).sum();
  }

  /** The last bytes may be through a little later than their stream ends: flows leave out waits that are too short. */
  private void assertCounted(String what, List<NicCounters> before, long foregroundIn, long foregroundOut,
      long recoveryIn, long recoveryOut) throws Exception {
    List<Long> expected = List.of(foregroundIn, foregroundOut, recoveryIn, recoveryOut);
    Await.until(what + " is counted as " + expected, LIMIT, () -> sums(since(before)).equals(expected),
        () -> sums(since(before)));
  }

  /** Foreground in and out, recovery in and out. */
  private static List<Long> sums(List<NicCounters> counters) {
    return List.of(sum(counters, Direction.IN, Traffic.FOREGROUND), sum(counters, Direction.OUT, Traffic.FOREGROUND),
        sum(counters, Direction.IN, Traffic.RECOVERY), sum(counters, Direction.OUT, Traffic.RECOVERY));
  }

  private List<NicCounters> since(List<NicCounters> before) {
    List<NicCounters> now = counters();
    List<NicCounters> difference = new ArrayList<>();
    for (int node = 0; node < now.size(); node++) {
      difference.add(now.get(node).minus(before.get(node)));
    }
    return difference;
  }

  private void assertNoFasterThanNics(List<NicCounters> carried, long bytesPerSec, long elapsedNs) {
    for (int node = 0; node < carried.size(); node++) {
      for (Direction direction : Direction.values()) {
        double minSec = (double) carried.get(node).bytes(direction) / bytesPerSec;
        assertTrue(elapsedNs / 1e9 >= 0.95 * minSec,
            "node " + node + " " + direction + ": " + carried.get(node) + " in " + elapsedNs / 1_000_000 + " ms");
      }
    }
  }

  private void limitAll(long bytesPerSec) {
    cluster.nics().forEach(nic -> nic.limitTo(bytesPerSec));
  }

  @Test
  void clients_areCountedAsForeground_atEveryNodeOfThePipeline() throws Exception {
    cluster = builder(3).withoutDayu().start();
    cluster.nics().forEach(EmulatedNic::unlimit);
    List<NicCounters> before = counters();
    cluster.write("/f", FILE_BYTES, 3);
    assertCounted("a write", before, 3 * FILE_BYTES, 2 * FILE_BYTES, 0, 0);
    for (NicCounters node : counters()) {
      assertEquals(FILE_BYTES, node.foregroundInBytes(), "every node has a replica");
    }
    before = counters();
    assertTrue(cluster.files().compare(cluster.fileSystem(), "/f").isEmpty());
    assertCounted("a read", before, 0, FILE_BYTES, 0, 0);
    before = counters();
    cluster.append("/f", 5_000);
    assertCounted("an append", before, 3 * 5_000, 2 * 5_000, 0, 0);
  }

  @Test
  void clients_areNoFasterThanTheNic() throws Exception {
    cluster = builder(1).withoutDayu().start();
    limitAll(NIC_BYTES_PER_SEC / 2);
    List<NicCounters> before = counters();
    long startNs = System.nanoTime();
    cluster.write("/f", FILE_BYTES, 1);
    long elapsedNs = System.nanoTime() - startNs;
    assertCounted("a write", before, FILE_BYTES, 0, 0, 0);
    assertNoFasterThanNics(since(before), NIC_BYTES_PER_SEC / 2, elapsedNs);
    before = counters();
    startNs = System.nanoTime();
    Thread other = new Thread(() -> cluster.files().compare(fileSystem(), "/f"));
    other.start();
    assertTrue(cluster.files().compare(cluster.fileSystem(), "/f").isEmpty());
    other.join();
    elapsedNs = System.nanoTime() - startNs;
    assertCounted("two reads", before, 0, 2 * FILE_BYTES, 0, 0);
    assertNoFasterThanNics(since(before), NIC_BYTES_PER_SEC / 2, elapsedNs);
  }

  private FileSystem fileSystem() {
    try {
      return cluster.fileSystem();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void assertRecoveryIsChargedAsRecovery(ClusterBuilder builder, boolean dayu) throws Exception {
    cluster = builder.start();
    if (dayu) {
      StatusProbe.awaitDayu(cluster.nodeCount());
    }
    cluster.nics().forEach(EmulatedNic::unlimit);
    for (int file = 0; file < 6; file++) {
      cluster.write("/f" + file, FILE_BYTES, 2);
    }
    if (dayu) {
      StatusProbe.awaitSettled(cluster);
    } else {
      new ClusterVerifier(cluster).awaitSettled(LIMIT);
    }
    long recoveredBefore = dayu ? StatusProbe.status().getRecoveredBytes() : 0;
    int lost = cluster.fullestNode();
    long lostBytes = cluster.blocksOn(lost).stream().mapToLong(BlockInfo::getNumBytes).sum();
    List<NicCounters> before = counters();
    limitAll(NIC_BYTES_PER_SEC / 4);
    long startNs = System.nanoTime();
    cluster.kill(lost);
    new ClusterVerifier(cluster).awaitSettled(LIMIT);
    long elapsedNs = System.nanoTime() - startNs;
    if (dayu) {
      assertCountedWithStragglers(before, lostBytes);
    } else {
      assertCounted("recovery of " + lostBytes + " bytes", before, 0, 0, lostBytes, lostBytes);
    }
    assertNoFasterThanNics(since(before), NIC_BYTES_PER_SEC / 4, elapsedNs);
    if (dayu) {
      StatusProbe.await(lostBytes + " bytes by Dayu",
          () -> StatusProbe.status().getRecoveredBytes() == recoveredBefore + lostBytes);
    }
    cluster.nics().forEach(EmulatedNic::unlimit);
    new ClusterVerifier(cluster).assertRecovers(LIMIT);
  }

  /**
   * A straggler of Dayu may change its source, which loses what is on its way, or its target, which loses what was
   * received.
   */
  private void assertCountedWithStragglers(List<NicCounters> before, long lostBytes) throws Exception {
    Await.until(
        "recovery of " + lostBytes + " bytes is counted, with at most 5 % in vain besides those of evicted transfers",
        LIMIT, () -> {
          List<Long> sums = sums(since(before));
          long inVainBytes = StatusProbe.status().getWastedBytes() + lostBytes / 20;
          return sums.get(0) == 0 && sums.get(1) == 0 && lostBytes <= sums.get(2) && sums.get(2) <= sums.get(3)
              && sums.get(3) <= lostBytes + inVainBytes;
        }, () -> sums(since(before)) + ", evicted: " + StatusProbe.status().getWastedBytes());
  }

  @Test
  void stockRecovery_isLimitedAndCountedAsRecovery() throws Exception {
    assertRecoveryIsChargedAsRecovery(builder(4).withoutDayu().conf("dfs.namenode.replication.max-streams", "20"),
        false);
  }

  @Test
  void pullsOfDayu_areLimitedAndCountedAsRecovery() throws Exception {
    assertRecoveryIsChargedAsRecovery(builder(4), true);
  }

  /**
   * The node that reconstructs reads from its peers and writes to the target: only the other ends of that pass a
   * dataset.
   */
  @Test
  void reconstruction_isCountedAsRecovery_atSourcesAndTargets() throws Exception {
    cluster = builder(6).withoutDayu().start();
    cluster.nics().forEach(EmulatedNic::unlimit);
    String policy = "XOR-2-1-1024k";
    cluster.fileSystem().mkdirs(new Path("/ec"));
    cluster.fileSystem().enableErasureCodingPolicy(policy);
    cluster.fileSystem().setErasureCodingPolicy(new Path("/ec"), policy);
    cluster.write("/ec/f", 2 * BLOCK_BYTES, 1);
    new ClusterVerifier(cluster).awaitSettled(LIMIT);
    List<NicCounters> before = counters();
    cluster.kill(cluster.fullestNode());
    new ClusterVerifier(cluster).assertRecovers(LIMIT);
    Await.until("recovery is counted", LIMIT, () -> {
      List<NicCounters> after = since(before);
      return sum(after, Direction.IN, Traffic.RECOVERY) == BLOCK_BYTES
          && sum(after, Direction.OUT, Traffic.RECOVERY) == 2 * BLOCK_BYTES;
    }, () -> sums(since(before)));
  }

  @Test
  void foreground_reachesTheScheduler_throughTheMeter() throws Exception {
    cluster = builder(3).conf("dfs.namenode.plugins", WatchedPlugin.class.getName()).start();
    StatusProbe.awaitDayu(3);
    cluster.nics().forEach(EmulatedNic::unlimit);
    // One block, so that one node has all the readers.
    cluster.write("/f", BLOCK_BYTES, 1);
    long idleBytesPerSec = (long) (ALPHA * NIC_BYTES_PER_SEC);
    Await.until("idle nodes", LIMIT, () -> near(idleBytesPerSec, idleBytesPerSec), EmulatedNicIT::seen);
    // Nothing else passes the nodes; so what the readers get of their source is the NIC's whole rate, half of what Dayu
    // counts on.
    limitAll(NIC_BYTES_PER_SEC / 2);
    AtomicBoolean done = new AtomicBoolean();
    // Several, so that the NIC is full while one of them opens the file or compares.
    List<Thread> readers = Stream.generate(() -> new Thread(() -> {
      boolean same = true;
      while (same && !done.get()) {
        same = cluster.files().compare(fileSystem(), "/f").isEmpty();
      }
    })).limit(3).toList();
    readers.forEach(Thread::start);
    long busyBytesPerSec = idleBytesPerSec - NIC_BYTES_PER_SEC / 2;
    Await.until("one busy node", LIMIT, () -> near(busyBytesPerSec, idleBytesPerSec), EmulatedNicIT::seen);
    done.set(true);
    for (Thread reader : readers) {
      reader.join();
    }
    Await.until("idle nodes again", LIMIT, () -> near(idleBytesPerSec, idleBytesPerSec), EmulatedNicIT::seen);
  }

  /** Whether one node may send the one rate and the two others the other one, give or take a tenth of the NIC. */
  private boolean near(long oneBytesPerSec, long otherBytesPerSec) throws Exception {
    planOneTimeslot();
    long[] seen = Watcher.recoverOutBytesPerSec.clone();
    Arrays.sort(seen);
    return seen.length == 3 && Math.abs(seen[0] - oneBytesPerSec) < NIC_BYTES_PER_SEC / 10
        && Math.abs(seen[1] - otherBytesPerSec) < NIC_BYTES_PER_SEC / 10
        && Math.abs(seen[2] - otherBytesPerSec) < NIC_BYTES_PER_SEC / 10;
  }

  /** Gives the scheduler something to plan, since it is asked only then. */
  private void planOneTimeslot() throws Exception {
    long planned = StatusProbe.status().getTotalPlanned();
    String path = "/work" + planned;
    cluster.write(path, 1, 1);
    cluster.setReplication(path, 2);
    StatusProbe.await("a plan", () -> StatusProbe.status().getTotalPlanned() > planned);
  }

  private static String seen() {
    return Arrays.toString(Watcher.recoverOutBytesPerSec);
  }
}
