/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

import io.dayu.sim.placement.LostBlocks;

import java.util.Arrays;

/**
 * Adds up how long blocks had one replica, or groups no internal block more than they need, and how many nodes held one
 * of these. Updated once in each step of the simulation. Not thread-safe.
 */
final class RiskMeter {
  private final LostBlocks blocks;
  private final Replicas replicas;
  private final boolean[] exposed;
  private double oneReplicaBlockSec;
  private double exposedNodeSec;
  private final double[] lackingBlockSec = new double[Replicas.MAX_LACKING];
  private long version = -1;
  private int exposedCount;

  RiskMeter(LostBlocks blocks, Replicas replicas, int nodes) {
    this.blocks = blocks;
    this.replicas = replicas;
    exposed = new boolean[nodes];
  }

  /** Adds a span of time, with the replicas at its begin. */
  void add(double seconds) {
    if (version != replicas.version()) {
      version = replicas.version();
      look();
    }
    oneReplicaBlockSec += replicas.singleCount() * seconds;
    exposedNodeSec += exposedCount * seconds;
    for (int i = 0; i < lackingBlockSec.length; i++) {
      lackingBlockSec[i] += replicas.lackingCount(i + 1) * seconds;
    }
  }

  private void look() {
    Arrays.fill(exposed, false);
    for (int block = 0; replicas.singleCount() > 0 && block < blocks.count(); block++) {
      if (replicas.isSingle(block)) {
        replicas.markSources(block, exposed);
      }
    }
    exposedCount = 0;
    for (boolean one : exposed) {
      exposedCount += one ? 1 : 0;
    }
  }

  LossAndRisk lossAndRisk() {
    int lost = 0;
    long bytes = 0;
    for (int block = 0; block < blocks.count(); block++) {
      if (replicas.gone(block)) {
        lost++;
        bytes += blocks.sizeBytes()[block];
      }
    }
    return new LossAndRisk(lost, bytes, oneReplicaBlockSec, exposedNodeSec, lackingBlockSec.clone());
  }
}
