/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.dayu.harness.FsckReport;
import io.dayu.hosts.client.Topology;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The short form of the benchmark, which measures nothing: Dayu, installed as the README says, recovers a DataNode that
 * was killed; then stock HDFS recovers another one after the NameNode was restarted without Dayu; then the DataNodes
 * are restarted without Dayu too. Used once, by one thread. Everything that it sets up belongs to the scope.
 */
final class InstallationTrial {
  /** Several times the 40 s that it takes at most on an idle machine. */
  private static final int START_LIMIT_SEC = 240;
  private static final int RECOVERY_LIMIT_SEC = 240;
  private static final int FSCK_LIMIT_SEC = 120;
  /** So that a copy that a restarted NameNode had begun needlessly is given up in time. */
  private static final int STOCK_PENDING_SEC = 15;
  private static final int POLL_MS = 250;
  /** Longer than the settings below, and shorter than an agent may be silent, nine seconds. */
  private static final int PAUSE_SEC = 7;
  private static final int SLOW_DIVISOR = 10;
  /** Shorter than by default, so that a short pause exceeds them. */
  private static final Map<String, String> PAUSE_SETTINGS =
      Map.of("dayu.transfer.lease", "6s", "dayu.namenode.watchdog.timeout", "5s");
  private static final Pattern LINKAGE_ERROR =
      Pattern.compile("(NoClassDefFound|NoSuchMethod|NoSuchField|AbstractMethod|IllegalAccess)Error");

  private final HostsOptions options;
  private final HostJars jars;
  private final Path work;
  private final RunScope scope;
  private final Topology topology;
  private final int firstVictim;
  private final int secondVictim;
  private HostNetwork network;
  private HostConf conf;
  private HostCluster dayu;
  private HostCluster stock;
  private NameNodeStatus status;
  private double killedAtMs;

  /** One check. */
  private interface Step {
    void run() throws IOException, InterruptedException;
  }

  private record NamedStep(String name, Step step) {
  }

  /** Something that becomes true in time. */
  private interface Condition {
    boolean holds() throws IOException;
  }

  InstallationTrial(HostsOptions options, HostJars jars, Path work, RunScope scope) {
    this.options = options;
    this.jars = jars;
    this.work = work;
    this.scope = scope;
    this.topology = options.topology();
    this.firstVictim = new SplittableRandom(options.runs().seeds().get(0)).nextInt(topology.nodes());
    this.secondVictim = (firstVictim + 1) % topology.nodes();
  }

  /** Returns the exit code. What follows a check that failed is not run. */
  int run() throws IOException {
    List<NamedStep> steps = List.of(
        new NamedStep("every DataNode has an agent that the NameNode hears", this::startWithDayu),
        new NamedStep("Dayu recovers a DataNode that is killed, while the NameNode is paused, too, without a change of"
            + " state", this::recoverByDayu),
        new NamedStep("fsck is healthy after it", this::awaitHealthy),
        new NamedStep("no block had a replica too many, and nothing is left over", this::findLeftovers),
        new NamedStep("no daemon misses a class or a member", this::findLinkageErrors),
        new NamedStep("the NameNode starts without Dayu", this::removeFromNameNode),
        new NamedStep("stock HDFS recovers another DataNode", this::recoverByStock),
        new NamedStep("fsck is healthy after it", this::awaitHealthy),
        new NamedStep("all daemons start without Dayu", this::rollBack),
        new NamedStep("fsck is healthy after it", this::awaitHealthy));
    int passed = 0;
    boolean failed = false;
    try {
      while (passed < steps.size() && !failed) {
        failed = !passes(steps.get(passed));
        passed += failed ? 0 : 1;
      }
    } finally {
      scope.close();
    }
    scope.screen().block(List.of(passed + " passed, " + (failed ? 1 : 0) + " failed"
        + (failed ? ", " + (steps.size() - passed - 1) + " not run; logs in " + work.resolve("logs") : "")));
    return failed ? 1 : 0;
  }

