/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts.client;

import io.dayu.harness.load.LoadProfile;
import io.dayu.harness.load.NodeChoice;

import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * The endless sequence of the foreground's operations, in the order of their planned moments. Not thread-safe. It
 * follows from the task alone: nothing that happens in the cluster changes what comes next. Sizes are spread evenly
 * over the logarithm, from 32 KiB to 4 MiB.
 */
final class ForegroundPlan {
  static final int SYNC_BYTES = 4 << 10;
  private static final int MIN_BYTES = 32 << 10;
  private static final int MAX_BYTES = 4 << 20;
  private static final double SYNCS_PER_SEC = 4;
  private static final long REGIME_MS = 10_000;
  private static final double COEFFICIENT_OF_VARIATION = 0.25;
  private static final double JUMP_PROBABILITY = 0.3;
  /** What a link carries for a byte of a file: checksums, headers, acknowledgements and heartbeats. */
  private static final double LINK_BYTES_PER_FILE_BYTE = 1.08;

  private final NodeChoice choice;
  private final ArrivalProcess[] processes;
  private long regimeEndNs = TimeUnit.MILLISECONDS.toNanos(REGIME_MS);
  private int planned;

  /** Arrivals of one kind. */
  private static final class ArrivalProcess {
    private final OperationKind kind;
    private final double perSec;
    private final SplittableRandom random;
    private double nextNs;

    ArrivalProcess(OperationKind kind, double perSec, SplittableRandom random) {
      this.kind = kind;
      this.perSec = perSec;
      this.random = random;
      advance();
    }

    void advance() {
      nextNs += random.nextExponential() / perSec * TimeUnit.SECONDS.toNanos(1);
    }
  }

  ForegroundPlan(ClientTask task) {
    int nodes = task.topology().nodes();
    LoadProfile profile = LoadProfile.of(task.bandwidthBytesPerSec()).seed(task.seed()).utilization(task.utilization())
        .coefficientOfVariation(COEFFICIENT_OF_VARIATION).regimeMs(REGIME_MS).jumpProbability(JUMP_PROBABILITY)
        .replication(Topology.REPLICATION).build();
    SplittableRandom root = new SplittableRandom(task.seed());
    choice = new NodeChoice(profile, nodes, root.split());
    // A written byte enters three nodes and leaves two of them, so reads and writes of equal volume load both
    // directions alike.
    double bytesPerSec = task.utilization() * task.bandwidthBytesPerSec() * nodes / Topology.REPLICATION
        / LINK_BYTES_PER_FILE_BYTE;
    double perSec = bytesPerSec / meanBytes();
    processes = new ArrivalProcess[] {new ArrivalProcess(OperationKind.READ, perSec, root.split()),
        new ArrivalProcess(OperationKind.WRITE, perSec, root.split()),
        new ArrivalProcess(OperationKind.SYNC, SYNCS_PER_SEC, root.split())};
  }

  static double meanBytes() {
    return (MAX_BYTES - MIN_BYTES) / Math.log((double) MAX_BYTES / MIN_BYTES);
  }

  PlannedOperation next() {
    ArrivalProcess process = processes[0];
    for (ArrivalProcess other : processes) {
      process = other.nextNs < process.nextNs ? other : process;
    }
    long atNs = (long) process.nextNs;
    while (atNs >= regimeEndNs) {
      regimeEndNs += TimeUnit.MILLISECONDS.toNanos(REGIME_MS);
      choice.nextRegime();
    }
    process.advance();
    SplittableRandom random = process.random;
    int bytes = process.kind == OperationKind.SYNC ? SYNC_BYTES
        : (int) (MIN_BYTES * Math.exp(random.nextDouble() * Math.log((double) MAX_BYTES / MIN_BYTES)));
    List<Integer> nodes = process.kind == OperationKind.READ ? List.of(choice.nodeToReadFrom(random))
        : choice.nodesToWriteTo(random);
    return new PlannedOperation(planned++, process.kind, atNs, bytes, nodes, random.nextInt(Integer.MAX_VALUE));
  }
}
