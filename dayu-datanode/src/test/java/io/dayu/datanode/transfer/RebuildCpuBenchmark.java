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
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * CPU time and wake-ups of the threads that rebuild internal blocks over a full link, by what they do. Waits for the
 * link are the most of it on a slow one. Linux only. Not run by {@code mvn verify}:
 *
 * <pre>
 * mvn verify -pl dayu-datanode -DskipUTs=true -Dit.test=RebuildCpuBenchmark \
 *   -Dit.jvm.args="-Dbenchmark.link=3125000" -Dfailsafe.failIfNoSpecifiedTests=false
 * </pre>
 */
class RebuildCpuBenchmark {
  private static final long SEED = 20261128;
  private static final int ROUNDS = TestNumber.count("benchmark.rounds", 3, 1);
  private static final long LINK_BYTES_PER_SEC = TestNumber.number("benchmark.link", 3_125_000, 1, Long.MAX_VALUE);
  /** Rebuilt in a round, on one target; the agent decides how many at once. */
  private static final int GROUPS = 6;
  private static final int NODES = 6;
  private static final int DATA_UNITS = 3;
  private static final int INTERNAL_BYTES = 2 * MiniGroupCluster.CELL;
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final long SAMPLE_MS = 100;
  /** Of {@code /proc/[pid]/stat}. */
  private static final double TICKS_PER_SEC = 100;
  private static final int UTIME = 11;

  private final MiniGroupCluster cluster;

  /** What a kind of threads has used. */
  private static final class Use {
    private double cpuSeconds;
    private long wakeUps;
  }

  /** Of each thread, as last seen: threads end within a round. */
  private static final class Threads {
    private record Thread(String kind, double cpuSeconds, long wakeUps) {
    }

    private final Map<String, Thread> before = new HashMap<>();
    private final Map<String, Thread> last = new HashMap<>();

    Threads() throws IOException {
      sample(before);
    }

    void sample() throws IOException {
      sample(last);
    }

    private static void sample(Map<String, Thread> into) throws IOException {
      try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
        for (Path task : tasks) {
          try {
            String stat = Files.readString(task.resolve("stat"));
            String name = stat.substring(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            long wakeUps = Files.readAllLines(task.resolve("status")).stream()
                .filter(line -> line.startsWith("voluntary_ctxt_switches"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", ""))).findFirst().orElse(0);
            into.put(task.getFileName().toString(), new Thread(kind(name),
                (Long.parseLong(fields[UTIME]) + Long.parseLong(fields[UTIME + 1])) / TICKS_PER_SEC, wakeUps));
          } catch (IOException ended) {
            // It has ended meanwhile.
          }
        }
      }
    }

    /** The kernel knows the first 15 characters of a name. */
    private static String kind(String name) {
      return name.replaceAll("[-#]?[0-9].*", "");
    }

    Map<String, Use> since() {
      Map<String, Use> uses = new TreeMap<>();
      last.forEach((id, thread) -> {
        Thread was = before.getOrDefault(id, new Thread("", 0, 0));
        Use use = uses.computeIfAbsent(thread.kind(), kind -> new Use());
        use.cpuSeconds += thread.cpuSeconds() - was.cpuSeconds();
        use.wakeUps += thread.wakeUps() - was.wakeUps();
      });
      return uses;
    }
  }

  RebuildCpuBenchmark() throws Exception {
    cluster = new MiniGroupCluster(NODES, SEED, conf -> conf.set(DFSConfigKeys.DFS_HEARTBEAT_INTERVAL_KEY, "3s"));
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  @Test
  void cpuTimeOfARebuiltBlock_onAFullLink() throws Exception {
    DataNode target = cluster.hdfs.getDataNodes().get(0);
    for (DataNode node : cluster.hdfs.getDataNodes()) {
      DataNodeAccess access = new DataNodeAccess(node);
      NodeShaper shaper = new NodeShaper(PullCluster.settings(), 0, LINK_BYTES_PER_SEC);
      access.setReadThrottler(new RecoveryReadThrottler(shaper, null, new ServedReads(),
          new StockReconstructions(shaper), VolumeShapers.none(), access::countReplicatedBlock));
    }
    TransferService service = cluster.service(target, new NodeShaper(PullCluster.settings(), 0, LINK_BYTES_PER_SEC),
        PullCluster.REBUILD_BYTES);
    List<Group> groups = new ArrayList<>();
    while (groups.size() < GROUPS) {
      Group group = cluster.write("RS-3-2-1024k", DATA_UNITS * INTERNAL_BYTES);
      if (!group.holders().containsValue(target)) {
        groups.add(group);
      }
    }
    for (int round = 0; round < ROUNDS; round++) {
      rebuild(service, target, groups, round);
    }
  }

  private void rebuild(TransferService service, DataNode target, List<Group> groups, int round) throws Exception {
    List<GrantProto> grants = new ArrayList<>();
    for (Group group : groups) {
      grants.add(MiniGroupCluster.grant(group, 0, MiniGroupCluster.sources(cluster.shuffled(group, 0)),
          LINK_BYTES_PER_SEC / DATA_UNITS));
    }
    Threads threads = new Threads();
    long beganNs = System.nanoTime();
    cluster.apply(service, grants.toArray(GrantProto[]::new));
    Poll.until("all rebuilds have ended", LIMIT, () -> {
      threads.sample();
      Thread.sleep(SAMPLE_MS);
      return grants.stream().allMatch(grant -> cluster.ended(service, grant) != null);
    }, () -> service.granted().status(cluster.pool()));
    double seconds = (System.nanoTime() - beganNs) / 1e9;
    double gb = (double) groups.size() * INTERNAL_BYTES / 1e9;
    System.out.printf(Locale.ROOT, "round %d: %.1f s; of each kind of threads CPU s and wake-ups for a rebuilt MB:%n",
        round, seconds);
    threads.since().entrySet().stream().filter(one -> one.getValue().cpuSeconds > 0 || one.getValue().wakeUps > 100)
        .forEach(one -> System.out.printf(Locale.ROOT, "  %-16s %6.1f CPU s for a GB %8.1f wake-ups for a MB%n",
            one.getKey(), one.getValue().cpuSeconds / gb, one.getValue().wakeUps / gb / 1e3));
    for (int i = 0; i < groups.size(); i++) {
      assertEquals(Outcome.DONE, cluster.ended(service, grants.get(i)).getOutcome());
      cluster.assertRebuilt(service, target, groups.get(i), 0, grants.get(i));
    }
  }
}
