/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness.scenario;

import io.dayu.harness.Await;
import io.dayu.harness.ClusterBuilder;
import io.dayu.harness.ClusterVerifier;
import io.dayu.harness.DayuCluster;
import io.dayu.harness.load.LoadProfile;
import io.dayu.harness.load.OpenLoopLoad;
import io.dayu.harness.scenario.Scenario.FileSet;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Runs one scenario on a cluster of its own. Single-threaded, for one run. */
final class ScenarioRun {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int READS_BEFORE_FAULTS = 10;

  private final Scenario scenario;
  private final DayuCluster cluster;
  private final Progress progress;
  private final SplittableRandom random;
  private final Map<String, Integer> named = new HashMap<>();
  private DayuBean.Work workBeforeFaults;

  private ScenarioRun(Scenario scenario, DayuCluster cluster) {
    this.scenario = scenario;
    this.cluster = cluster;
    this.progress = new Progress(cluster);
    this.random = new SplittableRandom(scenario.cluster().seed());
  }

  /** @throws AssertionError if anything that the scenario expects does not hold */
  static void run(Scenario scenario, Path directory) throws Exception {
    try (DayuCluster cluster = builder(scenario.cluster()).directory(directory).start()) {
      new ScenarioRun(scenario, cluster).run();
    }
  }

  /** Short times, so that a scenario takes seconds; its own settings go over them. */
  private static ClusterBuilder builder(Scenario.Cluster spec) {
    ClusterBuilder builder = DayuCluster.builder().dataNodes(spec.nodes()).racks(spec.racks())
        .volumesPerNode(spec.volumesPerNode()).blockSizeBytes(spec.blockBytes()).seed(spec.seed())
        .conf("dayu.timeslot.interval", "600ms").conf("dayu.timeslot.horizon", "3s").conf("dayu.timeslot.lead", "100ms")
        .conf("dayu.heartbeat.interval", "200ms").conf("dayu.transfer.lease", "4s");
    spec.settings().forEach(builder::conf);
    if (spec.emulatedNics()) {
      builder.emulatedNics(spec.bandwidthBytesPerSec());
    } else {
      builder.bandwidthBytesPerSec(spec.bandwidthBytesPerSec());
    }
    if (spec.highAvailability()) {
      builder.highAvailability();
    }
    return spec.stock() ? builder.withoutDayu() : builder;
  }

  private void run() throws Exception {
    if (!scenario.cluster().stock()) {
      Await.until("state DAYU with all agents", LIMIT, () -> DayuBean.isThere() && DayuBean.text("State").equals("DAYU")
          && DayuBean.number("LiveAgents") == scenario.cluster().nodes(), DayuBean::describe);
    }
    for (FileSet files : scenario.files()) {
      write(files);
    }
    new ClusterVerifier(cluster).awaitSettled(LIMIT);
    List<String> problems = new ArrayList<>();
    Optional<LoadProfile> profile = scenario.loadProfile();
    if (profile.isPresent()) {
      underLoad(profile.get(), problems);
    } else {
      takeSteps();
    }
    ClusterVerifier verifier = new ClusterVerifier(cluster);
    problems.addAll((profile.isPresent() ? verifier.afterBrokenPipelines() : verifier).verify(limit()).problems());
    addWhoRecovered(problems);
    Integer maxExcess = scenario.expect().maxExcessReplicas();
    if (maxExcess != null && progress.maxExcess() > maxExcess) {
      problems.add(progress.maxExcess() + " replicas in excess at once, more than " + maxExcess);
    }
    if (!problems.isEmpty()) {
      throw new AssertionError(String.join("\n", problems) + "\n" + DayuBean.describe());
    }
  }

  private Duration limit() {
    return Duration.ofSeconds(scenario.expect().withinSec());
  }

  private void write(FileSet files) throws IOException {
    DistributedFileSystem fs = cluster.fileSystem();
    org.apache.hadoop.fs.Path directory = new org.apache.hadoop.fs.Path(files.directory());
    fs.mkdirs(directory);
    if (files.erasureCoding() != null) {
      fs.enableErasureCodingPolicy(files.erasureCoding());
      fs.setErasureCodingPolicy(directory, files.erasureCoding());
    }
    for (int file = 0; file < files.count(); file++) {
      cluster.write(files.directory() + "/" + file, files.bytes(), Math.max(1, files.replication()));
    }
  }

