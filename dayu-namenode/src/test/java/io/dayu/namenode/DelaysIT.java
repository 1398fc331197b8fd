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
import io.dayu.model.ClusterSnapshot;
import io.dayu.model.TimeslotPlan;
import io.dayu.schedule.DayuScheduler;
import io.dayu.schedule.TimeslotScheduler;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerAccess;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Measures two delays with every interval at its default: how old the NameNode's reports are, and how long its commands
 * take to arrive. The simulator takes these values for {@code --report-delay} and {@code --lead}
 * (docs/simulator-results.md). A node of an embedded cluster is killed, and the times are read off the log lines of
 * NameNode and agents, which share a clock here. What the test finds is written to {@code delays.txt} below
 * {@code target/test}. A real network and busier hosts add the time of a small RPC.
 */
@Tag("slow")
final class DelaysIT {
  private static final int NODES = 12;
  private static final int FILES = 40;
  private static final int BLOCK_BYTES = 1 << 20;
  private static final Pattern REPORT = Pattern.compile("Dayu: report \\d+ of agent (\\S+)");
  private static final Pattern GRANTED = Pattern.compile("BLOCK\\* Dayu: ask \\S+ to pull (blk_\\d+)_\\d+ from .*");
  private static final Pattern STARTED = Pattern.compile("BLOCK\\* .*(blk_\\d+)_\\d+ to be pulled from .*");
  private static final Pattern RECEIVED = Pattern.compile("Received .*(blk_\\d+)_\\d+ size .* for Dayu");
  private static final Pattern KNOWN = Pattern.compile("BLOCK\\* Dayu: (blk_\\d+)_\\d+ has been received by .*");

  /** A line of the log, and when it was written. */
  private record Line(long atNs, String text) {
  }

  private static final Queue<Line> LINES = new ConcurrentLinkedQueue<>();
  private static final String PLAN = "plan";

  /** Writes down when a snapshot is planned. */
  static final class TimedScheduler implements TimeslotScheduler {
    private final DayuScheduler inner = new DayuScheduler();

    @Override
    public String name() {
      return inner.name();
    }

    @Override
    public TimeslotPlan plan(ClusterSnapshot snapshot) {
      LINES.add(new Line(System.nanoTime(), PLAN));
      return inner.plan(snapshot);
    }
  }

  /** The plugin with that scheduler. */
  public static final class TimedPlugin extends RuntimePlugin {
    public TimedPlugin() {
      super(new NameNodeRuntime(new TimedScheduler(), BlockManagerAccess::required));
    }
  }

  /** Writes down all lines of Dayu's. */
  private static final class CapturingAppender extends AppenderSkeleton {
    @Override
    protected void append(LoggingEvent event) {
      LINES.add(new Line(System.nanoTime(), event.getRenderedMessage()));
    }

    @Override
    public void close() {
      // Nothing is held.
    }

    @Override
    public boolean requiresLayout() {
      return false;
    }
  }

  @Test
  void delays_areThoseOfTheHeartbeat() throws Exception {
    Logger logger = Logger.getLogger("io.dayu");
    CapturingAppender appender = new CapturingAppender();
    logger.setLevel(Level.DEBUG);
    logger.addAppender(appender);
    long killedNs;
    try (DayuCluster cluster =
        DayuCluster.builder().dataNodes(NODES).racks(4).blockSizeBytes(BLOCK_BYTES).bandwidthBytesPerSec(400_000)
            .conf(DFSConfigKeys.DFS_NAMENODE_PLUGINS_KEY, TimedPlugin.class.getName()).start()) {
      StatusProbe.awaitDayu(NODES);
      for (int i = 0; i < FILES; i++) {
        cluster.write("/f" + i, 8L * BLOCK_BYTES, 3);
      }
      new ClusterVerifier(cluster).awaitSettled(Duration.ofSeconds(60));
      killedNs = System.nanoTime();
      cluster.kill(cluster.fullestNode());
      new ClusterVerifier(cluster).assertRecovers(Duration.ofSeconds(120));
    } finally {
      logger.removeAppender(appender);
    }
    Delays delays = new Delays();
    LINES.stream().sorted((a, b) -> Long.compare(a.atNs, b.atNs)).forEach(line -> delays.read(line, killedNs));
    Files.writeString(Path.of(System.getProperty("test.build.dir", "target"), "delays.txt"), delays.table());
    assertTrue(delays.count("plan to start") >= FILES && delays.count("finish to NameNode") >= FILES, delays::table);
    assertTrue(delays.share("age of reports", 0.5) < 1, delays::table);
    assertTrue(delays.share("plan to start", 0.5) < 1, delays::table);
    assertTrue(delays.share("plan to start, first timeslot", 0.75) < 3, delays::table);
    assertTrue(delays.share("finish to NameNode", 0.5) < 1, delays::table);
  }

