/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import io.dayu.hosts.client.Topology;

import java.io.IOException;
import java.nio.file.Files;
import java.util.OptionalDouble;
import java.util.SplittableRandom;

/** Makes the fault of a run happen to its cluster. Used once, by one thread. */
final class FaultInjection {
  static final int LIMP_DIVISOR = 10;

  private final HostsOptions options;
  private final HostFault fault;
  private final HostNetwork network;
  private final HostConf conf;
  private final int victim;
  private final int other;
  private final LostReplicaFiles lost;
  private double beganAtMs = Double.NaN;
  private double secondStepAtMs = Double.NaN;

  /** Decides by the seed which DataNodes it hits. The storage of the run must be there, and not be in use yet. */
  FaultInjection(HostsOptions options, long seed, HostNetwork network, HostConf conf) throws IOException {
    this.options = options;
    this.fault = options.fault();
    this.network = network;
    this.conf = conf;
    int nodes = options.topology().nodes();
    SplittableRandom random = new SplittableRandom(seed);
    this.victim = random.nextInt(nodes);
    this.other = (victim + 1 + random.nextInt(nodes - 1)) % nodes;
    this.lost = new LostReplicaFiles(conf, options.groups());
    HostStorage storage = conf.dataNodeStorage(victim);
    lost.lose(fault == HostFault.DISK ? storage.volumes().subList(0, 1) : storage.volumes());
  }

  int victim() {
    return victim;
  }

  /** The DataNode that the second step hits, if that hits another one. */
  int other() {
    return other;
  }

  /** What was lost so far. */
  LostReplicaFiles lost() {
    return lost;
  }

  /** In milliseconds since 1970; not a number as long as there was none. */
  double secondStepAtMs() {
    return secondStepAtMs;
  }

  /** The first step. */
  void begin(HostCluster cluster) throws IOException, InterruptedException {
    beganAtMs = System.currentTimeMillis();
    switch (fault) {
      case DECOMMISSION -> {
        Files.writeString(conf.excludeFile(), conf.addresses().get(Topology.dataNode(victim)) + "\n");
        cluster.refreshNodes();
      }
      case DISK -> HostStorage.fail(conf.dataNodeStorage(victim).volumes().get(0));
      default -> cluster.dataNodes().get(victim).kill();
    }
  }

  /** Whether the second step is due: at its time, if it has one, or else when half of what was lost is restored. */
  boolean secondStepIsDue() {
    if (!fault.hasSecondStep() || !Double.isNaN(secondStepAtMs)) {
      return false;
    }
    return options.secondStepAfter().map(after -> System.currentTimeMillis() >= beganAtMs + after.toMillis())
        .orElseGet(() -> 2 * lost.restored().size() >= lost.count());
  }

  void secondStep(HostCluster cluster) throws IOException, InterruptedException {
    secondStepAtMs = System.currentTimeMillis();
    switch (fault) {
      case SECOND -> {
        cluster.dataNodes().get(other).killAndWait();
        lost.lose(conf.dataNodeStorage(other).volumes());
      }
      case LIMP -> network.limit(Topology.dataNode(other), options.links().rateBitsPerSec() / LIMP_DIVISOR);
      case RETURN -> cluster.startDataNode(victim);
      case FAILOVER -> cluster.failOver();
      default -> throw new IllegalStateException(fault + " has no second step");
    }
  }

  /** What the second step did, and to whom; for people. */
  String secondStepText() {
    return switch (fault) {
      case SECOND -> Topology.dataNode(other) + " was killed";
      case LIMP -> "the link of " + Topology.dataNode(other) + " fell to a tenth";
      case RETURN -> Topology.dataNode(victim) + " was started again";
      case FAILOVER -> "the active NameNode was killed, and the standby is active";
      default -> throw new IllegalStateException(fault + " has no second step");
    };
  }

  /** When the NameNode knew of the loss. */
  OptionalDouble lossAtMs(NameNodeLog log) throws IOException {
    return log.firstAtMs(0, fault.lossLine());
  }

  /** When it was all over; nothing as long as it is not. */
  OptionalDouble endAtMs(NameNodeLog log) throws IOException {
    lost.scan();
    OptionalDouble end = lost.allRestored()
        ? lost.restored().stream().mapToDouble(LostReplicaFiles.Restored::atMs).max() : OptionalDouble.empty();
    return switch (fault) {
      case DECOMMISSION -> log.firstAtMs(0, NameNodeLog.DECOMMISSIONED);
      // Its block report says that nothing is lost, unless all was restored before.
      case RETURN -> end.isPresent() || Double.isNaN(secondStepAtMs) ? end : log.firstAtMs(secondStepAtMs,
          "processReport", "from storage", conf.addresses().get(Topology.dataNode(victim)) + ":");
      default -> end;
    };
  }

  /** From when on what was at the highest risk could be restored first: when the NameNode knew of the last loss. */
  double lastLossAtMs(NameNodeLog log, double lossAtMs) throws IOException {
    return fault == HostFault.SECOND
        ? log.firstAtMs(lossAtMs, NameNodeLog.DEAD, conf.addresses().get(Topology.dataNode(other)) + ":")
            .orElse(Double.NaN)
        : lossAtMs;
  }
}