  private void underLoad(LoadProfile profile, List<String> problems) throws Exception {
    OpenLoopLoad load = OpenLoopLoad.start(cluster, profile);
    try (load) {
      Await.until("the load has begun", LIMIT, () -> load.reads() >= READS_BEFORE_FAULTS, load::errors);
      takeSteps();
      load.forgetWaiting();
    }
    if (load.errorCount() > scenario.expect().maxForegroundErrors()) {
      problems.add(load.errorCount() + " errors of the foreground, first " + load.errors());
    }
  }

  private void takeSteps() throws Exception {
    workBeforeFaults = DayuBean.Work.now();
    for (Step step : scenario.faults()) {
      int node = step.node() == null ? -1 : nodeOf(step.node());
      await(step.when(), node);
      step.fault().carryOut(cluster, node, step);
      progress.outstandingBlocks();
      if (step.as() != null) {
        named.put(step.as(), node);
      }
    }
    Await.until("recovery over", limit(), this::isOver, this::describe);
  }

  /** Under load the rest, of which HDFS still awaits reports, is waited for once the load has ended. */
  private boolean isOver() throws Exception {
    boolean nothingToDo = scenario.loadProfile().isPresent()
        ? progress.waitingBlocks() == 0 && (!DayuBean.isThere() || DayuBean.number("RunningTransfers") == 0)
        : progress.outstandingBlocks() == 0;
    return nothingToDo && isNoticed();
  }

  private int nodeOf(String node) {
    if (named.containsKey(node)) {
      return named.get(node);
    }
    return switch (node) {
      case "fullest" -> cluster.fullestNode();
      case "random" -> {
        int[] running = IntStream.range(0, cluster.nodeCount()).filter(cluster::isRunning).toArray();
        yield running[random.nextInt(running.length)];
      }
      default -> Integer.parseInt(node);
    };
  }

  private void await(Moment moment, int node) throws Exception {
    switch (moment.kind()) {
      case AT_ONCE -> {}
      case AFTER_SECONDS -> {
        long beginNs = System.nanoTime();
        Await.until(moment.toString(), LIMIT.plusSeconds(moment.amount()), () -> progress.outstandingBlocks() >= 0
            && System.nanoTime() - beginNs >= TimeUnit.SECONDS.toNanos(moment.amount()));
      }
      case AFTER_PERCENT ->
          Await.until(moment.toString(), LIMIT, () -> progress.isRecovered(moment.amount()), this::describe);
      case TRANSFERS_RUN -> Await.until(moment.toString(), LIMIT, () -> progress.outstandingBlocks() >= 0
          && DayuBean.number("RunningTransfers") > 0 && DayuBean.number("ProgressBytes") > 0, this::describe);
      case DECOMMISSIONED -> Await.until(moment.toString(), LIMIT, () -> progress.outstandingBlocks() >= 0
          && cluster.descriptor(node).isDecommissioned(), this::describe);
      case IN_MAINTENANCE -> Await.until(moment.toString(), LIMIT, () -> progress.outstandingBlocks() >= 0
          && cluster.descriptor(node).isInMaintenance(), this::describe);
    }
  }

  /** Whether the NameNode knows of every node that has gone, and no node is still leaving. */
  private boolean isNoticed() {
    for (int node = 0; node < cluster.nodeCount(); node++) {
      DatanodeDescriptor known = cluster.descriptor(node);
      if (known.isAlive() != cluster.isRunning(node) || known.isDecommissionInProgress()
          || known.isEnteringMaintenance()) {
        return false;
      }
    }
    return true;
  }

  private String describe() throws Exception {
    return progress.outstandingBlocks() + " blocks outstanding; " + DayuBean.describe();
  }

  private void addWhoRecovered(List<String> problems) throws Exception {
    // HDFS counts a replica when its node reports it, Dayu with its agent's next report.
    if (!Await.holdsWithin(LIMIT, this::isRecoveredAsExpected)) {
      problems.add("not recovered by " + scenario.expect().recoveredBy() + ": "
          + DayuBean.Work.now().since(workBeforeFaults));
    }
  }

  private boolean isRecoveredAsExpected() throws Exception {
    DayuBean.Work all = DayuBean.Work.now();
    DayuBean.Work done = all.since(workBeforeFaults);
    return switch (scenario.expect().recoveredBy()) {
      case DAYU -> DayuBean.text("State").equals("DAYU") && done.finished() > 0 && done.leftToStock() == 0;
      case STOCK -> done.finished() == 0;
      // A group whose blocks were reported late may have been left to stock, and counted, when it was written.
      case BOTH -> DayuBean.text("State").equals("DAYU") && done.finished() > 0 && all.leftToStock() > 0;
    };
  }
}