  private boolean passes(NamedStep step) {
    try {
      step.step().run();
      scope.screen().say("passed: %s", step.name());
      return true;
    } catch (IOException | RuntimeException e) {
      scope.screen().say("FAILED: %s: %s", step.name(), e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return false;
  }

  private void startWithDayu() throws IOException, InterruptedException {
    Path directory = scope.directory(work.resolve("run"));
    network = scope.open(new HostNetwork(options.layout(), options.links().queue()));
    conf = new HostConf(options.layout(), network.addresses(), directory, settings(RecoveryMode.DAYU));
    Path logs = DirectoryTree.logs(work, "short-dayu");
    dayu = scope.open(new HostCluster(conf, jars, RecoveryMode.DAYU, logs));
    HostConf stockConf = new HostConf(options.layout(), network.addresses(), directory,
        settings(RecoveryMode.STOCK_DEFAULT));
    stock = scope.open(new HostCluster(stockConf, jars, RecoveryMode.STOCK_DEFAULT,
        DirectoryTree.logs(work, "short-stock")));
    dayu.format();
    dayu.startDaemons();
    status = dayu.startStatusClient();
    dayu.load(DataSetCache.task(options, options.runs().seeds().get(0), logs));
    DataSetCache.awaitBlocks(conf, options.files() * Topology.REPLICATION);
    limitLinks(options.links().rateBitsPerSec());
    await(START_LIMIT_SEC, () -> {
      JsonNode bean = dayuStatus();
      return bean.path("State").asText().equals("DAYU") && bean.path("LiveAgents").asInt() == topology.nodes();
    }, () -> "after " + START_LIMIT_SEC + " s the NameNode says " + shown(dayuStatus()));
  }

  /**
   * A death is declared sooner than the benchmark does it. The interval is no shorter, since HDFS skips a check that is
   * late by more than that.
   */
  private Map<String, String> settings(RecoveryMode mode) {
    Map<String, String> settings = new HashMap<>(Map.of("dfs.namenode.heartbeat.recheck-interval", "1000",
        // The data set shall lie where it was planned.
        "dfs.namenode.redundancy.considerLoad", "false"));
    settings.putAll(PAUSE_SETTINGS);
    if (mode == RecoveryMode.STOCK_DEFAULT) {
      settings.put("dfs.namenode.reconstruction.pending.timeout-sec", String.valueOf(STOCK_PENDING_SEC));
    }
    settings.putAll(HostsRun.settings(options, mode));
    return settings;
  }

  /** In mid-recovery the NameNode stands still for longer than its watchdog waits and than leases last. */
  private void recoverByDayu() throws IOException, InterruptedException {
    LostReplicaFiles lost = lostBlocks(firstVictim);
    killedAtMs = System.currentTimeMillis();
    dayu.dataNodes().get(firstVictim).kill();
    awaitRestored(lost, 1);
    int before = lost.restored().size();
    pauseNameNode();
    lost.scan();
    int during = lost.restored().size() - before;
    if (lost.allRestored()) {
      throw new IOException("all is restored before the NameNode goes on");
    }
    awaitRestored(lost, lost.count());
    scope.screen().say("%d blocks restored, %d of them while the NameNode stood still; transfers that ended with their "
        + "leases: %d.", lost.count(), during, awaitDayuStatus().path("TotalFailed").asInt());
    long changes = dayu.changesOfState(killedAtMs, Double.POSITIVE_INFINITY);
    if (changes > 0) {
      throw new IOException("the state changed " + changes + " times, as the NameNode's log says");
    }
  }

  /** Links are so slow meanwhile that transfers are under way when their leases end. */
  private void pauseNameNode() throws IOException, InterruptedException {
    limitLinks(options.links().rateBitsPerSec() / SLOW_DIVISOR);
    dayu.nameNode().pause();
    try {
      TimeUnit.SECONDS.sleep(PAUSE_SEC);
    } finally {
      dayu.nameNode().goOn();
    }
    limitLinks(options.links().rateBitsPerSec());
  }

  private void limitLinks(long rateBitsPerSec) throws IOException, InterruptedException {
    for (int node = 0; node < topology.nodes(); node++) {
      network.limit(Topology.dataNode(node), rateBitsPerSec);
    }
  }

  private void awaitRestored(LostReplicaFiles lost, int blocks) throws IOException, InterruptedException {
    await(RECOVERY_LIMIT_SEC, () -> {
      JsonNode bean = dayuStatus();
      if (!bean.isMissingNode() && !bean.path("State").asText().equals("DAYU")) {
        throw new IOException("the state changed: " + shown(bean));
      }
      lost.scan();
      return lost.restored().size() >= blocks;
    }, () -> lost.restored().size() + " of " + lost.count() + " blocks are restored after " + RECOVERY_LIMIT_SEC
        + " s, and the NameNode says " + shown(dayuStatus()));
  }

  private void findLeftovers() throws IOException, InterruptedException {
    await(START_LIMIT_SEC, () -> leftovers().isEmpty(), () -> String.join("; ", leftovers()));
    // Whatever was ever too many has been deleted by now.
    long deletions = dayu.deletions(killedAtMs);
    if (deletions > 0) {
      throw new IOException(deletions + " replicas were deleted: blocks had more than they should have");
    }
    JsonNode bean = awaitDayuStatus();
    if (bean.path("TotalFinished").asInt() == 0 || bean.path("TotalHandedToStock").asInt() > 0) {
      throw new IOException("not Dayu recovered, or not alone: " + shown(bean));
    }
  }

  /** Of the NameNode: those that count replicas to be made or deleted, and are not 0. */
  private List<String> unsettledGauges() throws IOException {
    List<String> unsettled = new ArrayList<>();
    JsonNode blocks = status.bean("FSNamesystem").orElseGet(MissingNode::getInstance);
    for (String gauge : List.of("LowRedundancyBlocks", "PendingReconstructionBlocks", "ExcessBlocks",
        "PendingDeletionBlocks")) {
      if (blocks.path(gauge).asInt(-1) != 0) {
        unsettled.add(gauge + ": " + blocks.path(gauge).asText());
      }
    }
    return unsettled;
  }

  private List<String> leftovers() throws IOException {
    List<String> left = unsettledGauges();
    int transfers = dayuStatus().path("RunningTransfers").asInt(-1);
    if (transfers != 0) {
      left.add("transfers under way: " + transfers);
    }
    for (int node = 0; left.isEmpty() && node < topology.nodes(); node++) {
      if (node != firstVictim) {
        conf.dataNodeStorage(node).partialReplicas().forEach(file -> left.add("partial replica " + file));
      }
    }
    return left;
  }

  /** A jar that lacks a class may still recover: each report of an agent fails then, but only after it was taken. */
  private void findLinkageErrors() throws IOException {
    try (Stream<Path> logs = Files.list(work.resolve("logs").resolve("short-dayu"))) {
      for (Path log : logs.filter(file -> file.toString().endsWith(".log")).sorted().toList()) {
        Optional<String> line = Files.readString(log, StandardCharsets.ISO_8859_1).lines()
            .filter(text -> LINKAGE_ERROR.matcher(text).find()).findFirst();
        if (line.isPresent()) {
          throw new IOException(log.getFileName() + " says " + line.get().strip());
        }
      }
    }
  }

  private LostReplicaFiles lostBlocks(int victim) throws IOException {
    LostReplicaFiles lost = new LostReplicaFiles(conf, options.groups());
    lost.lose(conf.dataNodeStorage(victim).volumes());
    return lost;
  }

  /** The first victim comes back as a new DataNode, which never had Dayu; the others keep their agents. */
  private void removeFromNameNode() throws IOException, InterruptedException {
    dayu.nameNode().stop();
    DirectoryTree.delete(conf.storage(Topology.dataNode(firstVictim)));
    stock.startNameNode();
    stock.startDataNode(firstVictim);
    awaitReady();
    if (!dayuStatus().isMissingNode()) {
      throw new IOException("the NameNode still says " + shown(dayuStatus()));
    }
    // Until all DataNodes have sent their block reports, the NameNode has replicas made again, some of them on the
    // second victim. If that is killed, such a copy stays pending until its timeout.
    awaitHealthy();
    await(START_LIMIT_SEC, () -> unsettledGauges().isEmpty(), () -> String.join("; ", unsettledGauges()));
  }

  private void recoverByStock() throws IOException, InterruptedException {
    LostReplicaFiles lost = lostBlocks(secondVictim);
    dayu.dataNodes().get(secondVictim).kill();
    await(RECOVERY_LIMIT_SEC, () -> {
      lost.scan();
      return lost.allRestored();
    }, () -> lost.restored().size() + " of " + lost.count() + " blocks are restored after " + RECOVERY_LIMIT_SEC
        + " s");
    scope.screen().say("%d blocks restored.", lost.count());
  }

  /** The second victim comes back as a new DataNode, too. */
  private void rollBack() throws IOException, InterruptedException {
    stock.stopDaemons();
    for (HostProcess dataNode : dayu.dataNodes()) {
      dataNode.stop();
    }
    DirectoryTree.delete(conf.storage(Topology.dataNode(secondVictim)));
    stock.startDaemons();
    awaitReady();
  }

  private void awaitReady() throws IOException, InterruptedException {
    await(START_LIMIT_SEC, () -> status.isReady(topology.nodes()),
        () -> "the NameNode and " + topology.nodes() + " DataNodes are not ready after " + START_LIMIT_SEC + " s");
  }

  /** The NameNode learns of the last replicas after they are there. */
  private void awaitHealthy() throws IOException, InterruptedException {
    await(FSCK_LIMIT_SEC, () -> problems().isEmpty(), () -> String.join("; ", problems()));
  }

  private List<String> problems() throws IOException {
    Optional<FsckReport> report = status.fsck();
    return report.isEmpty() ? List.of("fsck does not answer") : report.get().problems();
  }

  /** Without fields if there is no such bean. */
  private JsonNode dayuStatus() throws IOException {
    return status.bean("DayuStatus").orElseGet(MissingNode::getInstance);
  }

  private JsonNode awaitDayuStatus() throws IOException, InterruptedException {
    AtomicReference<JsonNode> bean = new AtomicReference<>();
    await(START_LIMIT_SEC, () -> {
      bean.set(dayuStatus());
      return !bean.get().isMissingNode();
    }, () -> "the NameNode does not say how Dayu is");
    return bean.get();
  }

  private static String shown(JsonNode dayuStatus) {
    return dayuStatus.isMissingNode() ? "nothing"
        : "state " + dayuStatus.path("State").asText() + " (" + dayuStatus.path("StateReason").asText() + "), "
            + dayuStatus.path("LiveAgents").asInt() + " agents, " + dayuStatus.path("TotalFinished").asInt()
            + " transfers finished";
  }

  /** What to say of a condition that never held. */
  private interface Reason {
    String say() throws IOException;
  }

  private static void await(int limitSec, Condition condition, Reason otherwise)
      throws IOException, InterruptedException {
    long startNs = System.nanoTime();
    while (!condition.holds()) {
      if (System.nanoTime() - startNs > TimeUnit.SECONDS.toNanos(limitSec)) {
        throw new IOException(otherwise.say());
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MS);
    }
  }
}
