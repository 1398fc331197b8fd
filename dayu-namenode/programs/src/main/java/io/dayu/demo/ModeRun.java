/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.demo;

import io.dayu.demo.ModeResult.LatencyWindow;
import io.dayu.demo.ModeResult.NicUse;
import io.dayu.harness.ClusterBuilder;
import io.dayu.harness.ClusterVerifier;
import io.dayu.harness.DayuCluster;
import io.dayu.harness.load.LoadProfile;
import io.dayu.harness.load.OpenLoopLoad;
import io.dayu.harness.nic.Direction;
import io.dayu.harness.nic.EmulatedNic;
import io.dayu.harness.nic.MeasuredIdeal;
import io.dayu.harness.nic.NicSampler;
import io.dayu.harness.nic.NicSeries;
import io.dayu.programs.Screen;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.log4j.Logger;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * One mode over a cluster that is given to it: write, load, kill, watch, prove. Single-threaded; runs once. Whatever is
 * not as it should be ends it with a {@link DemoFailure} before the failure of the DataNode, and from then on stands in
 * the outcome beside what was measured. A recovery by stock HDFS that takes too long is cut off, which is no failure.
 */
final class ModeRun {
  /** What recovery may fill of a NIC: the default of Dayu, and what ideal is counted from in every mode. */
  static final double ALPHA = 0.75;
  static final double PEAK_WINDOW_SEC = 3;

  private static final Logger LOG = Logger.getLogger(ModeRun.class);
  private static final Duration SETTLE_LIMIT = Duration.ofSeconds(60);
  private static final long STALL_MS = TimeUnit.SECONDS.toMillis(90);
  private static final long POLL_MS = 100;
  /**
   * The imbalance of the nodes' load: the lower end of what the paper observed (0.4 to 0.6), since few nodes leave
   * little choice.
   */
  private static final double LOAD_VARIATION = 0.4;
  /**
   * The number of requests that a NIC carries a second. It is small enough that a request takes some time, and large
   * enough that one request alone makes no difference.
   */
  private static final long REQUESTS_PER_SEC = 16;
  private static final long PACKET_BYTES = 64 << 10;
  private static final long MAX_REQUEST_BYTES = 16 << 20;
  private static final int REQUESTS_PER_FILE = 4;
  private static final long SAMPLE_MS = 1_000;
  private static final long WINDOW_NS = TimeUnit.SECONDS.toNanos(3);

  /**
   * How long to measure; immutable.
   *
   * @param warmUpMs of foreground load that is not measured
   * @param beforeMs of foreground load before the failure
   * @param cutOffMs how long the demo waits for a recovery by stock HDFS
   * @param controlMs after the failure, where nobody recovers
   */
  record Durations(long warmUpMs, long beforeMs, long cutOffMs, long controlMs) {
    static final Durations DEFAULT = new Durations(5_000, 15_000, 120_000, 30_000);
  }

  private final DemoOptions options;
  private final Mode mode;
  private final long seed;
  private final Screen screen;
  private final Optional<DayuWatcher> watcher;
  private final Durations durations;
  private final List<String> failures = new ArrayList<>();

  /** @param watcher who sees that Dayu recovers; empty for the other modes */
  ModeRun(DemoOptions options, Mode mode, long seed, Screen screen, Optional<DayuWatcher> watcher,
      Durations durations) {
    this.options = options;
    this.mode = mode;
    this.seed = seed;
    this.screen = screen;
    this.watcher = watcher;
    this.durations = durations;
  }

  /** The cluster that the options describe, not yet started. */
  static ClusterBuilder cluster(DemoOptions options, Mode mode, long seed) {
    ClusterBuilder cluster = mode.configure(DayuCluster.builder().dataNodes(options.nodes()).racks(options.racks())
        .volumesPerNode(2).blockSizeBytes(options.data().blockBytes()).emulatedNics(options.bandwidthBytesPerSec())
        .seed(seed)
        .conf("dayu.recovery.max-utilization", Double.toString(ALPHA)));
    options.settings().forEach(cluster::conf);
    return cluster;
  }

