/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.sim;

/**
 * The nodes of a simulated cluster, by dense id. Immutable.
 *
 * @param nodes number of nodes
 * @param rackSize nodes in each rack; the last rack may be smaller
 * @param bandwidthBytesPerSec B_total of every node, each way
 */
public record Cluster(int nodes, int rackSize, long bandwidthBytesPerSec) {
  public Cluster {
    if (nodes < 2) {
      throw new IllegalArgumentException("nodes = " + nodes + ", expected at least 2");
    }
    if (rackSize < 1) {
      throw new IllegalArgumentException("rack size = " + rackSize + ", expected at least 1");
    }
    if (bandwidthBytesPerSec < 1) {
      throw new IllegalArgumentException("bandwidth = " + bandwidthBytesPerSec + ", expected at least 1 byte/s");
    }
  }

  public int rack(int node) {
    return node / rackSize;
  }

  public int rackCount() {
    return (nodes + rackSize - 1) / rackSize;
  }
}
