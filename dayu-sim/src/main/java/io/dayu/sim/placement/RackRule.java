/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.sim.placement;

import io.dayu.model.IntRows;
import io.dayu.sim.Cluster;

/** Which racks must not get the copy of a block. Immutable and thread-safe. */
public enum RackRule {
  /** Every replica lies on a rack of its own: no rack of another replica (ATC'19 §4.1). */
  ALL_DISTINCT,
  /** The default policy of HDFS: where all other replicas are on one rack, another one than this. */
  TWO_RACKS;

  /** Adds the racks that are forbidden to the block to the row being built. */
  public void forbid(LostBlocks lost, int block, Cluster cluster, IntRows.Builder racks) {
    int first = cluster.rack(lost.holder(block, 0));
    if (this == TWO_RACKS) {
      if (cluster.rackCount() == 1) {
        return;
      }
      for (int replica = 1; replica < lost.holdersPerBlock() && lost.holder(block, replica) >= 0; replica++) {
        if (cluster.rack(lost.holder(block, replica)) != first) {
          return;
        }
      }
      racks.add(first);
      return;
    }
    for (int replica = 0; replica < lost.holdersPerBlock() && lost.holder(block, replica) >= 0; replica++) {
      racks.add(cluster.rack(lost.holder(block, replica)));
    }
  }
}
