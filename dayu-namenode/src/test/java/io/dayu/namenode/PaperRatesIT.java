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
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** With the paper's algorithm each transfer moves at the rate that it is allocated: what comes to be on its target. */
final class PaperRatesIT {
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final long SEED = 20261129;
  private static final int NODES = 7;
  private static final int LOST = 0;
  /** Takes 21 s: long enough for whole windows between standstills of the JVM. */
  private static final int BLOCK_BYTES = 32 << 20;
  private static final long LINK_BYTES_PER_SEC = 2 << 20;
  /** Of each block, besides the lost node: the first two share their sources. */
  private static final int[][] HOLDERS = {{1, 2}, {1, 2}, {3, 4}, {5, 6}};
  private static final double TOLERANCE = 0.1;
  /** HDFS's throttler lets pass what is granted in half a second at a time. */
  private static final long WINDOW_NS = TimeUnit.SECONDS.toNanos(3);
  private static final long SAMPLE_MS = 20;
  /**
   * If looking takes longer than this, the JVM has stood still, and HDFS's throttler makes up for a part of that only.
   */
  private static final long MAX_LOOK_NS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final int MIN_WINDOWS = 20;
  private static final Pattern TRANSFER =
      Pattern.compile("(blk_\\d+)_\\d+ from \\S+ to \\S+: \\d+ of \\d+ bytes at \\d+ of (\\d+) bytes/s");

  /** What had been granted and written by a moment. */
  private record Sample(long atNs, double grantedBytes, long writtenBytes) {
  }

  /** Of the JVM. */
  private record Standstill(long fromNs, long toNs) {
  }

  private final Map<String, List<Sample>> samples = new TreeMap<>();
  private final List<Standstill> standstills = new ArrayList<>();

  @Test
  void eachTransfer_movesAtItsAllocatedRate_withinATenth() throws Exception {
    System.out.println("seed " + SEED);
    try (DayuCluster cluster = DayuCluster.builder().dataNodes(NODES).racks(1).blockSizeBytes(BLOCK_BYTES).seed(SEED)
        .bandwidthBytesPerSec(LINK_BYTES_PER_SEC).conf("dayu.scheduler.algorithm", "paper").start()) {
      StatusProbe.awaitDayu(NODES);
      for (int i = 0; i < HOLDERS.length; i++) {
        InetSocketAddress[] holders = {cluster.dataNode(LOST).getXferAddress(),
            cluster.dataNode(HOLDERS[i][0]).getXferAddress(), cluster.dataNode(HOLDERS[i][1]).getXferAddress()};
        cluster.files().write(cluster.fileSystem(), "/f" + i, BLOCK_BYTES, 3, holders);
      }
      new ClusterVerifier(cluster).awaitSettled(LIMIT);
      assertEquals(HOLDERS.length, cluster.blocksOn(LOST).size());
      cluster.kill(LOST);
      sample(cluster);
    }
    assertEquals(HOLDERS.length, samples.size(), "blocks that were seen under way");
    samples.forEach((block, of) -> {
      double[] ratios = ratios(of);
      System.out.printf("%s: %d windows, %.3f of what was granted (%.3f to %.3f)%n", block, ratios.length,
          median(ratios), ratios[0], ratios[ratios.length - 1]);
      assertEquals(1, median(ratios), TOLERANCE, block);
    });
  }

  /** Takes samples of each transfer until all blocks have their replicas. */
  private void sample(DayuCluster cluster) throws Exception {
    ClusterVerifier verifier = new ClusterVerifier(cluster);
    Map<String, Double> granted = new HashMap<>();
    long lastNs = System.nanoTime();
    long endNs = lastNs + LIMIT.toNanos();
    while (StatusProbe.status().getTotalFinished() < HOLDERS.length) {
      assertTrue(System.nanoTime() - endNs < 0, StatusProbe.describe());
      Map<String, Long> rates = rates();
      long nowNs = System.nanoTime();
      for (Map.Entry<String, Long> one : rates.entrySet()) {
        granted.merge(one.getKey(), one.getValue() * ((nowNs - lastNs) / 1e9), Double::sum);
      }
      if (nowNs - lastNs > MAX_LOOK_NS) {
        standstills.add(new Standstill(lastNs, nowNs));
      }
      lastNs = nowNs;
      for (int node = 0; node < NODES; node++) {
        for (Path file : node == LOST ? List.<Path>of() : verifier.partialReplicas(node)) {
          String block = file.getFileName().toString();
          long bytes = rates.containsKey(block) ? written(file) : 0;
          if (bytes > 0) {
            samples.computeIfAbsent(block, any -> new ArrayList<>())
                .add(new Sample(nowNs, granted.get(block), bytes));
          }
        }
      }
      TimeUnit.MILLISECONDS.sleep(SAMPLE_MS);
    }
  }

  /** By block under way, what it is granted. */
  private static Map<String, Long> rates() throws Exception {
    Map<String, Long> rates = new HashMap<>();
    for (String transfer : StatusProbe.status().getTransfers()) {
      Matcher matcher = TRANSFER.matcher(transfer);
      assertTrue(matcher.matches(), transfer);
      rates.put(matcher.group(1), Long.parseLong(matcher.group(2)));
    }
    return rates;
  }

  private static long written(Path file) throws IOException {
    try {
      return Files.size(file);
    } catch (NoSuchFileException complete) {
      return 0;
    }
  }

  /**
   * Of each window in which the JVM did not stand still, what was written as a ratio to what was granted, ascending.
   */
  private double[] ratios(List<Sample> samples) {
    List<Double> ratios = new ArrayList<>();
    int last = 0;
    for (int first = 0; first < samples.size(); first++) {
      long beginNs = samples.get(first).atNs();
      while (last < samples.size() && samples.get(last).atNs() - beginNs < WINDOW_NS) {
        last++;
      }
      if (last < samples.size()
          && standstills.stream().noneMatch(still -> still.fromNs() < beginNs + WINDOW_NS && still.toNs() > beginNs)) {
        ratios.add(slope(samples.subList(first, last)));
      }
    }
    assertTrue(ratios.size() >= MIN_WINDOWS, () -> ratios.size() + " windows of " + samples.size() + " samples");
    return ratios.stream().mapToDouble(ratio -> ratio).sorted().toArray();
  }

  private static double median(double[] sorted) {
    return sorted[sorted.length / 2];
  }

  /** By least squares: bytes come in steps. */
  private static double slope(List<Sample> samples) {
    double[] granted = samples.stream().mapToDouble(Sample::grantedBytes).toArray();
    double meanGranted = Arrays.stream(granted).average().orElseThrow();
    double meanWritten = samples.stream().mapToLong(Sample::writtenBytes).average().orElseThrow();
    double together = 0;
    double alone = 0;
    for (int i = 0; i < granted.length; i++) {
      together += (granted[i] - meanGranted) * (samples.get(i).writtenBytes() - meanWritten);
      alone += (granted[i] - meanGranted) * (granted[i] - meanGranted);
    }
    return together / alone;
  }
}
