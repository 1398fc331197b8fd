/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.scale;

import io.dayu.blocks.LockHolds;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.harness.RackByAddress;
import io.dayu.namenode.TimeslotDriver;
import io.dayu.namenode.agents.WireMessages;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.programs.options.BadOptionException;
import org.HdrHistogram.Histogram;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerAccess;
import org.apache.hadoop.hdfs.server.blockmanagement.LostNodes;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.hdfs.server.namenode.NamesystemFixture;
import org.apache.log4j.Level;
import org.apache.log4j.LogManager;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * What recovery costs a large NameNode: stock's {@code computeReconstructionWorkForBlocks} and Dayu's timeslots on the
 * same block management, with real descriptors, storages, files and blocks. No DataNode runs. Prints JSON. One thread
 * drives it.
 *
 * <p>Two parts: how many blocks a second are scheduled if nothing holds them up; and, at a pace, how long the
 * namesystem lock is held and how long its other users wait for it, beside a run of the same users without recovery.
 */
public final class NameNodeBenchmark {
  private static final long SEED = 20190710;
  private static final long BLOCK_BYTES = 64 << 20;
  private static final long SECOND_NS = 1_000_000_000L;
  private static final int STOCK_BLOCKS_PER_NODE = 2;

  private final ScaleOptions options;
  private final int nodes;
  private final int pace;
  private final long measuredNs;
  private final Configuration conf;
  private final Settings settings;
  private final FSNamesystem namesystem;
  private final LostNodes cluster;
  /** Of the namesystem, or of its blocks where these have a lock of their own. */
  private final TimedLock lock;
  private final StringJoiner results = new StringJoiner(",\n  ", "{\n  ", "\n}");

  private NameNodeBenchmark(ScaleOptions options, Configuration conf, FSNamesystem namesystem) throws Exception {
    this.options = options;
    this.nodes = options.nodes();
    this.pace = options.pace();
    this.measuredNs = options.seconds() * SECOND_NS;
    this.conf = conf;
    this.settings = Settings.read(conf);
    this.namesystem = namesystem;
    this.cluster = new LostNodes(namesystem, RackByAddress.RACK_SIZE, SEED, BLOCK_BYTES);
    this.lock = NamesystemFixture.useLocks(namesystem, TimedLock::new);
    cluster.addNodes(nodes, node -> StorageType.DISK);
    cluster.reportBlocks();
  }

  public static void main(String[] args) throws Exception {
    // Lines of the block-state log would be a good part of what is measured.
    LogManager.getLoggerRepository().setThreshold(Level.WARN);
    ScaleOptions options;
    try {
      options = ScaleOptions.read(properties());
    } catch (BadOptionException e) {
      System.err.println("scale: " + e.getMessage());
      System.exit(2);
      return;
    }
    Configuration conf = new HdfsConfiguration();
    options.conf().forEach(conf::set);
    conf.setClass(CommonConfigurationKeysPublic.NET_TOPOLOGY_NODE_SWITCH_MAPPING_IMPL_KEY, RackByAddress.class,
        org.apache.hadoop.net.DNSToSwitchMapping.class);
    // HDFS's rounds and Dayu's are driven by hand.
    LostNodes.configure(conf);
    // What is not to be measured: how many blocks stock lets a node send at once.
    conf.setInt(DFSConfigKeys.DFS_NAMENODE_REPLICATION_MAX_STREAMS_KEY, 1_000_000);
    conf.setInt(DFSConfigKeys.DFS_NAMENODE_REPLICATION_STREAMS_HARD_LIMIT_KEY, 1_000_000);
    try (MiniDFSCluster nameNode =
        new MiniDFSCluster.Builder(conf).numDataNodes(0).useConfiguredTopologyMappingClass(true).build()) {
      nameNode.getNamesystem().getBlockManager().initializeReplQueues();
      NameNodeBenchmark benchmark = new NameNodeBenchmark(options, conf, nameNode.getNamesystem());
      benchmark.run();
      System.out.println(benchmark.results);
      if (options.json().isPresent()) {
        Files.writeString(options.json().get(), benchmark.results + "\n");
      }
    }
  }

  private static Map<String, String> properties() {
    Map<String, String> properties = new HashMap<>();
    System.getProperties().stringPropertyNames().forEach(key -> properties.put(key, System.getProperty(key)));
    return properties;
  }

