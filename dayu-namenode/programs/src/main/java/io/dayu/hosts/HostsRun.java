/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import io.dayu.hosts.RunRecord.EndedOperation;
import io.dayu.hosts.client.ClientTask;
import io.dayu.hosts.client.OperationKind;
import io.dayu.hosts.client.Topology;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;

/**
 * One run: a cluster with the data set, foreground, a fault, and what is measured until all blocks are restored. Used
 * once, by one thread. Everything that it sets up belongs to the scope.
 */
final class HostsRun {
  private static final int WARM_UP_SEC = 10;
  private static final int LOSS_LIMIT_SEC = 60;
  private static final int POLL_MS = 500;
  private static final int AFTER_END_MS = 1_000;
  private static final int FSCK_LIMIT_SEC = 60;

  private final HostsOptions options;
  private final RecoveryMode mode;
  private final long seed;
  private final HostJars jars;
  private final RunScope scope;

  HostsRun(HostsOptions options, RecoveryMode mode, long seed, HostJars jars, RunScope scope) {
    this.options = options;
    this.mode = mode;
    this.seed = seed;
    this.jars = jars;
    this.scope = scope;
  }

  /**
   * Runs it.
   *
   * @param work the benchmark's directory, below which the run has its own and leaves its logs
   */
  RunRecord run(DataSetCache data, Path work) throws IOException, InterruptedException {
    Path logs = DirectoryTree.logs(work, options.fault().id() + "-" + mode.id() + "-" + seed);
    Path directory = scope.directory(work.resolve("run"));
    HostNetwork network = scope.open(new HostNetwork(options.layout(), options.links().queue()));
    for (String host : options.layout().dataNodeHosts()) {
      network.limit(host, options.links().rateBitsPerSec());
    }
    HostConf conf = new HostConf(options.layout(), network.addresses(), directory, settings(options, mode));
    data.cloneInto(conf);
    DataPlacement placement = DataPlacement.read(conf, options.groups());
    FaultInjection injection = new FaultInjection(options, seed, network, conf);
    HostCluster cluster = scope.open(new HostCluster(conf, jars, mode, logs));
    cluster.startDaemons();
    cluster.startForegroundClient(DataSetCache.task(options, seed, logs));
    scope.screen().say("%s, seed %d: the cluster is ready; foreground for %d s, then %s is hit.", mode.id(), seed,
        WARM_UP_SEC, Topology.dataNode(injection.victim()));
    HostSampler sampler = scope.open(new HostSampler(cluster));
    long beginAtMs = cluster.beginForeground();
    TimeUnit.SECONDS.sleep(WARM_UP_SEC);
    injection.begin(cluster);
    NameNodeLog log = cluster.nameNodeLogs().get(0);
    double lossAtMs = awaitLoss(cluster, injection, log);
    LeavingDeadline deadline = deadline(cluster, injection);
    OptionalDouble endAtMs = awaitEnd(cluster, injection, log, lossAtMs);
    TimeUnit.MILLISECONDS.sleep(AFTER_END_MS);
    sampler.close();
    cluster.endForeground();
    FinalState state = mode == RecoveryMode.NONE ? new FinalState(-1, -1, -1, 0, List.of())
        : FinalState.await(cluster.startStatusClient(), endAtMs.isPresent() ? FSCK_LIMIT_SEC : 0, logs);
    double untilMs = endAtMs.orElse(lossAtMs + limitSec() * 1e3);
    LostReplicaFiles lost = injection.lost();
    RestoredFilesCheck content = RestoredFilesCheck.compare(lost.volumes(), data.originals());
    scope.screen().say("%s, seed %d: %s.", mode.id(), seed, content.text());
    return new RunRecord(
        new RunRecord.Identity(options.fault(), mode, seed, injection.victim(), injection.other()),
        new RunRecord.Moments(beginAtMs, lossAtMs, untilMs, mode != RecoveryMode.NONE && endAtMs.isEmpty(),
            injection.secondStepAtMs(), injection.lastLossAtMs(log, lossAtMs)),
        new RunRecord.Loss(lost.count(), lost.bytes(), options.data().erasureCoding().isPresent()
            ? placement.afterLossOf(injection.victim()) : List.of()),
        new RunRecord.Recovery(cluster.changesOfState(lossAtMs, untilMs), state,
            lost.restored().stream().sorted(Comparator.comparingDouble(LostReplicaFiles.Restored::atMs)).toList(),
            content, cluster.internalBlockDeletions(lossAtMs), deadline),
        new RunRecord.Foreground(operations(logs.resolve(ClientTask.OPERATIONS_FILE), beginAtMs), sampler.samples()));
  }

