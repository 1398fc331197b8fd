/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.placement;

import io.dayu.model.IntRows;
import io.dayu.sim.Cluster;

import java.util.stream.IntStream;

/** Which racks must not get the copy of a block. Immutable and thread-safe. */
public enum RackRule {
  /** Every replica lies on a rack of its own: no rack of another replica (ATC'19 §4.1). */
  ALL_DISTINCT,
  /** The default policy of HDFS: where all other replicas are on one rack, another one than this. */
  TWO_RACKS,
  /** The policy of HDFS for groups: no rack with its even share of the internal blocks already. */
  EVEN;

  /**
   * Adds the racks that are forbidden to a block to the row being built.
   *
   * @param holders nodes that keep a replica, the first {@code count}
   */
  public void forbid(int[] holders, int count, Cluster cluster, IntRows.Builder racks) {
    if (this == TWO_RACKS) {
      boolean oneRack = count > 0 && cluster.rackCount() > 1;
      for (int i = 1; i < count; i++) {
        oneRack &= cluster.rack(holders[i]) == cluster.rack(holders[0]);
      }
      if (oneRack) {
        racks.add(cluster.rack(holders[0]));
      }
      return;
    }
    int most = this == EVEN ? (count + cluster.rackCount()) / cluster.rackCount() : 1;
    for (int i = 0; i < count; i++) {
      int rack = cluster.rack(holders[i]);
      if (IntStream.range(0, count).filter(other -> cluster.rack(holders[other]) == rack).count() >= most) {
        racks.add(rack);
      }
    }
  }
}