  private void run() throws Exception {
    add("nodes", "%d", nodes);
    add("blocks", "%d", options.blocks());
    add("processors", "%d", Runtime.getRuntime().availableProcessors());
    cluster.addBlocks(options.blocks());
    for (ScaleOptions.Part part : options.parts()) {
      cluster.enterAll();
      lock.reset();
      System.gc();
      switch (part) {
        case STOCK -> {
          stockUnpaced(false);
          cluster.enterAll();
          lock.reset();
          stockUnpaced(true);
        }
        case DAYU -> {
          dayuUnpaced(false);
          cluster.enterAll();
          lock.reset();
          dayuUnpaced(true);
        }
        case PACE_NONE -> paced(part, () -> null);
        case PACE_STOCK -> paced(part, () -> new StockPace(cluster, pace));
        case PACE_DAYU -> paced(part, () -> dayuPace(settings));
        case PACE_JOURNAL -> journaled();
        case REPORTS -> reports();
      }
    }
  }

  private void add(String name, String format, Object... values) {
    String line = String.format(Locale.ROOT, "\"%s\": " + format, prepend(name, values));
    System.err.println(line);
    results.add(line);
  }

  private static Object[] prepend(Object first, Object[] rest) {
    Object[] all = new Object[rest.length + 1];
    all[0] = first;
    System.arraycopy(rest, 0, all, 1, rest.length);
    return all;
  }

  private static long cpuNs() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  /**
   * Stock's rounds, one after the other; the DataNodes' heartbeats between them, which empty its queues, are not
   * counted.
   *
   * @param warm whether it has run before: only then the result is kept
   */
  private void stockUnpaced(boolean warm) {
    long scheduled = 0;
    long rounds = 0;
    long cpuNs = 0;
    long wallNs = 0;
    while (wallNs < measuredNs && cluster.waiting() > 0) {
      long startNs = System.nanoTime();
      long startCpuNs = cpuNs();
      int now = cluster.stockRound(nodes * STOCK_BLOCKS_PER_NODE);
      wallNs += System.nanoTime() - startNs;
      cpuNs += cpuNs() - startCpuNs;
      scheduled += now;
      rounds++;
      cluster.takeQueued();
      if (now == 0) {
        break;
      }
    }
    if (warm) {
      unpaced("stock", scheduled, rounds, wallNs, cpuNs);
      holds("stock", Thread.currentThread());
    }
  }

  private void dayuUnpaced(boolean warm) throws Exception {
    BlockManagerAccess blocks = open();
    TimeslotDriver timeslots = new TimeslotDriver(blocks, settings, loads(unpacedLoad()));
    long committed = 0;
    long planned = 0;
    long rounds = 0;
    long cpuNs = 0;
    long wallNs = 0;
    long decideNs = 0;
    long commitNs = 0;
    while (wallNs < measuredNs && cluster.waiting() > 0) {
      long startNs = System.nanoTime();
      long startCpuNs = cpuNs();
      TimeslotDriver.Timeslot timeslot = timeslots.next();
      wallNs += System.nanoTime() - startNs;
      cpuNs += cpuNs() - startCpuNs;
      committed += timeslot.committed();
      planned += timeslot.planned();
      decideNs += timeslot.decideNs();
      commitNs += timeslot.commitNs();
      rounds++;
    }
    if (warm) {
      unpaced("dayu", committed, rounds, wallNs, cpuNs);
      add("dayu.unpaced.planned", "%d", planned);
      add("dayu.unpaced.decide.ms", "%d", decideNs / 1_000_000);
      add("dayu.unpaced.commit.ms", "%d", commitNs / 1_000_000);
      holds("dayu", Thread.currentThread());
    }
  }

  private BlockManagerAccess open() throws Exception {
    return BlockManagerAccess.open(namesystem, () -> 0L,
        TimeUnit.MILLISECONDS.toNanos(settings.millis(Setting.LOCK_MAX_HOLD)), ns -> {});
  }

  private void unpaced(String who, long blocks, long rounds, long wallNs, long cpuNs) {
    add(who + ".unpaced.blocks", "%d", blocks);
    add(who + ".unpaced.rounds", "%d", rounds);
    add(who + ".unpaced.blocks.per.second", "%.0f", blocks * 1e9 / wallNs);
    add(who + ".unpaced.blocks.per.cpu.second", "%.0f", blocks * 1e9 / cpuNs);
  }

  /** The thread's holds of the lock for writing, and for reading if there were any. */
  private void holds(String who, Thread holder) {
    holds(who + ".lock", lock.writesOf(holder));
    if (lock.readsOf(holder).count() > 0) {
      holds(who + ".readlock", lock.readsOf(holder));
    }
  }

  private void holds(String what, LockHolds holds) {
    add(what + ".holds", "%d", holds.count());
    add(what + ".p50.us", "%d", holds.percentileNs(0.5) / 1_000);
    add(what + ".p99.us", "%d", holds.percentileNs(0.99) / 1_000);
    add(what + ".p99.9.us", "%d", holds.percentileNs(0.999) / 1_000);
    add(what + ".max.us", "%d", holds.maxNs() / 1_000);
    add(what + ".max.cpu.us", "%d", holds.maxCpuNs() / 1_000);
  }