  /** The product's defaults, but for what the network carries: the limits of tc cannot be seen at the interfaces. */
  static Map<String, String> settings(HostsOptions options, RecoveryMode mode) {
    Map<String, String> settings = new HashMap<>(mode.settings());
    settings.putAll(options.fault().settings());
    if (mode == RecoveryMode.DAYU) {
      settings.put("dfs.namenode.plugins", HostsOptions.NAME_NODE_PLUGIN);
      settings.put("dfs.datanode.plugins", HostsOptions.DATA_NODE_PLUGIN);
      settings.put("dayu.datanode.bandwidthPerSec", Long.toString(options.links().rateBytesPerSec()));
      if (options.data().erasureCoding().isPresent()) {
        settings.put("dayu.recovery.erasure-coding", "dayu");
      }
      if (options.links().queue().kind() == LinkQueue.Kind.CLASSES) {
        settings.put("dayu.transfer.traffic-class", "lower-effort-honoured");
      }
    }
    settings.putAll(options.conf());
    return settings;
  }

  private double awaitLoss(HostCluster cluster, FaultInjection injection, NameNodeLog log)
      throws IOException, InterruptedException {
    for (int polls = 0; polls < LOSS_LIMIT_SEC * 1_000 / POLL_MS; polls++) {
      takeSecondStepIfDue(cluster, injection);
      OptionalDouble lossAtMs = injection.lossAtMs(log);
      if (lossAtMs.isPresent()) {
        scope.screen().say("%s, seed %d: the NameNode knows of it.", mode.id(), seed);
        return lossAtMs.getAsDouble();
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MS);
    }
    throw new IOException("the NameNode has not noticed within " + LOSS_LIMIT_SEC + " s that "
        + Topology.dataNode(injection.victim()) + " was hit: see " + log.file());
  }

  private LeavingDeadline deadline(HostCluster cluster, FaultInjection injection)
      throws IOException, InterruptedException {
    if (mode != RecoveryMode.DAYU || options.deadlineFactor().isEmpty()) {
      return LeavingDeadline.NONE;
    }
    LeavingDeadline deadline = LeavingDeadline.give(cluster, Topology.dataNode(injection.victim()),
        options.deadlineFactor().getAsDouble());
    scope.screen().say("%s, seed %d: a deadline %.0f s from now, where the forecast is %.0f s: %s.", mode.id(), seed,
        (deadline.untilMs() - deadline.givenAtMs()) / 1e3, deadline.forecastSec(), deadline.text());
    return deadline;
  }

  private int limitSec() {
    return mode == RecoveryMode.NONE ? options.runs().noneSec() : options.runs().limitSec();
  }

  /**
   * Waits for the end of recovery and takes the fault's second step meanwhile, if it has one. Empty if the run was cut
   * off.
   */
  private OptionalDouble awaitEnd(HostCluster cluster, FaultInjection injection, NameNodeLog log, double lossAtMs)
      throws IOException, InterruptedException {
    LostReplicaFiles lost = injection.lost();
    while (System.currentTimeMillis() < lossAtMs + limitSec() * 1e3) {
      if (!cluster.nameNode().isAlive()) {
        throw new IOException("the NameNode has ended");
      }
      OptionalDouble endAtMs = mode == RecoveryMode.NONE ? OptionalDouble.empty() : injection.endAtMs(log);
      if (!takeSecondStepIfDue(cluster, injection) && endAtMs.isPresent()) {
        return endAtMs;
      }
      if (mode != RecoveryMode.NONE) {
        scope.screen().progress(String.format("%d of %d replicas restored", lost.restored().size(), lost.count()));
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MS);
    }
    return OptionalDouble.empty();
  }

  private boolean takeSecondStepIfDue(HostCluster cluster, FaultInjection injection)
      throws IOException, InterruptedException {
    if (!injection.secondStepIsDue()) {
      return false;
    }
    injection.secondStep(cluster);
    scope.screen().say("%s, seed %d: after %d of %d replicas %s.", mode.id(), seed, injection.lost().restored().size(),
        injection.lost().count(), injection.secondStepText());
    return true;
  }

  private static List<EndedOperation> operations(Path file, long beginAtMs) throws IOException {
    List<EndedOperation> operations = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      String[] fields = line.split(",");
      long latencyUs = Long.parseLong(fields[3]);
      operations.add(new EndedOperation(OperationKind.valueOf(fields[0]), beginAtMs + Long.parseLong(fields[1]) / 1e3,
          Integer.parseInt(fields[2]), latencyUs < 0 ? -1 : latencyUs / 1e3, latencyUs == ClientTask.FAILED));
    }
    return operations;
  }
}
