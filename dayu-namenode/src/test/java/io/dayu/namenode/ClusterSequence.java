/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.harness.ClusterVerifier;
import io.dayu.harness.DayuCluster;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * One sequence of faults on an embedded cluster, from its seed to the verification at its end. The same seed gives the
 * same cluster, files and steps, but not the same moments: HDFS places replicas at random, and time is the real one.
 * For one thread and one {@link #run}.
 */
final class ClusterSequence {
  private static final Duration LIMIT = Duration.ofSeconds(120);
  /**
   * The number of DataNodes that stay alive and in service, whatever is drawn: enough for three replicas on two racks,
   * and for a choice of targets.
   */
  private static final int MIN_NODES = 4;
  private static final int MAX_REPLICATION = 3;
  private static final int BLOCK_BYTES = 1 << 20;
  /** Small enough that transfers take a second or more, and faults find them under way. */
  private static final int[] BANDWIDTHS = {400_000, 1_500_000, 20_000_000};

  private final long seed;
  private final Random random;
  private final boolean highAvailability;
  private final int nodes;
  private final int racks;
  private final int bandwidthBytesPerSec;
  private final List<ClusterStep> steps;
  private final StringBuilder log = new StringBuilder();
  private final Set<Integer> dead = new TreeSet<>();
  private final Set<Integer> leaving = new TreeSet<>();
  private final Set<Integer> cutOff = new TreeSet<>();
  private final Map<String, Integer> replication = new TreeMap<>();
  private DayuCluster cluster;
  private int written;
  private ClusterVerifier verifier;

  ClusterSequence(long seed) {
    this.seed = seed;
    random = new Random(seed * 0x9E3779B97F4A7C15L);
    highAvailability = random.nextBoolean();
    nodes = 6 + random.nextInt(3);
    racks = 1 + random.nextInt(3);
    bandwidthBytesPerSec = BANDWIDTHS[random.nextInt(BANDWIDTHS.length)];
    steps = ClusterStep.draw(random);
  }

  /** What was done, line by line. */
  String log() {
    return log.toString();
  }

  /** Throws if anything is wrong at the end, or fails on the way. */
  void run() throws Exception {
    long startNs = System.nanoTime();
    note("%d DataNodes on %d racks, %d bytes/s, %s", nodes, racks, bandwidthBytesPerSec,
        highAvailability ? "two NameNodes" : "one NameNode");
    var builder = FaultsIT.builder().dataNodes(nodes).racks(racks).bandwidthBytesPerSec(bandwidthBytesPerSec)
        .blockSizeBytes(BLOCK_BYTES).seed(seed);
    try (DayuCluster started = (highAvailability ? builder.highAvailability() : builder).start()) {
      cluster = started;
      verifier = new ClusterVerifier(cluster);
      StatusProbe.awaitDayu(nodes);
      for (int i = 0; i < 6; i++) {
        write();
      }
      for (ClusterStep step : steps) {
        TimeUnit.MILLISECONDS.sleep(step.pauseMs());
        apply(step);
      }
      stopFaults();
      verifier.assertRecovers(LIMIT);
      StatusProbe.await("Dayu has nothing to do",
          () -> StatusProbe.status().getRunningTransfers() == 0 && StatusProbe.status().getWaitingBlocks() == 0);
      note("all is well after %d s; %s", TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNs),
          StatusProbe.describe());
    }
  }

  private void apply(ClusterStep step) throws Exception {
    switch (step.kind()) {
      case KILL -> withNode(step, node -> inService(node) && spare(), node -> {
        cluster.kill(node);
        dead.add(node);
      });
      case START_AGAIN -> withNode(step, dead::contains, this::startAgain);
      case RESTART -> withNode(step, cluster::isRunning, cluster::restart);
      case PARTITION_AGENT -> withNode(step, node -> cluster.isRunning(node) && !cutOff.contains(node), node -> {
        cluster.partitionAgent(node);
        cutOff.add(node);
      });
      case HEAL_AGENT -> withNode(step, cutOff::contains, this::healAgent);
      case DECOMMISSION -> withNode(step, node -> inService(node) && spare(), node -> {
        cluster.admin().decommission(node);
        leaving.add(node);
      });
      case RECOMMISSION -> withNode(step, leaving::contains, node -> {
        cluster.admin().comeBack(node);
        leaving.remove(node);
      });
      case WRITE -> {
        write();
        note("%s", step);
      }
      case APPEND -> withFile(step, path -> cluster.append(path, 1 + step.b() * 1_500L));
      case DELETE -> withFile(step, path -> {
        cluster.delete(path);
        replication.remove(path);
      });
      case SET_REPLICATION -> withFile(step, path -> {
        replication.put(path, 2 + step.b() % (MAX_REPLICATION - 1));
        cluster.setReplication(path, replication.get(path));
      });
      case FAIL_OVER -> {
        note("%s", step);
        if (highAvailability) {
          cluster.nameNodes().failover();
          verifier.afterFailover();
        } else {
          cluster.nameNodes().restart();
          verifier.afterLateDataNodes();
          // While all replicas of a block are on dead DataNodes, that is what an admin has to do.
          cluster.nameNodes().leaveSafeMode(LIMIT);
        }
      }
    }
  }

  private interface Action<T> {
    void on(T subject) throws IOException;
  }

  private void withNode(ClusterStep step, IntPredicate eligible, Action<Integer> action) throws IOException {
    List<Integer> candidates = IntStream.range(0, nodes).filter(eligible).boxed().toList();
    withOne(step, candidates, action);
  }

  private void withFile(ClusterStep step, Action<String> action) throws IOException {
    withOne(step, List.copyOf(replication.keySet()), action);
  }

  private <T> void withOne(ClusterStep step, List<T> candidates, Action<T> action) throws IOException {
    if (candidates.isEmpty()) {
      note("%s: nothing to do it to", step);
    } else {
      T subject = candidates.get(step.a() % candidates.size());
      note("%s: %s", step, subject);
      action.on(subject);
    }
  }

  private boolean inService(int node) {
    return cluster.isRunning(node) && !leaving.contains(node);
  }

  private boolean spare() {
    return IntStream.range(0, nodes).filter(this::inService).count() > MIN_NODES;
  }

  private void write() throws IOException {
    String path = "/f" + written++;
    int copies = 2 + random.nextInt(MAX_REPLICATION - 1);
    cluster.write(path, 1 + random.nextInt(3 * BLOCK_BYTES), copies);
    replication.put(path, copies);
  }

  private void startAgain(int node) throws IOException {
    cluster.restart(node);
    dead.remove(node);
  }

  private void healAgent(int node) {
    cluster.healAgent(node);
    cutOff.remove(node);
  }

  /**
   * What is dead comes back, since with two it may have held the last replicas; what leaves the cluster goes on
   * leaving.
   */
  private void stopFaults() throws Exception {
    note("the faults are over; %s", dead);
    for (int node : List.copyOf(dead)) {
      startAgain(node);
    }
    for (int node : List.copyOf(cutOff)) {
      healAgent(node);
    }
    // A NameNode that has become active removes no excess replica before the next full block report, six hours later.
    cluster.renewBlockReports(LIMIT);
  }

  private void note(String format, Object... values) {
    log.append("  ").append(String.format(format, values)).append('\n');
  }
}