  Outcome run(DayuCluster cluster) throws Exception {
    if (watcher.isPresent()) {
      watcher.get().awaitActive();
    }
    if (mode == Mode.DAYU) {
      screen.say("Its web page: %s", StatusPage.of(cluster).address());
    }
    cluster.nics().forEach(EmulatedNic::unlimit);
    new SeededData(options, seed).write(cluster, screen);
    new ClusterVerifier(cluster).awaitSettled(SETTLE_LIMIT);
    LostReplicas lost;
    boolean watched;
    int victim = new SplittableRandom(seed).nextInt(options.nodes());
    long beforeNs;
    long endNs;
    NicSeries nics;
    OpenLoopLoad load = OpenLoopLoad.start(cluster, profile());
    try (load; NicSampler sampler = new NicSampler(cluster.nics(), SAMPLE_MS)) {
      cluster.nics().forEach(nic -> nic.limitTo(options.bandwidthBytesPerSec()));
      beforeNs = measureBefore();
      lost = kill(cluster, victim);
      sampler.sample();
      watched = check(() -> {
        if (mode.recovers()) {
          watch(lost);
        } else {
          pause("Measuring the foreground after the failure", durations.controlMs());
          lost.refresh();
        }
      });
      sampler.sample();
      endNs = System.nanoTime();
      nics = sampler.series();
    }
    ModeResult result = result(lost, victim, load, nics, beforeNs, endNs);
    screen.say("%s", Conclusion.line(ModeSummary.of(Outcome.of(result, Map.of(), failures))));
    check(() -> checkLoad(load));
    cluster.nics().forEach(EmulatedNic::unlimit);
    Map<String, Object> proof = new LinkedHashMap<>();
    if (watched && mode.recovers() && !result.cutOff()) {
      check(() -> proof.putAll(prove(cluster)));
      check(() -> proof.putAll(watcher.isPresent() ? watcher.get().testify(lost) : Map.of()));
      check(() -> proof.putAll(mode == Mode.DAYU ? firstEstimate(cluster) : Map.of()));
    }
    return Outcome.of(result, proof, failures);
  }

  private interface Step {
    void run() throws Exception;
  }

  /** Does a step whose failure does not affect what was measured. Returns whether it succeeded. */
  private boolean check(Step step) throws InterruptedException {
    try {
      step.run();
      return true;
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception | AssertionError e) {
      LOG.error("a check failed", e);
      failures.add(e instanceof DemoFailure ? e.getMessage() : e.toString());
    }
    return false;
  }

  private Map<String, Object> firstEstimate(DayuCluster cluster) throws Exception {
    double errorPercent = StatusPage.of(cluster).firstEstimateErrorPercent();
    if (Double.isNaN(errorPercent)) {
      screen.say("The recovery was too short for an estimate of its time, or went to stock HDFS.");
      return Map.of();
    }
    screen.say("Dayu's first estimate of the time, after two timeslots, was off by %.0f %%.", errorPercent);
    return Map.of("firstEstimateErrorPercent", errorPercent);
  }

  private LoadProfile profile() {
    int requestBytes = (int) Math.min(MAX_REQUEST_BYTES,
        Math.max(1, options.bandwidthBytesPerSec() / REQUESTS_PER_SEC / PACKET_BYTES) * PACKET_BYTES);
    return LoadProfile.of(options.bandwidthBytesPerSec()).seed(seed).utilization(options.utilization())
        .coefficientOfVariation(LOAD_VARIATION).replication(options.data().replication()).readBytes(requestBytes)
        .writeBytes(requestBytes).fileBytes(REQUESTS_PER_FILE * requestBytes).build();
  }

  /** The answer is when the window before the failure began. */
  private long measureBefore() throws InterruptedException {
    screen.say(
        "Foreground load has begun: %.0f %% of each NIC of %s/s on average, in both directions, reads and writes.",
        100 * options.utilization(), Screen.mib(options.bandwidthBytesPerSec()));
    pause("Warming up", durations.warmUpMs());
    long beforeNs = System.nanoTime();
    pause("Measuring the foreground before the failure", durations.beforeMs());
    return beforeNs;
  }

  /** A fixed time: what is measured is the load during it. */
  private void pause(String what, long lengthMs) throws InterruptedException {
    long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(lengthMs);
    for (long leftNs = endNs - System.nanoTime(); leftNs > 0; leftNs = endNs - System.nanoTime()) {
      screen.progress(String.format("%s: %.0f s to go", what, leftNs / 1e9));
      TimeUnit.NANOSECONDS.sleep(Math.min(leftNs, TimeUnit.MILLISECONDS.toNanos(POLL_MS)));
    }
    screen.progress("");
  }

  /**
   * Stops a DataNode and has the NameNode declare it dead at once: how long it takes to notice is not a matter of who
   * recovers.
   */
  private LostReplicas kill(DayuCluster cluster, int victim) throws Exception {
    DatanodeInfo node = cluster.descriptor(victim);
    screen.say("Killing DataNode %d of %d (%s in %s).", victim, options.nodes(), node.getXferAddr(),
        node.getNetworkLocation());
    if (watcher.isPresent()) {
      watcher.get().beforeFailure();
    }
    cluster.stop(victim);
    List<BlockInfo> onVictim = cluster.blocksOn(victim);
    cluster.declareDead(victim);
    LostReplicas lost = new LostReplicas(cluster, onVictim, System.nanoTime());
    screen.say("The NameNode has declared it dead: %d blocks, %s, have lost a replica.", lost.blocks(),
        Screen.mib(lost.bytes()));
    if (lost.blocks() == 0) {
      throw new DemoFailure("the killed node held no block, so there is nothing to recover");
    }
    return lost;
  }

