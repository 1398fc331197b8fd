/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import io.dayu.hosts.client.CheckedReport;
import io.dayu.hosts.client.CheckedTask;
import io.dayu.hosts.client.Topology;
import io.dayu.hosts.faults.DrawnFault;
import io.dayu.hosts.faults.FaultKind;
import io.dayu.hosts.faults.FaultRound;
import io.dayu.hosts.faults.FaultRounds;
import io.dayu.programs.Screen;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Random faults: rounds of faults, drawn by a seed, hit real daemons while clients write and read and compare every
 * byte. After each round everything must settle. Used once, by one thread. All that it sets up belongs to the scope.
 */
final class RandomFaultsTrial {
  private static final int START_LIMIT_SEC = 400;
  private static final int SETTLE_LIMIT_SEC = 120;
  private static final int POLL_MS = 1_000;
  private static final int MAX_COMPARISONS = 20;
  private static final int VOLUMES = 2;
  private static final int MAX_FILES = 120;
  private static final int MAX_FILE_BYTES = 3 << 20;
  private static final int WARM_UP_SEC = 20;
  /** With the default, a minute, all that a failover may wait for would be the limit itself. */
  private static final String LEASE = "6s";

  private final RandomFaultsOptions options;
  private final HostJars jars;
  private final Path work;
  private final RunScope scope;
  private final Screen screen;
  private final Map<FaultKind, Integer> happened = new EnumMap<>(FaultKind.class);
  private final List<String> violations = new ArrayList<>();
  private final DisturbedHosts disturbed = new DisturbedHosts();
  private FaultCluster cluster;
  private FaultActs acts;
  private RedundancyWatch watch;
  private SettledCheck settled;
  private HostConf conf;
  private CheckedReport clients;
  private double longestSettleSec;
  private int rounds;
  /** The number of the last round that has begun. */
  private int lastRound;

  RandomFaultsTrial(RandomFaultsOptions options, HostJars jars, Path work, RunScope scope) {
    this.options = options;
    this.lastRound = options.firstRound();
    this.jars = jars;
    this.work = work;
    this.scope = scope;
    this.screen = scope.screen();
  }

  /** Returns the exit code. */
  int run() throws IOException {
    try {
      FaultRounds drawn = start();
      long untilNs = System.nanoTime() + TimeUnit.MINUTES.toNanos(options.minutes());
      for (int number = options.firstRound(); System.nanoTime() < untilNs && violations.isEmpty(); number++) {
        run(drawn.round(number));
        violations.addAll(watch.violations());
      }
      if (rounds == 0) {
        violated("no round has ended");
      }
      watch.notDayu().forEach(this::violated);
    } catch (IOException | RuntimeException e) {
      violated("the run cannot go on: " + e);
    } catch (InterruptedException e) {
      violated("the run was interrupted");
      Thread.currentThread().interrupt();
    } finally {
      verdict();
      scope.close();
    }
    return violations.isEmpty() ? 0 : 1;
  }

  private FaultRounds start() throws IOException, InterruptedException {
    Path logs = DirectoryTree.logs(work, "random-" + options.seed());
    Path run = work.resolve("run");
    LoopVolumes.removeLeftovers(run);
    Path directory = scope.directory(run);
    HostLayout layout = new HostLayout(options.common().topology(), 2, VOLUMES);
    Set<FaultKind> kinds = EnumSet.copyOf(options.kinds());
    HostClocks clocks = HostClocks.compile(directory);
    if (clocks.library().isEmpty()) {
      leaveOut(kinds, kinds.stream().filter(FaultKind::needsClocks).toList(), "there is no C compiler");
    }
    if (options.earlier().isEmpty()) {
      leaveOut(kinds, kinds.stream().filter(FaultKind::needsOtherVersion).toList(), "there is no hosts.upgrade-from");
    }
    LoopVolumes fileSystems = fileSystems(kinds, directory, layout);
    if (kinds.isEmpty()) {
      throw new IOException("none of the hosts.kinds can be made to happen here");
    }
    HostNetwork network = scope.open(new HostNetwork(layout, options.common().links().queue()));
    for (String host : layout.dataNodeHosts()) {
      network.limit(host, options.common().links().rateBitsPerSec());
    }
    conf = new HostConf(layout, network.addresses(), directory, settings(directory));
    cluster = scope.open(new FaultCluster(conf, jars, earlier(), clocks, logs));
    cluster.start();
    settled = new SettledCheck(conf, cluster, cluster.startStatusClients());
    awaitSettled(START_LIMIT_SEC);
    cluster.startClients(new CheckedTask(options.seed(), options.common().data().blockBytes(), MAX_FILES,
        MAX_FILE_BYTES, erasureCoding().map(ErasureCoding::policyName).orElse("")));
    clients = cluster.tellClients("RESUME");
    screen.say("The cluster is ready: %d DataNodes, two NameNodes; %d s without faults.", layout.topology().nodes(),
        WARM_UP_SEC);
    watch = scope.open(new RedundancyWatch(conf, cluster, cluster.startStatusClients(), disturbed, screen));
    acts = new FaultActs(conf, cluster, new LinkCuts(network, options.common().links().rateBitsPerSec()), clocks,
        fileSystems, disturbed, screen);
    TimeUnit.SECONDS.sleep(WARM_UP_SEC);
    return new FaultRounds(options.seed(), layout.topology().nodes(), VOLUMES, kinds);
  }

