/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

/** Rules of HDFS's placement policies about racks. No state. */
final class RackRules {
  private RackRules() {
  }

  /**
   * Most replicas that a rack may hold: getMaxNodesPerRack of BlockPlacementPolicyDefault and of
   * BlockPlacementPolicyRackFaultTolerant.
   */
  static int maxNodesPerRack(BlockPlacementPolicy policy, int replicas, int racks) {
    if (racks <= 1 || replicas <= 1) {
      return replicas;
    }
    if (policy instanceof BlockPlacementPolicyRackFaultTolerant) {
      return (replicas - 1) / racks + 1;
    }
    int max = (replicas - 1) / racks + 2;
    return max == replicas ? max - 1 : max;
  }

  /** The rack of a node, which may hold several network locations. */
  static String rackOf(BlockManager blocks, DatanodeDescriptor node) {
    return blocks.getDatanodeManager().getNetworkTopology().getRack(node.getNetworkLocation());
  }
}