  private void watch(LostReplicas lost) throws Exception {
    while (true) {
      lost.refresh();
      long underWayBytes = watcher.isPresent() ? watcher.get().look() : 0;
      screen.progress(lost.progress(underWayBytes));
      if (lost.allRecovered()) {
        break;
      }
      if (watcher.isEmpty() && lost.sinceStartMs() > durations.cutOffMs()) {
        screen.progress("");
        screen.say("Cut off after %.0f s: %d of %d blocks have their replicas again%s.", lost.sinceStartMs() / 1e3,
            lost.recoveredBlocks(), lost.blocks(), lost.deleted());
        return;
      }
      if (lost.sinceLastRecoveryMs() > STALL_MS) {
        throw new DemoFailure("no block has come back for " + STALL_MS / 1000 + " s: " + lost.progress(underWayBytes));
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MS);
    }
    screen.progress("");
    screen.say("All %d blocks, %s, have their replicas again, %.1f s after the loss was known%s.", lost.blocks(),
        Screen.mib(lost.bytes()), lost.elapsedSec(), lost.deleted());
  }

  private ModeResult result(LostReplicas lost, int victim, OpenLoopLoad load, NicSeries nics, long beforeNs,
      long endNs) {
    boolean cutOff = mode.recovers() && !lost.allRecovered();
    double recoveryTimeSec =
        !mode.recovers() ? Double.NaN : cutOff ? (endNs - lost.startNs()) / 1e9 : lost.elapsedSec();
    List<LatencyWindow> course = new ArrayList<>();
    for (long fromNs = beforeNs; fromNs < endNs; fromNs += WINDOW_NS) {
      course.add(new LatencyWindow((fromNs + WINDOW_NS / 2 - lost.startNs()) / 1e9,
          load.latencies(fromNs, fromNs + WINDOW_NS)));
    }
    NicSeries recovery = nics.between(lost.startNs(), endNs);
    List<Integer> survivors = IntStream.range(0, options.nodes()).filter(node -> node != victim).boxed().toList();
    double idealTimeSec =
        MeasuredIdeal.seconds(recovery, survivors, ALPHA, options.bandwidthBytesPerSec(), lost.bytes());
    return new ModeResult(mode, seed, victim, cutOff, recoveryTimeSec, idealTimeSec,
        new ModeResult.Blocks(lost.blocks(), lost.recoveredBlocks(), lost.bytes()),
        load.latencies(beforeNs, lost.startNs()), load.latencies(lost.startNs(), endNs),
        peakShare(recovery, survivors),
        new ModeResult.Courses(lost.course(), NicUse.of(nics, lost.startNs()), course));
  }

  private double peakShare(NicSeries recovery, List<Integer> nodes) {
    return nodes.stream().flatMap(node -> Arrays.stream(Direction.values())
        .map(direction -> recovery.peakShare(node, direction, PEAK_WINDOW_SEC, options.bandwidthBytesPerSec())))
        .max(Comparator.naturalOrder()).orElse(Double.NaN);
  }

  private void checkLoad(OpenLoopLoad load) throws DemoFailure {
    if (load.errorCount() > 0) {
      throw new DemoFailure("foreground clients met " + load.errorCount() + " errors: " + load.errors());
    }
    screen.say("Foreground load has ended: %d reads, their content compared, and %d writes, no error.", load.reads(),
        load.writes());
  }

  private Map<String, Object> prove(DayuCluster cluster) throws Exception {
    screen.say("Proving it: fsck, every file read back and compared, no partial replica, no counter left.");
    ClusterVerifier.Verdict verdict = new ClusterVerifier(cluster).afterBrokenPipelines().verify(SETTLE_LIMIT);
    if (!verdict.problems().isEmpty()) {
      throw new DemoFailure("the cluster is not sound: " + String.join("; ", verdict.problems()));
    }
    screen.say(
        "fsck: HEALTHY, %d blocks, none under-replicated. %d files, %s, read back and equal. No partial replica.",
        verdict.blocks(), verdict.filesRead(), Screen.mib(verdict.bytesRead()));
    Map<String, Object> proof = new LinkedHashMap<>();
    proof.put("verifiedBlocks", verdict.blocks());
    proof.put("verifiedFiles", verdict.filesRead());
    proof.put("verifiedBytes", verdict.bytesRead());
    return proof;
  }
}