  private void leaveOut(Set<FaultKind> kinds, List<FaultKind> left, String why) {
    if (!left.isEmpty()) {
      left.forEach(kinds::remove);
      screen.say("Left out, since %s: %s.", why, left.stream().map(FaultKind::id).collect(Collectors.joining(", ")));
    }
  }

  /** Null if no fault needs them. */
  private LoopVolumes fileSystems(Set<FaultKind> kinds, Path directory, HostLayout layout)
      throws IOException, InterruptedException {
    List<FaultKind> needy = kinds.stream().filter(FaultKind::needsFileSystems).toList();
    if (needy.isEmpty()) {
      return null;
    }
    if (!LoopVolumes.isPossible(directory.resolve("probe"))) {
      leaveOut(kinds, needy, "volumes cannot be file systems on loop devices");
      return null;
    }
    LoopVolumes fileSystems = scope.open(new LoopVolumes(directory));
    for (String host : layout.dataNodeHosts()) {
      for (Path volume : new HostStorage(directory.resolve(host), VOLUMES).volumes()) {
        fileSystems.add(volume);
      }
    }
    return fileSystems;
  }

  private Optional<HostJars> earlier() {
    return options.earlier().map(other -> new HostJars(jars.hadoop(), other.nameNode(), other.dataNode(),
        other.dataNode()));
  }

  private Map<String, String> settings(Path directory) {
    Map<String, String> settings = new HashMap<>(FaultCluster.settings(directory));
    settings.put("dfs.namenode.plugins", HostsOptions.NAME_NODE_PLUGIN);
    settings.put("dfs.datanode.plugins", HostsOptions.DATA_NODE_PLUGIN);
    settings.put("dayu.datanode.bandwidthPerSec", Long.toString(options.common().links().rateBytesPerSec()));
    settings.put("dayu.transfer.lease", LEASE);
    if (erasureCoding().isPresent()) {
      settings.put("dayu.recovery.erasure-coding", "dayu");
    }
    settings.putAll(options.common().conf());
    return settings;
  }

  private Optional<ErasureCoding> erasureCoding() {
    return options.common().data().erasureCoding();
  }

  private void run(FaultRound round) throws IOException, InterruptedException {
    lastRound = round.number();
    screen.say("Round %d of seed %d: %d faults on %s.", round.number(), options.seed(), round.faults().size(),
        targets(round));
    clients = cluster.tellClients("RESUME");
    Set<Integer> targets = new TreeSet<>(round.faults().stream().map(DrawnFault::node).toList());
    long beganNs = System.nanoTime();
    ExecutorService runners = Executors.newFixedThreadPool(targets.size());
    try {
      List<Future<?>> ends = new ArrayList<>();
      for (int node : targets) {
        ends.add(runners.submit(() -> {
          for (DrawnFault fault : round.of(node)) {
            carryOut(fault, beganNs);
          }
          return null;
        }));
      }
      for (Future<?> end : ends) {
        end.get();
      }
    } catch (ExecutionException e) {
      throw new IOException("a fault cannot be made to happen: " + e.getCause(), e.getCause());
    } finally {
      runners.shutdownNow();
    }
    round.faults().forEach(fault -> happened.merge(fault.kind(), 1, Integer::sum));
    settle();
    rounds++;
  }

  private static String targets(FaultRound round) {
    return new TreeSet<>(round.faults().stream().map(DrawnFault::node).toList()).stream()
        .map(node -> node < 0 ? "the NameNodes" : Topology.dataNode(node)).collect(Collectors.joining(", "));
  }