  private static NodeLoad unpacedLoad() {
    return WireMessages.load(SimulatedAgents.load(250_000_000, 100_000_000));
  }

  private Map<String, NodeLoad> loads(NodeLoad load) {
    Map<String, NodeLoad> loads = new HashMap<>();
    for (int i = 0; i < nodes; i++) {
      loads.put(LostNodes.uuid(i), load);
    }
    return loads;
  }

  /** What agents' reports cost the RPC server, and DataNodes' heartbeats beside them and without. */
  private void reports() throws Exception {
    try (AgentReports agents = new AgentReports(conf, options.agents())) {
      AgentReports.Result without = agents.run(0, measuredNs);
      AgentReports.Result with = agents.run(options.reportsPerSec(), measuredNs);
      add("reports.agents", "%d", options.agents());
      add("reports.per.second", "%.0f", with.reportsPerSec());
      add("reports.server.cpu.us", "%.1f", with.serverCpuMicros());
      add("reports.loop.cpu.share", "%.4f", with.loopCpuShare());
      add("reports.answered.while.namesystem.locked", "%d", with.answeredUnderLock());
      for (double percentile : new double[] {50, 99}) {
        add("reports.heartbeat.p" + (int) percentile + ".us", "%.0f",
            with.heartbeats().getValueAtPercentile(percentile) / 1e3);
        add("reports.heartbeat.without.p" + (int) percentile + ".us", "%.0f",
            without.heartbeats().getValueAtPercentile(percentile) / 1e3);
      }
    }
  }

  private DayuPace dayuPace(Settings with) throws Exception {
    return new DayuPace(namesystem, open(), cluster, nodes, (long) (ScaleOptions.HEADROOM * pace * BLOCK_BYTES / nodes),
        with);
  }

  /**
   * Measures what a recovery costs others, after a run that is not measured: while the JVM compiles, the compiler's
   * threads take the processors that users wait for.
   *
   * @param recovery makes a new one, or null for none
   */
  private void paced(ScaleOptions.Part part, Callable<Pace> recovery) throws Exception {
    warmUp(recovery.call());
    measure(part.id(), recovery.call());
  }

  private void warmUp(Pace recovery) throws Exception {
    if (recovery != null) {
      recovery.start();
    }
    LockUsers users = new LockUsers(namesystem, cluster);
    users.start();
    TimeUnit.SECONDS.sleep(ScaleOptions.WARM_UP_SECONDS);
    users.stop();
    if (recovery != null) {
      recovery.stop();
      cluster.enterAll();
    }
    System.gc();
  }

  private void measure(String part, Pace recovery) throws Exception {
    if (recovery != null) {
      recovery.start();
      // Until it has found its pace.
      TimeUnit.SECONDS.sleep(ScaleOptions.WARM_UP_SECONDS);
    }
    lock.reset();
    long receivedBefore = recovery == null ? 0 : recovery.received();
    LockUsers users = new LockUsers(namesystem, cluster);
    long startNs = System.nanoTime();
    users.start();
    TimeUnit.NANOSECONDS.sleep(measuredNs);
    Histogram waits = users.stop();
    long wallNs = System.nanoTime() - startNs;
    add(part + ".users.calls.per.second", "%.0f", waits.getTotalCount() * 1e9 / wallNs);
    add(part + ".users.wait.mean.us", "%.1f", waits.getMean() / 1e3);
    add(part + ".users.wait.p50.us", "%.1f", waits.getValueAtPercentile(50) / 1e3);
    add(part + ".users.wait.p99.us", "%.1f", waits.getValueAtPercentile(99) / 1e3);
    add(part + ".users.wait.p99.9.us", "%.1f", waits.getValueAtPercentile(99.9) / 1e3);
    if (recovery != null) {
      add(part + ".blocks.per.second", "%.0f", (recovery.received() - receivedBefore) * 1e9 / wallNs);
      Thread holder = recovery.lockHolder();
      holds(part, holder);
      add(part + ".lock.share", "%.4f", (double) lock.writesOf(holder).totalNs() / wallNs);
      add(part + ".readlock.share", "%.4f", (double) lock.readsOf(holder).totalNs() / wallNs);
      recovery.stop();
      recovery.results().forEach((name, value) -> add(part + "." + name, "%s", value));
    }
  }

  /** The same while it is recorded. */
  private void journaled() throws Exception {
    Path directory = Files.createTempDirectory("dayu-journal-");
    try {
      Settings recorded = settings.with(Map.of(Setting.JOURNAL_MAX_BYTES.key(), "256m",
          Setting.JOURNAL_DIRECTORY.key(), directory.toString()));
      paced(ScaleOptions.Part.PACE_JOURNAL, () -> dayuPace(recorded));
    } finally {
      FileUtil.fullyDelete(directory.toFile());
    }
  }
}