  /** Delays in seconds by what they are, found in lines in the order of time. Not thread-safe. */
  private static final class Delays {
    private final Map<String, List<Double>> seconds = new TreeMap<>();
    private final Map<String, Long> lastReport = new HashMap<>();
    private final Map<String, Long> plannedNs = new HashMap<>();
    private final Map<String, Long> receivedNs = new HashMap<>();
    private long planNs;
    private long firstPlanNs;

    void read(Line line, long killedNs) {
      String agent = match(REPORT, line);
      if (agent != null) {
        lastReport.put(agent, line.atNs);
      }
      if (line.atNs < killedNs) {
        return;
      }
      if (line.text.equals(PLAN)) {
        planNs = line.atNs;
        // The node that was killed falls silent; all others report at least every 3 s.
        lastReport.values().stream().filter(atNs -> line.atNs - atNs < 4_000_000_000L)
            .forEach(atNs -> add("age of reports", atNs, line.atNs));
      }
      String block = match(GRANTED, line);
      if (block != null) {
        firstPlanNs = firstPlanNs == 0 ? planNs : firstPlanNs;
        plannedNs.put(block, planNs);
      }
      block = match(STARTED, line);
      if (block != null && plannedNs.containsKey(block)) {
        boolean first = plannedNs.get(block) == firstPlanNs;
        add("plan to start", plannedNs.get(block), line.atNs);
        add(first ? "plan to start, first timeslot" : "plan to start, later ones", plannedNs.get(block), line.atNs);
      }
      block = match(RECEIVED, line);
      if (block != null) {
        receivedNs.put(block, line.atNs);
      }
      block = match(KNOWN, line);
      if (block != null && receivedNs.containsKey(block)) {
        add("finish to NameNode", receivedNs.get(block), line.atNs);
      }
    }

    private static String match(Pattern pattern, Line line) {
      Matcher matcher = pattern.matcher(line.text);
      return matcher.matches() ? matcher.group(1) : null;
    }

    private void add(String what, long fromNs, long toNanos) {
      seconds.computeIfAbsent(what, w -> new ArrayList<>()).add((toNanos - fromNs) / 1e9);
    }

    int count(String what) {
      return seconds.getOrDefault(what, List.of()).size();
    }

    double share(String what, double share) {
      List<Double> sorted = seconds.getOrDefault(what, List.of()).stream().sorted().toList();
      return sorted.isEmpty() ? Double.NaN : sorted.get((int) (share * (sorted.size() - 1)));
    }

    String table() {
      StringBuilder table = new StringBuilder();
      for (String what : seconds.keySet()) {
        table.append(String.format(Locale.ROOT, "%-30s n %5d  mean %5.2f s  p5 %5.2f s  p50 %5.2f s  p95 %5.2f s%n",
            what, count(what), seconds.get(what).stream().mapToDouble(s -> s).average().orElse(Double.NaN),
            share(what, 0.05), share(what, 0.5), share(what, 0.95)));
      }
      return table.toString();
    }
  }
}
