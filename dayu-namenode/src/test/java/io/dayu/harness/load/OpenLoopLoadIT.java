/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness.load;

import io.dayu.harness.Await;
import io.dayu.harness.ClusterVerifier;
import io.dayu.harness.DayuCluster;
import org.apache.hadoop.test.MetricsAsserts;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The load on real HDFS, held against what DataNodes count themselves and against faults that it must notice. */
@Tag("harness")
class OpenLoopLoadIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @TempDir
  Path directory;

  private DayuCluster start(int nodes) throws Exception {
    return DayuCluster.builder().dataNodes(nodes).racks(3).withoutDayu().conf("dfs.client.retry.window.base", "10")
        .directory(directory).start();
  }

  private static LoadProfileBuilder profile() {
    return LoadProfile.of(4_000_000).readBytes(64 << 10).fileBytes(256 << 10).writeBytes(64 << 10).maxFilesWritten(20);
  }

  @Test
  void load_readsAndWritesAtItsPace() throws Exception {
    try (DayuCluster cluster = start(6)) {
      OpenLoopLoad load = OpenLoopLoad.start(cluster, profile().build());
      long endNs = load.beginNs() + TimeUnit.SECONDS.toNanos(5);
      try (load) {
        // On a busy machine the load may be behind its plan, whose operations begin one after the other.
        Await.until("all operations of five seconds have begun", LIMIT, () -> {
          Latencies later = load.latencies(endNs, load.beginNs() + LIMIT.toNanos());
          return later.all().count() + later.unfinished() > 0;
        });
      }
      Latencies latencies = load.latencies(load.beginNs(), endNs);
      assertEquals(List.of(), load.errors());
      assertEquals(0, latencies.unfinished());
      // 6 nodes * 4 MB/s * 0.4 / 3 / 64 KiB = 48.8 a second of each kind; the bounds are six standard deviations of a
      // Poisson process.
      assertEquals(244, latencies.reads().count(), 95);
      assertEquals(244, latencies.writes().count(), 95);
      assertTrue(latencies.all().p50Ms() > 0 && latencies.all().p50Ms() <= latencies.all().p99Ms(),
          latencies::toString);
      assertTrue(cluster.files().lengthsBytes().size() <= 6 * 4 + 20 + load.maxUnderWay(),
          "written files are deleted in bounds");
      new ClusterVerifier(cluster).assertRecovers(LIMIT);
    }
  }

  /** Without writes, what each DataNode says that it has read for clients is what the generator planned for it. */
  @Test
  void reads_goToTheNodesThatTheProfileChooses() throws Exception {
    try (DayuCluster cluster = start(6)) {
      LoadProfile profile = profile().incomingUtilization(0).coefficientOfVariation(1).build();
      OpenLoopLoad load = OpenLoopLoad.start(cluster, profile);
      try (load) {
        Await.until("500 reads", LIMIT, () -> load.reads() >= 500);
      }
      assertEquals(List.of(), load.errors());
      long[] planned = new long[6];
      Arrivals arrivals = new Arrivals(profile, 6);
      for (long count = 0; count < load.reads(); count++) {
        planned[((Operation.Read) arrivals.next()).node()] += profile.readBytes();
      }
      // DataNodes count checksums too: 4 bytes for each 512. They count a read after its client has all of it.
      Await.until("DataNodes count what is planned", LIMIT, () -> {
        long[] read = bytesRead(cluster);
        return IntStream.range(0, 6).allMatch(node -> Math.abs(planned[node] * 516.0 / 512 - read[node]) <= 1);
      }, () -> "planned " + Arrays.toString(planned) + ", read " + Arrays.toString(bytesRead(cluster)));
    }
  }

  @Test
  void load_goesOnWithoutANodeAndWithoutErrors() throws Exception {
    try (DayuCluster cluster = start(6)) {
      OpenLoopLoad load = OpenLoopLoad.start(cluster, profile().build());
      try (load) {
        Await.until("reads", LIMIT, () -> load.reads() > 50);
        cluster.stop(2);
        long stoppedNs = System.nanoTime();
        Await.until("reads and writes after the stop", LIMIT,
            () -> load.latencies(stoppedNs, stoppedNs + TimeUnit.SECONDS.toNanos(4)).all().count() > 250);
      }
      assertEquals(List.of(), load.errors());
      cluster.restart(2);
      new ClusterVerifier(cluster).afterBrokenPipelines().afterLateDataNodes().assertRecovers(LIMIT);
    }
  }

  @Test
  void load_noticesDamagedContent() throws Exception {
    try (DayuCluster cluster = start(3);
        OpenLoopLoad load = OpenLoopLoad.start(cluster, profile().replication(1).filesPerNode(1).build())) {
      String path = cluster.files().lengthsBytes().keySet().stream().filter(file -> file.endsWith("/read/1-0"))
          .findFirst().orElseThrow();
      cluster.corruptReplica(cluster.blocksOf(path).get(0).getBlock(), 1);
      Await.until("an error of what node 1 holds", LIMIT,
          () -> load.errors().stream().anyMatch(error -> error.contains("node=1")), load::errors);
      assertTrue(load.errors().stream().filter(error -> error.startsWith("Read"))
          .allMatch(error -> error.contains("node=1")), load.errors()::toString);
    }
  }

  /** One client cannot keep up with many operations a second: the log says so, and the wait counts as latency. */
  @Test
  void clientsAllBusy_waitingIsReportedAndCounts() throws Exception {
    try (DayuCluster cluster = start(3);
        OpenLoopLoad load = OpenLoopLoad.start(cluster, LoadProfile.of(400_000_000).maxClients(1).build())) {
      Await.until("operations held up, of which many wait", LIMIT, () -> load.heldUp() > 20
          && load.latencies(load.beginNs(), System.nanoTime()).unfinished() > 10,
          () -> load.latencies(load.beginNs(), System.nanoTime()));
    }
  }

  @Test
  void operationsThatWait_canBeForgotten() throws Exception {
    try (DayuCluster cluster = start(3)) {
      OpenLoopLoad load = OpenLoopLoad.start(cluster, LoadProfile.of(400_000_000).maxClients(1).build());
      try (load) {
        Await.until("operations that wait", LIMIT, () -> load.heldUp() > 1_000);
        load.forgetWaiting();
      }
      assertEquals(List.of(), load.errors());
      Latencies all = load.latencies(load.beginNs(), System.nanoTime());
      assertTrue(all.unfinished() > all.all().count(), all::toString);
    }
  }

  private static long[] bytesRead(DayuCluster cluster) {
    long[] bytes = new long[cluster.nodeCount()];
    for (int node = 0; node < bytes.length; node++) {
      bytes[node] = MetricsAsserts.getLongCounter("BytesRead",
          MetricsAsserts.getMetrics(cluster.dataNode(node).getMetrics().name()));
    }
    return bytes;
  }
}