  private void carryOut(DrawnFault fault, long roundBeganNs) throws IOException, InterruptedException {
    sleepUntil(roundBeganNs + TimeUnit.MILLISECONDS.toNanos(fault.beginMs()));
    long beganNs = System.nanoTime();
    acts.begin(fault);
    sleepUntil(beganNs + TimeUnit.MILLISECONDS.toNanos(fault.endMs() - fault.beginMs()));
    acts.end(fault);
  }

  private static void sleepUntil(long ns) throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(Math.max(0, ns - System.nanoTime()));
  }

  /** Clients begin nothing new, what is under way ends, and then everything must come to rest. */
  private void settle() throws IOException, InterruptedException {
    long beganNs = System.nanoTime();
    clients = cluster.tellClients("PAUSE");
    List<String> rest = awaitSettled(SETTLE_LIMIT_SEC);
    double seconds = (System.nanoTime() - beganNs) / 1e9;
    longestSettleSec = Math.max(longestSettleSec, seconds);
    rest.forEach(text -> violated("not settled " + SETTLE_LIMIT_SEC + " s after the last fault: " + text));
    clients = cluster.tellClients("CHECK");
    clients.violations().forEach(this::violated);
    if (clients.files() == 0) {
      violated("no client has been able to write anything: see client.out");
    }
    differentReplicas().forEach(this::violated);
    screen.say(
        "%s after %.0f s; %d files with %s compared; %d of the clients' operations have failed so far; Dayu: %s.",
        rest.isEmpty() ? "Settled" : "Not settled", seconds, clients.files(), Screen.mib(clients.bytes()),
        clients.failed(), settled.state());
  }

  /** A DataNode deletes a replica some time after it was told to. */
  private List<String> differentReplicas() throws IOException, InterruptedException {
    List<String> different = differences();
    for (int polls = 0; !different.isEmpty() && polls < MAX_COMPARISONS; polls++) {
      TimeUnit.MILLISECONDS.sleep(POLL_MS);
      different = differences();
    }
    return different;
  }

  private List<String> differences() throws IOException {
    List<String> different = new ArrayList<>(ReplicaFiles.differences(conf));
    if (erasureCoding().isPresent()) {
      different.addAll(new GroupFiles(erasureCoding().get().policy()).differences(conf, settled.blocks()));
    }
    return different;
  }

  /** What has not come to rest in time. */
  private List<String> awaitSettled(int limitSec) throws IOException, InterruptedException {
    long untilNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(limitSec);
    while (true) {
      List<String> unsettled = new ArrayList<>(settled.unsettled());
      if (clients != null) {
        clients = cluster.tellClients("REPORT");
        if (clients.running() > 0) {
          unsettled.add(0, clients.running() + " operations of clients have not ended");
        }
        if (clients.abandoned() > 0) {
          unsettled.add(clients.abandoned() + " files of operations that failed are not yet compared and deleted");
        }
      }
      if (unsettled.isEmpty() || System.nanoTime() > untilNs) {
        return unsettled;
      }
      screen.progress("not settled: " + unsettled.get(0).lines().findFirst().orElse(""));
      TimeUnit.MILLISECONDS.sleep(POLL_MS);
    }
  }

  private void violated(String what) {
    violations.add(what);
    screen.say("VIOLATION: %s", what);
  }

  private void verdict() {
    List<String> lines = new ArrayList<>();
    lines.add("");
    lines.add("faults: " + happened.entrySet().stream().map(entry -> entry.getKey().id() + " " + entry.getValue())
        .collect(Collectors.joining(", ")));
    if (clients != null && watch != null) {
      lines.add(text("clients: %d files written or appended to, %d files with %s read and compared, %d operations"
          + " failed", clients.written(), clients.read(), Screen.mib(clients.readBytes()), clients.failed()));
      lines.add(text("blocks and groups: %d looks at all; the longest time without recovery while sources and a target"
          + " were there: %d s (limit %d s)", watch.looks(), watch.longestMs() / 1_000,
          UnrecoveredBlocks.LIMIT_MS / 1_000));
      lines.add(watch.whoRecovered());
      lines.add(text("rounds: %d; the longest time until all had settled: %.0f s (limit %d s)", rounds,
          longestSettleSec, SETTLE_LIMIT_SEC));
    }
    violations.forEach(what -> lines.add("VIOLATION: " + what));
    lines.add(violations.isEmpty() ? "PASSED: seed " + options.seed() + ", " + rounds + " rounds: 0 bytes lost or wrong"
        : "FAILED: seed " + options.seed() + ", round " + lastRound + "; logs in "
            + work.resolve("logs"));
    screen.block(lines);
  }

  private static String text(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
